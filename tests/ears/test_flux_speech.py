"""Real speech through the ears, Deepgram's own client and the twin, which recognises it with Moonshine."""

from __future__ import annotations

import asyncio

import numpy as np
from numpy.typing import NDArray

from realtime.ears import EagerTurn, EarEvent, Ears, EarsConfig, TurnEnded
from realtime.ears.engines.closed_words import ClosedWords
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.flux import Flux
from realtime.ears.silero import SileroVad
from realtime.ears.stream import StreamConfig, StreamCounts, StreamTranscriber
from tests.ears.material import Sound, level, spoken
from tests.ears.scenes import speak
from tests.ears.test_real import in_a_room
from tests.twins import deepgram_flux_twin as twin
from tests.twins.deepgram_flux_twin import flux_twin
from tests.twins.script import KEY
from tts_queue import Recognised


class Here:
    """The engines of this machine, whose texts can be told from the cloud's."""

    def __init__(self) -> None:
        self._recogniser, self._closed = MoonshineEars(), ClosedWords()

    async def transcribe(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised:
        text = await asyncio.to_thread(self._recogniser.transcribe, pcm)
        vote = self._closed.vote(pcm, text) if short else (None, 0.0)
        return Recognised(f"here: {text}", 1.0, *vote)


async def heard(service: twin.Flux, turns: int, *sounds: Sound) -> tuple[list[EarEvent], StreamCounts]:
    """Return what the ears said until so many turns had ended, however busy the machine is."""
    events: list[EarEvent] = []
    within_s = 0.5 if service.mute else 30.0
    patient = EarsConfig(deadline_s=30.0, backlog_s=30.0, stalled_s=30.0)
    async with flux_twin(service) as address:
        config = StreamConfig(within_s=within_s, waiting_s=30.0)
        transcriber = StreamTranscriber("Deepgram Flux", Flux(key=KEY, address=address).dial, config)
        ears = Ears(SileroVad(), Here(), events.append, patient, transcriber)
        running = asyncio.create_task(ears.run())
        await speak(ears, *sounds)
        async with asyncio.timeout(60.0):
            while len(ended(events)) < turns:
                await asyncio.sleep(0.05)
        running.cancel()
        await asyncio.wait({running})
    return events, transcriber.counts


def ended(events: list[EarEvent]) -> list[TurnEnded]:
    return [event for event in events if isinstance(event, TurnEnded)]


async def test_a_question_is_written_by_the_cloud_and_a_word_that_steers_by_this_machine() -> None:
    room = in_a_room(
        (0.4, level(spoken("What allergies does she have?"), -22)), (3.4, level(spoken("Okay."), -22)),
        seconds=5.2,
    )  # fmt: skip
    service = twin.Flux(MoonshineEars().transcribe)
    events, counts = await heard(service, 2, room)
    ends = ended(events)
    assert [end.text for end in ends] == ["What allergies does she have?", "here: Okay."]
    assert [end.metadata.word for end in ends] == [None, "okay"]
    eager = [event.text for event in events if isinstance(event, EagerTurn)]
    assert all(text.startswith("here: ") for text in eager), "what is decided at a pause needs no network"
    assert (counts.late, counts.lost, counts.legs) == (0, 0, 1)
    assert 2.0 < counts.sent_s < 5.0, "only what may hold a word was sent"
    assert set(service.frames) == {1_280}
    assert service.closed_by_client == 1


async def test_a_cloud_that_is_silent_costs_no_word() -> None:
    room = in_a_room((0.4, level(spoken("What allergies does she have?"), -22)), seconds=2.8)
    events, counts = await heard(twin.Flux(lambda pcm: "never told", mute=True), 1, room)
    assert [end.text for end in ended(events)] == ["here: What allergies does she have?"]
    assert counts.late == 1
