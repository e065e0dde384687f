"""A caution in full prose is told by its grammar; what is of books, denied, asked or of no treatment is none."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told

WARNED = [
    ("Alpha-blockade must precede any beta-blockade in this gentleman.", "alpha"),
    ("Pregnancy must be excluded before methotrexate is started.", "pregnancy"),
    ("The hypokalaemia has to be corrected before we contemplate digoxin.", "corrected"),
    (
        "Avoid rapid correction; the sodium should rise by no more than 8 mmol/L in the first 24 hours.",
        "8 mmol",
    ),
    (
        "The combination of clarithromycin and simvastatin carries a real risk of rhabdomyolysis.",
        "rhabdomyolysis",
    ),
    (
        "Concomitant use of tramadol and her existing sertraline may precipitate serotonin syndrome.",
        "serotonin",
    ),
    ("Ciprofloxacin may potentiate his warfarin, so the INR would need to be watched closely.", "potentiate"),
    ("The addition of ibuprofen to her lithium could raise the risk of toxicity.", "lithium"),
    (
        "From a haematological standpoint, given her G6PD deficiency, rasburicase is contraindicated.",
        "rasburicase",
    ),
    ("In view of his severe aortic stenosis, glyceryl trinitrate would be perilous.", "perilous"),
    ("His cochlear implant is not MRI-conditional.", "mri-conditional"),
    ("The neurostimulator that was implanted in 2009 is incompatible with MRI.", "incompatible"),
    ("Midazolam should be used with great caution in this frail lady.", "caution"),
    ("Her creatinine clearance of 22 mL/min warrants dose reduction of enoxaparin.", "dose reduction"),
    ("I would be wary of suxamethonium in view of the burns that she sustained last week.", "wary"),
    ("I would be hesitant to give flumazenil, since he takes clonazepam for epilepsy.", "hesitant"),
    ("A fluid bolus would exacerbate her pulmonary oedema.", "exacerbate"),
    (
        "Haloperidol could precipitate torsades in a patient whose QTc is already 520 ms, as hers is.",
        "torsades",
    ),
    ("Metoclopramide is hazardous in this man, who has Parkinson's disease.", "hazardous"),
    ("It would be imprudent to give her adenosine while she is wheezing.", "imprudent"),
    ("She carries a documented hypersensitivity to teicoplanin.", "teicoplanin"),
    ("The records indicate that he developed angioedema following lisinopril in 2016.", "angioedema"),
    ("A further dose of gentamicin would exceed the safe cumulative exposure for his kidneys.", "exceed"),
    ("I respectfully caution against early enteral feeding while the noradrenaline is climbing.", "against"),
    ("Intrathecal administration of vincristine would be catastrophic.", "catastrophic"),
    ("Lumbar puncture would be unsafe until the CT has been reviewed.", "unsafe"),
    (
        "Therapeutic anticoagulation would put him at considerable risk of haemorrhagic transformation.",
        "risk",
    ),
    ("Her apixaban and the proposed phenytoin interact significantly.", "interact"),
    ("Adding spironolactone exposes him to dangerous hyperkalaemia.", "hyperkalaemia"),
    ("Nitrofurantoin requires caution here, because the eGFR is 28.", "caution"),
    ("The proposed dose of paracetamol would exceed the weight-based maximum for this child.", "exceed"),
    ("Ketamine may exacerbate the raised intraocular pressure in this patient.", "exacerbate"),
    ("I have serious misgivings about thrombolysis, since the platelet count is 41.", "misgivings"),
    ("Bag-mask ventilation would worsen the pneumothorax before the chest is drained.", "worsen"),
]
NOT_WARNED = [
    "Beta-blockers can precipitate bronchospasm in patients with asthma.",
    "Guidelines state that NSAIDs should be used with caution in the elderly.",
    "Verapamil would not be hazardous for this patient.",
    "The combination of paracetamol and codeine carries no significant risk of interaction.",
    "Amiodarone could explain the thyrotoxicosis.",
    "Lithium may have precipitated the diabetes insipidus.",
    "I mention this not to be difficult but for completeness.",
    "Would adenosine be dangerous in her?",
    "Had he been given suxamethonium, it would have precipitated hyperkalaemia.",
    "Her stimulator is MRI-conditional and may be scanned.",
    "Her mother developed anaphylaxis following penicillin.",
    "She has no hypersensitivity to teicoplanin.",
    "I would be wary of overinterpreting a single troponin.",
    "The tracing is not compatible with pericarditis.",
    "Sepsis may precipitate atrial fibrillation.",
    "It could be beneficial to give thiamine for chronic issues that could impair absorption in her.",
    "It would be unwise to delay the antibiotics.",
    "Delay carries a significant risk of perforation.",
    "Historically, chloramphenicol was considered dangerous in neonates.",
    "The benefits of heparin outweigh the risk of bleeding.",
    "Dexamethasone reduces the risk of hearing loss.",
    "The infection could worsen his heart failure.",
    "I caution against premature closure in our deliberation.",
    "A murmur warrants careful follow-up.",
    "This discussion requires caution and humility.",
    "Untreated, the clot could jeopardise the limb.",
]


@pytest.mark.parametrize(("said", "words"), WARNED)
async def test_what_prose_warns_of_is_told_as_a_caution(said: str, words: str) -> None:
    items = await told(f"I agree with much of what was said. {said}")
    assert any(item.kind in {"caution", "change"} and words in item.text.lower() for item in items), items


@pytest.mark.parametrize("said", NOT_WARNED)
async def test_what_warns_of_nothing_for_this_patient_is_told_as_no_caution(said: str) -> None:
    items = await told(f"I agree with much of what was said. {said}")
    assert not [item for item in items if item.kind == "caution"]


async def test_a_long_caution_is_told_without_what_opens_it() -> None:
    said = (
        "I would simply like to flag that she has been taking sertraline 200 mg daily for years, and adding linezolid"
        " to it exposes her to serotonin syndrome."
    )
    words = (
        "Doctor One: she has been taking sertraline 200 mg daily for years, and adding linezolid to it exposes her to"
        " serotonin syndrome."
    )
    assert words in [item.text for item in await told(said)]


async def test_a_long_caution_is_told_by_its_clause_that_warns() -> None:
    said = (
        "Before we go any further, I must point out that the patient's pacemaker is a 2004 model which is not"
        " MR-conditional, so placing him in the scanner as things stand would carry a real risk."
    )
    words = "Caution, Doctor One: the patient's pacemaker is a 2004 model which is not MR-conditional."
    assert [item.text for item in await told(said)] == [words]


async def test_a_clause_that_warns_is_not_told_without_its_condition_or_number() -> None:
    said = (
        "The patient has by now received 440 mg/m² of doxorubicin across two lines of treatment, and any further"
        " dose would exceed the lifetime limit and put the heart at risk for as long as she may live."
    )
    assert not any("would exceed" in item.text for item in await told(said))
