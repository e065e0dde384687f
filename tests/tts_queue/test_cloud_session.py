"""A session's speech queue on a vendor's voice, by its own client and over a socket, in real time.

The twin says each word of a clause as a tone of its own pitch, so what sounds at a sample tells which word it
is. All words have five letters: a voice that tells no times has them at equal places too.
"""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.tts_queue.cloud_services import VENDORS, Behind, behind
from tests.tts_queue.scenes import Scene, playing, seconds, until
from tts_queue import SAMPLE_RATE_HZ, HoldCause, Move, Priority, SegmentStarted
from tts_queue.engines.stand_in import BackedVoice
from tts_queue.testing import SteadyVoice

CLAUSE = "alpha bravo delta hotel india"
WORDS = CLAUSE.split()
STEP_HZ, FIRST_HZ = 40, 200


def word_at(scene: Scene, sample: int) -> str:
    """Return the word whose tone sounds in the tenth of a second from `sample`."""
    heard = scene.sink.pcm[sample : sample + SAMPLE_RATE_HZ // 10].astype(np.float64)
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard)), SAMPLE_RATE_HZ))
    pitch_hz = int(spectrum[100:1000].argmax()) + 100
    return WORDS[round((pitch_hz - FIRST_HZ) / STEP_HZ)]


def told(event: SegmentStarted) -> list[str]:
    return [word.text.strip(";.") for word in event.words]


def heard_where_told(scene: Scene, event: SegmentStarted) -> list[str]:
    """Return what sounds in the midst of each word that was told of."""
    middles = [(word.start_sample + word.end_sample) // 2 for word in event.words]
    return [word_at(scene, middle - SAMPLE_RATE_HZ // 20) for middle in middles]


def heard_to_its_end(move: Move) -> bool:
    """As the queue has it: to within 100 ms."""
    return move.total - move.heard <= SAMPLE_RATE_HZ // 10


def last(scene: Scene, utterance_id: str) -> Move:
    return scene.moves(utterance_id)[-1]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_session_is_heard_held_and_gone_on_with_at_the_word(vendor: str) -> None:
    async with behind(vendor) as there, playing(there.voice) as play:
        play.say("a", f"{CLAUSE}; {CLAUSE}.")
        play.say("b", f"{CLAUSE}.")
        await until(lambda: bool(play.segments("a")))
        await asyncio.sleep(0.75)
        play.queue.hold(HoldCause.USER)
        await asyncio.sleep(0.3)
        play.queue.release(HoldCause.USER)
        async with asyncio.timeout(30):
            await play.queue.idle()
    begun, resumed, *more = play.segments("a")
    assert play.phases("a") == ["queued", "speaking", "held", "speaking", "spoken"]
    assert play.phases("b") == ["queued", "speaking", "spoken"]
    assert told(begun) == WORDS
    assert 1 <= WORDS.index(told(resumed)[0]) <= 3
    assert resumed.index == begun.index == 0
    for event in (resumed, *more, *play.segments("b")):
        assert heard_where_told(play, event) == told(event)
    assert heard_to_its_end(last(play, "a"))
    assert play.queue.snapshot().longest_gap_s < 0.3
    assert there.twin.refusals == []
    assert len(there.twin.texts) == len(set(there.twin.texts))


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_session_goes_on_in_the_local_voice_when_the_service_fails(vendor: str) -> None:
    async with behind(vendor) as there:
        local = SteadyVoice(word_s=0.2)
        voice = BackedVoice(there.voice, local)
        async with playing(voice) as play:
            play.say("a", f"{CLAUSE}.")
            await until(lambda: bool(play.segments("a")))
            there.twin.down = True
            play.say("b", f"Again {CLAUSE}.")
            play.say("c", f"Critical {CLAUSE}.", Priority.CRITICAL)
            async with asyncio.timeout(30):
                await play.queue.idle()
        _assert_all_said_once(play, there, local)
        assert (voice.counts.first, voice.counts.stand_in) == (1, 2)
        assert seconds(last(play, "b").total) == pytest.approx(0.2 * 6, abs=0.01)


def _assert_all_said_once(play: Scene, there: Behind, local: SteadyVoice) -> None:
    for name in "abc":
        assert play.phases(name)[-1] == "spoken"
        assert heard_to_its_end(last(play, name))
    said = [*there.twin.texts, *(text for text, _ in local.asked)]
    assert sorted(said) == sorted({f"{CLAUSE}.", f"Again {CLAUSE}.", f"Critical {CLAUSE}."})
