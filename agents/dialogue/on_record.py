"""What the record forbids or warns of, beside its list of allergies: in its notes, its history, and beside a drug."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agents.dialogue.facts import Fact, FactKind
from agents.dialogue.forbids import doings
from agents.dialogue.given import ALLERGY, names_given, reacted_to
from agents.dialogue.restraints import REFUSES, bars, restrains
from agents.dialogue.safety import Ban, bans_of, is_told
from agents.dialogue.values import Sentence
from exaim_core.board.shown import SaidView
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import is_of_another
from exaim_core.text.datafiles import drug_names
from exaim_core.text.names import Names
from exaim_core.text.wording import upper_first

_READ: Final = frozenset({FactKind.NOTE, FactKind.HISTORY, FactKind.COMPLAINT, FactKind.MEDICINE})
# A "no" that may as well say what somebody does not take or has not had: "No digoxin.", "no previous surgery".
_NO: Final = re.compile(r"\A\W*(?:no|not|never|nil)\b", re.IGNORECASE)
_NONE: Final = re.compile(
    r"\Aallergy: (?:none|nil|not?|nkd?a|nkfa|denies)\b(?!.*\b(?:except|apart|other than|but|only|bar)\b)",
    re.IGNORECASE,
)
_NOT_FOR: Final = re.compile(r"\bnot for\b|\b(?:DNA?CPR|DNAR)\b", re.IGNORECASE)


def allergies_on_record(paper: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the recorded allergies, the reactions of notes and history, then that there is none, then the kin's."""
    facts = tuple(paper)
    listed = [fact for fact in facts if fact.told is FactKind.ALLERGY]
    none = [fact for fact in listed if states_none(fact)]
    told = [fact for fact in facts if fact.told in _READ and reacted_to(_text(fact))]
    own = (fact for fact in told if not of_another(fact))
    return (*(fact for fact in listed if fact not in none), *own, *none, *filter(of_another, told))


def of_another(fact: Fact) -> bool:
    """Tell whether an entry of notes or history is somebody else's: a relative's, another bed's."""
    return fact.told in _READ and is_of_another(_text(fact))


def states_none(fact: Fact) -> bool:
    """Tell whether an entry of the list of allergies says that there is none, and names no exception."""
    return fact.told is FactKind.ALLERGY and _NONE.match(fact.rests_on[0]) is not None


def allergies_for_page(paper: Iterable[Fact]) -> tuple[Sentence, ...]:
    """Return all that is on record of allergies, as the page shows it."""
    recorded = allergies_on_record(paper)
    texts = [
        fact.rests_on[0].removeprefix("allergy: ") if states_none(fact) else fact.rests_on[0]
        for fact in recorded
    ]
    noted = (
        Sentence(f"{upper_first(text.rstrip('. '))}.", fact.source)
        for text, fact in zip(texts, recorded, strict=True)
    )
    return tuple(noted)


def bans_on_record(paper: Iterable[Fact]) -> tuple[Ban, ...]:
    """Return what the record forbids: its allergies, then what notes and history say outright."""
    facts = tuple(paper)
    listed = [fact for fact in facts if fact.told is FactKind.ALLERGY and not states_none(fact)]
    read = [ban for fact in facts if fact.told in _READ for ban in _bans_in(fact)]
    read.sort(key=lambda ban: not reacted_to(ban.of))
    return (*(Ban(fact.rests_on[0], fact.source, is_told(fact.rests_on[0])) for fact in listed), *read)


def restraining_on_record(paper: Iterable[Fact], bans: Sequence[Ban]) -> tuple[tuple[str, str], ...]:
    """Return each other entry of the record that may forbid or warn, with its source."""
    known = {ban.of for ban in bans}
    return tuple(
        (upper_first(text), fact.source)
        for fact in paper
        if fact.told in _READ
        for text in (_text(fact),)
        if text not in known and not _denies(text) and (_restrains(text, fact) or _NOT_FOR.search(text))
    )


def _restrains(text: str, fact: Fact) -> bool:
    """Tell whether an entry may restrain; what is noted beside a drug, only where it says so of the drug itself."""
    if fact.told is not FactKind.MEDICINE or reacted_to(text):
        return restrains(_said(text))
    drug, _, note = text.partition(": ")
    return REFUSES.match(note) is not None or bars(f"{drug} {note}") or prohibits(text)


def _text(fact: Fact) -> str:
    """Return an entry as a sentence; of a drug what is noted beside it, "" for nothing."""
    if fact.told is not FactKind.MEDICINE:
        return fact.rests_on[0]
    note = fact.rests_on[0].partition("; ")[2]
    return f"{fact.name}: {note}" if note else ""


def _said(text: str) -> SaidView:
    return SaidView(agent_id="", text=text, at=(0, 0, 0))


def _denies(text: str) -> bool:
    return ALLERGY.search(text) is not None and not reacted_to(text)


def _bans_in(fact: Fact) -> list[Ban]:
    text = _text(fact)
    if not text or _denies(text) or is_of_another(text):
        return []
    whole = Ban(upper_first(text.rstrip(". ")), fact.source, is_told(text), text)
    if reacted_to(text):
        return [whole]
    if fact.told is FactKind.MEDICINE:
        return [whole] if prohibits(text) else []
    single = _NO.match(text) and drugs_named(text) & drug_names()
    if single or (fact.told is not FactKind.NOTE and (_NO.match(text) or not prohibits(text))):
        return []
    outright = bans_of(_said(text), Names({})) or bars(text)
    given = names_given(text) or doings(text)  # "avoid eye contact" is no ban on anything
    return [whole] if _NOT_FOR.search(text) or (outright and given) else []
