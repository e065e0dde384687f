"""The measures: plain functions over a telling. The word proxy stands in for medical concepts.

A concept here is a word of five letters or more, as in the reference values that come with the recorded
traces; against those these functions are tested.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from lab.evaluation.telling import Released, Telling

_CONCEPT: Final = re.compile(r"[a-z]{5,}")
CTU_CHARS: Final = 4  # one computational text unit, rounded up a text


@dataclass(frozen=True, slots=True)
class Measures:
    """One telling in figures. Shares are 0 to 1, lags in seconds."""

    updates: int
    compression: float  # 1 - summaries' text / reasoning's text
    never_judged: float  # share of characters
    never_told: float  # share of characters in no summary's window
    unsupported: float  # mean over summaries: share of words that the window lacks
    unsupported_with_latest: float  # the same, the summary before counted as support
    unsupported_anywhere: float  # the same, the whole reasoning counted as support
    redundancy: float  # mean Jaccard of neighbours
    lag_s: float  # release → summary, mean
    lag_worst_s: float


def measures(telling: Telling) -> Measures:
    """Measure a telling. Raises: ValueError: it has no summary."""
    if not telling.told:
        raise ValueError(f"nothing was told of {telling.source.case_id}")
    lags_s = in_line(telling.released)
    return Measures(
        updates=len(telling.told),
        compression=compression(telling),
        never_judged=telling.source.outside([each.window for each in telling.released])
        / telling.source.chars,
        never_told=telling.source.outside([each.window for each in telling.told]) / telling.source.chars,
        unsupported=_mean(unsupported(telling)),
        unsupported_with_latest=_mean(unsupported(telling, with_latest=True)),
        unsupported_anywhere=_mean(unsupported(telling, anywhere=True)),
        redundancy=redundancy(telling),
        lag_s=_mean(lags_s),
        lag_worst_s=max(lags_s, default=0.0),
    )


def concepts(text: str) -> frozenset[str]:
    """Return the words of five letters or more."""
    return frozenset(_CONCEPT.findall(text.lower()))


def ctu(text: str) -> int:
    """Return the length of a text in units of four characters, rounded up."""
    return math.ceil(len(text) / CTU_CHARS)


def compression(telling: Telling) -> float:
    """Return 1 less the ratio of the summaries' length to that of the reasoning."""
    return 1 - sum(ctu(each.text) for each in telling.told) / math.ceil(telling.source.chars / CTU_CHARS)


def unsupported(telling: Telling, *, with_latest: bool = False, anywhere: bool = False) -> list[float]:
    """Return for each valid summary the share of its words that its window lacks; 0 for one without words."""
    whole = concepts(telling.source.text((telling.source.seqs[0], telling.source.seqs[-1])))
    shares = []
    for each in telling.told:
        if not each.valid:
            continue
        words = concepts(each.text)
        support = whole if anywhere else concepts(telling.source.text(each.window))
        if with_latest and each.latest is not None:
            support |= concepts(telling.told[each.latest].text)
        shares.append(len(words - support) / len(words) if words else 0.0)
    return shares


def redundancy(telling: Telling) -> float:
    """Return the mean Jaccard index of neighbouring summaries; two without words have 0."""
    words = [concepts(each.text) if each.valid else frozenset[str]() for each in telling.told]
    return _mean([len(a & b) / len(a | b) if a | b else 0.0 for a, b in pairwise(words)])


def in_line(released: Sequence[Released]) -> list[float]:
    """Return each summary's lag behind the release that brought it, in seconds.

    Releases are answered one after the other, as they came: what is not answered yet delays the next.
    """
    free_s, lags_s = 0.0, []
    for each in sorted(released, key=lambda one: one.at_s):
        free_s = max(free_s, each.at_s) + each.judge_s + each.summary_s
        if each.summary_s:
            lags_s.append(free_s - each.at_s)
    return lags_s


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
