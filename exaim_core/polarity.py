"""Which words of a sentence are denied: the scope of a denial ends with its clause, or at the next verb."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.paraphrase import WORD, concept

_CLAUSE: Final = re.compile(
    r"[;:.!?](?=\s|\Z)|,(?=\s)|\s(?:but|so|while|whereas|although|though|because|since|until|before|after|unless|if|which|who|that|as|for|and(?=\s+(?:is|was|are|has|have|she|he|it|they|we|I|start|give|nothing|not|no|neither|leads?|all|now|then|doctor\w*|needs?|requires?|wants?|remains?|shows?|feels?|looks?|seems?|can|will|should|must|would|takes?|prefers?|recommends?|repeat|recheck|restart|add|continue|use|send|ask|check|measure|switch|keep|begin|increase|reduce|resume|order|call|arrange|consider|treat|monitor|watch|do|plan|book|transfuse|intubate|proceed|go|wait|try|aim)\b|\s+(?:[\w-]+\s){1,4}(?:is|was|are|were|has|have|had|shows?|stays?|remains?|should|must|will|can|fell|rose)\b))\s",
    re.IGNORECASE,
)
_PSEUDO: Final = re.compile(
    r"\b(?:not only|no doubt|cannot be (?:excluded|ruled out)|(?:can|could|would|do|does|should|may|might|will) ?(?:not|n[’']t) (?:yet )?(?:exclude|rule out)|cannot (?:yet )?(?:exclude|rule out)|not (?:yet )?(?:been )?(?:excluded|ruled out)|neither (?:be )?confirm(?:ed)? (?:n?or) (?:refuted?|excluded?|denied|deny|ruled? out|disproved?)|without delay|(?:do not|don[’']t|should not|shouldn[’']t|must not|cannot|not to|not) (?:wait|delay|be delayed|defer)(?: for)?|without waiting(?: for)?|whether or not|no later than|unchanged|no (?:sooner|earlier) than|nothing (?:new|else|has changed))\b",
    re.IGNORECASE,
)
_RAISED: Final = re.compile(
    r"\b(?:do|does|did|would)(?: not|n['’]t) (?:think|believe|feel|suppose|expect|see why|want us|want him|want her)(?: that)?(?: (?:we|he|she|it|they|I|you|this|that|there|(?:the|her|his) \w+))?"
    r"(?: (?:is|are|was|were|has|have|had|should|would|could|can|must|needs?|will))?(?: to)?\b",
    re.IGNORECASE,
)
"""A denial of a whole clause: "I do not think we should operate" denies the operation."""
_NOT_FOR: Final = re.compile(
    r"\b(not|reach(?:ing)?|go(?:ing)?|opt(?:ing)?|push(?:ing)?|settle|settling) for\b", re.IGNORECASE
)
_NO_X_OF: Final = re.compile(
    r"\bno (?:(?:clear|real|good|longer|current|clinical|further|obvious|strong) )?(?:need|reason|indication|place|role|case|call|evidence|signs?|sight|hint|suggestion|question|thought|trace|history|sense|point|room|use|cause) (?:for|of|that|in|to)\b|"
    r"\bnothing (?:[\w-]+ ){0,4}?(?:that |to )?(?:suggests?|suggesting|points? (?:to|towards?)|favours?|speaks? for|supports?|indicates?|makes? (?:me|us) think of)\b",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"\b(?:no|not|without|never|neither|nor|none|den(?:y|ies|ied|ying)|free (?:of|from)|rules? out|ruled out|ruling out|excludes?|excluded|excluding|avoid(?:s|ing)?|stop(?:s|ped|ping)?(?! (?:with|on|after|by|when|at|since|itself)\b)|against(?! (?:[\w-]+ ){0,4}\d)(?! (?:a |the |her |his )?(?:baseline|background))|nobody|nothing|lacks?|lacking|cannot|\w+n[’']t|holds?(?= (?:the |her |his |next |tonight[’']s |today[’']s |this |all |both |further )(?:[\w-]+ )?(?:doses?|drugs?|infusions?|drip|feeds?|medication|tablets?|insulin)\b)|holds?(?= (?:the )?\w+(?:in|ol|ide|ine|il)\b)|withholds?|omit|negative for|rejects?|withdraws?|withdrew|takes? back|(?:tak(?:e|es|ing)|took)(?= (?:[\w-]+ ){1,5}back\b)|nil|fail(?:s|ed)? to|refus(?:es|ed)|unable to|omits?|omitted|skip(?:s|ped)?|swap(?:s|ped)?|no longer|(?:been|is|are|was|were|comes?|came|stays?|kept|taken) off(?= (?:his |her |the |all )?[a-z])|scratch|forget|drop(?:s|ped)?(?= the\b)|absence of|contra-?indicates?|forbids?|must not|instead of|rather than|argues? against|speaks? against|unlikely|(?:mistake|wrong|unsafe|unwise|dangerous|too (?:early|late|risky|dangerous|soon)) to|refrain(?:s|ed)? from|warn(?:s|ed)? against|cautions? against)\b",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\b(?:has|have|had) (?:now |since |largely )?(?:settled|resolved|gone|cleared|ceased|subsided|disappeared|abated|stopped)\b|\b(?<!the )stops?(?= (?:until|today|now|for now|tonight|tomorrow)\b|[.,;]|\s*\Z)|\bnot (?:worth\w*|needed|necessary|indicated|required|helpful|useful|wanted)\b|\b(?:(?:is|are|was|were|be|been|seems?|looks?|remains?) (?:\w+ ){0,3}?(?:absent|negative|excluded|ruled out|unlikely|avoided|contra-?indicated|out|off|stopped|withheld|forbidden)|absent|ruled out|excluded|negative|undetectable|not detected|unlikely|contra-?indicated|off|stopped|withheld|discontinued|cancelled|postponed)\b",
    re.IGNORECASE,
)
_MUST_STOP: Final = re.compile(r"\b(?:has|have|had|needs?|ought|must|should|will|can) (?:to )?(?:now )?(?:stop|come off|wait|be (?:stopped|avoided|withheld|held(?! (?:below|above|at|between|in|for))|omitted|left out|dropped|cancelled|postponed|discontinued|suspended))\b", re.IGNORECASE)  # fmt: skip
_BE_NOT: Final = re.compile(r"\b(?:is|are|was|were|be|been|being|does|do|did|has|have|had|need|needs)\s*(?:not|n[’']t)\b", re.IGNORECASE)  # fmt: skip
_VERB: Final = re.compile(r"\s(?:is|are|was|were|has|have|had|should|must|will|can|may|shows?|stays?|remains?|leads?)\s", re.IGNORECASE)  # fmt: skip


def denies(text: str) -> bool:
    """Tell whether `text` denies, stops or forbids anything."""
    bare = _PSEUDO.sub(" ", text)
    return any(pattern.search(bare) for pattern in (_BEFORE, _AFTER, _MUST_STOP, _LESS))


_LESS: Final = re.compile(r"\b(?!regard|never|neverthe|nonethe)\w{4,}less\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def denied_and_affirmed(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the concepts that `text` denies, and those that it affirms; a doubtful one is in both."""
    denied, affirmed = set[str](), set[str]()
    swapped = _SWAPPED.search(text) is not None
    for clause in _clauses(text):
        spans, doubtful = _scopes(clause)
        for match in WORD.finditer(clause):
            one = concept(match.group())
            inside = any(start <= match.start() < end for start, end in spans)
            unsure = any(start <= match.start() < end for start, end in doubtful)
            unsure = unsure or swapped
            if inside or unsure:
                denied.add(one)
            if unsure or not inside:
                affirmed.add(one)
    return frozenset(denied), frozenset(affirmed)


