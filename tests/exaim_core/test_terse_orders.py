"""An order is told as one behind a label, without a verb, and of a thing that nobody knows; a ban too."""

from __future__ import annotations

from typing import Final

import pytest

from exaim_core import EXAIM, Delta


async def told(text: str) -> list[tuple[str, str]]:
    """Return what is spoken of one agent's turn, each with its kind, without the agent's name."""
    engine = EXAIM()
    updates = [*await engine.feed(Delta("b", text, 0, 0.0)), *await engine.turn_end("b", 1, 3.0)]
    return [(item.kind, item.text.partition(": ")[2]) for update in updates for item in update.items]


LABELS: Final = [
    "Recommendation",
    "Final Answer",
    "**Final Answer**",
    "Answer",
    "Summary",
    "Action",
    "Next",
    "Step 1",
    "Message",
]


@pytest.mark.parametrize("label", LABELS)
async def test_a_label_that_says_only_that_it_is_one_leaves_an_order_an_order(label: str) -> None:
    order = "Give labetalol 20 mg iv over two minutes, and repeat after ten minutes."
    assert await told(f"{label}: {order}") == [("action", f"g{order[1:]}")]


async def test_a_decision_to_give_is_told_once() -> None:
    order = "give labetalol 20 mg iv over two minutes, and repeat after ten minutes."
    assert await told(f"Decision: {order}") == [("action", order)]


@pytest.mark.parametrize("label", LABELS)
async def test_so_is_a_ban_told_once(label: str) -> None:
    assert await told(f"{label}: No labetalol, she has asthma.") == [
        ("caution", "no labetalol, she has asthma.")
    ]


@pytest.mark.parametrize("label", ["Yesterday", "Other patient", "Option B", "Considered", "Rejected"])
async def test_a_label_that_says_more_makes_no_order(label: str) -> None:
    assert all(kind != "action" for kind, _ in await told(f"{label}: Give labetalol 20 mg iv."))


async def test_a_long_final_answer_is_told_as_the_order_that_it_is() -> None:
    order = (
        "Give calcium gluconate 10% 30 mL iv over 10 minutes now, then insulin 10 units with 25 g glucose."
    )
    assert await told(f"Final Answer: {order}") == [("action", f"g{order[1:]}")]


async def test_a_call_of_a_tool_asks_for_no_test_and_its_answer_counts() -> None:
    said = await told(
        'Thought: the labs first.\nAction: lab_lookup\nAction Input: {"patient": "4411", "test": "potassium"}\n'
        "Observation: potassium 6.8 mmol/L at 09:10\n"
    )
    assert [kind for kind, _ in said] == ["critical"]


@pytest.mark.parametrize(
    "order",
    [
        "Adrenaline 0.5 mg im.",
        "Hydrocortisone 100 mg iv.",
        "Adrenaline 0.5 mg into the thigh.",
        "Give Zorbinex 20 mg iv now.",
        "Give Zorbinex 3000 units.",
        "Give FFP 4 units.",
    ],
)
async def test_an_order_without_a_verb_or_a_known_name_is_told(order: str) -> None:
    assert [kind for kind, _ in await told(order)] == ["action"]


@pytest.mark.parametrize(
    "said",
    [
        "Ramipril 5 mg daily.",
        "Ceftriaxone 2 g iv was given at 08:00.",
        "Heparin infusion at 12 units/h, running since noon.",
        "Options: adrenaline 0.5 mg im, or wait.",
        "Drug chart: enoxaparin 40 mg sc, ceftriaxone 2 g iv.",
        "Morphine 5 mg iv at 10:20, naloxone 200 mcg iv at 10:41.",
        "Midazolam 10 mg im given by paramedics.",
        "Somebody pencilled dexamethasone 3 mg/kg on the chart.",
        "Hydroxocobalamin 1 mg im, started today.",
        "## Given so far\n- Adrenaline 0.5 mg IM",
        "## Options\n- Adrenaline 0.5 mg IM",
        "Labetalol 20 mg IV is first line.",
        "Anaphylaxis from amoxicillin 1 g IV.",
        "Rather than labetalol 20 mg IV, hydralazine.",
        "Action: search for ketamine dose 1 mg/kg IV",
        "Give him 4 units.",
        "Start with 4 units.",
    ],
)
async def test_what_was_given_is_taken_or_has_no_name_is_no_order(said: str) -> None:
    assert all(kind != "action" for kind, _ in await told(said))


