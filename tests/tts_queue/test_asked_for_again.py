"""What is asked for once more comes next: before all that waits, but for an alarm."""

from __future__ import annotations

import pytest

from tts_queue import Phase, Priority, Utterance
from tts_queue.scheduling import QueueEntry, choose

_AGAIN = Utterance("a.r1", "The potassium is 6.9.", Priority.ANSWER, "answer", replays="a", queued_at_s=20.0)


def _next(*waiting: Utterance, pressed: int = 0, phase: Phase = Phase.QUEUED) -> str | None:
    entries = [QueueEntry(one, phase, order) for order, one in enumerate(waiting)]
    entries.append(QueueEntry(_AGAIN, Phase.QUEUED, len(entries)))
    chosen = choose(entries, 21.0, may_speak=lambda *_: True, not_before=lambda *_: 0.0, pressed=pressed)
    return chosen.utterance.utterance_id if chosen is not None else None


@pytest.mark.parametrize(
    "waiting",
    [
        (Utterance("p", "Give adrenaline.", Priority.PRESSING, "action"),),
        (Utterance("p", "Stop heparin.", Priority.PRESSING, "caution", weight=9),),
        (Utterance("p", "One.", Priority.PRESSING, "action"), Utterance("q", "Two.", Priority.PRESSING, "action")),
        (Utterance("q", "On the sodium: 128.", Priority.ANSWER, "answer"),),
        (Utterance("n", "Round two.", Priority.NOTICE, "round"),),
        (Utterance("s", "Creatinine 120.", Priority.SUMMARY, "finding"),),
    ],
)  # fmt: skip
def test_what_is_asked_for_again_goes_before_what_waits(waiting: tuple[Utterance, ...]) -> None:
    assert _next(*waiting) == "a.r1"


@pytest.mark.parametrize("pressed", [0, 1, 5])
def test_an_alarm_goes_before_it(pressed: int) -> None:
    alarm = Utterance("c", "Critical: potassium 6.9.", Priority.CRITICAL, "critical")
    assert _next(alarm, pressed=pressed) == "c"


def test_a_first_answer_lets_one_that_presses_pass_as_before() -> None:
    presses = QueueEntry(Utterance("p", "Give it.", Priority.PRESSING, "action"), Phase.QUEUED, 0)
    answer = QueueEntry(Utterance("a", "On it: no.", Priority.ANSWER, "answer"), Phase.QUEUED, 1)
    for pressed, first in ((0, "p"), (1, "a")):
        chosen = choose(
            [presses, answer], 1.0, may_speak=lambda *_: True, not_before=lambda *_: 0.0, pressed=pressed
        )
        assert chosen is not None and chosen.utterance.utterance_id == first
