"""What is for the team, for whom, in which words; and which yes sends it."""

from __future__ import annotations

import pytest

from realtime.interruption import Context, Effect, Mode, PendingQuestion, classify_with_prosody, words_of
from realtime.interruption.team import Request, confirms, consents, request_in
from tests.interruption.rows import turn

AGENTS = frozenset({"cardiologist", "cardiology fellow", "doctor zero"})
CASE = frozenset({"lactate", "pericarditis", "potassium"})


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("Ask the team whether heparin is safe.", Request("", "whether heparin is safe", False)),
        ("Put it to the cardiologist: could this be pericarditis?",
         Request("cardiologist", "could this be pericarditis?", False)),
        ("Tell them the lactate is seven.", Request("", "the lactate is seven", True)),
        ("Could you please ask Doctor Zero, why not dissection?",
         Request("doctor zero", "why not dissection?", False)),
        ("Tell the team that his K+ is 6.9 mmol/L", Request("", "his K+ is 6.9 mmol/L", True)),
        ("Let the team know she doesn't smoke.", Request("", "she doesn't smoke", True)),
        ("Tell the cardiologist to look at the ECG again.",
         Request("cardiologist", "to look at the ECG again", False)),
        ("Exaim, a question for the panel: what about the aorta?", Request("", "what about the aorta?", False)),
        ("Ask the cardiology fellow about the echo.", Request("cardiology fellow", "about the echo", False)),
        ("Tell the team to stop.", Request("", "to stop", False, cancels=True)),
        ("Tell the cardiologist to stop.", Request("cardiologist", "to stop", False)),
        ("Tell the team to stop the heparin.", Request("", "to stop the heparin", False)),
        ("Ask the team.", Request("", "", False)),
        ("Ask the nurse for calcium.", None),
        ("Call the renal team.", None),
        ("Ask the renal team to come.", None),
        ("Ask the team leader to come.", None),
        ("Don't ask the team.", None),
        ("Did you ask the team about the aorta?", None),
        ("Tell me what the team thinks.", None),
        ("What would the cardiologist say?", None),
        ("Task the team.", None),
    ],
)  # fmt: skip
def test_what_is_for_the_team_is_passed_on_in_its_own_words(text: str, request_: Request | None) -> None:
    assert request_in(text, AGENTS) == request_


@pytest.mark.parametrize("mode", [Mode.FREE, Mode.QUIET, Mode.WAITING])
@pytest.mark.parametrize(
    "text", ["Put it to the team: could this be pericarditis?", "Tell them the lactate is 7."]
)
def test_it_is_neither_an_order_nor_a_question_to_us(text: str, mode: Mode) -> None:
    context = Context(mode=mode, asked_anything=True, case_words=CASE, agents=AGENTS)
    assert classify_with_prosody(text, turn(text, 2_500), context).effect is Effect.ASK_TEAM


@pytest.mark.parametrize(
    "text",
    ["Tell them I'm coming.", "Tell the team to start alteplase 50 mg.", "Ask them to give calcium now."],
)
def test_what_people_are_told_is_not_for_the_team(text: str) -> None:
    context = Context(case_words=CASE, agents=AGENTS)
    assert classify_with_prosody(text, turn(text, 2_500), context).effect is not Effect.ASK_TEAM


def test_in_a_noisy_room_nothing_is_passed_on() -> None:
    text = "Ask the team whether this is pericarditis."
    context = Context(mode=Mode.NOISY, case_words=CASE, agents=AGENTS)
    assert classify_with_prosody(text, turn(text, 2_500), context).effect is Effect.GO_ON


@pytest.mark.parametrize(
    ("text", "confidence", "effect"),
    [
        ("Yes.", 0.9, Effect.SEND_TO_TEAM),
        ("Yes, please.", 0.9, Effect.SEND_TO_TEAM),
        ("Okay, yes, send it.", 0.9, Effect.SEND_TO_TEAM),
        ("Yes.", 0.3, Effect.GO_ON),
        ("Okay.", 0.9, Effect.GO_ON),
        ("Mm-hm.", 0.9, Effect.GO_ON),
        ("Yes, what is the potassium?", 0.9, Effect.ANSWER),
        ("No.", 0.9, Effect.KEEP_FROM_TEAM),
        ("No, don't send it.", 0.9, Effect.GO_ON),  # which lets go of our question too
        ("Yes, don't send it.", 0.9, Effect.GO_ON),
        ("Stop.", 0.9, Effect.QUIET),
        ("Yes, no.", 0.9, Effect.KEEP_FROM_TEAM),
    ],
)
def test_only_a_yes_in_words_that_was_well_heard_sends(text: str, confidence: float, effect: Effect) -> None:
    context = Context(asked=PendingQuestion.TO_TEAM, case_words=CASE, agents=AGENTS)
    verdict = classify_with_prosody(text, turn(text, 900, confidence=confidence), context)
    assert verdict.effect is effect


@pytest.mark.parametrize(
    ("text", "confidence", "effect"),
    [
        ("Confirm.", 0.9, Effect.SEND_TO_TEAM),
        ("Yes, confirm.", 0.9, Effect.SEND_TO_TEAM),
        ("Confirm.", 0.3, Effect.GO_ON),
        ("Yes.", 0.9, Effect.GO_ON),
        ("Approved.", 0.9, Effect.NOT_ACTED_ON),
        ("Go on.", 0.9, Effect.GO_ON),
        ("No.", 0.9, Effect.KEEP_FROM_TEAM),
    ],
)
def test_only_confirm_approves(text: str, confidence: float, effect: Effect) -> None:
    context = Context(asked=PendingQuestion.APPROVAL, case_words=CASE, agents=AGENTS)
    verdict = classify_with_prosody(text, turn(text, 900, confidence=confidence), context)
    assert verdict.effect is effect


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("Approve the potassium binder.", Effect.APPROVE),
        ("EXAIM, I approve the calcium gluconate.", Effect.APPROVE),
        ("Approve.", Effect.NOT_ACTED_ON),
        ("Approve it.", Effect.NOT_ACTED_ON),
        ("Approve the recommendation.", None),
        ("I don't approve the calcium.", None),
        ("They approve of the new canteen.", None),
    ],
)
def test_an_approval_names_what_it_approves(text: str, effect: Effect | None) -> None:
    context = Context(case_words=CASE, agents=AGENTS)
    found = classify_with_prosody(text, turn(text, 1_600), context).effect
    assert found is effect if effect is not None else found is not Effect.APPROVE


def test_a_yes_to_nothing_sends_nothing() -> None:
    assert classify_with_prosody("Yes.", turn("Yes."), Context(agents=AGENTS)).effect is Effect.GO_ON


def test_a_contraction_shifts_no_word_of_a_message() -> None:
    request = request_in("Ask the team whether we'll need dialysis.", frozenset())
    assert request is not None
    assert request.text == "whether we'll need dialysis"
    request = request_in("We'll ask the team whether he'll need dialysis.", frozenset())
    assert request is not None
    assert request.text == "whether he'll need dialysis"


@pytest.mark.parametrize("said", ["please confirm", "please confirm it", "yes, please confirm"])
def test_to_ask_for_confirmation_is_no_yes(said: str) -> None:
    assert not consents(words_of(said))
    assert not confirms(words_of(said))
