"""Which drugs a text names: an antidote is not the drug that it is made against."""

from __future__ import annotations

import pytest

from exaim_core.lexicon.drugs import drugs_named


@pytest.mark.parametrize(
    "text",
    [
        "Give digoxin-specific antibody fragments.",
        "Digoxin immune Fab, ten vials.",
        "Have digoxin Fab at hand.",
        "Digoxin antibodies are in the pharmacy.",
    ],
)
def test_an_antidote_is_not_the_drug(text: str) -> None:
    assert "digoxin" not in drugs_named(text)


@pytest.mark.parametrize("text", ["Stop digoxin.", "Hold digoxin, and get Fab.", "digoxin-induced vomiting"])
def test_the_drug_itself_is(text: str) -> None:
    assert drugs_named(text) == {"digoxin"}
