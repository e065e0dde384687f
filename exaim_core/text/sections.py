"""What a heading announces."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final


class Section(StrEnum):
    """What stands under a heading."""

    LEADING = "leading"
    DIFFERENTIAL = "differential"
    TESTS = "tests"
    ACTIONS = "actions"
    CAUTION = "caution"
    CRITICAL = "critical"
    DISAGREEMENT = "disagreement"
    AGREEMENT = "agreement"
    REVISION = "revision"
    PRIORITY = "priority"
    WITHDRAWN = "withdrawn"
    OTHER = "other"


# The first that fits wins. Wordings from the headings of multi-agent traces and of the shipped case.
_RULES: Final = (
    (Section.CRITICAL, r"critical (?:finding|result|value|alert)s?|red flags?|life[- ]threat\w+.*"),
    (Section.WITHDRAWN, r"(?:withdrawn|retracted|cancelled|abandoned|rescinded) (?:\w+ )?(?:treatments?|recommendations?|drugs?|medications?|orders?|actions?|advice|proposals?|plan)|(?:treatments?|recommendations?|drugs?|orders?|actions?) (?:now )?(?:withdrawn|cancelled)"),
    (Section.DISAGREEMENT, r".*\b(?:disagree\w*|contention|unresolved|open questions?|remaining (?:questions?|discussion))\b.*"),
    (Section.CAUTION, r".*\b(?:allerg(?:y|ies)|contraindications?|cautions?|precautions?|(?:renal|dose|dosing|safety) (?:limits?|checks?))\b.*"),
    (Section.REVISION, r"(?:revised|changed|updated) (?:opinion|view|position)"),
    (Section.DIFFERENTIAL, r".*\bdifferentials?\b.*|alternative diagnos[ei]s"),
    (Section.LEADING, r".*\b(?:most likely|leading|primary|working|final|principal|probable|provisional) diagnos[ei]s\b.*|(?:diagnosis|(?:clinical )?impression|revised diagnosis|(?:the |our )?final (?:decision|answer|verdict))"),
    (Section.PRIORITY, r"(?:first|top|immediate) priorit(?:y|ies)"),
    (Section.TESTS, r".*\b(?:diagnostic|recommended|suggested|additional|further|confirmatory|proposed|initial|enhanced|key)\b.*\b(?:tests?|testing|investigations?|work-?ups?|studies|evaluations?)\b.*|tests?|investigations?|work-?up|diagnostics?"),
    (Section.ACTIONS, r"(?:immediate|urgent|recommended|management|treatment)s? (?:actions?|steps?|measures?|management|treatment|plan|strategy)|actions?|(?:\w+ ){0,2}(?:treatments?|management|therapy)|drugs?|medications?|fluids?|dialysis"),
    (Section.AGREEMENT, r".*\b(?:consensus|agreement)\b.*"),
)  # fmt: skip
_COMPILED: Final = tuple((section, re.compile(pattern)) for section, pattern in _RULES)
_LABELS: Final = re.compile(
    r"(?:(?:proposed|current|updated|revised|final|agreed|consensus|our|the) )*(?:most likely|leading|primary|working|final) diagnos[ei]s(?: consensus)?"
    r"|diagnosis|(?:revised |updated |key |agreed )?differentials?(?: diagnos[ei]s)?(?: list)?"
    r"|(?:agreed |key |additional )?(?:recommended|diagnostic|suggested|additional)(?: diagnostic)? (?:tests|investigations)(?: consensus)?|tests|investigations"
    r"|(?:areas?|points?) of (?:remaining |potential )?(?:disagreement|contention|agreement)|disagreements?"
    r"|allerg(?:y|ies)|contraindications?|(?:first|top|immediate) priority|critical findings?|drugs|immediate actions?|management|treatment"
)
_LEAD_IN: Final = re.compile(r"^(?:\d{1,2}[.)]|[-*•]|#+)\s*")


def _norm(text: str) -> str:
    return _LEAD_IN.sub("", text.strip().strip("*").strip()).rstrip(" :").lower()


@lru_cache(maxsize=1024)
def classify(heading: str) -> Section:
    """Return what `heading` announces; OTHER if nothing that is known."""
    text = _norm(heading)
    if len(text) > 90:
        return Section.OTHER
    return next((section for section, rule in _COMPILED if rule.fullmatch(text)), Section.OTHER)


# Keys are short where headings are long. Only those that say outright what stands under them.
_KEYS: Final = (
    (Section.LEADING, r"(?:leading|top|working|primary|main|most likely|favou?red|preferred|final|current|provisional)(?: (?:hypothesis|view|choice|pick|impression|answer|explanation|dx|opinion))?|hypothesis|impression|dx|verdict|conclusion"),
    (Section.DIFFERENTIAL, r"(?:other|alternative|competing|remaining|secondary)s?(?: (?:hypotheses|hypothesis|options?|views?|diagnoses|causes))?|alternatives?|also considered|ddx|runners? up"),
    (Section.TESTS, r"(?:tests?|investigations?|studies|labs|imaging)(?: (?:wanted|needed|to order|requested|next))|(?:order|request|want|needed|wanted|next) (?:tests?|investigations?|studies|imaging|labs)"),
)  # fmt: skip
_COMPILED_KEYS: Final = tuple((section, re.compile(pattern)) for section, pattern in _KEYS)


@lru_cache(maxsize=4096)
def classify_key(key: str) -> Section:
    """Return what stands under a key of a JSON object, written as words; OTHER if it does not say."""
    text = _norm(key)
    found = classify(text)
    if found is not Section.OTHER:
        return found
    return next((section for section, rule in _COMPILED_KEYS if rule.fullmatch(text)), Section.OTHER)


@lru_cache(maxsize=4096)
def classify_label(label: str) -> Section:
    """Return what a list item's label announces if the label is a heading of its own, else OTHER."""
    text = _norm(label)
    return classify(text) if _LABELS.fullmatch(text) else Section.OTHER


LISTS: Final = frozenset({Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT, Section.PRIORITY})
VIEWS: Final = frozenset({Section.DIFFERENTIAL, Section.LEADING})  # their items name diagnoses
DRAFTED: Final = frozenset(
    {Section.LEADING, Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT, Section.CRITICAL}
)
"""What is read of a JSON block as a draft, key by key (`claims.list_claims`)."""
