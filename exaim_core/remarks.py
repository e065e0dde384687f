"""Sentences that are kept for answers though they change nothing on the board."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from exaim_core.claims import Claim, Kind
from exaim_core.phrases import agrees, is_noise, withdrawn
from exaim_core.reader import Sentence, Unit
from exaim_core.sections import Section
from exaim_core.wording import word_count

MOST_WORDS: Final = 40  # a longer one could not be spoken whole in an answer
LEAST_WORDS: Final = 4
# What stands under these is a list of views, or quotes them: the board keeps those.
_LISTS: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT})
# About the talk, not about the patient; or a dissent, which the board keeps and which may end.
_ASIDE: Final = re.compile(
    r"^(?:I|we) (?:will|have|read|am|are|look|want|offer|disagree)\b|\bnot agree\b|\bdisagree|"
    r"^as (?:doctor|dr)|^The (?:disagreement|consensus)\b|\bplease\b|\bdifference of opinion\b",
    re.IGNORECASE,
)


def remarks_in(units: Iterable[Unit]) -> list[Claim]:
    """Return the sentences of `units` that state something outside lists of views, in order.

    What is said for a leading view is of that kind: it is withdrawn with it.
    """
    return [
        Claim(
            unit.source.agent_id,
            Kind.LEADING if unit.section is Section.LEADING else Kind.FINDING,
            "",
            unit.full,
            unit.source,
            raw=(unit.item or "") if unit.section is not Section.LEADING else "",
        )
        for unit in units
        if isinstance(unit, Sentence)
        and unit.section not in _LISTS
        and LEAST_WORDS <= word_count(unit.full) <= MOST_WORDS
        and unit.text[-1:] not in "?:"
        and not _ASIDE.search(unit.text)
        and not is_noise(unit.text)
        and not agrees(unit.text)
        and withdrawn(unit.text) is None
    ]
