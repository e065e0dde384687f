"""What kind of thing a term names: a condition of a patient, a test, or neither that can be told."""

# ruff: noqa: E501 - a word list is read more easily on long lines

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_CONDITION: Final = re.compile(
    r"\b(?:\w*(?:itis|\w{3}ism|gout|zoster|osis|oses|aemia|emia|uria|oma|omas|omata|pathy|pathies|plasia|trophy|trophies|penia|cytosis|philia|algia|plegia|paresis|sclerosis|megaly|"
    r"stenosis|ectasis|rrhagia|rrhage|rrhea|rrhoea|thrombosis|embolism|emboli|ectomy syndrome|lysis|ptosis|iasis|otoxicity|phasia|pnea|pnoea|oedema|edema|cele|spasm|cardia)"
    r"|syndromes?|diseases?|disorders?|failure|infarct(?:ion|s)?|dissection|injur(?:y|ies)|infections?|shock|\w*sepsis|strokes?|pneumonia|ruptured?|ruptures|torn|perforated|obstructed|occluded|incarcerated|strangulated|infected|collapsed|fractured?|fractures|deficienc(?:y|ies)|toxicity|"
    r"poisoning|overdose|crisis|arrest|arrhythmias?|fibrillation|flutter|tachycardia|bradycardia|block|tamponade|effusions?|obstruction|perforation|torsion|isch[ae]emia|cancers?|carcinomas?|lymphomas?|"
    r"leuk[ae]emias?|tumou?rs?|malignanc(?:y|ies)|metastas[ei]s|abscess(?:es)?|h[ae]ematomas?|h[ae]emorrhage|bleed(?:ing)?|anaphylaxis|asthma|epilepsy|seizures?|migraines?|meningitis|delirium|dementia|"
    r"depression|psychosis|mania|withdrawal|intoxication|hypertension|hypotension|hernia|ulcers?|gout|lupus|sarcoid\w*|tuberculosis|malaria|influenza|covid\S*|hiv|anthrax|rabies|tetanus|botulism|"
    r"volvulus|intussusception|ileus|colic|stones?|calculi|lithiasis|varices|shunt|defects?|malformations?|anomal(?:y|ies)|aneurysms?|cysts?|polyps?|palsy|ataxia|chorea|myasthenia|mutation|"
    r"insufficiency|incompetence|regurgitation|overload|compression|entrapment|contusion|trauma|burns?|hypothermia|hyperthermia|dehydration|rejection|relapse|recurrence|flare|exacerbation|"
    r"reaction|allergy|intolerance|pregnancy|abruption|pr[ae]eclampsia|eclampsia|hellp|death|suicide|abuse|use disorder|dependence|rhabdomyolysis|porphyria|amyloid\w*|fistula|stricture|prolapse|"
    r"acidosis|alkalosis|dysfunction|impairment|abnormality|decompensation|involvement|process|condition|lesions?|mass|haemangioma|hyperplasia|hypoplasia|gammaglobulin\w*|sickle cell|thalass\w+)\b",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(
    r"(?-i:\b[A-Z][A-Za-z]?[A-Z][A-Za-z0-9-]{0,8}\b)"
)  # an abbreviation: TTP, AD-HIES, SLE
_NAMED: Final = re.compile(r"\b[A-Z][a-zà-ÿ-]+(?:['’]s| type\b)")
_NO_CONDITION: Final = re.compile(
    r"\A(?:the |an? )?(?:support|oppose|neutral|agree\w*|disagree\w*|incorrect|correct|uncertain|unclear|unknown|true|false|none|yes|no|diagnos[ei]s|confidence|presence|absence|option|answer|others?|"
    r"patient|condition|process|disease|disorder|syndrome|lesion|mass|[\d\W]*%?)\Z|\b(?:diagnos[ei]s|confidence|ranking|score|vote|consensus)\b|[\"“”]\s*:|[{}\[\]]",
    re.IGNORECASE,
)
_TEST: Final = re.compile(
    r"\b(?:tests?|testing|assays?|panels?|levels?|counts?|cultures?|screen(?:s|ing)?|biops(?:y|ies)|smears?|serolog\w+|titres?|titers?|sequencing|karyotyp\w+|histolog\w+|cytolog\w+|microscopy|"
    r"\w*(?:gram|grams|graph|graphs|graphy|graphies|scopy|scopies|metry|centesis|manometry|scintigraphy)|x-?rays?|ct|cta|cts|mri|mra|mrcp|mr|pet|pet-ct|spect|us|ultrasound\w*|doppler|echo\w*|tte|toe|tee|ecg|ekg|eeg|emg|holter|"
    r"scans?|imaging|radiographs?|films?|examination|exam|assessment|evaluation|puncture|lp|csf|aspirat\w+|swabs?|urinalysis|dipstick|urine|stool|sputum|bloods?|gas(?:es)?|abg|vbg|troponins?|d-?dimers?|"
    r"lactate|electrolytes|creatinine|bilirubin|lipase|amylase|glucose|ketones?|ammonia|cortisol|tsh|t4|acth|ferritin|iron studies|b12|folate|inr|coagulation|clotting|fibrinogen|crp|esr|procalcitonin|ana|anca|"
    r"antibod(?:y|ies)|immunoglobulins?|complement|electrophoresis|immunofixation|pcr|viral load|genetics?|genomic|exome|array|studies|study|work-?up|profile|function tests?|lfts?|fbc|cbc|u&es?|group and save|cross-?match|"
    r"monitoring|tilt table|spirometry|polysomnography|audiogram|biomarkers?|markers?|enzymes?|osmolality|smear|trial off|challenge|provocation|measurements?|pressures?|angiography|venography|check|review of the (?:smear|slides)|"
    r"survey|urate|(?:serum|plasma|blood|urine|urinary|csf) [\w-]+|potassium|sodium|calcium|magnesium|phosphate|h[ae]moglobin|platelets?|hb|bnp|nt-probnp|pregnancy test|hcg|tox(?:icology)? screen|anti-?gbm|viral|hepatitis [abc]|hiv|syphilis|blood film)\b",
    re.IGNORECASE,
)
_NO_TEST: Final = re.compile(
    r"\A(?:address|monitor|manage|treat|start|stop|continue|optimi[sz]e|ensure|consider|provide|refer|review|discuss|consult\w*|reassess|educate|avoid|give|hold|follow|maintain|clarify|confirm|exclude|rule|correct|control)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def names_condition(term: str) -> bool:
    """Tell whether `term` names what a patient may have: a disease, an injury, a state, or their abbreviation."""
    if _NO_CONDITION.search(term):
        return False
    return any(pattern.search(term) for pattern in (_CONDITION, _SHORT, _NAMED))


@lru_cache(maxsize=4096)
def states_condition(text: str) -> bool:
    """Tell whether a sentence holds a word for a condition; an abbreviation may be a test's."""
    return _CONDITION.search(text) is not None


@lru_cache(maxsize=4096)
def may_be_named(term: str) -> bool:
    """Tell whether `term` may be a condition where its place says so: it is no word of the debate itself."""
    return _NO_CONDITION.search(term) is None and any(
        word.lower() not in _HEDGES and word.lower() not in _EMPTY for word in _WORD.findall(term)
    )


@lru_cache(maxsize=4096)
def names_test(term: str) -> bool:
    """Tell whether `term` names an investigation, and neither an order of another kind nor a disease."""
    return _TEST.search(term) is not None and _NO_TEST.search(term) is None


_MEASURE: Final = re.compile(
    r"\b(?:surgery|surgical|operat\w+|theatre|laparo\w+|resect\w+|transplant\w*|thrombolys\w+|thrombectomy|stent\w*|angioplasty|PCI|dialys\w+|transfus\w+|intubat\w+|ventilat\w+|admit|admission|discharge|transfer\w*|"
    r"ICU|chemotherap\w+|radiotherap\w+|chemoradi\w+|immunotherap\w+|palliati\w+|antibiotics?|steroids?|anticoagul\w+|drain\w*|debridement|section|delivery|deliver|start|stop|give|hold|withhold|treat\w*|repair|bypass|"
    r"\w*(?:ectomy|plasty|ostomy|otomy)|observ\w+|watch\w*|surveillance|monitor\w*|escalat\w+|resuscitat\w+|comfort|hospice)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def names_measure(term: str) -> bool:
    """Tell whether `term` names something done for a patient, or to be done: an operation, a treatment."""
    return _MEASURE.search(term) is not None


_HEDGES: Final = frozenset(
    "likely unlikely probable probably possible possibly perhaps maybe sure certain uncertain unsure unclear "
    "suspected more less most least than still now then yet not here there above below same before after working "
    "leading undetermined undecided open pending imaging results result confirmed agreed favoured".split()
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_TELLS: Final = re.compile(r"\d|\b[A-Z]{2,}")
_EMPTY: Final = frozenset(
    "the and for with this that these those from into about would could should have has had was were are been being will can may might must not "
    "overall confidence score rank ranking top choice diagnosis diagnoses probability likelihood per cent percent evidence rationale support supports supporting "
    "high low medium moderate very quite option options answer reason reasons none yes total round vote votes points point final initial primary".split()
)


def says_something(text: str) -> bool:
    """Tell whether `text` holds words that may say something about a case: "90 %" and "High." do not.

    Two words will do, or one with a number or an abbreviation: "CRP 88 mg/L", "The CT was normal."
    """
    words = [word for word in _WORD.findall(text) if word.lower() not in _EMPTY]
    return len(words) >= 2 or (bool(words) and _TELLS.search(text) is not None)
