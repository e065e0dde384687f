"""What a sentence states of this patient as it is now, clause by clause.

A clause that supposes, asks for, or speaks of a relative, of other patients, of a disease in general or of what is
written about it states nothing of this patient; the clause beside it may. Each function looks at one sentence only.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.terms import DURATION
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.wording import word_count

LONG_WORDS: Final = 20  # a longer sentence is told by those of its clauses that give a value

_RELATIVE: Final = re.compile(
    r"\bfamily history\b|\b(?:his|her|their|the patient['’]s|an?|whose|by (?:his|her|the)) (?:mother|father|parents?|siblings?|brother|sister|grand\w+|uncle|aunt|cousin|relatives?|son|daughter|twin)\b"
    r"(?! (?:also )?(?:reports?|reported|says|said|gave|noticed|noted|describes|described|states|stated|brought|called|confirms|confirmed|mentions|mentioned|tells|told)\b)",
    re.IGNORECASE,
)
_MANY: Final = (
    r"(?:patients|people|individuals|adults|children|infants|neonates|newborns|adolescents|women|men|girls|boys|"
    r"(?:such|these|most|some|many|rare|all|other|similar) cases|centres|centers|hospitals|clinicians|authors)"
)
_GENERAL: Final = re.compile(
    r"\b(?:guidelines?|textbooks?|literature|studies|manufacturers?) (?:\w+ )?(?:recommends?|suggests?|says?|states?|advises?|shows?|showed|supports?|describes?|reports?|gives?|accepts?)\b|\bin general\b|\bgenerally\b|\bone (?:reads|hears)\b|"
    r"\b(?:in|of|by|for|among) (?:the |an? |one |two )?(?:\w+ ){0,3}?(?:trials|trial(?! of\b)|case series|series(?! of\b)|cohorts?|registr(?:y|ies)|meta-?analys[ei]s|case reports?|textbooks?|literature|publications?|guidelines?|original (?:study|description))\b|\b(?:trials?|cohorts?|registr(?:y|ies)|meta-?analys[ei]s) (?:\w+ ){0,3}?(?:used|gave|tested|compared|found|reported|show\w*|enrolled|included)\b|"
    r"\b(?:criteria|criterion|definition|threshold|score|cut-?off) (?:\w+ )?(?:requires?|demands?|needs?|asks?|calls?|includes?|is defined|specif(?:y|ies))\b|\b(?:is|are) defined (?:as|by)\b|"
    r"\b(?:has|have) been (?:reported|described|published) (?:in|with|up to)\b|\b(?:is|are) (?:\w+ )?(?:described|reported|published|used|seen|found|common|typical|accepted|tolerated|expected|usual) (?:in|with|for|under|by) (?:this (?:condition|disease|disorder|syndrome|setting|age|infection)|such|these|most|some|many|other|adults|children|patients|people|severe|healthy)\b|"
    rf"(?<!the )(?<!these )(?<!his )(?<!her )(?<!two )(?<!three )\b{_MANY}\b(?! (?:ago|of (?:his|her|the (?:pain|fever))))",
    re.IGNORECASE,
)
_RULE: Final = re.compile(
    r"^\W*(?:an?|any|every) (?:[\w'’-]+ ){1,5}?(?:above|below|over|under|beyond|exceeding|(?:more|less|greater|higher|lower) than|of (?:more|less|at least|up to)|up to)\b|"
    r"\b(?:levels|values|concentrations|counts|pressures|readings|titres|doses) (?:above|below|over|under|beyond|exceeding|between|up to|of (?:more|less) than)\b|"
    r"\b(?:typical|usual|standard|recommended|maximum|average|licensed) (?:\w+ )?(?:dose|dosage|value|level|range|course) (?:is|of|in|for)\b",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(
    r"\b(?:normal(?:ly)?|reference|healthy|upper limit|lower limit|threshold|cut-?off|range)\b[^.;]*\b(?:between|from|range|is|are|of|lies|limit|below|above|up to)\b|\b(?:up to|below|above|under|over|between) [^.;,]{1,30} (?:is|are|would be) (?:normal|acceptable|accepted|tolerated|usual|diagnostic)\b",
    re.IGNORECASE,
)
_LONG_AGO: Final = re.compile(
    r"^(?:back )?(?:(?:about |some )?(?:\w+ )?(?:years?|months?|decades?) (?:ago|earlier|before)|(?:last|the previous) (?:year|month)|in (?:19|20)\d\d|previously|as a child|in childhood)\b|\buntil (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\b(?:another|other|previous|different|one) patients?\b|\bpatients? of (?:mine|ours)\b|\bI once (?:saw|had|treated)\b|\bmy (?:last|previous) patient\b",
    re.IGNORECASE,
)
_SUPPOSES: Final = re.compile(
    r"\b(?:if|unless|suppos(?:e|ing)|assum(?:e|ing)|whether|in case|provided that|even were)\b|\bwere (?:\w+ ){0,4}?(?:ever )?to\b|\bhad (?:he|she|they|it|there|the|his|her)\b(?=[^.;]*\bwould\b)|(?:^|, )should (?:the|his|her|he|she|it|this|that|there|any|an?)\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:should|would|could|may|might|target|goal|I['’]d|we['’]d|decided against|discussed|debated|considered)\b",
    re.IGNORECASE,
)
_GIVEN: Final = re.compile(
    r"\b(?:(?:his|her|their|this|given (?:the|an?)|in view of (?:the|an?)) (?:[\w'’-]+ ){1,5}of|(?:is|was|are|were|stands at|has (?:risen|fallen|dropped) to)(?: now| only| still)?) \Z",
    re.IGNORECASE,
)
_FREQUENCY: Final = re.compile(
    r"%\s+(?:of|in) (?:all |the |such |these |adult )*(?:patients|cases|people|individuals|adults|children|instances|women|men)|\b(?:sensitivity|specificity|risk|chance|mortality|likelihood|probability|survival|prevalence|incidence|confident|confidence|certain\w*|dose reduction)\b",
    re.IGNORECASE,
)
_UNITLESS: Final = re.compile(
    r"\b(?:pH|INR|GCS|NEWS2?|Glasgow|(?:coma|pain|Apgar|Child-Pugh|MELD|SOFA) (?:scale|score)|score|ratio|index|titre|titer|acuity|base excess|anion gap|specific gravity)\b[^.;,\d]{0,24}\Z"
    r"|\b[A-Z]{3,}[\w-]*(?: score)? (?:is|was|of|has (?:risen|fallen|dropped) to|came back at) (?:now |only |about )?\Z"
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_DENIES: Final = re.compile(
    r"\b(?:there (?:is|are|was|were|has been|have been)|shows?|showed|has|had|takes|took|reveal(?:s|ed)?|found) no\b|\b(?:is|are) (?:not|neither) (?:allergic|feverish|febrile|rigid|tender|swollen|pregnant|dilated|enlarged|jaundiced|cyanosed|breathless)\b|\b(?:is|are|was|were|has been) (?:absent|negative)\b",
    re.IGNORECASE,
)
_PRESENT: Final = re.compile(
    r"\b(?:now|today|tonight|at present|currently|this (?:morning|afternoon|evening|week)|(?:his|her|their) own)\b[^;.]*?\b(?:is|are|stands? at|reads?|was|came to)\s(?:only |still |just )?(?=\d)",
    re.IGNORECASE,
)
_FINITE: Final = (
    r"(?:is|are|was|were|has|have|had|does|did|shows?|showed|stands?|stood|sits?|sat|lies|lay|comes?|came|rose|rises|fell|falls|reads?|gives?|gave|measures?|measured|remains?|remained|stays?|stayed|reached|reaches|exceeds?|"
    r"confirms?|confirmed|reveals?|revealed|weighs?|runs?|ran|went|goes|hangs?|dropped|climbed|slipped|doubled|amounts?|amounted|makes?|tells?|points?|settles?|worries|fits?|suggests?|looks?|feels?|needs?|demonstrates?|demonstrated|should|would|could|must|may|might|will|can)"
)
_SEGMENT: Final = re.compile(r";\s+|\s[–—]\s|:\s+(?=[a-z])")
_JOINT: Final = re.compile(r",?\s+(?:and|but|whereas|while|although|though|yet|so that|so)\s+|,\s+")
_OPENS: Final = re.compile(
    rf"(?!(?:which|who|whose|that|where)\b)(?:[\w'’/%.×⁹-]+\s+){{1,9}}?{_FINITE}\b", re.IGNORECASE
)
_SPEAKER: Final = re.compile(r"(?:I|we)\b")
_SUBJECT: Final = re.compile(rf"(?:\S+\s+){{1,12}}?{_FINITE}\b", re.IGNORECASE)
_SAYS_THAT: Final = re.compile(
    r"\s*(?:and |but )?(?:(?:I|we)(?:['’]d| would| must| should| want to| wish to| can)?|let me|may I|please)(?: (?:only|also|just|like to|again|quickly))* (?:add|note|stress|emphasi[sz]e|point out|mention|say|report|confirm|remind (?:everyone|you|us|the team))(?: here)? that ",
    re.IGNORECASE,
)
_HAS_VERB: Final = re.compile(rf"\b{_FINITE}\b|\b(?:I|we) \w+", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r",?\s+(?:which|and (?:this|that|it|I|we)|so (?:this|that|it|I|we)|but (?:I|we))\b[^\d]*\Z", re.IGNORECASE
)
_POINTS: Final = re.compile(
    r"(?:it|its|this|that|these|those|they|both|neither|either|which|(?:his|hers|theirs|the (?:first|second|other|same|former|latter|value|level|result|figure)) (?:is|was|are|were|has))\b",
    re.IGNORECASE,
)

_SIDED: Final = re.compile(
    r"\b(?:left|right)(?:-sided|-hand)?(?! (?:now|away|here|there|then|before|after|out|off|over|in|on|at|to|for|from|as|up|behind|alone|untreated|undone|him|her|us|them|it|me|you|one|thing|way|time|dose|drug|choice|question|answer|decision|direction|track|diagnosis|treatment|approach|moment|order|move|call|step|test|person|place|balance|amount)\b) [a-z]{3,}"
    r"|\b(?:on|to|in|at|over|than|of) (?:the|his|her) (?:left|right)\b(?! (?:track|direction|dose|time|way|place|moment|order|diagnosis|treatment|decision))",
    re.IGNORECASE,
)
_NO_FINDING: Final = re.compile(
    r"\b(?:I(?! (?:examined|saw|palpated|listened|looked|measured|tested))|we(?! (?:examined|saw|found|measured))|you|(?:my|our)(?! (?:own )?(?:examination|exam|inspection|palpation))|must|plan|proposal|suggest\w*|recommend\w*|consider\w*|likely|unlikely|possib\w+|diagnos\w+|differential|repeat|request|order|ask|needs?|wants?)\b|^(?:because|since|as|when|while|until|before|after|once|that|to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that has a verb of its own, and where it stands.

    `supposed`: something beside it in its segment is only supposed or asked; `own`: it is of this patient now.
    """

    start: int
    end: int
    supposed: bool
    own: bool


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence in order; what one supposes holds to the end of its segment."""
    made = []
    asks = text.rstrip().endswith("?")
    for start, end in _segments(text):
        supposed = asks or _SUPPOSES.search(text, start, end) is not None
        for first, last in _parts(text, start, end):
            made.append(Clause(first, last, supposed, not supposed and _is_own(text[first:last])))
    return tuple(made)


def _segments(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _SEGMENT.finditer(text):
        yield start, stop.start()
        start = stop.end()
    yield start, len(text)


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a segment where both sides have a verb; what has none stays with what it stands beside."""
    says = _SAYS_THAT.match(text, start, end)
    first = verb_before = says.end() if says else start
    for joint in _JOINT.finditer(text, start, end):
        if _OPENS.match(text, joint.end(), end) and _HAS_VERB.search(text, verb_before, joint.start()):
            yield first, joint.start()
            first = verb_before = joint.end()
    yield first, end


