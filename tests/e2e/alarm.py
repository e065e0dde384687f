"""A case that begins with a critical finding: who wants to see one need not wait for it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.e2e import mini

CASE_ID: Final = "case-alarm"
TURNS: Final = (
    ("supervisor", "Doctor0"),
    (
        "doctor0",
        (
            "The potassium is 6.9 mmol/L, and the ECG shows peaked T waves.\n\n"
            "### Most Likely Diagnosis:\n"
            "**Acute kidney injury** - four days of vomiting, and he has passed little urine.\n\n"
            "### Recommended Treatment:\n1. **Calcium gluconate** - 30 mL of 10% over ten minutes.\n"
        ),
    ),
    ("doctor0", "Supervisor"),
    ("supervisor", "### Summary:\n**Acute kidney injury** leads.\n\nTERMINATE"),
)


def write(folder: Path) -> None:
    """Write the trace into `folder`."""
    mini.write(folder, case_id=CASE_ID, turns=TURNS)
