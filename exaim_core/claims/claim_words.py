"""Make a claim of a sentence; find the words that name a diagnosis, and an order's condition."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon import phrases
from exaim_core.lexicon.brevity import binds
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import (
    may_be_named,
    names_condition,
    names_measure,
    names_test,
    states_condition,
)
from exaim_core.lexicon.terms import LEADING_WORDS, MAX_TERM_WORDS, mostly_term, names_a_view, sentence_like
from exaim_core.text.assertion import NOT_OURS, Status, statuses_at, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify_label
from exaim_core.text.units import Sentence
from exaim_core.text.wording import key_words, word_count


def claim_of(agent_id: str, kind: Kind, unit: Sentence, **facts: object) -> Claim:
    """Return a claim that is the whole sentence; `facts` are further fields of `Claim`."""
    base = Claim(agent_id, kind, "", unit.full, unit.source, label=unit.item or "", under=unit.section)
    return replace(base, **facts)  # type: ignore[arg-type]


_FORMS: Final = lexicon("claims/claim_words")
_AND: Final = re.compile(r"\A(?:and|but|so)\s+", re.IGNORECASE)
_WHY: Final = re.compile(r"\s+(?:given|because|since|on|by|and|but|although|secondary to)\s+")
_NOT_HELD: Final = NOT_OURS | {Status.CONDITIONAL, Status.NEGATED}
"""How a view must not be meant to count as held.

A doubt is not in the set: it stays with what it is about ("…, probably type A"), and grounding sees to it.
"""


def labelled_view(text: str) -> str | None:
    """Return the view that a sentence names next to a label, as a label would; None for none.

    The name stands behind its label or before it: "My leading diagnosis is gout", "Gout remains the most likely
    diagnosis". Before the two only words may stand that are known to keep the view the speaker's own: "I think
    that", "Given the details,". A sentence that denies, asks, supposes or reports another's view names none.
    """
    led_in = _FORMS["led_in"].match(text)
    begins = led_in.end() if led_in is not None else 0
    for form in ("named_behind", "named_before"):
        found = _FORMS[form].match(text, begins)
        if found is not None:
            return None if statuses_at(text, *found.span()) & _NOT_HELD else _view(found["view"])
    return None


def plain_view(text: str) -> str | None:
    """Return the view that a sentence states outright without a label; None for none.

    "I favour gout over sepsis", "This is a myasthenic crisis set off by sepsis". Not a view that is only thought
    possible, asked, denied, supposed, turned round by a "but", or about another bed or another film, nor one that is
    "also" so.
    """
    led_in = _FORMS["led_in"].match(text)
    found = _FORMS["plain"].match(text, led_in.end() if led_in is not None else 0) or _FORMS["plain"].match(
        text
    )
    if found is None or _FORMS["no_view"].search(text):
        return None
    if statuses_at(text, *found.span("view")) & (_NOT_HELD | {Status.HEDGED, Status.PAST}):
        return None
    view = _view(found["view"])
    if view is None and (over := _OVER.match(text, found.end("view"))) is not None and _view(over["rival"]):
        view = found["view"].strip(" *")  # what is weighed against a condition is one
        fits = word_count(view) <= MOST_OF_A_NAME and may_be_named(view) and not drugs_named(view)
        acts = any(names_measure(each) or names_test(each) for each in (view, over["rival"]))
        return view if fits and not acts and _NO_NOUN.search(view) is None else None
    head = (view or "").split()[-1:]
    if view is None or not head or names_test(head[0]):
        return None
    names = names_condition(head[0]) or states_condition(head[0])  # "syndrome" names one behind a name
    return view if names and _NO_NOUN.search(head[0]) is None else None


MOST_OF_A_NAME: Final = 3  # words of a condition that no list has
_OVER: Final = re.compile(
    r"\s+(?:over|rather than) (?P<rival>[^.,;:()—–?]+?)(?=\s+(?:because|as|since|given|for|on|with)\b|[.,;:]|\Z)"
)


_NO_NOUN: Final = re.compile(r"(?<!\bble)(?:ed|ing)\Z", re.IGNORECASE)


def impression(unit: Sentence) -> str | None:
    """Return the view that stands outright and alone after "Impression:"; None for none."""
    label, _, view = unit.full.rstrip(" .").partition(": ")
    if not unit.opens or _IMPRESSION.fullmatch(label) is None:
        return None
    alone = 0 < word_count(view) <= MAX_TERM_WORDS and mostly_term(view) and names_a_view(view)
    unsure = _NOT_HELD | {Status.HEDGED, Status.PAST}
    if not alone or " or " in view or drugs_named(view) or statuses_at(view, 0, len(view)) & unsure:
        return None
    return view


_IMPRESSION: Final = re.compile(r"(?:clinical )?impression", re.IGNORECASE)


def _view(words: str) -> str | None:
    view = _AND.sub("", _WHY.split(words)[0].strip(" *"))
    named = word_count(view) <= MAX_TERM_WORDS and mostly_term(view) and names_condition(view)
    return view if named else None


def view_left(text: str, held: str | None) -> tuple[str, str] | None:
    """Return the words that deny the view `held` by the speaker, and the view after them ("" for none).

    If `held` is None, any denied view counts. None if the sentence denies none.
    The clause must say no more ("Not sepsis after all; adrenal crisis"): "not sepsis from the chest" denies none.
    """
    found = _FORMS["leaves"].match(text) if len(text) <= MOST_CHARS else None
    if found is None or text.rstrip().endswith("?") or Status.CONDITIONAL in statuses_at(text, *found.span()):
        return None
    if _QUOTED.search(text, found.end()):
        return None
    words = found["gone"] or found["out"]
    if held is not None:
        said, head = key_words(words), key_words(_PARTS.split(held)[0])
        if not said or not head or not set(said) <= set(head) or head[-1] not in said:
            return None
    return words, lone_view(_BEHIND.sub("", text[found.end() :], count=1)) or ""


def lone_view(text: str) -> str | None:
    """Return the diagnosis that `text` consists of, up to its first stop, if it is not denied; else None."""
    words = _STOPS.split(text.strip(" *"), maxsplit=1)[0].strip(" *")
    if (
        not 0 < len(words) <= MOST_CHARS
        or is_denied(words)
        or statuses_of(words, "")
        or drugs_named(words)
        or names_test(words)
    ):
        return None
    return _view(words)


def is_denied(name: str) -> bool:
    """Return whether the name of a view denies it: "sepsis excluded"."""
    return len(name) <= MOST_CHARS and _FORMS["leaves"].match(name) is not None


def view_conceded(text: str) -> str | None:
    """Return another's view that the speaker, after thinking again, calls right; None for none."""
    found = _FORMS["concedes"].match(text) if len(text) <= MOST_CHARS else None
    if found is None or statuses_at(text, *found.span()) & (_NOT_HELD | {Status.HEDGED}):
        return None
    return _view(found["view"])


