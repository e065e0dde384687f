"""What forbids, read widely: for the list of all that must not be given, a clause too many is better than one too few.

`exaim_core.lexicon.prohibitions` decides what is told unasked, and is strict. Who asks for the whole list is
served by more forms: a "no" before anything that is given or done, a person who should not do something, an
order that was crossed off. A finding that is denied ("no effusion") is none.
"""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG, drugs_named

# What is given to a patient or done with one, beside drugs and what the vocabulary calls a procedure.
_DOINGS: Final = re.compile(
    r"\b(?:an?a?esthe(?:tic|sia)s?|relaxants?|paraly(?:sis|sing)|sedati(?:on|ves?)|opi(?:oids?|ates?)|supine|flat|prone|stents?|stenting|biops(?:y|ies)|needles?|needling|punctures?|catheters?|cannula\w*|tubes?|tubing|"
    r"intubat\w+|ventilat\w+|bagging|cpap|niv|patch(?:es)?|transfus\w+|fluids|bolus(?:es)?|(?:tube|enteral|oral|nasogastric) feed(?:s|ing)?|food|diet|oral intake|driv(?:e|es|ing)|sunbathing|exercise|lifting|climb\w*|alcohol|flights?|flying|discharge|mri|contrast|"
    r"\w{3,}(?:oscop(?:y|ies)|otom(?:y|ies)|ectom(?:y|ies)|ostom(?:y|ies)|plast(?:y|ies)|centesis)|surgery|operations?|massage|cardioversion|pacing|defibrillation|dialysis|filters?|\w*lysis|lytics?|anticoagula\w+|antiplatelets?|"
    r"tourniquets?|cuffs?|compressions?|vaccin\w+|drops|tablets?|pills?|inject\w+|infusions?|intramuscular|im|top-?ups?|supplements?|replacement|loading|alkalini[sz]ation|chelation|chemo\w*|radiotherapy|transplant\w*|"
    r"emboli[sz]ation|sclerotherapy|ablation|spinals?|epidurals?|enemas?|suppositor\w+|laxatives?|cooling|warming|rewarming|traction|splints?|weight-?bearing|mobili[sz]ation|steroids?|antibiotics?|painkillers?|vasodilators?|vasopressors?|inotropes?|diuretics?|chlorhexidine|latex|lozenges?|vitamins?|oxygen|bicarb(?:onate)?|zinc|folate|folic acid|iron|iodine)\b",
    re.IGNORECASE,
)
# What a question names that is of eating ...
_EATING: Final = re.compile(r"\b(?:eat(?:s|ing)?|drink(?:s|ing)?|by mouth|nbm|npo)\b", re.IGNORECASE)
# ... and what a sentence says of it in the form of an order. "He did not eat" and "he doesn't eat meat" have none.
_BY_MOUTH: Final = r"(?:by mouth|orally|per os|po)\b"
_NOT_SO_FAR: Final = r"(?!(?: (?:or|and) \w+)? (?:since|so far|yesterday|last|all)\b)"
_HAS_HAD: Final = r"(?<!\bhad )(?<!\bhas )(?<!\bhave )(?<!took )(?<!taken )(?<!\bof )"
_TO_HAVE: Final = r"(?<=\bto have )|(?<=must have )|(?<=should have )"
_MUST_NOT: Final = (
    r"\b(?:(?:must|should|shall|ought) ?(?:not|n['’]t|never)(?: to)?|(?:is|are) (?:not|never) to)"
)
_MAY_NOT: Final = r"\b(?:(?:can|may) ?(?:not|never)|can['’]?t)"
_STARTS: Final = r"(?:\A\W*|[.;:–—-] |, |\b(?:please|so|also) )"
_NO_EATING: Final = re.compile(
    "|".join(
        (
            rf"(?<!\bnot )(?<!longer )(?<!\bwas )(?<!\bwere )\b(?:nil {_BY_MOUTH}|nbm\b|npo\b)",
            rf"(?:{_HAS_HAD}|{_TO_HAVE})\bnothing (?:{_BY_MOUTH}|to (?:eat|drink)\b){_NOT_SO_FAR}",
            rf"{_MUST_NOT} (?:(?:eat|drink)\b|(?:have|get|take|receive|be given)(?: \w+){{0,2}} {_BY_MOUTH})",
            rf"{_MAY_NOT} (?:eat|drink)\b[^.;?]*\b(?:until|till?|before)\b",
            rf"{_STARTS}(?:(?:do not|don['’]t|never) (?:eat|drink)|(?:no|stop|avoid) (?:eating|drinking))\b{_NOT_SO_FAR}",
        )
    ),
    re.IGNORECASE,
)
_DENIED: Final = re.compile(  # a "no" of a finding, of a need, or of what was not done so far
    r"\A[^.;,]{0,40}?\b(?:seen|found|felt|needed|required|necessary|enhancement|extravasation|collections?|leak\w*|levels?|lesions?|history|allerg\w+|reaction|toxicity|given|taken|so far|available|reported|back|was|were|has|had|objection\w*|effect|response|benefit|signs?|evidence|failure|withdrawal|dependence|use in the past)\b",
    re.IGNORECASE,
)
EPISTEMIC: Final = r"(?:delay\w*|wait\w*|miss\w*|assum\w+|rely|forget|overlook\w*|ignor\w+|expect\w*|mean|explain\w*|confus\w+|worry|anchor\w*|dismiss\w*|be (?:missed|delayed|forgotten|overlooked|ignored|dismissed|confused|assumed|surprised|needed|necessary)|have (?:been|happened)|happen|change\w*|matter|read as|count|come|cause|exceed|converge|need|show|look|take (?:long|more))"
_FORMS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # somebody should not do, have or be something
        rf"\b(?:he|she|they|patient|you|we|nobody|no ?one|mother|child)\b[^.;?]{{0,20}}?\b(?:should|must|may|can|ought|is|are) ?(?:not|n['’]t|never)(?: to)?\s+(?!{EPISTEMIC}\b)(?P<object>(?:drive|climb|lie|be|have|get|eat|drink|take|receive|go|travel|fly|stand|walk|lift|swim|bathe|breastfeed|conceive)\b[^.;]*)",
        # nobody does it
        r"\b(?:nobody|no ?one|none of (?:you|us)|don['’]t let any(?:one|body))\s+(?:should |must |is to |to |here )?(?P<object>(?:gives?|starts?|stops?|lays?|puts?|uses?|adds?|restarts?|touch(?:es)?|moves?|feeds?|intubates?|operates?|needles?|drains?|discharges?|sends?|takes?)\b[^.;]*)",
        # struck off, kept out, stopped: what is named stands before
        r"(?P<object>[A-Za-z][\w ,/()+-]{2,50}?)(?: is| are| was| were| has been| have been| to be|: Status:)?(?: now| today)? (?:struck (?:out|off)|crossed (?:out|off)|rubbed out|called off|cancelled|stays? out|kept out|stays? away|held back|withheld|stopped|scrapped|dropped unless)\b",
        r"(?P<object>[A-Za-z][\w ,/()+-]{2,50}?) (?:is|are) (?:no use|no good|useless|pointless|harmful|risky|not safe|not for (?:him|her))\b",
        r"(?P<object>[A-Za-z][\w ,/+-]{2,40}): (?:please )?(?:avoid|stop|hold|withhold|omit|skip|leave|drop) (?:it|them|both|this|these)\b",
        r"\b(?:put|leave|keep) (?P<object>(?:the |his |her |all )?[A-Za-z][\w -]{2,30}?) (?:away|out|off)(?=[.,;]|\Z)",
        r"\b(?:against|rather not(?: use| give| have)?|would(?:n['’]t| not) (?:use|give|want|have|touch)|not keen on) (?P<object>[A-Za-z][\w -]{2,40})",
        r"(?P<object>[A-Za-z][\w -]{2,40}): (?:against|not (?:tonight|today|now|yet|for (?:him|her))\b|(?:none|no|never|declined|refused)(?=\s*(?:[.,;]|\Z)))",
        r"(?P<object>[A-Za-z][\w -]{2,40}) (?:only after|can wait|has to wait|must wait|not before)\b",
    )
)
# A drug that is taken out of a plan: "Strike the phenytoin", "metoprolol: deleted". Of an allergy it frees the drug.
_TAKEN_OUT: Final = (
    re.compile(
        r"(?:\A|[.;:–—-] |, |\b(?:and|so|but|please) )(?:strike|delete|scrap|cancel|cross (?:out|off)|take out) (?:the |his |her |that |all )?(?P<object>[A-Za-z][\w-]*(?: [\w-]+){0,2})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:\A|[.;:–—-] |, |\b(?:and|so|but|please) )(?:cross|take) (?:the |his |her |that |all )?(?P<object>[A-Za-z][\w-]*(?: [\w-]+)?) (?:off|out)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<object>[A-Za-z][\w ,./+%-]{2,50}?)[\"”'’]?(?:: | is | was )(?:deleted|struck (?:out|off)|crossed (?:out|off)|scrapped|cancelled)\b",
        re.IGNORECASE,
    ),
)
_OF_ALLERGY: Final = re.compile(r"\ballerg|\b(?:wrist)?band\b|\bnot\b|n['’]t\b|\bnever\b", re.IGNORECASE)
_FROM_TEXT: Final = re.compile(r" from (?:the|his|her) (?:\w+[’']?s? )?(?:lists?|letters?|headings?|notes|records?|text)\b", re.IGNORECASE)  # fmt: skip
# Something about the drug is taken out, or a thing of the ward: the order stands.
_ABOUT_IT: Final = re.compile(
    r"\b(?:levels?|alerts?|warnings?|delays?|holds?|stops?|bans?|repeats?|checks?|tests?)\b", re.IGNORECASE
)
_NEXT: Final = 12  # characters behind the drug in which its "level" may stand
_FROM_A_PLACE: Final = re.compile(
    r" (?:of )?the (?!\w*\s?(?:chart|list|plan|orders?|draft)\b)", re.IGNORECASE
)
# An order to stop: whatever it names.
_STOPPED: Final = re.compile(
    r"\A(?:\W*\w+:)?\s*(?!(?:the )?(?:bleeding|vomiting|seizures?|fits?)\b)[A-Za-z][\w ,/-]{2,40}? to be (?:stopped|held|withheld|avoided|omitted)\b",
    re.IGNORECASE,
)
_OPTIONS: Final = re.compile(
    r"\b(?:pros|cons|score|option|what it (?:buys|risks))\b[^:;]*:", re.IGNORECASE
)  # weighed, not ruled
_NO: Final = re.compile(
    r"(?:\A|[.;:,—–(>] ?|\b(?:and|so|but|please|nor|or)\s+)(?:please |also |there should be )?no\s+(?P<object>[A-Za-z][\w-]*(?:[ /-][\w-]+){0,4})",
    re.IGNORECASE,
)
# What a list has not: "the GP's list has no desmopressin" says what is written, and bars nothing.
_LISTS: Final = re.compile(
    r"\b(?:list|chart|letter|notes?|records?|sheet|card|form|drafts?|text|paper|summary|prescription)\b(?: \w+)? (?:has|have|had|shows?|showed|contains?|lists?|mentions?|names?)\s*\Z",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r":|\b(?:because|since|after|due to|owing to|given|as (?:he|she|they))\b", re.IGNORECASE
)
_RECORDS: Final = re.compile(r"\A(?:S|O|subjective|objective|history|examination|findings?|echo|film|ct|mri)\b", re.IGNORECASE)  # fmt: skip
_SENTENCES: Final = re.compile(r"(?<=[a-z\d)][.!]) (?=[A-Z>])")