def _is_own(clause: str) -> bool:
    return not any(
        pattern.search(clause)
        for pattern in (_UNSURE, _GENERAL, _RULE, _RANGE, _LONG_AGO, _OTHERS, _RELATIVE)
    )


def is_family(text: str) -> bool:
    """Tell whether `text` speaks of a relative."""
    return _RELATIVE.search(text) is not None


def supposes(text: str) -> bool:
    """Tell whether something in `text` is only supposed."""
    return _SUPPOSES.search(text) is not None


def is_general(text: str) -> bool:
    """Tell whether `text` says what is done or found in other patients, in general, or by what is written."""
    return any(pattern.search(text) for pattern in (_GENERAL, _OTHERS))


def measured(text: str) -> tuple[Quantity, ...]:
    """Return the measured values that `text` states of this patient now, where they stand in `text`."""
    return tuple(each for clause in clauses(text) for each in _values(text, clause))


def _values(text: str, clause: Clause) -> tuple[Quantity, ...]:
    if clause.supposed:
        return ()
    shares = () if _FREQUENCY.search(text, clause.start, clause.end) else ("%",)
    found = (each for each in quantities(text) if clause.start <= each.start < clause.end)
    return tuple(
        each
        for each in found
        if _is_value(text, each, shares) and (clause.own or _is_given(text[clause.start : each.start]))
    )