MOST_CHARS: Final = 200  # characters of a sentence that changes a mind outright
_PARTS: Final = re.compile(r",|\b(?:with|due|secondary|from|of|in|on)\b")
_BEHIND: Final = re.compile(
    r"\A[\s.,;:()*–—-]+(?:(?:but|rather|so|and|now) )?(?:(?:it|this|that)(?: is|['’]s) )?"
)
_QUOTED: Final = re.compile(r"\b(?:say|says|said|saying|according|claims?|thinks?)\b", re.IGNORECASE)
"""Found after the denied words if somebody else denies them."""
_STOPS: Final = re.compile(r"[.,;:()—–]|\s-\s")


def bold_term(unit: Sentence) -> str | None:
    """Return the first bold diagnosis of a sentence; a label or a clause is none."""
    for bold in (bold.strip(" .") for bold in unit.bolds):
        named = classify_label(bold) is Section.OTHER and not sentence_like(bold)
        if named and word_count(bold) <= LEADING_WORDS and names_a_view(bold):
            return bold
    return None


SOON: Final = r"as soon as(?! (?:possible|practical|practicable|feasible|we can|you can))"
AWAITS: Final = re.compile(rf"(?:only )?(?:if|once|when|unless|{SOON})\b", re.IGNORECASE)
"""How an order opens that waits for something."""


def action_condition(unit: Sentence) -> str | None:
    """Return what an order waits for, as written; "" if it can't be said in short, None for nothing.

    "" also if the item says more that binds: "50 mg only if he arrests" is told whole, with its dose.
    """
    condition = condition_of(unit)
    if unit.item is None or not unit.opens:
        return condition
    if condition is None:
        return "" if _waits(unit.text) else None
    if not condition:
        return condition
    before, found, after = unit.text.partition(condition[1:])
    return "" if found and (binds(before[:-1]) or binds(after)) else condition


def condition_of(unit: Sentence) -> str | None:
    """Return the condition that a sentence names, as written; "" if it is too long, None for none."""
    if AWAITS.match(unit.text) or re.search(r"\bonly if\b", unit.text, re.IGNORECASE):
        return phrases.condition_in(unit.item or "", unit.text)
    waits = re.search(
        rf"(?:^|, )((?:once|unless|only when|only after|provided|{SOON})\b(?:[^,.;]|\.(?=\d))*)",
        unit.text,
        re.IGNORECASE,
    )
    return (waits[1].strip() if word_count(waits[1]) <= 9 else "") if waits and unit.item else None


def _waits(text: str) -> bool:
    """Return whether an item depends on a condition, and not only a later step of it."""
    for found in _FORMS["hangs_on"].finditer(text):
        before = text[: found.start()]
        if _FORMS["at_once"].search(before):
            return False
        if not _FORMS["another_step"].search(_CLAUSE.split(before)[-1]):
            return True
    return False


_CLAUSE: Final = re.compile(r"[,;:(]|\.(?=\s)|\s(?:and|but)(?=\s)", re.IGNORECASE)
