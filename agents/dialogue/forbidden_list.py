"""The answer to what must not be given: the bans in force, then what orders not to, and the rest for the page."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agents.dialogue.compose import on_the_page
from agents.dialogue.facts import Fact
from agents.dialogue.forbids import doings, forbids
from agents.dialogue.given import ALLERGY, denies_allergy, looks_allergic, names_given, reacted_to
from agents.dialogue.headings import without_bare_heading
from agents.dialogue.on_record import bans_on_record, restraining_on_record
from agents.dialogue.restraints import (
    bars,
    counted,
    orders_not_to,
    refused,
    restrained_likewise,
    restrains,
    restrains_before,
)
from agents.dialogue.safety import Ban, in_force, leaves_free
from agents.dialogue.segments import is_interjection
from agents.dialogue.stops import asked_for
from agents.dialogue.values import Sentence
from exaim_core.board.shown import BoardView, SaidView
from exaim_core.claims.consensus import about_the_debate
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.prose import is_undecided
from exaim_core.patient.conflicts import corrected
from exaim_core.text.names import Names
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import lower_first, upper_first, word_count

_FEW: Final = 8  # words
_EXCEPT: Final = re.compile(r"\W*(?:except|apart|other than|but|only|just|bar)\b", re.IGNORECASE)
OPENING: Final = "On what must not be given: "
MOST_WORDS: Final = 80  # 30 s: whoever asks for all of it wants to hear it


def listed(
    view: BoardView, paper: Sequence[Fact], *, most: int = MOST_WORDS
) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Return all that must not be given: sentences of at most `most` words, and those for the page.

    Said are the bans, then, as their speakers' words, what orders not to do something else. What does not fit is on
    the page, and so is each other sentence in force that may forbid or warn, whole and as it was said. Where nothing
    forbids outright the newest of those is said.
    """
    recorded = bans_on_record(paper)
    bans = in_force(view, recorded)
    names = Names(view.names)
    others = list(_other(view, bans))
    others.sort(key=lambda one: (_allows(one) or gives(one), not _forbids(one)))
    quotes = _told_too(others, frozenset(name for ban in bans for name in ban.names))
    if not bans and not quotes:
        quotes = [one for one in others if not leaves_free(one.text)][:1]
    said = [Sentence(f"{upper_first(ban.text)}.", ban.source) for ban in bans]
    said += [_of_speaker(one, names) for one in quotes]
    noted = [
        Sentence(_with_one_full_stop(text), source) for text, source in restraining_on_record(paper, bans)
    ]
    told, left = _fitting(said or noted[:1], most)
    if told:
        told[0] = Sentence(f"{OPENING}{lower_first(told[0].text)}", told[0].source)
    page = [quoted(one, names) for one in others if one not in quotes]
    page += noted if said else noted[1:]
    return tuple(told), (*left, *page)


# Words that hold, stop or leave out what they stand beside.
_HOLDS: Final = re.compile(
    r"\b(?:hold|held|stop\w*|avoid\w*|withh\w+|omit\w*|skip|leave out|never|unless|until|only (?:if|after|for|when|once))\b",
    re.IGNORECASE,
)


def _forbids(one: SaidView) -> bool:
    return prohibits(one.text) or forbids(one.text, one.under) or bars(one.text) or orders_not_to(one.text)


def _allows(one: SaidView) -> bool:
    """Tell whether a sentence says no "no" to what may be given: it puts a number right, or leaves open."""
    if _forbids(one) or reacted_to(one.text, one.under):
        return corrected(one.text) is not None and not (names_given(one.text) or doings(one.text))
    return corrected(one.text) is not None or is_undecided(one.text)


def gives(one: SaidView) -> bool:
    """Tell whether a sentence asks for a dose and holds nothing back: it comes last, a ban may hide in it."""
    return bool(asked_for(one.text) and quantities(one.text)) and not _HOLDS.search(one.text)


def _told_too(others: Sequence[SaidView], known: frozenset[str]) -> list[SaidView]:
    """Return what names a thing that no ban names: orders not to give or do it, then what bars it otherwise."""
    chosen: list[SaidView] = []
    for may in (orders_not_to, bars):
        for one in others:
            new = (names_given(one.text) | doings(one.text)) - known
            if new and may(one.text) and not (about_the_debate(one.text) or leaves_free(one.text)):
                known |= new
                chosen.append(one)
    return chosen


