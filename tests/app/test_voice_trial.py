"""A person's own voice is tried by prompts: what is heard, what it is taken for, and that nothing is kept."""

from __future__ import annotations

import asyncio
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.voice_trial import (
    FILE_WITHIN_S,
    FRAME,
    PROMPTS,
    WITHIN_S,
    EnginesHere,
    Folder,
    Sound,
    TrialOutcome,
    TrialPrompt,
    run,
    second_here,
    table,
)
from infra.settings import SettingsError
from realtime.ears.testing import ScriptedRecogniser
from tests.ears.material import spoken
from tts_queue import SAMPLE_RATE_HZ

SPOKEN = tuple(
    each for each in PROMPTS if each.text in {"Stop.", "What is the potassium?", "Speak up, please."}
)
SILENT = TrialPrompt("Go on.", frozenset({"go_on"}))


class Voice:
    """A synthetic voice says the prompts; beyond them nothing comes but a quiet room."""

    within_s = FILE_WITHIN_S

    async def said(self, number: int) -> AsyncIterator[Sound]:
        room = np.random.default_rng(number).normal(size=3 * 16_000) * 20
        if number < len(SPOKEN):
            said = spoken(SPOKEN[number].text)
            room[8_000 : 8_000 + len(said)] += said
        sound = room.astype(np.int16)
        for at in range(0, len(sound), FRAME):
            yield sound[at : at + FRAME]
            await asyncio.sleep(0)


class Room:
    """A microphone in a quiet room, which never ends."""

    within_s = WITHIN_S

    async def said(self, number: int) -> AsyncIterator[Sound]:
        while True:
            yield np.zeros(FRAME, np.int16)
            await asyncio.sleep(FRAME / 16_000)


def test_a_synthetic_voice_goes_through_the_ears(tmp_path: Path) -> None:
    engines, lines = EnginesHere(), list[str]()
    outcomes = asyncio.run(run(Voice(), engines, second_here(engines), lines.append, tmp_path, SPOKEN))
    assert [each.taken for each in outcomes] == ["quiet", "louder", "answer"]
    assert "3 of 3 right" in lines
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "01.wav", "02.wav", "03.wav", "table.txt",
    ]  # fmt: skip
    with wave.open(str(tmp_path / "01.wav")) as file:
        assert file.getframerate() == 16_000


def test_a_prompt_that_nobody_says_is_not_waited_for_any_longer(virtual: asyncio.Runner) -> None:
    async def scene() -> float:
        [outcome] = await run(Room(), ScriptedRecogniser(), None, lambda _: None, prompts=(SILENT,))
        assert (outcome.taken, outcome.right) == ("nothing", False)
        return asyncio.get_running_loop().time()

    assert virtual.run(scene()) == pytest.approx(WITHIN_S)


def test_the_table_says_what_was_meant_and_what_it_was_taken_for() -> None:
    stop, go_on = (
        TrialPrompt("Stop.", frozenset({"quiet"})),
        TrialPrompt("Go on.", frozenset({"go_on", "resume"})),
    )
    outcomes = [
        TrialOutcome(stop, "Star.", "go_on"),
        TrialOutcome(stop, "Stop.", "quiet"),
        TrialOutcome(go_on, "Go on.", "resume"),
    ]
    assert table(outcomes)[1:] == [
        "2 of 3 right",
        "",
        "meant         taken for",
        "quiet         go_on 1, quiet 1",
        "go_on         go_on 1",
    ]


def test_there_are_24_prompts_and_a_folder_has_a_file_for_each(tmp_path: Path) -> None:
    assert len(PROMPTS) == 24
    write(tmp_path / "01.wav", np.zeros(160, np.int16))
    with pytest.raises(SettingsError, match="has 1; it should have 24"):
        Folder(tmp_path)
    found = CliRunner().invoke(cli, ["try-my-voice", "--from", str(tmp_path)])
    assert found.exit_code == 2


def test_a_file_of_another_rate_is_resampled(tmp_path: Path) -> None:
    for number in range(24):
        write(tmp_path / f"{number:02}.wav", np.full(SAMPLE_RATE_HZ, 900, np.int16))

    async def sound() -> Sound:
        return np.concatenate([frame async for frame in Folder(tmp_path).said(3)])

    pcm = asyncio.run(sound())
    assert len(pcm) == round((1.0 + 1.5) * 16_000)
    assert abs(int(pcm[8_000]) - 900) < 5


def test_a_file_that_is_no_sound_is_told_of(tmp_path: Path) -> None:
    for number in range(24):
        (tmp_path / f"{number:02}.wav").write_text("no sound")

    async def sound() -> None:
        async for _ in Folder(tmp_path).said(0):
            pass

    with pytest.raises(SettingsError, match=r"00\.wav"):
        asyncio.run(sound())


def write(path: Path, pcm: Sound) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes(pcm.tobytes())
