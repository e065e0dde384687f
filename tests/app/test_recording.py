"""What left a voice is kept, nobody's is written over, and a disk that fails costs no voice."""

from __future__ import annotations

import logging
import resource
import stat
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.recording import recorded, recordings
from tts_queue import AudioSink

FRAME = np.ones(960, np.int16)


class Room:
    """A sink that counts what it gets."""

    queued_s = 0.0

    def __init__(self) -> None:
        self.samples = 0

    async def write(self, pcm: NDArray[np.int16]) -> None:
        self.samples += len(pcm)


async def say(sink: AudioSink, frames: int) -> None:
    for _ in range(frames):
        await sink.write(FRAME)


def length(path: Path) -> int:
    with wave.open(str(path), "rb") as file:
        return file.getnframes()


def told(caplog: pytest.LogCaptureFixture) -> int:
    return sum("EXAIM_RECORD_DIR" in record.getMessage() for record in caplog.records)


async def test_each_voice_of_a_session_has_a_file_of_its_own_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "rec"
    for epoch, frames in ((9, 50), (10, 2), (1, 3), (1, 4)):  # the last: the store had forgotten the session
        with recorded(Room(), folder, "s-1", epoch) as sink:
            await say(sink, frames)
    (folder / "s-1.heard.wav").touch()
    (folder / "s-12.1.wav").touch()
    kept = recordings(folder, "s-1")
    assert [path.name for path in kept] == ["s-1.9.wav", "s-1.10.wav", "s-1.1.wav", "s-1.1.2.wav"]
    assert [length(path) for path in kept] == [frames * len(FRAME) for frames in (50, 2, 3, 4)]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_nothing_is_recorded_unless_it_is_asked_for(tmp_path: Path) -> None:
    room = Room()
    with recorded(room, None, "s-1", 1) as sink:
        assert sink is room
    assert recordings(tmp_path / "none", "s-1") == []


async def test_a_folder_that_cannot_be_made_costs_the_recording_and_not_the_voice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    room = Room()
    with recorded(room, tmp_path / "file" / "rec", "s-1", 1) as sink:
        await say(sink, 5)
    assert room.samples == 5 * len(FRAME)
    assert told(caplog) == 1


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Have no file of this process grow further, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("frames", [2, 50])  # found as the file is closed, and while it is written
async def test_a_disk_that_is_full_is_told_once_and_all_is_said(
    frames: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    room = Room()
    with caplog.at_level(logging.WARNING), files_of_at_most(2_000):
        with recorded(room, tmp_path, "s-1", 1) as sink:
            await say(sink, frames)
    assert room.samples == frames * len(FRAME)
    assert told(caplog) == 1


async def test_an_error_of_the_session_is_passed_on_and_the_file_is_whole(tmp_path: Path) -> None:
    with pytest.raises(LookupError), recorded(Room(), tmp_path, "s-1", 1) as sink:
        await say(sink, 3)
        raise LookupError
    assert length(tmp_path / "s-1.1.wav") == 3 * len(FRAME)
