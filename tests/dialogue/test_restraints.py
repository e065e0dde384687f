"""What restrains is reached in any wording: told first where leave is asked, and all of it on the page."""

from __future__ import annotations

import pytest

from agents.dialogue.compose import OURS
from exaim_core import BoardView
from exaim_core.board.shown import SaidView
from tests.dialogue.asking import Asking, board_of
from tests.dialogue.test_before import said

_PLAN = (
    "Plan:\n"
    "- No fresh frozen plasma for the INR; it fills the portal system.\n"
    "- Andexanet: not on our shelf, and I would not ask for it with a graft in place.\n"
    "- Terlipressin 2 mg now; hold it if there is ischaemia.\n"
    "- No naproxen again, ever.\n"
)


async def asking(words: str = _PLAN) -> Asking:
    return Asking(await board_of(("doctor1", words)), None)


async def test_a_ban_in_an_unknown_wording_is_said_or_on_the_page() -> None:
    answer = await (await asking()).ask("what must not be given")
    shown = " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()
    for name in ("plasma", "andexanet", "naproxen", "terlipressin"):
        assert name in shown, (name, shown)


async def test_what_is_counted_is_what_the_page_lists() -> None:
    answer = await (await asking()).ask("what must not be given")
    assert answer.on_page
    assert answer.sentences[-1].source == OURS
    assert answer.sentences[-1].text.endswith("more on the page.")
    assert not {one.text for one in answer.on_page} & {one.text for one in answer.sentences}


async def test_a_drug_that_is_asked_about_is_answered_by_its_ban_first() -> None:
    words = _PLAN + "- Naproxen from a neighbour for his knee, naproxen was for a week, naproxen 500 mg.\n"
    answer = await (await asking(words)).ask("can he have naproxen for his knee")
    assert "no naproxen again" in answer.sentences[0].text.lower()


async def test_what_was_given_up_is_on_no_list() -> None:
    board = await board_of(("doctor1", _PLAN))
    kept = tuple(
        one.model_copy(update={"past": True}) if "andexanet" in one.text.lower() else one
        for one in board.said
    )
    answer = await Asking(board.model_copy(update={"said": kept}), None).ask("what must not be given")
    shown = " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()
    assert "andexanet" not in shown and "naproxen" in shown


async def test_the_list_for_the_page_is_bounded_and_says_so() -> None:
    said = tuple(
        SaidView(agent_id="doctor1", at=(1, k, k), text=f"Do not touch drain {k} until round {k} is over")
        for k in range(90)
    )
    board = BoardView(speakers=("doctor1",), said=said)
    answer = await Asking(board, None).ask("what must not be given")
    assert len(answer.on_page) == 41
    assert answer.on_page[-1].text.endswith("more, in the agents' own words.")


async def test_the_neighbour_of_what_is_told_is_told_while_the_answer_stays_short() -> None:
    words = "Things I care about. No suxamethonium if he needs intubating. Rocuronium 1.2 mg/kg. He is wet.\n"
    answer = await (await asking(words)).ask("is suxamethonium all right if we have to intubate him")
    assert "suxamethonium" in answer.text.lower() and "1.2 mg/kg" in answer.text


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("give fresh frozen plasma?", False),
        ("give fresh frozen plasma or not", False),
        ("could you give fresh frozen plasma?", True),
        ("give fresh frozen plasma", True),
    ],
)
async def test_an_order_that_asks_is_answered(question: str, refused: bool) -> None:
    answer = await (await asking()).ask(question)
    assert (answer.kind == "order") is refused


_NOT_FORBIDDEN = (
    "Oxygen saturation nil change.",
    "Urine output from the catheter nil since noon.",
    "Antibiotics nil so far.",
    "Surgery: nil of note.",
    "Nil operations.",
    "He did not eat breakfast.",
    "He doesn't eat meat.",
    "They don't eat pork.",
    "He never eats breakfast.",
    "He can't eat solids.",
    "He must not forget to eat.",
    "She has had nothing to eat since Monday.",
    "Nothing to eat or drink since Monday.",
    "She is no longer nil by mouth.",
    "He was nil by mouth yesterday.",
)


