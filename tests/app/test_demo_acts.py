"""The clinician's acts on scripted messages: each waits for its moment and for what follows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from lab.demo import clinician, story
from lab.demo.acts import AFTER_S, Outcome, Progress, acts, advance, longest_s
from lab.demo.microphone import Said
from lab.demo.scene import Scene
from tests.app.demo_scene import Script

TICK_S = 0.1
SAYING_S = 0.4
Clinician = Callable[[Script, str, float], None]


def play(script: Script, *, until_s: float, answer: Clinician) -> tuple[list[tuple[str, float]], Progress]:
    """Play a script against the acts; `answer` adds messages for a sound at the time it was said."""
    scene, progress = Scene(), Progress(began_s=0.0)
    said: list[tuple[str, float]] = []
    for tick in count():
        now_s = tick * TICK_S
        if now_s > until_s or progress.over:
            return said, progress
        for message in sorted(script.messages, key=lambda m: m.at_s):
            if message.at_s <= now_s:
                scene.take(message)
        script.messages = [m for m in script.messages if m.at_s > now_s]
        progress, sound = advance(progress, scene, now_s)
        if sound is not None:
            said.append((sound, round(now_s, 1)))
            progress = progress.said(Said(now_s, now_s + SAYING_S))
            answer(script, sound, now_s)
    raise AssertionError


def outcome(progress: Progress, act: str) -> Outcome:
    return next(each for each in progress.outcomes if each.act == act)


def understands(script: Script, sound: str, now_s: float) -> None:
    """A voice that understands at once and goes on as it should."""
    at = now_s + 1.0
    match sound:
        case "mm-hm":
            script.decided(at, "go_on", "Mm-hm.")
            script.utterance(at + 2.0, "a", "spoken")
        case "question":
            script.decided(at, "answer", "What is the potassium?")
            script.answer(at + 0.2, "answer-1")
            script.utterance(at + 4.0, "answer-1", "spoken", kind="answer", priority="answer", update_id=None)
        case "stop":
            script.mode(at, "quiet")
        case "go-on":
            script.mode(at, "free")
            script.utterance(at + 3.0, "b", "spoken")


def a_story() -> Script:
    script = Script()
    script.utterance(1.0, "a", "speaking")
    script.segment(1.0, "a", 4.0)
    script.utterance(10.0, "b", "speaking", priority="pressing")
    script.segment(10.0, "b", 4.0)
    script.critical(30.0, "c", "speaking")
    script.critical(38.0, "c", "spoken")
    return script


def test_each_act_is_done_at_its_moment_and_once() -> None:
    said, progress = play(a_story(), until_s=60.0, answer=understands)
    assert [sound for sound, _ in said] == ["mm-hm", "question", "stop", "go-on"]
    assert all(each.done for each in progress.outcomes)
    assert outcome(progress, "mm-hm").about == "a"
    assert outcome(progress, "stop").about == "b"


def test_a_hum_falls_into_a_clause_and_not_on_its_edges() -> None:
    said, _ = play(a_story(), until_s=60.0, answer=understands)
    assert said[0] == ("mm-hm", 1.8)


def test_go_on_is_said_after_a_while_of_quiet() -> None:
    said, _ = play(a_story(), until_s=60.0, answer=understands)
    at = dict(said)
    assert at["go-on"] - at["stop"] >= 4.0 + 1.0


def test_stop_is_said_over_what_presses_alone_as_that_goes_on_next() -> None:
    script = Script()
    script.utterance(1.0, "a", "speaking", priority="summary")
    script.segment(1.0, "a", 60.0)
    said, _ = play(script, until_s=40.0, answer=lambda *_: None)
    assert [sound for sound, _ in said] == ["mm-hm", "mm-hm"]


def test_the_question_is_asked_as_soon_as_something_was_told() -> None:
    said, _ = play(a_story(), until_s=60.0, answer=understands)
    told_s = dict(said)["mm-hm"] + 3.0
    assert told_s + AFTER_S <= dict(said)["question"] <= told_s + AFTER_S + 0.2


def test_who_is_not_understood_says_it_once_more_and_then_gives_up_by_name() -> None:
    script = Script()
    script.critical(1.0, "c", "spoken")
    said, progress = play(script, until_s=110.0, answer=lambda *_: None)
    assert [sound for sound, _ in said] == ["question", "question"]
    failed = outcome(progress, "question")
    assert not failed.done
    assert "'What is the potassium?', said 2 times" in failed.why
    assert len(failed.said) == 2


def test_an_act_without_a_moment_fails_and_says_so() -> None:
    said, progress = play(Script(), until_s=120.0, answer=understands)
    assert said == []
    assert progress.over
    assert [each.act for each in progress.outcomes] == ["mm-hm", "question", "stop"]
    assert all("no moment for it came" in each.why for each in progress.outcomes)


def test_what_is_no_summary_is_not_hummed_at() -> None:
    script = Script()
    script.utterance(1.0, "g", "speaking", kind="greeting", priority="notice", update_id=None)
    script.segment(1.0, "g", 5.0)
    script.critical(8.0, "c", "speaking")
    script.segment(8.0, "c", 5.0)
    said, _ = play(script, until_s=20.0, answer=understands)
    assert said == []


def test_what_presses_is_hummed_at_as_well() -> None:
    script = Script()
    script.utterance(1.0, "a", "speaking", kind="caution", priority="pressing")
    script.segment(1.0, "a", 5.0)
    said, _ = play(script, until_s=20.0, answer=understands)
    assert [each for each, _ in said][:1] == ["mm-hm"]


def test_the_newest_message_wins_whatever_the_order_in_which_they_come() -> None:
    script = Script()
    first, second = script.utterance(1.0, "a", "speaking"), script.utterance(2.0, "a", "spoken")
    scene = Scene()
    scene.take(second)
    scene.take(first)
    assert scene.phase("a") == "spoken"


def test_there_is_a_hum_a_question_and_a_stop() -> None:
    assert [act.name for act in acts()] == ["mm-hm", "question", "stop"]


def test_the_demo_waits_for_the_acts_as_long_as_they_can_take() -> None:
    """At the worst each begins as its time runs out, and nothing is understood until it is given up."""
    script = Script()
    script.critical(57.5, "c", "spoken")
    for at in range(150, 400, 4):
        script.utterance(at, f"a-{at}", "speaking", priority="pressing")
        script.segment(at, f"a-{at}", 4.0)
    _, progress = play(script, until_s=story.ACTS_WITHIN_S, answer=lambda *_: None)
    assert progress.over
    assert story.ACTS_WITHIN_S > longest_s(acts())
    assert story.ALL_WITHIN_S > clinician.ALL_WITHIN_S, "the client says itself what it waited for"


def test_go_on_has_its_moment_and_two_tries() -> None:
    script = Script()
    script.utterance(1.0, "b", "speaking", priority="pressing")
    script.segment(1.0, "b", 40.0)

    def quiet_only(script: Script, sound: str, now_s: float) -> None:
        if sound == "stop":
            script.mode(now_s + 3.0, "quiet")

    said, progress = play(script, until_s=longest_s(acts()), answer=quiet_only)
    assert [sound for sound, _ in said if sound != "mm-hm"] == ["stop", "go-on", "go-on"]
    assert not outcome(progress, "stop").done
