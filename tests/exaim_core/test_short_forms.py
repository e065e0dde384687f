"""What is told in few words, and what of it is not told first."""

from __future__ import annotations

from collections.abc import Sequence

from exaim_core import EXAIM, CasePaper, Delta, SpokenItem, SpokenKind
from exaim_core.patient.paper import Allergy

PAPER = CasePaper(case_id="invented", allergies=(Allergy(substance="penicillin", reaction="anaphylaxis"),))


async def items(*said: tuple[str, str], paper: CasePaper | None = None) -> list[SpokenItem]:
    """Return what is offered to the voice after all was said, each by its agent, the closing aside."""
    exaim, told = EXAIM(paper=paper), list[SpokenItem]()
    for number, (agent, text) in enumerate(said):
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, float(number)))]
        updates += await exaim.turn_end(agent, 2 * number + 2, number + 0.5)
        told += [item for update in updates for item in update.items]
    return [item for item in told if item.kind is not SpokenKind.CLOSING]


def of_kind(told: Sequence[SpokenItem], kind: SpokenKind) -> SpokenItem:
    return next(item for item in told if item.kind is kind)


async def test_the_short_form_of_an_order_leaves_out_the_verb_and_no_more() -> None:
    told = await items(("doctor0", "### Treatment\n- **Insulin 10 units with 25 g glucose**\n"))
    order = of_kind(told, SpokenKind.ACTION)
    assert order.text == "Doctor Zero recommends insulin 10 units with 25 g glucose."
    assert order.brief == "Doctor Zero: insulin 10 units with 25 g glucose."


async def test_the_short_form_of_an_order_may_have_any_speaker() -> None:
    said = "### Treatment\n- **Insulin 10 units with 25 g glucose**\n"
    order = of_kind(await items(("Critical Care", said)), SpokenKind.ACTION)
    assert order.text.endswith(" recommends insulin 10 units with 25 g glucose.")
    assert order.brief == order.text.replace(" recommends", ":")


async def test_a_caution_in_the_first_person_keeps_its_speaker() -> None:
    said = "### Cautions\n- Metformin must be stopped, and I would not give it again.\n"
    caution = of_kind(await items(("doctor0", said)), SpokenKind.CAUTION)
    assert caution.text.startswith("Caution, Doctor Zero: ")
    assert caution.brief is None or "Doctor Zero: " in caution.brief


async def test_a_long_leading_diagnosis_is_told_all_the_same() -> None:
    said = (
        "### Most Likely Diagnosis:\n"
        "**Acute ischaemic stroke in the territory of the left middle cerebral artery** - she cannot speak.\n"
    )
    told = of_kind(await items(("doctor0", said)), SpokenKind.LEADING)
    assert "stroke in the territory of the left middle cerebral artery" in told.text


async def test_alarms_that_come_together_are_told_bare() -> None:
    one = await items(("doctor0", "Her potassium is 7.2 mmol/L."))
    assert of_kind(one, SpokenKind.CRITICAL).text.startswith("Critical, from Doctor Zero: potassium 7.2")
    both = await items(("doctor0", "Her potassium is 7.2 mmol/L and her lactate is 8.4 mmol/L."))
    alarms = [item.text for item in both if item.kind is SpokenKind.CRITICAL]
    assert alarms == ["Critical: potassium 7.2 mmol/L.", "Critical: lactate 8.4 mmol/L."]


async def test_an_order_that_an_alarm_speaks_against_does_not_press() -> None:
    order = "### Treatment\n- **Piperacillin-tazobactam 4.5 g intravenously**\n- **Gentamicin 240 mg**\n"
    told = await items(("doctor0", "His lactate is 8.4 mmol/L."), ("doctor0", order), paper=PAPER)
    orders = [item for item in told if item.kind is SpokenKind.ACTION and "iperacillin" in item.text]
    assert any(item.critical_key and "penicillin" in item.text for item in told)
    assert [item.urgency for item in orders] == ["routine"]
    plain = await items(("doctor0", "His lactate is 8.4 mmol/L."), ("doctor0", order))
    assert of_kind(plain, SpokenKind.ACTION).urgency == "important"


async def test_a_caution_with_a_limit_of_its_own_stays_important() -> None:
    told = await items(
        ("doctor0", "### Treatment\n- **Piperacillin-tazobactam 4.5 g intravenously**\n"),
        ("doctor1", "### Cautions\n- No piperacillin until the allergy has been tested.\n"),
        paper=PAPER,
    )
    assert of_kind(told, SpokenKind.CAUTION).urgency == "important"


async def test_a_caution_loses_the_reason_behind_its_colon_but_no_condition() -> None:
    said = (
        "### Cautions\n- No anticoagulant and no thrombolysis until the aorta has been imaged: "
        "in a dissection either could be fatal.\n"
    )
    caution = of_kind(await items(("doctor0", said)), SpokenKind.CAUTION)
    assert caution.text.endswith("no thrombolysis until the aorta has been imaged.")
