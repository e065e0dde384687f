"""A voice with another behind it, on virtual time: who says a clause, and when the first is asked again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.tts_queue.scenes import playing, until
from tts_queue import Clip, Part, Priority, Prosody, Voice, VoiceFailed, VoiceUnavailable
from tts_queue.engines.stand_in import REST_FIRST_S, REST_MOST_S, URGENT_AFTER_S, BackedVoice
from tts_queue.ports import whole
from tts_queue.testing import Line, ScriptedVoice, SteadyVoice

PLAIN = Prosody()
DOWN = VoiceUnavailable("cloud", "no answer", away=True)
BAD_KEY = VoiceUnavailable("cloud", "the key is refused", retryable=False, away=True)
GONE = VoiceUnavailable("engines", "not there", away=True)
BAD_TEXT = VoiceUnavailable("cloud", "this text is refused", retryable=False)


class Moody:
    """Says anything, while no `error` is set; notes what it was asked for."""

    def __init__(self) -> None:
        self.error: VoiceUnavailable | None = None
        self.asked: list[str] = []

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        self.asked.append(text)
        await asyncio.sleep(0.1)
        if self.error is not None:
            raise self.error
        yield Part(np.zeros(480, np.int16), 480, (), "cloud")


async def engine_of(voice: BackedVoice, text: str = "a clause", *, urgent: bool = False) -> str:
    return (await whole(voice.parts(text, PLAIN, urgent=urgent))).engine


def test_a_clause_that_the_first_cannot_say_is_said_by_the_other_and_only_once(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        first, other = Moody(), SteadyVoice()
        voice = BackedVoice(first, other)
        assert await engine_of(voice, "one") == "cloud"
        first.error = DOWN
        assert await engine_of(voice, "two") == "scripted"
        assert first.asked == ["one", "two"]
        assert [text for text, _ in other.asked] == ["two"]
        assert (voice.counts.first, voice.counts.stand_in) == (1, 1)

    virtual.run(scene())


def test_the_first_is_left_alone_for_a_while_that_grows_up_to_a_minute(virtual: asyncio.Runner) -> None:
    async def scene() -> list[float]:
        first = Moody()
        first.error = DOWN
        voice, tries = BackedVoice(first, SteadyVoice()), list[float]()
        while len(tries) < 7:
            before = len(first.asked)
            await engine_of(voice)
            if len(first.asked) > before:
                tries.append(asyncio.get_running_loop().time())
            await asyncio.sleep(0.25)
        first.error = None
        await asyncio.sleep(REST_MOST_S)
        assert await engine_of(voice) == "cloud"
        first.error = DOWN
        await engine_of(voice)
        first.error = None
        await asyncio.sleep(REST_FIRST_S)
        assert await engine_of(voice) == "cloud"
        return tries

    tries = virtual.run(scene())
    rests = [later - earlier for earlier, later in pairwise(tries)]
    assert rests == pytest.approx([5, 10, 20, 40, 60, 60], abs=1.0)


def test_an_urgent_clause_does_not_wait_to_see_whether_the_first_is_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        first = Moody()
        voice = BackedVoice(first, SteadyVoice())
        assert await engine_of(voice, urgent=True) == "cloud"
        first.error = DOWN
        await engine_of(voice)
        await asyncio.sleep(REST_FIRST_S)
        assert await engine_of(voice, "critical", urgent=True) == "scripted"
        assert "critical" not in first.asked

    virtual.run(scene())


@pytest.mark.parametrize("urgent", [True, False])
def test_a_resting_voice_is_asked_where_the_other_cannot_speak(urgent: bool, virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        first, other = Moody(), Moody()
        voice = BackedVoice(first, other)
        first.error = DOWN
        await engine_of(voice)
        first.error, other.error = None, GONE
        assert await engine_of(voice, "critical", urgent=urgent) == "cloud"
        assert (other.asked[-1], first.asked[-1]) == ("critical", "critical")

    virtual.run(scene())


def test_a_clause_that_nobody_can_say_is_tried_once_by_each_and_ends_with_the_stand_ins_error(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        first, other = Moody(), Moody()
        voice = BackedVoice(first, other)
        first.error = DOWN
        await engine_of(voice)
        first.error, other.error = BAD_KEY, GONE
        for _ in range(2):
            with pytest.raises(VoiceUnavailable, match="engines"):
                await engine_of(voice, "critical", urgent=True)
        assert first.asked.count("critical") == 1, "given up, it is not asked again"
        assert other.asked.count("critical") == 2

    virtual.run(scene())


def test_a_refused_key_is_told_once_and_not_tried_again(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        first = Moody()
        first.error = BAD_KEY
        voice = BackedVoice(first, SteadyVoice())
        for _ in range(5):
            await engine_of(voice)
            await asyncio.sleep(REST_MOST_S)
        assert len(first.asked) == 1

    virtual.run(scene())
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.levelname for record in told] == ["ERROR"]
    assert "the key is refused" in told[0].message


def test_a_refused_text_says_nothing_of_the_next(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        first = Moody()
        first.error = BAD_TEXT
        voice = BackedVoice(first, SteadyVoice())
        assert await engine_of(voice) == "scripted"
        first.error = None
        assert await engine_of(voice) == "cloud"

    virtual.run(scene())


def test_neither_voice_there_is_the_stand_ins_error(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        first = Moody()
        first.error = DOWN
        other = ScriptedVoice(Line("a clause", fails="gone", away=True))
        with pytest.raises(VoiceUnavailable, match="scripted: gone"):
            await engine_of(BackedVoice(first, other))

    virtual.run(scene())


def test_what_broke_off_goes_on_at_its_word_in_the_other_voice(virtual: asyncio.Runner) -> None:
    text = "one two three four five six."
    first = ScriptedVoice(Line(text, lasts_s=3.0, parts=(1.2,), fails="broke off", fails_at=1))
    other = ScriptedVoice(Line("three four five six.", lasts_s=2.0))

    async def scene() -> None:
        async with playing(BackedVoice(first, other)) as play:
            play.say("a", text)
            await until(lambda: "spoken" in play.phases("a"))
            failures = [event for event in play.events if isinstance(event, VoiceFailed)]
            assert [failure.final for failure in failures] == [False]
            again = play.segments("a")[-1]
            assert [word.text for word in again.words] == ["three", "four", "five", "six."]

    virtual.run(scene())
    first.assert_finished()
    other.assert_finished()


class Silent:
    """Takes every clause and says it after `after_s`; notes what was taken back."""

    def __init__(self, after_s: float, engine: str = "slow") -> None:
        self._after_s, self._engine = after_s, engine
        self.taken_back: list[str] = []

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        try:
            await asyncio.sleep(self._after_s)
        except asyncio.CancelledError:
            self.taken_back.append(text)
            raise
        yield Part(np.zeros(480, np.int16), 480, (), self._engine)


@pytest.mark.parametrize(
    ("cloud_s", "here_s", "said_by", "after_s"),
    [
        (0.3, 0.1, "cloud", 0.3),
        (60.0, 0.1, "here", 0.5),
        (0.45, 0.1, "cloud", 0.45),
        (0.8, 0.5, "cloud", 0.8),
    ],
)
def test_an_urgent_clause_is_said_by_whoever_begins_first_once_the_first_was_silent(
    cloud_s: float, here_s: float, said_by: str, after_s: float, virtual: asyncio.Runner
) -> None:
    async def scene() -> None:
        cloud, here = Silent(cloud_s, "cloud"), Silent(here_s, "here")
        voice = BackedVoice(cloud, here)
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        assert await engine_of(voice, "an alarm", urgent=True) == said_by
        assert loop.time() - began_s == pytest.approx(after_s)
        overtaken = cloud if said_by == "here" else here
        asked_both = after_s > URGENT_AFTER_S
        assert overtaken.taken_back == (["an alarm"] if asked_both else [])
        assert voice.counts.first + voice.counts.stand_in == 1

    virtual.run(scene())


def test_a_voice_that_was_silent_in_an_alarm_rests_and_the_next_alarm_waits_for_nothing(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = BackedVoice(Silent(60.0), Silent(0.1, "here"))
        loop = asyncio.get_running_loop()
        assert await engine_of(voice, urgent=True) == "here"
        began_s = loop.time()
        assert await engine_of(voice, urgent=True) == "here"
        assert await engine_of(voice) == "here"
        assert loop.time() - began_s == pytest.approx(0.2)

    virtual.run(scene())


def test_an_alarm_that_neither_can_begin_ends_with_the_stand_ins_error(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        first, other = Moody(), Moody()
        first.error, other.error = DOWN, GONE
        with pytest.raises(VoiceUnavailable, match="engines"):
            await engine_of(BackedVoice(first, other), urgent=True)

    virtual.run(scene())


def test_behind_two_silent_services_an_alarm_is_heard_within_a_second(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        behind = BackedVoice(Silent(60.0), Silent(0.1, "here"), urgent_after_s=0.2)
        voice = BackedVoice(Silent(60.0), behind)
        began_s = asyncio.get_running_loop().time()
        assert await engine_of(voice, urgent=True) == "here"
        assert asyncio.get_running_loop().time() - began_s <= 1.0
        assert await engine_of(voice) == "here"

    virtual.run(scene())


class Named:
    """Another voice under a name of its own."""

    def __init__(self, voice: Voice, engine: str) -> None:
        self._voice, self._engine = voice, engine

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        async for part in self._voice.parts(text, prosody, urgent=urgent, ahead=ahead):
            yield replace(part, engine=self._engine)


def test_the_record_says_who_said_each_clause(virtual: asyncio.Runner) -> None:
    text = "Zero and one. One two three four five six. Seven eight."
    first = ScriptedVoice(
        Line("Zero and one.", lasts_s=1.2),
        Line("One two three four five six.", lasts_s=3.0, parts=(1.2,), fails="broke off", fails_at=1),
    )

    async def scene() -> None:
        async with playing(BackedVoice(Named(first, "cloud"), Named(SteadyVoice(), "here"))) as play:
            play.say("a", text)
            await until(lambda: "spoken" in play.phases("a"))
            marks = play.log.moves[-1].segments
            assert [mark.engines for mark in marks] == [("cloud",), ("cloud", "here"), ("here",)]

    virtual.run(scene())


def test_a_session_is_spoken_to_its_end_though_the_first_voice_fails_in_its_midst(
    virtual: asyncio.Runner,
) -> None:
    first = Moody()
    other = SteadyVoice()
    voice = BackedVoice(first, other)

    async def scene() -> None:
        async with playing(voice) as play:
            play.say("a", "First item.")
            await until(lambda: "spoken" in play.phases("a"))
            first.error = DOWN
            for name in ("b", "c"):
                play.say(name, f"Item {name}: more of it.")
            play.say("d", "Critical: something.", Priority.CRITICAL)
            await until(lambda: all("spoken" in play.phases(name) for name in "bcd"))
            assert not [event for event in play.events if isinstance(event, VoiceFailed)]
            assert play.order_spoken()[0] == "a"
            starts = [(event.utterance_id, event.index) for event in play.events_of_segments()]
            assert len(set(starts)) == len(starts)

    virtual.run(scene())
    said = [text for text, _ in other.asked]
    assert len(said) == len(set(said))
