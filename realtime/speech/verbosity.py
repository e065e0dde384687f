"""Keep how much of the agents' words the clinician wants to hear. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from realtime.interruption import Effect


class Verbosity(StrEnum):
    """How much of the agents' words is spoken."""

    BRIEF = "brief"  # short forms, and a quarter of a minute
    NORMAL = "normal"
    FULL = "full"  # every item in full and in order; none is replaced by a newer one or grows too old


_AFTER: Final[Mapping[str, Verbosity]] = {
    Effect.BRIEF: Verbosity.BRIEF,
    Effect.FULL: Verbosity.FULL,
    Effect.USUAL_DETAIL: Verbosity.NORMAL,
}
SETTING: Final = frozenset(_AFTER)
SHARE: Final[Mapping[Verbosity, float]] = {
    Verbosity.BRIEF: 0.25, Verbosity.NORMAL: 0.5, Verbosity.FULL: 0.8,
}  # fmt: skip
"""Of any minute that may be speech: DESIGN, *Budget*; in full as much as what presses may take."""


def verbosity_after(verbosity: Verbosity, effect: str) -> Verbosity:
    """Return the verbosity after `effect`; effects on anything else leave it as it is."""
    return _AFTER.get(effect, verbosity)
