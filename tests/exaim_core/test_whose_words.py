"""What a stranger's own teams said and heard told wrongly (docs/decisions/120), each varied, with its look-alikes."""

# ruff: noqa: E501 - a text is read more easily on its one line

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from exaim_core import EXAIM, CasePaper, Delta, SpokenItem, Update

Turn = tuple[str, object]
PENICILLIN: Final = {
    "case_id": "x",
    "allergies": [{"substance": "penicillin", "reaction": "anaphylaxis", "year": 2009}],
}
HEAVY: Final = {
    "case_id": "x",
    "history": ["Asthma"],
    "medication": [{"drug": "warfarin"}],
    "allergies": [{"substance": "iodinated contrast", "reaction": "anaphylaxis"}],
}
BLEEDS: Final = {"case_id": "x", "presenting_complaint": "Haematemesis since two hours, dizzy."}


async def played(*turns: Turn, paper: dict[str, Any] | None = None) -> list[Update]:
    """Play turns word by word; what is no text is sent as JSON."""
    exaim = EXAIM(paper=CasePaper.model_validate(paper) if paper else None)
    made: list[Update] = []
    seq, at_s = 0, 0.0
    for agent, said in turns:
        text = said if isinstance(said, str) else json.dumps(said, indent=1)
        for word in re.findall(r"\S+\s*", text):
            made += await exaim.feed(Delta(agent, word, seq, at_s))
            seq, at_s = seq + 1, at_s + 1 / 30
        made += await exaim.turn_end(agent, seq, at_s)
        seq, at_s = seq + 1, at_s + 1
    return [*made, *await exaim.finish(at_s)]


def items(updates: list[Update]) -> list[SpokenItem]:
    return [item for update in updates for item in update.items]


def alarms(updates: list[Update]) -> list[str]:
    return [item.text for item in items(updates) if item.urgency == "critical"]


def texts(updates: list[Update]) -> str:
    return "\n".join(item.text for item in items(updates))


FORBIDDEN: Final = [
    "### Plan\n1. Vancomycin 1 g IV.\n\n**Do not give:** amoxicillin.\n",
    "**Immediate steps**\n\n1. Cross-match 6 units.\n\n**Not to be given:** alteplase or any other thrombolytic, heparin, iodinated contrast.\n",
    "## Management\n1. Meropenem 1 g IV\n2. **Do not give**: co-amoxiclav, piperacillin-tazobactam\n",
    "Plan:\n- Vancomycin 1 g IV.\n- Contraindicated: amoxicillin 1 g IV.\n",
    "### Plan\nAvoid:\n- amoxicillin\n- flucloxacillin\n",
    "### Immediate actions\n* **Drugs to avoid:** flucloxacillin, amoxicillin\n* Doxycycline 100 mg\n",
    "### Treatment plan\n1. Doxycycline 200 mg.\n2. Must not be given:\n   - amoxicillin 1 g\n   - flucloxacillin 2 g IV\n3. Fluids 1 L\n",
    "### Recommendations\n\n*Absolutely contraindicated:* amoxicillin.\n",
    "### Recommendations\n- NOT: amoxicillin\n- Withheld: flucloxacillin\n",
    '{"plan":{"give":["vancomycin 1 g"],"avoid":["amoxicillin 1 g"]}}',
    '{"plan":[{"drug":"amoxicillin","verdict":"must not be given","reason":"penicillin anaphylaxis"}]}',
    "### Plan\n**Avoid for now:** iodinated contrast, metoprolol.\n",
    "### Management\n**Hold:** bisoprolol, propranolol\n",
    "**Plan**\n1. Vancomycin\n\n❌ Not to be given: amoxicillin, ampicillin\n",
    "**Plan**\n1. Vancomycin\n\n- [ ] Avoid: amoxicillin\n",
    "### Plan\nVancomycin 1 g IV.\n**Already given:** amoxicillin at 14:00.\n**Rejected**: amoxicillin\n",
    "### Plan\n- Amoxicillin: contraindicated\n- Vancomycin 1 g IV\n",
]


