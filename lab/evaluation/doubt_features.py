"""What a judged sentence looks like, by features that the engine knows when it words one (`lab.evaluation.doubt`).

They are for a measurement: the engine looks at none of them (docs/decisions/093).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.named import names
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.schema import SpokenKind
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import key_words

ASKED: Final = frozenset({SpokenKind.CAUTION, SpokenKind.ACTION, SpokenKind.CHANGE, SpokenKind.FINDING})
_TOKEN: Final = re.compile(r"\w[\w'’-]*")
_POINTS: Final = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|there|then|so|such|same|other|others|one|ones|both|all|rest|either|neither|here)\b",
    re.IGNORECASE,
)
_LINKS: Final = re.compile(r"\W*(?:and|but|so|or|then|because|which|also|yes|no|not|if|as)\b", re.IGNORECASE)
_PAPER: Final = re.compile(
    r"\b(?:labels?|labelled|listed|sheet|chart|charted|records?|says?|said|notes?|wrote|written|down as|flag|card)\b",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(r"\b(?:I|I['’]\w+|my|me|we|we['’]\w+|our|you|your)\b")
_SIGNS: Final = re.compile(r"[\[\]{}()<>→\"“”=_+|*#]")
_CLOCK: Final = re.compile(r"\b\d{1,2}[:.h]\d\d\b")
_THE: Final = re.compile(r"\bthe\b", re.IGNORECASE)
_COUNTS: Final = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty)\b"
    r"(?! (?:hours?|minutes?|days?|weeks?|months?|years?|o'clock))",
    re.IGNORECASE,
)
_TIMES: Final = frozenset("s second minute hour day week month year".split())
_TAKES_BACK: Final = re.compile(
    r"\b(?:I (?:take|withdraw|had|wrote|meant|said|agree|accept|was)|my (?:error|mistake)|sorry|wait|scrap|struck)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\W*(?:please |just )?(?:give|start|take|get|put|run|call|send|ask|check|repeat|keep|add|count|push)\b",
    re.IGNORECASE,
)
_REPORTS: Final = re.compile(
    r"\b(?:asks?|says?|said|asked|wants?|wished|wishes|wonders?|suggests?)\b", re.IGNORECASE
)
_LABEL: Final = re.compile(r"[^:;.]{2,40}: ")


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that is to be told: its words without who says them, and what stands about it.

    `source` is the agent's whole sentence, `before` the one before it in its turn and `asked` the last one of the turn
    before; each may be "".
    """

    kind: SpokenKind
    words: str
    source: str
    before: str
    asked: str


Feature = Callable[[Told], float]


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))


def _length(text: str) -> int:
    return max(1, _count(_TOKEN, text))


def _names_a_thing(text: str) -> bool:
    return bool(drugs_named(text)) or names_test(text) or names_measure(text) or names_condition(text)


def _numbers_of_nothing(text: str) -> int:
    """Return how many numbers have nothing known before them, and no word behind them, that they may be of."""
    spans = [
        (q.start, q.end) for q in quantities(text) if q.unit not in _TIMES and not _CLOCK.match(text, q.start)
    ]
    spans += [match.span() for match in _COUNTS.finditer(text)]
    return sum(
        not _names_a_thing(text[:start]) and not names(" ".join(text[end:].split()[:2]))
        for start, end in spans
    )


def _is(status: Status) -> Feature:
    return lambda told: float(status in statuses_of(told.words, ""))


def _shared(one: str, other: str) -> float:
    a, b = set(key_words(one)), set(key_words(other))
    return len(a & b) / max(1, len(a))


FEATURES: Final[Mapping[str, Feature]] = {
    "a caution": lambda told: float(told.kind is SpokenKind.CAUTION),
    "an action": lambda told: float(told.kind is SpokenKind.ACTION),
    "a change": lambda told: float(told.kind is SpokenKind.CHANGE),
    "words, of twenty": lambda told: min(1.5, _length(told.words) / 20),
    "words under nine": lambda told: max(0, 9 - _length(told.words)) / 9,
    "sentences beyond one": lambda told: min(2, len(re.findall(r"[.!?]\s", told.words))) / 2,
    "pointers a word": lambda told: _count(_POINTS, told.words) / _length(told.words),
    "begins with a pointer": lambda told: float(_POINTS.match(told.words) is not None),
    "begins with a link": lambda told: float(_LINKS.match(told.words) is not None),
    "naming words a word": lambda told: sum(map(names, _TOKEN.findall(told.words))) / _length(told.words),
    "names a drug": lambda told: float(bool(drugs_named(told.words))),
    "names a test": lambda told: float(names_test(told.words)),
    "names a measure": lambda told: float(names_measure(told.words)),
    "names a condition": lambda told: float(names_condition(told.words)),
    "forbids": lambda told: float(prohibits(told.words)),
    "numbers without a unit": lambda told: min(3, sum(not q.unit for q in quantities(told.words))) / 3,
    "numbers with a unit": lambda told: min(3, sum(bool(q.unit) for q in quantities(told.words))) / 3,
    "numbers of nothing": lambda told: min(3, _numbers_of_nothing(told.words)) / 3,
    "takes something back": lambda told: float(_TAKES_BACK.search(told.words) is not None),
    "begins by asking for something": lambda told: float(_ASKS.match(told.words) is not None),
    "tells what others ask": lambda told: float(_REPORTS.search(told.words) is not None),
    "begins with a label": lambda told: float(_LABEL.match(told.words) is not None),
    "begins with a number": lambda told: float(told.words[:1].isdigit()),
    "definites a word": lambda told: _count(_THE, told.words) / _length(told.words),
    "speaks of speakers": lambda told: float(_SPEAKER.search(told.words) is not None),
    "of what is written": lambda told: float(_PAPER.search(told.words) is not None),
    "signs": lambda told: min(4, _count(_SIGNS, told.words)) / 4,
    "a time of the clock": lambda told: float(_CLOCK.search(told.words) is not None),
    "denied": _is(Status.NEGATED),
    "hedged": _is(Status.HEDGED),
    "conditional": _is(Status.CONDITIONAL),
    "past": _is(Status.PAST),
    "of somebody else": _is(Status.OTHER_PERSON),
    "first in its turn": lambda told: float(not told.before),
    "answers a question": lambda told: float(not told.before and told.asked.endswith("?")),
    "shares words with the turn before": lambda told: _shared(told.words, told.asked),
    "shares words with the sentence before": lambda told: _shared(told.words, told.before),
    "share of its sentence": lambda told: min(1.0, _length(told.words) / _length(told.source)),
    "only what stands before names a thing": lambda told: float(
        not _names_a_thing(told.words) and _names_a_thing(f"{told.before} {told.asked}")
    ),
}
"""What is looked at, by name; each is between 0 and some 1.5."""


def features(told: Told) -> Sequence[float]:
    """Return the features of a sentence, in the order of `FEATURES`."""
    return [look(told) for look in FEATURES.values()]
