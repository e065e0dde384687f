"""Critical findings: values beyond a limit and named emergencies, read in their context.

Limits and cues, each with its source, are in `data/critical.json`.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from exaim_core.context import context_of
from exaim_core.datafiles import data_json
from exaim_core.drugs import DRUG
from exaim_core.hints import Hints
from exaim_core.quantities import Quantity, quantities
from exaim_core.sections import Section
from exaim_core.withdrawn import ARTEFACT, Standing, is_artefact, standing, takes_back_the_last


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
    places: int | None  # decimals of the base unit, where values come in several scales

    def measured(self, quantity: Quantity) -> float:
        """Return the value in the base unit, which is that of the limits."""
        return quantity.value * self.units.get(quantity.unit, 1.0)

    def may_be(self, value: float) -> bool:
        """Tell whether anybody can have such a value."""
        return self.plausible[0] <= value <= self.plausible[1]

    def is_low(self, value: float) -> bool:
        return self.low is not None and value <= self.low

    def is_high(self, value: float) -> bool:
        return self.high is not None and value >= self.high


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
    raw = data_json("critical.json")
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
            row.get("places"),
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
    raw = data_json("critical.json")
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
    stands = _standing(sentence)
    found = [value for limit in limits if (value := _value(sentence, limit, stands))]
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


def stated(sentence: str) -> str:
    """Return `sentence`, each letter at its place, without the values that it takes back."""
    return _standing(sentence).text


@lru_cache(maxsize=2048)
def _standing(sentence: str) -> Standing:
    """Return what of `sentence` stands when what it takes back is gone."""
    if not any(map(str.isdigit, sentence)):
        return Standing(sentence, sentence, ())
    named = {match.span() for limit in _tables()[0] for match in limit.pattern.finditer(sentence)}
    return standing(sentence, tuple(sorted(named)))


def _value(sentence: str, limit: _Limit, stands: Standing) -> Critical | None:
    """Return the first critical value of `limit` that stands; of one and its repeat the repeat."""
    for mention in limit.pattern.finditer(sentence):
        for quantity in _given(stands.text, mention.end(), limit):
            critical = _beyond(sentence, limit, mention, quantity, stands)
            if critical is not None:
                return critical
    return None


_REPEAT: Final = re.compile(
    r"\b(?:(?:the|a|his|her|its) )?(?:(?:repeat(?:ed)?|second|third|latest|newest|new|fresh|confirmatory|true|real|actual|correct|proper)(?: (?:one|sample|value|reading|result|figure|level|measurement))?|hers|his)"
    r"(?:,| is| was| reads| shows| gives| of|:| came back(?: (?:at|as))?)*(?: now| still| again| even)* \Z",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(r" (?:is|was) (?:the )?(?:right|correct|true|real)\b", re.IGNORECASE)


def _given(text: str, start: int, limit: _Limit) -> Iterator[Quantity]:
    """Yield the values that `text` gives after a name that ends at `start`: that of a repeat first."""
    value = value_after(text, start, limit.units, bare=limit.bare, loose=True)
    named = [match.start() for other in _tables()[0] if (match := other.pattern.search(text, start))]
    for quantity in quantities(text):
        if not start < quantity.start < min(named, default=len(text)) or quantity.unit not in limit.units:
            continue
        if quantity == value:
            continue
        if _REPEAT.search(text, start, quantity.start) or _RIGHT.match(text, quantity.end):
            yield quantity
    if value is not None:
        yield value


def _beyond(
    sentence: str, limit: _Limit, mention: re.Match[str], quantity: Quantity, stands: Standing
) -> Critical | None:
    span = (quantity.start, quantity.end)
    if not _is_of_blood(sentence, mention.start(), quantity.start):
        return None
    value = limit.measured(quantity)
    if not limit.may_be(value) or not (limit.is_low(value) or limit.is_high(value)):
        return None
    if not context_of(stands.text, mention.start(), quantity.end).affirmed:
        return None
    if is_artefact(stands.words, span, limit.name):
        return None
    problem = limit.name
    if limit.problems:  # of a high value first, of a low one last
        problem = limit.problems[0 if limit.is_high(value) else -1]
    written = sentence[quantity.start : quantity.end]
    return Critical(_name(limit, quantity), written, _key(limit, quantity), problem, mention.group())


def _key(limit: _Limit, quantity: Quantity) -> str:
    """Return the key of a value: in its base unit, so that it is one finding however it is written."""
    if "/" in quantity.number:
        return f"{limit.name}={quantity.number}"
    value = limit.measured(quantity)
    return f"{limit.name}={value if limit.places is None else round(value, limit.places):g}"


def _name(limit: _Limit, quantity: Quantity) -> str:
    """Return what the value is called: a pressure given as a fraction is not the systolic one alone."""
    return limit.name.removeprefix("systolic ") if "/" in quantity.number else limit.name


def taken_back(sentence: str) -> tuple[str, ...]:
    """Return the values that `sentence` takes back, critical or not, as `Critical.key`."""
    if not may_be_critical(sentence):
        return ()
    stands, found = _standing(sentence), quantities(sentence)
    if not found or not (stands.gone or ARTEFACT.search(stands.words)):
        return ()
    keys: list[str] = []
    for limit in _tables()[0]:
        for mention in limit.pattern.finditer(sentence):
            first = next((each for each in found if each.start >= mention.end()), None)
            if first is None or not (first.unit in limit.units or (limit.bare and not first.unit)):
                continue
            span = (first.start, first.end)
            if span in stands.gone or is_artefact(stands.words, span, limit.name):
                keys.append(_key(limit, first))
    return tuple(dict.fromkeys(keys))


def taken_back_after(before: str, sentence: str) -> Critical | None:
    """Return the one critical value of `before` if `sentence`, the next one, takes it back.

    It stands where that gives another critical value in its place, which without a name would not alarm.
    """
    if not takes_back_the_last(sentence) or len(quantities(before)) != 1:
        return None
    found = [finding for finding in critical_findings(before) if finding.value]
    if len(found) != 1:
        return None
    unit = found[0].value.removeprefix(quantities(before)[0].number)
    instead = (
        f"{each.number} {each.unit}" if each.unit else each.number + unit for each in quantities(sentence)
    )
    return None if any(critical_findings(f"{found[0].mention} {value}") for value in instead) else found[0]


_THEN: Final = re.compile(
    r"\b(?:was|were|had|on arrival|before|earlier|previous\w*|initial\w*|at first|yesterday|fell|dropped|falls)\b",
    re.IGNORECASE,
)


def is_of_before(sentence: str) -> bool:
    """Tell whether `sentence` speaks of how things were."""
    return _THEN.search(sentence) is not None


def relieved(sentence: str) -> tuple[str, ...]:
    """Return the problems whose value `sentence` gives as within the limits now, as `Critical.problem`."""
    if not any(map(str.isdigit, sentence)) or not may_be_critical(sentence) or is_of_before(sentence):
        return ()
    found: list[str] = []
    stands = _standing(sentence)
    for limit in _tables()[0]:
        for mention in limit.pattern.finditer(sentence):
            quantity = value_after(stands.text, mention.end(), limit.units, bare=limit.bare)
            if quantity is None or not _is_of_blood(sentence, mention.start(), quantity.start):
                continue
            if not context_of(stands.text, mention.start(), quantity.end).affirmed:
                continue
            if is_artefact(stands.words, (quantity.start, quantity.end), limit.name):
                continue
            value = limit.measured(quantity)
            if limit.may_be(value) and not (limit.is_low(value) or limit.is_high(value)):
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
