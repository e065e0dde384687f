"""Keep the tasks of a run without a graph, by name, in the task writes of one checkpoint.

LangGraph knows a task by its place in the order of calls. Agents who work at once in plain code call in another
order after a kill; so here a task has a name that is the same again. What is kept, and when, is as in calling.py
(docs/decisions/046): an answer before its turn ends. What was told is known to the session's log (`said_before`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from langgraph.checkpoint.base import empty_checkpoint

from agents.teams.port import Inbox, Message

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from agents.teams.running import RunCheckpoints

T = TypeVar("T")
_VALUE: Final = "task"  # the channel of what a task brought


@dataclass(slots=True)
class Tasks:
    """The tasks of one run. Without `kept` nothing is kept, and each task is made.

    `keep` and `once` raise what the saver raises.
    """

    kept: RunCheckpoints | None = None
    _config: RunnableConfig | None = None
    _found: dict[str, Any] = field(default_factory=dict)
    _named: Counter[str] = field(default_factory=Counter)
    _seen: set[str] = field(default_factory=set)  # messages of the clinician

    @classmethod
    async def of(cls, kept: RunCheckpoints | None) -> Tasks:
        """Return the tasks of a run that begins or goes on. Raises: what the saver raises."""
        if kept is None:
            return cls()
        config: RunnableConfig = {"configurable": {"thread_id": kept.thread_id, "checkpoint_ns": ""}}
        before = await kept.saver.aget_tuple(config)
        if before is not None:
            writes = before.pending_writes or []
            found = {name: json.loads(value) for name, channel, value in writes if channel == _VALUE}
            return cls(kept, before.config, found)
        about: Any = {"source": "input", "step": -1, "parents": {}}
        return cls(kept, await kept.saver.aput(config, empty_checkpoint(), about, {}))

    def name(self, *parts: object) -> str:
        """Return the name of the next task of these parts: the same again in a run that goes on."""
        named = "/".join("" if each is None else str(each) for each in parts)
        self._named[named] += 1
        return f"{named}#{self._named[named]}"

    def found(self, name: str) -> Any:
        """Return what a task brought in an earlier life; None: it was not made."""
        return self._found.get(name)

    async def keep(self, name: str, value: Any) -> None:
        """Keep a task's result: plain data, not None. In ASCII, as a model may write half a character."""
        if self.kept is not None and self._config is not None:
            await self.kept.saver.aput_writes(self._config, [(_VALUE, json.dumps(value))], name)

    async def once(self, name: str, make: Callable[[], Awaitable[T]]) -> T:
        """Return what a task brought; it is made if no earlier life has made it."""
        found: T | None = self.found(name)
        if found is not None:
            return found
        made = await make()
        await self.keep(name, made)
        return made

    async def messages(self, inbox: Inbox) -> list[Message]:
        """Return what the clinician sent since the last time; the same again in a run that goes on."""

        async def take() -> list[list[Any]]:
            return [[each.message_id, each.text, each.to, each.is_fact] for each in inbox.take()]

        came = [_message(each) for each in await self.once(self.name("messages"), take)]
        new = [each for each in came if each.message_id not in self._seen]
        self._seen.update(each.message_id for each in new)
        return new


def _message(kept: Sequence[Any]) -> Message:
    message_id, text, to, is_fact = kept
    return Message(str(message_id), str(text), str(to), bool(is_fact))