@pytest.mark.parametrize("text", FORBIDDEN)
@pytest.mark.parametrize("paper", [PENICILLIN, HEAVY])
async def test_what_a_label_forbids_is_no_order(text: str, paper: dict[str, Any]) -> None:
    assert alarms(await played(("chair", text), paper=paper)) == []


@pytest.mark.parametrize("label", ["Not to be given", "Do not give", "Contraindicated", "Avoid", "Withhold"])
async def test_the_ban_of_a_label_is_told(label: str) -> None:
    told = await played(("chair", f"### Plan\n1. Vancomycin 1 g IV.\n\n**{label}:** amoxicillin, heparin.\n"))
    ban = "avoid" if label == "Avoid" else f"{label.lower()}:"
    assert f"{ban} amoxicillin, heparin." in texts(told).lower()


@pytest.mark.parametrize(
    "text",
    [
        "### Plan\n**Antibiotics:** amoxicillin.\n",
        "### Plan\n- **Avoid:** NSAIDs.\n- Amoxicillin\n",
        "### Plan\n**Avoid:** vancomycin; give amoxicillin 1 g IV instead.\n",
        "### Plan\n**Before theatre:** amoxicillin.\n",
        "### Plan\n1. **Stop vancomycin:** amoxicillin 1 g IV instead.\n",
        "### Plan\nAvoid:\n- NSAIDs\n\nStart amoxicillin 1 g IV.\n",
        "### Plan\n- Avoid:\n  - NSAIDs\n- Amoxicillin 1 g IV\n",
        "**Not to be given:** heparin.\n\n### Plan\n- amoxicillin 1 g IV\n",
        '{"plan":[{"drug":"amoxicillin","dose":"1 g","route":"IV","reason":"pneumonia"}]}',
    ],
)
async def test_an_order_beside_a_ban_still_alarms(text: str) -> None:
    assert alarms(await played(("chair", text), paper=PENICILLIN))


@pytest.mark.parametrize(
    "text",
    [
        "dad's Hb was 52 g/L",
        "FHx: dad's Hb 52 g/L",
        "pt's mum had a K of 7.9 mmol/L",
        "Mum: K 7.9 mmol/L.",
        "His nan's sodium was 108 mmol/L.",
        "Granny died with a glucose of 1.2 mmol/L.",
        "Her stepdad's potassium 8.2 mmol/L.",
        "maternal grandmother: glucose 1.1 mmol/L",
        "### Family history\n- Dad: Hb 52 g/L\n",
        {"family_history": {"father": {"potassium": "8.1 mmol/L"}}},
        "sister had renal failure, her potassium was 8.2 mmol/L.",
        "pt's sister had TTP, her plt was 12 and ADAMTS13 3%. pt's ADAMTS13 pending.",
        {"fhx": {"dad": {"Hb": "52 g/L"}}},
        {"relatives": [{"relation": "sister", "labs": {"potassium": "8.1 mmol/L"}}]},
        {"mother_potassium": "8.1 mmol/L"},
    ],
)
async def test_a_relatives_value_is_not_told_as_the_patients(text: object) -> None:
    assert [item.kind for item in items(await played(("a", text)))] == ["closing"]


@pytest.mark.parametrize(
    "text",
    [
        "Mum says his potassium was 7.1 mmol/L this morning.",
        "Mother says his potassium is 7.1 mmol/L.",
        "Dad noticed he was drowsy; K 7.9 mmol/L.",
        "Discussed with mum, K 7.1 mmol/L.",
        "Mother had noticed he was drowsy, his potassium is 7.2 mmol/L.",
        "His brother had an ICD, he has a potassium of 7.2 mmol/L.",
        "The child's potassium is 7.1 mmol/L.",
        {"labs": {"potassium": "8.1 mmol/L"}, "family_history": {"father": "healthy"}},
    ],
)
async def test_a_relative_who_tells_a_value_is_not_whose_it_is(text: object) -> None:
    assert alarms(await played(("a", text)))


