"""The engine on the case that ships with the repository."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import EXAIM, CasePaper, Delta, SpokenItem, SpokenKind
from tests.exaim_core.test_shared_traces import CASES, Played, play

TRACE = CASES / "case-hyperkalaemia-aki.trace.jsonl.gz"
PAPER = CASES / "case-hyperkalaemia-aki.paper.json"
Heard = tuple[list[SpokenItem], Played]


@pytest.fixture(scope="module")
def heard() -> Heard:
    """What is told of the case, played once."""
    if not TRACE.exists():
        pytest.skip("the shipped case is not built")
    played = asyncio.run(play(TRACE))
    return [item for update in played.updates for item in update.items], played


def test_the_true_critical_finding_alarms_once_and_at_once(heard: Heard) -> None:
    items, played = heard
    [alarm] = [item for item in items if item.kind is SpokenKind.CRITICAL]
    assert alarm.text == "Critical, from Doctor Two: potassium 6.9 mmol/L."
    assert (alarm.critical_key, alarm.urgency, alarm.agents) == (
        "potassium=6.9",
        "critical",
        ("doctor2",),
    )
    [update] = [update for update in played.updates if alarm in update.items]
    assert update.path == "C"
    [cite] = alarm.cites
    cited = "".join(text for seq, text in played.texts.items() if cite.first_seq <= seq <= cite.last_seq)
    assert cited.rstrip().endswith("mmol/L**."), "released at the end of its own sentence"


def test_what_is_denied_is_told_as_denied_and_what_is_doubtful_does_not_alarm(heard: Heard) -> None:
    items, _ = heard
    texts = [item.text for item in items]
    assert "Doctor Two: there are no signs of sepsis." in texts
    assert not any("6.1" in text for text in texts)


def test_dose_side_allergy_and_limits_are_told_with_their_bounds(heard: Heard) -> None:
    items, _ = heard
    texts = " ".join(item.text for item in items)
    for part in (
        "calcium gluconate 10%, 30 mL intravenously over 10 minutes",
        "penicillin allergy with anaphylaxis",
        "stop metformin 1 g twice daily; it is contraindicated below an eGFR of 30",
        "avoid enoxaparin below a clearance of 15 mL/min",
        "left ureteric",
        "haemodialysis only if potassium stays above 6.5 mmol/L",
    ):
        assert part.lower() in texts.lower(), part
    cautions = [item for item in items if item.kind is SpokenKind.CAUTION]
    assert len(cautions) > 4 and all(item.protects for item in cautions)
    (again,) = [item for item in cautions if "stop ibuprofen and trimethoprim" in item.text]
    assert not again.presses  # the supervisor has forbidden them, and Doctor Two itself held bisoprolol


def test_the_disagreement_and_the_change_of_mind_are_told_with_counts(heard: Heard) -> None:
    items, _ = heard
    texts = [item.text for item in items]
    differs = next(
        n for n, text in enumerate(texts) if text.startswith("Doctor One differs: obstructive uropathy")
    )
    sides = texts.index("Doctor Two sides with Doctor Zero on prerenal acute kidney injury. Two to one.")
    changed = next(n for n, text in enumerate(texts) if text.startswith("Doctor One has changed to prerenal"))
    assert differs < sides < changed
    assert texts[changed].endswith("All three agree.")
    assert texts[-1].startswith("Finished. Prerenal acute kidney injury, all agree; first calcium gluconate")


def test_a_recommendation_is_never_told_without_its_condition(heard: Heard) -> None:
    items, _ = heard
    for item in items:
        if "zirconium" in item.text:
            assert "once the vomiting settles" in item.text
        if "aztreonam" in item.text:
            assert "conditional recommendation" in item.text


async def test_a_value_that_the_record_contradicts_is_told_as_a_conflict() -> None:
    if not PAPER.exists():
        pytest.skip("the shipped case is not built")
    paper = CasePaper.model_validate_json(PAPER.read_text(encoding="utf-8"))
    exaim = EXAIM(paper=paper)
    [update] = await exaim.feed(Delta("doctor2", "The potassium is 9.6 mmol/L.\n", 1, 0.0))
    [item] = update.items
    assert item.text == (
        "Critical, but check: the agents say potassium 9.6 mmol/L; the case file says 6.9 mmol/L."
    )
    assert item.urgency == "critical"
