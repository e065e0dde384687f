"""What agents claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Final

from exaim_core.text.sections import Section

if TYPE_CHECKING:  # what a claim is needs none of what finds them
    from exaim_core.claims.critical import Critical
    from exaim_core.text.places import Source


class Kind(StrEnum):
    """What a claim is about."""

    LEADING = "leading"
    DIFFERENTIAL = "differential"
    TEST = "test"
    ACTION = "action"
    CAUTION = "caution"
    FINDING = "finding"
    DISPUTE = "dispute"
    PRIORITY = "priority"
    CRITICAL = "critical"
    REVOKES = "revokes"
    CONFIRMS = "confirms"
    CONFLICT = "conflict"
    CORRECTION = "correction"
    CONCLUDES = "concludes"
    QUOTE = "quote"


class Stance(StrEnum):
    """How the agent stands to what it claims."""

    PROPOSES = "proposes"
    SUPPORTS = "supports"
    DOUBTS = "doubts"
    REJECTS = "rejects"
    WITHDRAWS = "withdraws"


class Worth(IntEnum):
    """How much a sentence is worth to who listens; from `REMARK` down it is not quoted by itself."""

    NOTHING = 0
    REMARK = 1
    VALUES = 2
    ORDER = 3
    VIEW = 4
    RESULT = 5
    URGENT = 6
    PROHIBITION = 7
    CORRECTION = 8
    CONCLUSION = 9
    DOUBTED = 10  # what stands beside its name says no or is not understood: it is told in these words

    @property
    def presses(self) -> bool:
        """Return whether it goes before all that does not press."""
        return self >= Worth.URGENT


class Force(IntEnum):
    """How a sentence says that it is the end, the strongest last."""

    LEFT = 0  # it stays open, and the sentence does not say what
    UNNAMED = 1  # under a title, or what all hold, and it is no condition that is known
    LIKELY = 2  # a view that is said to lead: the end only if the chair says so
    TITLED = 3  # under a title such as "Diagnosis": of the chair, or the last words of all
    OPEN = 4  # what is left open, in so many words
    SHARED = 5  # what all hold


class Part(StrEnum):
    """Which part of a decision a claim states: what it is, what is to be done, or what comes next."""

    VIEW = "view"
    PLAN = "plan"
    STEP = "step"


class Mark(StrEnum):
    """How a finding, or what takes back, is told beside its words."""

    TOLD = "told"  # a caution or an order says already what it takes back
    IMPORTANT = "important"
    GROUND = "ground"  # it is the reason for a change of mind
    PAGE = "page"  # it is told on the page only


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values of one quantity, as written: what an agent `said`, and what holds `instead`."""

    name: str
    said: str
    instead: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of one agent.

    `entity` is what it is about, fit to be spoken; "" where the claim is the whole `text`. `condition` is what it
    hangs on, as written; "" for a condition too long to be spoken, None for none. `revokes` is what it takes back,
    stops or forbids, as written, in parts. `rests_on` are other claims that it needs. `under` is what the heading
    above it announces, `label` the item or heading that it stands behind.
    `answers`: it answers a question with options. `read`: a model read it, `stated`: the team
    stated it beside its words; a quotation's `entity` is then its checked wording, "" where the words themselves are
    told. `reported`: the team stated it, and no words of its bear it. `rules`: whoever chairs stated it as the ruling.
    `titled`: a heading says that it is decided, and the first item there is what was decided.
    `read_as`: as what kind a model read a quotation (`readings.port.ReadKind`), "" for none; `about` is the thing that
    it names there, `was` what it changes from, "" for none. `whole`: that reading was affirmed, and its wording stands
    on its `text` as it was said, so that a discussion may end with that. `likely`: of a quotation that presses not, how
    likely it holds a key point (`claims.worth`). `worth` is that of a quotation, `force` that of a ruling,
    `part` that of a decision, `mark` that of a finding or of what takes back.
    """

    agent_id: str
    kind: Kind
    entity: str
    text: str
    source: Source
    stance: Stance = Stance.PROPOSES
    tentative: bool = False
    condition: str | None = None
    critical: Critical | None = None
    label: str = ""
    worth: Worth = Worth.NOTHING
    force: Force = Force.LEFT
    part: Part | None = None
    mark: Mark | None = None
    revokes: tuple[str, ...] = ()
    conflict: Conflict | None = None
    rests_on: tuple[Claim, ...] = ()
    under: Section = Section.OTHER
    answers: bool = False
    read: bool = False
    stated: bool = False
    reported: bool = False
    rules: bool = False
    titled: bool = False
    read_as: str = ""
    about: str = ""
    was: str = ""
    whole: bool = False
    likely: float = 0.0

    @property
    def worded(self) -> str:
        """Return the checked wording by which a quotation is told, "" where its own words are."""
        return self.entity if (self.read or self.stated) and self.kind is Kind.QUOTE else ""

    def tells_of(self, name: str) -> bool:
        """Tell whether the words by which it is told hold `name`: an alarm's are its value, if not the agent's own."""
        found = self.critical
        words = self.text if found is None else f"{found.name} {found.order} {found.words}"
        return name.lower() in " ".join((words, self.worded, *self.revokes)).lower()

    @property
    def cited(self) -> str:
        """Return what was written, what is measured by its full name where the agent used a short one."""
        found = self.critical
        if found is None or not found.mention or found.words not in {"", POINTED}:
            return self.text
        return re.sub(rf"(?<![\w-]){re.escape(found.mention)}(?!\w)", lambda _: found.name, self.text)


@dataclass(frozen=True, slots=True)
class ListEnd:
    """A heading or the turn's end: the lists of this agent before it are complete."""

    agent_id: str
    source: Source | None


POINTED: Final = "…"
"""The words of an alarm whose own words are too many to be told: it is pointed to."""
