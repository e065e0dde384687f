"""Specialties that a recruiter may choose from, and that fill a team which came back too small."""

from __future__ import annotations

from typing import Final

ROSTER: Final[tuple[tuple[str, str], ...]] = (
    # the four of the clinical decision support graph come first: a small team is filled from the top
    ("internal medicine physician", "Looks at the patient as a whole, at common causes first."),
    ("cardiologist", "Looks at the heart, the circulation and the ECG."),
    ("laboratory physician", "Looks at what the laboratory values say, and what is missing among them."),
    ("radiologist", "Looks at imaging: what it shows, and what to order."),
    ("emergency physician", "Looks at what could kill in the next hours."),
    ("pharmacist", "Looks at drugs: effects, interactions, doses."),
    ("infectious disease specialist", "Looks at infections, exposure and resistance."),
    ("neurologist", "Looks at the nervous system."),
    ("nephrologist", "Looks at the kidneys, fluids and electrolytes."),
    ("pulmonologist", "Looks at the lungs and at breathing."),
    ("gastroenterologist", "Looks at the gut, the liver and the pancreas."),
    ("endocrinologist", "Looks at hormones and metabolism."),
    ("hematologist", "Looks at blood and clotting."),
    ("oncologist", "Looks at tumours."),
    ("rheumatologist", "Looks at joints, vessels and immunity."),
    ("surgeon", "Looks at what needs an operation."),
    ("pediatrician", "Looks at children, and what differs in them."),
    ("obstetrician-gynecologist", "Looks at pregnancy and the female organs."),
    ("psychiatrist", "Looks at mind and behaviour."),
    ("dermatologist", "Looks at the skin."),
    ("geriatrician", "Looks at age, frailty and many drugs at once."),
)


def roster_lines() -> str:
    """Return the roster, a specialty a line."""
    return "\n".join(f"- {role}: {task}" for role, task in ROSTER)