async def test_an_allergy_that_a_mother_reports_is_the_patients() -> None:
    order = ("b", "Give amoxicillin 1 g IV now.")
    assert alarms(await played(("a", "Mother says he is allergic to penicillin."), order))
    assert not alarms(await played(("a", "His mum is allergic to penicillin."), order))


@pytest.mark.parametrize(
    "stated",
    [
        "### Allergies\n- Penicillin (anaphylaxis)\n",
        "**Allergies:** penicillin (anaphylaxis)\n",
        {"allergies": ["penicillin"]},
        {"allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}]},
    ],
)
async def test_what_stands_under_allergies_is_one(stated: object) -> None:
    assert alarms(await played(("a", stated), ("b", "Give amoxicillin 1 g IV now.")))


@pytest.mark.parametrize(
    "stated",
    [
        "### Allergies\n- Penicillin: tolerated amoxicillin in 2020\n",
        {"allergies": "none known"},
        {"allergies": [{"substance": "penicillin", "reaction": "none, label removed"}]},
        {"family_history": {"allergies": [{"substance": "penicillin", "reaction": "anaphylaxis"}]}},
    ],
)
async def test_what_is_no_allergy_of_the_patient_alarms_nobody(stated: object) -> None:
    assert not alarms(await played(("a", stated), ("b", "Give amoxicillin 1 g IV now.")))


async def test_an_object_of_json_is_told_as_one_record() -> None:
    review = {
        "medication_review": [
            {
                "drug": "piperacillin-tazobactam",
                "verdict": "must not be given",
                "reason": "anaphylaxis in 2009",
            },
            {"drug": "ceftriaxone", "verdict": "acceptable", "reason": "different side chain"},
            {"drug": "digoxin", "advice": "stop", "note": "level 3.1"},
        ]
    }
    told = texts(await played(("pharmacist", review)))
    assert "piperacillin-tazobactam must not be given: anaphylaxis in 2009." in told.lower()
    assert "stop digoxin: level 3.1." in told
    assert "ceftriaxone" not in told


async def test_what_is_decided_in_json_is_the_diagnosis() -> None:
    decision = {
        "final_decision": {
            "diagnosis": "Oesophageal variceal bleeding",
            "plan": ["Massive haemorrhage protocol", "Octreotide 50 micrograms IV bolus"],
            "minority_view": "Bleeding peptic ulcer",
        }
    }
    told = items(await played(("moderator", decision)))
    assert told[0].text == "Decision, from the moderator: oesophageal variceal bleeding."
    assert told[-1].text == "Finished. Oesophageal variceal bleeding, the decision by the moderator."


@pytest.mark.parametrize(
    "change",
    [
        {"change_of_mind": {"from": "Bleeding peptic ulcer", "to": "Oesophageal variceal bleeding"}},
        {"revised_view": {"old": "Bleeding peptic ulcer", "new": "Oesophageal variceal bleeding"}},
        {"diagnosisChange": {"before": "Bleeding peptic ulcer", "after": "Oesophageal variceal bleeding"}},
    ],
)
async def test_a_change_of_mind_in_json_is_told(change: dict[str, object]) -> None:
    told = await played(
        ("a", {"most_likely_diagnosis": "Bleeding peptic ulcer"}),
        ("b", {"most_likely_diagnosis": "Oesophageal variceal bleeding"}),
        ("a", change),
    )
    assert "first bleeding peptic ulcer, now oesophageal variceal bleeding" in texts(told)
    assert "both agree" in texts(told[-1:])


async def test_a_change_of_dose_in_json_is_no_change_of_view() -> None:
    first = ("a", {"most_likely_diagnosis": "Bleeding peptic ulcer"})
    told = await played(first, ("a", {"dose_change": {"from": "5 mg", "to": "10 mg"}}))
    assert "now" not in texts(told)
    assert told[-1].summary.status_action == "Lead: bleeding peptic ulcer."


@pytest.mark.parametrize(
    ("alarm", "later"),
    [
        ("K 7.2 mmol/L.", "K is actually 4.4 mmol/L on the repeat; the 7.2 was haemolysed."),
        ("Na is 104 mmol/L.", "Na is actually 138 mmol/L on the repeat; the 104 was from the drip arm."),
        ("Platelets 8 x10^9/L.", "Film: platelets 184 x10^9/L, the 8 is clumping."),
        ("K 7.2 mmol/L.", "K 4.4 mmol/L, the 7.2 is spurious."),
        ("K 7.2 mmol/L.", "Lab called: the potassium of 7.2 was haemolysed, repeat 4.4 mmol/L."),
        ("SpO2 71 %.", "SpO2 is 97 %, the 71 was a poor trace."),
        ("K 7.2 mmol/L.", {"labs": {"potassium": "4.4 mmol/L"}, "note": "the 7.2 was haemolysed"}),
    ],
)
async def test_a_value_that_a_colleague_puts_right_is_taken_back_aloud(alarm: str, later: object) -> None:
    told = await played(("a", alarm), ("b", later))
    assert alarms(told)
    assert len(items(told)) > 2
    assert "ritical" not in told[-1].summary.status_action


async def test_who_takes_its_own_value_back_by_its_number_is_told_so() -> None:
    told = await played(("a", "K 7.2 mmol/L."), ("a", "Sorry, the 7.2 was haemolysed."))
    assert "On the potassium, Agent A: sorry, the 7.2 was haemolysed." in texts(told)
    assert "ritical" not in told[-1].summary.status_action


@pytest.mark.parametrize("agent", ["a", "b"])
@pytest.mark.parametrize(
    "later",
    [
        "K is still 7.4 mmol/L; the 7.2 was real.",
        "K 7.4 mmol/L, the 7.2 was not haemolysed.",
        "The 7.2 may have been haemolysed; repeat K.",
        "Was the 7.2 haemolysed?",
        "K was 4.4 mmol/L last week, 7.2 now.",
        "His brother's K is 4.4 mmol/L.",
        "If the repeat K is 4.4 mmol/L, the 7.2 was haemolysed.",
    ],
)
async def test_a_value_that_may_stand_stays_critical(agent: str, later: str) -> None:
    told = await played(("a", "K 7.2 mmol/L."), (agent, later))
    assert "ritical" in told[-1].summary.status_action


@pytest.mark.parametrize(
    "text",
    [
        "Augmentin is fine.",
        "Unasyn 3 g IV.",
        "Amoxil 500 mg tds",
        "Zosyn is acceptable.",
        "Start Tazocin 4.5 g.",
    ],
)
async def test_a_brand_is_the_drug_that_it_stands_for(text: str) -> None:
    assert alarms(await played(("c", text), paper=PENICILLIN))


@pytest.mark.parametrize(
    "text",
    [
        "Augmentin is not fine.",
        "Is Augmentin fine?",
        "Augmentin is fine if the allergy is disproved.",
        "His brother takes Augmentin and is fine.",
        "Meropenem is fine; Augmentin is not.",
        "Augmentin contains penicillin.",
    ],
)
async def test_a_brand_that_nobody_asks_for_alarms_nobody(text: str) -> None:
    assert not alarms(await played(("c", text), paper=PENICILLIN))


@pytest.mark.parametrize(
    "text",
    [
        "### Recommendations\n- Stop apixaban; keep clopidogrel only if the bleeding is controlled\n",
        {"recommendations": ["Stop apixaban; keep clopidogrel only if the bleeding is controlled"]},
        "### Plan\n1. Hold apixaban, aspirin only once haemostasis is secured\n",
        "### Plan\n- Clopidogrel: not before endoscopy\n",
        "### Plan\n* Ibuprofen provided the stomach is clear\n",
    ],
)
async def test_a_name_that_hangs_on_a_condition_is_no_order(text: object) -> None:
    assert not alarms(await played(("c", text), paper=BLEEDS))


async def test_a_name_of_a_list_that_hangs_on_nothing_is_an_order() -> None:
    assert alarms(await played(("c", "### Recommendations\n- Continue clopidogrel\n"), paper=BLEEDS))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "labetalol? she's a bad asthmatic, 2 ICU stays. don't. hydralazine 5 mg iv slow.",
            "2 ICU stays. don't.",
        ),
        ("Labetalol? No.", "labetalol? No."),
        ("Alteplase? Recent surgery. Absolutely not.", "alteplase? Recent surgery. Absolutely not."),
        ("Diclofenac? bronchospasm in 2019. do not.", "diclofenac? bronchospasm in 2019. do not."),
        ("Ketorolac? Platelets 48. Please don't.", "Platelets 48. Please don't."),
    ],
)
async def test_a_drug_that_is_asked_about_and_refused_is_banned(text: str, words: str) -> None:
    told = [item for item in items(await played(("c", text))) if item.kind == "caution"]
    assert told
    assert words in told[0].text
    assert told[0].presses


