"""Is what is told of a discussion's end right? Fixed before endings were quoted (docs/decisions/094).

An ending is *right* if it tells what the author of the discussion says it must name, and contradicts nothing;
*unread* if it says openly that nothing was read; *wrong* if it names what is not the end, denies what is, or tells one
side of what was left open, or a consensus that there was not. A quotation that is none of these is *beside*: true
words of whoever had the last, which do not say what was decided. It counts as no right ending. Where no closing was
begun, the ending is *untold*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lab.evaluation.points import flat

UNREAD: Final = "could not be read"
_SAID: Final = re.compile(r"\AFinished\. .+, says [^:]{2,60}?\.(?: |\Z)|\AFinished\. At the end ", re.DOTALL)
_CLAUSE: Final = re.compile(r"[,;:.–—]\s|\b(?:but|with|while|though)\b")
_SET_ASIDE: Final = re.compile(
    r"\b(?:not?|never|without|unlikely|excluded?|withdrawn|dropped|possible|possibly|perhaps|pending|second|third|"
    r"minority|superseded|bystander|against|ruled out|until|a?waits?|on the list|differential)\b|\?"
)
"""What a clause says that names something which the discussion did not end with."""
_DENIED_BEFORE: Final = re.compile(
    r"\b(?:not|never|neither|nor|unlikely|excludes?|excluded|rules? out|ruled out|against)\b|"
    r"\b(?:no|without) (?:\w+ ){0,2}\Z"
)
_DENIED_AFTER: Final = re.compile(
    r"\A\w*(?:(?: \w+){0,5} (?:is|was|are|were|been|looks|seems))?(?: now| very| most)? "
    r"(?:not|never|excluded|ruled out|withdrawn|dropped|superseded|rejected|unlikely)\b"
)
"""What denies a name, by the words of its clause before it and after it."""
_NOT_DENIED: Final = re.compile(
    r"\bnot (?:yet )?(?:been )?(?:excluded|ruled out|proven|confirmed|certain)\b"
    r"|\bnot (?:only|just|in doubt)\b|\bno other than\b|\bnothing (?:\w+ )?against\b"
)
_AND: Final = re.compile(r"(?<=\w) (?:and|so) ")
_VERB: Final = re.compile(r"\b(?:is|are|was|were|has|have)\b")
_STATEMENT: Final = re.compile(r"[.;–—]\s")
_OPEN: Final = re.compile(
    r"\b(?:no (?:agreement|consensus|winner|leading)|undecided|split|pick|choose|rank|unsettled|remain|"
    r"do not (?:yet )?know|not (?:\w+ )?(?:reached|certified|settled|decided|agreed))\b|"
    r"\bopen(?=\s*(?:[^\w\s]|\Z)|\s+(?:questions?|between|for|till|until|as|to|whether|pending|how|what|which|when|"
    r"who|why|and|or|but|so|then|now|today|tonight)\b)"
)
"""What says that something is left open; an "open laparotomy" is no such thing."""
_CLAIMS_CONSENSUS: Final = re.compile(r"\b(?:consensus|decision|all (?:\w+ )?agree|both agree)\b")


@dataclass(frozen=True, slots=True)
class Ending:
    """What a discussion ends with, as its author judged it.

    `kind` is "agreed", "leading", "open" or "unstated"; `entities` are what it must name, `wrong` what it must not.
    """

    kind: str
    entities: tuple[str, ...]
    wrong: tuple[str, ...]

    def judged(self, closing: str) -> str:
        """Return "right", "unread" (openly so), "beside", "wrong", or "untold" where `closing` is empty.

        Raises: KeyError: the kind is not known.
        """
        judge = _JUDGES[self.kind]
        there = flat(closing.partition(" Wanted:")[0])
        if not there.strip():
            return "untold"
        verdict = judge(self, there)
        return "beside" if verdict is None and _SAID.match(closing) else verdict or "wrong"


def _one_end(ending: Ending, there: str) -> str | None:
    """Judge what is told of a discussion that agreed or leads; None: none of the names."""
    clauses = _CLAUSE.split(there)
    if _misnamed(clauses, ending.wrong):
        return "wrong"
    if UNREAD in there:
        return "unread"
    named = [part for each in clauses for part in _statements(each) if _names(part, ending.entities)]
    if any(not _denied(each, ending.entities) for each in named):
        return "right"
    return "wrong" if named else None


def _left_open(ending: Ending, there: str) -> str | None:
    """Judge what is told of a discussion that was left open; None: neither that nor a side."""
    if _misnamed(_not_open(there), ending.wrong):
        return "wrong"
    if UNREAD in there:
        return "unread"
    named = _names(there, ending.entities)
    if _OPEN.search(there) or len(named) > 1:
        return "right"
    return "wrong" if named or _CLAIMS_CONSENSUS.search(there) else None


def _unstated(ending: Ending, there: str) -> str | None:
    """Judge what is told of a discussion that states no end: anything but one."""
    if _misnamed(_not_open(there), ending.wrong):
        return "wrong"
    if UNREAD in there:
        return "unread"
    return "wrong" if _CLAIMS_CONSENSUS.search(there) and not _OPEN.search(there) else "right"


_JUDGES: Final[dict[str, Callable[[Ending, str], str | None]]] = {
    "agreed": _one_end,
    "leading": _one_end,
    "open": _left_open,
    "unstated": _unstated,
}


def _not_open(there: str) -> list[str]:
    """Return the clauses of the statements that do not say that something is left open."""
    return [
        clause
        for statement in _STATEMENT.split(there)
        if not _OPEN.search(statement)
        for clause in _CLAUSE.split(statement)
    ]


def _misnamed(clauses: Sequence[str], wrong: tuple[str, ...]) -> bool:
    return any(_names(each, wrong) and not _SET_ASIDE.search(each) for each in clauses)


def _statements(clause: str) -> list[str]:
    """Part a clause at an "and" or "so" that has a statement before it: "STEMI is excluded and pericarditis leads"."""
    found = _AND.split(clause)
    parts = found[:1]
    for each in found[1:]:
        if _VERB.search(parts[-1]):
            parts.append(each)
        else:
            parts[-1] += f" and {each}"
    return parts


def _denied(clause: str, terms: tuple[str, ...]) -> bool:
    """Return whether a clause denies each of the terms that it names."""
    bare = _NOT_DENIED.sub(" ", clause)
    names = [(term, _found(bare, term)) for term in _names(bare, terms)]
    return bool(names) and all(
        at is not None
        and (_DENIED_BEFORE.search(bare[: at.start()]) or _DENIED_AFTER.search(bare[at.end() :]))
        for _, at in names
    )


def _names(there: str, terms: tuple[str, ...]) -> list[str]:
    return [term for term in terms if _found(there, term)]


def _found(there: str, term: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(flat(term).strip())}", there)
