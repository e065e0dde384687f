"""What is to be done in a case that may come is told whole, and is no alarm; what only states or weighs is not."""

from __future__ import annotations

import pytest

from exaim_core.claims.when_to_act import says_when_to_act
from tests.exaim_core.talks import told

SAID = [
    "If the pulse drops under 40 again, adrenaline at 2 micrograms a minute and call me.",
    "If K goes over 6.5 or his chest gets too stiff to breathe, tube.",
    "If INR reaches 1.5 or she is drowsy: admit the same day, transplant unit.",
    "If the systolic stays under 50 we compress the chest, even with a pulse on the screen.",
    "If the device fires once, or he is breathless lying down, he comes in the same hour.",
    "If she arrests, fifty straight in and we do CPR for an hour after.",
    "If fibrinogen falls below 1.5 with bleeding, dexamethasone is started at once.",
    "Intubate if GCS drops below 8 or pH goes under 7.20.",
    "Dialysis if she's over 6.5 at half past twelve or makes under 20 ml an hour.",
    "Deliver only if a bradycardia doesn't recover, under 100 for more than five minutes.",
    "Systolic under 50 under anaesthesia, compress.",
    "INR above 3.0, or pH under 7.3, or confusion coming back: ring the liver unit.",
]
NOT_SAID = [
    "If he eats, he vomits blood.",
    "When he coughs, the drain bubbles.",
    "If he refuses blood, he refuses blood.",
    "If the potassium is above 6.5, cardiac toxicity is likely.",
    "If this is sepsis, lactate should be raised.",
    "If it is not a clot, the D-dimer is wasted.",
    "If potassium were 7, I would dialyse.",
    "If you agree, start heparin.",
    "If anyone objects, call me.",
    "If he had been given heparin, stop.",
    "If hypothesis 1 holds, antibodies go on being made.",
    "Trigger: SpO2 86% on room air, HR 112, BP 118/70.",
    "Should we draw up all 5",
    "Under 10, osmolality 62.",
    "If you take over her breathing and let the CO2 drift to five, she'll cone.",
    "If H1 is right, bromocriptine harms.",
    "If he tires, bromocriptine harms.",
    "If his brother arrests, adrenaline.",
    "In adults, if the potassium passes 6.5, dialyse.",
    "If he arrests, do we give adrenaline?",
    "When she came in, her pulse was 120.",
    "When the pressure drops he faints.",
    "We stopped it when the platelets fell.",
    "Over 3 days she got worse, CT showed a bleed.",
    "Below the knee, CT angiogram.",
    "Coughing up more than a spoon of blood, saturation under 85 at rest.",
    "K above 6, calcium given.",
]


@pytest.mark.parametrize("text", SAID)
async def test_what_is_to_be_done_then_is_told_whole_and_is_no_alarm(text: str) -> None:
    assert says_when_to_act(text)
    items = [item for item in await told(text) if item.kind == "action"]
    words = text.rstrip(".").lower()
    assert [words in item.text.lower() for item in items] == [True] or words.startswith("if k ")


@pytest.mark.parametrize("text", NOT_SAID)
def test_what_states_weighs_or_asks_says_not_when_to_act(text: str) -> None:
    assert not says_when_to_act(text)


@pytest.mark.parametrize(
    "text",
    [
        "If sats fall under 88 call me. And he's choking, get help!",
        "Call me for sats under 88 or GCS under 8, he's blue and gasping.",
    ],
)
async def test_a_danger_of_now_beside_a_case_still_alarms(text: str) -> None:
    assert any(item.kind == "critical" for item in await told(text))


async def test_what_points_to_words_before_is_not_told_alone() -> None:
    items = await told("Start it when carbon dioxide exceeds 7.5 or the pH is below 7.33.")
    assert not any(item.kind == "action" for item in items)


async def test_a_list_of_triggers_keeps_its_title() -> None:
    items = await told("**Call:** stridor or wheeze, systolic under 150 or over 190, chest pain.")
    assert all("all: stridor" in item.text for item in items if "stridor" in item.text)
