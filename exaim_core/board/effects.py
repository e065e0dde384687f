"""Keep what an agent's turn takes off the board, so that it can be put back if the turn breaks off.

The board before a chunk is read is held against the board after it. Kept are claims and waiting changes that are
gone, entries that have another value, and what was noted as untrue. An order that a turn took off is left out: it
stays off, and so does what was told with it, but for alarms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from exaim_core.board.board import Board
from exaim_core.board.changes import Change, ChangeKind
from exaim_core.claims.claims import Claim
from exaim_core.text.places import Source


def _lists(board: Board) -> tuple[list[Any], ...]:
    """Return the lists of claims, and those of changes that wait."""
    return (
        *(board.cautions, board.findings, board.confirmed, board.open_now, board.righted),
        *(board.remarks, board.quotes, board.quoted, board.rulings, board.orders.bans),
        *(board.lists.others, board.lists.tests, board.lists.doubted),
        *(board.changes.ripe, board.changes.beside),
    )


_ALARMS: Final = 0  # the place of alarms in the next two tables


def _maps(board: Board) -> tuple[dict[Any, Any], ...]:
    return (
        *(board.alarms.standing, board.concluded, board.views.leads, board.views.withdrawn),
        *(board.following.allergies, board.following.stated),
    )


def _untrue(board: Board) -> tuple[list[Any], ...]:
    """Return what is no longer true: the next update takes back what was told of it."""
    return board.alarms.fallen, board.fallen, board.fallen_values


_SINGLE: Final[tuple[tuple[Callable[[Board], object], str], ...]] = (
    (lambda board: board, "first"),
    (lambda board: board.views, "ruling"),
    (lambda board: board.views, "settled"),
)


class _Held:
    """What the board holds at one moment."""

    def __init__(self, board: Board) -> None:
        self.lists = [[*each] for each in _lists(board)]
        self.maps = [{**each} for each in _maps(board)]
        self.untrue = [len(each) for each in _untrue(board)]  # they only grow while text is read
        self.singles = [getattr(owner(board), name) for owner, name in _SINGLE]


@dataclass(frozen=True, slots=True)
class _Step:
    """What one chunk took off or replaced, with its place in the tables above.

    `entries`: place, key, and the values before and after it, None for none. `taken`: how often changes had been taken
    from the board by then.
    """

    lost: tuple[tuple[int, Claim | Change], ...]
    entries: tuple[tuple[int, Any, Any, Any], ...]
    untrue: tuple[tuple[int, Any], ...]
    singles: tuple[tuple[int, Any, Any], ...]
    taken: int

    @property
    def alarms(self) -> Iterable[str]:
        """Return the keys of alarms that were taken off, or that need not be spoken any more."""
        yield from (key for at, key, before, _ in self.entries if at == _ALARMS and before is not None)
        yield from (key for at, key in self.untrue if at == _ALARMS)


class Effects:
    """What the newest turn of each agent took off one board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._steps: dict[str, list[_Step]] = {}

    def begin(self, agent_id: str) -> None:
        """Begin a turn of the agent: what its former turns took off stays off."""
        self._steps.pop(agent_id, None)

    @contextmanager
    def of(self, agent_id: str) -> Iterator[None]:
        """Note what the board loses within this block, as taken off by the agent's turn."""
        before = _Held(self._board)
        try:
            yield
        finally:
            step = self._since(before)
            if step.lost or step.entries or step.untrue or step.singles:
                self._steps.setdefault(agent_id, []).append(step)

    def _since(self, before: _Held) -> _Step:
        board = self._board
        lists, maps, untrue = _lists(board), _maps(board), _untrue(board)
        return _Step(
            lost=tuple((at, each) for at, had in enumerate(before.lists) for each in _gone(had, lists[at])),
            entries=tuple(
                (at, key, had.get(key), maps[at].get(key))
                for at, had in enumerate(before.maps)
                if had != maps[at]
                for key in {**had, **maps[at]}
                if had.get(key) is not maps[at].get(key)
            ),
            untrue=tuple((at, each) for at, had in enumerate(before.untrue) for each in untrue[at][had:]),
            singles=tuple(
                (at, had, now)
                for at, had in enumerate(before.singles)
                if (now := getattr(_SINGLE[at][0](board), _SINGLE[at][1])) is not had
            ),
            taken=board.changes.taken,
        )

    def undo(self, agent_id: str) -> tuple[str, ...]:
        """Put back what the agent's turn took off.

        Return the keys of alarms to be told again: an update may have told since that they are off.
        """
        again = dict[str, None]()
        for step in reversed(self._steps.pop(agent_id, [])):
            self._undo(step)
            if step.taken != self._board.changes.taken:
                again.update(dict.fromkeys(step.alarms))
        return tuple(again)

    def _undo(self, step: _Step) -> None:
        board = self._board
        for at, noted in step.untrue:
            if noted in _untrue(board)[at] and not (isinstance(noted[0], Source) and self._is_off(noted[0])):
                _untrue(board)[at].remove(noted)
        for at, each in step.lost:
            if not self._stays_off(each):
                _put_back(_lists(board)[at], each)
        for at, key, before, after in reversed(step.entries):
            held = _maps(board)[at]
            if held.get(key) is not after:
                continue  # somebody else has changed it since
            if before is not None:
                held[key] = before
            elif after is not None and after is board.views.withdrawn.get(key):
                del held[key]
        for at, before, after in step.singles:
            owner, name = _SINGLE[at]
            if getattr(owner(board), name) is after:
                setattr(owner(board), name, before)

    def _stays_off(self, each: Claim | Change) -> bool:
        """Return whether a claim, or a change, is told with an order that was taken off."""
        if isinstance(each, Claim):
            return self._is_off(each.source)
        return each.news is not ChangeKind.CRITICAL and any(self._is_off(one.source) for one in each.claims)

    def _is_off(self, source: Source) -> bool:
        return any(order.source.meets(source) for order in self._board.orders.revoked)


def _gone(before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    """Return what is in `before` and not in `after`: the things themselves, not their likes."""
    kept = {id(each) for each in after}
    return [each for each in before if id(each) not in kept]


def _put_back(kept: list[Any], lost: Claim | Change) -> None:
    """Put something back before what was said later, in the place of what it was replaced by."""
    if any(each is lost for each in kept):
        return
    first_seq = _claim(lost).source.first_seq
    twin = next((at for at, each in enumerate(kept) if _is_twin(each, lost)), None)
    if twin is not None:
        kept[twin] = lost
        return
    later = (at for at, each in enumerate(kept) if _claim(each).source.first_seq > first_seq)
    kept.insert(next(later, len(kept)), lost)


def _is_twin(one: Claim | Change, two: Claim | Change) -> bool:
    """Return whether both are one claim, which may have been entered with another stance."""
    if isinstance(one, Change) or isinstance(two, Change):
        return False
    return (one.kind, one.entity, one.text, one.source) == (two.kind, two.entity, two.text, two.source)


def _claim(each: Claim | Change) -> Claim:
    return each if isinstance(each, Claim) else each.claim