@pytest.mark.parametrize(
    "text",
    [
        "Labetalol? Don't know.",
        "Labetalol? Don't forget it.",
        "Chest pain? No.",
        "Has she had labetalol? No.",
        "Is labetalol contraindicated? No.",
        "Any reason to avoid labetalol? No.",
        "Allergic to penicillin? No.",
    ],
)
async def test_a_no_that_answers_another_question_bans_nothing(text: str) -> None:
    assert [item.kind for item in items(await played(("c", text)))] == ["closing"]


async def test_the_heads_of_a_table_of_orders_are_not_said() -> None:
    table = "## Plan\n\n| Step | What | Dose |\n|---|---|---|\n| 1 | Aspirin | 300 mg orally |\n"
    told = texts(await played(("cardiologist", table)))
    assert "The cardiologist recommends aspirin 300 mg orally." in told
    rows = "### Immediate actions\n| # | Action | When |\n|---|---|---|\n| 1 | Primary PCI | within 90 minutes |\n"
    assert "recommends primary PCI within 90 minutes." in texts(await played(("cardiologist", rows)))


LED: Final = ("cardiologist", "## Working diagnosis\n\n- **Inferior STEMI**, at about 65 per cent.\n")
OTHER: Final = ("surgeon", "**Acute type A aortic dissection** explains everything.\n")