def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, each to be read for itself."""
    return tuple(_SENTENCES.split(text))


@lru_cache(maxsize=4096)
def forbids(text: str, heading: str = "") -> bool:
    """Tell whether one sentence says of something that is given or done that it is not to be."""
    if text.endswith("?") or is_record(heading) or _OPTIONS.search(text):
        return False
    if _STOPPED.match(text) or _NO_EATING.search(text) or taken_out(text):
        return True
    for denied in _NO.finditer(text):
        if _is_done(denied["object"]) and not denies(text[denied.start("object") :]):
            return True
    return any((match := form.search(text)) is not None and _is_done(match["object"]) for form in _FORMS)


@lru_cache(maxsize=4096)
def taken_out(text: str) -> frozenset[str]:
    """Return the drugs that a sentence takes out of what is to be given; a question takes out none."""
    if text.endswith("?"):
        return frozenset()
    return frozenset(
        name
        for form in _TAKEN_OUT
        for match in form.finditer(text)
        if not (_OF_ALLERGY.search(text[: match.end()]) or _FROM_TEXT.search(text, match.start()))
        if not (
            _ABOUT_IT.search(text, match.start("object"), match.end() + _NEXT)
            or _FROM_A_PLACE.match(text, match.end())
        )
        for name in drugs_named(match["object"])
    )


def is_record(heading: str) -> bool:
    """Tell whether a heading is of what was found, not of what is to be done."""
    return _RECORDS.match(heading) is not None


def is_of_a_list(before: str, after: str) -> bool:
    """Tell whether a "no" between these words says what is missing in a list or a letter; with a reason it bars."""
    return _LISTS.search(before) is not None and _REASON.search(after) is None


def denies(text: str) -> bool:
    """Tell whether what follows a "no" is a finding, a need or something done, which is denied."""
    return _DENIED.match(text) is not None


@lru_cache(maxsize=4096)
def weighs(text: str) -> bool:
    """Tell whether a text is a row of options that are weighed: it rules nothing out."""
    return _OPTIONS.search(text) is not None


@lru_cache(maxsize=4096)
def doings(text: str) -> frozenset[str]:
    """Return what a clause names that is done with a patient, beside drugs; eating only where it is ordered not to."""
    eating = frozenset({"eating"} if _NO_EATING.search(text) else ())
    return eating | frozenset(match.group().lower() for match in _DOINGS.finditer(text))


def names_eating(text: str) -> bool:
    """Tell whether a text names eating, in whatever form."""
    return _EATING.search(text) is not None


def _is_done(named: str) -> bool:
    return DRUG.search(named) is not None or bool(drugs_named(named)) or _DOINGS.search(named) is not None
