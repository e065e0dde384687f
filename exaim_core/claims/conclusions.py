"""What a moderator concludes under a heading of its own: the view, and what is to be done first.

    ### Final consensus
    - **Diagnosis**: ketoacidosis, with pyelonephritis as the likely trigger.
    - **First**: potassium and magnesium, on a monitor.

The first item that is labelled as the diagnosis, or has no label at all, is the view; the first one that is
labelled as something to do is the step. Both are kept as written, up to the first semicolon.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.claims.claim_words import claim_of
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.consensus import is_of_the_case, is_view
from exaim_core.text.reader import Heading, Sentence
from exaim_core.text.sections import Section
from exaim_core.text.wording import word_count

_MOST_WORDS: Final = 14  # of a view or a step that can be spoken in the closing
_WHEN: Final = re.compile(r"(?:first|now|next|immediately|at once|urgently)", re.IGNORECASE)
_TO_DO: Final = re.compile(
    rf"(?:{_WHEN.pattern}|(?:\w+ )?(?:treatments?|management|antibiotics?|actions?|plan|steps?|priority)"
    r"|source(?: control)?)",
    re.IGNORECASE,
)


class ConclusionReader:
    """Reads one moderator's units, headings too, in order."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._under: Heading | None = None  # the conclusion's own heading
        self._labelled: Heading | None = None  # a label that was read as a heading below it
        self._found: set[str] = set()

    def heading(self, heading: Heading) -> None:
        """Take a heading: one that announces a consensus opens a conclusion, others but labels close it."""
        if heading.section is Section.AGREEMENT:
            if self._under is None or self._under.text != heading.text:
                self._found.clear()
            self._under, self._labelled = heading, None
        elif self._under is not None and heading.section is Section.LEADING and not self._found:
            self._labelled = heading
        else:
            self.end()

    def end(self) -> None:
        """Close what is open: the turn is over."""
        self._under = self._labelled = None
        self._found.clear()

    def read(self, unit: Sentence) -> list[Claim]:
        """Return what `unit` concludes: a claim whose `raw` is "view" or "step", or none."""
        heading = self._under
        if heading is None or not unit.opens or not unit.listed:
            return []
        view = self._labelled is not None or unit.item is None
        if view and not self._found:
            return self._claim("view", heading, unit, unit.text)
        if unit.item and "step" not in self._found and _TO_DO.fullmatch(unit.item):
            joint = " " if _WHEN.fullmatch(unit.item) else ": "
            return self._claim("step", heading, unit, f"{unit.item.lower()}{joint}{unit.text}")
        return []

    def _claim(self, what: str, heading: Heading, unit: Sentence, words: str) -> list[Claim]:
        self._found.add(what)
        entity = words.split(";")[0].rstrip(" .")
        if not 0 < word_count(entity) <= _MOST_WORDS or not is_of_the_case(entity):
            return []
        if what == "view" and not is_view(entity):
            what = "plan"
        source = unit.source.under(heading.source)
        text = f"{heading.text}: {unit.full}"
        return [
            claim_of(self._agent_id, Kind.CONCLUDES, unit, entity=entity, text=text, source=source, raw=what)
        ]