@pytest.mark.parametrize(
    "text",
    [
        "I therefore withdraw my working diagnosis of inferior STEMI and side with the surgeon.",
        "I no longer hold inferior STEMI; I agree with the surgeon.",
        "I abandon inferior STEMI because the echo shows a flap.",
    ],
)
async def test_a_view_taken_back_is_told_and_leaves_the_page(text: str) -> None:
    told = await played(LED, OTHER, ("cardiologist", text))
    assert any("STEMI" in item.text for update in told[1:-1] for item in update.items)
    assert "STEMI" not in str(told[-1].summary)


@pytest.mark.parametrize(
    "text",
    [
        "I do not withdraw inferior STEMI.",
        "I drop inferior STEMI if the echo is normal.",
        "I withdraw nothing.",
    ],
)
async def test_a_view_that_is_not_taken_back_stays(text: str) -> None:
    told = await played(LED, OTHER, ("cardiologist", text))
    assert "STEMI" in told[-1].summary.agent_contributions


async def test_an_order_cancelled_as_it_in_its_own_sentence_falls() -> None:
    ordered = ("cardiologist", "### Plan\n- Heparin 5,000 units intravenously.\n")
    gone = "The heparin that I asked for has **not** been given; please make sure that it is cancelled."
    told = await played(ordered, ("cardiologist", gone))
    assert "make sure that it is cancelled" in texts(told)
    assert "5,000" not in told[-1].summary.recommendation_next_step
