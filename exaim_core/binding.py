"""A sentence keeps what its source hangs on: the condition, the time, the person, the speaker, and that it still stands.

The other checks of grounding ask whether each word and number is there. These ask in what setting it is there:
a word that the cited text has in the family's history only is not said of the patient. They see words, not
meaning; what they miss is in the decision 021.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.context import any_of
from exaim_core.paraphrase import concept

ENOUGH: Final = 0.6
"""Share of a sentence's telling words that a part of the source must hold to be where it was said."""

_WORD: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]{3,}")
_EMPTY: Final = frozenset(
    "the and for with from that this has have had was were are been being will its her his she him they them who which what doctor moderator supervisor "
    "leads lead recommends proposes says said asks wants adds considers differs sides give given gives start started now today still also first only can could may might must should would need needs".split()
)
_IF: Final = r"if(?! (?:you (?:press|push|ask|force)|pressed|pushed|asked|I am honest|anything|I had to))"
_CONDITION: Final = any_of(
    _IF,
    r"unless",
    r"provided(?: that)?",
    r"only (?:when|once|after)",
    r"once(?= (?!daily|weekly|only|more|a\b|per|every|in\b|at\b))",
    r"until",
    r"except",
    r"in case",
    r"as long as",
    r"pending(?= \w)",
)
_KEEPS_CONDITION: Final = any_of(
    _IF,
    r"unless",
    r"provided",
    r"when",
    r"once",
    r"until",
    r"except",
    r"in case",
    r"as long as",
    r"pending",
    r"conditional",
    r"after",
    r"before",
    r"should",
)
# A matter of time: "after" keeps it.
_WEAK: Final = any_of(r"only (?:when|once|after)", r"once", r"until", r"pending", r"when")
_IN_TIME: Final = any_of(r"after", r"before")
_SHOULD: Final = re.compile(r"\A\W*should\s", re.IGNORECASE)  # "should the pressure fall, …"
_HISTORY: Final = any_of(r"(?:past|previous|medical|surgical|obstetric|psychiatric|known|her|his|a) history", r"history of", r"(?<!family )history(?=:)", r"previous(?:ly)?", r"(?:years?|months?|weeks?) ago", r"last (?:year|month|week)", r"in (?:19|20)\d\d", r"as a child", r"(?<!since )childhood",
                       r"in (?:january|february|march|april|may|june|july|august|september|october|november|december)", r"at the age of", r"used to", r"formerly", r"in the past", r"past(?! (?:the|midnight|\d))", r"years? earlier")  # fmt: skip
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_COURSE: Final = re.compile(
    r"\bsince\b|\bfrom \d|\bfor (?:about |nearly |over |almost |the last )?\d+ (?:hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)  # a course tells what was before
_NOW_IS: Final = re.compile(r"\b(?:now|today|currently|by now|since then)\b", re.IGNORECASE)
_WAS_THEN: Final = re.compile(r"\b(?:was|were|had been)\b", re.IGNORECASE)
_CHANGED: Final = re.compile(
    r"\b(?:was|were|had|been|from|earlier|before|at first|initially|previously|then|arrival|yesterday|until|became|become|turned)\b",
    re.IGNORECASE,
)
_SPLIT: Final = re.compile(r"[,;]\s+|\s(?:and|but)\s")
_WAS: Final = any_of(
    r"had",
    r"gave",
    r"caused",
    r"developed",
    r"suffered",
    r"took",
    r"underwent",
    r"used to",
    r"was on",
    r"were",
)
# What was decided holds.
_DECIDED: Final = any_of(r"agreed", r"decided", r"discussed", r"documented", r"settled")
_FORMER: Final = any_of(r"former(?:ly)?", r"ex", r"past", r"agreed")
_REACTION: Final = any_of(
    r"anaphyla\w+", r"allerg\w+", r"reaction", r"urticaria", r"hives", r"rash", r"angioedema"
)
_NOW: Final = any_of(r"has", r"have", r"is", r"are", r"now", r"current\w*", r"today")
_FAMILY: Final = any_of(r"mothers?(?:['’]s)?", r"fathers?(?:['’]s)?", r"parents?", r"siblings?", r"brothers?(?:['’]s)?", r"sisters?(?:['’]s)?", r"grand\w+", r"uncles?", r"aunts?", r"cousins?", r"family",
                      r"familial", r"relatives?", r"daughters?", r"sons?", r"nieces?", r"nephews?", r"half-(?:brother|sister)s?", r"mum", r"dad", r"twin")  # fmt: skip
_BESIDE: Final = re.compile(
    r"\b(?:with|by|to|from|via|ask|tell|told|phone|call|inform)\w* (?:(?:his|her|their|the|a|an) )(?:\w+ )?(?:mother|father|parent|brother|sister|wife|husband|partner|family(?! history)|son|daughter|aunt|uncle|cousin|relative|grand\w+)s?\b|"
    r"\b(?:his|her|their|the) (?:mother|father|parent|brother|sister|family|son|daughter|aunt|uncle|cousin|relative|grand\w+)s? (?:is|are|was|were|will be) (?:with|here|there|present|coming|away|on (?:the|her|his) way|at (?:the )?(?:bed|home|work))|"
    r"\b(?:his|her|their|the) (?:mother|father|parent|brother|sister|family|son|daughter|aunt|uncle|cousin|relative|grand\w+)s? (?:can |could |must |should |to |will |may )?(?:says?|said|reports?|reported|notic\w+|found|call\w*|brought|tells?|told|gave|gives?|saw|heard|thinks?|wants?|agrees?|confirm(?:s|ed)?|describes?|mentions?|remembers?|worr\w+|noted?)\b",
    re.IGNORECASE,
)
"""Relatives who are there, or tell of the patient: what stands beside them is not theirs."""
_THOUGHT: Final = any_of(
    r"watch for",
    r"in case",
    r"(?<!I )(?<!we )would(?! be (?:a |an |the )?(?:mistake|wrong|unsafe|unwise|wise|better|best|safer|reasonable|right|sensible|my))",
    r"were to",
    r"risk of",
    r"risks? being",
)
_KEEPS_THOUGHT: Final = any_of(r"watch", r"in case", r"would", r"could", r"may", r"might", r"risk", r"if", r"possib\w+", r"consider\w*", r"think\w*", r"before", r"until", r"prevent\w*", r"avoid\w*", r"monitor\w*",
                             r"check\w*", r"ask\w*", r"for", r"unless", r"should", r"against")  # fmt: skip
_CLOCK: Final = re.compile(r"\b\d{1,2}:\d\d\b")
_PARTS: Final = re.compile(r"(?<=[.;!?])\s+|,?\s+\bbut\b\s+(?!only\b|not (?:before|until)\b|if\b|provided\b)")
_BELOW: Final = r"<|≤|below|under|less than|at most|no more than|not above|up to|lower than|no higher than|(?:a |the )?(?:ceiling|cap|limit|maximum|max)(?: of)?|capped at|not exceed(?:ing)?|the most (?:[\w'’]+ ){1,8}?(?=\d)"
_ABOVE: Final = r">|≥|above|over|more than|at least|no less than|not below|greater than|higher than|exceeding"
_BOUND: Final = re.compile(
    rf"(?:(?P<below>{_BELOW})|(?P<above>{_ABOVE}))\s*(?P<number>\d+(?:\.\d+)?)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Said:
    """One source: what was said, and by whom ("" if that is not known). Sources come in order of time."""

    text: str
    agent: str = ""
    name: str = ""  # under which the agent is spoken of


def unbound(text: str, sources: Sequence[Said]) -> str | None:
    """Return why `text` leaves out what its sources hang on; None if it does not."""
    told = stems(text) - frozenset(word for source in sources for word in stems(source.name))
    if not told:
        return None
    for check in (
        _condition,
        _past,
        _superseded,
        _family,
        _thought,
        _speaker,
        _bounds,
        _clock_times,
    ):
        reason = check(text, told, sources)
        if reason is not None:
            return reason
    return None


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the telling words of `text`, in one spelling, and its numbers."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY)


def _stem(word: str) -> str:
    return concept(word) if word[0].isalpha() else word


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in _PARTS.split(text) if part)


def _share(told: frozenset[str], part: str) -> float:
    return len(told & stems(part)) / len(told)


def _condition(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    """What is said under a condition is not said without one."""
    bare = _IN_TIME.sub(" ", text)
    if _KEEPS_CONDITION.search(bare) or (
        bare != text and any(_WEAK.search(source.text) for source in sources)
    ):
        return None
    is_free = any(
        _share(told, free) >= ENOUGH
        for source in sources
        for part in _parts(source.text)
        for free in _free(part)
    )
    if is_free:
        return None
    for source in sources:
        for part in _parts(source.text):
            if any(_share(told, governed) >= ENOUGH for governed in _governed(part)):
                return "a condition of the cited text is lost"
    return None


def _governed(part: str) -> Iterator[str]:
    """Yield what hangs on a condition in `part`: what follows one that leads it, what precedes any other."""
    if _SHOULD.match(part) or ((first := _CONDITION.search(part)) and not stems(part[: first.start()])):
        _, comma, rest = part.partition(",")
        turned = _TURNED.search(part)
        if comma:
            yield rest
        elif turned:
            yield part[turned.end() :]
        return
    for match in _CONDITION.finditer(part):
        yield part[_own_clause(part, match.start()) : match.start()]


_TURNED: Final = re.compile(
    r"\b(?:would|should|will|can|do|does|may|must) (?:I|we|he|she|they|it)\b", re.IGNORECASE
)


def _free(part: str) -> Iterator[str]:
    """Yield what hangs on no condition."""
    first = _CONDITION.search(part)
    if not _SHOULD.match(part) and not first:
        yield part
    elif first:
        yield part[: _own_clause(part, first.start())]


def _own_clause(part: str, at: int) -> int:
    """Return where the clause starts that hangs on a condition at `at`: after the last comma, if it says something itself."""
    comma = part.rfind(",", 0, at)
    own = part[comma + 1 : at]
    says = len([word for word in stems(own) if word.isalpha()]) >= 2 and not any(map(str.isdigit, own))
    return comma + 1 if comma > 0 and says else 0


def _clauses(part: str) -> list[str]:
    """Return the clauses between commas; one of fewer than four words belongs to that before it."""
    clauses: list[str] = []
    for clause in re.split(r",\s+(?:and\s+)?|\s+and\s+(?=(?:is|was|has)\b)", part):
        if clauses and len(clause.split()) < 4:
            clauses[-1] = f"{clauses[-1]}, {clause}"
        else:
            clauses.append(clause)
    return clauses


def _only_where(told: frozenset[str], sources: Sequence[Said], setting: re.Pattern[str]) -> bool:
    """Tell whether a telling word or number stands in parts of that setting, and in no other part."""
    inside, outside = set[str](), set[str]()
    for source in sources:
        for part in _parts(source.text):
            part = _BESIDE.sub(" ", part) if setting is _FAMILY else part
            for clause in _clauses(part) if setting is not _FAMILY else (part,):
                if setting is _HISTORY and _DECIDED.search(clause):
                    continue
                (inside if setting.search(clause) else outside).update(stems(clause))
    return bool({word for word in told & inside - outside if len(word) > 3 or word[0].isdigit()})


def _past(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    if any(pattern.search(text) for pattern in (_HISTORY, _YEAR, _COURSE, _WAS, _FORMER)):
        return None
    if _REACTION.search(text) and not _NOW.search(text):  # who reacted once is taken to react again
        return None
    return "what is past would be told as now" if _only_where(told, sources, _HISTORY) else None


def _superseded(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    """What was so, beside what is so now, is not told as so: "it was soft at six and is rigid now"."""
    if _CHANGED.search(text):
        return None
    inside, outside = set[str](), set[str]()
    for source in sources:
        for part in re.split(r"(?<=[.!?])\s+", source.text):
            changes = _NOW_IS.search(part) is not None
            for clause in _SPLIT.split(part):
                was = _WAS_THEN.search(clause) if changes and not _NOW_IS.search(clause) else None
                (inside if was else outside).update(stems(clause[was.end() :] if was else clause))
    alone = {word for word in told & inside - outside if len(word) > 3 and word.isalpha()}
    return "what is past would be told as now" if alone else None


def _family(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    if _FAMILY.search(_BESIDE.sub(" ", text)):
        return None
    return (
        "what is the family's would be told of the patient" if _only_where(told, sources, _FAMILY) else None
    )


def _thought(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    if _KEEPS_THOUGHT.search(text):
        return None
    return "what is only thought of would be told as so" if _only_where(told, sources, _THOUGHT) else None


def _speaker(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    """What is said in somebody's name is that agent's, and not another's."""
    names = {source.name for source in sources if source.name}
    text = re.sub(r"\A(?:the )?(?:moderator|chair)\b", "The supervisor", text, flags=re.IGNORECASE)
    named = next(
        (
            name
            for name in names
            if re.match(rf"(?:the )?{re.escape(name.removeprefix('the '))}\b", text, re.IGNORECASE)
        ),
        None,
    )
    if named is None:
        return None
    rest = told - stems(named)
    if not rest:
        return None
    share = {name: _share(rest, " ".join(s.text for s in sources if s.name == name)) for name in names}
    return "it is another agent's" if share[named] < max(share.values()) - 0.2 else None


def _bounds(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    """A limit keeps its direction."""
    for match in _BOUND.finditer(text):
        way = "below" if match["below"] else "above"
        ways = {
            "below" if other["below"] else "above"
            for source in sources
            for other in _BOUND.finditer(source.text)
            if other["number"] == match["number"]
        }
        if ways and way not in ways:
            return "a limit is turned round"
    return None


def _clock_times(text: str, told: frozenset[str], sources: Sequence[Said]) -> str | None:
    """A time of day stays with what happened then, and not with what happened at another."""
    clauses = [
        clause
        for source in sources
        for clause in re.split(r"[;.,]\s|\sand\s", source.text)
        if _CLOCK.search(clause)
    ]
    for match in _CLOCK.finditer(text):
        homes = [clause for clause in clauses if match.group() in clause]
        others = stems(re.split(r"[;.,]\s", text[: match.start()])[-1]) & told
        elsewhere = any(others & stems(clause) for clause in clauses if clause not in homes)
        if homes and elsewhere and not any(others & stems(home) for home in homes):
            return "a time belongs to something else in the cited text"
    return None