def _of_speaker(one: SaidView, names: Names) -> Sentence:
    who = names(one.agent_id)
    return Sentence(f"{who} says: {lower_first(_with_one_full_stop(one.text))}", f"{who}, turn {one.at[0]}")


def quoted(one: SaidView, names: Names) -> Sentence:
    """Return a sentence as it was said, behind the heading that it stood under, with its holder."""
    heading = one.under.split("; ")[-1]
    said = without_bare_heading(one.text)
    text = f"{heading}: {said}" if heading and ": " not in said else said
    return Sentence(upper_first(_with_one_full_stop(text)), f"{names(one.agent_id)}, turn {one.at[0]}")


def allergies_quoted(view: BoardView) -> tuple[Sentence, ...]:
    """Return each sentence in force that is of an allergy or looks so, the newest first, with what goes with it.

    That is the short one that follows, and one beside it in its turn that names what is given: on the page a name too
    many is better than one too few.
    """
    names = Names(view.names)
    found = [
        one
        for at, one in enumerate(view.said)
        if not one.past
        and (_of_allergy(one) or _adds_to_allergy(view.said, at) or _beside_allergy(view.said, at))
    ]
    return tuple(quoted(one, names) for one in reversed(found))


def _adds_to_allergy(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether a sentence goes on with an allergy in a few words: "Also nickel.", "His is ciprofloxacin."."""
    one, before = said[at], said[at - 1] if at else None
    if before is None or word_count(one.text) > _FEW or one.text.endswith("?"):
        return False
    if before.in_turn != one.in_turn and not (before.text.endswith("?") or names_given(one.text)):
        return False  # somebody else goes on, with something else
    return _speaks_of_allergy(before) or (denies_allergy(before.text) and _EXCEPT.match(one.text) is not None)


def _speaks_of_allergy(one: SaidView) -> bool:
    """Tell whether a sentence is of an allergy or asks for one; what denies all of them is of none."""
    return _of_allergy(one) or (ALLERGY.search(one.text) is not None and not denies_allergy(one.text))


def _of_allergy(one: SaidView) -> bool:
    return reacted_to(one.text, one.under) or looks_allergic(one.text)


def _beside_allergy(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether a sentence names what is given right beside one that speaks of an allergy, in one turn."""
    one = said[at]
    if one.text.endswith("?") or not names_given(one.text):
        return False
    near = (said[k] for k in (at - 1, at + 1) if 0 <= k < len(said))
    return any(other.in_turn == one.in_turn and _speaks_of_allergy(other) for other in near)


def _other(view: BoardView, bans: Sequence[Ban]) -> Iterator[SaidView]:
    """Give each sentence in force that may restrain and is of no ban, the newest first, each once."""
    known = {ban.of for ban in bans}
    for at in range(len(view.said) - 1, -1, -1):
        one = view.said[at]
        if one.text in known:
            continue
        if (
            is_interjection(one.text)
            and at
            and one.in_turn != view.said[at - 1].in_turn
            and prohibits(view.said[at - 1].text)
        ):
            continue  # "Stop." behind what forbids already adds nothing to it
        named = counted(view.said, at) or refused(view.said, at)
        if named is None and (restrained_likewise(view.said, at) or restrains_before(view.said, at)):
            named = view.said[at - 1]
        if named is not None:
            # What refuses a thing itself is told behind that, too: "Amiodarone?" "Never. Nor aspirin."
            if refused(view.said, view.said.index(named)) is None:
                known.add(named.text)
            words = one.text.lstrip("> ")
            if named.agent_id != one.agent_id:
                words = f"{Names(view.names)(one.agent_id)}: {words}"  # each with its own speaker
            both = f"{_with_one_full_stop(named.text.lstrip('> '))} {words}"
            yield one.model_copy(update={"text": both, "agent_id": named.agent_id})
        elif restrains(one):
            known.add(one.text)
            yield one


def _fitting(sentences: Sequence[Sentence], most: int) -> tuple[list[Sentence], list[Sentence]]:
    """Return those of `sentences` that fit, in their order, with the opening and what counts the rest; and the rest."""
    room = most - word_count(on_the_page(1)) - word_count(OPENING)
    told: list[Sentence] = []
    left: list[Sentence] = []
    for sentence in sentences:
        length = word_count(sentence.text)
        (told if length <= room else left).append(sentence)
        room -= length if length <= room else 0
    return told, left


def _with_one_full_stop(text: str) -> str:
    return text if text.endswith("?") else f"{text.rstrip('.: ')}."
