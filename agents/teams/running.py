"""A run of a team's graph as a stream of events: one END, whatever happens, and nothing left behind."""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from langchain_core.runnables import RunnableConfig
from langsmith import tracing_context

from agents.stream import TeamEvent
from agents.teams.budgets import Budget, Ledger, Prices, priced
from agents.teams.calling import Calls
from agents.teams.checking import checked
from agents.teams.errors import TeamError
from agents.teams.event_queue import EventQueue
from agents.teams.one_call import TEAM, Callers
from agents.teams.port import Case, Inbox, Models
from agents.teams.reasons import why
from agents.teams.said_before import SaidBefore
from chat_models import CallLimits, LLMError, Pace

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

log = logging.getLogger(__name__)

STEPS_MOST: Final = 200  # of a graph; four doctors make 6 a round


@dataclass(frozen=True, slots=True)
class RunCheckpoints:
    """Where a run's checkpoints are, and from which turn on a run that goes on may number.

    `away`: what the saver raises while it can't keep anything. The run raises it too, with no word of it to whoever
    listens, and goes on when it is begun again. `said`: what its session has of it already.
    """

    saver: BaseCheckpointSaver[Any]
    thread_id: str
    first_turn: int = 0
    away: tuple[type[Exception], ...] = ()
    said: SaidBefore = field(default_factory=SaidBefore)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """How a team is run: its bounds, and where it is kept, if it is.

    `free`: the models cost nothing. `structured`: how they are asked for a declared form (models.yaml).
    """

    budget: Budget = field(default_factory=Budget)
    limits: CallLimits = TEAM
    pace: Pace = field(default_factory=Pace)
    prices: Prices = field(default_factory=priced)
    free: bool = False
    streams: bool = True
    structured: str = "json_schema"
    kept: RunCheckpoints | None = None

    def ledger(self) -> Ledger:
        """Return the account of a run that begins now, on the clock of the running loop."""
        return Ledger(self.budget, asyncio.get_running_loop().time, self.prices, self.free)

    def callers(self, models: Models) -> Callers:
        """Return how the models are called, on the same clock."""
        pace = replace(self.pace, now_s=asyncio.get_running_loop().time)
        return Callers(
            models, structured=self.structured, limits=self.limits, pace=pace, streams=self.streams
        )


Outcome = dict[str, Any]
Build = Callable[[Calls], Any]
"""Makes a graph that is not compiled yet, for one run's calls."""


async def run_graph(
    build: Build,
    start: Callable[[Case], Mapping[str, Any]],
    case: Case,
    models: Models,
    inbox: Inbox,
    how: Running,
    outcome: Outcome | None = None,
) -> AsyncGenerator[TeamEvent, None]:
    """Run a graph, and yield what its agents say; the final state is put into `outcome`.

    A run that was killed goes on where its checkpoint is. Closing this ends every call that is under way.
    """
    queue = EventQueue(secrets.token_hex(8), first_turn=how.kept.first_turn if how.kept else 0)
    calls = Calls.of(how.callers(models), queue, how.ledger(), inbox)
    going = _gone_through(build(calls), start, case, how, {} if outcome is None else outcome)
    work = told(queue, going, how.kept.away if how.kept else ())
    async with aclosing(queue.fetch(work)) as events:
        async for event in events:
            yield event


async def _gone_through(
    graph: Any, start: Callable[[Case], Mapping[str, Any]], case: Case, how: Running, outcome: Outcome
) -> None:
    checked(case)
    compiled = graph.compile(checkpointer=how.kept.saver if how.kept else None)
    config: RunnableConfig = {"recursion_limit": STEPS_MOST, "callbacks": []}
    options: dict[str, Any] = {}
    first: Mapping[str, Any] | None = start(case)
    if how.kept is not None:
        config["configurable"] = {"thread_id": how.kept.thread_id}
        options["durability"] = "sync"
        if await how.kept.saver.aget_tuple(config) is not None:
            first = None
    with tracing_context(enabled=False):
        outcome.update(await compiled.ainvoke(first, config, **options))


async def told(queue: EventQueue, work: Any, away: tuple[type[Exception], ...] = ()) -> None:
    """Do the work; report a failure as ERROR without words of the case. Raises: the exceptions in `away`."""
    try:
        await work
    except away:
        raise
    except TeamError as error:
        await queue.error(str(error))
    except LLMError as error:
        await queue.error(f"the team can't go on: {why(error)}")
    except Exception as error:  # a library's: the session must still be told its end
        log.error("a team failed: %s at %s", type(error).__name__, _where(error))  # noqa: TRY400 - see there
        await queue.error(f"the team failed ({type(error).__name__}); its log says where")


def _where(error: BaseException) -> str:
    """Return where an error was raised. Its text is left out, for it may quote a case."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
