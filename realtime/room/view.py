"""What the page should have at this moment: a fold of everything that was sent to it.

A late joiner's snapshot is this value and nothing else, so there is no second mechanism to go wrong.
"""

from __future__ import annotations

from collections import deque
from typing import Final, TypeVar, assert_never

from realtime.protocol import (
    MAX_STATE_BYTES,
    AnswerBody,
    Body,
    ClockBody,
    CostsBody,
    EarsBody,
    Ended,
    Hello,
    ModeBody,
    NoticeBody,
    Reasoning,
    SegmentBody,
    Snapshot,
    StepBody,
    Trace,
    TraceItem,
    TurnBody,
    UpdateBody,
    UtteranceBody,
)
from realtime.room.evidence import within_reach
from realtime.room.kept import kept
from realtime.team.debate import fitting, keep

TRACE_ITEMS: Final = 400  # protocol.md; about a minute of one recorded agent
KEPT_UPDATES: Final = 200  # of a session's updates; the ledger and the record have all
KEPT_UTTERANCES: Final = 400
KEPT_SEGMENTS: Final = 40  # the words of the newest twenty utterances or so
KEPT_TURNS: Final = 20
KEPT_ANSWERS: Final = 10
KEPT_LISTS: Final = 3  # answers whose list for the page is kept: up to 4 kB each
NEWEST_UTTERANCES: Final = 60  # go last: what waits, sounds and was just heard
SNAPSHOT_BYTES: Final = MAX_STATE_BYTES - 1024  # room for the envelope

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class View:
    """The page's state. `apply` takes each message as it is sent; `snapshot` gives it whole."""

    def __init__(self) -> None:
        self._reasoning = Reasoning(phase="waiting")
        self._updates: dict[str, UpdateBody] = {}
        self._utterances: dict[str, UtteranceBody] = {}
        self._trace: deque[TraceItem] = deque(maxlen=TRACE_ITEMS)
        self._clock: ClockBody | None = None
        self._segments: dict[tuple[str, int], SegmentBody] = {}
        self._turns: dict[str, TurnBody] = {}
        self._answers: dict[str, AnswerBody] = {}
        self._steps: dict[str, StepBody] = {}
        self._mode = ModeBody()
        self._ears = EarsBody()
        self._costs = CostsBody()

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
            case UpdateBody():
                self._updates[body.update_id] = body
                _bound(self._updates, KEPT_UPDATES)
            case UtteranceBody():
                self._utterances[body.utterance_id] = body
                _bound(self._utterances, KEPT_UTTERANCES)
            case Trace():
                self._trace.extend(body.items)
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
                self._drop_old_lists()
            case ModeBody():
                self._mode = body
            case EarsBody():
                self._ears = body
            case CostsBody():
                self._costs = body
            case StepBody():
                keep(self._steps, body)
            case Hello() | Snapshot() | NoticeBody() | Ended():
                pass  # of the moment: a snapshot does not repeat them
            case _:
                assert_never(body)

    def _drop_old_lists(self) -> None:
        """Keep what answers count, and do not say, of the newest only: a snapshot has room for no more."""
        listing = [turn_id for turn_id, answer in self._answers.items() if answer.on_page]
        for turn_id in listing[:-KEPT_LISTS]:
            self._answers[turn_id] = self._answers[turn_id].model_copy(update={"on_page": ()})

    def forget_clock(self) -> None:
        """The listener's clock is not known any more (it joined again)."""
        self._clock = None

    def snapshot(self) -> Snapshot:
        """Return the whole, within `MAX_STATE_BYTES`.

        What is out of reach goes first: places of words that it does not hold. Then the agents' words go, then
        old utterances, then the oldest updates.
        """
        trace, updates = list(self._trace), list(self._updates.values())
        utterances = list(self._utterances.values())
        while True:
            whole = Snapshot(
                reasoning=self._reasoning,
                updates=tuple(updates),
                utterances=tuple(utterances),
                trace=tuple(trace),
                clock=self._clock,
                segments=tuple(self._segments.values()),
                turns=tuple(self._turns.values()),
                answers=tuple(self._answers.values()),
                mode=self._mode,
                ears=self._ears,
                costs=self._costs,
                steps=fitting(self._steps.values()),
            )
            if len(whole.model_dump_json().encode()) <= SNAPSHOT_BYTES:
                return whole
            if not (trace or updates or utterances):
                bare = {
                    "reasoning": Reasoning(phase=self._reasoning.phase),
                    "segments": (),
                    "answers": (),
                    "steps": (),
                }
                return whole.model_copy(update=bare)
            trace, updates, utterances = _smaller(trace, updates, utterances)


def _smaller(
    trace: list[TraceItem], updates: list[UpdateBody], utterances: list[UtteranceBody]
) -> tuple[list[TraceItem], list[UpdateBody], list[UtteranceBody]]:
    """Drop some of what the page can best do without: agents' words, old utterances, old updates."""
    near = _near(trace, updates)
    if near != updates:
        return trace, near, utterances
    if trace:
        return trace[len(trace) // 2 + 1 :], updates, utterances
    if len(utterances) > NEWEST_UTTERANCES or not updates:
        return trace, updates, utterances[len(utterances) // 4 + 1 :]
    kept = updates[len(updates) // 4 + 1 :]
    ids = {update.update_id for update in kept}
    return trace, kept, [said for said in utterances if said.update_id is None or said.update_id in ids]


def _near(trace: list[TraceItem], updates: list[UpdateBody]) -> list[UpdateBody]:
    """Return the updates without places of words that are not in `trace`."""
    words_from: dict[str, int] = {}
    for item in trace:
        words_from.setdefault(item.agent_id, item.start)
    return [within_reach(update, words_from) for update in updates]


def _bound(kept: dict[_Key, _Value], most: int) -> None:
    while len(kept) > most:
        kept.pop(next(iter(kept)))
