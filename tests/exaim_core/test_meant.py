"""What stands under the heading of a decision, and is none: its label says what it is."""

from __future__ import annotations

import json

import pytest

from exaim_core import EXAIM, Delta, SpokenItem, SpokenKind, Update
from exaim_core.claims.meant import LabelSense, sense_of

BEFORE = ("doctor0", "Nothing to add from here, over to you.")


async def told(agent: str, text: str) -> list[SpokenItem]:
    """Return all that is told of one turn behind a turn that says nothing."""
    exaim, found, seq = EXAIM(), list[Update](), 0
    for each, words in (BEFORE, (agent, text)):
        found += await exaim.feed(Delta(each, words, seq := seq + 1, float(seq)))
        found += await exaim.turn_end(each, seq := seq + 1, float(seq))
    found += await exaim.finish(float(seq + 1))
    return [item for update in found for item in update.items]


def decided(items: list[SpokenItem]) -> str:
    """Return what was told as decided, by the way and at the end, as one text."""
    closing = [item.text for item in items if item.kind is SpokenKind.CLOSING]
    spoken = [item.text for item in items if item.text.startswith(("Decision, ", "Consensus, "))]
    return " ".join([*spoken, *closing]).lower()


# agent, text, what may not be told as decided, what the closing names ("" where none has to be)
ASIDES = {
    "forbidden": (
        "supervisor",
        (
            "### Final Decision:\n**Paracetamol overdose** - both agree.\n\n**Contraindicated:** activated charcoal.\n"
            "**Ruled out:** viral hepatitis."
        ),
        ("activated charcoal", "viral hepatitis"),
        "paracetamol overdose",
    ),
    "chair avoids": (
        "chair",
        (
            "# Consensus statement\n**Diagnosis:** dengue with plasma leak.\n\n"
            "**Avoid:** warfarin until platelets > 150; any intramuscular injection."
        ),
        ("warfarin",),
        "dengue",
    ),
    "held": (
        "coordinator",
        "# Final decision\nDiabetic ketoacidosis.\n\n**Hold:** insulin until potassium > 3.3",
        ("insulin",),
        "ketoacidosis",
    ),
    "anybody's consensus": (
        "cardio_agent",
        "### Consensus\n**Right ventricular infarction**, nobody differs.\n\n**Withhold:** glyceryl trinitrate.",
        ("trinitrate",),
        "",
    ),
    "family, as prose label": (
        "supervisor",
        "### Final Decision:\n**Sepsis** - all agree\n\n**Family history:** breast cancer.",
        ("breast cancer",),
        "sepsis",
    ),
    "family, in a list": (
        "moderator",
        (
            "### Final Decision:\n1. **Diagnosis:** sepsis\n2. **Ruled out:** myocardial infarction\n"
            "- **Family history:** breast cancer."
        ),
        ("breast cancer", "infarction"),
        "sepsis",
    ),
    "keys": (
        "supervisor",
        json.dumps(
            {
                "final_decision": {
                    "diagnosis": "Sepsis",
                    "ruled_out": "pulmonary embolism",
                    "family_history": "breast cancer",
                    "avoid": "NSAIDs",
                }
            }
        ),
        ("embolism", "cancer", "nsaid"),
        "sepsis",
    ),
    "keys in a draft": (
        "chair",
        json.dumps(
            {
                "diagnosis": "Addisonian crisis",
                "differential": ["septic shock", "gastroenteritis"],
                "second_line": "fludrocortisone",
                "previously_excluded": "pulmonary embolism",
            }
        ),
        ("septic shock", "gastroenteritis", "embolism", "fludrocortisone"),
        "addisonian crisis",
    ),
    "second line": (
        "Chair",
        (
            "## Team decision\n**Final diagnosis:** status epilepticus\n\n**Second line:** phenytoin 20 mg/kg\n\n"
            "**Already given:** lorazepam 4 mg"
        ),
        ("phenytoin", "lorazepam"),
        "status epilepticus",
    ),
    "rejected and delayed": (
        "facilitator",
        (
            "**Final decision**\n\nPerforated duodenal ulcer.\n\n**Rejected:** conservative management.\n"
            "**Delayed:** hernia repair."
        ),
        ("conservative management", "hernia repair"),
        "duodenal ulcer",
    ),
    "allergy and background": (
        "moderator",
        (
            "# Consensus\n- **Diagnosis:** cholangitis\n- **Allergy:** anaphylaxis to co-amoxiclav\n"
            "- **Background:** ischaemic stroke\n- **Comorbidity:** atrial fibrillation"
        ),
        ("anaphylaxis", "stroke", "fibrillation"),
        "cholangitis",
    ),
    "labels without bold": (
        "Chair",
        (
            "# Final decision\n\nInferior STEMI.\n\nAvoid: nitrates, morphine\n\nNot for: thrombolysis\n\n"
            "Past history: gastric ulcer"
        ),
        ("nitrates", "thrombolysis", "gastric ulcer"),
        "inferior stemi",
    ),
    "what is not sure yet": (
        "adjudicator",
        (
            "### Final verdict of the panel\n### Consensus\n**Answer:** Guillain-Barré syndrome\n\n"
            "**To be excluded:** cord compression\n**Less likely:** botulism\n**Watch for:** respiratory failure"
        ),
        ("cord compression", "botulism", "respiratory failure"),
        "guillain-barré",
    ),
    "what comes after": (
        "coordinator",
        (
            "### Decision\n**Diagnosis:** lithium toxicity.\n\n**Next steps:** nephrology review.\n"
            "**Follow-up:** thyroid function in six weeks.\n**If worse:** haemodialysis."
        ),
        ("haemodialysis", "thyroid function"),
        "lithium toxicity",
    ),
    "aside first": (
        "supervisor",
        "### Final Decision:\n- **Excluded:** aortic dissection\n- **Diagnosis:** acute pericarditis",
        ("dissection",),
        "pericarditis",
    ),
    "dissent": (
        "panel_chair",
        (
            "### Consensus:\n* **Diagnosis:** giant cell arteritis\n* **Dissenting view:** migraine\n"
            "* **Complication to expect:** retinal artery occlusion"
        ),
        ("migraine", "occlusion"),
        "giant cell arteritis",
    ),
}

