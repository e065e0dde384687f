"""Sentences from facts: the topic as understood first, short sentences, each with its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.dialogue.facts import PAPER, Fact, FactKind
from agents.dialogue.ground import ungrounded
from agents.dialogue.look_up import FactGroup
from agents.dialogue.values import Sentence
from exaim_core.text.names import number_word
from exaim_core.text.wording import key_words, upper_first, word_count

MOST_SENTENCES: Final = 6
_NEW: Final = 0.34  # of a further sentence's telling words are not in those before it
MOST_OF_ONE: Final = 45  # words of one sentence, 17 s: a longer one is for the page
_SAYS: Final = re.compile(r"(?:On [^:]{1,80}: )?(?P<who>[^:]{2,60}) says: ")
_AND: Final = "And:"  # what the speaker before is quoted with, too
NO_ORDERS: Final = "I can't give orders and have passed nothing on."
NOT_KNOWN: Final = "I can't tell what has been ordered or given."
NOT_KNOWN_TOLD: Final = "I can't tell who has been told, asked or called."
SAY_AGAIN: Final = "I did not understand that. Ask me about this case."
SMALL_TALK: Final = "I answer questions about this case."
NEAREST: Final = "I have nothing in those words, which is not a no; the nearest:"
THAT: Final = "that"  # the opening of what is about no topic with a name
NO_MORE: Final = "That is all I have on that."
OURS: Final = "EXAIM Voice"


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """One sentence to be: its fact, the opening if it is the first of its group that holds, its wordings."""

    group: int
    opening: str
    fact: Fact
    wordings: tuple[tuple[str, bool], ...]  # (words, whether they need the opening's name)
    beside: bool = False  # it is told only where the first one is
    nearest: bool = False  # `NEAREST` opens it


def slots(groups: Sequence[FactGroup]) -> tuple[SentencePlan, ...]:
    """Return the sentences that may be said, in order, each in its wordings from full to bare."""
    made: list[SentencePlan] = []
    for number, group in enumerate(groups):
        label = group.topic.label if group.topic else ""
        facts = _newest_first(group.facts)
        for k, fact in enumerate(facts):
            wordings = [(said, False) for said in fact.said]
            if fact.bare and label == fact.name:
                wordings = [(said, True) for said in fact.bare] + wordings
            before = facts[k - 1] if k and facts[k - 1].told in PAPER else None
            same = before is not None and before.name == fact.name and fact.told is FactKind.LAB
            if before is not None and same and fact.at and fact.order < before.order:
                wordings = [(f"before that, {said.split(' has ', 1)[-1]}", False) for said in fact.said]
            elif k and fact.told is FactKind.IMAGING and facts[k - 1].name == fact.name:
                wordings = [(_without_verb(said), False) for said in (*fact.bare, *fact.said)]
            elif k and fact.told in PAPER and facts[k - 1].told in PAPER:
                wordings = [(_without_verb(said), needs) for said, needs in wordings] + wordings
            made.append(
                SentencePlan(number, group.opening, fact, tuple(wordings), group.beside, group.nearest)
            )
    return tuple(made)


def _newest_first(facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return facts with the values that one thing had on record newest first, in the places where they stand."""
    told = list(facts)
    for name in {fact.name for fact in facts if fact.told is FactKind.LAB}:
        places = [k for k, fact in enumerate(facts) if fact.told is FactKind.LAB and fact.name == name]
        ordered = sorted((facts[k] for k in places), key=lambda fact: -fact.order)
        for k, fact in zip(places, ordered, strict=True):
            told[k] = fact
    return told


def _without_verb(said: str) -> str:
    for verb in ("the case paper has ", "the case paper lists "):
        said = said.removeprefix(verb)
    return f"also {said}"


