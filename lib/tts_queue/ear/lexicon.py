"""The lists by which words are said; what each means is told in `lexicon.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists of `lexicon.json`."""

    said: Mapping[str, str]
    dosed: Mapping[str, str]
    read: frozenset[str]
    signs: Mapping[str, str]
    markers: frozenset[str]
    units: Mapping[str, tuple[str, str]]
    sure_units: frozenset[str]
    two_words: Mapping[str, str]
    ucum: Mapping[str, str]
    counted: frozenset[str]
    halved: frozenset[str]
    numbered: frozenset[str]
    signed: frozenset[str]
    called: frozenset[str]
    pressures: frozenset[str]
    ranged: frozenset[str]
    acuities: frozenset[str]
    years: frozenset[str]
    months: tuple[str, ...]
    isotopes: Mapping[str, tuple[str, frozenset[str]]]
    greek: Mapping[str, str]
    no_end_after: frozenset[str]


def _loaded() -> Lexicon:
    raw: dict[str, Any] = json.loads(
        files("tts_queue.ear").joinpath("lexicon.json").read_text(encoding="utf-8")
    )
    del raw["about"]
    raw["units"] = {symbol: (one, many) for symbol, (one, many) in raw["units"].items()}
    raw["isotopes"] = {
        symbol: (name, frozenset(str(mass) for mass in masses))
        for symbol, (name, *masses) in raw["isotopes"].items()
    }
    raw["months"] = tuple(raw["months"])
    sets = {name: frozenset(value) for name, value in raw.items() if isinstance(value, list)}
    return Lexicon(**{**raw, **sets})


LEXICON: Final = _loaded()