@lru_cache(maxsize=4096)
def denied_parts(text: str) -> tuple[frozenset[str], ...]:
    """Return the concepts of each thing that `text` denies: of "no fever or dry cough" two, each with all its words."""
    parts: list[frozenset[str]] = []
    for clause in _clauses(text):
        for start, end in _scopes(clause)[0]:
            pieces = _OR.split(clause[start:end])
            parts += [frozenset(concept(word) for word in WORD.findall(piece)) for piece in pieces]
    return tuple(parts)


_SWAPPED: Final = re.compile(
    r"\b(?:swapped|switched|converted) (?:for|to|from|over)\b|\breplaced (?:by|with)\b|\bsubstituted\b",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(r"\s(?:on|at|in|during|through|under|despite|over|from)\s", re.IGNORECASE)
_OR: Final = re.compile(r"\b(?:or|nor|and)\b|,", re.IGNORECASE)


def _clauses(text: str) -> list[str]:
    bare = _PSEUDO.sub(
        lambda match: " " * len(match.group()),
        _NO_X_OF.sub(" no ", _RAISED.sub(" not ", _NOT_FOR.sub(r"\1", text))),
    )
    bare = _PREFERS.sub(r"\1 rather than", bare)
    return _split(_WAS_UNTIL.sub(r"\1 ended \2", bare))


_PREFERS: Final = re.compile(
    r"\b((?:prefer|favou?r)(?:s|red)?\b[^.;,]{1,60}?) (?:over|to)\b(?! \d)", re.IGNORECASE
)
_FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|shows?|should|must|will|can|\w+ed|needs?|remains?|stays?)\b",
    re.IGNORECASE,
)
_PLURAL: Final = re.compile(r"(?:[\w-]+\s){1,4}?(?:are|were|have)\b", re.IGNORECASE)


def _split(text: str) -> list[str]:
    """Return the clauses of `text`; "stiffness and photophobia are absent" is one of two subjects."""
    clauses, done = list[str](), 0
    for match in _CLAUSE.finditer(text):
        joins = match.group().strip().lower() == "and" and _PLURAL.match(text, match.end())
        if joins and not _FINITE.search(text, done, match.start()):
            continue
        clauses.append(text[done : match.start()])
        done = match.end()
    return [*clauses, text[done:]]


_WAS_UNTIL: Final = re.compile(r"\b((?:was|were|had|took|used)\b[^.;,]{1,60}?) until ((?:19|20)\d\d|last|january|february|march|april|may|june|july|august|september|october|november|december|yesterday)\b", re.IGNORECASE)  # fmt: skip
_ENDED: Final = re.compile(r"\bended\b", re.IGNORECASE)


def _scopes(clause: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    spans: list[tuple[int, int]] = []
    doubtful: list[tuple[int, int]] = []
    starts = [match.start() for match in _BEFORE.finditer(clause)]
    for match in _BEFORE.finditer(clause):
        verb = _VERB.search(clause, match.end() + 1)
        end = verb.start() if verb else len(clause)
        place = _WHERE.search(clause, match.end() + 1, end)
        spans.append((match.end(), place.start() if place else end))
        if place:
            doubtful.append((place.start(), end))
        if verb:
            doubtful.append((end, min((start for start in starts if start >= end), default=len(clause))))
    spans += [(0, match.start()) for pattern in (_AFTER, _MUST_STOP) for match in pattern.finditer(clause)]
    doubtful += [(0, match.start()) for match in _ENDED.finditer(clause)]
    doubtful += [(0, match.start()) for match in _BE_NOT.finditer(clause)]
    return spans, doubtful
