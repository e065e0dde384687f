"""What is advised against is not asked for, wherever it stands in the list; what is asked for beside it is."""

from __future__ import annotations

import pytest

from exaim_core.patient.treatments import treatments_in


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            "I advise against giving aspirin, heparin or any thrombolytic until dissection has been excluded.",
            [],
        ),
        ("I advise strongly against aspirin, heparin, or alteplase.", []),
        ("I advise against aspirin, giving heparin instead.", ["heparin"]),
        ("I advise against aspirin, heparin should be started.", ["heparin"]),
        ("I recommend against aspirin, heparin 5000 units is to be given.", ["heparin"]),
        ("I recommend heparin, aspirin and alteplase.", ["heparin", "aspirin", "alteplase"]),
    ],
)
def test_what_is_advised_against_is_not_asked_for(said: str, asked: list[str]) -> None:
    assert [mention.word for mention, _ in treatments_in(said)] == asked
