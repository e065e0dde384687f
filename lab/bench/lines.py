"""Lines of about 14 s for the bench: no pause of 0.25 s in them, no two alike, no word of a command."""

from __future__ import annotations

import random
from typing import Final

CLAUSES: Final = (
    "the left leg is four centimetres wider than the right",
    "the fever has not come back since the second day",
    "the moderator still counts three open views on this",
    "an echocardiogram was asked for by the second doctor",
    "the urine sodium speaks for a loss of volume",
    "both lungs were clear when the surgeon listened to them",
    "the rash spared the face and both of the hands",
    "the creatinine has doubled within less than four days",
    "the family remembers a similar illness in an uncle",
    "the abdominal scan showed no free air and no fluid",
    "the calcium was normal in all three of the samples",
    "the pain began at night and moved towards the back",
    "the white cell count has fallen by nearly a half",
    "the third doctor changed sides after the biopsy came",
    "the platelets have been stable for more than a week",
    "the pulse was weaker in the right arm than in the left",
    "the spinal fluid was clear and its pressure was normal",
    "the thyroid hormone turned out to be only slightly raised",
    "the blood cultures from both arms are still awaited",
    "the jugular pressure was raised and both ankles were swollen",
    "the tablets were taken for longer than the label advises",
    "the chest film from last winter looked exactly the same",
    "the lactate rose twice although the pressure was steady",
    "the first doctor gives more weight to the flank pain",
)
_JOINED: Final = ", and "
CLAUSES_EACH: Final = 4


def line(number: int) -> str:
    """Return the line of a number; the same each time."""
    chosen = random.Random(number).sample(CLAUSES, CLAUSES_EACH)
    text = _JOINED.join(chosen)
    return f"{text[0].upper()}{text[1:]}."