# what is decided, under no label or an outright one, and must go on being told as that
OUTRIGHT = {
    "bare": ("chair", "# Final decision\nSubarachnoid haemorrhage.", "subarachnoid haemorrhage"),
    "diagnosis": ("supervisor", "### Final Decision:\n**Diagnosis:** acute cholangitis.", "acute cholangitis"),
    "listed": ("moderator", "### Consensus\n- **Diagnosis**: ruptured spleen\n- **Now**: theatre", "ruptured spleen"),
    "answer": ("chair", "### Final decision\n**Answer:** (C) pulmonary embolism", "pulmonary embolism"),
    "final": ("Chair", "# Team consensus\n**Final diagnosis:** sarcoidosis, probable", "sarcoidosis, probable"),
    "numbered": ("supervisor", "**Final consensus**\n\n1. Myxoedema coma; all agree.\n2. Warm her.", "myxoedema coma"),
    "bold": ("moderator", "### Final Decision:\n**Digoxin toxicity** - both agree.", "digoxin toxicity"),
    "plan": ("chair", "# Final decision\n**Plan:** emergency laparotomy tonight", "emergency laparotomy tonight"),
    "treatment": ("chair", "# Decision\n**Treatment:** plasma exchange today", "plasma exchange today"),
    "in words": ("chair", "We all agree that this is an inferior infarction.", "inferior infarction"),
    "said last": (
        "chair",
        "We agreed on migraine yesterday, before the scan.\n\nFinal decision: venous sinus thrombosis.",
        "venous sinus thrombosis",
    ),
    "key": ("supervisor", json.dumps({"final_decision": {"diagnosis": "Sepsis"}}), "sepsis"),
    "leading": ("chair", "## Consensus\n**Most likely diagnosis:** infective endocarditis", "infective endocarditis"),
    "agreed": ("cardio_agent", "### Consensus\n**Agreed diagnosis:** takotsubo syndrome", "takotsubo"),
    "forbidden in words": ("chair", "# Final decision\nNo thrombolysis for this patient.", "no thrombolysis"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASIDES)
async def test_what_a_label_sets_aside_is_not_told_as_decided(name: str) -> None:
    agent, text, asides, view = ASIDES[name]
    items = await told(agent, text)
    said = decided(items)
    assert not [each for each in asides if each in said]
    assert view in next(item.text for item in items if item.kind is SpokenKind.CLOSING).lower()


@pytest.mark.parametrize("name", OUTRIGHT)
async def test_what_is_decided_outright_is_told_so(name: str) -> None:
    agent, text, view = OUTRIGHT[name]
    assert view in decided(await told(agent, text))


@pytest.mark.parametrize(
    "label", ["Avoid", "Contraindicated", "Hold", "Do not give", "Withhold", "Stop", "Not to be given"]
)
async def test_what_a_label_forbids_is_told_as_forbidden(label: str) -> None:
    items = await told(
        "supervisor", f"### Final Decision:\n**Hyperkalaemia** - all agree.\n\n**{label}:** suxamethonium."
    )
    (ban,) = [item for item in items if "suxamethonium" in item.text]
    assert ban.presses
    assert label.lower() in ban.text.lower()


@pytest.mark.parametrize("label", ["Avoid", "Not for", "Stop", "No"])
async def test_so_is_what_a_label_forbids_that_is_not_set_in_bold(label: str) -> None:
    items = await told(
        "Chair", f"# Final decision\n\nInferior STEMI.\n\n{label}: nitrates, morphine\n\nTheatre."
    )
    (ban,) = [item for item in items if "nitrates" in item.text]
    assert ban.kind is SpokenKind.CAUTION
    assert label.lower() in ban.text.lower()


@pytest.mark.parametrize(
    ("label", "sense"),
    [
        *(
            (label, LabelSense.FORBIDDEN)
            for label in ("Avoid", "Contraindicated", "Hold", "drugs to avoid", "do_not_give")
        ),
        *(
            (label, LabelSense.EXCLUDED)
            for label in ("Ruled out", "ruled_out", "Excluded", "Less likely", "Not needed")
        ),
        *(
            (label, LabelSense.ASIDE)
            for label in ("Family history", "PMH", "Previous stroke", "If worse", "Second line")
        ),
        *(
            (label, LabelSense.UNKNOWN)
            for label in ("Follow-up", "Source", "Rationale", "Bleeding risk", "Owner")
        ),
        *(
            (label, LabelSense.VIEW)
            for label in ("Diagnosis", "Most Likely Diagnosis:", "Answer", "All agree", "final_dx")
        ),
        *(
            (label, LabelSense.PLAN)
            for label in ("Plan", "Treatment", "Now", "Recommendations", "First-line treatment")
        ),
        *((label, LabelSense.PLAIN) for label in ("", "Sepsis", "Digoxin toxicity", "Emergency laparotomy")),
    ],
)
def test_what_a_label_says_of_what_stands_behind_it(label: str, sense: LabelSense) -> None:
    assert sense_of(label) is sense
