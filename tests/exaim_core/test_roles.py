"""A value of this patient alarms beside a limit, a usual value or somebody else's; those alone alarm nobody."""

from __future__ import annotations

import pytest

from exaim_core.claims.roles import measured_only
from tests.exaim_core.talks import told

ALARMS = [
    ("Haemoglobin 52 against a threshold of 70.", "52"),
    ("Platelets 9, threshold 10.", "9"),
    ("Hb 52 vs a target of 80.", "52"),
    ("Call me if systolic is below 120; the last one is 72.", "72"),
    ("Potassium, call me above 6.5, it's 6.9 now.", "6.9"),
    ("If K > 6.5, dialyse; K is 6.9 now.", "6.9"),
    ("Transfuse below 70 g/L; his Hb is 52 g/L.", "52"),
    ("Transfusion threshold is 70, her Hb is 52.", "52"),
    ("The threshold is 8, his GCS is 6.", "6"),
    ("Target potassium 4-5, hers is 6.8.", "6.8"),
    ("Target potassium 4–5 mmol/L, hers is 6.8 mmol/L.", "6.8"),
    ("Target sodium is 118 by noon, it is 116 now.", "116"),
    ("Aim for a MAP above 65; she's at 48.", "48"),
    ("Our K limit is 6.0 and hers is 6.9.", "6.9"),
    ("Hb threshold 70, current 52.", "52"),
    ("Potassium: limit 6, actual 6.9.", "6.9"),
    ("SpO2 target is 94 %, she's only at 79 %.", "79"),
    ("His brother's potassium was 4.0, his is 6.9.", "6.9"),
    ("Hb: his brother's was 140, his is 58.", "58"),
]
SILENT = [
    "Target potassium 4-5, hers is 4.8.",
    "Target potassium 4-5, hers was 6.9 last year.",
    "Target potassium 4-5, his brother's is 6.9.",
    "Target Hb 70, her mother's is 52.",
    "Hb threshold 70, her target is 52.",
    "His brother's potassium was 6.9, his is 4.0.",
    "Her mother's Hb was 52, hers is 130.",
    "They rang about the lady in bed 9, her haemoglobin is 62, for team B.",
    "In 2019, her target was 5, her potassium was 6.9.",
    "In the trial the haemoglobin threshold was 70, the mean was 52.",
    "Suppose the target potassium is 4, hers is 6.9.",
    "If the target is 4 and hers is 6.9, dialyse.",
    "If potassium is above 6.5, hers is 7 then we dialyse.",
    "A haemoglobin of 52 against a threshold of 70 would be transfused.",
    "Threshold for Hb is 70, now 52 would be too low.",
    "Transfuse below 70; if it is 52 give two.",
    "Call me below 70 or at 52; the last one is 98.",
    "Hb target 70, hers is not 52.",
    "Is her target 70, hers is 52?",
    "Platelets threshold 10, hers is 9?",
    "Platelets 9 is the threshold, hers are 60.",
    "MAP 48 was the target.",
    "Aim for a pH above 7.1; at 7.0 call me.",
    "GCS trigger 8, or it is 7, tube.",
    "Usual sats 94, now he's 80 years old.",
    "Target MAP 65, she is at 48 hours.",
]


async def _alarms(text: str) -> list[str]:
    return [item.text for item in await told(text) if item.kind == "critical"]


@pytest.mark.parametrize(("text", "value"), ALARMS)
async def test_a_value_of_now_alarms_beside_what_it_is_held_against(text: str, value: str) -> None:
    assert any(value in alarm for alarm in await _alarms(text))


@pytest.mark.parametrize("text", SILENT)
async def test_what_a_value_is_held_against_alarms_nobody(text: str) -> None:
    assert not await _alarms(text)


def test_a_number_with_a_role_is_left_out_with_its_words_and_all_else_keeps_its_place() -> None:
    text = "Target potassium 4-5, hers is 6.8 now."
    assert measured_only(text) == "       potassium              6.8 now."


@pytest.mark.parametrize(
    "text", ["Target potassium 4-5.", "Potassium 6.9, sodium 130.", "Threshold passed, Hb 52, K 4."]
)
def test_a_sentence_without_two_roles_stays_as_it_is(text: str) -> None:
    assert measured_only(text) == text
