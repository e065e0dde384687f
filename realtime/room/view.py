"""Hold what the page should show at this moment: a fold of everything that was sent to it.

A late joiner's snapshot is this value and nothing else, so there is no second mechanism to go wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar, assert_never

from realtime.protocol import (
    AnswerBody,
    Body,
    ClockBody,
    CostsBody,
    EarsBody,
    Ended,
    Hello,
    ModeBody,
    NoticeBody,
    Past,
    Reasoning,
    SegmentBody,
    Snapshot,
    StepBody,
    Trace,
    TurnBody,
    UpdateBody,
    UtteranceBody,
)
from realtime.room import messages
from realtime.room.evidence import within_reach
from realtime.room.kept import kept
from realtime.room.parts import History, in_parts, is_open, pressing
from realtime.room.words import Words
from realtime.team.debate import fitting, keep

KEPT_UPDATES: Final = 200  # the ledger and the record have all; shipped cases have 24 and 41
KEPT_UTTERANCES: Final = 800
KEPT_SEGMENTS: Final = 64  # this and the next two: as many as the page keeps
KEPT_TURNS: Final = 40
KEPT_ANSWERS: Final = 20

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class View:
    """The page's state. `apply` takes each message as it is sent; `snapshot` gives it whole."""

    def __init__(self) -> None:
        self._reasoning = Reasoning(phase="waiting")
        self._updates: dict[str, UpdateBody] = {}
        self._utterances: dict[str, UtteranceBody] = {}
        self._trace = Words()
        self._clock: ClockBody | None = None
        self._segments: dict[tuple[str, int], SegmentBody] = {}
        self._turns: dict[str, TurnBody] = {}
        self._answers: dict[str, AnswerBody] = {}
        self._steps: dict[str, StepBody] = {}
        self._mode = ModeBody()
        self._ears = EarsBody()
        self._costs = CostsBody()
        self._earlier = 0  # updates that are kept no more
        self._standing: dict[str, NoticeBody] = {}

    @property
    def reasoning(self) -> Reasoning:
        """Return how far the reasoning is."""
        return self._reasoning

    def utterances(self) -> tuple[UtteranceBody, ...]:
        """Return the utterances in the order in which they were first offered."""
        return tuple(self._utterances.values())

    def apply(self, body: Body) -> None:
        """Fold one message in."""
        match body:
            case Reasoning():
                self._reasoning = body
                if body.phase in ("finished", "failed"):  # all is read
                    self._standing.pop("read_late", None)
            case UpdateBody():
                self._updates[body.update_id] = body
                self._bound_updates()
            case UtteranceBody():
                self._utterances[body.utterance_id] = body
                self._bound_utterances()
            case Trace():
                self._trace.add(body.items)
            case ClockBody():
                self._clock = body
            case SegmentBody():
                self._segments.pop((body.utterance_id, body.index), None)
                self._segments[body.utterance_id, body.index] = body
                _bound(self._segments, KEPT_SEGMENTS)
            case TurnBody():
                if body.phase == "decided":
                    self._turns[body.turn_id] = kept(body)
                    _bound(self._turns, KEPT_TURNS)
            case AnswerBody():
                self._answers[body.turn_id] = body
                _bound(self._answers, KEPT_ANSWERS)
            case ModeBody():
                self._mode = body
            case EarsBody():
                self._ears = body
            case CostsBody():
                self._costs = body
            case StepBody():
                keep(self._steps, body)
            case NoticeBody():
                self._note(body)
            case Hello() | Snapshot() | Past() | Ended():
                pass  # of the moment: a snapshot does not repeat them
            case _:
                assert_never(body)

    def is_true(self, code: str) -> bool:
        """Say whether a notice was told, and none that ends it since."""
        return code in self._standing

    def _note(self, body: NoticeBody) -> None:
        if body.code in messages.ENDED_BY:
            self._standing[body.code] = body
        for code, end in messages.ENDED_BY.items():
            if body.code == end:
                self._standing.pop(code, None)

    def forget_clock(self) -> None:
        """Forget the listener's clock, as it joined again."""
        self._clock = None

    def snapshot(self) -> Snapshot:
        """Return the first message of `whole`."""
        return self.whole()[0]

    def whole(self) -> tuple[Snapshot, tuple[Past, ...]]:
        """Return all that the page should have: a snapshot, and the parts that follow it.

        Evidence in words that are not kept any more is left out.
        """
        bare = Snapshot(
            reasoning=self._reasoning,
            updates=(),
            utterances=(),
            trace=(),
            clock=self._clock,
            mode=self._mode,
            ears=self._ears,
            costs=self._costs,
            earlier=self._earlier,
            notices=tuple(self._standing.values()),
        )
        trace = self._trace.pieces()
        words_from: dict[str, int] = {}
        for item in trace:
            words_from.setdefault(item.agent_id, item.start)
        history = History(
            updates=[within_reach(update, words_from) for update in self._updates.values()],
            utterances=self.utterances(),
            trace=trace,
            segments=tuple(self._segments.values()),
            turns=tuple(self._turns.values()),
            answers=tuple(self._answers.values()),
            steps=fitting(self._steps.values()),
        )
        return in_parts(bare, history)

    def as_now(self, past: Past) -> Past:
        """Return a part with the utterances as they are now, so that it undoes nothing told since."""
        now = tuple(self._utterances.get(said.utterance_id, said) for said in past.utterances)
        return past.model_copy(update={"utterances": now})

    def _bound_updates(self) -> None:
        """Drop the oldest update, but none with a critical finding that was not acknowledged."""
        if len(self._updates) <= KEPT_UPDATES:
            return
        kept = pressing(self._updates.values(), self._utterances.values())
        self._updates.pop(_oldest(self._updates, kept.__contains__))
        self._earlier += 1

    def _bound_utterances(self) -> None:
        """Drop the oldest utterance, but none of a critical finding that was not acknowledged."""
        if len(self._utterances) > KEPT_UTTERANCES:
            self._utterances.pop(_oldest(self._utterances, lambda each: is_open(self._utterances[each])))


def _oldest(kept: Mapping[_Key, object], spared: Callable[[_Key], bool]) -> _Key:
    """Return the oldest key that is not spared, or the oldest of all; the newest is never returned."""
    *older, _ = kept
    return next((key for key in older if not spared(key)), older[0])


def _bound(kept: dict[_Key, _Value], most: int) -> None:
    while len(kept) > most:
        kept.pop(next(iter(kept)))
