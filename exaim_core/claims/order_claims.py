"""Read what sentences ask to be done: orders with their doses, and the condition of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.claim_words import AWAITS, SOON, action_condition, claim_of
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.emergencies import emergency_in_words
from exaim_core.claims.meant import TITLES, carries, sense_of, under_plain_titles
from exaim_core.claims.quotes import quote_of
from exaim_core.claims.terse_orders import Reply, planned, terse
from exaim_core.claims.when_to_act import says_when_to_act
from exaim_core.claims.written_orders import written
from exaim_core.lexicon import prose, statements
from exaim_core.lexicon.bidding import bids
from exaim_core.lexicon.brevity import MOST_WORDS
from exaim_core.lexicon.drugs import DRUG, ORDER
from exaim_core.lexicon.named import labelled, names, points_outside
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.terms import DURATION, IMPERATIVE, USE
from exaim_core.text.assertion import NOT_OURS_NOW, Status, statuses_of
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import VIEWS, Section
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first, mid_sentence, word_count

MOST_STEP_WORDS: Final = 16
MOST_NAME_WORDS: Final = 16  # of a list item that names what is to be done; a longer one is a sentence


def actions(agent_id: str, unit: Sentence, opened: Sentence | None) -> list[Claim]:
    """Return what a sentence in a section of orders recommends; `opened` is the one that opened its line."""
    if unit.opens and unit.item and word_count(unit.item) <= MOST_NAME_WORDS:
        return [_of_item(agent_id, unit, unit.item)]
    text = unit.text
    doses = any(quantity.unit not in DURATION for quantity in quantities(text))
    if not (IMPERATIVE.search(text) or doses or _is_step(unit)):
        return []
    if (hangs := _hangs_on(agent_id, unit, opened)) is not None:
        return [hangs]
    entity = ""
    if (
        unit.bolds
        and text.startswith(unit.bolds[0])
        and not text[len(unit.bolds[0]) :].strip(" -–—:,.").startswith("only")
    ):
        entity = mid_sentence(unit.bolds[0])
    waits = re.search(rf"\b(?:only if|unless|{SOON})\b|^if\b", text, re.IGNORECASE)
    condition = "" if waits else None
    return [claim_of(agent_id, Kind.ACTION, unit, entity=entity, condition=condition)]


_NO_STEP: Final = NOT_OURS_NOW | {Status.NEGATED, Status.HEDGED}


def _is_step(unit: Sentence) -> bool:
    """Return whether `unit` is a step to do without a verb or a dose: "Intensive care now"."""
    short = unit.step and word_count(unit.text) <= MOST_STEP_WORDS
    return short and names(unit.text) and not statuses_of(unit.text, "") & _NO_STEP


def _of_item(agent_id: str, unit: Sentence, item: str) -> Claim:
    condition = action_condition(unit)
    return claim_of(agent_id, Kind.ACTION, unit, entity=mid_sentence(item), condition=condition, label=item)


def _hangs_on(agent_id: str, unit: Sentence, first: Sentence | None) -> Claim | None:
    """Return an order of a list item's later sentence together with the item, if it needs that.

    It does if the item itself has a condition, or if the sentence calls the item "it".
    """
    if unit.opens or first is None or not first.listed:
        return None
    conditional = re.search(r"\bonly (?:if|when|once|after)\b", first.full, re.IGNORECASE) or re.search(
        r"\b(?:if|once|unless)\b", first.item or "", re.IGNORECASE
    )
    if conditional is None and not points_outside(unit.text):
        return None
    name = first.full.rstrip(".") if conditional or not first.item else first.item
    hanging = conditional or re.search(r"\b(?:if|once|unless)\b", unit.text, re.IGNORECASE)
    source = first.source.to(unit.source)
    text = f"{name}: {lower_first(unit.text)}"
    return claim_of(
        agent_id,
        Kind.ACTION,
        unit,
        text=text,
        source=source,
        condition="" if hanging else None,
        label=first.item or "",
    )


def names_problem(text: str) -> bool:
    """Return whether a first priority is a measured value and no dose, so that what to do follows."""
    return any(q.unit for q in quantities(text)) and not prose.is_dose(text) and not is_act(text)


def is_act(text: str) -> bool:
    """Return whether `text` names something to do: it opens with a treatment or with a verb for one."""
    if text.endswith("?") or statements.is_family(text):
        return False
    opening = " ".join(text.split()[:4])
    return bool(
        DRUG.search(opening) or prose.THERAPY.match(opening) or USE.match(text) or ORDER.match(text)
    ) and not prose.is_reading(text)


def order(
    agent_id: str,
    unit: Sentence,
    replies: Reply = Reply.NONE,
    opened: Sentence | None = None,
    before: Sequence[Sentence] = (),
) -> list[Claim]:
    """Return `unit` as a recommendation if it asks for a treatment, to stop a drug, or bids something.

    `opened` is the sentence that opened its line, `before` are those before it in its turn; what `unit` replies to is
    `replies`.
    """
    read = _asked(agent_id, unit) or _bidden(agent_id, unit) or planned(agent_id, unit, opened)
    if read and all(each.entity or word_count(each.text) <= MOST_WORDS for each in read):
        return read
    if read:
        return written(agent_id, unit, before) or read
    if _is_urgent(agent_id, unit):
        return []
    return terse(agent_id, unit, replies) or written(agent_id, unit, before) or _when_to_act(agent_id, unit)


def _when_to_act(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return `unit` whole as an order if it says what is to be done in a case that may come, and names all of it."""
    if unit.row or unit.keyed or unit.section is Section.WITHDRAWN or points_outside(unit.full):
        return []
    if not says_when_to_act(unit.full):
        return []
    return [claim_of(agent_id, Kind.ACTION, unit, text=unit.full, condition="")]


