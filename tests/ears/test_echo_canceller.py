"""Our own voice in the clinician's microphone: how the two are paired, and that WebRTC takes it out."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from numpy.typing import NDArray

from app.hearing import canceller_of
from infra.settings import Settings
from lab.ears.acoustics import leaked, response
from realtime.ears.echo_canceller import (
    AFTER_US_S,
    AT_ONCE,
    FRAME,
    FRAME_S,
    SETTLED,
    WAITING,
    CleanEars,
    EchoCanceller,
    HeardSink,
    Pairing,
)
from realtime.ears.model import EARS_RATE_HZ
from realtime.ears.webrtc import WebRtcProcessing

Sound = NDArray[np.int16]


def frame(level: int, size: int = FRAME) -> Sound:
    return np.full(size, level, np.int16)


class Paired:
    """`EchoProcessing` that notes the pairs it is given, and returns a frame that is marked."""

    def __init__(self) -> None:
        self.pairs: list[tuple[int, int]] = []
        self._ours: list[int] = []
        self.calls = 0

    def played(self, pcm: Sound, rate_hz: int) -> None:
        self.calls += 1
        assert not self._ours, "two calls for ours in a row"
        assert pcm.size in [pairs * rate_hz * FRAME_S for pairs in range(1, AT_ONCE + 1)]
        self._ours = pcm[:: round(rate_hz * FRAME_S)].tolist()

    def clean(self, pcm: Sound) -> Sound:
        assert pcm.size == len(self._ours) * FRAME, "as much of each side"
        self.pairs += zip(self._ours, pcm[::FRAME].tolist(), strict=True)
        self._ours = []
        return pcm + 1


class Heard:
    """Ears that keep what they are fed."""

    silent_s = 0.0

    def __init__(self) -> None:
        self.fed: list[Sound] = []
        self.ends = 0

    def feed(self, pcm: Sound) -> None:
        self.fed.append(pcm)

    def track_ended(self) -> None:
        self.ends += 1

    async def run(self) -> None:
        """Nothing is to do."""


def test_frames_are_paired_in_their_order() -> None:
    processing = Paired()
    canceller = EchoCanceller(processing, EARS_RATE_HZ)
    for number in (10, 20, 30):
        canceller.said(frame(number))
        assert canceller.clean(frame(number + 5)).tolist() == frame(number + 6).tolist()
    assert processing.pairs == [(10, 15), (20, 25), (30, 35)]
    assert canceller.slips == 0


def test_sound_of_any_length_is_cut_into_frames() -> None:
    processing = Paired()
    canceller = EchoCanceller(processing, 48_000)
    canceller.said(frame(7, 500))  # one frame of 480 and a rest
    assert canceller.clean(frame(9, 100)).size == 0
    assert canceller.clean(frame(9, 100)).size == FRAME
    canceller.said(frame(7, 460))
    assert canceller.clean(frame(9, 120)).size == FRAME
    assert processing.pairs == [(7, 9), (7, 9)]


def test_while_we_are_silent_the_microphone_is_passed_on_as_it_is() -> None:
    processing = Paired()
    canceller = EchoCanceller(processing, EARS_RATE_HZ)
    canceller.said(frame(0))
    assert canceller.clean(frame(40)).tolist() == frame(40).tolist()
    canceller.said(frame(50))
    assert canceller.clean(frame(40)).tolist() == frame(41).tolist()
    after = round(AFTER_US_S / FRAME_S)
    for _ in range(after):
        canceller.said(frame(0))
        canceller.clean(frame(40))
    assert len(processing.pairs) == after  # the echo of what we said still comes
    assert canceller.clean(frame(40)).tolist() == frame(40).tolist()


def test_a_microphone_that_gives_nothing_still_does() -> None:
    canceller = EchoCanceller(Paired(), EARS_RATE_HZ)
    canceller.said(frame(50))
    assert not canceller.clean(frame(0)).any()


def test_what_always_waits_is_dropped_and_the_pairs_are_as_before() -> None:
    pairing = Pairing()
    for number in range(WAITING + 5):  # the microphone was late
        pairing.add(frame(number))
    assert pairing.dropped == 5
    for number in range(SETTLED + 10):
        pairing.take()
        pairing.add(frame(number))
    assert pairing.dropped == 5 + WAITING - 2
    taken = pairing.take()
    assert taken is not None and int(taken[0]) == SETTLED + 9 - 1  # one waits: the last but one comes now


def test_a_frame_of_ours_that_has_not_come_counts_as_silence() -> None:
    processing = Paired()
    canceller = EchoCanceller(processing, EARS_RATE_HZ)
    canceller.said(frame(50))
    canceller.clean(frame(1, 2 * FRAME))
    assert processing.pairs == [(50, 1), (0, 1)]
    assert canceller.slips == 1


def test_two_pairs_are_processed_by_one_call() -> None:
    processing = Paired()
    canceller = EchoCanceller(processing, EARS_RATE_HZ)
    for number in (10, 20, 30):
        canceller.said(frame(number))
    sound = np.concatenate([frame(40), frame(0), frame(60)])
    clean = canceller.clean(sound)
    assert processing.pairs == [(10, 40), (20, 0), (30, 60)]
    assert clean[::FRAME].tolist() == [41, 0, 61]  # digital silence stays what it is
    assert processing.calls == 2


def test_ears_get_the_clean_sound_and_the_room_gets_ours(virtual: asyncio.Runner) -> None:
    class Room:
        queued_s = 0.03

        def __init__(self) -> None:
            self.written: list[Sound] = []

        async def write(self, pcm: Sound) -> None:
            self.written.append(pcm)

    room, heard = Room(), Heard()
    canceller = EchoCanceller(Paired(), EARS_RATE_HZ)
    sink, ears = HeardSink(room, canceller), CleanEars(heard, canceller)
    virtual.run(sink.write(frame(50)))
    ears.feed(frame(3, FRAME + 10))
    ears.track_ended()
    ears.feed(frame(8))  # of the next track: nothing of the last one is before it
    assert sink.queued_s == 0.03
    assert [each.tolist() for each in room.written] == [frame(50).tolist()]
    assert [each.tolist() for each in heard.fed] == [frame(4).tolist(), frame(9).tolist()]
    assert heard.ends == 1


@pytest.mark.parametrize("leak_db", [-10.0, -20.0])
def test_webrtc_takes_our_voice_out(leak_db: float) -> None:
    ours = syllables(8.0)
    microphone = leaked(ours, response(3), delay_s=0.25, dbfs=-22 + leak_db).astype(np.int16)
    canceller = EchoCanceller(WebRtcProcessing(EARS_RATE_HZ), EARS_RATE_HZ)
    clean = through(canceller, microphone, ours)
    late = slice(4 * EARS_RATE_HZ, None)
    assert power(clean[late]) < power(microphone[late]) - 20.0  # dB


@pytest.mark.parametrize("after_s", [0.2, 2.0, 5.0])
def test_who_talks_over_our_first_words_is_heard(after_s: float) -> None:
    """With a headset: nothing of ours is in the microphone, and WebRTC has met no echo yet."""
    ours, said = syllables(8.0), syllables(1.0, seed=6)
    spoken = slice(start := round(after_s * EARS_RATE_HZ), start + said.size)
    microphone = (np.random.default_rng(1).normal(size=ours.size) * 10).astype(np.int16)
    microphone[spoken] += said
    canceller = EchoCanceller(WebRtcProcessing(EARS_RATE_HZ), EARS_RATE_HZ)
    clean = through(canceller, microphone, ours)
    assert power(clean[spoken]) > power(microphone[spoken]) - 3.0  # dB; 6 to 30 are lost without practice


def test_it_is_on_unless_the_operator_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    assert canceller_of(Settings(_env_file=None)) is not None
    monkeypatch.setenv("EXAIM_EARS_ECHO", "none")
    assert canceller_of(Settings(_env_file=None)) is None


def syllables(lasts_s: float, seed: int = 5) -> Sound:
    """Return noise that comes and goes four times a second, as speech does."""
    rng = np.random.default_rng(seed)
    count = round(lasts_s * EARS_RATE_HZ)
    swell = np.clip(np.sin(2 * np.pi * 4 * np.arange(count) / EARS_RATE_HZ), 0.0, 1.0)
    return np.asarray(rng.normal(size=count) * 1500 * swell, np.int16)


def through(canceller: EchoCanceller, microphone: Sound, ours: Sound) -> Sound:
    parts = []
    for at in range(0, len(microphone), FRAME):
        canceller.said(ours[at : at + FRAME])
        parts.append(canceller.clean(microphone[at : at + FRAME]))
    return np.concatenate(parts)


def power(pcm: Sound) -> float:
    return float(10 * np.log10((pcm.astype(np.float64) ** 2).mean() + 1e-9))
