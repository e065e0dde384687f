"""Reasoning without end, for measuring what lasts: invented, of closed lists, the same for the same seed.

Four agents take turns on one case, as wordy as recorded ones: a claim in every second or third sentence. What
they speak of comes from lists of bounded length, as a case has only so many diagnoses and drugs; the values
are ever new, as a patient's are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

AGENTS: Final = ("doctor0", "doctor1", "doctor2", "supervisor")
WORDS_PER_S: Final = 8.2  # of the shipped case that has pauses: 2,491 words in 302 s
PIECE_CHARS: Final = 5  # of the recorded deltas, on average

_DIAGNOSES: Final = (
    "acute interstitial nephritis", "infective endocarditis", "sarcoidosis", "adrenal insufficiency",
    "pulmonary embolism", "viral myocarditis", "giant cell arteritis", "septic arthritis", "thyroid storm",
    "autoimmune hepatitis", "acute pancreatitis", "pericarditis", "pneumonia", "meningitis", "heart failure",
    "Crohn's disease", "polymyalgia rheumatica", "tuberculosis", "multiple myeloma", "pheochromocytoma",
)  # fmt: skip
_FINDINGS: Final = (
    "low blood pressure", "a raised troponin", "bilateral leg swelling", "a new murmur", "fever at night",
    "weight loss", "a petechial rash", "raised liver enzymes", "a tender temporal artery", "neck stiffness",
    "a low platelet count", "night sweats", "blood in the urine", "joint pain in both knees", "confusion",
    "a widened mediastinum", "shortness of breath", "pleuritic chest pain", "a dry cough", "dark urine",
)  # fmt: skip
_TESTS: Final = (
    "an echocardiogram", "blood cultures", "a renal ultrasound", "a CT scan of the chest", "D-dimer",
    "a lumbar puncture", "a kidney biopsy", "a short Synacthen test", "serum cortisol", "serum lactate",
    "an MRI of the brain", "urine sodium", "a chest radiograph", "complement levels", "an electrocardiogram",
)  # fmt: skip
_DRUGS: Final = (
    "prednisolone", "ceftriaxone", "furosemide", "enoxaparin", "amlodipine", "gentamicin", "hydrocortisone",
    "metformin", "ibuprofen", "vancomycin", "bisoprolol", "spironolactone",
)  # fmt: skip
_VALUES: Final = (
    ("Potassium", 3.4, 5.4, "mmol/L"), ("Sodium", 128, 148, "mmol/L"), ("Lactate", 0.8, 2.4, "mmol/L"),
    ("Creatinine", 70, 320, "micromol/L"), ("Haemoglobin", 82, 150, "g/L"),
    ("Heart rate", 58, 118, "per minute"), ("Temperature", 36.1, 38.9, "°C"),
    ("Platelets", 90, 400, "x10^9/L"),
)  # fmt: skip
_BETWEEN: Final = (
    "It is worth going through the whole course of the illness once more before we settle on a single view.",
    "The order in which these things appeared matters as much as the things themselves in a case like this.",
    "I have read what my colleagues said about it and will come back to their points one by one below.",
    "None of this is unusual at this age, and each part could be explained in more than one way.",
    "We should keep in mind that the history was taken in a hurry and may well be incomplete in places.",
    "The picture as a whole is more telling to me than any one of its parts would be if taken by itself.",
    "I would like to hear from the others how they weigh this before anything further is decided.",
    "What we know so far was gathered over several days, and some of it by people who are not here now.",
    "Let me set out the reasoning step by step, so that it can be followed and put right where it is wrong.",
    "This does not change how I look at the case, but it should be said for the sake of completeness.",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one agent says in one turn."""

    agent_id: str
    text: str


def turns(seed: int = 1, *, agents: tuple[str, ...] = AGENTS) -> Iterator[Turn]:
    """Yield turns without end, by each agent in its turn."""
    dice = Random(seed)
    number = 0
    while True:
        yield Turn(agents[number % len(agents)], _turn(dice))
        number += 1


def pieces(text: str) -> Iterator[str]:
    """Cut a text as a model streams it."""
    return (text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS))


def _turn(dice: Random) -> str:
    held, other = dice.sample(_DIAGNOSES, 2)
    first, second, third = dice.sample(_FINDINGS, 3)
    test, later = dice.sample(_TESTS, 2)
    drug, avoided = dice.sample(_DRUGS, 2)
    name, low, high, unit = dice.choice(_VALUES)
    value = f"{dice.uniform(low, high):.1f}" if isinstance(low, float) else str(dice.randint(low, int(high)))
    claims = [
        f"{first.capitalize()} and {second} fit with this.",
        f"{name} is {value} {unit} now.",
        f"There is no sign of {third}.",
        f"{other.capitalize()} is less likely, because {third} would be expected.",
        f"I would also consider {other} if {second} persists.",
        f"{avoided.capitalize()} should be avoided while {first} lasts.",
        f"Repeat {test.removeprefix('a ').removeprefix('an ')} in {dice.randint(2, 12)} hours.",
        f"If {second} worsens, {later} should follow.",
    ]
    body = [*dice.sample(claims, 6), *dice.sample(_BETWEEN, 10)]
    dice.shuffle(body)
    return " ".join(
        [
            f"The most likely diagnosis is {held}.",
            *body,
            f"I recommend {test}, and {drug} {dice.randint(1, 40) * 5} mg daily.",
        ]
    )
