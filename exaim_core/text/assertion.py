"""How a clause is meant: of this patient now, or denied, doubted, supposed, past, of somebody else, of books.

One reading for all that follows. A status holds for the clause that its words stand in; a condition holds for
the whole sentence, since what it opens is said on its terms.
"""

# ruff: noqa: E501 - a row is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from exaim_core.text.rows import Row, any_row


class Status(StrEnum):
    """What keeps a clause from being a plain statement about this patient now."""

    NEGATED = "negated"
    HEDGED = "hedged"
    CONDITIONAL = "conditional"
    PAST = "past"
    OTHER_PERSON = "of somebody else"
    BOOKS = "of books"
    QUESTION = "question"


_ROWS: Final[dict[Status, tuple[Row, ...]]] = {
    Status.NEGATED: (
        Row("not", r"not|n[o']t|never|cannot|\w+n[’']t", "it is not PE", "a note on PE"),
        Row(
            "no",
            r"no(?! (?:longer than|more than|less than|doubt|question))|without|neither|nor|none",
            "no PE",
            "no doubt it is PE",
        ),
        Row(
            "excluded",
            r"excluded|ruled out|dismissed|rejected|refuted|discarded",
            "PE is ruled out",
            "to rule out PE",
        ),
        Row(
            "against",
            r"argues? against|speaks? against|against (?:a diagnosis of|this being)|absence of|lack of",
            "it argues against PE",
            "a case against delay",
        ),
        Row(
            "unlikely",
            r"unlikely|improbable|less likely|doubtful|implausible",
            "PE is unlikely",
            "PE is likely",
        ),
        Row("no longer", r"no longer|any more|anymore", "I no longer favour PE", "it took longer"),
    ),
    Status.HEDGED: (
        Row("may", r"may|might|could|can(?! be (?:seen|measured))", "it may be PE", "a mayor"),
        Row(
            "perhaps",
            r"perhaps|maybe|possib(?:le|ly|ility|ilities)|conceivabl[ey]|potential(?:ly)?",
            "possibly PE",
            "positive for PE",
        ),
        Row(
            "suspected",
            r"suspect(?:ed|s|ing)?|suspicion|suspicious|query|presumed|presumptive|provisional(?:ly)?",
            "suspected PE",
            "respected",
        ),
        Row(
            "considered",
            r"consider(?:ed|ing|ation|ations)?|candidates?|contenders?|worth (?:a thought|considering|including|keeping)|entertain\w*",
            "consider PE",
            "a considerate man",
        ),
        Row(
            "seems",
            r"seems?|appears?|suggest(?:s|ed|ing|ive)?|raises? the (?:question|possibility|concern)|hints? at|points? (?:to|towards?)|concern(?:s|ed|ing)? (?:for|about)",
            "it suggests PE",
            "a suggestion box",
        ),
        Row(
            "consistent",
            r"consistent with|compatible with|in keeping with|could fit|would fit|cannot be (?:ruled out|excluded)|(?:can(?:not|['’]t)|could not) (?:rule out|exclude)|not (?:been )?(?:ruled out|excluded)",
            "consistent with PE",
            "consistently high",
        ),
        Row(
            "likelihood",
            r"probab(?:le|ly)|likelihood|chance|risk of|high on the list|differentials?|among the",
            "probably PE",
            "the probe",
        ),
        Row(
            "unsure",
            r"unsure|uncertain(?:ty)?|unclear|not (?:sure|certain|convinced)|low confidence|to be (?:confirmed|excluded)|tentative(?:ly)?",
            "I am unsure",
            "for sure",
        ),
    ),
    Status.CONDITIONAL: (
        Row(
            "if",
            r"if(?! not already)|unless|in case|provided(?: that)?|assuming|suppos(?:e|ing)(?: that)?|depending on|contingent on|pending",
            "if the CT is clear",
            "a gift",
        ),
        Row(
            "should",
            r"(?:^|(?<=[,;:.] ))should (?:the|a|an|she|he|they|there|this|it|any|her|his|these|that)\b[^?]*?(?=[,;]|$)",
            "should the CT be clear, stop",
            "we should stop",
        ),
        Row(
            "once",
            r"once (?:the|a|she|he|it|we|there|her|his|confirmed|stable)|only (?:if|when|after|once)|until(?! pro(?:ven|ved))|were (?:it|she|he|the \w+) to|would (?:have|need|then|only|change|argue)|in the event",
            "once the CT is back",
            "at once",
        ),
    ),
    Status.PAST: (
        Row(
            "ago",
            r"(?:years?|months?|weeks?) ago|last (?:year|month|week|spring|summer|autumn|winter)|in (?:(?:January|February|March|April|May|June|July|August|September|October|November|December) )?(?:19|20)\d\d|since (?:19|20)\d\d|as a (?:child|teenager|student)|in childhood",
            "two years ago",
            "a year-old",
        ),
        Row(
            "previous",
            r"previous(?:ly)?|prior(?: to)?|formerly|former|history of(?! (?:the )?(?:present|current))|past medical|status post|earlier (?:admission|episode)|at (?:her|his|the) last (?:admission|visit)|used to|had been",
            "previous PE",
            "prioritise",
        ),
    ),
    Status.OTHER_PERSON: (
        Row(
            "relative",
            r"(?:step|half|grand|god|foster|adoptive|in-law)?-?(?:mothers?|fathers?|brothers?|sisters?|sons?|daughters?|parents?|siblings?|child(?:ren)?)(?:-in-law)?(?:['’]s)?(?! (?:was informed|has been informed|reports?\b|says|states|noticed|brought|found|called|describes?))|(?:step|half|grand)(?:mother|father|brother|sister|son|daughter|parents?|child)\w*",
            "her brother had a potassium of 6.9",
            "Brotherly care",
        ),
        Row(
            "kin",
            r"uncles?|aunts?|cousins?|nephews?|nieces?|twins?|husbands?|wi(?:fe|ves)|spouses?|partner['’]s|relatives?|famil(?:y|ies) (?:history|members?)|maternal|paternal|next of kin",
            "an uncle's potassium",
            "the carbuncle",
        ),
        Row(
            "other patient",
            r"(?:another|other|different|previous|second|last|next|similar|former|neighbou?ring) (?:patients?|man|woman|boy|girl|child|cases?|lady|gentleman)|patient next door|patient in (?:bed|bay|room|cubicle) \d+|"
            r"(?:patient|man|woman|boy|girl|child|lady|gentleman) (?:opposite|next door|across|down the corridor|behind the curtain)|"
            r"(?:next|other|adjacent|neighbou?ring|opposite) (?:bed|bay|room|cubicle|cot|ward|door)|(?<!to )(?<!in )(?:bed|bay|cubicle|cot) \d+|neighbou?rs?|donors?['’]?s?|room-?mates?|"
            r"(?:colleagues?|friends?|flat-?mates?|class-?mates?|co-?workers?|passengers?|acquaintances?|strangers?)(?:['’]s)?(?! (?:was informed|has been informed|reports?\b|says|states|noticed|brought|found|called|describes?))|"
            r"I (?:(?:still |once |also )*(?:remember|recall|saw|looked after|treated)|once had|have (?:seen|treated))|(?:a|the) (?:control|index case|volunteer|fetus|foetus) (?:group|had|has|with)|(?:her|his|their) (?:baby|newborn|fetus|foetus) (?:had|has|is|was|with)|a patient (?:of mine|I|we|last|who|with)|one of my|"
            r"(?:rats?|mice|mouse|dogs?|pigs?|piglets?|rabbits?|cats?|horses?|animals?|porcine|canine|murine)",
            "the donor's potassium",
            "a donation",
        ),
    ),
    Status.BOOKS: (
        Row(
            "typical",
            r"typically|classically|usually|commonly|often|rarely|seldom|frequently|one (?:sees|finds|gets)|generally|in general|characteristically|by definition|as a rule|rule of thumb|textbooks?|in theory",
            "it typically presents late",
            "an unusual case",
        ),
        Row(
            "defined",
            r"(?:is|are) (?:a|an|the) (?:\w+ )?(?:condition|disorder|disease|syndrome|infection|inflammation|emergency|cause|complication) (?:of|in|that|which|where|with|characteri[sz]ed|caused)|characteri[sz]ed by|defined (?:as|by)|known (?:for|to)|associated with|refers to|hallmarks? of|mortality of|incidence of|prevalence",
            "a condition characterised by fever",
            "her condition is stable",
        ),
        Row(
            "patients",
            r"(?:in|among|for|of) (?:(?:\w+ )?patients|adults|children|men|women|people|cases|those|most|infants|the elderly)|patients (?:with|who|on|in|should|may|can|often|are|have)|people with|most (?:patients|cases)",
            "in patients with PE",
            "the patient has PE",
        ),
        Row(
            "guideline",
            r"guidelines?|guidance|literature|studies|stud(?:y|ies) (?:show|found|suggest)\w*|trials?|meta-?analys[ei]s|reviews? (?:show|found)|evidence (?:base|shows|suggests|supports)|according to|criteria|recommend(?:s|ations) (?:from|by|of)|cut-?offs?|thresholds?|reference (?:range|interval|values?|limits?)|normal (?:range|values?|is|being)|upper limit|lower limit|"
            r"search results?|(?:published|reported|index) cases?|case (?:reports?|series)|et al|PMID|BMJ|Lancet|NEJM|JAMA|teaching (?:point|case)|learning point|take-?home|lecture",
            "guidelines advise heparin",
            "we were guided",
        ),
        Row(
            "example",
            r"for example|e\.g\.|for instance|hypothetical(?:ly)?|imagine|imaginary|fictional|made-up|journal club|quiz|exam question|vignette|simulat\w+|mannequin|training (?:case|scenario)|in a (?:typical|classic) case",
            "for example a potassium of 6.9",
            "an exemplary case",
        ),
    ),
}
_FOUND: Final = {status: any_row(rows) for status, rows in _ROWS.items()}
_CLAUSE: Final = re.compile(
    r"[;:](?=\s)|[.?!](?=\s|\Z)|,?\s+(?=(?:but|however|although|though|whereas|while|yet|except|nevertheless|which|so that)\b)"
    r"|,\s+(?=(?:and|so|then)?\s*(?:this|she|he|it|the|there|we|I|they|her|his|these)\b)",
    re.IGNORECASE,
)
_FALSE_NO: Final = re.compile(
    r"\b(?:not only|no doubt|without (?:delay|doubt|question)|not (?:to )?(?:be )?(?:missed|forget|forgotten|overlook(?:ed)?|delay(?:ed)?)|no (?:change|other|longer than)|if not)\b|\bcannot be (?:ruled out|excluded)\b|\b(?:cannot|can['’]t|could not) (?:rule out|exclude)\b|\bnot (?:been )?(?:ruled out|excluded)\b",
    re.IGNORECASE,
)
_ANY: Final = frozenset({Status.CONDITIONAL, Status.QUESTION})


