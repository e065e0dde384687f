"""Values of a scene, with only what a test is about to be said."""

from __future__ import annotations

import json
from typing import Any

from agents.inbox import MessageKind, TeamMessage
from agents.stream import EventType, StreamEvent, TokenType, TurnMark
from exaim_core import AgentSummary, SpokenItem, SpokenKind, Update
from infra.ledger import LedgerEntry
from realtime.protocol import Beat, ClockKind, SummaryBody, TraceItem, UpdateBody, UtteranceBody
from realtime.testing import EPOCH_MS
from tts_queue import HoldCause, Move, Phase, Priority, SegmentMark, Utterance

SUMMARY = {
    "status_action": "Under review.",
    "key_findings": "Potassium 6.8.",
    "differential_rationale": "Renal injury leads.",
    "uncertainty_confidence": "Moderate.",
    "recommendation_next_step": "Repeat it.",
    "agent_contributions": "Doctor Zero leads.",
}


def spoken(text: str, kind: SpokenKind = SpokenKind.FINDING, **more: Any) -> SpokenItem:
    return SpokenItem(item_id="0001.1", kind=kind, text=text, **more)


def update(number: int, *items: SpokenItem, path: str = "A", last_delta_at_s: float = 0.0) -> Update:
    return Update.model_validate(
        {
            "number": number,
            "path": path,
            "reason": "words",
            "summary": AgentSummary(**SUMMARY),
            "items": items,
            "last_delta_at_s": last_delta_at_s,
        }
    )


def update_id(number: int) -> str:
    return f"u-s-1-{number:04d}"


def update_body(number: int, text: str = "x") -> UpdateBody:
    return UpdateBody(
        update_id=update_id(number),
        number=number,
        path="A",
        summary=SummaryBody(**{**SUMMARY, "key_findings": text}),
        items=(),
    )


def utterance(
    uid: str = "x", text: str = "One two three.", *, kind: str = "finding", **more: Any
) -> Utterance:
    return Utterance(uid, text, more.pop("priority", Priority.SUMMARY), kind, **more)


def entry(
    u: Utterance, phase: Phase = Phase.QUEUED, *, number: int = 1, heard: int = 0, at_ms: int = 0,
    segments: tuple[SegmentMark, ...] = (), reason: str | None = None, cause: HoldCause | None = None,
) -> LedgerEntry:  # fmt: skip
    """Return what the ledger has of an utterance that came to `phase`, `at_ms` on the store's clock."""
    move = None
    if phase is not Phase.QUEUED:
        came_from = Phase.QUEUED if phase is Phase.SPEAKING else Phase.SPEAKING
        move = Move(
            u.utterance_id, number, came_from, phase, 0.0, cause=cause, reason=reason, heard=heard,
            start_sample=1, segments=segments,
        )  # fmt: skip
    return LedgerEntry(u, move, 1, 1, 0, at_ms)


def utterance_body(uid: str, phase: str = "queued", text: str = "x", of: str | None = None) -> UtteranceBody:
    return UtteranceBody(
        utterance_id=uid,
        update_id=of,
        item_id=uid if of else None,
        kind="finding",
        priority="summary",
        text=text,
        phase=phase,
    )


def trace_item(text: str, agent_id: str = "doctor0", turn: int = 0) -> TraceItem:
    return TraceItem(agent_id=agent_id, name="Doctor Zero", turn=turn, text=text)


def beat(seq: int, position: int | None, onset: int | None = None, clock: ClockKind = ClockKind.RTP) -> Beat:
    return Beat(v=1, seq=seq, clock=clock, position=position, onset=onset)


def command(seq: int, kind: str = "ready", **more: Any) -> str:
    return json.dumps({"v": 1, "seq": seq, "kind": kind, **more})


def question() -> TeamMessage:
    """Return what the clinician asked Doctor One."""
    return TeamMessage(id="m", kind=MessageKind.QUESTION, text="Why?", to="doctor1", at_ms=EPOCH_MS)


def reply(message_id: str, agent: str, *texts: str, turn: int = 7) -> list[StreamEvent]:
    """Return an agent's turn that answers a message of the clinician's."""
    ids = {"thread_id": "s-1", "trace_id": "case", "session_id": "s-1", "agent_id": agent, "turn": turn}
    ids |= {"in_reply_to": message_id}
    kind = TokenType.AGENT_THOUGHT_LLM_RESPONSE
    tokens = [
        StreamEvent(type=EventType.TOKEN, token_type=kind, data=text, seq=seq, **ids)
        for seq, text in enumerate(texts)
    ]
    end = StreamEvent(type=EventType.METADATA, mark=TurnMark.TURN_END, seq=len(texts), **ids)
    return [*tokens, end]
