"""What stops a treatment by a word behind it: "Tramadol off". The rows are of an author who saw no code."""

from __future__ import annotations

from pathlib import Path

import pytest

from exaim_core.claims.revoking import treatments_taken_back
from exaim_core.lexicon.prohibitions import stopped_behind
from lab.yamlfile import read_yaml
from tests.exaim_core.test_quotes import told

ROWS = read_yaml(Path("tests/gold/clipped_stops.yaml"))


@pytest.mark.parametrize("text", [row["text"] for row in ROWS["stops"]])
async def test_a_clipped_stop_is_told(text: str) -> None:
    assert any(item.kind != "closing" for item in await told(("A", f"{text}\n")))


@pytest.mark.parametrize("text", [row["text"] for row in ROWS["stops_nothing"]])
async def test_what_looks_like_one_is_told_as_no_caution(text: str) -> None:
    assert not any(item.kind == "caution" for item in await told(("A", f"{text}\n")))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Tramadol off, lowers the threshold.", ("Tramadol",)),
        ("Aspirin and clopidogrel: off.", ("Aspirin and clopidogrel",)),
        ("Give paracetamol, tramadol off.", ("tramadol",)),
        ("Heparin off, says his wife's chart.", ()),
        ("Metformin stopped in May.", ()),
        ("Sitagliptin not stopped.", ()),
        ("The pain is off.", ()),
        ("The NG tube is out.", ()),
        ("Chest drain out.", ()),
        ("Amitriptyline out.", ("Amitriptyline",)),
        ("Doxycycline is out.", ("Doxycycline",)),
        ("Chest drain: no.", ("Chest drain",)),
    ],
)
def test_what_is_stopped_is_named_as_written(text: str, what: tuple[str, ...]) -> None:
    assert stopped_behind(text) == what


def test_what_was_stopped_so_is_no_order_any_more() -> None:
    assert treatments_taken_back("Haloperidol struck, QTc 498.") == ("Haloperidol",)


async def test_what_is_asked_about_and_stopped_behind_its_reason_is_told_whole() -> None:
    said = [item.text for item in await told(("A", "Haloperidol? QTc 498. Stop.\n"))]
    assert "Caution, Agent A: haloperidol? QTc 498. Stop." in said


@pytest.mark.parametrize(
    "text",
    [
        "Heparin on and warfarin off.",
        "Nobody wants warfarin stopped.",
        "The INR fell once warfarin stopped.",
        "Vancomycin resistance: no.",
        "Allergies: penicillin no, latex yes.",
        "Home medication: insulin no, metformin yes.",
        "Adrenaline goes now, 0.5 mg.",
        "Heparin held for the puncture, restarted at six.",
        "My other patient: metformin off.",
        "If the QTc passes 500, amiodarone off.",
        "Warfarin? Took it until May. Stopped.",
    ],
)
def test_an_order_stays_where_nothing_of_it_is_stopped(text: str) -> None:
    assert not {"heparin", "penicillin", "insulin", "metformin", "adrenaline", "amiodarone", "vancomycin"} & {
        part.lower() for part in treatments_taken_back(text)
    }


@pytest.mark.parametrize(
    "text",
    [
        "Clopidogrel off, aspirin continues.",
        "Clopidogrel stopped, bleeding continues.",
        "Clopidogrel off, platelets below 50.",
        "Clopidogrel off, it would finish his kidneys.",
        "Update: clopidogrel off, INR 6.",
        "At 14:05 he bled, clopidogrel off.",
    ],
)
def test_what_stands_around_a_stop_does_not_undo_it(text: str) -> None:
    assert "clopidogrel" in [part.lower() for part in treatments_taken_back(text)]
