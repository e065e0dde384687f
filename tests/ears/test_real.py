"""The real voice detector and the real recogniser in the ears, on speech and on noise."""

from __future__ import annotations

import asyncio
import wave
from collections.abc import Callable

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from app.clinician import sounds
from realtime.ears import EarEvent, Ears, EarsConfig, TurnEnded, VoiceBegan
from realtime.ears.engines.closed_words import ClosedWords
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.silero import SileroVad
from realtime.interruption import Context, Kind, classify_with_prosody
from tests.conftest import ROOT
from tests.ears.material import RATE_HZ, Sound, at_16k, level, mixed, noise, spoken, typing
from tests.ears.measure import cut
from tts_queue import Recognised

LEAD_S = 1.0


class HereAndNow:
    """The engines in the test's own thread; a recognition takes no time of the loop's."""

    def __init__(self) -> None:
        self._recogniser, self._closed = MoonshineEars(), ClosedWords()

    async def transcribe(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised:
        text = self._recogniser.transcribe(pcm)
        vote = self._closed.vote(pcm, text) if short else (None, 0.0)
        return Recognised(text, 1.0, *vote)


@pytest.fixture(scope="module")
def engines() -> HereAndNow:
    return HereAndNow()


def in_a_room(*placed: tuple[float, Sound], seconds: float) -> Sound:
    """Return a quiet room in which sounds begin at these times."""
    out = noise("pink", seconds, -62)
    for at_s, sound in placed:
        start = round(at_s * RATE_HZ)
        out[start : start + len(sound)] = mixed(sound, out[start : start + len(sound)])
    return out


async def heard(engines: HereAndNow, sound: Sound) -> list[EarEvent]:
    events: list[EarEvent] = []
    note: Callable[[EarEvent], None] = events.append
    ears = Ears(SileroVad(), engines, note, EarsConfig(deadline_s=60.0, backlog_s=60.0, stalled_s=60.0))
    running = asyncio.create_task(ears.run())
    ears.feed(sound)
    ears.track_ended()
    for _ in range(4 * len(sound) // 512):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait({running})
    return events


async def test_three_turns_are_told_apart_and_understood(engines: HereAndNow) -> None:
    room = in_a_room(
        (0.5, level(spoken("Stop, hold on."), -22)),
        (3.0, level(spoken("What allergies does she have?"), -22)),
        (6.5, level(spoken("Okay."), -22)),
        seconds=8.5,
    )
    ends = [event for event in await heard(engines, room) if isinstance(event, TurnEnded)]
    assert [end.text for end in ends] == ["Stop, hold on.", "What allergies does she have?", "Okay."]
    assert [end.metadata.began_s for end in ends] == pytest.approx([0.5, 3.0, 6.5], abs=0.1)
    assert [end.metadata.word for end in ends] == [None, None, "okay"]


async def test_a_hum_is_a_word_and_coughs_claps_and_keys_are_not_even_turns(engines: HereAndNow) -> None:
    hum = at_16k(sounds.mm_hm(0))
    ends = [e for e in await heard(engines, in_a_room((0.5, hum), seconds=2.5)) if isinstance(e, TurnEnded)]
    assert [end.metadata.word for end in ends] == ["mm-hm"]
    noisy = in_a_room(
        (0.5, at_16k(sounds.cough(0.1))), (2.0, at_16k(sounds.cough(0.35))), (3.5, at_16k(sounds.clap())),
        seconds=5.0,
    )  # fmt: skip
    noisy = np.concatenate([noisy, typing(5.0)])
    assert [e for e in await heard(engines, noisy) if isinstance(e, TurnEnded) and e.text] == []


async def test_the_stop_chip_is_understood_though_60_ms_of_it_are_lost(engines: HereAndNow) -> None:
    """Each part is lost once, as a page on a busy machine skips some. A single "stop" failed at a fifth."""
    with wave.open(str(ROOT / "web" / "public" / "chips" / "stop.wav"), "rb") as file:
        chip = soxr.resample(np.frombuffer(file.readframes(file.getnframes()), np.int16), 24_000, RATE_HZ)
    lost, every_s = 60 * RATE_HZ // 1000, 2.5
    said: list[tuple[float, Sound]] = []
    for start in range(0, len(chip), lost):
        broken = chip.copy()
        broken[start : start + lost] = 0
        said.append((0.5 + every_s * len(said), broken))
    events = await heard(engines, in_a_room(*said, seconds=every_s * len(said)))
    ends = [event for event in events if isinstance(event, TurnEnded)]
    kinds = [classify_with_prosody(end.text, end.metadata, Context(speaking=True)).kind for end in ends]
    assert kinds.count(Kind.CANCEL) >= 0.95 * len(said), [end.text for end in ends]


@pytest.mark.parametrize("text", ["Stop, hold on.", "Skip.", "She is fine.", "Wait.", "Why?"])
def test_a_voice_is_told_within_150_ms_and_its_pause_within_350(text: str) -> None:
    vad = SileroVad()
    for speaker in (1.0, 0.86, 1.18):
        found = cut(vad, level(spoken(text, speaker=speaker), -24), None, LEAD_S)
        assert found.began_s is not None
        assert found.paused_s is not None
        assert 0.0 < found.began_s <= 0.15
        assert found.paused_s <= 0.35


async def test_silence_and_a_rooms_noise_are_no_voice(engines: HereAndNow) -> None:
    quiet = np.concatenate([np.zeros(5 * RATE_HZ, np.int16), noise("white", 5, -35), noise("hum", 5, -35)])
    assert [e for e in await heard(engines, quiet) if isinstance(e, VoiceBegan)] == []


def test_a_reset_makes_the_detector_new() -> None:
    vad, sound = SileroVad(), spoken("Why?")
    windows = [sound[at : at + 512] for at in range(0, 4096, 512)]
    once = [vad.probability(window) for window in windows]
    again = [vad.probability(window) for window in windows]
    vad.reset()
    assert [vad.probability(window) for window in windows] == once != again
