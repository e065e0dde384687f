"""A life-threatening rhythm that is there now alarms, whatever verb leads to it; one that is not is silent."""

from __future__ import annotations

import pytest

from exaim_core.claims.emergencies import says_rhythm
from tests.exaim_core.talks import told


@pytest.mark.parametrize(
    "text",
    [
        # whatever verb
        "He's back in VT.",
        "Back in VF.",
        "She's gone into VT again.",
        "She's flipped back into VT.",
        "The patient has reverted to ventricular fibrillation.",
        "He keeps dropping into VT.",
        "He's in and out of VT.",
        "He seems to be back in VT.",
        "He ended up in VF after the flush.",
        "The amiodarone put him into VF.",
        "Oh no, he's back in v-tach.",
        # what shows it, or what it is called
        "The monitor's back in VT.",
        "The rhythm has degenerated into VF.",
        "That's VT again.",
        "VF's back.",
        "He's got VT on the monitor.",
        "It's VF!",
        # another clause is of the past, denies, asks or supposes
        "ROSC at ten, now he's back in VT.",
        "He was shocked twice and he's back in VF.",
        "He was extubated this morning and she's gone into VT.",
        "No pulse and he's back in VT.",
        "No, he's back in VT.",
        "Not sepsis: he's in VT.",
        "Lidocaine didn't hold him, he's back in VT.",
        "He's in VT, do you want amiodarone?",
        "He's back in VT, he may need another shock.",
        "At the moment he's in VT.",
        "He's been in VT for ten minutes.",
    ],
)
async def test_a_rhythm_that_is_there_now_alarms_in_these_words(text: str) -> None:
    alarms = [item.text.lower() for item in await told(text) if item.kind == "critical"]
    assert any(text[1:].strip(".!?").lower() in alarm for alarm in alarms), alarms


@pytest.mark.parametrize(
    "text",
    [
        "He was in VT last week.",
        "If he goes back into VT, shock him.",
        "When he goes into VT, stop the exercise test.",
        "Call me the moment he's back in VT.",
        "As soon as he's in VF, charge.",
        "Every time we wean him he goes into VT.",
        "No more VT.",
        "Not VT.",
        "He's not in VT.",
        "He hasn't gone back into VT.",
        "I don't think he's in VT.",
        "Nobody said he's in VT.",
        "VT is ruled out.",
        "He's out of VT.",
        "He went into VT for ten seconds, self-terminated.",
        "He's in VT, no, artefact.",
        "A VT alarm that was artefact.",
        "His brother was in VT.",
        "The next patient is in VT.",
        "VT is what we fear.",
        "We'd hate him to go back into VT.",
        "He's prone to going into VT.",
        "You'll tip him into VF.",
        "Is he back in VT?",
        "He's in VT?",
        "In VT, give amiodarone.",
        "Amiodarone works in VT.",
        "He gets amiodarone in VT.",
        "Long QT degenerates into torsades.",
        "It's VT or SVT with aberrancy.",
        "There's VT on the Holter.",
        "He's been in VT before.",
        "Set the VT to 420.",
        "He's due for VT ablation.",
        "This is a drill: he's in VT.",
        "VT is back on the differential.",
    ],
)
async def test_a_rhythm_that_is_not_there_now_alarms_nobody(text: str) -> None:
    assert not [item for item in await told(text) if item.kind == "critical"]


@pytest.mark.parametrize(
    ("first", "then", "count"),
    [
        ("He's in VF.", "He's back in VF.", 2),
        ("She's fitting.", "She's fitting again.", 2),
        ("He's in VF.", "He's in VF.", 1),
        ("He's in VF.", "Again: he's in VF.", 1),
        ("He's back in VF.", "Yes, back in VF.", 1),
        ("She's fitting.", "She's still fitting.", 1),
        ("He's in VF.", "If he's back in VF, charge.", 1),
    ],
)
async def test_one_that_is_said_to_have_come_again_alarms_again(first: str, then: str, count: int) -> None:
    alarms = [item for item in await told(first, "Understood.", then) if item.kind == "critical"]
    assert len(alarms) == count, alarms


async def test_a_rhythm_is_told_beside_a_critical_value_of_its_sentence() -> None:
    alarms = [item.text for item in await told("He's back in VT, BP 62/30.") if item.kind == "critical"]
    assert any("62/30" in alarm for alarm in alarms) and any("VT" in alarm for alarm in alarms)


def test_a_name_that_only_heads_what_is_to_be_done_says_nothing() -> None:
    assert says_rhythm("Back in VF, charging.")
    assert not says_rhythm("VF: shock at once.")
