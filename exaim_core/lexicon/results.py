"""What a study has shown: a diagnosis confirmed, and findings under the heading of a report."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.text.wording import word_count

_STUDY: Final = (
    r"(?:CT|MRI|MR|X-?rays?|radiographs?|ultrasound|sonogra\w+|echocardiogra\w+|echo|angiogra\w+|venogra\w+|scans?|PET|ECG|EEG|EMG|biops(?:y|ies)|histology|patholog(?:y|ist)|cytology|cultures?|PCR|serology|"
    r"smears?|endoscopy|colonoscopy|bronchoscopy|laparoscopy|lumbar puncture|CSF|genetic test\w*|sequencing|karyotyp\w+|radiologist|laboratory|assays?|imaging|autopsy|gastroscopy|cystoscopy|arteriogra\w+|mammogra\w+|spirometry|blood tests?|electrophoresis|gram stain)"
)
_HEADING: Final = re.compile(
    rf"(?:(?:the|urgent|repeat|bedside|new|second|follow-?up|abdominal|renal|chest|brain|head|cardiac|spinal|pelvic|liver|transthoracic|contrast|doppler) )*{_STUDY}(?: (?:of|angiogra\w+|scan|of the \w+|chest|abdomen|head|brain|thorax|pelvis|aorta|spine|heart))*"
    r"(?: (?:findings?|results?|reports?|shows?))?(?: \(.*\))?|(?:imaging|scan|radiology|pathology|histology|laboratory|test) (?:findings|results?|report)",
    re.IGNORECASE,
)
_IS_CONFIRMED: Final = re.compile(
    r"^(?P<what>[A-Z][^.;:]{3,80}?) (?:is|are|was|were|has been|have been|stands) (?:now |thus |therefore |also |thereby |\w+ly )?(?:confirmed|proven|proved)\b",
)
_CONFIRMS: Final = re.compile(
    rf"\b(?:the|this|his|her|that|repeat|today[’']s|both) (?:[\w-]+ ){{0,3}}?{_STUDY}(?: [\w-]+){{0,3}}? (?:has |have |now |clearly )?(?:confirms?|confirmed|proves?|proved|clinch(?:es|ed)) (?:that (?:this|it) is |the (?:suspected |presence of |diagnosis of )?|an? |his |her )?(?P<what>[^.;:,]{{3,80}})"
    rf"|^{_STUDY}(?: [\w-]+){{0,3}}? (?:has confirmed|now confirms|confirms|confirmed) (?:the (?:suspected |presence of |diagnosis of )?|an? |his |her )?(?P<bare>[^.;:,]{{3,80}})",
    re.IGNORECASE,
)
_NOT_YET: Final = re.compile(
    r"\b(?:if|once|until|when|unless|not|never|would|could|may|might|should|must|to be|awaits?|pending|whether|can|need\w*|will|hop\w+|yet|before|typically|usually|often|commonly|cannot)\b|\?\Z",
    re.IGNORECASE,
)
_NO_RESULT: Final = re.compile(
    r"\b(?:should|must|would|could|may|might|will|please|recommend\w*|suggest(?: a| an| that| we)|consider\w*|if|once|needs?|plan\w*|ask|look for|evaluat\w+|assess\w*|to (?:see|look|rule|exclude|check|show|find)|awaited|pending|request\w*|we|I|our|my)\b",
    re.IGNORECASE,
)
_STATES: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|shows?|reaches|extends|runs|moves?|enhances?|contains?|measures?|fills?|appears?|remains?|speaks|lies|compress\w+|occlud\w+|not|no|normal|intact|dilated|thickened|enlarged|absent|present)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def is_report(heading: str) -> bool:
    """Tell whether `heading` names a study, so that what stands under it may be what the study showed."""
    return _HEADING.fullmatch(heading.strip(" :")) is not None


@lru_cache(maxsize=2048)
def confirmed(text: str) -> str | None:
    """Return the diagnosis that `text` says is confirmed by a study, as written; None for none."""
    if "confirm" not in text and "prove" not in text and "clinch" not in text:
        return None
    match = _IS_CONFIRMED.search(text) or _CONFIRMS.search(text)
    if match is None or _NOT_YET.search(text[: match.end()]):
        return None
    what = match["what"] if match.re is _IS_CONFIRMED else (match["what"] or match["bare"])
    what = re.split(
        r"\s+(?:with|and|in (?:the|this|his|her)|which|as|by|on|at|for)\s|\s+[-–—]\s", what.strip(" ,*")
    )[0]
    return what if 1 <= word_count(what) <= 9 else None


@lru_cache(maxsize=2048)
def is_result(text: str) -> bool:
    """Tell whether a sentence under a study's heading states what it showed."""
    return (
        word_count(text) >= 3
        and text[-1:] not in "?:"
        and _STATES.search(text) is not None
        and _NO_RESULT.search(text) is None
    )