def grounded(
    made: Sequence[SentencePlan], room: int, *, together: bool = True, most: int = MOST_SENTENCES
) -> tuple[Sentence, ...]:
    """Return the sentences that hold and fit into `room` words, in order, `most` of them at most.

    Of a slot's wordings the first that holds and fits is taken; none: it is dropped whole. `together`: they are told
    one after another as they stand, and whoever is quoted twice running is named once.
    """
    said: list[Sentence] = []
    opened: set[str] = set()
    speaker = ""
    first = False
    for at, slot in enumerate(made):
        if len(said) == most:
            break
        if slot.beside and not first:
            continue
        is_opened = slot.beside or slot.opening in opened or (slot.nearest and slot.opening == THAT)
        sentence = _first_that_holds(slot, opened=is_opened, room=room, before=said, speaker=speaker)
        if sentence is not None:
            opened.add(slot.opening)
            first = first or at == 0
            if together:
                speaker = _speaker(sentence) or (speaker if sentence.startswith(_AND) else "")
            room -= word_count(sentence)
            said.append(Sentence(sentence, slot.fact.source))
    return tuple(said)


def _first_that_holds(
    slot: SentencePlan, *, opened: bool, room: int, before: Sequence[Sentence], speaker: str
) -> str | None:
    for words, needs_name in slot.wordings:
        if opened and needs_name:
            continue
        words = words.rstrip(".: ")
        stop = "" if words.endswith("?") else "."
        sentence = upper_first(words) + stop if opened else f"On {slot.opening}: {inside(words)}{stop}"
        told = _of_the_same(sentence, speaker)
        if word_count(told) > min(room, MOST_OF_ONE) or not _adds(words, slot.fact, before):
            continue
        if ungrounded(sentence, slot.fact) is None:
            return told
    return None


def named_once(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return sentences that are told one after another: whoever is quoted twice running is named once."""
    told: list[Sentence] = []
    speaker = ""
    for one in sentences:
        told.append(Sentence(_of_the_same(one.text, speaker), one.source))
        speaker = _speaker(one.text)
    return tuple(told)


def unopened(text: str) -> str:
    """Return a sentence without the opening that the first of an answer has."""
    opened = re.match(r"On [^:]{1,80}: ", text)
    return upper_first(text[opened.end() :]) if opened else text


def without_speaker(sentence: str) -> str:
    """Return what a sentence quotes, or all of it where it quotes nobody."""
    quotes = _SAYS.match(sentence)
    return sentence[quotes.end() :] if quotes else sentence.removeprefix(f"{_AND} ")


def inside(words: str) -> str:
    """Return a sentence's words after a colon: a capital stays with names and short forms only."""
    named = words.startswith("Doctor ") or words[1:2].isupper()  # "MED says"
    return words if named else words[:1].lower() + words[1:]


def _speaker(sentence: str) -> str:
    """Return whose words a sentence quotes, in small letters; "" where it quotes nobody's."""
    quotes = _SAYS.match(sentence)
    return quotes["who"].lower() if quotes else ""


def _of_the_same(sentence: str, speaker: str) -> str:
    """Return a sentence without its speaker's name where it goes on with what the same speaker said."""
    quotes = _SAYS.match(sentence)
    if quotes is None or not speaker or _speaker(sentence) != speaker or sentence.startswith("On "):
        return sentence
    return f"{_AND} {sentence[quotes.end() :]}"


def _adds(words: str, fact: Fact, before: Sequence[Sentence]) -> bool:
    if not before:
        return True
    if fact.told in PAPER:
        return f"{words}.".lower() not in {unopened(sentence.text).lower() for sentence in before}
    known = {word for sentence in before for word in key_words(sentence.text)}
    own = set(key_words(words)) - {"doctor", "says", "recomm", "cautio"}
    if not set(key_words(without_speaker(words))):  # "no DOACs": short words alone tell it
        return without_speaker(words).lower() not in " ".join(sentence.text for sentence in before).lower()
    return len(own - known) >= _NEW * max(1, len(own))


def absent(name: str) -> str:
    """Return the sentence for somebody who has not spoken: nobody's view is told for his."""
    return f"{upper_first(name)} has not spoken here so far."


def nothing_on(label: str | None) -> str:
    """Return the sentence for nothing found; `label` only for a clinical term that we know."""
    return f"I have nothing on {label or 'that'}; that is not a no."


def on_the_page(more: int) -> str:
    """Return the sentence that says how many more are on the page."""
    return f"And {number_word(more)} more on the page."
