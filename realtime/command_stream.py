"""Follow the stream of what is asked of a session, and append what the session itself asks for."""

from __future__ import annotations

from collections.abc import Callable

from infra.streams import Command, LoggedCommand
from realtime.ports import READ_BLOCK_MS, READ_COUNT, SessionFacts, Streams
from realtime.protocol import NoticeBody
from realtime.room import messages
from realtime.room.feed import Feed


class CommandStream:
    """Appends the session's start and its end, and tells the page what others asked."""

    def __init__(
        self,
        facts: SessionFacts,
        streams: Streams,
        feed: Feed,
        *,
        told_ms: float,
        acknowledge: Callable[[str], object],
        wall_ms: Callable[[], int],
    ) -> None:
        """Set what the commands are told by; nothing is read before `until_end`.

        * `told_ms`: the voice before this one told the page of all up to here, on the store's clock.
        * `acknowledge`: is given the key of a critical finding that was acknowledged.
        """
        self._session_id, self._streams, self._feed = facts.session_id, streams, feed
        self._told_ms, self._acknowledge, self._wall_ms = told_ms, acknowledge, wall_ms
        self._begun = False  # the stream has our `ready`
        self._former = ""  # the last notice of pace that the voice before this one told

    async def begin(self, how: str) -> None:
        """Ask for the reasoning to begin, once; a call that fails may be made again. Raises: StoreUnavailable."""
        if not self._begun:
            await self._append("ready", how=how)
            self._begun = True

    async def end(self) -> None:
        """Ask for the session to end. Raises: StoreUnavailable."""
        await self._append("end")

    async def until_end(self) -> None:
        """Follow the commands; return once the session is asked to end."""
        after = "0-0"
        while True:
            for logged in await self._streams.read_commands(after, block_ms=READ_BLOCK_MS, count=READ_COUNT):
                after = logged.id
                if logged.command.kind == "end":
                    return
                await self._take(logged)
            if self._former == "read_late" or (self._former and self._feed.view.is_true("read_late")):
                await self._feed.say(messages.pace_notice(self._former))
            self._former = ""

    async def _take(self, logged: LoggedCommand) -> None:
        is_new = logged.at_ms > self._told_ms
        match logged.command.kind:
            case "acknowledge":
                self._acknowledge(str(logged.command.args.get("critical_key", "")))
            case "read_late" | "read_in_time" as code:
                if is_new:
                    self._former = ""
                    await self._feed.say(messages.pace_notice(code))
                else:
                    self._former = code
            case "stranger" if is_new:
                text = "Somebody without this session's secret asked for it, and was refused."
                await self._feed.say(NoticeBody(code="stranger", text=text))

    async def _append(self, kind: str, **args: str) -> None:
        """Append a command that a session takes only once: its id is the same for every worker."""
        await self._streams.append_command(
            Command(
                kind=kind,
                by="clinician",
                at_ms=self._wall_ms(),
                args=args,
                command_id=f"{self._session_id}.{kind}",
            )
        )
