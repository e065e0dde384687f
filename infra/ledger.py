"""Keep the speech ledger: every utterance of a session, its phase, and the reason for it.

An entry is created once, under a deterministic id, and then only moved. Each move carries its number, and the
store takes number n only after n - 1. So a record that is sent twice counts once, one of two racing writers
wins, and a successor sees exactly what was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from redis.asyncio import Redis

from infra.errors import (
    CorruptSession,
    Fenced,
    StaleVersion,
    StoreError,
    StoreUnavailable,
    TornSession,
)
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.scripts import Scripts
from infra.store import readable
from tts_queue.model import Move, Utterance
from tts_queue.phases import HoldCause, IllegalTransition, Phase, advance
from tts_queue.ports import LogUnavailable, SpeechLog

_UTTERANCE: Final = TypeAdapter(Utterance)
_MOVE: Final = TypeAdapter(Move)


class UnknownUtterance(StoreError):
    """A move names an utterance that was never created."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The clause that began to sound last, counted from 0, and the move of its utterance before it."""

    utterance_id: str
    number: int
    clause: int


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An utterance and its last move.

    `seq` counts the session's utterances from 1, in order of creation. `version` is the number of the
    last move, 0 before the first: the next one carries `version + 1`. `epoch` is of the worker that
    wrote last. Times are the store's, ms since the epoch.
    """

    utterance: Utterance
    move: Move | None
    seq: int
    epoch: int
    created_at_ms: int
    moved_at_ms: int

    @property
    def version(self) -> int:
        """Return the number of the last move, 0 before the first."""
        return self.move.number if self.move else 0

    @property
    def phase(self) -> Phase:
        """Return the utterance's phase."""
        return self.move.phase_to if self.move else Phase.QUEUED

    @property
    def cause(self) -> HoldCause | None:
        """Return why the utterance is held, if it is."""
        return self.move.cause if self.move else None

    @property
    def reason(self) -> str | None:
        """Return the reason for the last move, if one was recorded."""
        return self.move.reason if self.move else None


class SpeechLedger(SpeechLog):
    """Writes one session's ledger under the fence of the voice lease; reads it under none.

    Args:
        fence: the writer's; None for a reader, whose writes then raise Fenced.
    """

    def __init__(self, client: Redis, keys: SessionKeys, fence: Fence | None = None) -> None:
        self._token = fence.token if fence is not None else ""
        self._scripts = Scripts(client, keys)

    async def create(self, utterance: Utterance) -> None:
        """Record `utterance` as QUEUED, unless its id is known. Raises: Fenced, LogUnavailable."""
        body = _UTTERANCE.dump_json(utterance).decode()
        word, _ = await self._write("create_utterance", utterance.utterance_id, body)
        if word == "FENCED":
            raise Fenced("voice")

    async def move(self, move: Move) -> None:
        """Record one change of phase; the same move again is accepted.

        Raises:
            IllegalTransition: the table has no such move, or the entry is in another phase.
            StaleVersion: the entry has moved since, or a move before this one is missing.
            UnknownUtterance, Fenced, LogUnavailable.
        """
        advance(move.phase_from, move.phase_to)
        body = _MOVE.dump_json(move).decode()
        word, detail = await self._write(
            "move_utterance", move.utterance_id, move.number, move.phase_from, move.phase_to, body
        )
        match word:
            case "FENCED":
                raise Fenced("voice")
            case "UNKNOWN":
                raise UnknownUtterance(f"utterance {move.utterance_id} was never created")
            case "STALE":
                raise StaleVersion(f"utterance {move.utterance_id}", move.number - 1, int(detail))
            case "PHASE":
                raise IllegalTransition(Phase(detail), move.phase_to)

    async def reached(self, utterance_id: str, number: int, clause: int) -> None:
        """Record that `clause` began to sound, after move `number`. Raises: Fenced, LogUnavailable."""
        word, _ = await self._write("reached", utterance_id, number, clause)
        if word == "FENCED":
            raise Fenced("voice")

    async def clause(self) -> Reached | None:
        """Return the clause that began to sound last, None if none was recorded.

        Raises: StoreUnavailable, CorruptSession.
        """
        (found,) = await self._scripts.read("clause")
        if not found:
            return None
        try:
            number, clause, utterance_id = found.split(":", 2)
            return Reached(utterance_id, int(number), int(clause))
        except ValueError as error:
            raise CorruptSession("the clause that sounded last", type(error).__name__) from None

    async def entries(self) -> list[LedgerEntry]:
        """Return all entries, as they are at one moment, in order of creation.

        Raises: StoreUnavailable, NewerSchema, TornSession, CorruptSession.
        """
        parts = await self._scripts.read("ledger_entries")
        try:
            return [_entry(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
        except ValidationError as error:  # its text may quote what was to be said
            raise CorruptSession("an entry of the ledger", type(error).__name__) from None

    async def _write(self, name: str, *args: str | int) -> tuple[str, str]:
        try:
            return await self._scripts.run(name, self._token, *args)
        except StoreUnavailable as error:
            raise LogUnavailable(str(error)) from error


class _Head(BaseModel):
    """The version of a record, which is read first, so that a newer one is refused and not misread."""

    model_config = ConfigDict(extra="allow")
    v: object


class _Made(BaseModel):
    seq: int
    epoch: int
    at_ms: int
    utterance: Utterance


class _Moved(BaseModel):
    seq: int
    epoch: int
    at_ms: int
    move: Move


def _entry(made_json: str, moved_json: str) -> LedgerEntry:
    if not made_json:
        raise TornSession("an utterance of the ledger is gone; the store has dropped part of the session")
    made = _Made.model_validate_json(_checked(made_json))
    if not moved_json:
        return LedgerEntry(made.utterance, None, made.seq, made.epoch, made.at_ms, made.at_ms)
    moved = _Moved.model_validate_json(_checked(moved_json))
    return LedgerEntry(
        _as_told(made.utterance, moved.move), moved.move, made.seq, moved.epoch, made.at_ms, moved.at_ms
    )


def _as_told(utterance: Utterance, move: Move) -> Utterance:
    """Return an utterance in the words that it had when it last moved."""
    return utterance if move.text is None else replace(utterance, text=move.text)


def _checked(text: str) -> str:
    readable("an entry of the ledger", _Head.model_validate_json(text).v, 1)
    return text
