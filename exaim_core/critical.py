"""Critical findings: values beyond a limit and named emergencies, read in their context.

Limits and cues, each with its source, are in `data/critical.json`.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from exaim_core.context import context_of
from exaim_core.drugs import DRUG
from exaim_core.hints import Hints
from exaim_core.quantities import Quantity, quantities
from exaim_core.sections import Section


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical finding: what it is, its value as written ("" for a named emergency), and its key.

    `problem` names what a cue and a value have in common, so that "hyperkalaemia" does not alarm
    again after "potassium 6.9 mmol/L". `mention` is what the agent calls it ("SpO2"). For an order that meets a
    hazard `order` is what is asked for, or `running` already, and `against` the condition that `by` (an agent's
    id, "" for the record) states; "" for an allergy.
    """

    name: str
    value: str
    key: str
    problem: str
    mention: str = ""
    order: str = ""
    against: str = ""
    by: str = ""
    running: bool = False


@dataclass(frozen=True, slots=True)
class _Limit:
    name: str
    pattern: re.Pattern[str]
    units: dict[str, float]
    bare: bool
    plausible: tuple[float, float]
    low: float | None
    high: float | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Cue:
    name: str
    pattern: re.Pattern[str]
    event: re.Pattern[str] | None  # words that say by themselves that it is happening
    verbatim: bool  # it is told in those words, which hold a side or an amount
    problem: str


_MEANT: Final = r"(?:was|were) (?:meant|intended)|should have been|(?:ten|10)(?: times|-?fold)"


@cache
def _tables() -> tuple[tuple[_Limit, ...], tuple[_Cue, ...], re.Pattern[str]]:
    raw = json.loads(resources.files("exaim_core").joinpath("data/critical.json").read_text(encoding="utf-8"))
    limits = tuple(
        _Limit(
            row["name"],
            re.compile(rf"(?<![\w-])(?:{row['pattern']})(?!\w)", 0 if row.get("case") else re.IGNORECASE),
            row["units"],
            row["bare"],
            (row["plausible"][0], row["plausible"][1]),
            row["low"],
            row["high"],
            tuple(row["problems"]),
        )
        for row in raw["values"]
    )
    cues = tuple(
        _Cue(
            row["name"],
            _phrase(row["pattern"]),
            _phrase(row["event"]) if "event" in row else None,
            bool(row.get("verbatim")),
            row.get("problem", row["name"][:8]),
        )
        for row in raw["cues"]
    )
    words = "|".join(
        row[name] for row in raw["values"] + raw["cues"] for name in ("pattern", "event") if name in row
    )
    anything = re.compile(rf"(?<![\w-])(?:{words}|{_MEANT}|\d\s?\w+,? (?:and )?not \d)", re.IGNORECASE)
    return limits, cues, anything


def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE)


@cache
def _hints() -> Hints:
    raw = json.loads(resources.files("exaim_core").joinpath("data/critical.json").read_text(encoding="utf-8"))
    rows = [*raw["values"], *raw["cues"]]
    patterns = [row[name] for row in rows for name in ("pattern", "event") if name in row]
    return Hints([*patterns, _MEANT], (re.compile(r"\A\W*(?:not|K\+?)\W*\Z", re.IGNORECASE),))


