"""The listener's pace and loudness: how they compose, and from where on they are heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import pairwise, product

import pytest

from tests.tts_queue.scenes import WORD_S, Scene, playing, seconds, until
from tests.tts_queue.test_playout import buffer_of
from tts_queue import SAMPLE_RATE_HZ, Dial, HoldCause, Part, Priority, Prosody, Utterance, VoiceUnavailable
from tts_queue.ear import segments
from tts_queue.playout import Pauses, PlayoutBuffer
from tts_queue.prosody import BY_KIND, LATE, RATES, ROUTINE, USUAL, VOLUMES_DB, prosody_for, sounding
from tts_queue.testing import SteadyVoice, even_clip, in_parts

SLOWER, FASTER, LOUDER = USUAL.turned(rate=-1), USUAL.turned(rate=1), USUAL.turned(volume=1)
SIX = "Words that all last as long"
TEXT = f"{SIX}. {SIX}. {SIX}."


class PacedVoice(SteadyVoice):
    """Says each word in as many parts as asked, in a time that follows the rate."""

    def __init__(self, *, takes_s: float = 0.05, parts: tuple[float, ...] = ()) -> None:
        super().__init__()
        self._made_in_s, self._cut = takes_s, parts

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        self.asked.append((text, prosody))
        clip = even_clip(
            text, WORD_S / prosody.rate * len(text.split()), round(1000 + 100 * prosody.volume_db)
        )
        for part in in_parts(clip, self._cut):
            await asyncio.sleep(self._made_in_s)
            yield part


def summary(*, late: bool = False) -> Utterance:
    return Utterance(
        "item", TEXT, Priority.SUMMARY, "finding", prosody=ROUTINE, lag_from_s=0.0 if late else None
    )


async def held_and_turned(play: Scene, cause: HoldCause, held_s: float, dial: Dial) -> None:
    """Hold the item inside its second clause, turn the dial before it goes on, and play it to its end."""
    play.queue.offer(summary())
    await until(lambda: len(play.segments("item")) == 2)
    await asyncio.sleep(1.0)
    play.queue.hold(cause)
    await asyncio.sleep(held_s)
    play.queue.set_dial(dial)
    play.queue.release(cause)
    await play.queue.idle()
    assert play.phases("item")[-1] == "spoken"


def lengths(play: Scene, uid: str = "item") -> list[float]:
    """Return how long each clause lasts as it was told when it began, in seconds."""
    whole: dict[int, int] = {}
    for event in play.segments(uid):
        whole[event.index] = max(event.samples, whole.get(event.index, 0))
    return [round(seconds(whole[index]), 2) for index in sorted(whole)]


USUAL_S, SLOWER_S = 2.4, round(2.4 / 0.9, 2)

# --- values


def test_the_dial_turns_by_steps_and_stays_at_its_bounds() -> None:
    dial, rates = USUAL, []
    for _ in range(3):
        dial = dial.turned(rate=-1)
        rates.append(dial.rate)
    assert rates == [0.9, 0.8, 0.8]
    assert dial.turned(rate=1).turned(rate=1) == USUAL
    assert USUAL.turned(rate=9, volume=9) == Dial(RATES[1], VOLUMES_DB[1])
    assert [USUAL.turned(volume=n).volume_db for n in (-3, -2, -1, 1)] == [-6.0, -6.0, -3.0, 3.0]


def test_it_comes_on_top_of_what_the_kind_asks_for() -> None:
    alarm = replace(summary(), prosody=prosody_for("critical"))
    made = sounding(alarm, 0.0, Dial(0.8, -3.0))
    assert made == replace(alarm.prosody, rate=0.736, volume_db=0.0)


def test_no_dial_asks_an_engine_for_what_it_would_bend_or_refuse() -> None:
    for prosody, rate, volume in product([ROUTINE, *BY_KIND.values()], RATES, VOLUMES_DB):
        made = sounding(replace(summary(late=True), prosody=prosody), 99.0, Dial(rate, volume))
        assert 0.7 <= made.rate <= 1.5, "Deepgram's, the narrowest"
        assert made.volume_db <= 10.0, "beyond it Google gets no louder"


@pytest.mark.parametrize(
    ("rate", "late"), [(0.8, 0.8), (0.9, 0.9), (1.0, LATE[-1][1]), (1.1, 1.12), (1.2, 1.2)]
)
def test_who_asked_for_slower_is_never_hurried_and_who_asked_for_faster_not_twice(
    rate: float, late: float
) -> None:
    assert sounding(summary(late=True), 99.0, Dial(rate)).rate == late


# --- in the queue


def test_the_clause_that_sounds_keeps_its_pace_and_what_was_made_ahead_is_not_played(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = PacedVoice()
        async with playing(voice) as play:
            play.queue.offer(summary())
            play.say("next", f"{SIX}.", prosody=ROUTINE)
            await until(lambda: len(voice.asked) == 4)
            await asyncio.sleep(0.5)
            assert {prosody.rate for _, prosody in voice.asked} == {1.0}, "all of it is made ahead"
            play.queue.set_dial(SLOWER)
            await play.queue.idle()
            assert lengths(play) == [USUAL_S, SLOWER_S, SLOWER_S]
            assert lengths(play, "next") == [SLOWER_S]
            assert play.queue.snapshot().longest_gap_s < 0.01

    virtual.run(scene())


def test_positions_words_and_the_ledger_are_those_of_the_sound_that_was_made(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(PacedVoice()) as play:
            play.queue.offer(summary())
            await until(lambda: bool(play.segments("item")))
            await asyncio.sleep(1.0)
            play.queue.set_dial(SLOWER)
            await play.queue.idle()
            told = play.segments("item")
            words = [word for event in told for word in event.words]
            assert [word.text for word in words] == TEXT.split()
            assert all(one.end_sample <= other.start_sample for one, other in pairwise(words))
            last = play.moves("item")[-1]
            assert [(m.start_sample, m.samples) for m in last.segments] == [
                (e.start_sample, e.samples) for e in told
            ]
            assert seconds(last.total) == pytest.approx(USUAL_S + 2 * 2.4 / 0.9 + 2 * 0.3, abs=0.001)
            assert last.sent == last.total
            for event in told:
                assert any(
                    start <= event.start_sample and event.start_sample + event.samples <= end
                    for start, end in play.sink.sounding()
                ), "each clause sounds where it was told to"

    virtual.run(scene())


def test_a_clause_under_way_in_parts_is_begun_anew_and_never_mixed(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = PacedVoice(takes_s=0.3, parts=(0.4, 0.4, 0.4))
        async with playing(voice) as play:
            play.queue.offer(summary())
            await until(lambda: len(voice.asked) == 2)
            await asyncio.sleep(0.5)  # one part of the second clause is here
            play.queue.set_dial(Dial(0.8, 3.0))
            await play.queue.idle()
            assert lengths(play) == [USUAL_S, 3.0, 3.0]
            asked = [(prosody.rate, prosody.volume_db) for _, prosody in voice.asked]
            assert asked == [(1.0, 0.0), (1.0, 0.0), (0.8, 3.0), (0.8, 3.0)]

    virtual.run(scene())


def test_held_inside_a_clause_it_goes_on_from_its_word_at_its_pace(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(PacedVoice()) as play:
            await held_and_turned(play, HoldCause.VOICE, 0.5, FASTER)
            assert lengths(play) == [USUAL_S, USUAL_S, round(2.4 / 1.1, 2)]
            again = [event for event in play.segments("item") if event.index == 1]
            assert [len(event.words) for event in again] == [6, 4]

    virtual.run(scene())


def test_what_nobody_heard_is_said_from_its_clause_on_at_the_new_pace(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(PacedVoice()) as play:
            await held_and_turned(play, HoldCause.LISTENER, 5.0, SLOWER)
            clauses = [(event.index, round(seconds(event.samples), 2)) for event in play.segments("item")]
            assert clauses == [(0, USUAL_S), (1, USUAL_S), (1, SLOWER_S), (2, SLOWER_S)]

    virtual.run(scene())


def test_loudness_is_of_the_made_sound_too(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(PacedVoice()) as play:
            play.queue.offer(summary())
            await until(lambda: bool(play.segments("item")))
            play.queue.set_dial(LOUDER)
            await play.queue.idle()
            at = [event.start_sample + SAMPLE_RATE_HZ for event in play.segments("item")]
            assert [int(play.sink.pcm[sample]) for sample in at] == [1000, 1300, 1300]

    virtual.run(scene())


def test_a_dial_that_stays_where_it_is_makes_nothing_anew(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = PacedVoice()
        async with playing(voice) as play:
            play.queue.offer(summary())
            await until(lambda: bool(play.segments("item")))
            play.queue.set_dial(USUAL)
            await play.queue.idle()
            assert len(voice.asked) == 3

    virtual.run(scene())


def test_an_alarm_that_was_ready_is_made_anew_and_told(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = PacedVoice()
        async with playing(voice) as play:
            play.queue.hold(HoldCause.USER)
            play.say("alarm", f"{SIX}.", Priority.CRITICAL, prosody=prosody_for("critical"))
            await asyncio.sleep(1.0)
            play.queue.set_dial(SLOWER)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert [prosody.rate for _, prosody in voice.asked] == [0.92, 0.828]
            assert play.phases("alarm")[-1] == "spoken"

    virtual.run(scene())


def test_a_clause_that_fails_while_what_is_before_it_is_dropped_takes_no_other_ones_place(
    virtual: asyncio.Runner,
) -> None:
    class FailsOnce(PacedVoice):
        async def parts(
            self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
        ) -> AsyncGenerator[Part, None]:
            if "Third" in text and prosody.rate == 1.0:
                await asyncio.sleep(0.6)
                raise VoiceUnavailable("scripted", "broke off")
            async for part in super().parts(text, prosody, urgent=urgent, ahead=ahead):
                yield part

    async def scene() -> None:
        voice = FailsOnce()
        async with playing(voice) as play:
            play.queue.offer(replace(summary(), text="First of all words here. Second of all. Third of all."))
            await until(lambda: len(voice.asked) == 2)
            await asyncio.sleep(0.2)
            play.queue.set_dial(SLOWER)
            await play.queue.idle()
            assert [event.text.split()[0] for event in play.segments("item")] == ["First", "Second", "Third"]
            assert [text.split()[0] for text, p in voice.asked if p.rate < 1] == [
                "Second",
                "Third",
            ]
            assert play.phases("item")[-1] == "spoken"

    virtual.run(scene())


# --- the sound of one utterance


def test_what_was_read_of_a_dropped_clause_counts_no_more() -> None:
    buffer = buffer_of("One two three. Four five six.")
    session = 0
    while buffer.at < 80_000 and (piece := buffer.read(480)) is not None:
        buffer.wrote(piece, session)
        session += len(piece.pcm)
    assert len(buffer.marks) == 2
    buffer.go_back_to(40_000)
    buffer.make_anew()
    assert buffer.missing == len(buffer.marks) == 1
    assert buffer.content_at(session) == buffer.total


def test_a_clause_made_anew_has_no_seam_of_the_sound_before() -> None:
    buffer = PlayoutBuffer(segments("One two three. Four five six."), Pauses())
    first, second = (in_parts(even_clip(each.spoken, 1.0), (0.5,)) for each in buffer.plan)
    for part in (*first, second[0]):
        buffer.add(part)
    buffer.read(24_000)
    buffer.broke_off()
    buffer.make_anew()
    for part in second:
        buffer.add(part)
    begins = [piece.content_start for piece in iter(lambda: buffer.read(480), None) if piece.first]
    assert begins == [buffer.total - 48_000]
