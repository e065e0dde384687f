"""What a number or a letter stands for is said with it; where nobody knows it, what needs it is not told."""

from __future__ import annotations

import pytest

from exaim_core.board.labels import Labels, thing_of
from exaim_core.claims.critical import critical_findings
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.named import points_outside
from exaim_core.readings.checking import POINTS, UNNAMED, Checked
from exaim_core.readings.port import ReadKind
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Heading, Sentence
from tests.exaim_core.talks import told
from tests.exaim_core.test_reading_wording import checked

PROPHYLAXIS = "[17] She'll need prophylaxis: trimethoprim 100 mg at night."
OPTIONS = "Options:\nA) apixaban\nB) warfarin with a target of 2.5\nC) no anticoagulant"
PLAN = "My plan:\n1. Folinic acid 15 mg every six hours.\n2. Piperacillin-tazobactam 4.5 g within the hour."


def read(*turns: str) -> list[Sentence]:
    """Return the sentences of turns of several agents, as they are read with their labels."""
    labels, made = Labels(), list[Sentence]()
    for number, turn in enumerate(turns):
        agent, text = f"agent{number}", f"{turn}\n"
        reader = Reader(agent)
        chunk = Chunk(agent, text, "end", (Piece(number, 0.0, len(text)),), 0.0)
        for unit in (*reader.push(chunk), *reader.end_turn()):
            if isinstance(unit, Heading):
                labels.title(unit)
            elif isinstance(unit, Sentence):
                made.append(labels.named(unit))
        labels.end_turn(agent)
    return made


def last(*turns: str) -> str:
    return read(*turns)[-1].full


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ((PROPHYLAXIS, "Nothing for now, withdraw 17."), "Nothing for now, withdraw 17 [trimethoprim]."),
        (
            (PROPHYLAXIS, "Re 17: not while neutrophils are 0.1."),
            "Re 17 [trimethoprim]: not while neutrophils are 0.1.",
        ),
        (
            (PROPHYLAXIS, "Message 17 is against the policy."),
            "Message 17 [trimethoprim] is against the policy.",
        ),
        ((OPTIONS, "Option B is what I want."), "Option B [warfarin] is what I want."),
        ((PLAN, "Please stop item 2."), "Please stop item 2 [piperacillin-tazobactam]."),
        (("## Option B: apixaban\nCheap.", "I want option B."), "I want option B [apixaban]."),
        (
            ("Item 1: ceftriaxone\nItem 2: vancomycin", "Accept 1 and 2."),
            "Accept 1 [ceftriaxone] and 2 [vancomycin].",
        ),
    ],
)
def test_the_thing_stands_behind_its_label(turns: tuple[str, ...], said: str) -> None:
    assert last(*turns) == said


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ((PROPHYLAXIS, "Withdraw 17 ml of blood."), "Withdraw 17 ml of blood."),
        ((PROPHYLAXIS, "Withdraw 18."), "Withdraw 18."),
        ((OPTIONS, "A CT is needed, and vitamin B is low."), "A CT is needed, and vitamin B is low."),
        (("Agent B is late.", "B falls from 6 to 3."), "B falls from 6 to 3."),
        (("[17] What of trimethoprim?", "Withdraw 17."), "Withdraw 17."),
        (("[17] Trimethoprim, folinic acid, ramipril and aspirin.", "Withdraw 17."), "Withdraw 17."),
    ],
)
def test_a_number_or_a_letter_that_is_none_or_stands_for_no_one_thing_stays(
    turns: tuple[str, ...], said: str
) -> None:
    assert last(*turns) == said


@pytest.mark.parametrize(
    "said",
    [
        "We plan two doses of gentamicin.",
        "I plan 2 litres of saline.",
        "qSOFA is 2 points, 1 point for GCS and point 2 for pressure.",
        "A is patent, B is clear, C is 84/50 with cool hands.",
        "His blood group is A or B, we do not know.",
        "Influenza A or B is likely.",
        "Thiamine and vitamins C and B at once.",
        "Rib #2 and #3 are broken.",
    ],
)
@pytest.mark.parametrize("listed", [OPTIONS, PLAN])
def test_what_is_no_label_has_nothing_put_behind_it(listed: str, said: str) -> None:
    assert last(listed, said) == said


