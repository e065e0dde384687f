"""Read what plain prose says: cautions, orders with a dose, measured and denied findings.

Each function looks at one sentence only. What is said of a relative, in the past, as a
question or as a supposition is none of these.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.statements import is_family, is_general, measured, supposes, told_clauses
from exaim_core.lexicon.terms import IMPERATIVE, NEGATIVE_FINDING, USE, sentence_like
from exaim_core.lexicon.withdrawn import blank
from exaim_core.text.assertion import Status, statuses_around, statuses_at, statuses_of
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/prose")
THERAPY: Final = _FORMS.late("therapy")
_DOSE_UNITS: Final = frozenset(
    "mg g microgram ng unit ml l mg/kg mg/kg/day mg/kg/min mg/kg/h mcg/kg mcg/kg/min ml/h ml/kg/h l/min".split()
)
_AMOUNTS: Final = frozenset(("mg", "g", "microgram", "mcg", "ng", "unit", "ml", "l"))
_RATES: Final = frozenset(("kg", "h", "hour", "min", "day", "m2"))


@lru_cache(maxsize=2048)
def is_warning(text: str) -> bool:
    """Return whether `text` states an allergy, forbids or limits something, or asks for caution with it."""
    if text.endswith("?") or _FORMS["undecided"].search(text):
        return False
    for match in _FORMS["allergic"].finditer(text):
        what = match["what"]
        blamed = _FORMS["blamed_end"].split(text[match.start("what") :])[0] if what is not None else ""
        if what is not None and not (DRUG.search(blamed) or _FORMS["allergen"].search(blamed)):
            continue
        if not statuses_around(text, *match.span()) & {Status.NEGATED, Status.OTHER_PERSON}:
            return True
    if any(
        DRUG.search(named[1]) or _FORMS["allergen"].search(named[1])
        for named in _FORMS["its_reaction"].finditer(text)
    ):
        return not is_family(text)
    if (harm := _FORMS["caused"].search(text)) is not None:
        blamed = DRUG.search(text, 0, harm.start()) or _FORMS["allergen"].search(text, 0, harm.start())
        unsaid = statuses_around(text, *harm.span()) & {Status.NEGATED, Status.CONDITIONAL}
        if blamed and not (unsaid or is_family(text)):
            return True
    for pattern in (_FORMS["forbids"], _FORMS["limits"]):
        for match in pattern.finditer(text):
            if Status.NEGATED in statuses_around(text[: match.end()], *match.span()) or is_family(text):
                continue
            if Status.BOOKS in statuses_at(text, *match.span()):
                continue  # "guidelines advise against codeine in children": about no patient
            if not (
                DRUG.search(text)
                or _FORMS["procedure"].search(text)
                or (_FORMS["limits"].search(text) and _doses(text))
            ):
                continue
            if re.search(r"\bif\b", text, re.IGNORECASE) and _FORMS["supposed"].search(text):
                continue
            return True
    return False


def is_undecided(text: str) -> bool:
    """Return whether `text` leaves open, denies or lifts its own warning, or speaks of a relative."""
    return _FORMS["undecided"].search(text) is not None


def _doses(text: str) -> bool:
    return THERAPY.search(text) is not None and any(character.isdigit() for character in text)


def gives_doses(text: str) -> bool:
    """Return whether the values in `text` are doses of a treatment that is not already taken or given."""
    if not _are_doses(measured(text)) or _FORMS["taken"].search(text):
        return False
    return DRUG.search(text) is not None or THERAPY.search(text) is not None


def _are_doses(values: tuple[Quantity, ...]) -> bool:
    """Return whether all are amounts to be given, or strengths in per cent beside one; no oxygen flow."""
    units = [q.unit for q in values if q.unit != "%"]
    return bool(units) and all(_is_dose_unit(unit) for unit in units)


def _is_dose_unit(unit: str) -> bool:
    amount, *per = unit.split("/")
    return amount in _AMOUNTS and set(per) <= _RATES and unit != "l/min"


@lru_cache(maxsize=2048)
def is_order(text: str) -> bool:
    """Return whether `text` asks for a treatment with its dose, or to stop a drug."""
    if text.endswith("?") or _FORMS["undecided"].search(text):
        return False
    if any(_intends(text, each.start, each.end) for each in told_clauses(text)):
        return True
    if (
        is_family(text)
        or _FORMS["supposed"].search(text)
        or is_general(text)
        or not _FORMS["orders"].search(text)
    ):
        return False
    if DRUG.search(text) is None and THERAPY.search(text) is None:  # a drug without a known name
        return USE.match(text) is not None and any(q.unit in _DOSE_UNITS for q in quantities(text))
    dosed = any(q.unit in _DOSE_UNITS or q.unit == "%" for q in quantities(text)) or _FORMS["dose"].search(
        text
    )
    return bool(dosed)


def _intends(text: str, start: int, end: int) -> bool:
    """Return whether the clause at [start, end) wants a drug given in its dose, and not only supposedly.

    A condition may follow ("unless …") and is told with it. A drug with an unknown name is known by dose and route.
    """
    asks = _FORMS["intends"].search(text, start, end)
    if asks is None or supposes(text[: asks.start()]):
        return False
    clause = text[start:end]
    if is_family(clause) or is_general(clause):
        return False
    dosed = any(q.unit in _DOSE_UNITS for q in quantities(clause)) or _FORMS["dose"].search(clause)
    return bool(dosed) and any(pattern.search(clause) for pattern in (DRUG, THERAPY, _FORMS["route"]))


def is_aim(text: str) -> bool:
    """Return whether `text` gives a value to aim for."""
    found = _FORMS["aim"].search(text) if any(map(str.isdigit, text)) else None
    return (
        found is not None
        and not text.endswith("?")
        and not is_family(text)
        and not re.search(r"\b(?:if|could|might|whether)\b", text, re.IGNORECASE)
        and any(q.unit and q.start > found.start() for q in quantities(text))
    )


def is_reading(text: str) -> bool:
    """Return whether `text` gives measured values as they are now, and not as an aim or an order."""
    return bool(measured(text)) and not is_sought(text)


def is_sought(text: str) -> bool:
    """Return whether `text` gives a value that is aimed at or ordered, and not the present one."""
    sought = re.search(r"\b(?:until|to an?|aim\w*|no higher|no lower)\b", text) is not None
    return sought or is_aim(text) or is_order(text)


def only_if(text: str) -> str | None:
    """Return the study or treatment that `text` asks for only on a condition, as written; else None."""
    found = _FORMS["only_if"].match(text)
    if found is None or text.endswith("?") or is_family(text) or sentence_like(found["what"]):
        return None
    what = found["what"]
    asked = any(pattern.search(what) for pattern in (_FORMS["imaging"], _FORMS["procedure"], THERAPY, DRUG))
    return what if asked and not re.match(r"(?:no|not)\b", what, re.IGNORECASE) else None


def stops_it(text: str) -> bool:
    """Return whether `text` says only that "it" is to be stopped, whatever it is: "That needs stopping now."."""
    return _FORMS["stops_it"].fullmatch(text.strip()) is not None


def waits(text: str) -> bool:
    """Return whether what stands below or behind `text` is for a case that may come: "If he deteriorates"."""
    if text.endswith("?"):
        return False
    return _FORMS["awaits"].search(text) is not None


def behind_condition(text: str) -> str:
    """Return what a sentence that opens with a condition asks for then; "" if it opens otherwise or asks nothing.

    "If he deteriorates, give adrenaline 0.5 mg IM." asks for adrenaline. What is only supposed ("if she had had") and
    what a "would" answers is not asked for.
    """
    if text.endswith("?"):
        return ""
    lead, _, order = text.partition(": ")  # "After lorazepam, if he fits again: valproate next, 40 per kilo."
    if waits(lead) and _AN_AMOUNT.fullmatch(order) and DRUG.match(order) and not statuses_of(order, ""):
        return order
    if _FORMS["awaits"].match(text) is None:
        return ""
    behind = (text[each.end() :] for each in _BEHIND_IF.finditer(text))
    return next((each for each in behind if is_order(each) or is_terse_order(each)), "")


_AN_AMOUNT: Final = re.compile(
    r"[^.;:?\d]{3,40}\b\d[\d.]* ?(?:per|/) ?(?:kilo|kg)(?: (?:over|in) [^.;:?]{1,20})?\W*", re.IGNORECASE
)
"""A drug with so much a kilogram, whose unit is understood."""
_BEHIND_IF: Final = re.compile(r"(?:,|:|–|—)\s+(?:then\s+)?|\sthen\s", re.IGNORECASE)


def is_chart(heading: str) -> bool:
    """Return whether things under `heading` are taken or avoided, and not asked for."""
    return _FORMS["chart"].search(heading) is not None


@lru_cache(maxsize=2048)
def is_dose(name: str) -> bool:
    """Return whether `name` is only a treatment with its dose, such as "heparin 5,000 units"."""
    drug = DRUG.search(name) or THERAPY.search(name)
    if drug is None or len(name[: drug.start()].split()) > 2 or _FORMS["done"].search(name):
        return False
    return any(q.unit in _DOSE_UNITS for q in quantities(name)) or _FORMS["dose"].search(name) is not None


_OPENS_AN_ORDER: Final = re.compile(
    r"(?:(?:so|then|now|only|also|and|please|iv|im|first|urgent|immediate|stat)\W+)*", re.IGNORECASE
)
"""What may stand before the drug; no "anaphylaxis from", "rather than" or "somebody pencilled"."""
_OF_A_DOSE: Final = frozenset({"%", "minute", "hour"})


def is_terse_order(text: str) -> bool:
    """Return whether `text` is only a drug with its dose and how it is given now: "Adrenaline 0.5 mg im."."""
    if text.endswith("?") or not is_dose(text):
        return False
    if _FORMS["given_now"].search(text) is None and not _is_a_dose_now(text):
        return False
    if _FORMS["for_long"].search(text) is not None or statuses_of(text, ""):
        return False
    if ":" in text and IMPERATIVE.match(text) is None:  # a label that may say "options" or "at home"
        return False
    drug = DRUG.search(text) or THERAPY.search(text)
    if drug is None or _OPENS_AN_ORDER.fullmatch(text[: drug.start()]) is None:
        return False
    return all(q.unit in _DOSE_UNITS or q.unit in _OF_A_DOSE for q in quantities(text))


def _is_a_dose_now(text: str) -> bool:
    """Return whether `text` is a treatment, "now" and its amount: "Bicarbonate now, 100 mL"; no concentration."""
    amounts = quantities(text)
    rest = blank(text, [(each.start, each.end) for each in amounts])
    return all(each.unit in _AMOUNTS for each in amounts) and bool(
        _ONLY_NOW.fullmatch(THERAPY.sub(" ", rest))
    )


_ONLY_NOW: Final = re.compile(r"\W*(?:please\W+)?now\W*", re.IGNORECASE)


def says_done(text: str) -> bool:
    """Return whether `text` says of a treatment that it was given, or is taken already."""
    return _FORMS["done"].search(text) is not None or _FORMS["taken"].search(text) is not None


def gives_a_dose(text: str) -> bool:
    """Return whether `text` has a drug or fluid and a number with a unit of doses, wherever they stand."""
    dosed = any(q.unit in _DOSE_UNITS for q in quantities(text))
    return dosed and (DRUG.search(text) or THERAPY.search(text)) is not None


def names_nothing(text: str) -> bool:
    """Return whether a number in `text` has no name but "the laboratory" or "it"."""
    return (
        _FORMS["nameless"].match(text) is not None
        and len(quantities(text)) <= 3
        and DRUG.search(text) is None
    )


@lru_cache(maxsize=2048)
def denied(text: str) -> str | None:
    """Return the grave finding that `text` denies, "" for another negative result; None for neither."""
    own = [text[clause.start : clause.end] for clause in told_clauses(text) if clause.own]
    for pattern in (NEGATIVE_FINDING, _FORMS["none_of"]):
        for clause in own:
            if (match := pattern.search(clause)) is not None:
                return match["of"].lower()
    return "" if any(_FORMS["negative"].search(clause) for clause in own) else None