@dataclass(frozen=True, slots=True)
class Mark:
    """The words by which a clause is meant in some way, and where they stand in the sentence."""

    status: Status
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that is meant in one way, and where it stands."""

    text: str
    start: int
    end: int
    statuses: frozenset[Status]

    @property
    def plain(self) -> bool:
        """Tell whether it is stated outright, of this patient, now."""
        return not self.statuses


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of `sentence` in order; together they are the whole of it."""
    ends = [match.end() for match in _CLAUSE.finditer(sentence)]
    bounds = [0, *ends, len(sentence)] if not ends or ends[-1] < len(sentence) else [0, *ends]
    whole = _whole(sentence)
    return tuple(
        Clause(sentence[start:end], start, end, _statuses(sentence[start:end]) | whole)
        for start, end in pairwise(bounds)
        if sentence[start:end].strip()
    )


def _whole(sentence: str) -> frozenset[Status]:
    found = {Status.CONDITIONAL} if _FOUND[Status.CONDITIONAL].search(sentence) else set()
    if sentence.rstrip(" \"'”’*)").endswith("?"):
        found.add(Status.QUESTION)
    return frozenset(found)


def _statuses(clause: str) -> frozenset[Status]:
    bare = _FALSE_NO.sub(" ", clause)
    return frozenset(
        status
        for status, pattern in _FOUND.items()
        if pattern.search(bare if status is Status.NEGATED else clause)
    )


def statuses_at(sentence: str, start: int, end: int) -> frozenset[Status]:
    """Return how the words at [start, end) of `sentence` are meant."""
    return frozenset(
        status
        for clause in clauses(sentence)
        if clause.start < max(end, start + 1) and start < clause.end
        for status in clause.statuses
    )


@lru_cache(maxsize=4096)
def marks(text: str) -> tuple[Mark, ...]:
    """Return all words of `text` that say how it is meant, whatever its clauses are."""
    return tuple(
        Mark(status, match.start(), match.end())
        for status, pattern in _FOUND.items()
        for match in pattern.finditer(text)
    )


def statuses_of(sentence: str, words: str) -> frozenset[Status]:
    """Return how `words` are meant in `sentence`: where they stand, else in any of its clauses."""
    at = sentence.lower().find(words.lower()) if words else -1
    if at >= 0:
        return statuses_at(sentence, at, at + len(words))
    return frozenset(status for clause in clauses(sentence) for status in clause.statuses)
