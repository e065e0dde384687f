"""What careful prose reports and holds is told; what it asks, supposes or says of others and of books is not."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta


async def told(*turns: str) -> list[str]:
    """Return what is told of turns, each "speaker: words", without the closing."""
    engine, said = EXAIM(), list[str]()
    for at, turn in enumerate(turns):
        speaker, _, words = turn.partition(": ")
        updates = await engine.feed(Delta(speaker, words, 2 * at, 4.0 * at))
        updates += await engine.turn_end(speaker, 2 * at + 1, 4.0 * at + 3)
        said += [item.text for update in updates for item in update.items]
    return said


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            "rheum: The temporal artery biopsy is notable for transmural inflammation with giant cells.",
            "notable for transmural inflammation with giant cells",
        ),
        (
            "micro: Two of the three sputum specimens have now grown Mycobacterium kansasii on solid media.",
            "have now grown Mycobacterium kansasii",
        ),
        (
            "paeds: On examination, the infant has a bulging fontanelle and a non-blanching rash.",
            "a bulging fontanelle and a non-blanching rash",
        ),
        (
            "vascular: A filling defect was identified in the right common iliac artery on the CT angiogram.",
            "in the right common iliac artery",
        ),
        (
            "genetics: The germline panel came back this morning. A pathogenic variant in BRCA2 was detected.",
            "pathogenic variant in BRCA2 was detected",
        ),
        (
            "ortho: I would like to note that the synovial fluid aspirate contained 92,000 white cells.",
            "the synovial fluid aspirate contained 92,000 white cells",
        ),
        (
            (
                "renal: What stands out to me is the trajectory: creatinine has risen from 88 to 214 µmol/L over "
                "thirty-six hours, a pace that cannot be attributed to laboratory variation."
            ),
            "creatinine has risen from 88 to 214 µmol/L",
        ),
        (
            (
                "radiology: The CT of the abdomen demonstrates a 4 cm abscess in the left psoas muscle, with no "
                "extension into the spinal canal."
            ),
            "in the left psoas muscle, with no extension into the spinal canal",
        ),
    ],
)
async def test_a_result_in_prose_is_told_with_its_number_its_side_and_its_denial(
    turn: str, expected: str
) -> None:
    said = await told(turn)
    assert any(expected in each for each in said), said


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            "rheum: Taken together, these findings are most consistent with adult-onset Still's disease.",
            "the findings are most consistent with adult-onset Still's disease",
        ),
        (
            "haem: The schistocytes with thrombocytopenia strongly point to thrombotic thrombocytopenic purpura.",
            "strongly point to thrombotic thrombocytopenic purpura",
        ),
        (
            "endo: I strongly suspect that this patient is experiencing an adrenal crisis.",
            "I strongly suspect that this patient is experiencing an adrenal crisis",
        ),
        (
            "neuro: A subarachnoid haemorrhage has been effectively excluded by the normal lumbar puncture.",
            "a subarachnoid haemorrhage has been effectively excluded",
        ),
        (
            "resp: The absence of eosinophilia makes allergic bronchopulmonary aspergillosis unlikely.",
            "makes allergic bronchopulmonary aspergillosis unlikely",
        ),
        (
            "psych: The waxing attention would argue against a primary psychotic disorder.",
            "would argue against a primary psychotic disorder",
        ),
        (
            "paeds: The working diagnosis should therefore be Kawasaki disease.",
            "the working diagnosis should therefore be Kawasaki disease",
        ),
        (
            (
                "uro: A high-riding testis makes testicular torsion by far the most probable explanation, and I "
                "would not want the urine result to distract us."
            ),
            "makes testicular torsion by far the most probable explanation.",
        ),
        (
            "uro: Putting this together, the team's working diagnosis is adrenal crisis.",
            "the team's working diagnosis is adrenal crisis",
        ),
    ],
)
async def test_what_findings_are_said_to_mean_is_told_with_its_hedge(turn: str, expected: str) -> None:
    said = await told(turn)
    assert any(expected in each for each in said), said


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("cardio: I believe that this represents acute myocarditis.", "leads with acute myocarditis"),
        (
            "gastro: Putting these strands together, I would submit that we are dealing with Budd-Chiari syndrome.",
            "leads with Budd-Chiari syndrome",
        ),
    ],
)
async def test_what_a_speaker_says_outright_to_believe_is_its_view(turn: str, expected: str) -> None:
    said = await told(turn)
    assert any(expected in each for each in said), said


@pytest.mark.parametrize(
    "turn",
    [
        "radiology: An MRI of the spine would demonstrate whether there is cord compression.",
        "neuro: Guillain-Barré syndrome typically presents with ascending weakness.",
        "rheum: In patients with giant cell arteritis, biopsy often shows transmural inflammation.",
        "cardio: If the troponin is elevated, this would be most consistent with myocarditis.",
        "id: Could these findings be most consistent with miliary tuberculosis?",
        "renal: Her previous biopsy in 2019 showed minimal change disease.",
        "genetics: Her brother's echocardiogram demonstrated hypertrophic cardiomyopathy.",
        "int: The literature shows that early anticoagulation reduces mortality in pulmonary embolism.",
        "chair: I believe this is an excellent discussion and that we are approaching consensus.",
        "paeds: Kawasaki disease could be considered among the possibilities.",
        "resp: A normal CT pulmonary angiogram would make pulmonary embolism unlikely.",
        "onc: The analysis demonstrates the importance of a multidisciplinary approach to this disease.",
        "surg: I believe that the evidence supports early operation in this setting.",
        "int: The data favour a conservative strategy.",
        "obs: As regards her blood pressure, there are several agreeable options open to us.",
        "cardio: My impression is in keeping with that of the emergency department.",
        "id: Negative stains do not exclude an infection.",
        "chair: The court sits in the matter of Mrs Ilse Brandvold.",
        "coord: In January the haemoglobin was 128 on the blood film.",
        "renal: A fractional excretion below one per cent suggests prerenal failure.",
        "surg: We are dealing with a difficult decision about the tumour.",
        "path: The specimen lies in the laboratory and has not yet been examined.",
        "id: Should the cultures grow Candida, this would represent fungaemia.",
        "rheum: My concern is that the biopsy will be delayed.",
    ],
)
async def test_what_is_asked_supposed_of_books_or_of_others_is_not_told(turn: str) -> None:
    assert not await told(turn)


async def test_a_view_on_one_disease_is_told_once_a_turn() -> None:
    said = await told(
        "int: The rapid onset is highly suggestive of pulmonary embolism. The hypoxia is also consistent with "
        "pulmonary embolism."
    )
    assert sum("embolism" in each for each in said) == 1, said
