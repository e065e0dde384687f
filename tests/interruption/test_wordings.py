"""Words that are typed or spoken to us do what their author meant, and what may be talk steers nothing."""

from __future__ import annotations

import pytest

from lab.ears.wordings import SPLITS, report, wordings
from realtime.conversation.chat import meaning_of
from realtime.interruption import Context, Effect, PendingQuestion, classify_with_prosody
from tests.interruption.rows import turn

CASE = Context(speaking=True, case_words=frozenset({"potassium", "heparin"}))
LEAST = {"working": 60, "checking": 53}


def effect(text: str, context: Context = CASE) -> Effect:
    return classify_with_prosody(text, turn(text, 900), context).effect


@pytest.mark.parametrize("split", SPLITS)
def test_no_fewer_wordings_are_right_than_were(split: str) -> None:
    said = wordings(split)
    assert sum(each.right for each in said) >= LEAST[split], "\n".join(report(said))


@pytest.mark.parametrize(
    "text", ["not yet", "Not just yet.", "not today", "maybe later", "and next", "and then next"]
)
def test_what_may_be_said_to_somebody_else_steers_nothing(text: str) -> None:
    assert effect(text) in {Effect.GO_ON, Effect.ANSWER}


@pytest.mark.parametrize("text", ["not yet please", "EXAIM, not yet", "wait, not yet"])
def test_who_means_us_makes_us_wait(text: str) -> None:
    assert effect(text) is Effect.WAIT


@pytest.mark.parametrize(
    "text", ["skip it later", "go on in a minute", "repeat that later", "slower later", "Later, slower."]
)
def test_a_command_that_is_put_off_makes_us_wait(text: str) -> None:
    assert effect(text) is Effect.WAIT


@pytest.mark.parametrize(
    ("text", "does"),
    [("stop, later", Effect.QUIET), ("no, not yet", Effect.QUIET), ("wait, later", Effect.WAIT),
     ("wrong patient, later", Effect.WRONG_CASE), ("don't stop, not yet", Effect.GO_ON),
     ("and skip it later", Effect.GO_ON)],
)  # fmt: skip
def test_what_silences_us_is_not_put_off_and_talk_puts_nothing_off(text: str, does: Effect) -> None:
    assert effect(text) is does


@pytest.mark.parametrize("text", ["not yet", "in a minute", "yes, in a minute", "no, not yet"])
def test_what_is_put_off_answers_whether_the_case_is_wrong(text: str) -> None:
    asked = Context(asked=PendingQuestion.WRONG_CASE, asked_anything=True)
    assert effect(text, asked) is Effect.WAIT


def test_it_answers_a_question_of_ours() -> None:
    asked = Context(asked=PendingQuestion.READY, asked_anything=True)
    assert effect("not just yet", asked) is Effect.WAIT


@pytest.mark.parametrize("text", ["next", "okay next", "EXAIM, and next", "and next please", "and stop"])
def test_a_command_that_is_ours_is_still_one(text: str) -> None:
    assert effect(text) in {Effect.SKIP, Effect.QUIET}


@pytest.mark.parametrize(
    "text",
    ["lower potassium", "dialysis now", "transfuse at which haemoglobin", "hold heparin before which scan",
     "start heparin when"],
)  # fmt: skip
def test_a_typed_order_that_may_be_a_question_is_answered_and_passes_nothing_on(text: str) -> None:
    meaning = meaning_of(text, Context(asked_anything=True, case_words=CASE.case_words))
    assert (meaning.effect, meaning.may_order) == (Effect.ANSWER, True)


@pytest.mark.parametrize(
    "text",
    ["lower her potassium", "start the dialysis now please", "insulin ten units now", "stop the heparin",
     "lower potassium please", "give adrenaline 1 mg when the pulse is lost",
     "stop ramipril when creatinine is above 200", "give him heparin at which rate",
     "give fluids after which start noradrenaline", "transfuse when the haemoglobin is below 7"],
)  # fmt: skip
def test_a_typed_order_is_refused(text: str) -> None:
    meaning = meaning_of(text, Context(asked_anything=True, case_words=CASE.case_words))
    assert meaning.effect is Effect.REFUSE_ORDER


@pytest.mark.parametrize("text", ["you have the wrong chart open", "I think you pulled the wrong record up"])
def test_the_case_is_doubted_in_words_that_no_list_has(text: str) -> None:
    assert effect(text) is Effect.WRONG_CASE


@pytest.mark.parametrize(
    "text",
    ["the wrong patient was scanned yesterday", "that's the wrong patient's chart over there",
     "that is the wrong record player", "it's the wrong chart type"],
)  # fmt: skip
def test_another_wrong_patient_is_talk(text: str) -> None:
    assert effect(text) is not Effect.WRONG_CASE
