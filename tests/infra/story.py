"""A session as it happened, for the tests of reports: values for the pure parts, and the same in a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, TokenType, TurnMark
from exaim_core import AgentSummary, SpokenItem, SpokenKind, Update
from infra.keys import SessionKeys
from infra.ledger import LedgerEntry, SpeechLedger
from infra.sessions import SessionRecord, SessionStore
from infra.streams import Command, LoggedCommand, SessionStreams
from tests.infra.making import session, taken
from tts_queue.model import Move, Priority, Utterance
from tts_queue.phases import Phase

T0_MS = 1_790_000_000_000
SAMPLES = 48_000


def update(number: int, *items: SpokenItem, at_s: float = T0_MS / 1000, key: str = "K is 6.8.") -> Update:
    """Return an update whose items rest on words of `at_s`."""
    return Update(
        number=number,
        path="A",
        reason="words",
        summary=AgentSummary(
            status_action="Under review.",
            key_findings=key,
            differential_rationale="Renal injury leads.",
            uncertainty_confidence="Moderate.",
            recommendation_next_step="Repeat it.",
            agent_contributions="Doctor Zero leads.",
        ),
        items=items,
        last_delta_at_s=at_s,
    )


def item(text: str, kind: SpokenKind = SpokenKind.FINDING, **more: Any) -> SpokenItem:
    """Return something worth saying, by doctor0."""
    return SpokenItem(item_id="0001.1", kind=kind, text=text, agents=("doctor0",), **more)


def utterance(uid: str, text: str = "One two.", **more: Any) -> Utterance:
    """Return an utterance of the update that its id names."""
    return Utterance(uid, text, more.pop("priority", Priority.SUMMARY), more.pop("kind", "finding"), **more)


def entry(
    uid: str, phase: Phase, heard_s: float = 0.0, *, reason: str | None = None, at_ms: int = 0, **more: Any
) -> LedgerEntry:
    """Return a ledger's entry that is in `phase` since `at_ms` after the beginning."""
    move = None
    if phase is not Phase.QUEUED:
        heard = round(heard_s * SAMPLES)
        whole = phase is Phase.SPOKEN
        move = Move(
            uid, 2, Phase.SPEAKING, phase, 1.0, reason=reason, heard=heard, total=heard, complete=whole
        )
    return LedgerEntry(utterance(uid, **more), move, 1, 1, T0_MS, T0_MS + at_ms)


def command(kind: str, at_ms: int = 0, args: Mapping[str, Any] | None = None) -> LoggedCommand:
    """Return a command as the stream has it."""
    asked = Command(
        kind=kind, by="clinician", at_ms=T0_MS + at_ms, args=dict(args or {}), command_id=f"{kind}.{at_ms}"
    )
    return LoggedCommand(f"{T0_MS + at_ms}-0", T0_MS + at_ms, asked, 1)


def turn(turn_id: str, text: str, effect: str, **more: Any) -> dict[str, Any]:
    """Return what the voice notes of a decided turn."""
    return {"turn_id": turn_id, "phase": "decided", "text": text, "effect": effect, **more}


async def lived(client: Redis, session_id: str = "s-1", thread_id: str | None = None) -> SessionRecord:
    """Store a session in which one item was heard, one held, and one question asked; it is under way."""
    record = await SessionStore(client).create(session(session_id, thread_id))
    keys = record.keys
    await _reasoned(client, keys)
    ledger = SpeechLedger(client, keys, await taken(client, keys, "voice"))
    first, second = f"u-{session_id}-0001.1", f"u-{session_id}-0001.2"
    for uid, text in ((first, "K is 6.8."), (second, "Repeat it.")):
        await ledger.create(utterance(uid, text, update_id=f"u-{session_id}-0001"))
        await ledger.move(Move(uid, 1, Phase.QUEUED, Phase.SPEAKING, 1.0))
    await ledger.move(Move(first, 2, Phase.SPEAKING, Phase.SPOKEN, 2.0, heard=SAMPLES, total=SAMPLES))
    await ledger.move(Move(second, 2, Phase.SPEAKING, Phase.HELD, 3.0, heard=SAMPLES // 2))
    streams = SessionStreams(client, keys)
    for kind, args in (("ready", {}), ("turn", turn("t-1-1", "What is the potassium?", "answer"))):
        await streams.append_command(
            Command(kind=kind, by="clinician", at_ms=T0_MS, args=args, command_id=f"{session_id}.{kind}")
        )
    await client.delete(keys.name("lease:voice"), keys.name("lease:reason"))  # both workers have left
    return record


async def _reasoned(client: Redis, keys: SessionKeys) -> None:
    fence = await taken(client, keys, "reason")
    streams = SessionStreams(client, keys)
    ids = {"thread_id": keys.thread_id, "trace_id": "r-1", "session_id": keys.session_id}
    said = ("", "K is", " 6.", "8. ", "Repeat", " it.")
    for seq, text in enumerate(said):
        mark = TurnMark.TURN_START if seq == 0 else None
        kind = EventType.TOKEN if text else EventType.METADATA
        token = TokenType.LLM_RESPONSE if text else None
        event = StreamEvent(
            type=kind, data=text, token_type=token, mark=mark, agent_id="doctor0", seq=seq, **ids
        )
        await streams.append_events([event], fence)
    made = update(1, item("K is 6.8."), item("Repeat it.", SpokenKind.TEST))
    await streams.commit_update(made, f"u-{keys.session_id}-0001", fence)
