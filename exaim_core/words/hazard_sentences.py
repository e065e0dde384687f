"""Sentences about an order that meets a hazard: whose words, and how few of them, are enough to hear both.

Of a list only the item that matters is told, if each item is plain: a drug with its dose, a value with its name, or a
word for a state. Whatever else stands in a list may say whose the items are, or when. What is akin to the drug that is
met is never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from exaim_core.board.changes import Change
from exaim_core.claims.claims import Claim
from exaim_core.claims.finding import Critical
from exaim_core.patient.treatments import TreatmentMention, groups_named, treatments_named
from exaim_core.text.boundaries import sentences, stopped
from exaim_core.text.names import Names, inner
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import lower_first, series, upper_first, word_count

_FORMS: Final = lexicon("words/hazard_sentences")
MOST_SAID: Final = 22  # words about what an order meets
MOST_OF_BOTH: Final = 14  # words of an alarm in which both are quoted; else the drug is only named
MOST_BEFORE: Final = 12  # characters before a drug that opens an item: "oral ", "the "


def met(change: Change, found: Critical, names: Names) -> Iterator[str]:
    """Say an order and the hazard that it meets, in the agents' own words; nothing is concluded."""
    claim, who, drugs = change.claim, inner(names(change.agent_id)), series(found.orders)
    if not found.by:
        runs = f"{drugs} is charted or running, says {who}"
        asks = runs if found.running else f"{who} asks for {drugs}"
        yield f"Critical, check: {asks}; the record says {found.against}."
        return
    for fact in claim.rests_on:
        text = claim.text.removesuffix(fact.text)
        words, said_by = whole_part(fact.text, found.against), inner(names(fact.agent_id))
        if words and fact.text in text and words == fact.text.strip(" .;!,"):
            yield f"Check, {who}: {lower_first(words)}."
        elif words:
            by = "Also" if fact.agent_id == claim.agent_id else upper_first(said_by)
            if whole := _with_its_kin(text, found, fact.text):
                yield f"Check, {who}: {lower_first(whole)}. {by}: {lower_first(words)}."
            both = f"Check, {who}: {lower_first(asked(text, found.order))}. {by}: {lower_first(words)}."
            if not found.also and word_count(both) <= MOST_OF_BOTH:
                yield both
            yield f"Check, {drugs}. {upper_first(said_by)}: {lower_first(words)}."
    for fact in claim.rests_on:  # none of their words fit: name the order and the hazard
        why = "the allergy" if found.key.startswith("allergy:") else found.against
        yield f"Check on the page: {drugs}, from {who}, and {why}, from {inner(names(fact.agent_id))}."


def leaves_out(alarm: Claim) -> bool:
    """Return whether the alarm of an order tells only some of the drugs that its sentence names."""
    found = alarm.critical
    if found is None or not found.order or not found.by:
        return False
    texts = [(alarm.text.removesuffix(fact.text), fact.text) for fact in alarm.rests_on]
    return any(_others(text, found) and not _with_its_kin(text, found, fact) for text, fact in texts)


def _with_its_kin(text: str, found: Critical, fact: str) -> str:
    """Return the whole order if it names a drug besides that is akin to one that is met or one in the `fact`; else "".

    "Flush with heparin and give dalteparin": nobody knows that the one is harmless if the other is not.
    """
    akin = groups_named(*found.orders, fact)
    whole = text.strip(" .;!,") if any(each.groups & akin for each in _others(text, found)) else ""
    return whole if word_count(whole) <= MOST_SAID else ""


def _others(text: str, found: Critical) -> list[TreatmentMention]:
    named = {each.lower() for each in (*found.orders, found.against)}
    return [each for each in treatments_named(text) if each.word.lower() not in named]


def asked(text: str, order: str) -> str:
    """Return the sentence of `text` that names the order, of a plain list its item; else all of it."""
    part = next((each for each in sentences(text) if order.lower() in each.lower()), text).rstrip(".;! ")
    return item_of(part, (order,)) or part


def whole_part(text: str, words: str) -> str:
    """Return the item of a plain list with `words`, or `text` or its sentence with them if short enough; else "".

    A part without `words` is about something else, and nobody could hear in it what is met. For a value its number
    alone is looked for: there may be more between it and its name. But for plain lists nothing is cut at a comma: what
    stands after it may say whose or when it is.
    """
    looked_for = (words.lower(), words.lower().split(" ", 1)[-1])
    named = [part for part in (text, *stopped(text)) if any(each in part.lower() for each in looked_for)]
    items = [item for part in named if (item := item_of(part.strip(" .;!,"), looked_for[:1]))]
    return next((part.strip(" .;!,") for part in (*items, *named) if word_count(part) <= MOST_SAID), "")


def item_of(text: str, words: tuple[str, ...]) -> str:
    """Return the item of a plain list that has one of `words`; "" if the list is not plain, or is no list."""
    label = _FORMS["label"].match(text)
    separator = "between_parts" if re.search(r";\s", text) else "between_items"
    items = _FORMS[separator].split(text[label.end() if label else 0 :])
    found = next((item for item in items if any(each.lower() in item.lower() for each in words)), "")
    by_parts = separator == "between_parts"
    plain = len(items) > 1 and all(_is_plain(item, by_parts) or _is_only(item, words) for item in items)
    return found.strip(" .;!,") if plain else ""


def _is_only(item: str, words: tuple[str, ...]) -> bool:
    """Return whether an item is what is looked for, and a remark in brackets at most."""
    return re.sub(r"\s*\([^()]*\)\s*\Z", "", item).strip().lower() in {each.lower() for each in words}


def _is_plain(item: str, is_part: bool) -> bool:
    """Return whether an item names a drug, a value or a state, and nothing else.

    `is_part`: semicolons part it from the others, so what stands behind its drug is its own.
    """
    drugs = treatments_named(item)
    if drugs and drugs[0].start <= MOST_BEFORE and not drugs[1:]:
        rest = item[: drugs[0].start] + item[drugs[0].end :]
        own = is_part and _FORMS["of_all"].search(rest) is None
        return own or _FORMS["dose"].fullmatch(rest) is not None
    return any(_FORMS[form].fullmatch(item.strip()) for form in ("value", "state"))
