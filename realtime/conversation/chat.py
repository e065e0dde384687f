"""Read typed words, from the page's box or the room's chat, as a command or a question. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from realtime.ears import TurnMetadata
from realtime.interruption import (
    Context,
    Effect,
    Kind,
    asks_inside,
    classify_with_prosody,
    is_drug,
    lexicon,
    order_may_be_asked,
    words_of,
)

_TYPED: Final = TurnMetadata(
    turn=1,
    began_s=0.0,
    ended_s=2.0,
    duration_ms=2_000,  # long enough that no word counts as heard badly
    word_count=0,
    had_eager_eot=False,
    had_turn_resumed=False,
    confidence=1.0,
    word=None,
    word_confidence=0.0,
    trigger="silence",
)
_MARK: Final = re.compile("[?？؟]")
_BINDS: Final = frozenset({Effect.SEND_TO_TEAM, Effect.CONFIRM_WRONG_CASE, Effect.APPROVE})
_SILENCES: Final = frozenset({Effect.QUIET, Effect.WAIT, Effect.SKIP})
_LOOKS_UP: Final = frozenset("check show tell".split())
_HANDS: Final = frozenset("get give repeat".split())  # what is given is no look-up, what is read off is one
_VALUES: Final = frozenset("value values level levels result results".split())
_KEPT_BY_PAGE: Final = frozenset("allergy allergies".split()) | _VALUES
_ALSO_GIVEN: Final = frozenset("potassium calcium magnesium glucose bicarbonate iron".split())
"""Drugs by name, and values of the blood."""
_AROUND: Final = " .,;!?？؟\"'“”"
_ONE: Final = frozenset({"a", "an"})  # "get a potassium": a new one


@dataclass(frozen=True, slots=True)
class TypedMeaning:
    """The effect of typed words, and their question if they ask."""

    effect: Effect
    question: str
    may_order: bool = False  # answered, though without a question mark they may have been meant as an order


def meaning_of(text: str, context: Context) -> TypedMeaning:
    """Return the effect of the words as if spoken to us; words that would not be for us are a question.

    A question sends, confirms and silences nothing, except a polite command ("can you stop?"). A question that
    reads as an order is answered, since it was typed into a box for questions ("stop metformin or not").
    """
    verdict = classify_with_prosody(text, _TYPED, context)
    match verdict.effect:
        case effect if effect in _BINDS:
            asks = _marked(text)
        case effect if effect in _SILENCES:
            asks = _asks(text) and not _polite(text) and not _goes_on_with(effect, text, context)
        case Effect.REFUSE_ORDER:
            return _of_an_order(text, context.case_words)
        case _:
            asks = verdict.kind is Kind.IGNORE
    return TypedMeaning(Effect.ANSWER if asks else verdict.effect, text)


def _of_an_order(text: str, case_words: frozenset[str]) -> TypedMeaning:
    """Return the meaning of typed words that would be an order if spoken."""
    words = tuple(word for word in words_of(text) if word != "please")
    looks_up = _looks_up(words, case_words)
    ends_asking = not lexicon().words["question_words"].isdisjoint(words[-1:])
    put = "or" in words or ends_asking or asks_inside(words_of(text))
    if not (_marked(text) or put or looks_up or order_may_be_asked(text, case_words)):
        return TypedMeaning(Effect.REFUSE_ORDER, text)
    question = " ".join(words[1:]) if looks_up else text.strip(_AROUND)
    return TypedMeaning(Effect.ANSWER, f"{question}?", may_order=not _marked(text))


def _marked(text: str) -> bool:
    return bool(_MARK.search(text))


def _asks(text: str) -> bool:
    return _marked(text) or not lexicon().words["question_words"].isdisjoint(words_of(text)[:1])


def _polite(text: str) -> bool:
    words, frames = words_of(text), lexicon().phrases["frame"]
    return "please" in words or frames.at(words) > 0


def _goes_on_with(effect: Effect, text: str, context: Context) -> bool:
    """Return whether the command follows the last question mark: "what? Stop"."""
    *asked, rest = _MARK.split(text)
    return bool(asked) and classify_with_prosody(rest, _TYPED, context).effect is effect


def _looks_up(words: tuple[str, ...], case_words: frozenset[str]) -> bool:
    """Return whether the words look up what the page has: "check allergies", "give potassium values"."""
    known = lexicon().words
    verb, rest = words[0] if words else "", words[1:]
    around = known["determiners"] - _VALUES
    named = [word for word in rest if word not in around]
    if verb not in _LOOKS_UP | _HANDS or not named or not _ONE.isdisjoint(rest):
        return False
    has = _KEPT_BY_PAGE | known["tests"] | case_words
    if not all(word in has or is_drug(word) for word in named):
        return False
    return (
        verb in _LOOKS_UP or not _VALUES.isdisjoint(named) or not any(_is_given(verb, word) for word in named)
    )


def _is_given(verb: str, word: str) -> bool:
    return is_drug(word) and (verb == "give" or word not in _ALSO_GIVEN)
