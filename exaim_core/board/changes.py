"""A change of the board, and the changes that wait to be told."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.claims.worth import LEAST

if TYPE_CHECKING:
    from exaim_core.text.places import Source


class ChangeKind(StrEnum):
    """The kinds of change."""

    LEADS = "leads"
    DIFFERS = "differs"
    SIDES = "sides"
    AGREES = "agrees"
    CHANGED = "changed"
    ALL_AGREE = "all agree"
    RULES = "rules"
    OTHERS = "others"
    DOUBTS = "doubts"
    REASONS = "reasons"
    TESTS = "tests"
    ACTION = "action"
    CAUTION = "caution"
    FINDING = "finding"
    FIRST = "first"
    CRITICAL = "critical"
    REVOKED = "revoked"
    CONFIRMED = "confirmed"
    CONFLICT = "conflict"
    CORRECTED = "corrected"
    CONCLUDED = "concluded"
    QUOTED = "quoted"
    WITHDRAWN = "withdrawn"
    FOLLOWS = "follows"


@dataclass(frozen=True, slots=True)
class Vote:
    """How the doctors stand: who holds the view with the most holders, and how many have spoken.

    `silent` are voters who hold no view now: none stated yet, or theirs taken back.
    `current`: each view was stated outright in its holder's last turn. Only then are votes counted aloud.
    """

    entity: str
    holders: tuple[str, ...]
    voters: tuple[str, ...]
    silent: tuple[str, ...] = ()
    current: bool = True

    @property
    def unanimous(self) -> bool:
        """Return whether more than one has spoken and all of them last stated this view."""
        return self.current and len(self.voters) > 1 and len(self.holders) == len(self.voters)


MOST_LATELY: Final = 256  # claims; a long turn has some thirty
MOST_WAITING: Final = 48  # for one update; in the recorded discussions the most is 7


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the board, with the claims that it rests on and the vote after it."""

    news: ChangeKind
    agent_id: str
    claims: tuple[Claim, ...]
    vote: Vote
    former: str = ""
    other: str = ""
    why: Claim | None = None
    rests_on: tuple[Claim, ...] = ()
    first: bool = False
    beside: bool = False  # brings no update of its own
    again: bool = False  # it repeats a ban, and nobody has asked for the thing since

    @property
    def claim(self) -> Claim:
        """Return the first of its claims."""
        return self.claims[0]


def is_spare(change: Change) -> bool:
    """Return whether a change is a quotation to be kept for a silence of the voice.

    It has a mark of worth, or is likely to hold a key point; short sentences are seldom likely to, but take little
    time. A sentence whose likelihood was never estimated is not spare, such as a table's row, which says nothing
    without its head.
    """
    if not (change.beside and change.news is ChangeKind.QUOTED and change.claim.likely):
        return False
    return change.claim.likely >= LEAST or change.claim.worth > Worth.REMARK


class Changes:
    """The changes of one board that were not told yet, in order: in each list the newest `MOST_WAITING`.

    If there are too many, alarms are dropped last; `left_out` counts the dropped ones.
    """

    def __init__(self) -> None:
        self.left_out = self.taken = 0  # `taken`: how often `take` was called
        self.ripe: list[Change] = []
        self.announced: set[tuple[Kind, Source]] = set()  # claims that were ever to be told
        self.lately: deque[Claim] = deque(maxlen=MOST_LATELY)  # the newest claims that were to be told
        self.beside: list[Change] = []  # page-only: they go with the next update

    def say(self, news: ChangeKind, claims: Sequence[Claim], vote: Vote, **facts: object) -> None:
        """Add a change; its agent is that of the first claim, `facts` are fields of `Change`."""
        change = Change(news, claims[0].agent_id, tuple(claims), vote)
        self.announced.update((claim.kind, claim.source) for claim in claims)
        self.lately.extend(claims)
        self.ripe.append(replace(change, **facts) if facts else change)  # type: ignore[arg-type]
        self._bound(self.ripe)

    def note(self, news: ChangeKind, claims: Sequence[Claim], vote: Vote) -> None:
        """Add a change that brings no update of its own."""
        self.beside.append(Change(news, claims[0].agent_id, tuple(claims), vote, beside=True))
        self._bound(self.beside)

    def _bound(self, changes: list[Change]) -> None:
        """Drop the oldest change if there are too many; an alarm only if all are alarms."""
        if len(changes) > MOST_WAITING:
            goes = next((at for at, each in enumerate(changes) if each.news is not ChangeKind.CRITICAL), 0)
            del changes[goes]
            self.left_out += 1

    def forget(self, news: ChangeKind, claims: Sequence[Claim]) -> None:
        """Take back untold changes of that kind that begin with one of `claims`."""
        self.ripe, self.beside = (
            [change for change in changes if change.news is not news or change.claim not in claims]
            for changes in (self.ripe, self.beside)
        )

    def drop(self, gone: Callable[[Claim], bool]) -> None:
        """Take back untold changes that rest on a claim for which `gone` holds."""
        self.ripe = [change for change in self.ripe if not any(map(gone, change.claims))]
        self.beside = [change for change in self.beside if not any(map(gone, change.claims))]

    def forget_beside(self, claim: Claim) -> None:
        """Take back a claim that waits for the page only."""
        self.beside = [change for change in self.beside if change.claim is not claim]

    def ripen_beside(self, of: Callable[[Change], bool]) -> None:
        """Have waiting page-only changes for which `of` holds bring an update; they stay marked as `beside`."""
        self.ripe += [change for change in self.beside if of(change)]
        self.beside = [change for change in self.beside if not of(change)]

    def give_back(self, taken: Sequence[Change]) -> None:
        """Take changes back that could not be told; the next update tells them first."""
        self.ripe[:0] = [change for change in taken if not change.beside]
        self.beside[:0] = [change for change in taken if change.beside]

    def take(self) -> tuple[Change, ...]:
        """Return all waiting changes in order, and forget them."""
        taken, self.ripe, self.beside, self.left_out = (*self.ripe, *self.beside), [], [], 0
        self.taken += 1
        return taken
