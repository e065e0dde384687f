"""Emergencies in a team's short words, and what only looks like one."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.claims.critical import critical_findings
from exaim_core.claims.limits import Cue, table
from tests.exaim_core.talks import told


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("No pulse, starting compressions.", "cardiac arrest"),
        ("We are doing CPR.", "cardiac arrest"),
        ("We've just lost output.", "cardiac arrest"),
        ("VF on the monitor, shock now.", "ventricular fibrillation"),
        ("ECG shows an inferior STEMI.", "ST-elevation myocardial infarction"),
        ("Both pupils are fixed and dilated.", "brain herniation"),
        ("Massive haemoptysis, call the team.", "major haemorrhage"),
    ],
)
async def test_an_emergency_in_a_few_words_alarms(text: str, what: str) -> None:
    items = await told(text)
    assert any(item.kind == "critical" and what in item.text for item in items), items


@pytest.mark.parametrize(
    "text",
    [
        "No pulse deficit, no murmur.",
        "No pulse oximeter here.",
        "If no pulse, start CPR.",
        "ECG shows no STEMI.",
        "This is not a STEMI.",
        "We would be starting compressions if he arrests.",
        "Her sister had massive haemoptysis in 2010.",
        "Watch for massive haematemesis.",
        "He has lost weight.",
        "He lost his pulse in the foot after the cast.",
        "No pulse was documented in the notes of 2019.",
        "Are we doing CPR?",
        "VF on the monitor would change that.",
    ],
)
async def test_what_only_looks_like_one_alarms_nobody(text: str) -> None:
    assert not [item for item in await told(text) if item.kind == "critical"]


@pytest.mark.parametrize(
    "text",
    ["Biopsy confirms lymphoma.", "The CT rules out a dissection.", "The MRI excludes cord compression."],
)
async def test_a_result_that_decides_is_on_the_page_though_nobody_had_thought_of_it(text: str) -> None:

    exaim = EXAIM()
    updates = await exaim.feed(Delta("doctor1", text, 1, 1.0)) + await exaim.turn_end("doctor1", 2, 2.0)
    updates += await exaim.finish(9.0)
    assert any(text.rstrip(".") in update.summary.key_findings for update in updates)


@pytest.mark.parametrize("cue", [each for each in table().cues if each.example], ids=lambda cue: cue.name)
def test_a_cue_alarms_on_its_example_and_not_on_its_counter_example(cue: Cue) -> None:
    assert cue.name in {each.key.removeprefix("cue:") for each in critical_findings(cue.example)}
    assert not critical_findings(cue.counter)


@pytest.mark.parametrize(
    "text",
    [
        "BP of 160/110 or more in pregnancy is treated.",
        "Keep the BP below 160/110 in pregnancy.",
        "Her BP was 170/112 in her last pregnancy.",
        "In pre-eclampsia, BP 165/115 warrants labetalol.",
        "If the pupils are unequal, call neurosurgery.",
        "If he has another seizure, give lorazepam.",
        "We should exclude spinal cord compression.",
        "He had spinal cord compression in 2019.",
    ],
)
def test_what_only_names_such_an_emergency_alarms_nobody(text: str) -> None:
    assert not critical_findings(text)


async def test_the_status_shows_the_words_of_an_emergency_without_a_name_while_there_is_room() -> None:
    shown = await _status("He's slurring and choking on his tea, going blue.")
    assert shown == "Check: he's slurring and choking on his tea, going blue."
    many = await _status(
        "She's fixed and dilated on the left, GCS falling, she's coning.\n"
        "He's slurring and choking on his tea, going blue.\nCrash team now, he's not breathing!\nPotassium 7.1.\n"
    )
    assert "potassium 7.1" in many and many.count("Check: ") == 3


async def _status(said: str) -> str:
    exaim = EXAIM()
    updates = [
        *await exaim.feed(Delta("doctor1", said, 1, 0.0)),
        *await exaim.turn_end("doctor1", 2, 1.0),
    ]
    return updates[-1].summary.status_action
