from __future__ import annotations

import asyncio

import numpy as np
import pytest

from realtime.listener.listening import ListenedSink, Listening
from realtime.listener.presence import ClientPresence
from realtime.protocol import ClockBody, ClockKind
from realtime.room.positions import RATE_HZ, ListenerClock
from tests.realtime.making import beat
from tts_queue.testing import RecordingSink

ME = "clinician-s-1"


def payload(seq: int, position: int | None, onset: int | None = None) -> bytes:
    return beat(seq, position, onset).model_dump_json().encode()


def test_strangers_neither_join_nor_leave_nor_beat() -> None:
    listening = Listening(ME)
    listening.joined("somebody", 0.0)
    assert listening.listener is ClientPresence.ABSENT
    listening.joined(ME, 0.0)
    listening.left("somebody")
    assert listening.beat("somebody", payload(1, 5), sent=RATE_HZ, now_s=1.0) is None
    assert listening.tick(sent=RATE_HZ, speaking=False, now_s=3.0) is not None, "it is a stock client still"


def test_a_bad_beat_is_counted_and_is_no_sign_of_life() -> None:
    listening = Listening(ME)
    listening.joined(ME, 0.0)
    listening.ready(0.0)
    assert listening.beat(ME, b"{}", sent=0, now_s=2.9) is None
    assert listening.bad_beats == 1
    listening.tick(sent=0, speaking=False, now_s=3.0)
    assert listening.listener is ClientPresence.LOST


def test_a_stock_client_has_played_what_was_sent_150_ms_ago() -> None:
    listening = Listening(ME)
    listening.joined(ME, 0.0)
    assert listening.tick(sent=RATE_HZ, speaking=False, now_s=2.9) is None
    assert listening.tick(sent=3 * RATE_HZ, speaking=False, now_s=3.0) == 3 * RATE_HZ - RATE_HZ * 15 // 100


def test_the_constant_of_the_listeners_clock_is_told_once_and_again_after_a_rejoin() -> None:
    listening = Listening(ME)
    listening.joined(ME, 0.0)
    sink_clock = listening.clock
    assert isinstance(sink_clock, ListenerClock)
    assert listening.new_clock() is None
    for joined_at_s in (0.0, 10.0):
        listening.joined(ME, joined_at_s)
        asyncio.run(_one_word(listening, joined_at_s))
        position = 500 if joined_at_s == 0.0 else 7500
        listening.beat(ME, payload(1, position, position), sent=RATE_HZ, now_s=joined_at_s + 0.2)
        assert listening.new_clock() == ClockBody(clock=ClockKind.RTP, zero=position)
        assert listening.new_clock() is None


async def _one_word(listening: Listening, now_s: float) -> None:
    sink = ListenedSink(RecordingSink(), listening.clock, lambda: now_s)
    await sink.write(np.full(480, 9000, np.int16))


def test_frames_are_passed_on_and_the_beginning_of_sound_is_noted(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        clock, recording = ListenerClock(), RecordingSink()
        sink = ListenedSink(recording, clock, asyncio.get_running_loop().time)
        frames = [np.zeros(480, np.int16)] * 50 + [np.full(480, 9000, np.int16)] * 10
        for frame in frames:
            await sink.write(frame)
        assert len(recording.pcm) == 60 * 480
        assert sink.queued_s == pytest.approx(recording.queued_s)
        heard_s = 0.5 + 0.1
        clock.played(beat(1, 77 + 24_000, 77 + 24_000), sent=30_000, now_s=heard_s)
        assert clock.zero == 77, "sound began at sample 24,000, after half a second of silence"

    virtual.run(scene())


def lost() -> Listening:
    """A listener that was ready, beat up to 40, and is lost since second 6."""
    listening = Listening(ME)
    listening.joined(ME, 0.0)
    listening.ready(0.0)
    for seq in range(1, 41):
        listening.beat(ME, payload(seq, seq), sent=RATE_HZ, now_s=seq * 0.1)
    listening.tick(sent=RATE_HZ, speaking=True, now_s=5.0)
    listening.tick(sent=RATE_HZ, speaking=True, now_s=6.6)
    assert listening.listener is ClientPresence.LOST
    return listening


def test_a_lost_listener_is_back_with_its_next_beat() -> None:
    listening = lost()
    listening.beat(ME, payload(41, 41), sent=RATE_HZ, now_s=8.0)
    assert listening.listener is ClientPresence.READY


def test_beats_that_count_anew_are_of_another_connection_and_bring_nobody_back() -> None:
    listening = lost()
    listening.beat(ME, payload(1, None), sent=RATE_HZ, now_s=8.0)
    listening.beat(ME, payload(2, 5), sent=RATE_HZ, now_s=8.1)
    states = [listening.listener]
    listening.joined(ME, 8.2)
    states.append(listening.listener)
    listening.ready(8.3)
    listening.beat(ME, payload(3, 6), sent=RATE_HZ, now_s=8.4)
    assert [*states, listening.listener] == [ClientPresence.LOST, ClientPresence.JOINED, ClientPresence.READY]


def test_beats_that_count_anew_without_news_of_another_are_the_lost_ones_after_a_while() -> None:
    listening = lost()
    for seq in range(1, 60):
        listening.beat(ME, payload(min(seq, 29), 5), sent=RATE_HZ, now_s=8.0 + 0.1 * seq)
    assert listening.listener is ClientPresence.READY
