# ruff: noqa: E501 - sentences stay whole
"""What is withdrawn, stopped or forbidden: off the board, out of the page and the closing, and said."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Update
from exaim_core.claims.revoking import is_about, treatments_taken_back
from tests.exaim_core.test_exaim import play, spoken
from tests.exaim_core.test_whose_words import items, played

PLAN = """### Most Likely Diagnosis:
**Acute ischaemic stroke** - given sudden weakness of the left arm.

### Immediate Actions:
1. **Alteplase 0.9 mg/kg intravenously** - within the window.
2. **Clopidogrel 300 mg by mouth** - once she can swallow safely.
3. **Mechanical thrombectomy** - the angiography suite has been told.
4. **Labetalol 10 mg intravenously** - slowly.
"""


async def after(*turns: tuple[str, str]) -> tuple[tuple[Update, ...], EXAIM]:
    updates, exaim, _ = await play((("doctor0", PLAN), *turns))
    return updates, exaim


def asked(exaim: EXAIM) -> list[str]:
    return [claim.entity.split(" ")[0] for claim in exaim.board.actions if claim.entity]


@pytest.mark.parametrize(
    ("agent", "text", "gone"),
    [
        ("doctor0", "I withdraw alteplase, because the platelets are 40 x10^9/L.", {"alteplase"}),
        ("doctor0", "I no longer recommend alteplase or labetalol.", {"alteplase", "labetalol"}),
        ("doctor0", "I retract my recommendation of clopidogrel.", {"clopidogrel"}),
        ("doctor1", "Do not give alteplase.", {"alteplase"}),
        ("doctor1", "Alteplase must not be given, since she takes apixaban.", {"alteplase"}),
        ("doctor1", "Thrombolysis is contraindicated after the operation last week.", {"alteplase"}),
        ("doctor1", "No antiplatelet before the second scan.", {"clopidogrel"}),
        ("doctor1", "No clopidogrel until the second scan has been read.", {"clopidogrel"}),
        ("doctor0", "I stand corrected on labetalol and withdraw that recommendation.", {"labetalol"}),
        ("doctor1", "I do not think clopidogrel is a good idea; please don't give it.", {"clopidogrel"}),
        ("supervisor", "My ruling: the scan comes first, no clopidogrel, no labetalol.", {"clopidogrel", "labetalol"}),
        ("doctor1", "### Actions:\n1. **Call the surgeon** - labetalol has not been given and must not be.", {"labetalol"}),
        ("doctor2", "He bled last week, so alteplase is out of the question.", {"alteplase"}),
        ("supervisor", "### Final Plan:\n1. **Do not give**: alteplase, labetalol.\n", {"alteplase", "labetalol"}),
        ("doctor1", "Stop labetalol and start fluids.", {"labetalol"}),
        ("doctor1", "Beta-blockers should be avoided in her asthma.", {"labetalol"}),
        ("doctor1", "Hold clopidogrel until the bleeding is explained.", {"clopidogrel"}),
        ("doctor1", "The angiography suite can stand down.", {"mechanical"}),
        ("doctor1", "Thrombectomy is no longer needed.", {"mechanical"}),
        ("doctor1", "Please cancel the thrombectomy.", {"mechanical"}),
        ("supervisor", "### Ruling:\n**No alteplase or clopidogrel until the scan is read** - if it shows blood, either would kill.", {"alteplase", "clopidogrel"}),
        ("doctor1", "Withdraw labetalol.", {"labetalol"}),
        ("doctor1", "There is no reason to hold clopidogrel; please stop labetalol.", {"labetalol"}),
        ("doctor1", "### Drug Check:\n1. **Labetalol** - stop it, her pulse is 44 per minute.", {"labetalol"}),
        ("doctor1", "### Withdrawn Treatment:\n1. **Clopidogrel 300 mg**\n2. **Alteplase**\n", {"clopidogrel", "alteplase"}),
    ],
)  # fmt: skip
async def test_an_order_that_is_taken_back_or_forbidden_leaves_the_board_the_page_and_the_closing(
    agent: str, text: str, gone: set[str]
) -> None:
    updates, exaim = await after((agent, f"{text}\n"))

    assert {"alteplase", "clopidogrel", "mechanical", "labetalol"} - set(asked(exaim)) == gone
    page = updates[-1].summary.recommendation_next_step.lower()
    assert not any(f"{name} 0" in page or f"{name} 1" in page or f"{name} 3" in page for name in gone)
    closing = spoken(updates)[-1].lower()
    assert not any(name in closing.replace(f"no {name}", "") for name in gone)  # a ban may be quoted
    told = " ".join(spoken(updates)[3:-1]).lower()
    words = {"mechanical": ("thrombectomy", "angiography suite"), "alteplase": ("alteplase", "thrombolysis")}
    words |= {"clopidogrel": ("clopidogrel", "antiplatelet"), "labetalol": ("labetalol", "beta-blockers")}
    assert all(any(word in told for word in words[name]) for name in gone), "it is worth saying itself"


@pytest.mark.parametrize(
    "text",
    [
        "Do not delay alteplase.",
        "If the scan shows blood, alteplase must not be given.",
        "Should she bleed, stop alteplase at once.",
        "Were she to vomit, clopidogrel would have to stop.",
        "There is no contraindication to alteplase.",
        "No more than 90 mg of alteplase should be given.",
        "Do not stop labetalol.",
        "Labetalol must not be stopped.",
        "Alteplase should not be withheld.",
        "Clopidogrel should never be held.",
        "A rash is no reason to withhold clopidogrel.",
        "There is no need for us to stop labetalol.",
        "It is not necessary to hold clopidogrel.",
        "You should withdraw your veto on labetalol.",
        "Please withdraw the comment on clopidogrel.",
        "Withdraw labetalol 2 mL from the ampoule and give it slowly.",
        "She has no allergy to clopidogrel.",
        "Should we withhold alteplase?",
        "No alteplase has been given yet.",
        "Stop labetalol if the heart rate falls below 50 per minute.",
        "I agree with alteplase, and there is no reason to wait.",
        "Do not give alteplase faster than over 60 minutes.",
    ],
)
async def test_a_delay_a_limit_a_condition_or_a_denied_ban_takes_nothing_off(text: str) -> None:
    _, exaim = await after(("doctor1", f"{text}\n"))

    assert set(asked(exaim)) == {"alteplase", "clopidogrel", "mechanical", "labetalol"}


@pytest.mark.parametrize(
    "text",
    [
        "Levodopa must never be stopped.",
        "Baclofen should never be withheld.",
        "Alteplase should not be withheld.",
        "Labetalol must not be stopped.",
    ],
)
async def test_a_forbidden_stop_is_a_caution(text: str) -> None:
    told = items(await played(("doctor1", text)))
    assert [item.kind for item in told if item.kind != "closing"] == ["caution"]


@pytest.mark.parametrize("text", ["Levodopa need not be stopped.", "Levodopa was never stopped."])
async def test_a_stop_that_is_not_needed_or_was_not_made_is_no_caution(text: str) -> None:
    assert "caution" not in {item.kind for item in items(await played(("doctor1", text)))}


async def test_a_class_takes_its_members_but_a_drug_does_not_take_its_class() -> None:
    assert is_about("anticoagulants", "enoxaparin 40 mg subcutaneously")
    assert is_about("NSAIDs", "diclofenac 75 mg")
    assert is_about("the saline", "sodium chloride 0.9%, 200 mL/hour")
    assert not is_about("sodium chloride", "sodium bicarbonate 8.4%")
    assert not is_about("enoxaparin", "heparin 5,000 units")
    assert not is_about("potassium", "piperacillin 4 g")


def test_what_is_put_in_its_place_is_not_taken_back() -> None:
    assert treatments_taken_back("Stop enoxaparin and give protamine 50 mg.") == ("enoxaparin",)
    assert treatments_taken_back("Warfarin should be avoided, so use apixaban 5 mg.") == ("Warfarin",)


async def test_a_ban_that_only_repeats_others_is_on_the_page_and_not_told_again() -> None:
    updates, exaim = await after(
        ("doctor1", "Alteplase must not be given.\n"),
        ("doctor2", "No alteplase, as Doctor1 says.\n"),
        ("supervisor", "No alteplase.\n"),
    )
    assert sum("lteplase" in text for text in spoken(updates)) == 2, "asked for, and forbidden"
    assert len(exaim.board.cautions) >= 2


async def test_an_order_that_is_asked_for_again_is_told_and_stands_again() -> None:
    again = "### Immediate Actions:\n1. **Clopidogrel 300 mg by mouth** - the scan is clear now.\n"
    updates, exaim = await after(("doctor1", "No clopidogrel until the scan is read.\n"), ("doctor1", again))

    assert "clopidogrel" in asked(exaim)
    assert any("clopidogrel 300 mg by mouth" in text for text in spoken(updates))


async def test_an_order_against_another_doctors_ban_is_told_with_it_and_never_comes_first() -> None:
    ban = ("doctor1", "### Caution:\n**No thrombolysis** - he was operated on last week.\n")
    urgent = ("doctor0", "The potassium is 6.9 mmol/L and must be treated now.\n")
    updates, _, _ = await play((ban, urgent, ("doctor0", PLAN)))

    assert (
        "Doctor Zero recommends alteplase 0.9 mg/kg intravenously, within the window, against Doctor One's caution."
        in spoken(updates)
    )
    assert "alteplase" not in spoken(updates)[-1]
    assert "lteplase" not in updates[-1].summary.recommendation_next_step


async def test_the_closing_names_first_what_was_ruled_and_never_an_order_of_a_view_that_was_left() -> None:
    zero = "### Most Likely Diagnosis:\n**Bleeding ulcer** - given melaena.\n\n### Immediate Actions:\n1. **Omeprazole 80 mg intravenously** - now.\n"
    worse = "### Critical Finding:\nThe **potassium is 7.1 mmol/L**.\n"
    changed = "I withdraw bleeding ulcer as the leading diagnosis.\n\n### Most Likely Diagnosis:\n**Adrenal crisis** - given the low sodium.\n"
    updates, _, _ = await play((("doctor1", worse), ("doctor0", zero), ("doctor0", changed)))
    assert spoken(updates)[-1] == "Finished. Adrenal crisis, from Doctor Zero."

    ruled = "### Final Consensus:\n1. **First priority**: Hydrocortisone 100 mg intravenously. Then fluids.\n"
    updates, _, _ = await play((("doctor0", changed), ("supervisor", ruled)))
    assert spoken(updates)[-1].endswith("first hydrocortisone 100 mg intravenously.")


async def test_the_first_thing_for_a_critical_finding_may_be_to_stop_a_drug() -> None:
    text = "### Critical Finding:\n**Blood pressure in the left arm is 68/40 mmHg**.\n\n### Immediate Actions:\n1. **Stop amlodipine** - it must be.\n2. **Noradrenaline 4 micrograms/min** - through a central line.\n"
    updates, _, _ = await play((("doctor0", text),))

    assert spoken(updates)[-1].endswith("wanted: stop amlodipine and noradrenaline 4 micrograms/min.")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("No enoxaparin, it was given at six.", ("enoxaparin",)),
        ("No more enoxaparin: she had it at six.", ("enoxaparin",)),
        ("No enoxaparin was given at six.", ()),
        ("No alteplase, as far as I know, has been given.", ()),
        ("No more than 4 g of paracetamol a day.", ()),
    ],
)
def test_a_reason_that_it_was_given_does_not_lift_a_ban(text: str, gone: tuple[str, ...]) -> None:
    assert treatments_taken_back(text) == gone


async def test_a_ban_keeps_what_is_given_instead() -> None:
    said = "For Tuesday: no muscle relaxants of any sort, I'd do it with propofol and a laryngeal mask."
    updates, _ = await after(("doctor2", said))
    assert any("no muscle relaxants" in told for told in spoken(updates))


@pytest.mark.parametrize("text", ["Doctor One: no enoxaparin now.", "Doctor One, do not give enoxaparin."])
async def test_a_ban_that_calls_a_colleague_by_name_is_told(text: str) -> None:
    updates, _ = await after(("doctor2", text))
    assert any("enoxaparin" in told for told in spoken(updates))
