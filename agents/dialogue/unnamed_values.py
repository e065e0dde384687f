"""Values that are stated without the name of their thing: "148/94", or "Sats?", "Ninety-one.", "Ninety-seven.".

Each is read as if its name stood before it, so that the core reads it as any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from exaim_core.board.shown import SaidView
from exaim_core.text.figures import LEAST_APART, LOWER, NUMBER_WORDS, UPPER, in_figures
from exaim_core.text.patterns import late

PRESSURE: Final = "blood pressure"
_BACK: Final = 8  # sentences from a value back to the one that names its thing
_LED: Final = r"(?:(?:now|still|about|up to|down to|back to|only|just|it['’]s|that['’]s)\s+)*"
_IN_WORDS: Final = rf"(?:{NUMBER_WORDS})(?:[\s-]+(?:and[\s-]+)?(?:{NUMBER_WORDS}))*"
_ONE: Final = rf"(?:\d+(?:[.,]\d+)?|{_IN_WORDS})"
_AS_PRESSURE: Final = re.compile(r"(?<![\d/.<>≤≥])(?P<upper>\d{2,3})\s?/\s?(?P<lower>\d{2,3})(?![\d/]|\.\d)")
"""One that is said, with "over", has its name already (`text.figures`)."""
_OPENS: Final = late(
    lambda: re.compile(
        rf"\W*{_LED}(?P<value>{_ONE})(?:\s+now|\s+again)?(?=\s*(?:[.,;!–—]|\Z))", re.IGNORECASE
    )
)
_TAKEN_UP: Final = late(
    lambda: re.compile(rf",\s+(?:it['’]s|it is)\s+(?:now |still |about |only )?(?={_ONE}\b)", re.IGNORECASE)
)
_LIMITS: Final = re.compile(
    r"\b(?:under|below|above|over|beyond|(?:less|more|lower|higher) than|at (?:least|most)|towards?)\s+\Z",
    re.IGNORECASE,
)
_FEW: Final = 4  # words of a sentence that has a value and its name alone

Named = Callable[[str], Collection[str]]
"""What is measured that a text names."""


def with_name(said: Sequence[SaidView], at: int, names: Collection[str], named: Named) -> str | None:
    """Return sentence `at` with one of `names` before the value that it states without it; None: it states none so."""
    text = said[at].text
    if text.endswith("?"):
        return None
    of_it = next(iter(sorted(set(named(text)) & set(names))), None)
    if of_it is not None:
        taken_up = _TAKEN_UP.search(text)
        other = taken_up and set(named(text[: taken_up.start()])) != {of_it}
        return f"{of_it} {text[taken_up.end() :]}" if taken_up and not other else None
    if PRESSURE in names and (pressure := _pressure_in(text)) is not None:
        return pressure
    opens = _OPENS.match(text)
    thing = _asked_before(said, at, names, named) if opens is not None else None
    return f"{thing} {_figures(text[opens.start('value') :])}" if opens is not None and thing else None


def _pressure_in(text: str) -> str | None:
    """Return a text with "BP" before the first pressure in it; None: there is none by its form, or it is a limit."""
    for match in _AS_PRESSURE.finditer(text):
        upper, lower = int(match["upper"]), int(match["lower"])
        if upper in UPPER and lower in LOWER and upper - lower >= LEAST_APART:
            is_limit = _LIMITS.search(text, 0, match.start()) is not None
            return None if is_limit else f"{text[: match.start()]}BP {text[match.start() :]}"
    return None


def _figures(text: str) -> str:
    """Return a text that begins with a value in figures: the core reads numbers in words behind a name alone."""
    return in_figures(f"BP {text}").removeprefix("BP ")


def _asked_before(said: Sequence[SaidView], at: int, names: Collection[str], named: Named) -> str | None:
    """Return which of `names` was called for right before sentence `at`, and nothing else since; None: none was."""
    for one in reversed(said[max(0, at - _BACK) : at]):
        of = set(named(one.text))
        if (
            of & set(names)
            and len(of) == 1
            and (len(one.text.split()) <= _FEW or not re.search(r"\d", one.text))
        ):
            return of.pop()
        if of or one.text.endswith("?"):
            return None
    return None