def _is_given(before: str) -> bool:
    """Tell whether a value is stated as a fact by what stands before it, whatever its clause then makes of it."""
    return _GIVEN.search(before) is not None and _is_own(before)


def _is_value(text: str, quantity: Quantity, shares: tuple[str, ...]) -> bool:
    if not quantity.unit:
        if _YEAR.fullmatch(quantity.number):
            return False
        return _UNITLESS.search(text[max(0, quantity.start - 40) : quantity.start]) is not None
    return quantity.unit not in DURATION or quantity.unit in shares


def told(text: str) -> tuple[str, ...]:
    """Return what is told of the values in `text`: the sentence, or of a long or mixed one the clauses with a value.

    A finding that is denied, or is of one side, is told beside them, and what follows a value while it is short. A
    clause that points back is told with what stands before it, so that nothing loses its name.
    """
    parts = clauses(text)
    valued = [bool(_values(text, clause)) for clause in parts]
    if not any(valued):
        return (text,) if _says_now(text, parts) else ()
    own = all(
        clause.own and (has or not _SPEAKER.match(text, clause.start))
        for clause, has in zip(parts, valued, strict=True)
    )
    if own and word_count(text) <= LONG_WORDS:
        return (text,)
    spans = _spans(text, parts, valued)
    return tuple(_ASIDE.sub("", text[start:end].strip(" ,")) or text[start:end] for start, end in spans)


