"""Views as they are said in talk: a dissent, a mind that changes to the same view, an agreement; lists in one line."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.claims.emergencies import emergency_in_words
from exaim_core.text.boundaries import sentences

LED = ("doctor0", "I lead with eclampsia.")
CHANGED = [
    "I change my mind. I now lead with eclampsia, as the headache has gone.",
    "I take that back. My leading diagnosis is eclampsia.",
    "I have changed my mind. I lead with eclampsia.",
    "I withdraw my view. I lead with eclampsia, since the pressure is 180.",
    "I was wrong. I now think this is eclampsia.",
    "I withdraw my leading diagnosis. I favour eclampsia.",
]
DISSENT = [
    ("I disagree. I think this is cerebral venous sinus thrombosis, because it hurt first.", "thrombosis"),
    ("I think this is a variceal bleed until proven otherwise.", "variceal bleed"),
    ("To me this is cerebral venous sinus thrombosis.", "thrombosis"),
    ("I believe this is a variceal bleed.", "variceal bleed"),
    ("I don't agree. I think this is sepsis from the biliary tree.", "sepsis"),
    ("I disagree. I think that this is aortic dissection, because the pulses differ.", "dissection"),
]
NO_VIEW = [
    "I think this is the wrong patient.",
    "I think this is a good plan.",
    "I think this is not eclampsia.",
    "I think this is a question for cardiology.",
    "I think this is what killed her mother.",
    "I think this is her second seizure.",
    "I think this is the aspirin.",
    "I think this is worth a scan.",
]
NOW = [
    "It's anaphylaxis, I gave her co-amoxiclav ten minutes ago.",
    "This is anaphylaxis, the first dose went in ten minutes ago.",
    "It is anaphylaxis, and she had co-amoxiclav an hour ago.",
    "We have a cord prolapse, the waters went two minutes ago.",
    "It's eclampsia, she presented with a headache.",
    "This is a cardiac arrest, he was found in the corridor.",
]
NOT_NOW = [
    "It's not anaphylaxis, I gave her co-amoxiclav ten minutes ago.",
    "It's anaphylaxis I worry about, she had co-amoxiclav an hour ago.",
    "It was anaphylaxis, I gave her co-amoxiclav in 2019.",
    "It's anaphylaxis, two weeks ago.",
    "It's anaphylaxis, last year.",
    "If it's anaphylaxis, I gave it ten minutes ago.",
    "It's anaphylaxis, the day before yesterday.",
    "Her chart says anaphylaxis, I gave her co-amoxiclav a year ago.",
]
TWO_SENTENCES = [
    "The lactate was 2. Give fluids.",
    "Her GCS is 3. Intubate now.",
    "GCS: 3. Intubate now.",
    "The lactates were 5, 4, 2. Give fluids.",
    "She is on day 2. Caesarean was on Monday.",
    "Potassium came back at 3. Repeat it.",
]


async def talk(*said: tuple[str, str]) -> list[Update]:
    """Return the updates of a talk that ends."""
    exaim, made = EXAIM(), list[Update]()
    for number, (agent, text) in enumerate(said):
        made += await exaim.feed(Delta(agent, text, 2 * number, float(number)))
        made += await exaim.turn_end(agent, 2 * number + 1, number + 0.5)
    return [*made, *await exaim.finish(len(said) + 5.0)]


async def items(*said: tuple[str, str]) -> list[str]:
    """Return what is told of a talk."""
    return [item.text for update in await talk(*said) for item in update.items]


@pytest.mark.parametrize("text", CHANGED)
async def test_who_changes_to_a_view_holds_it(text: str) -> None:
    updates = await talk(LED, ("doctor1", "The headache began at noon."), ("doctor1", text))
    told = " ".join(updates[-1].summary.model_dump().values())
    assert "Doctor One leads with eclampsia" in told
    assert "withdrawn" not in told


async def test_who_only_takes_back_its_view_holds_none() -> None:
    updates = await talk(LED, ("doctor1", "I lead with gout."), ("doctor1", "I change my mind."))
    assert "Doctor One leads with gout" not in " ".join(updates[-1].summary.model_dump().values())


@pytest.mark.parametrize(("text", "view"), DISSENT)
async def test_who_thinks_that_this_is_something_else_differs(text: str, view: str) -> None:
    told = [each for each in await items(LED, ("doctor1", text)) if each.startswith("Doctor One differs: ")]
    assert len(told) == 1
    assert view in told[0]


@pytest.mark.parametrize("text", NO_VIEW)
async def test_what_else_this_is_thought_to_be_is_no_view(text: str) -> None:
    assert not any("differs" in each or "agrees" in each for each in await items(LED, ("doctor1", text)))


AGREED = [
    "I agree with Doctor 0 that it is eclampsia.",
    "I agree, this is eclampsia.",
    "I agree with you that this is eclampsia.",
]


@pytest.mark.parametrize("text", AGREED)
async def test_an_agreement_is_no_alarm(text: str) -> None:
    assert not any(each.startswith(("Check", "Critical")) for each in await items(LED, ("doctor2", text)))


@pytest.mark.parametrize(
    "said",
    [
        (("doctor2", "I agree that it is eclampsia."),),  # with nobody's view
        (LED, ("doctor2", "I agree that it is eclampsia, and she is fitting now.")),
        (LED, ("doctor2", "I agree it is eclampsia, crash team please!")),
        (LED, ("doctor2", "I agree with Doctor 0 that this is anaphylaxis.")),
    ],
)
async def test_what_an_agreement_adds_alarms(said: tuple[tuple[str, str], ...]) -> None:
    assert any(each.startswith(("Check", "Critical")) for each in await items(*said))


@pytest.mark.parametrize("text", NOW)
def test_what_was_in_another_clause_keeps_no_emergency_from_being_now(text: str) -> None:
    assert emergency_in_words(text)


@pytest.mark.parametrize("text", NOT_NOW)
def test_an_emergency_that_was_or_is_not_is_none(text: str) -> None:
    assert not emergency_in_words(text)


@pytest.mark.parametrize("text", TWO_SENTENCES)
def test_a_value_at_the_end_ends_its_sentence(text: str) -> None:
    assert len(sentences(text)) == 2


@pytest.mark.parametrize(
    "order",
    [
        "I would start enoxaparin 70 mg twice daily as soon as the scan is done.",
        "Start heparin as long as the troponin is flat.",
        "I would extubate as soon as she is awake.",
    ],
)
async def test_what_an_order_waits_for_is_no_reason_that_may_go(order: str) -> None:
    told = [each for each in await items(("doctor0", order)) if "Finished" not in each]
    assert all(each.endswith(order[-12:]) for each in told)
