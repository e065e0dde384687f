"""Read emergencies in words: no value or fixed phrase, but slots that together say what happens.

| slot | what it is | it alarms |
|---|---|---|
| `lost` | a function of the body is absent or failing: "she's not breathing", "BP is unrecordable" | by itself |
| `grave` | a grave sign: "stridor", "cold white leg" | beside another sign, a name or a call |
| `bad` | a bad sign: "clammy" | beside a grave one |
| `named` | an emergency by its name: "cord prolapse" | beside a grave sign, a call, or where "we have" it |
| `cry` | a call for help, or a rescue: "crash team, please!", "bag him" | by itself |
| `help`, `at_once`, `soon` | who is called, and how soon: "theatre now" | beside a sign or a name |

Each slot is read as it is meant (`text/assertion.py`): if denied, past, supposed or somebody else's it is not filled.
A sentence that is about a drill, teaching, a question, a plan or something that is over raises no alarm. The rows are
in `data/forms/claims/emergencies.toml`, with the lists that their names are from. An alarm is told in its speaker's own
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from exaim_core.claims.triggers import is_asked, is_of_a_rule, is_weighed, lists_triggers
from exaim_core.lexicon.withdrawn import blank
from exaim_core.text.assertion import NOT_OURS, Status, statuses_around, statuses_at
from exaim_core.text.clauses import segments, told_apart
from exaim_core.text.hints import Hints
from exaim_core.text.patterns import compiled_by_all
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

_STOP: Final = re.compile(r"[,;:.!]\s|\s[–—-]\s")
_OWN_SUBJECT: Final = re.compile(
    r"(?:and |as |since )?(?:I|we|he|she|they|the|his|her|their)\b(?! (?:day|night|week))"
)
CALL: Final = "a call for help"  # the kind of one that names no emergency
MOST_CHARS: Final = 240  # characters of a sentence that is looked at: a cry is short
_FORMS: Final = lexicon("claims/emergencies")
_SLOTS: Final = {
    form: tuple(zip((row.name for row in _FORMS.rows()[form]), _FORMS.each(form), strict=True))
    for form in ("lost", "grave", "named", "bad")
}
_OF_MINUTES: Final = frozenset(
    {"cardiac arrest", "airway obstruction", "anaphylaxis", "breathing", "circulation", "obstetric emergency"}
)
_MEANT_NOT: Final = frozenset({Status.NEGATED, Status.CONDITIONAL, Status.OTHER_PERSON, Status.PAST})


@dataclass(frozen=True, slots=True)
class FilledSlot:
    """Words that fill a slot: its form, the name of its row, and where they stand."""

    form: str
    name: str
    start: int
    end: int


@compiled_by_all
@cache
def _hints() -> Hints:
    forms = ("lost", "grave", "named", "cry")
    return Hints(_FORMS.part(form) for form in forms)


@cache
def _any(form: str) -> re.Pattern[str]:
    """Return one pattern for all rows of a slot, compiled at first use, as that takes a process 0.3 s."""
    rows = _SLOTS[form]
    return re.compile("|".join(f"(?:{pattern.pattern})" for _, pattern in rows), rows[0][1].flags)


@compiled_by_all
def _all_slots() -> None:
    for form in _SLOTS:
        _any(form)


def may_be_emergency(text: str) -> bool:
    """Return quickly whether `text` may say that an emergency is under way."""
    return _hints().may(text)


def emergency_in_words(
    sentence: str, *, listed: bool = False, earlier: str = "", reported: bool = False
) -> str:
    """Return the kind of emergency that `sentence` says is under way, by its row's name; "" for none.

    `listed`: it is an item of a plan, where a call is one of several steps and says nothing about now. `earlier` is the
    sentence before it in its turn. `reported`: who says it reports tests, so a bare name at its head is what one shows.
    """
    return _under_way(sentence, listed, earlier, reported)


@lru_cache(maxsize=2048)  # by place: with names or defaults the cache would hold one call twice
def _under_way(sentence: str, listed: bool, earlier: str, reported: bool) -> str:
    if len(sentence) > MOST_CHARS or not may_be_emergency(sentence) or _is_unreal(sentence):
        return ""
    if _FORMS["past"].search(sentence):
        return _before_what_was(sentence)
    kind = _kind(sentence, listed=listed, only_when=lists_triggers(sentence, earlier))
    return kind or (_shown(sentence) if reported else "")


def in_few_words(sentence: str, most: int) -> str:
    """Return an emergency's sentence if it has at most `most` words, else its first clause that tells of it; or ""."""
    whole = sentence.strip(" .!")
    if word_count(whole) <= most:
        return whole
    clauses = (
        whole[first:last].strip(" ,")
        for start, end in segments(whole)
        for first, last in told_apart(whole, start, end)
    )
    parts = (*clauses, *_STOP.split(whole))
    short = (part for part in parts if word_count(part) <= most)
    return next((each for each in short if [*_slots(each)] or _is_called("cry", each)), "")


def _kind(sentence: str, *, listed: bool, only_when: bool) -> str:
    """Return the kind that the slots of `sentence` make; `only_when`: it lists at what somebody is to act."""
    found = list(_slots(sentence))
    meant = {
        form: [slot for slot in found if slot.form == form and _stands(sentence, slot, found)]
        for form in _SLOTS
    }
    if only_when:
        own = {
            form: [slot for slot in slots if _has_subject(sentence, slot)] for form, slots in meant.items()
        }
        return _together(sentence, own, listed=True) if any(own.values()) else ""
    return _together(sentence, meant, listed=listed)


