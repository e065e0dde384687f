"""Find who speaks in a LangChain or LangGraph application: the innermost agent named by its runs.

    supervisor ▸ tools ▸ ask_cardiologist (a tool) ▸ LangGraph ▸ model     "cardiologist"
    supervisor ▸ model                                                     "supervisor"

What every graph of the usual makes has ("model", "tools", "LangGraph") names nobody. An agent without a name of
its own, under whose tools other agents answer, is the supervisor. Needs no LangChain.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

UNNAMED: Final = "agent"
SUPERVISOR: Final = "supervisor"
LINEAGE: Final = "exaim_lineage"
"""The key of a run's metadata under which its `Lineage` stands, for a function that names agents."""
MOST_RUNS: Final = 20_000  # that are remembered; the oldest is forgotten beyond it
MOST_DEEP: Final = 64  # runs within one another that are looked at

_PLUMBING: Final = re.compile(
    r"|agent|model|llm|chat|generate|respond|response|answer|node|tools?|task|prompt|loop|react|graph|main|step|"
    r"draft|critique|reflect|revise|think|reason|act|execute|write|analy[sz]e|summari[sz]e|"
    r"(?:call|invoke|run)_(?:model|llm|agent|tools?)|(?:pre|post)_model_hook|should_\w+|route\w*|"
    r"LangGraph|CompiledStateGraph|Runnable\w*|Channel\w*|Branch\w*|Pregel\w*|Chat[A-Z]\w*|__\w+__|"
    r"\w*(?:PromptTemplate|OutputParser|ChatModel|Middleware(?:\.\w+)?|lambda.*)|<.*>"
)
"""What runs are called by those who make the frameworks: the name of no agent."""
_ASKS: Final = re.compile(
    r"(?:ask|consult|call|query|invoke|run|use|get|request|contact|talk_to|send_to|(?:delegate|transfer|hand_?off|"
    r"assign|handover|route)(?:_task|_work)?(?:_back)?_to)[_-](?:the_)?",
    re.IGNORECASE,
)
_TOOL: Final = re.compile(
    r"[_-](?:tool|opinion|consult(?:ation)?|advice|review|assessment|analysis)\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of an application: a chain, graph or node, or a tool."""

    kind: Literal["chain", "tool"]
    name: str


@dataclass(frozen=True, slots=True)
class Lineage:
    """The runs around a model call, innermost first. `leads`: other agents answer under its tools."""

    runs: tuple[Run, ...] = ()
    leads: bool = False

    @property
    def agent(self) -> str:
        """Return the name of the innermost agent, "" if no run names one."""
        return next((name for run in self.runs if (name := name_of(run))), "")


def name_of(run: Run) -> str:
    """Return the agent that a run is of, "" if it is of none: a tool is called by whom it asks."""
    name = run.name.strip()
    if _PLUMBING.fullmatch(name):
        return ""
    if run.kind == "chain":
        return name
    return _TOOL.sub("", _ASKS.sub("", name, count=1)) or name


def agent_of(metadata: Mapping[str, Any]) -> str:
    """Return the agent of a model call: the innermost one named by its runs, its graph or LangChain."""
    lineage = metadata.get(LINEAGE)
    if isinstance(lineage, Lineage) and lineage.runs:
        if lineage.agent:
            return lineage.agent
        if lineage.leads:
            return SUPERVISOR
    named = str(metadata.get("lc_agent_name") or "")
    if named and not _PLUMBING.fullmatch(named):
        return named
    nodes = [*_nodes(metadata), str(metadata.get("langgraph_node") or "")]
    found = next((node for node in nodes if not _PLUMBING.fullmatch(node)), "")
    if found:
        return found
    return SUPERVISOR if _plans(metadata) else UNNAMED


def _nodes(metadata: Mapping[str, Any]) -> list[str]:
    """Return the nodes of a nested graph that a call is in, innermost first."""
    space = str(metadata.get("langgraph_checkpoint_ns") or metadata.get("checkpoint_ns") or "")
    return [part.split(":", 1)[0] for part in reversed(space.split("|"))]


def _plans(metadata: Mapping[str, Any]) -> bool:
    """Return whether it is the outermost agent of `deepagents`, which has others work for it."""
    versions = metadata.get("lc_versions")
    return isinstance(versions, Mapping) and "deepagents" in versions and len(_nodes(metadata)) < 2


class Runs:
    """The runs of an application as its callbacks tell of them. From any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._runs: OrderedDict[Hashable, tuple[Run, Hashable | None]] = OrderedDict()
        self._leading: set[Hashable] = set()  # outermost runs under whose tools agents answer

    def begin(
        self, run_id: Hashable, parent_id: Hashable | None, kind: Literal["chain", "tool"], name: str
    ) -> None:
        """Record that a run has begun."""
        with self._guard:
            self._runs[run_id] = Run(kind, name), parent_id
            while len(self._runs) > MOST_RUNS:
                gone, _ = self._runs.popitem(last=False)
                self._leading.discard(gone)

    def end(self, run_id: Hashable) -> None:
        """Forget a run that is over."""
        with self._guard:
            self._runs.pop(run_id, None)
            self._leading.discard(run_id)

    def lineage(self, parent_id: Hashable | None) -> Lineage:
        """Return in which runs a call stands whose parent is `parent_id`."""
        with self._guard:
            found = [*self._above(parent_id)]
            runs = tuple(run for _, run in found)
            if not found:
                return Lineage()
            outermost = found[-1][0]
            if any(run.kind == "tool" for run in runs):
                self._leading.add(outermost)
            return Lineage(runs, leads=outermost in self._leading)

    def _above(self, run_id: Hashable | None) -> Iterator[tuple[Hashable, Run]]:
        for _ in range(MOST_DEEP):
            if run_id is None or run_id not in self._runs:
                return
            run, parent_id = self._runs[run_id]
            yield run_id, run
            run_id = parent_id