def _spans(text: str, parts: tuple[Clause, ...], valued: list[bool]) -> list[tuple[int, int]]:
    """Return from where to where `text` is told, clause by clause."""
    made: list[tuple[int, int]] = []
    for place, clause in enumerate(parts):
        words = text[clause.start : clause.end]
        before = parts[place - 1] if place else None
        goes_on = bool(made) and before is not None and made[-1][1] == before.end
        if valued[place] or (clause.own and (_is_sided(words) or _is_denied(words))):
            start = clause.start
            if before is not None and _POINTS.match(words):
                start = made.pop()[0] if goes_on else before.start
            made.append((start, clause.end))
        elif goes_on and clause.own and not _is_talk(words):
            if word_count(text[made[-1][0] : clause.end]) <= LONG_WORDS:
                made[-1] = (made[-1][0], clause.end)
    return made


@lru_cache(maxsize=2048)
def unmeasured(text: str) -> tuple[str, ...]:
    """Return the clauses that state a finding of one side, or that something is not there, of this patient."""
    found = (text[each.start : each.end].strip(" ,") for each in clauses(text) if each.own)
    return tuple(
        words
        for words in found
        if (_is_sided(words) or _is_denied(words)) and word_count(words) <= LONG_WORDS + 5
    )


def _is_sided(words: str) -> bool:
    return bool(_SIDED.search(words) and _SUBJECT.match(words)) and not _is_talk(words)


def _is_denied(words: str) -> bool:
    return _DENIES.search(words) is not None and not _is_talk(words)


def _is_talk(words: str) -> bool:
    """Tell whether a clause is about the speakers or their plans, or points back to what stands before it."""
    return _NO_FINDING.search(words) is not None or _POINTS.match(words) is not None


def _says_now(text: str, parts: tuple[Clause, ...]) -> bool:
    """Tell whether a bare number is this patient's own now, after a clause that gives another with its unit."""
    found = _PRESENT.search(text)
    return (
        found is not None
        and any(clause.own and clause.start <= found.start() < clause.end for clause in parts[1:])
        and any(each.unit for each in quantities(text[: found.start()]))
    )
