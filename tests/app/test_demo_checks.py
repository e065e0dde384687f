"""The demo's checks on a story made of numbers: all pass on a good one, and each fails by name."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from infra.ledger import LedgerEntry
from lab.demo import report, script, vtt
from lab.demo.account import account, spoken_stretches
from lab.demo.acts import Outcome, Spoke
from lab.demo.checks import Check, checks
from lab.demo.facts import Facts, Gap, Told
from lab.demo.hearing import FOUND, RATE_HZ, Pcm
from lab.demo.judging import Judged, judge
from lab.demo.listener import Received
from lab.demo.parts import Part
from lab.demo.runs import runs
from tests.app.demo_scene import segment
from tests.app.test_demo_account import update
from tests.app.test_demo_judging import speech
from tts_queue import Move, Phase, Priority, Utterance
from tts_queue.model import SegmentMark

BEGAN_S = 100.0  # when sample 0 of the session was heard
KILLED, BACK, ENDS = 29.3, 38.0, 50.0  # seconds of the session
TEXT = ("Doctor", "One", "differs", "on", "this")
WORD_S = 0.5
KINDS = {"g": "greeting", "c": "critical", "answer-1": "answer", "w": "welcome", "e": "closing"}
ITEMS = {"a": "u-1.1", "b": "u-1.2", "c": "u-1.3", "d": "u-1.4", "e": "u-1.5"}


@dataclass
class Story:
    """What sounds when (seconds of the session), clause by clause, and what the clinician did."""

    clauses: list[tuple[str, float, float, int]] = field(
        default_factory=lambda: [  # of, from, to, and the first of its five words
            ("g", 1.0, 3.5, 0),
            ("a", 4.0, 5.0, 0),  # broken by the hum
            ("a", 6.0, 7.5, 2),
            ("b", 8.0, 9.0, 0),  # broken by "stop"
            ("b", 15.0, 16.5, 2),
            ("c", 17.0, 19.5, 0),
            ("answer-1", 23.0, 25.5, 0),
            ("d", 28.0, 30.5, 0),  # the client is killed in it
            ("w", 40.0, 42.5, 0),
            ("d", 43.0, 45.5, 0),
            ("e", 46.0, 48.5, 0),
        ]
    )
    said: dict[str, tuple[float, float]] = field(
        default_factory=lambda: {
            "mm-hm": (4.6, 5.2),
            "stop": (8.5, 8.9),
            "go-on": (14.0, 14.5),
            "question": (20.5, 21.6),
        }
    )
    held_after_s: float | None = 1.2
    updates: tuple[int, int] = (1, 3)
    hum_effect: str = "go_on"

    def facts(self) -> tuple[Facts, Pcm]:
        sent = np.zeros(round(ENDS * RATE_HZ), np.int16)
        sound = speech(ENDS)
        for _, start, end, _ in self.clauses:
            sent[round(start * RATE_HZ) : round(end * RATE_HZ)] = sound[
                round(start * RATE_HZ) : round(end * RATE_HZ)
            ]
        first = Part(
            BEGAN_S, sent[: round(KILLED * RATE_HZ)], self._messages(0.0, KILLED), tuple(self._outcomes())
        )
        second = Part(BEGAN_S + BACK, sent[round(BACK * RATE_HZ) :], self._messages(BACK, ENDS))
        gap = Gap(BEGAN_S + KILLED, "u-1.4", 0, self.held_after_s, BEGAN_S + BACK, *self.updates)
        told = Told({"u-1": update(1, 5)}, tuple(self._entries()))
        return Facts("case", "s", (first, second), gap, told), sent

    def uid(self, name: str) -> str:
        return ITEMS.get(name, name)

    def _messages(self, from_s: float, to_s: float) -> tuple[Received, ...]:
        bodies: list[tuple[float, str, dict[str, Any]]] = [(from_s, "snapshot", {"utterances": []})]
        bodies.append((from_s, "update", {"update_id": "u-1"}))
        for name, start, end, word in self.clauses:
            if not from_s <= start < to_s:
                continue
            planned = [(t, round(n * WORD_S * RATE_HZ)) for n, t in enumerate(TEXT[word:])]
            words = tuple((text, at, at + round(WORD_S * RATE_HZ)) for text, at in planned)
            samples = len(words) * round(WORD_S * RATE_HZ)
            bodies.append(
                (start, "segment", segment(self.uid(name), 0, round(start * RATE_HZ), samples, words))
            )
            priority = "critical" if name in "cw" else "summary"
            body = {"utterance_id": self.uid(name), "kind": KINDS.get(name, "finding"), "priority": priority}
            bodies.append(
                (end, "utterance", body | {"text": " ".join(TEXT), "phase": "spoken", "cause": None})
            )
        for name, (start, end) in self.said.items():
            if from_s <= start < to_s:
                effect = self.hum_effect if name == "mm-hm" else "quiet"
                turn = {"turn_id": name, "phase": "decided", "via": "voice", "text": name, "effect": effect}
                bodies.append((end + 0.3, "turn", turn | {"kind": "k", "why": "ack_words"}))
        if from_s == 0.0:
            answer = {"turn_id": "question", "utterance_id": "answer-1", "question": "What?", "found": True}
            sentences = [{"text": "It is 6.9.", "source": "case paper"}]
            bodies.append((22.8, "answer", answer | {"sentences": sentences}))
        bodies.sort(key=lambda each: each[0])
        return tuple(
            Received(kind, seq, BEGAN_S + at_s, 0, body)
            for seq, (at_s, kind, body) in enumerate(bodies, start=1)
        )

    def _outcomes(self) -> list[Outcome]:
        spoke = {n: Spoke(n, BEGAN_S + first, BEGAN_S + last) for n, (first, last) in self.said.items()}
        return [
            Outcome("mm-hm", True, "u-1.1", said=(spoke["mm-hm"],)),
            Outcome("stop", True, "u-1.2", said=(spoke["stop"], spoke["go-on"])),
            Outcome("question", True, "", said=(spoke["question"],)),
        ]

    def _entries(self) -> list[LedgerEntry]:
        starts = {name: start for name, start, _, _ in reversed(self.clauses)}
        entries = []
        for seq, (name, start) in enumerate(starts.items(), start=1):
            uid = self.uid(name)
            mark = SegmentMark(0, round(start * RATE_HZ), round(2.5 * RATE_HZ))
            move = Move(uid, 2, Phase.SPEAKING, Phase.SPOKEN, start, segments=(mark,))
            utterance = Utterance(uid, " ".join(TEXT), Priority.SUMMARY, KINDS.get(name, "finding"))
            entries.append(LedgerEntry(utterance, move, seq, 1, 0, 0))
        return entries


async def deaf(pcm: Pcm) -> str:
    return ""


def judged(story: Story) -> tuple[Facts, Judged]:
    facts, sent = story.facts()
    bodies = [m.body for part in facts.parts for m in part.of("segment")]
    marks = spoken_stretches(facts.told.entries)
    texts = {entry.utterance.utterance_id: entry.utterance.text for entry in facts.told.entries}
    return facts, asyncio.run(judge(sent, facts.parts, runs(bodies, sent), marks, texts, deaf))


def found(story: Story) -> list[Check]:
    facts, heard = judged(story)
    books = account(facts.told.updates, facts.told.entries, facts.shown())
    return checks(facts, heard, books, None)


def failed(story: Story) -> list[str]:
    return [check.name for check in found(story) if not check.passed]


def test_a_good_story_passes_every_check() -> None:
    assert failed(Story()) == []


def test_what_is_measured_is_measured_from_the_sounds() -> None:
    seconds = {name: value for check in found(Story()) for name, value in check.seconds.items()}
    assert seconds["silent_after_s"] == pytest.approx(0.5, abs=0.02)
    assert seconds["answered_after_s"] == pytest.approx(23.0 - 21.6, abs=0.02)
    assert seconds["first_word_after_s"] == pytest.approx(40.0 - BACK, abs=0.02)


def without(name: str, start: float) -> Story:
    story = Story()
    story.clauses = [each for each in story.clauses if each[:2] != (name, start)]
    return story


def test_a_voice_that_does_not_go_on_after_a_hum_has_lost_words() -> None:
    assert '"mm-hm" lost no word and the voice went on' in failed(without("a", 6.0))


def test_a_hum_that_was_taken_for_something_else_fails() -> None:
    assert failed(Story(hum_effect="quiet")) == ['"mm-hm" lost no word and the voice went on']


def test_sound_between_stop_and_go_on_fails() -> None:
    story = Story()
    story.clauses.insert(4, ("x", 11.0, 13.5, 0))
    assert failed(story) == ['"stop" silenced the voice until "go on"']


def test_a_late_hold_fails_and_so_does_none() -> None:
    name = ["the voice held within 2.5 s of the kill"]
    assert failed(Story(held_after_s=2.6)) == name
    assert failed(Story(held_after_s=None)) == name


def test_reasoning_that_stood_still_fails() -> None:
    assert failed(Story(updates=(2, 2))) == ["the reasoning went on meanwhile"]


def test_a_return_without_a_welcome_fails() -> None:
    assert "who came back was welcomed, once and first" in failed(without("w", 40.0))


def test_a_cut_clause_that_is_never_said_again_fails() -> None:
    missing = failed(without("d", 43.0))
    assert "every spoken segment was heard" in missing
    assert "the rest was heard, from the cut clause to the closing" in missing


def test_what_is_said_twice_and_was_not_cut_by_the_kill_fails() -> None:
    story = Story()
    story.clauses = [("a", 6.0, 8.5, 0) if each[:2] == ("a", 6.0) else each for each in story.clauses]
    story.clauses = [("b", 9.0, 10.0, 0) if each[:2] == ("b", 8.0) else each for each in story.clauses]
    story.said["stop"] = (9.5, 9.9)
    assert failed(story) == ["nothing was heard twice but cut clauses"]


def test_a_clause_that_was_cut_for_more_than_two_seconds_may_be_said_again_from_its_beginning() -> None:
    story = Story()
    story.clauses = [("b", 15.0, 17.5, 0) if each[:2] == ("b", 15.0) else each for each in story.clauses]
    story.clauses = [("c", 18.0, 20.4, 0) if each[0] == "c" else each for each in story.clauses]
    assert failed(story) == []


def test_an_act_that_was_not_done_fails_with_what_was_missing() -> None:
    facts, heard = judged(Story())
    first = replace(facts.parts[0], outcomes=(Outcome("mm-hm", False, why="no moment for it came"),))
    told = replace(facts, parts=(first, facts.parts[1]))
    books = account(facts.told.updates, facts.told.entries, facts.shown())
    amiss = {check.name: check.found for check in checks(told, heard, books, None) if not check.passed}
    assert amiss == {
        '"mm-hm" lost no word and the voice went on': "no moment for it came",
        "the question was answered and the answer heard": "it was not begun",
        '"stop" silenced the voice until "go on"': "it was not begun",
    }


def test_the_play_and_the_captions_tell_what_was_heard_and_where_it_broke_off() -> None:
    facts, heard = judged(Story())
    lines = script.play(facts, heard)
    texts = [line.text for line in lines if line.who == script.VOICE]
    assert texts[1:3] == ["Doctor One –", "… differs on this"]
    assert [line.who for line in lines].count(script.CLINICIAN) == 4
    cues = vtt.parsed(vtt.written(script.captions(facts, heard), title="case"))
    assert [cue.text for cue in cues if cue.who == script.VOICE][-3:] == ["Doctor One differs on this"] * 3


def test_the_report_tells_people_what_programs_are_told() -> None:
    facts, heard = judged(Story())
    books = account(facts.told.updates, facts.told.entries, facts.shown())
    told = report.report(facts, heard, books, checks(facts, heard, books, None), [4.0, 8.0])
    assert told["passed"] is True
    page = report.markdown(told, script.play(facts, heard))
    assert "**Every check passed.**" in page
    assert "“It is 6.9.” (case paper)" in page
    assert "killed (SIGKILL)" in page
    assert "5 heard in whole" in page


def test_the_report_names_what_was_not_heard_with_the_scores_of_its_pieces() -> None:
    facts, heard = judged(without("d", 43.0))
    books = account(facts.told.updates, facts.told.entries, facts.shown())
    (missed,) = report.report(facts, heard, books, [], [])["segments"]["not_heard"]
    assert (missed["utterance"], missed["clause"], missed["sent_s"]) == ("u-1.4", 1, 28.0)
    assert min(missed["pieces"]) < FOUND
