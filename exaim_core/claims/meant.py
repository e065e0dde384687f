"""Decide how words are meant under everything that stands before them: a label, a heading, a key.

    ### Final decision          what stands under it is decided,
    **Sepsis** - all agree      and so is this;
    **Avoid:** NSAIDs           this is forbidden, whatever the heading says.

Code that takes words from behind a label asks here first: without the label they might say the opposite, or
something about somebody else. An unknown label sets aside what stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.kinds import names_condition, names_test
from exaim_core.lexicon.named import labelled, names_to_do
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import NOT_OURS_NOW, Status, statuses_of
from exaim_core.text.keys import KeySense as Keyed
from exaim_core.text.keys import meaning
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify, forbids, only_forbids
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

MOST_OF_ONE: Final = 3  # words of a label that says whose it is; a longer one only says who was there
_FORMS: Final = lexicon("claims/meant")
_BESIDE: Final = re.compile(r"\s*\([^()]*\)|\s*\bv?\d+(?:\.\d+)*\Z", re.IGNORECASE)
_FROM: Final = re.compile(r" (?:from|of|with|due to|after|on|in|caused by|secondary to|by)\b", re.IGNORECASE)


class LabelSense(StrEnum):
    """What a label says about the words behind it."""

    PLAIN = "plain"  # there is none, or it names the thing itself
    VIEW = "view"  # a diagnosis that is held
    SUMMARY = "summary"  # a diagnosis or a plan
    PLAN = "plan"  # what is to be done
    FORBIDDEN = "forbidden"
    EXCLUDED = "excluded"
    ASIDE = "aside"  # about somebody else, another time, or what may come
    UNKNOWN = "unknown"  # none of these is known to fit: it sets the words aside too

    @property
    def holds(self) -> bool:
        """Return whether what the heading says holds for the words behind such a label too."""
        return self is LabelSense.PLAIN or self in TITLES


NO_VIEWS: Final = frozenset({LabelSense.FORBIDDEN, LabelSense.EXCLUDED, LabelSense.PLAN, LabelSense.ASIDE})
"""What stands under such a label or heading is nobody's view."""


TITLES: Final = frozenset({LabelSense.VIEW, LabelSense.SUMMARY, LabelSense.PLAN})
SET_ASIDE: Final = frozenset({LabelSense.FORBIDDEN, LabelSense.EXCLUDED, LabelSense.ASIDE})
_KEYED: Final = {
    Keyed.ELSEWHERE: LabelSense.ASIDE,
    Keyed.EXCLUDES: LabelSense.EXCLUDED,
    Keyed.HANGS: LabelSense.ASIDE,
    Keyed.INSTEAD: LabelSense.ASIDE,
    Keyed.ASKED: LabelSense.ASIDE,
    Keyed.TO_DO: LabelSense.PLAN,
}
_HEADED: Final = {"view": LabelSense.VIEW, "summary": LabelSense.SUMMARY, "plan": LabelSense.PLAN}


@lru_cache(maxsize=4096)
def sense_of(label: str) -> LabelSense:
    """Return what `label` says about the words behind it."""
    name = _BESIDE.sub("", label.replace("_", " ")).strip(" :.*-")
    if forbids(name):
        return LabelSense.FORBIDDEN
    if (known := _KEYED.get(meaning(name).sense)) is not None and (
        known is not LabelSense.PLAN or meaning(name).say == "{}"
    ):
        return known
    if _FORMS["excludes"].search(name):
        return LabelSense.EXCLUDED
    for form, sense in _HEADED.items():
        if _FORMS[form].fullmatch(name):
            return sense
    if not name or heads(name):
        return LabelSense.PLAIN
    found = statuses_of(name, "") - ({Status.OTHER_PERSON} if word_count(name) > MOST_OF_ONE else set())
    return LabelSense.ASIDE if found or _FORMS["beside"].search(name) else LabelSense.UNKNOWN


@lru_cache(maxsize=4096)
def carries(label: str) -> bool:
    """Return whether `label` says only that something is said: "Message", "Step 2"."""
    return _FORMS["carries"].fullmatch(label.strip()) is not None


@lru_cache(maxsize=4096)
def looks_ahead(label: str) -> bool:
    """Return whether a label is over what may come or is aimed at: "Watch for", "Call me if", "Targets"."""
    return _FORMS["ahead"].fullmatch(label.strip(" :.*-")) is not None


def under_plain_titles(unit: Sentence) -> bool:
    """Return whether all that `unit` stands under says no more than that something is so, or is to be done.

    What stands under "If he deteriorates", "Given so far" or "Options" is not asked for now.
    """
    over = {unit.heading, *unit.above} - {""}
    return all(sense_of(each).holds or carries(each) for each in over)


@lru_cache(maxsize=4096)
def heads(name: str) -> bool:
    """Return whether a label names the thing itself: "Sepsis from the gut", "Emergency laparotomy"."""
    if (
        classify(name) is not Section.OTHER
        or forbids(name)
        or any(_FORMS[form].search(name) for form in ("beside", "places"))
    ):
        return False
    return heads_condition(name) or (names_to_do(name) and " " in name)


@lru_cache(maxsize=4096)
def heads_condition(words: str) -> bool:
    """Return whether `words` first name a condition: "digoxin toxicity" does, though it names a drug."""
    head = _FROM.split(re.split(r"[,;:]\s", words)[0])[0].split()
    return (
        bool(head)
        and not statuses_of(words, "") - {Status.HEDGED}
        and names_condition(head[-1])
        and not names_test(head[-1])
    )


def meant(unit: Sentence, words: str, titles: tuple[str, ...] = ()) -> LabelSense:
    """Return how `words` of `unit` are meant by its labels and headings below the last of `titles`."""
    senses = [sense_of(label) for label in _labels(unit, titles)]
    set_aside = next((sense for sense in senses if not sense.holds), None)
    if set_aside is not None:
        return set_aside
    full = unit.full
    if prohibits(full) and not prohibits(words):
        return LabelSense.FORBIDDEN
    found = statuses_of(full, words)
    if Status.NEGATED in found - statuses_of(words, ""):
        return LabelSense.EXCLUDED
    if found & NOT_OURS_NOW:
        return LabelSense.ASIDE
    return senses[-1] if senses else LabelSense.PLAIN


def is_forbidden_by_label(unit: Sentence) -> bool:
    """Return whether the label of its line, bold or not, forbids what `unit` says behind it."""
    if unit.item:
        return forbids(unit.item)
    return unit.opens and only_forbids(labelled(unit.text)[0].strip(" :"))


def _labels(unit: Sentence, titles: tuple[str, ...]) -> Iterator[str]:
    """Yield the labels that `unit` stands under, outermost first."""
    over = [*unit.above, *([] if unit.heading in unit.above else [unit.heading]), unit.item or ""]
    last = max(
        (at for at, name in enumerate(over) if name in titles), default=-1 if titles else len(over) - 2
    )
    yield from filter(None, over[last + 1 :])
    if not unit.item and unit.opens:
        yield from filter(None, [labelled(unit.text)[0].strip(" :")])
