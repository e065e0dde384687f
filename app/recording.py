"""Record what a session's voices sent: `<session>.<epoch>.wav` in `EXAIM_RECORD_DIR`.

A successor has another epoch, so it writes over nothing. What can't be written is told once, and the session
goes on unrecorded: a recording is for demos and benches, and no reason to be silent.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from tts_queue import SAMPLE_RATE_HZ, AudioSink

log = logging.getLogger("exaim.voice")

_NAMES: Final = 1_000  # of one session and epoch: a session that the store forgot begins at 1 again


class RecordedSink:
    """Passes frames on and records them in a WAV file, sample for sample."""

    def __init__(self, sink: AudioSink, file: BinaryIO) -> None:
        self._sink = sink
        self._file = file
        self._wav = wave.open(file, "wb")  # closed in `close`, with the file that it writes to
        self._wav.setnchannels(1)
        self._wav.setsampwidth(2)
        self._wav.setframerate(SAMPLE_RATE_HZ)
        self._over = False

    @property
    def queued_s(self) -> float:
        """Return how much audio was handed over and is not yet sent, in seconds."""
        return self._sink.queued_s

    async def write(self, pcm: NDArray[np.int16]) -> None:
        """Hand over one frame."""
        if not self._over:
            try:
                self._wav.writeframesraw(pcm.tobytes())
            except OSError as error:
                _tell(error)
                self._over = True
                self._close()
        await self._sink.write(pcm)

    def close(self) -> None:
        """End the file; frames are passed on as before. May be called again."""
        if self._over:
            return
        self._over = True
        error = self._close()
        if error is not None:
            _tell(error)

    def _close(self) -> OSError | None:
        failed = None
        for each in (self._wav, self._file):  # the first writes the length into the head
            try:
                each.close()
            except OSError as error:
                failed = error
        return failed


@contextlib.contextmanager
def recorded(sink: AudioSink, folder: Path | None, session_id: str, epoch: int) -> Iterator[AudioSink]:
    """Return `sink`, recorded into `folder` if there is one and it can be written."""
    if folder is None:
        yield sink
        return
    try:
        file = _opened(folder, session_id, epoch)
    except OSError as error:
        _tell(error)
        yield sink
        return
    kept = RecordedSink(sink, file)
    try:
        yield kept
    finally:
        kept.close()


def recordings(folder: Path, session_id: str) -> list[Path]:
    """Return the recordings of a session's voices, that of the last one last."""
    name = re.compile(rf"{re.escape(session_id)}\.\d+(\.\d+)?\.wav")
    found = [path for path in folder.iterdir() if name.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def _opened(folder: Path, session_id: str, epoch: int) -> BinaryIO:
    """Make a file that this user alone may read, under a name that is free. Raises: OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = (f"{session_id}.{epoch}{again}.wav" for again in ("", *(f".{n}" for n in range(2, _NAMES))))
    for name in names:
        with contextlib.suppress(FileExistsError):
            return os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    raise FileExistsError(f"{_NAMES} recordings of one voice")


def _tell(error: OSError) -> None:
    why = error.strerror or type(error).__name__
    log.warning(
        "EXAIM_RECORD_DIR: the voice is not recorded from here on (%s); the session goes on. "
        "Mend the folder, or make space there",
        why,
    )
