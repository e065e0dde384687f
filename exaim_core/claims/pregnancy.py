"""Find a severe hypertension in pregnancy that two sentences of one turn state: "She's 34 weeks. BP 172/114 now."

Within one sentence the cue of `data/critical.json` finds it. Over two it counts only where both are plain: one says
that she is pregnant, in labour or just delivered, and the other gives this patient's pressure now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.critical import critical_findings
from exaim_core.claims.finding import Critical
from exaim_core.claims.measured import is_of_then, may_be_of_before, readings
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first

MOST_BACK: Final = 3  # sentences of a turn from one fact to the other
_KEY: Final = "cue:severe hypertension in pregnancy"
_STATES: Final = re.compile(
    r"\W*(?:(?:(?:she|mum|mother|(?:the|this|our) (?:patient|woman|lady|mother))|mrs?\.? \w+|ms\.? \w+)(?:['’]s| is) )?"
    r"(?:(?:now|currently|about|just) )?(?:G\dP\d[,:]?(?: at)? )?"
    r"(?:\d\d(?: ?\+ ?\d)? weeks(?=\W*(?:\Z|[,;.]|pregnan|gestation|of gest|with|and|now))"
    r"(?!\W+now in (?!labour\b|(?:\w+ )?pain\b))|\d\d/40|in labour|"  # "20 weeks, now in remission"
    r"pregnant(?: (?:again|woman|lady|patient))?"
    r"(?=\W*(?:\Z|[,;.:(\d–—]|(?:with|and|but|now|so|at|in|on|for|by|after|since)\b))|"
    r"post-?partum(?=\W*(?:\Z|(?:\w+ )?\w+\W*(?:\Z|[,;.:(])|[,;.:(]|(?:with|and|now|day|on|at)\b)))\b",
    re.IGNORECASE,
)


def hypertension_over_two(unit: Sentence, before: Sequence[Sentence]) -> tuple[Critical, Sentence] | None:
    """Return the finding that `unit` completes, and the earlier sentence of `before` that states the other fact."""
    for other in reversed(before[-MOST_BACK:]):
        for state, pressure in ((other, unit), (unit, other)):
            if not (_is_plain(state) and _STATES.match(state.full) and _gives_pressure(pressure)):
                continue
            both = f"{other.full.rstrip(' .;,')}, {lower_first(unit.full)}"
            found = next((each for each in critical_findings(both) if each.key == _KEY), None)
            if found is not None:
                return replace(found, name=lower_first(found.name)), other
    return None


def _gives_pressure(unit: Sentence) -> bool:
    """Return whether a sentence gives a pressure of this patient now."""
    return _is_plain(unit) and any(
        reading.limit.name == "systolic blood pressure" and not is_of_then(reading)
        for reading in readings(unit.full, unit.above)
    )


def _is_plain(unit: Sentence) -> bool:
    doubted = statuses_of(unit.full, "") - {Status.NEGATED}
    return not (doubted or unit.full.endswith("?") or unit.row or may_be_of_before(unit.full))
