"""Read which function of the body a sentence says to fail, or to be there again.

Each function has words for its failure and for its return in `data/forms/claims/bodily.toml`. A return is read
strictly: it is of this patient and of now, and nothing in its clause makes it weaker, wished, asked or denied. A
failure is read loosely, since it only lets an alarm stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from exaim_core.claims.emergencies import CALL, MOST_CHARS, emergency_in_words
from exaim_core.claims.triggers import is_asked, lists_triggers
from exaim_core.text.assertion import NOT_OURS, Status, clauses, statuses_around, statuses_at
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count


class Function(Enum):
    """A function of the body, or what may go wrong in its place."""

    AIRWAY = "airway"
    BREATHING = "breathing"
    OXYGEN = "oxygen"
    CIRCULATION = "circulation"
    RHYTHM = "rhythm"
    CONSCIOUSNESS = "consciousness"
    SEIZURE = "seizure"
    BLEEDING = "bleeding"
    BIRTH = "birth"


_FORMS: Final = lexicon("claims/bodily")
_FAILED: Final = _FORMS.by(Function, "failed_")
_BACK: Final = _FORMS.by(Function, "back_")
_BARE: Final = _FORMS.by(Function, "bare_")
_CLAUSE: Final = re.compile(r"[;.!?]\s|\s[–—-]\s|,\s(?:but|and|so|then)\s")
_SHORT: Final = re.compile(r"[,;.!?…]\s|\s[–—-]\s|(?<=—)")
MOST_WORDS: Final = 7  # of a return that are told; three seconds
_KINDS: Final = {
    "airway obstruction": Function.AIRWAY,
    "airway device lost": Function.AIRWAY,
    "airway": Function.AIRWAY,
    "respiratory arrest": Function.BREATHING,
    "oxygen falling": Function.OXYGEN,
    "breathing": Function.BREATHING,
    "cardiac arrest": Function.CIRCULATION,
    "circulatory collapse": Function.CIRCULATION,
    "ventricular fibrillation": Function.RHYTHM,
    "ventricular tachycardia": Function.RHYTHM,
    "complete heart block": Function.RHYTHM,
    "sinus pause": Function.RHYTHM,
    "unconscious": Function.CONSCIOUSNESS,
    "seizure": Function.SEIZURE,
    "repeated seizure": Function.SEIZURE,
    "status epilepticus": Function.SEIZURE,
    "major haemorrhage": Function.BLEEDING,
    "major blood loss": Function.BLEEDING,
    "bleeding": Function.BLEEDING,
    "obstetric emergency": Function.BIRTH,
}
"""Of alarms in words, by the kind in their keys."""
ENDS_TOO: Final = {
    Function.RHYTHM: frozenset({Function.CIRCULATION}),
    Function.AIRWAY: frozenset({Function.BREATHING}),
}
"""For a function, those whose return ends its failure too."""
_NO_FAILURE: Final = NOT_OURS | {Status.CONDITIONAL}
_MEANT_NOT: Final = frozenset({Status.NEGATED, Status.CONDITIONAL, Status.OTHER_PERSON, Status.PAST})


@dataclass(frozen=True, slots=True)
class Change:
    """What a sentence says of a function: whether it is there again, and in which words."""

    function: Function
    back: bool
    words: str


def failing(text: str, kind: str = "") -> frozenset[Function]:
    """Return the functions whose failure `text` names; `kind` is that of the alarm that it is told as.

    Vague words ("he's stopped") name none, whatever their alarm is called.
    """
    named = {function for function, pattern in _FAILED if pattern.search(text)}
    if not named and is_vague(text):
        return frozenset()
    return frozenset(named | ({_KINDS[kind]} if kind in _KINDS else set()))


def is_vague(text: str, kind: str = "") -> bool:
    """Return whether an alarm answers what was said before it: a call, a measure, or words that name no function."""
    return kind == CALL or _FORMS["vague"].search(text) is not None


@lru_cache(maxsize=2048)
def changes(sentence: str, last: frozenset[Function] = frozenset()) -> tuple[Change, ...]:
    """Return what `sentence` says of functions, each once, as it ends; `last` are those that failed last.

    Words that name no function ("it's stopped") are of one that failed last.
    """
    if len(sentence) > MOST_CHARS:
        return ()
    found = list[Change]()
    for function, (start, end) in _returns(sentence, last).items():
        if _stands(sentence, start, end, _part(_CLAUSE, sentence, start, end)) and not _fails_behind(
            sentence, function, end
        ):
            short = _part(_SHORT, sentence, start, end)
            words = short if word_count(short) <= MOST_WORDS else sentence[start:end]
            found.append(Change(function, back=True, words=words.strip(" ,.!;–—-")))
    back = {each.function for each in found}
    failed = {*failing(sentence, emergency_in_words(sentence))} if _is_of_now(sentence) else set()
    if _is_of_now(sentence) and _FORMS["fails_again"].search(sentence):
        failed |= last
    return (*found, *(Change(each, back=False, words="") for each in sorted(failed - back, key=_place)))


def _part(stops: re.Pattern[str], sentence: str, start: int, end: int) -> str:
    """Return the part of `sentence` between two `stops` that holds [start, end)."""
    first = max((each.end() for each in stops.finditer(sentence, 0, start)), default=0)
    stop = stops.search(sentence, end)
    return sentence[first : stop.start() if stop else len(sentence)]


def contradicts(sentence: str) -> bool:
    """Return whether `sentence` opens as one that denies what was said right before it."""
    return _FORMS["contradicted"].match(sentence) is not None


def _place(function: Function) -> int:
    return [*Function].index(function)


def _returns(sentence: str, last: frozenset[Function]) -> dict[Function, tuple[int, int]]:
    """Return where `sentence` first names the return of each function."""
    found = dict[Function, tuple[int, int]]()
    for function, pattern in (*_BACK, *((each, bare) for each, bare in _BARE if each in last)):
        for match in pattern.finditer(sentence):
            if match.group().strip() and not _is_of_failure(sentence, function, match):
                found.setdefault(function, match.span())
    return found


def _is_of_failure(sentence: str, function: Function, back: re.Match[str]) -> bool:
    """Return whether words of failure reach into those of a return: "stopped breathing again"."""
    return any(
        (failed.start() < back.start() < failed.end()) or (failed.start() < back.end() < failed.end())
        for failed in dict(_FAILED)[function].finditer(sentence)
    )


def _stands(sentence: str, start: int, end: int, clause: str) -> bool:
    """Return whether the return at [start, end) is meant of this patient, now, and without more ado."""
    if "?" in sentence[end:] or is_asked(sentence, start) or lists_triggers(sentence):
        return False
    if _FORMS["spoiled"].search(clause):
        return False
    if (
        Status.CONDITIONAL in statuses_at(sentence, start, end)
        or statuses_at(sentence, start, end) & NOT_OURS
    ):
        return False
    return not statuses_around(sentence, start, end) & _MEANT_NOT


def _fails_behind(sentence: str, function: Function, end: int) -> bool:
    """Return whether the same function is said to fail behind its return."""
    pattern = dict(_FAILED)[function]
    return (
        pattern.search(sentence, end) is not None or _FORMS["fails_again"].search(sentence, end) is not None
    )


def _is_of_now(sentence: str) -> bool:
    """Return whether words of failure in `sentence` may be meant of this patient now: nobody asks, or says "if"."""
    return not {status for each in clauses(sentence) for status in each.statuses} & _NO_FAILURE
