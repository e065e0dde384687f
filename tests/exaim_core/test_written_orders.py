"""An order in full prose is told as one by its grammar; what is weighed, of books or past asks for nothing."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.claims.written_orders import asked_for


async def told(text: str) -> list[tuple[str, str]]:
    """Return what is spoken of one agent's turn, each with its kind."""
    engine = EXAIM()
    updates = [*await engine.feed(Delta("neurologist", text, 0, 0.0))]
    updates += await engine.turn_end("neurologist", 1, 3.0)
    return [(item.kind, item.text) for update in updates for item in update.items]


ASKED = [
    "Plasma exchange should be initiated without delay, as the smear shows schistocytes.",
    "An urgent MRI of the whole spine needs to be obtained tonight.",
    "In my view, bronchoscopy should be performed before the next dose of chemotherapy.",
    "The chest drain must be placed under ultrasound guidance.",
    "Surgical exploration of the scrotum must not be delayed.",
    "An emergency decompressive craniectomy is clearly indicated.",
    "A transoesophageal echocardiogram is therefore essential.",
    "Intravenous immunoglobulin at 2 g/kg is warranted given the bulbar weakness.",
    "I would strongly recommend urgent plasma exchange, since the platelets are falling.",
    "I respectfully suggest that we obtain a serum ammonia.",
    "I advise therapeutic hypothermia to be started within six hours of birth.",
    "We would urge early surgical debridement of the perineum.",
    "My recommendation is to proceed with emergency caesarean section.",
    "My recommendation would be a CT pulmonary angiogram tonight.",
    "It would be prudent to obtain two further sets of blood cultures before any antibiotic.",
    "It is essential that we secure the airway by fibreoptic intubation.",
    "It would be reasonable to begin empirical aciclovir while the PCR is pending.",
    "We should proceed with emergency laparotomy without further delay.",
    "We need to involve the transplant team and arrange transfer to their unit.",
    "The immediate priority is to secure the airway.",
    "The next step should be a lumbar puncture.",
    "Proceed with coronary angiography via the radial route.",
    "Please arrange an urgent ophthalmology assessment and slit lamp examination.",
    "He should undergo emergency thyroidectomy.",
    "The patient should be transferred to a burns centre this evening.",
    "She must be intubated by the most experienced operator.",
    "This presentation warrants immediate CT angiography of the aorta.",
    "From a haematological perspective, I would advise a bone marrow biopsy within the week.",
    "Having weighed the risks, I believe that thrombolysis should be given.",
    "The infected pacemaker system needs to be removed.",
    "Rasburicase should be administered prior to the first cycle.",
    "If the repeat troponin rises, coronary angiography should be performed.",
    "The infant ought to be started on prostaglandin immediately.",
    "I would request an urgent toxicology screen, including a salicylate level.",
]
NOT_ASKED = [
    "Plasma exchange was initiated yesterday.",
    "Guidelines recommend plasma exchange in such cases.",
    "Patients with sepsis should be given antibiotics within the hour.",
    "An MRI of the spine could be considered.",
    "It should be noted that the MRI was performed without contrast.",
    "It is important to consider a pulmonary embolism.",
    "It is important to note that the troponin is normal.",
    "We should consider a lumbar puncture.",
    "Should a lumbar puncture be performed?",
    "I would not recommend a lumbar puncture.",
    "I would recommend against thrombolysis.",
    "A lumbar puncture is not indicated.",
    "The MRI should be interpreted with caution.",
    "Her sister should be given the vaccine.",
    "If he had bled, transfusion would have been indicated.",
    "We should reach a consensus before the next round.",
    "The diagnosis should be reconsidered in the light of the biopsy.",
    "The CT should be normal in this condition.",
    "Oxygen was required overnight.",
    "She requires oxygen at 4 litres a minute.",
    "My recommendation was ignored by the surgeons.",
    "It is reasonable to assume that the biopsy missed the lesion.",
    "We must remember that the MRI has limited sensitivity.",
    "It is essential to distinguish this from sepsis.",
    "No further imaging is required.",
    "I would argue that neither surgery nor dialysis is required.",
    "The troponin needs to be interpreted in the context of renal failure.",
    "I would favour viral meningitis.",
    "A biopsy may be required later.",
    "I am not convinced that surgery is indicated.",
    "It is unclear whether dialysis is indicated.",
    "The family should be informed.",
    "Further discussion should be undertaken.",
    "I prefer the first option.",
    "Request opened by Dr Amsel, who asks for a dose of morphine.",
    "Request TEST: observations and a venous gas.",
    "The centre knows, and accepts if the lactate passes 8 or a second vasopressor is needed.",
    "A bit of steak and my jaw gives up, I have to rest and start again.",
]


@pytest.mark.parametrize("said", ASKED)
def test_what_prose_asks_for_is_found_by_its_grammar(said: str) -> None:
    assert asked_for(said) is not None


@pytest.mark.parametrize("said", NOT_ASKED)
def test_what_is_weighed_of_books_denied_or_past_asks_for_nothing(said: str) -> None:
    assert asked_for(said) is None


async def test_an_order_is_told_in_its_words_without_its_lead_in() -> None:
    said = (
        "Taking all of the above into account, and recognising the concern of my colleague, my suggestion is that a"
        " diagnostic paracentesis be performed this evening and the fluid sent for culture."
    )
    words = "my suggestion is that a diagnostic paracentesis be performed this evening and the fluid sent for culture."
    assert await told(f"I have read the notes with care. {said}") == [("action", f"The neurologist: {words}")]


async def test_a_reason_before_a_long_order_is_left_out_and_no_condition() -> None:
    said = (
        "Since medical measures have not moved the potassium and the urine output has been negligible since midnight,"
        " I recommend urgent haemodialysis via a temporary femoral catheter."
    )
    words = "The neurologist recommends urgent haemodialysis via a temporary femoral catheter."
    assert ("action", words) in await told(said)


async def test_two_sentences_that_ask_for_the_same_are_told_once() -> None:
    said = (
        "An urgent MRI of the spine should be obtained tonight. I would recommend an urgent MRI of the spine."
    )
    assert len([each for each in await told(said) if each[0] == "action"]) == 1