@pytest.mark.parametrize(
    "said",
    [
        "Transfer to ICU now.",
        "Transferring to ICU for noradrenaline now.",
        '{"action": "transfer to ICU now"}',
    ],
)
async def test_who_moves_the_patient_hands_over_to_no_agent(said: str) -> None:
    assert [kind for kind, _ in await told(said)] == ["action"]


@pytest.mark.parametrize(
    "said",
    [
        "Transferring to pharmacist_agent...",
        "Handing over to the cardiology agent.",
        "Handing off to pharmacist.",
        '{"action": "respond", "next_speaker": "Dr_A", "terminate": false}',
        '{"action": "final_answer"}',
        '{"action": "delegate", "to": "cardiology"}',
    ],
)
async def test_what_steers_the_agents_is_not_told(said: str) -> None:
    assert await told(said) == []


async def test_what_stands_under_a_plan_is_an_order() -> None:
    assert [kind for kind, _ in await told("## Plan\n- Adrenaline 0.5 mg IM")] == ["action"]


@pytest.mark.parametrize("answer", ["No, 48.", "Sorry, 78."])
async def test_an_answer_to_somebody_else_puts_no_value_right(answer: str) -> None:
    engine = EXAIM()
    updates = []
    for at, (agent, text) in enumerate(
        (("a", "The potassium is 6.9."), ("b", "And the pulse?"), ("a", answer))
    ):
        updates += [*await engine.feed(Delta(agent, text, 2 * at, at * 4.0))]
        updates += await engine.turn_end(agent, 2 * at + 1, at * 4.0 + 3)
    assert not any(update.withdraws for update in updates)


@pytest.mark.parametrize(
    "said", ["Sodium 112. Correction: 8 mmol/L.", "Sodium is 112; correction 10 mmol/L, no faster."]
)
async def test_a_rate_of_correction_puts_no_value_right(said: str) -> None:
    assert "critical" in [kind for kind, _ in await told(said)]


async def test_a_list_under_one_limit_loses_no_drug() -> None:
    said = await told('{"do_not_give": ["alteplase", "heparin"], "until": "CT is clear"}')
    assert [kind for kind, _ in said] == ["caution", "caution"]
    said = await told('{"hold": "apixaban", "until": "after surgery"}')
    assert [words for _, words in said] == ["hold apixaban until after surgery."]


@pytest.mark.parametrize("limit", ['"stop_if": "rigid"', '"until": "relaxed"'])
async def test_what_ends_an_order_later_takes_no_alarm_off(limit: str) -> None:
    said = await told(f'Potassium is 6.9.\n{{"give": "suxamethonium 100 mg iv", {limit}}}\n')
    assert [kind for kind, _ in said].count("critical") == 2


@pytest.mark.parametrize(
    "said",
    [
        "Pregnancy test negative, BP 190/110",
        "BP 190/110, urine pregnancy test pending",
        "BP 190/115, headache for 10 weeks",
    ],
)
async def test_a_pressure_beside_other_weeks_or_a_test_is_none_of_a_pregnancy(said: str) -> None:
    assert "critical" not in [kind for kind, _ in await told(said)]


@pytest.mark.parametrize("order", ["bicarbonate now, 100 mL.", "bicarbonate 100 mL now."])
async def test_what_is_measured_too_is_an_order_with_an_amount_and_now(order: str) -> None:
    assert await told(order) == [("action", order)]


@pytest.mark.parametrize(
    "value", ["Potassium 5.9 mmol now.", "Bicarbonate now, 18.", "Blood loss 100 mL now."]
)
async def test_a_value_now_is_no_order(value: str) -> None:
    assert not any(kind == "action" for kind, _ in await told(value))
