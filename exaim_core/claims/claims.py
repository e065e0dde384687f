"""The claims that agents make, as values: kind, stance, worth, force, and what a claim rests on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Final

from exaim_core.text.names import person
from exaim_core.text.sections import Section

if TYPE_CHECKING:  # the modules that find claims are not needed here
    from exaim_core.claims.finding import Critical
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
    """How much hearing a sentence is worth; from `REMARK` down it is not quoted by itself."""

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
    DOUBTED = 10  # words beside its name say no or are not understood, so it is told in them

    @property
    def presses(self) -> bool:
        """Return whether it is urgent, and goes before all that is not."""
        return self >= Worth.URGENT


class Force(IntEnum):
    """How a sentence says that it ends the discussion, the strongest last."""

    LEFT = 0  # something stays open, and the sentence does not say what
    UNNAMED = 1  # titled, or held by all, but no known condition
    LIKELY = 2  # called a leading view: the end only if the chair says so
    TITLED = 3  # under a title such as "Diagnosis": the chair's, or the last words of all
    OPEN = 4  # left open, in so many words
    SHARED = 5  # held by all


class Part(StrEnum):
    """Which part of a decision a claim states: what it is, what is to be done, or what comes next."""

    VIEW = "view"
    PLAN = "plan"
    STEP = "step"


class Mark(StrEnum):
    """How a finding or a withdrawal is told beside its words."""

    TOLD = "told"  # a caution or an order already tells what it takes back
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

    `entity` is what it is about, fit to be spoken; "" if the claim is the whole `text`. `condition` is what it depends
    on, as written; "" for a condition too long to be spoken, None for none. `revokes` is what it takes back, stops or
    forbids, as written, in parts. `rests_on` are other claims that it needs. `under` is what the heading above it
    announces, `label` the item or heading that it stands behind. `answers`: it answers a question with options. `read`:
    a model read it, `stated`: the team stated it beside its words; a quotation's `entity` is then its checked wording,
    or "" if the words themselves are told. `reported`: the team stated it, and none of its words support it. `rules`:
    the chair stated it as the ruling. `titled`: a heading says that it is decided, and the first item there is what was
    decided. `read_as`: as what kind a model read a quotation (`readings.port.ReadKind`), "" for none; `about` is the
    thing that it names there, `was` what it changes from, "" for none. `whole`: that reading was affirmed, and its
    wording rests on its `text` as it was said, so that a discussion may end with it. `likely`: for a quotation that is
    not urgent, how likely it holds a key point (`claims.worth`). `worth` is for a quotation and for a finding that is
    one, `force` for a ruling, `part` for a decision, `mark` for a finding or a withdrawal. `left`: what is left of a
    short turn, which is whole.
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
    left: bool = False

    @property
    def worded(self) -> str:
        """Return the checked wording by which a quotation is told; "" if its own words are told."""
        return self.entity if (self.read or self.stated) and self.kind is Kind.QUOTE else ""

    def tells_of(self, name: str) -> bool:
        """Return whether the words by which it is told hold `name`; for an alarm, those of its value."""
        found = self.critical
        words = self.text if found is None else f"{found.name} {found.order} {found.words}"
        return name.lower() in " ".join((words, self.worded, *self.revokes)).lower()

    @property
    def cited(self) -> str:
        """Return what was written, with a short name of a measured thing replaced by the full one."""
        found = self.critical
        if found is None or not found.mention or found.words not in {"", POINTED}:
            return self.text
        return re.sub(rf"(?<![\w-]){re.escape(found.mention)}(?!\w)", lambda _: found.name, self.text)


def said_by(source: Source, kind: Kind, text: str, **facts: object) -> Claim:
    """Return `text`, written at `source`, as a claim of its speaker; `facts` are further fields of `Claim`."""
    claim = Claim(person(source.agent_id), kind, "", text, source)
    return replace(claim, **facts) if facts else claim  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ListEnd:
    """A heading or a turn's end: the agent's lists before it are complete."""

    agent_id: str
    source: Source | None


POINTED: Final = "…"
"""Stands for the words of an alarm that are too many to be told: only a pointer is spoken."""