# No text fits two of these alternatives or two ways through one, so that it is read once: hence \d++.
_BETWEEN: Final = re.compile(
    r"[\s,:=*]*(?:\(?(?:level|value|concentration|count|reading|result|today|now|currently|only|still|is|was|are|of|at|has|have|"
    r"come|came|back|as|risen|fallen|doubled|climbed|jumped|peaked|dropped|increased|decreased|rose|fell|to|just|critically|high|low|about|from|repeat|"
    r"remains?|stands?|the|an?|K\+?|and|mg/dL|(?:in|on|from|over|by|at) (?:(?:the|his|her|their|both|this|repeat|second|latest|room) )*(?:(?:right|left|upper|lower|arterial|venous|radial|brachial|femoral|blood) )*(?:arms?|legs?|wrist|thigh|air|line|gas|sample|cuff|monitor|side|limbs?|ward|bedside|measurement|oxygen)|(?:on|by) (?:the )?(?:arrival|admission|repeat)|(?:taken|measured|checked|recorded|repeated|confirmed)(?: twice| again)?|lying(?: down)?|standing|sitting|supine|this (?:morning|afternoon|evening)|suddenly|down|up|\d++(?:\.\d++)?)\)?[\s,:=]*)*\Z",
    re.IGNORECASE,
)
_THRESHOLD: Final = re.compile(
    r"(?<!\w)(?:above|below|over|under|exceeds?|exceeding|beyond|less than|more than|greater than|at least|at most|target|goal|"
    r"range|normal|limit|threshold|aim(?:ing)?|stays?|until|cut-?off|reference|or (?:more|less|higher|lower))(?!\w)|[<>≤≥]",
    re.IGNORECASE,
)
_ARTEFACT: Final = re.compile(
    r"\bha?emolys|spurious|pseudo|artefact|artifact|contaminat|cannot be relied|unreliable|mislabel|\bclump|\bEDTA\b|diluted|drip arm",
    re.IGNORECASE,
)
_NOT_ARTEFACT: Final = re.compile(
    r"\b(?:not|un|non-?)\s?-?ha?emolys\w*|(?:no|free of|without|not from|no sign of) (?:any )?ha?emolysis|free[- ]flowing|not (?:spurious|an arte?ifact)",
    re.IGNORECASE,
)
_NOW: Final = re.compile(
    r"\b(?:this is|she is in|he is in|patient is in|is in|are in|has (?:developed|gone into|suffered)|went into|we have|there is|is having|"
    r"now (?:has|in|shows?)|shows?|confirms?)\b",
    re.IGNORECASE,
)
_URGENT: Final = re.compile(
    r"\b(?:life-?threatening|immediately|at once|right away|must be treated|now|emergency|emergent(?:ly)?|crash call|resuscitat\w+|peri-?arrest)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def may_be_critical(text: str) -> bool:
    """Tell quickly whether `text` holds any word that a critical finding needs."""
    return _hints().may(text) and _tables()[2].search(text) is not None


def critical_findings(sentence: str, section: Section = Section.OTHER) -> tuple[Critical, ...]:
    """Return the critical findings that `sentence` states as facts of this patient now.

    A named emergency counts only under a heading that announces a critical finding, where the
    sentence says both that it is there and that it is urgent, or in words that say that it is
    happening ("has gone into cardiac arrest"); agents list emergencies all the time.
    """
    if not may_be_critical(sentence):
        return ()
    listed = section in {Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT}
    limits, cues, _ = _tables()
    doubted = _ARTEFACT.search(_NOT_ARTEFACT.sub("", sentence)) is not None
    found = [] if doubted else [value for limit in limits if (value := _value(sentence, limit))]
    found += [named for cue in cues if (named := _named(sentence, cue, section, listed=listed))]
    slip = _dose_slip(sentence)
    return (*found, slip) if slip else tuple(found)


_INSTEAD: Final = re.compile(
    r"\b(?:where|instead of|rather than|while|whereas|when|and not|not)\b", re.IGNORECASE
)
_DOSES: Final = frozenset({"mg", "g", "microgram", "ng", "unit", "mmol", "ml", "mg/h", "ml/h", "mg/kg"})
MOST_SLIP_WORDS: Final = 14
TENFOLD_ALMOST: Final = 5.0  # a dose that is put right by so much was a slip of the decimal point
_CORRECTED: Final = re.compile(r"\d\s?\w{1,40},? (?:and )?not \d", re.IGNORECASE)


def _dose_slip(sentence: str) -> Critical | None:
    """Return a dose of a drug that is said to differ from the one that was meant, by half as much again or more."""
    meant = re.search(_MEANT, sentence, re.IGNORECASE)
    drug = DRUG.search(sentence)
    if drug is None or (meant is None and _CORRECTED.search(sentence) is None):
        return None
    doses = [q for q in quantities(sentence) if q.unit in _DOSES and q.start > drug.end()][-2:]
    if len(doses) < 2 or doses[0].unit != doses[1].unit or not _INSTEAD.search(sentence):
        return None
    one, other = doses[0].value, doses[1].value
    span = sentence[drug.start() : max(doses[1].end, meant.end() if meant else 0)]
    least = 1.5 if meant else TENFOLD_ALMOST
    if (
        not min(one, other)
        or max(one, other) / min(one, other) < least
        or len(span.split()) > MOST_SLIP_WORDS
    ):
        return None
    if not context_of(sentence, drug.start(), drug.end()).affirmed:
        return None
    return Critical(span, "", f"dose:{span.lower()}", f"dose:{drug.group().lower()}")


_FLUID: Final = r"(?:CSF|cerebrospinal|spinal fluid|urine|urinary|pleural|ascites|ascitic|peritoneal|synovial|joint|drain|sweat|dialysate|effusion)"
_OF_FLUID: Final = re.compile(rf"\b{_FLUID}(?: fluid)?\s+\Z", re.IGNORECASE)
_IN_FLUID: Final = re.compile(rf"\b(?:in|of|from) (?:(?:the|his|her|their|this) )?{_FLUID}\b", re.IGNORECASE)


def _is_of_blood(sentence: str, start: int, end: int) -> bool:
    """Tell whether the value that is named from `start` and given at `end` is not that of another fluid."""
    return not (_OF_FLUID.search(sentence[:start]) or _IN_FLUID.search(sentence, start, end))


def _value(sentence: str, limit: _Limit) -> Critical | None:
    for mention in limit.pattern.finditer(sentence):
        quantity = value_after(sentence, mention.end(), limit.units, bare=limit.bare, loose=True)
        if quantity is None or not _is_of_blood(sentence, mention.start(), quantity.start):
            continue
        value = quantity.value * limit.units.get(quantity.unit, 1.0)
        if not limit.plausible[0] <= value <= limit.plausible[1]:
            continue
        low = limit.low is not None and value <= limit.low
        high = limit.high is not None and value >= limit.high
        if not (low or high) or not context_of(sentence, mention.start(), quantity.end).affirmed:
            continue
        written = sentence[quantity.start : quantity.end]
        direction = 0 if high and limit.high is not None else -1
        problem = limit.problems[direction] if limit.problems else limit.name
        return Critical(
            _name(limit, quantity),
            written,
            f"{limit.name}={quantity.number} {quantity.unit}".strip(),
            problem,
            mention.group(),
        )
    return None


def _name(limit: _Limit, quantity: Quantity) -> str:
    """Return what the value is called: a pressure given as a fraction is not the systolic one alone."""
    return limit.name.removeprefix("systolic ") if "/" in quantity.number else limit.name


_THEN: Final = re.compile(
    r"\b(?:was|were|had|on arrival|before|earlier|previous\w*|initial\w*|at first|yesterday|fell|dropped|falls)\b",
    re.IGNORECASE,
)


def relieved(sentence: str) -> tuple[str, ...]:
    """Return the problems whose value `sentence` gives as within the limits now, as `Critical.problem`."""
    if not any(map(str.isdigit, sentence)) or not may_be_critical(sentence) or _THEN.search(sentence):
        return ()
    found: list[str] = []
    for limit in _tables()[0]:
        for mention in limit.pattern.finditer(sentence):
            quantity = value_after(sentence, mention.end(), limit.units, bare=limit.bare)
            if quantity is None or not _is_of_blood(sentence, mention.start(), quantity.start):
                continue
            if not context_of(sentence, mention.start(), quantity.end).affirmed:
                continue
            value = quantity.value * limit.units.get(quantity.unit, 1.0)
            if not limit.plausible[0] <= value <= limit.plausible[1]:
                continue
            if (limit.high is None or value < limit.high) and (limit.low is None or value > limit.low):
                found += limit.problems or (limit.name,)
    return tuple(found)


def value_after(
    sentence: str, start: int, units: Mapping[str, float], *, bare: bool = False, loose: bool = False
) -> Quantity | None:
    """Return the last quantity after an analyte that ends at `start`, up to 60 characters on, given as its value.

    Its unit is one of `units`; with `bare` it may have none. With `loose`, other words may stand between that are
    no other quantity, if the value has its unit and follows "is", "at" and the like.
    """
    chosen: Quantity | None = None
    for quantity in quantities(sentence):
        if quantity.start < start or quantity.start > start + 60:
            continue
        between = sentence[start : quantity.start]
        if _THRESHOLD.search(between):
            break
        if not _BETWEEN.match(between) and not (loose and quantity.unit in units and _leads_to(between)):
            break
        if quantity.unit in units or (bare and not quantity.unit):
            chosen = quantity
    return chosen


_ANSWER_NO: Final = re.compile(r"\s*(?::|[-–—])\s*(?:no|none|nil|absent|negative|not)\b", re.IGNORECASE)
# What leads to the words that tell an event: "has just coughed up …".
_SAID: Final = re.compile(
    r"\A(?:(?:has|have|is|are|was|just|now|still|been|having|had|an?) )+", re.IGNORECASE
)
# "As in 2016, he is again in …"
_AGAIN: Final = re.compile(r"(?:is|are) (?:now |again )?in\b", re.IGNORECASE)


_LINK: Final = re.compile(
    r"(?:\A|[\s:])(?:is|at|of|as|to|reads?|shows?|shown|reached|hit|makes|made|now|only|gives|gave|came back|was)(?: (?:an?|only|now|just|about|still|the|mere))*\s*\Z",
    re.IGNORECASE,
)
_NEW_SUBJECT: Final = re.compile(
    r"(?:,|\band\b|\bwith\b|\bbut\b|:)\s+(?!(?:is|has|have|was|it|now|came|still|from|in|on|at|drawn|taken|which|measured|repeated|confirmed)\b)\S",
    re.IGNORECASE,
)


def _leads_to(between: str) -> bool:
    """Tell whether words between a quantity's name and a number lead to its value, with no other thing named."""
    return _LINK.search(between) is not None and _NEW_SUBJECT.search(between) is None


def _named(sentence: str, cue: _Cue, section: Section, *, listed: bool) -> Critical | None:
    happens = cue.event.search(sentence) if cue.event else None
    if happens is not None:
        context = context_of(sentence, happens.start(), happens.end())
        now = _AGAIN.match(happens.group()) is not None and replace(context, historical=False).affirmed
        if context.affirmed or now:
            name = _SAID.sub("", happens.group()).strip() if cue.verbatim else cue.name
            return Critical(name, "", f"cue:{cue.name}", cue.problem)
    if listed:
        return None
    for mention in cue.pattern.finditer(sentence):
        context = context_of(sentence, mention.start(), mention.end())
        if not context.affirmed or _ANSWER_NO.match(sentence, mention.end()):
            continue
        urgent = _NOW.search(sentence[: mention.start()]) is not None and _URGENT.search(sentence) is not None
        if urgent or section is Section.CRITICAL:
            return Critical(cue.name, "", f"cue:{cue.name}", cue.problem)
    return None
