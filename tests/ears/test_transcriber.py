"""A transcriber in the ears, on virtual time: whose text a turn gets when the network is well, slow or gone."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from realtime.ears import EagerTurn, EarEvent, Ears, EarsConfig, EarsFailed, TurnEnded
from realtime.ears.stream import LineLost, StreamConfig, StreamCounts, StreamTranscriber
from realtime.ears.testing import (
    Hear,
    ScriptedConnection,
    ScriptedLines,
    ScriptedRecogniser,
    ScriptedVad,
    quiet,
    voice,
)
from realtime.ears.transcript import RecognisedWord
from tests.ears.scenes import speak

END_S = EarsConfig().end_s
WITHIN_S = StreamConfig().within_s
PRE_ROLL_S = 0.288  # nine windows
QUESTION = RecognisedWord("What", 0.35, 0.6, 0.9), RecognisedWord("potassium?", 0.9, 1.7, 0.7)
GONE = LineLost("scripted")


@dataclass
class Scene:
    """Ears with a transcriber on scripted lines; `noted` is what they said and when (loop clock)."""

    recogniser: ScriptedRecogniser
    lines: ScriptedLines
    transcriber: StreamTranscriber = field(init=False)
    noted: list[tuple[float, EarEvent]] = field(default_factory=list)

    @property
    def ends(self) -> list[TurnEnded]:
        return [event for _, event in self.noted if isinstance(event, TurnEnded)]

    @property
    def texts(self) -> list[str]:
        return [end.text for end in self.ends]

    def at(self, kind: type[EarEvent]) -> list[float]:
        return [at_s for at_s, event in self.noted if isinstance(event, kind)]

    async def play(self, *sounds: NDArray[np.int16], then_s: float = 1.5) -> None:
        def note(event: EarEvent) -> None:
            self.noted.append((asyncio.get_running_loop().time(), event))

        self.transcriber = StreamTranscriber("scripted", self.lines.dial)
        ears = Ears(ScriptedVad(), self.recogniser, note, transcriber=self.transcriber)
        running = asyncio.create_task(ears.run())
        await speak(ears, *sounds)
        await asyncio.sleep(then_s)
        running.cancel()
        await asyncio.wait({running})
        if not running.cancelled() and (error := running.exception()) is not None:
            raise error
        self.recogniser.assert_finished()
        self.lines.assert_finished()


def played(
    virtual: asyncio.Runner, heard: list[Hear], legs: list[ScriptedConnection], *sounds: NDArray[np.int16]
) -> Scene:
    scene = Scene(ScriptedRecogniser(*heard), ScriptedLines(*legs))
    virtual.run(scene.play(*sounds))
    return scene


def later(words: tuple[RecognisedWord, ...], by_s: float) -> tuple[RecognisedWord, ...]:
    return tuple(
        RecognisedWord(word.text, word.start_s + by_s, word.end_s + by_s, word.confidence) for word in words
    )


def test_a_turn_ends_with_the_scribes_text_and_pauses_with_the_recognisers(virtual: asyncio.Runner) -> None:
    scene = played(
        virtual,
        [Hear("What pot ass e um?")],
        [ScriptedConnection(words=QUESTION)],
        quiet(0.5),
        voice(1.6),
        quiet(1),
    )
    assert [event.text for _, event in scene.noted if isinstance(event, EagerTurn)] == ["What pot ass e um?"]
    (end,) = scene.ends
    assert end.text == "What potassium?"
    assert (end.metadata.confidence, end.metadata.word_count) == (0.8, 2)
    assert scene.at(TurnEnded)[0] == pytest.approx(0.5 + 1.6 + END_S, abs=0.1), "it costs no time"
    assert scene.transcriber.counts.written == 1


def test_words_of_one_long_turn_of_the_service_are_told_apart_by_their_times(virtual: asyncio.Runner) -> None:
    # the first turn and the silence that ended it: 0.288 + 1.6 + 0.576 s, in frames of 80 ms
    words = (*QUESTION, *later(QUESTION, 2.48))
    sounds = quiet(0.5), voice(1.6), quiet(2.0), voice(1.6), quiet(1.0)
    scene = played(virtual, [Hear("one"), Hear("two")], [ScriptedConnection(words=words)], *sounds)
    assert scene.texts == ["What potassium?", "What potassium?"]


def test_nothing_is_sent_while_nobody_speaks_and_for_a_noise(virtual: asyncio.Runner) -> None:
    scene = played(virtual, [], [ScriptedConnection()], quiet(5.0), voice(0.064), quiet(5.0))
    assert scene.transcriber.counts == StreamCounts(legs=1)


def test_a_turn_that_paused_and_went_on_is_one_text(virtual: asyncio.Runner) -> None:
    words = RecognisedWord("Stop,", 0.35, 0.8, 1.0), RecognisedWord("please.", 1.6, 2.0, 1.0)
    sounds = quiet(0.5), voice(0.7), quiet(0.4), voice(0.7), quiet(1)
    scene = played(virtual, [Hear("Star"), Hear("Star peas")], [ScriptedConnection(words=words)], *sounds)
    assert scene.texts == ["Stop, please."]
    assert scene.ends[0].metadata.had_turn_resumed


def test_a_sure_word_of_the_closed_vocabulary_waits_for_nobody(virtual: asyncio.Runner) -> None:
    heard = Hear("Stop.", word="stop", word_confidence=0.9)
    scene = played(
        virtual,
        [heard],
        [ScriptedConnection(words=(RecognisedWord("Shop.", 0.35, 0.7, 1.0),), takes_s=0.7)],
        voice(0.5),
        quiet(1),
    )
    assert scene.texts == ["Stop."]
    assert scene.at(TurnEnded)[0] == pytest.approx(0.5 + END_S, abs=0.06)


def test_it_stays_the_vocabularys_when_the_scribe_was_the_first(virtual: asyncio.Runner) -> None:
    heard = Hear("Stop.", word="stop", word_confidence=0.9, takes_s=0.8)
    scene = played(
        virtual,
        [heard],
        [ScriptedConnection(words=(RecognisedWord("Shop.", 0.35, 0.7, 1.0),))],
        voice(0.5),
        quiet(1),
    )
    assert scene.texts == ["Stop."]
    assert scene.transcriber.counts.written == 1


def test_a_text_that_is_late_is_the_recognisers_and_the_line_is_given_up(virtual: asyncio.Runner) -> None:
    sounds = quiet(0.5), voice(1.6), quiet(3.0), voice(1.6), quiet(1.0)
    legs = [ScriptedConnection(words=QUESTION, mute=True), ScriptedConnection(words=QUESTION)]
    scene = played(virtual, [Hear("one"), Hear("two")], legs, *sounds)
    assert scene.texts == ["one", "What potassium?"]
    assert scene.at(TurnEnded)[0] == pytest.approx(2.1 + END_S + WITHIN_S, abs=0.1)
    assert (scene.transcriber.counts.late, scene.transcriber.counts.legs) == (1, 2)


def test_a_line_that_is_lost_in_a_turn_leaves_that_turn_to_the_recogniser(virtual: asyncio.Runner) -> None:
    sounds = quiet(0.5), voice(1.6), quiet(3.0), voice(1.6), quiet(1.0)
    legs = [ScriptedConnection(words=QUESTION, drops_at_s=1.0), ScriptedConnection(words=QUESTION)]
    scene = played(virtual, [Hear("one"), Hear("two")], legs, *sounds)
    assert scene.texts == ["one", "What potassium?"]
    assert scene.at(TurnEnded)[0] == pytest.approx(2.1 + END_S, abs=0.1), "what is lost is not waited for"
    assert len(scene.lines.dialled_s) == 2, "and no line is asked for before somebody speaks"


def test_a_line_that_is_lost_while_a_text_is_awaited_ends_the_wait(virtual: asyncio.Runner) -> None:
    legs = [ScriptedConnection(words=QUESTION, mute=True, drops_at_s=2.4, takes_s=0.3)]
    scene = played(virtual, [Hear("one")], legs, quiet(0.5), voice(1.6), quiet(1.0))
    assert scene.texts == ["one"]
    assert scene.at(TurnEnded)[0] == pytest.approx(2.1 + END_S + 0.3, abs=0.1)
    assert (scene.transcriber.counts.lost, scene.transcriber.counts.late) == (1, 0)


def test_a_scribe_that_heard_nothing_leaves_the_turn_to_the_recogniser(virtual: asyncio.Runner) -> None:
    scene = played(
        virtual, [Hear("Why is that so?")], [ScriptedConnection()], quiet(0.5), voice(1.6), quiet(1)
    )
    assert scene.texts == ["Why is that so?"]
    assert scene.transcriber.counts.empty == 1


def test_a_refused_key_is_told_once_and_the_session_goes_on_alone(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    legs = [ScriptedConnection(refuses=LineLost("refused with status 401", lasting=True))]
    with caplog.at_level(logging.WARNING):
        sounds = quiet(0.5), voice(1.6), quiet(3.0), voice(1.6), quiet(1.0)
        scene = played(virtual, [Hear("one"), Hear("two")], legs, *sounds)
    assert scene.texts == ["one", "two"]
    assert scene.at(TurnEnded) == pytest.approx([2.1 + END_S, 6.7 + END_S], abs=0.1)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "this machine" in caplog.text


def test_sound_that_waits_for_a_line_is_bounded(virtual: asyncio.Runner) -> None:
    async def outage() -> tuple[int, list[str]]:
        scene = Scene(ScriptedRecogniser(Hear("all of it")), ScriptedLines(ScriptedConnection(opens_s=60.0)))
        playing = asyncio.create_task(scene.play(quiet(0.5), voice(15.0), quiet(1.0)))
        most = 0
        while not playing.done():
            await asyncio.sleep(0.1)
            leg = scene.transcriber._leg
            most = max(most, len(leg.frames) if leg else 0)
        await playing
        return most, scene.texts

    most, texts = virtual.run(outage())
    assert most <= 26, "two seconds in frames of 80 ms, and one"
    assert texts == ["all of it"]


def test_a_service_that_is_down_is_asked_less_and_less_often(virtual: asyncio.Runner) -> None:
    turns = 40
    sounds = [sound for _ in range(turns) for sound in (voice(0.7), quiet(1.5))]
    scene = Scene(
        ScriptedRecogniser(*[Hear("yes")] * turns),
        ScriptedLines(*[ScriptedConnection(refuses=GONE) for _ in range(8)]),
    )
    virtual.run(scene.play(*sounds))
    gaps = [round(gap) for gap in np.diff(scene.lines.dialled_s)]
    assert gaps == sorted(gaps)
    assert StreamConfig().pause_most_s <= gaps[-1] <= StreamConfig().pause_most_s + 2
    assert scene.texts == ["yes"] * turns
    assert scene.transcriber.counts.lost == turns


def test_without_a_recogniser_the_scribes_text_is_still_understood(virtual: asyncio.Runner) -> None:
    scene = played(
        virtual, [Hear(fails="busy")], [ScriptedConnection(words=QUESTION)], quiet(0.5), voice(1.6), quiet(1)
    )
    (end,) = scene.ends
    assert (end.text, end.metadata.trigger) == ("What potassium?", "silence")
    assert scene.at(EarsFailed)


def test_a_track_that_ends_in_a_word_has_silence_put_behind_it(virtual: asyncio.Runner) -> None:
    async def cut_off() -> Scene:
        scene = Scene(ScriptedRecogniser(Hear("one")), ScriptedLines(ScriptedConnection(words=QUESTION)))
        await scene.play(quiet(0.5), voice(1.6), then_s=2.5)
        return scene

    scene = virtual.run(cut_off())
    assert scene.texts == ["What potassium?"]
    assert scene.lines.lines[0].samples / 16_000 >= PRE_ROLL_S + 1.6 + StreamConfig().tail_s - 0.032