def _shown(sentence: str) -> str:
    """Return the kind of an emergency of minutes that a report names at its head: "Type A aortic dissection"."""
    found = list(_slots(sentence))
    heads = (slot for slot in found if slot.form == "named" and slot.name in _OF_MINUTES)
    return next(
        (
            slot.name
            for slot in heads
            if _FORMS["head"].fullmatch(sentence, 0, slot.start) and _stands(sentence, slot, found)
        ),
        "",
    )


def _before_what_was(sentence: str) -> str:
    """Return the kind that an opening clause says is under way before others tell the past.

    Each clause has a subject of its own: "It's X, I gave her Y at nine". In "It's a stroke, two weeks ago" the time
    belongs to the stroke.
    """
    stop = _STOP.search(sentence)
    if stop is None or _OWN_SUBJECT.match(sentence, stop.end()) is None:
        return ""
    clause = sentence[: stop.start()]
    if _FORMS["past"].search(clause):
        return ""
    named = [slot for slot in _slots(clause) if slot.form == "named" and slot.end == len(clause)]
    return next((slot.name for slot in named if _is_there(clause, slot) and _stands(clause, slot, named)), "")


def _together(sentence: str, meant: dict[str, list[FilledSlot]], *, listed: bool) -> str:
    lost, grave, named, bad = (meant[form] for form in ("lost", "grave", "named", "bad"))
    if lost:
        return lost[0].name
    cries = not listed and _is_called("cry", sentence)
    helps, now = _is_called("help", sentence), _is_called("at_once", sentence)
    call = [match.span() for match in _FORMS["help"].finditer(sentence)]
    named, bad = (
        [slot for slot in slots if not any(start <= slot.start < end for start, end in call)]
        for slots in (named, bad)
    )
    at_once = cries or helps or now
    soon = at_once or _FORMS["soon"].search(sentence) is not None
    said = {re.sub(r"\W+", " ", sentence[slot.start : slot.end]).lower() for slot in grave}
    if grave and (len(said) > 1 or named or bad or soon):
        return grave[0].name
    if named and (at_once or any(_is_there(sentence, slot) for slot in named)):
        return named[0].name
    return CALL if cries or (helps and (bad or now) and not listed) else ""


def _is_there(sentence: str, slot: FilledSlot) -> bool:
    """Return whether a named emergency of minutes is said to be under way: "we have a cord prolapse"."""
    return slot.name in _OF_MINUTES and _FORMS["is_there"].search(sentence[: slot.start]) is not None


def _slots(sentence: str) -> Iterator[FilledSlot]:
    """Yield the slots that `sentence` fills, none inside a weightier one."""
    taken: list[FilledSlot] = []
    for form, rows in _SLOTS.items():
        for name, pattern in rows if _any(form).search(sentence) else ():
            for match in pattern.finditer(sentence):
                slot = FilledSlot(form, name, match.start(), match.end())
                if match.group().strip() and not any(
                    slot.start < each.end and each.start < slot.end for each in taken
                ):
                    taken.append(slot)
                    yield slot


def _stands(sentence: str, slot: FilledSlot, found: list[FilledSlot]) -> bool:
    """Return whether a slot is meant of this patient now; a slot's own denial ("no pulse") is no other's."""
    around = blank(sentence, [(each.start, each.end) for each in found if each is not slot])
    for form in ("hedge", "at_once"):
        around = _FORMS[form].sub(lambda match: " " * len(match.group()), around)
    meant = statuses_around(around, slot.start, slot.end)
    if _has_subject(sentence, slot):  # a clause of its own, to which an earlier denial does not reach
        meant -= {Status.NEGATED}
        meant |= statuses_around(around[slot.start :], 0, slot.end - slot.start) & {Status.NEGATED}
    if meant & _MEANT_NOT or statuses_at(sentence, slot.start, slot.end) & NOT_OURS:
        return False
    if is_asked(sentence, slot.start) or is_of_a_rule(sentence, slot.start, slot.end):
        return False
    if slot.form == "named" and is_weighed(sentence, slot.start, slot.end):
        return False
    if (
        slot.form == "named"
        and _FORMS["general"].match(sentence, slot.end)
        and not sentence[: slot.start].strip()
    ):
        return False  # "Tension pneumothorax needs immediate decompression": of any case
    first = max((stop.end() for stop in _STOP.finditer(sentence, 0, slot.start)), default=0)
    stop = _STOP.search(sentence, slot.end)
    return not _FORMS["then"].search(sentence, first, stop.start() if stop else len(sentence))


def _has_subject(sentence: str, slot: FilledSlot) -> bool:
    """Return whether a slot opens with who it is about: "he's blue"."""
    return _FORMS["subject"].match(sentence, slot.start) is not None


def _is_called(form: str, sentence: str) -> bool:
    call = _FORMS[form].search(sentence)
    return call is not None and not statuses_around(sentence, call.start(), call.end()) & _MEANT_NOT


def _is_unreal(sentence: str) -> bool:
    """Return whether a whole sentence is asked, supposed, taught, drilled or over."""
    if sentence.rstrip(" \"'”’)").endswith("?"):
        return True
    return any(_FORMS[form].search(sentence) for form in ("unreal", "over"))