def _asked(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return `unit` as a recommendation if it asks for a treatment with its dose, or to stop a drug."""
    if unit.section is Section.WITHDRAWN:
        return []
    if prose.only_if(unit.text) is not None:
        return [claim_of(agent_id, Kind.ACTION, unit, text=unit.text, condition="")]
    if prose.is_aim(unit.text):
        return [claim_of(agent_id, Kind.ACTION, unit, text=unit.text)]
    if prose.behind_condition(unit.text):
        return [claim_of(agent_id, Kind.ACTION, unit, text=unit.text, condition="")]
    if (bare := _bare_order(agent_id, unit)) is not None:
        return [bare]
    if not asks(unit.text) or not (prose.is_order(unit.text) or under_plain_titles(unit)):
        return []
    when = AWAITS.match(unit.text) or re.match(
        r"(?:only )?(?:should|suppos(?:e|ing)|in case|were)\b", unit.text, re.IGNORECASE
    )
    return [claim_of(agent_id, Kind.ACTION, unit, text=unit.text, condition="" if when else None)]


def _bidden(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return `unit` as an order if its grammar alone says so, for this patient and now.

    One that is quoted as urgent anyhow is none, nor is a cry for help, which is an alarm.
    """
    text = unit.text
    if not bids(text) or statuses_of(text, "") & _NO_STEP or statements.is_family(text):
        return []
    return [] if _is_urgent(agent_id, unit) else [claim_of(agent_id, Kind.ACTION, unit, text=text)]


def _is_urgent(agent_id: str, unit: Sentence) -> bool:
    """Return whether `unit` is quoted as urgent anyhow, or is an alarm as a cry for help."""
    quote = quote_of(agent_id, unit)
    return (quote is not None and quote.worth.presses) or bool(emergency_in_words(unit.text))


def asks(text: str) -> bool:
    """Return whether `text` asks for a treatment with its dose, or to stop a drug, with a verb or without."""
    return prose.is_order(text) or prose.is_terse_order(text)


_TO_DO: Final = re.compile(
    r"\b(?:plan|orders?|next steps?|to do|immediate(?:ly)?|now|today|prescri\w+)\b", re.IGNORECASE
)


_TO_START: Final = re.compile(
    r"\bprescriptions?\b|\bto (?:be )?(?:give|given|start|started|begin|add|prescribe)\b", re.IGNORECASE
)


def _of_things_to_do(unit: Sentence) -> bool:
    return unit.section is Section.ACTIONS or _TO_DO.search(unit.heading) is not None


def _bare_order(agent_id: str, unit: Sentence) -> Claim | None:
    """Return an order that is only a drug and its dose, as a list item or in bold; None for none.

    In a table's row it needs a heading of what is to be done: otherwise it is an option, or a reference.
    """
    if not unit.opens or prose.is_chart(unit.heading) or (unit.row and not _of_things_to_do(unit)):
        return None
    if unit.keyed and not (unit.step or under_plain_titles(unit) or _TO_START.search(unit.heading)):
        return None  # "patient": {"medications": […]} says what is taken, as far as anybody knows
    if unit.listed and unit.item:
        if not prose.is_dose(unit.item):
            text = unit.text.rstrip(".")
            if not prose.is_dose(text) or word_count(unit.item) > 2 or action_condition(unit) is not None:
                return None
            return claim_of(agent_id, Kind.ACTION, unit, entity=lower_first(text), label=unit.item)
        return _of_item(agent_id, unit, unit.item)
    name = unit.item or (unit.bolds[0] if unit.bolds and unit.text.startswith(unit.bolds[0]) else "")
    if not name or not prose.is_dose(re.sub(r",? only if\Z", "", name)):
        return None
    if re.search(rf"\b(?:only if|if|once|unless|when|{SOON})\b", unit.full):
        return claim_of(agent_id, Kind.ACTION, unit, condition="")
    return claim_of(agent_id, Kind.ACTION, unit, entity=mid_sentence(name), label=name)


def behind_its_label(unit: Sentence) -> Sentence:
    """Return an order or a ban without the label before it that says only that it is one: "Recommendation: give …"."""
    label, words = labelled(unit.text) if unit.item is None else (unit.item if unit.opens else "", unit.text)
    name = label.strip(" :")
    if not name or unit.keyed or unit.row or not (asks(words) or prohibits(words)):
        return unit
    if (sense_of(name) in TITLES or carries(name)) and under_plain_titles(unit):
        section = Section.ACTIONS if unit.section in VIEWS else unit.section
        return replace(unit, text=words, item=None, section=section)
    return unit