@pytest.mark.parametrize("text", _NOT_FORBIDDEN)
async def test_a_finding_and_a_habit_are_in_no_list_of_what_must_not_be_given(text: str) -> None:
    talk = said(("nurse", f"{text} / Avoid ibuprofen."))
    answer = await Asking(talk, None).ask("what must not be given")
    assert "ibuprofen" in answer.text
    shown = " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()
    assert text.rstrip(".").lower() not in shown


@pytest.mark.parametrize("text", ["Not eating since Monday.", "No eating since Monday.", "Not NBM."])
async def test_who_does_not_eat_is_not_said_to_be_forbidden_to(text: str) -> None:
    answer = await Asking(said(("nurse", f"{text} / Avoid ibuprofen.")), None).ask("what must not be given")
    assert text.rstrip(".").lower() not in answer.text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "Nil by mouth.",
        "Nil orally from now.",
        "Nil per os.",
        "NBM, tube on free drainage.",
        "Nothing to eat or drink from now on.",
        "She is to have nothing by mouth.",
        "Don't eat before the scan.",
        "He must not eat before the scan.",
        "He must not have anything by mouth.",
        "He can't eat until the swallow test.",
        "He may not eat until noon.",
        "No eating or drinking.",
    ],
)
async def test_an_order_not_to_eat_is_said(text: str) -> None:
    answer = await Asking(said(("nurse", f"{text} / Avoid ibuprofen.")), None).ask("what must not be given")
    assert text.rstrip(".").lower() in answer.text.lower()


async def test_whether_she_may_eat_is_met_by_the_order() -> None:
    talk = said(("nurse", "Nil by mouth from now. / Avoid ibuprofen. / She slept well."))
    assert "nil by mouth" in (await Asking(talk, None).ask("can she eat")).sentences[0].text.lower()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (
            [("nurse", "At home ramipril 5, spironolactone 25, trimethoprim since Tuesday.")]
            + [("doctor1", f"Glucose check number {k} is fine. Pulse is {60 + k}.") for k in range(4)]
            + [("doctor2", "And stop all three of those tablets.")],
            ("ramipril", "spironolactone", "trimethoprim"),
        ),
        (
            [("nurse", "Carried over: propranolol 40 mg, spironolactone 100 mg."), ("doctor1", "Both off.")],
            ("propranolol", "spironolactone"),
        ),
        (
            [("nurse", "Somebody wrote up diclofenac 75 for the pain."), ("doctor1", "Delete.")],
            ("diclofenac",),
        ),
        (
            [("doctor1", "No flumazenil."), ("doctor2", "Agree on flumazenil. Same goes for physostigmine.")],
            ("flumazenil", "physostigmine"),
        ),
        (
            [("doctor1", "Because of 5: meropenem 1 g now."), ("doctor2", "re 6: no.")],
            ("meropenem",),
        ),
    ],
    ids=["all three", "both", "delete", "same goes for", "a labelled no"],
)
async def test_a_refusal_by_reference_brings_its_things_to_the_list(
    words: list[tuple[str, str]], names: tuple[str, ...]
) -> None:
    answer = await Asking(await board_of(*words), None).ask("what must not be given")
    shown = " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()
    assert all(name in shown for name in names), shown


async def test_what_counts_and_refuses_nothing_brings_nothing() -> None:
    words = [("nurse", "At home ramipril 5 and spironolactone 25."), ("doctor1", "Both were fine.")]
    answer = await Asking(await board_of(*words), None).ask("what must not be given")
    assert "ramipril" not in " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()


@pytest.mark.parametrize(
    "words",
    [
        [("doctor1", "Give aspirin and heparin."), ("doctor2", "Pain stopped in both legs.")],
        [("doctor1", "Give ketamine."), ("doctor2", "None of that matters until the airway is safe.")],
        [("doctor1", "Give ketamine."), ("doctor2", "Cross off sepsis.")],
    ],
)
async def test_what_counts_or_denies_something_else_restrains_no_order(words: list[tuple[str, str]]) -> None:
    answer = await Asking(said(*words), None).ask("what must not be given")
    assert answer.text == "I have nothing on that; that is not a no."
