"""Read orders that are only a thing to do, with no verb: "CT angio now.", "Then vancomycin.", "Plan: primary PCI".

The thing alone says nothing: it may be a finding, a cause, or a drug that is taken. It is an order

* under a label or a heading that says that it is the plan, the next step or a recommendation;
* with a word that asks for it now or next ("now", "then", "instead", "within 24 hours");
* as a bare verb in reply ("Thrombolyse."), or as a dose in reply to words on a treatment ("Clopidogrel 300.");
* as a test or an act that is all the last sentence of a reply says ("CTPA.").

What answers a question is none of the last three: "What is she on?", "Apixaban.". What answers a question for what is
so, or goes on with what somebody took, is no order by a word for when either: "He was on ramipril. Now losartan.".
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from exaim_core.claims.claim_words import AWAITS, claim_of
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.meant import LabelSense, sense_of, under_plain_titles
from exaim_core.lexicon import prose, statements
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.kinds import names_measure, names_test, states_condition
from exaim_core.lexicon.named import labelled
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.terms import is_generic
from exaim_core.text.assertion import NOT_OURS_NOW, Status, statuses_of
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count


class Reply(Enum):
    """What a sentence replies to.

    Nothing or a question, a question for what is so, what somebody took or had long ago, another speaker's words, or
    such words on a treatment.
    """

    NONE = "none"
    FACT = "fact"
    ACCOUNT = "account"
    PLAIN = "plain"
    ON_TREATMENT = "on treatment"


ANSWERS: Final = frozenset({Reply.PLAIN, Reply.ON_TREATMENT})
MOST_OF_A_STEP: Final = 16  # words under a label
MOST_OF_A_THING: Final = 4  # words of what is to be done, without when and how much
_FORMS: Final = lexicon("claims/terse_orders")
_NO_STEP: Final = NOT_OURS_NOW | {Status.HEDGED}
_HEAD: Final = re.compile(r"[,;(]|\.(?=\s)|\s[-–—]\s")
_BARE_NUMBER: Final = re.compile(r"(?<![\w.,/])\d+(?![\w.,/]*\w|\s*%)")
_RESULT: Final = re.compile(
    r"\b(?:negative|positive|normal|clear|clean|unremarkable|unchanged|in situ)\W*\Z", re.IGNORECASE
)
_THEN: Final = re.compile(
    r"(?:\A|[\s,;]+)then\b", re.IGNORECASE
)  # "Amoxicillin then." may say when the rash came
_GOES_ON: Final = re.compile(r"\W*(?:and|or|nor|plus|also|same|with)\b", re.IGNORECASE)
_JOINS: Final = re.compile(
    r"(?:\W|\b(?:and|plus|with|iv|im|po|io|sc|oral|bolus|load|the|an?)\b)*", re.IGNORECASE
)


def planned(agent_id: str, unit: Sentence, opened: Sentence | None = None) -> list[Claim]:
    """Return `unit` as an order if its label or its heading says that it is one; told in its own words.

    Doses in a sentence behind it are under the label of the one that opened the line, `opened`.
    """
    title, words = _titled(unit)
    if not title and opened is not None and not unit.opens and prose.gives_doses(words):
        title = labelled(opened.text)[0]
    words = words.rstrip(" !")
    if sense_of(title) is not LabelSense.PLAN or not under_plain_titles(unit) or unit.row:
        return []
    head = _HEAD.split(words)[0]
    unfit = statuses_of(words, "") & _NO_STEP or Status.NEGATED in statuses_of(head, "") or prohibits(head)
    if unfit or word_count(words) > MOST_OF_A_STEP or words.endswith("?") or not _is_step(head):
        return []
    if _FORMS["open"].search(words) or prose.says_done(words) or is_generic(head):
        return []
    if _RESULT.search(head) is not None:
        return []
    if any(map(str.isdigit, head)) and analytes_named(head) and not prose.is_dose(head):
        return []
    if prose.is_reading(words) and not prose.gives_doses(head):
        return []
    waits = AWAITS.search(words) is not None or Status.CONDITIONAL in statuses_of(words, "")
    return [claim_of(agent_id, Kind.ACTION, unit, text=words, condition="" if waits else None)]


def _titled(unit: Sentence) -> tuple[str, str]:
    """Return the nearest label or heading over `unit`, and its words without it."""
    if unit.item is not None:
        return (unit.item, unit.text) if unit.opens else ("", unit.text)
    label, words = labelled(unit.text)
    if label and sense_of(label) is LabelSense.PLAN:
        return label, words
    if not unit.opens:
        return "", unit.text
    return (unit.heading or (unit.above[-1] if unit.above else "")), unit.text


def _is_step(words: str) -> bool:
    """Return whether `words` open with a drug and its dose, or name a test or an act."""
    if states_condition(words) and not names_measure(words):
        return False
    dosed = DRUG.search(words) is not None and any(each.unit for each in quantities(words))
    return dosed or prose.is_dose(words) or _names_step(words)


def _names_step(words: str) -> bool:
    return names_test(words) or names_measure(words) or _FORMS["thing"].search(words) is not None


def terse(agent_id: str, unit: Sentence, replies: Reply) -> list[Claim]:
    """Return `unit` as an order if it is a thing to do and a word for when, or in reply a dose or a verb."""
    if replies is Reply.FACT or not _may_be_one(unit):
        return []
    text = unit.text.strip(" .!*")
    rest, asks = _FORMS["when"].subn(" ", text)
    thing = _FORMS["lead"].sub("", rest).strip(" ,.;-–—")
    if _is_drug(thing):
        number = _BARE_NUMBER.search(thing) is not None
        asks = 0 if replies is Reply.ACCOUNT else asks - len(_THEN.findall(text, 1))
        dosed = number and replies is Reply.ON_TREATMENT
        fits = (asks > 0 or dosed) and not (number and analytes_named(thing))
    else:
        asks -= len(_THEN.findall(text)) if replies is Reply.ACCOUNT else 0
        verb = replies in ANSWERS and _FORMS["verb"].fullmatch(thing) is not None
        fits = verb or (asks > 0 and (is_thing(thing, "only") or is_thing(thing, "act")))
    return [claim_of(agent_id, Kind.ACTION, unit, text=unit.text.rstrip(" !"))] if fits else []


def is_thing(words: str, form: str = "only") -> bool:
    """Return whether `words` are only a test or an act of this form, and no finding."""
    words = words.strip(" .!*")
    short = 0 < word_count(words) <= MOST_OF_A_THING and not any(map(str.isdigit, words))
    return short and _FORMS[form].fullmatch(words) is not None and not states_condition(words)


def left_alone(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return the last sentence of a reply as an order if it is only a test or an act: "CTPA."."""
    alone = _may_be_one(unit) and is_thing(unit.text)
    return [claim_of(agent_id, Kind.ACTION, unit, text=unit.text.rstrip(" !"))] if alone else []


def _may_be_one(unit: Sentence) -> bool:
    text = unit.text
    plain = not (unit.item or unit.listed or unit.row or unit.keyed or unit.heading or unit.above)
    said = plain and not unit.set_aside and not text.endswith("?") and ":" not in text
    goes_on = _GOES_ON.match(text) is not None  # "No ibuprofen.", "And aspirin 300."
    unfit = goes_on or statuses_of(text, "") or statements.is_family(text) or prohibits(text)
    return said and not unfit


def _is_drug(words: str) -> bool:
    """Return whether `words` are only one or two drugs, with a bare number or none."""
    drugs = len(DRUG.findall(words))
    return 0 < drugs <= 2 and _JOINS.fullmatch(_BARE_NUMBER.sub("", DRUG.sub("", words))) is not None
