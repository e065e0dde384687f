"""Put a sentence after the condition that it stands under: "If he deteriorates:" and a list of what to give then.

Without it an order would be told as one for now, and a limit under "Call me if:" as a value of the patient. A ban and
an alarm stand whatever they stand under.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from exaim_core.claims.critical import critical_findings
from exaim_core.claims.emergencies import CALL, emergency_in_words
from exaim_core.claims.meant import TITLES, carries, looks_ahead, sense_of
from exaim_core.claims.order_claims import asks, is_act
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.named import labelled
from exaim_core.lexicon.phrases import is_noise
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.prose import behind_condition, is_aim, is_dose, is_terse_order, waits
from exaim_core.text.keys import is_known
from exaim_core.text.places import Source
from exaim_core.text.units import Lead, Sentence
from exaim_core.text.wording import lower_first


def on_its_terms(unit: Sentence, before: Sequence[Sentence] = ()) -> Sentence:
    """Return an order behind the conditions that open the lines it is one of, and a value behind what looks ahead.

    So is a sentence that goes on with what stood under such a condition; `before` are those before it in its turn. Any
    other sentence is returned as it is.
    """
    if before and before[-1].line_no == unit.line_no and (joined := _going_on(unit, before[-1])) is not None:
        return joined
    above = _still_open(_keys_above(unit) if unit.keyed else unit.led_by)
    ahead = any(looks_ahead(each.text) for each in above) and not is_aim(unit.full)
    leads = [each for each in above if waits(each.text) or looks_ahead(each.text)]
    own = unit.item if unit.opens and unit.item and waits(unit.item) else ""
    if not (leads or own) or unit.row or unit.doubted:
        return unit
    label, behind = labelled(unit.full)
    name = label.strip(" :")
    words = behind if carries(name) or sense_of(name) in TITLES else unit.full
    asked = any(asks(each) or is_dose(each) for each in (words, behind)) or is_act(behind)
    if not (asked or ahead) or prohibits(words) or critical_findings(words, unit.section, unit.above):
        return unit
    opening = [each.text.rstrip(" :") for each in leads]
    text = ": ".join([*opening[:1], *map(lower_first, [*opening[1:], words])]) if opening else words
    source = reduce(Source.under, [each.source for each in reversed(leads)], unit.source)
    made = replace(unit, text=text, item=None, source=source)
    told = not is_noise(text) and not hangs(text)
    if ahead:  # a reader of values would leave the condition out
        return made if told and not any(waits(each) for each in opening) else replace(made, doubted=True)
    if told and behind_condition(text):
        return made
    return replace(made, doubted=True) if opens_conditionally(text) else unit


def _going_on(unit: Sentence, last: Sentence) -> Sentence | None:
    """Return `unit` behind the condition of the sentence before it on its line, if it only goes on with it.

    "If it must be a general: ketamine. Rocuronium 0.3 mg/kg." "Call me if: pulse over 130. And slurring, going drowsy."
    A drug before it that is not told alone is told with it. A sentence with a verb or a time of its own, a ban, a value
    and a call for help stand for themselves.
    """
    lead = next((match["lead"] for match in _LEADS.finditer(last.full) if _leads(match)), None)
    if lead is None or unit.opens or unit.keyed or unit.row or unit.doubted or prohibits(unit.full):
        return None
    text = f"{lead}: {lower_first(unit.full)}"
    made = replace(unit, text=text, item=None, source=last.source.to(unit.source))
    if looks_ahead(lead):
        calls = emergency_in_words(_AND.sub("", unit.full)) == CALL
        further = _FURTHER.match(unit.full) is not None and _OF_ITS_OWN.search(unit.full) is None
        text = f"{lead}: {_AND.sub('', unit.full)}"
        return replace(made, text=text, doubted=True) if further and not calls and _is_a_case(last) else None
    if _THEN.match(unit.full) and not _OF_ITS_OWN.search(unit.full) and emergency_in_words(unit.full) == CALL:
        return replace(made, doubted=True) if _is_a_case(last) else None
    terse = is_terse_order(unit.full) or is_dose(unit.full)
    if not terse or _OF_ITS_OWN.search(unit.full) or critical_findings(unit.full, unit.section, unit.above):
        return None
    if not (behind_condition(last.full) or prohibits(last.full)):  # it is not told alone
        text = f"{last.full.rstrip(' .')}; {lower_first(unit.full)}"
        if DRUG.match(last.full[len(lead) :].lstrip(" :")) is None:
            return None
    return replace(made, text=text) if behind_condition(text) and not hangs(text) else None


def _leads(found: re.Match[str]) -> bool:
    """Return whether the words before a colon, or up to an "if", open a case that may come."""
    if looks_ahead(found["lead"]):
        return True
    return found["colon"] is not None and waits(found["lead"])


def _is_a_case(last: Sentence) -> bool:
    """Return whether the "if" of a sentence sets a case that may come, and nothing behind it is said of now.

    "Call me if you can" and "if anyone's listening: airway" set none.
    """
    before, _, behind = last.full.partition(": ")
    said_of_now = _OF_ITS_OWN.search(behind) and not looks_ahead(before)  # "Call me if: he is blue." lists
    return not said_of_now and _ASKS_ONLY.search(before) is None


_ASKS_ONLY: Final = re.compile(
    r"\bif (?:you|I['’]?m|I am|any(?:one|body)|some(?:one|body)"
    r"|(?:not )?(?:already )?(?:done|needed|free|possible|able|around|sure)|unsure|in doubt)\b",
    re.IGNORECASE,
)
"""A condition of the one who is asked, and no case of the patient."""
_LEADS: Final = re.compile(r"\A(?P<lead>[^:.;]{2,80}?(?:\bif\b|(?=:)))(?P<colon>:(?= ))?", re.IGNORECASE)
_AND: Final = re.compile(r"\A(?:and|or|also|plus),? ", re.IGNORECASE)
_FURTHER: Final = re.compile(r"(?:and|or|also|plus),? (?:any |new |worse |more )*\w+ing\b", re.IGNORECASE)
_THEN: Final = re.compile(r"(?:and )?then,? ", re.IGNORECASE)
_OF_ITS_OWN: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|must|should|he|she|it|they|I|we|you|"
    r"now|already|today|tonight|still|again|please|meanwhile|regardless|anyway|either way|first)\b"
    r"|['’](?:s|re|ve|ll)\b|\d[\d.]*%|!",
    re.IGNORECASE,
)
"""A verb or a time that makes a sentence a statement of its own."""


def opens_conditionally(text: str) -> bool:
    """Return whether `text` begins with the word of a condition: "If needed: …"."""
    return _OPENS.match(text) is not None


_OPENS: Final = re.compile(
    r"(?:only )?(?:if|unless|in case|once|when(?:ever)?|should|as soon as)\b", re.IGNORECASE
)


def _still_open(leads: Sequence[Lead]) -> Sequence[Lead]:
    """Return the titles below the last one that is over what is to be done now, whatever the outer ones say."""
    closes = [at for at, each in enumerate(leads) if _FOR_NOW.fullmatch(each.text.strip(" :.*"))]
    return leads[closes[-1] + 1 :] if closes else leads


_FOR_NOW: Final = re.compile(
    r"(?:for |right )?now|today|(?:immediate|current) (?:orders?|actions?|steps?|plan|management|treatment)"
    r"|orders? now",
    re.IGNORECASE,
)


def _keys_above(unit: Sentence) -> list[Lead]:
    """Return the keys that a value of JSON stands under and that no table words: "if_he_deteriorates"."""
    return [Lead(key, unit.source) for key in unit.above if not is_known(key)]
