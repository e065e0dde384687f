"""A case in which nothing presses, with its paper: what a clinician stops or asks for is at once what comes next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.e2e import mini

CASE_ID: Final = "case-calm"
WORDS_PER_S: Final = 4.0  # not much faster than it is read aloud: little waits
TURNS: Final = (
    ("supervisor", "Doctor0"),
    (
        "doctor0",
        (
            "### Most Likely Diagnosis:\n"
            "**Gout of the first toe** - the joint came up red and swollen overnight.\n\n"
            "### Recommended Diagnostic Tests:\n"
            "1. **Aspiration of the joint** - to look for crystals in the fluid.\n"
            "2. **X-ray of the foot** - to see whether the bone is worn.\n"
        ),
    ),
    ("doctor0", "Doctor1"),
    (
        "doctor1",
        (
            "### Most Likely Diagnosis:\n"
            "**Calcium pyrophosphate disease of the foot** - he is old for a first attack of gout.\n\n"
            "### Recommended Treatment:\n"
            "1. **Colchicine** - 500 micrograms twice daily for one week.\n"
        ),
    ),
    ("doctor1", "Doctor2"),
    (
        "doctor2",
        (
            "### Most Likely Diagnosis:\n"
            "**Gout of the first toe** - the first toe is where gout begins in most.\n\n"
            "### Recommended Diagnostic Tests:\n"
            "1. **Ultrasound of the joint** - to look for a double contour.\n\n"
            "### Recommended Treatment:\n"
            "1. **A cold pack on the joint** - for half an hour, four times daily.\n"
        ),
    ),
    ("doctor2", "Doctor1"),
    (
        "doctor1",
        (
            "I change my mind: **gout of the first toe** is more likely than calcium pyrophosphate disease.\n\n"
            "### Recommended Diagnostic Tests:\n"
            "1. **Uric acid once more in four weeks** - it may be normal during an attack.\n"
        ),
    ),
    ("doctor1", "Supervisor"),
    (
        "supervisor",
        "### Summary:\n**Gout of the first toe** leads, and the joint is aspirated first.\n\nTERMINATE",
    ),
)
PAPER: Final[dict[str, Any]] = {
    "case_id": CASE_ID,
    "title": "A painful first toe since last night",
    "fictional": True,
    "age": 71,
    "age_unit": "years",
    "sex": "male",
    "presenting_complaint": "A red and painful first toe since last night.",
    "medication": [
        {"drug": "indapamide", "dose": 1.5, "unit": "mg", "route": "oral", "frequency": "once daily"}
    ],
    "allergies": [{"substance": "penicillin", "reaction": "rash", "year": 1998}],
    "labs": [
        {"analyte": "potassium", "value": 4.6, "unit": "mmol/L", "reported_at": "08:05"},
        {"analyte": "uric acid", "value": 512, "unit": "micromol/L", "reported_at": "08:05"},
    ],
}


def write(folder: Path) -> None:
    """Write the trace and its paper into `folder`."""
    mini.write(folder, case_id=CASE_ID, turns=TURNS, words_per_s=WORDS_PER_S)
    (folder / f"{CASE_ID}.paper.json").write_text(json.dumps(PAPER), encoding="utf-8")
