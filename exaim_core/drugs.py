"""Drug names, and the words that stop or forbid one.

The stems are those that the WHO gives to classes of substances (The use of stems in the selection
of INN, 2018); the list adds common drugs whose names have none.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

_STEMS: Final = (
    r"[a-z]{2,}(?:cillin|pril|sartan|[^h]olol|statin|conazole|prazole|mycin|micin|floxacin|cycline|xaban|gatran|parin|profen|formin|gliptin|gliflozin|"
    r"glitazone|glutide|teplase|peridol|semide|thiazide|lactone|caine|azepam|azolam|dipine|terol|sone|solone|setron|triptan|vir|mab|tinib|platin|coxib|fibrate|tidine|oxetine|pam|barbital|penem|sulfam?)"
)
DRUG: Final = re.compile(
    rf"\b(?:{_STEMS}|cef[a-z]+|sulfa[a-z]*|penicillins?|aspirin|paracetamol|acetaminophen|trimethoprim|co-trimoxazole|valpro(?:ate|ic acid)|co-amoxiclav|piperacillin-tazobactam|"
    r"adenosine|magnesium sul(?:ph|f)ate|levetiracetam|nitrofurantoin|tramadol|levothyroxine|tranexamic acid|flucloxacillin|digoxin|warfarin|heparin|insulin|metronidazole|vancomycin|aztreonam|lithium|methotrexate|phenytoin|morphine|codeine|opioids?|nsaids?|ace inhibitors?|"
    r"beta-?blockers?|diuretics?|steroids?|corticosteroids?|potassium supplements?|contrast|colchicine|allopurinol|levodopa|metformin|bisoprolol|diclofenac|"
    r"naproxen|clopidogrel|amiodarone|verapamil|theophylline|(?:nor)?epinephrine|(?:nor)?adrenaline|salbutamol|carbamazepine|clozapine|tacrolimus|ciclosporin|cyclosporine|azathioprine|spironolactone|octreotide|dobutamine|dopamine|vasopressin|mannitol|acetylcysteine|nitrates?|anticoagula\w+|thrombolysis)\b",
    re.IGNORECASE,
)
ORDER: Final = re.compile(
    r"(?:^|[:;.]\s|\band (?:then )?)(?:stop|hold|withhold|avoid|discontinue|suspend|cease)\b|"
    r"\b(?:do not|don['’]t|never|must not|should not|cannot) (?:be )?(?:give|given|use|used|start|started|take|restart)\b|"
    r"\b(?:should|must) be (?:avoided|stopped|held|withheld|discontinued)\b|\b(?:are|is) not (?:an )?options?\b|\b(?:stay|stays|remain|remains) on hold\b|^No (?=\w+\b)",
    re.IGNORECASE,
)