def test_an_item_that_two_agents_define_stands_for_nothing() -> None:
    assert last("1. Ceftriaxone\n2. Dexamethasone", "1. Vancomycin\n2. Aciclovir", "Item 2 must wait.") == (
        "Item 2 must wait."
    )


def test_an_item_that_somebody_else_defines_again_stands_for_nothing() -> None:
    again = "Revised:\n1. Meropenem 1 g\n2. Filgrastim daily"
    assert last(PLAN, again, "Please stop item 2.") == "Please stop item 2."


def test_a_line_that_opens_with_somebody_elses_label_speaks_of_it() -> None:
    critic = "(b) is dangerous at a potassium of 2.9."

    assert last("(a) Stop indapamide.\n(b) 3% saline bolus.", critic).startswith(
        "(b) [3% saline bolus] is dangerous"
    )
    assert last("(a) Stop indapamide.\n(b) 3% saline bolus.", critic, "I accept option B.").endswith(
        "[3% saline bolus]."
    )


def test_what_forbids_is_not_called_by_what_it_forbids() -> None:
    assert not thing_of("No trimethoprim")
    assert not thing_of("Warfarin if the CT is clean")
    assert not thing_of("She must not have any trimethoprim at all while the count is as low as that")


def test_what_rests_on_a_label_cites_where_it_was_defined() -> None:
    [*_, unit] = read(PROPHYLAXIS, "Withdraw 17.")

    assert [source.agent_id for source in unit.source.labels] == ["agent0"]


async def test_a_ban_by_number_is_told_with_its_thing_and_its_evidence() -> None:
    items = await told(PROPHYLAXIS, "[18] Pulse 80.", "[19] Item 17 is not to be given with this creatinine.")

    [item] = [item for item in items if "creatinine" in item.text]
    assert "tem 17 [trimethoprim] is not to be given" in item.text
    assert len(item.evidence) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Nothing for now, withdraw 17",
        "Re 19: not while neutrophils are 0.1",
        "Kept 1–7, 9, 10",
        "B falls from 6 to 3",
        "4 leads",
        "Final: A 1, B 1, C 9",
        "Write both up as not to be given",
        "Not to be written as either before Thursday's biopsy",
        "No, that was her mother-in-law, the platelets thing",
        "Both plans are dangerous",
        "A low glycol, a normal pH and no gap. Then stop both",
        "I take back CON-2",
    ],
)
def test_what_needs_a_label_or_a_thing_that_is_not_there_is_not_told_alone(text: str) -> None:
    assert hangs(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ketamine and propofol: stop both",
        "Ketamine and propofol are running. Stop both",
        "No metoprolol, no digoxin: neither is safe",
        "Both eyes are red",
    ],
)
def test_both_is_bound_by_two_things_that_are_named_before_it(text: str) -> None:
    assert not points_outside(text)


def test_a_models_wording_says_what_a_label_stands_for_or_is_not_used() -> None:
    said = "B [warfarin] falls from 6 to 3, since it is too slow."
    found, _ = checked(ReadKind.CHANGE, "B falls from 6 to 3.", said)
    assert isinstance(found, Checked)
    assert found.wording == "B [warfarin] falls from 6 to 3."

    _, reason = checked(
        ReadKind.CHANGE, "B falls from 6 to 3.", "B falls from 6 to 3, since the drug is too slow."
    )
    assert reason in (POINTS, UNNAMED)


def test_the_day_of_a_month_is_no_value() -> None:
    assert not critical_findings("K 2.9 mmol/L (12 May).")
    assert [found.value for found in critical_findings("K 2.3 (12 May).")] == ["2.3"]
