"""Take a client's commands: from the clinician only, of known kinds, and each once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from realtime.protocol import (
    BadMessage,
    ClientCommand,
    CommandAnswer,
    CommandError,
    CommandKind,
    parse_command,
)

REMEMBERED: Final = 64  # answers kept for a repeated `seq`; a client has one command under way at a time

Handler = Callable[[ClientCommand], Awaitable[None]]
_Code = Literal["bad_message", "unknown_kind", "not_allowed", "too_late"]


class TooLate(Exception):
    """The session has ended; nothing more is taken."""


class CommandDispatcher:
    """Answers RPC calls. A repeated `seq` of one client gets the first answer and does nothing more.

    Only `ready` is always done: a client that comes back counts anew, and news of it may be seconds late.
    Nothing is done before `open`: a client can be in the room before the session knows what it goes on with.
    """

    def __init__(self, clinician: str, handlers: dict[CommandKind, Handler]) -> None:
        self._clinician = clinician
        self._handlers = handlers
        self._opened = asyncio.Event()
        self._answered: OrderedDict[int, str] = OrderedDict()
        self._turn = asyncio.Lock()  # a call repeated while the first is under way waits for its answer

    def open(self) -> None:
        """Take commands from now on, and those that wait."""
        self._opened.set()

    def forget(self) -> None:
        """The client joined again: its `seq` starts from 1."""
        self._answered.clear()

    async def take(self, caller: str, payload: str) -> str:
        """Return the answer to one call, as JSON. Raises nothing that the caller is to blame for."""
        if caller != self._clinician:
            return _refusal("not_allowed", "only the clinician of this session may send commands")
        try:
            command = parse_command(payload)
        except BadMessage as error:
            return _refusal("bad_message", str(error))
        await self._opened.wait()  # the caller has a deadline for its answer
        async with self._turn:
            if command.kind == CommandKind.READY and command.seq in self._answered:
                self.forget()  # another connection, the news of which is late, or the same asking again
            if command.seq not in self._answered:
                self._answered[command.seq] = await self._do(command)
            while len(self._answered) > REMEMBERED:
                self._answered.popitem(last=False)
            return self._answered[command.seq]

    async def _do(self, command: ClientCommand) -> str:
        handler = self._handlers.get(CommandKind(command.kind)) if command.kind in set(CommandKind) else None
        if handler is None:
            known = ", ".join(CommandKind)
            return _refusal("unknown_kind", f"this version knows: {known}")
        try:
            await handler(command)
        except TooLate:
            return _refusal("too_late", "the session has ended")
        except BadMessage as error:
            return _refusal("bad_message", str(error))
        return CommandAnswer(ok=True).model_dump_json(exclude_none=True)


def _refusal(code: _Code, message: str) -> str:
    return CommandAnswer(ok=False, error=CommandError(code=code, message=message)).model_dump_json()
