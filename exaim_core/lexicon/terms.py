"""What may be a term, what is too general to be said, and the wordings of cautions and findings."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.wording import word_count

MAX_TERM_WORDS: Final = 9
LEADING_WORDS: Final = 13  # a leading diagnosis is named with where and from what
_GENERIC: Final = re.compile(
    r"^(?:(?:additional|further|other|more|basic|blood|laboratory|lab|imaging|follow-?up|follow|up|diagnostic|comprehensive|clinical|physical|routine|regular|multidisciplinary|"
    r"detailed|thorough|specialist|specialty|expert|interdisciplinary|collaborative|continuous|ongoing|close|longitudinal|advanced|extended|serial|repeat|general|complete|"
    r"family|patient|medical|full|initial|careful|standard|specific|relevant|appropriate|necessary|environmental|occupational|and|or|of|for|history|consideration|in-depth|expanded|"
    r"enhanced|periodic|long-term|structured|functional|health|care|support|case|specialized|specialised|systemic|symptom|symptoms)[\s,]*)*"
    r"(?:tests?|testing|work-?ups?|studies|study|evaluations?|assessments?|monitoring|imaging|investigations?|consultations?|panels?|examinations?|exam|history|approach|scans?|reviews?|"
    r"techniques?|follow-?ups?|protocols?|education|counsell?ing|discussions?|plans?|planning|history-taking|inquiry|collaboration|involvement|considerations?|management|screenings?|referrals?|results?|care|support|strategy|priority|analysis|data|differentials?|diagnoses|conditions?|causes?|syndromes?|disorders?|diseases?|etiologies)$",
    re.IGNORECASE,
)  # fmt: skip
_NOT_A_TERM: Final = re.compile(
    r"^(?:reassess\w*|re-?evaluat\w*|explor\w+|consider\w*|evaluat\w+|assess\w*|review\w*|emphasi\w+|inclu\w+|retain\w*|retention|discuss\w+|differentiat\w+|address\w+|clarif\w+|confirm(?:ing|ation|ed)?|"
    r"prioriti\w+|expan\w+|ensur\w+|maintain\w*|importance|need|role|rational\w*|insights?|agreement|consensus|current|overall|summary|final\w*|next|moving|conclusion|commentary|engag\w+|identif\w+|"
    r"narrow\w*|focus\w*|refin\w+|monitor(?:ing)? strategy|use|utili\w+|integrat\w+|develop\w*|establish\w*|implement\w*|justification|rationale|response\w*|recommend\w+|suggest\w+|points?|areas?|"
    r"additional|further|other|others|various|potential|key|any|possible|tests|lists?|differentials?|diagnos\w+|dynamic|narrative|alternatives?|along|distinctive|more|less|helpful|useful|to|priority|deferred|coordination|in|for|with|would|of|by|features?|certain|specific|secondary considerations?|atypical presentations?|common|rare|given|while|although|however|the|there|i|we|it|this|both|all|as|if)\b(?! (?:pcr|panel))",
    re.IGNORECASE,
)  # fmt: skip
IMPERATIVE: Final = re.compile(
    r"\b(?:should|must|needs? to|is to be|are to be|now|urgent(?:ly)?|immediately|stop|hold|start|give|avoid|only if)\b",
    re.IGNORECASE,
)
USE: Final = re.compile(r"(?:use|give|start|follow|add|infuse|administer|load)\b", re.IGNORECASE)
ALLERGY: Final = re.compile(
    r"\b(?:allergic to (?!be\b)[a-z]+|anaphyla\w+ to [a-z]+|(?:her|his|their|known|documented|patient(?:'|’)s|severe|confirmed)\s+(?:[a-z]+[ -])?allerg(?:y|ies)(?! test| panel| screen)|[a-z]*(?:cillin|mycin|latex|sulfa|nsaid|aspirin|contrast|iodine|codeine|morphine)\w*[- ](?:allerg(?:y|ic)|anaphylaxis))\b|^No (?:penicillins?|[a-z]+cillin)\b",
    re.IGNORECASE,
)  # fmt: skip
CONTRA: Final = re.compile(r"\b(?:contraindicated|contra-indicated)\b", re.IGNORECASE)
LIMIT: Final = re.compile(
    r"\b(?:maximum (?:daily )?dose|dose limit|do(?:es)? not exceed|must not exceed|no more than|dose (?:is |has been |should be |must be )?(?:already )?(?:halved|reduced|adjusted|capped))\b",
    re.IGNORECASE,
)
NEGATIVE_FINDING: Final = re.compile(
    r"\bno (?:clear |current |clinical )?(?:signs?|evidence|features?|sign) of (?:an? |active |acute )?(?P<of>sepsis|septic shock|myocardial infarction|pulmonary embol\w+|ha?emorrhage|bleeding|infection|malignancy|metasta\w+|stroke|"
    r"meningitis|dissection|obstruction|perforation|isch[ae]+mia|heart failure|raised intracranial pressure|cord compression|embol\w+|thrombosis)",
    re.IGNORECASE,
)  # fmt: skip
DURATION: Final = frozenset({"", "year", "month", "week", "day", "hour", "minute", "s", "%", "point", "m"})
NO_DISPUTE: Final = re.compile(
    r"\b(?:should|might|could|would|must|needs?|I|we|importance|necessity|is|are|further|additional)\b|^(?:focus|coordination|gathering|employing|ensuring|importance|need)\b",
    re.IGNORECASE,
)
OPEN_PREFIX: Final = re.compile(
    r"^(?:the )?(?:further|additional|continued|more|ongoing)?\s*(?:evaluation|exploration|discussion|investigation|reassessment|assessment|consideration|clarification|examination|inclusion|evaluating|exploring|discussing|assessing|considering|clarifying)\s+"
    r"(?:of|on|about|into|regarding|around|for)?\s*(?:the |any )?(?:potential (?:for |of )?)?",
    re.IGNORECASE,
)  # fmt: skip


def is_generic(name: str) -> bool:
    """Tell whether `name` names no test in particular, as "further evaluation" does."""
    return _GENERIC.match(name) is not None


def is_term(name: str) -> bool:
    """Tell whether `name` may be a diagnosis or a test, rather than a heading or a sentence."""
    return bool(name) and word_count(name) <= MAX_TERM_WORDS and not _NOT_A_TERM.match(name) and len(name) > 2


def may_lead(name: str) -> bool:
    """Tell whether `name`, which stands where the leading diagnosis is named, may be one: it may be longer."""
    return is_term(name) or (MAX_TERM_WORDS < word_count(name) <= LEADING_WORDS and mostly_term(name))


_NO_VIEW: Final = re.compile(
    r"(?:he|she|they|his|her|their|the patient|there|this|that|it|we|i)\b.*|(?:(?:the|a|an|on|in|at|of)\s+)*(?:left|right|both|bilateral|upper|lower|acute|chronic|severe|mild|early|late|now|new|first|second|third|infected|obstructed|positive|negative|normal|abnormal|high|low|raised|"
    r"not|only|never|always|before|after|urgent\w*|immediate\w*|today|yes|no|likely|unlikely|less likely|most likely|very likely|leading|agree\w*|disagree\w*|caution|note|summary)(?:[\s,]+(?:side|sided|and|or|left|right))*"
    r"|.*\b(?:minutes?|hours?|days?|weeks?|months?|years?|o['’]?clock|am|pm|mg|mL|mmol\S*|mmHg|per cent|percent)|[\d\W]+(?:st|nd|rd|th)?[\W]*",
    re.IGNORECASE,
)


def names_a_view(name: str) -> bool:
    """Tell whether `name` may be a diagnosis: no bare side, time, number or adjective."""
    return _NO_VIEW.fullmatch(name.strip()) is None


def mostly_term(text: str) -> bool:
    """Tell whether a short line names something rather than says something."""
    return not re.search(
        r"\b(?:agree\w*|supported|remains|conclusion|widely|is|are|was|were|has|have|should|could|would|may|can|we|i|there|this)\b",
        text,
        re.IGNORECASE,
    )


_VERBS: Final = re.compile(
    r"\b(?:leads?|agrees?|is|are|was|were|has|have|should|could|would|may|we|i|it|there|this|that|supported|agreed|noted|seems?|appears?|remains?|covers?|captures?|includes?|presented|proposed|provided|essential|comprehensive and)\b",
    re.IGNORECASE,
)


def sentence_like(text: str) -> bool:
    """Tell whether a would-be term is a piece of a sentence."""
    return _VERBS.search(text) is not None
