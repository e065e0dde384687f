"""The graph of the doctors.

doctor0 ─▶ doctor1 ─▶ … ─▶ supervisor ─▶ doctor0 ─▶ … , until the supervisor decides
"""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph

from agents.stream import ProgressKind, TokenContext
from agents.teams.answering import heard
from agents.teams.asking import question
from agents.teams.calling import Ask, CallCosts, Calls, Said, missing, whole_lines
from agents.teams.decisions import is_final
from agents.teams.errors import NobodyAnswers
from agents.teams.port import Case
from exaim_core.text.names import spoken_name

SUPERVISOR: Final = "supervisor"
ROUNDS: Final = 3
ROUNDS_MOST: Final = 30  # each is 6 steps of the graph with four doctors, and a run has `STEPS_MOST`
MUST_END: Final = "This is the last round: decide now, from what there is."
MAY_END: Final = "Let it go on only if an answer could change what is to be done."


class DoctorsState(TypedDict, total=False):
    """A discussion on its way."""

    case: str
    round: int
    said: Annotated[list[Said], operator.add]
    failed: Annotated[list[str], operator.add]
    notes: Annotated[list[dict[str, Any]], operator.add]
    spent: Annotated[list[CallCosts], operator.add]
    over: bool
    final: str


class Doctors:
    """The nodes of one run."""

    def __init__(self, calls: Calls, doctors: tuple[str, ...], rounds: int | None) -> None:
        self._calls, self._doctors = calls, doctors
        self._rounds = min(rounds or ROUNDS, ROUNDS_MOST)

    async def open_round(self, state: DoctorsState) -> DoctorsState:
        """Begin a round: take what the clinician sent, and say which round it is."""
        round = state.get("round", 0) + 1
        facts, answers = await heard(
            self._calls,
            f"messages:{round}",
            case=state["case"],
            round=round,
            chair=SUPERVISOR,
            agents={each: each for each in (*self._left(state), SUPERVISOR)},
            said=state.get("said", []),
            notes=state.get("notes", []),
        )
        left = self._left(state)
        await self._calls.step(f"round:{round}", ProgressKind.ROUND, left, f"Round {round}", round)
        return {"round": round, "said": answers, "notes": facts}

    def doctor(self, name: str) -> Callable[[DoctorsState], Awaitable[DoctorsState]]:
        """Return the node of one doctor's turn."""

        async def turn(state: DoctorsState) -> DoctorsState:
            if name in state.get("failed", []) or self._calls.is_spent():
                return {}
            words = {"name": spoken_name(name), "count": str(len(self._doctors))}
            said = await self._calls.said(self._ask(state, name, "doctor", "turn", words))
            return {"failed": missing(said)} if said["failed"] else {"said": [said]}

        return turn

    async def supervise(self, state: DoctorsState) -> DoctorsState:
        """Decide, or have it go on. Raises: NobodyAnswers: nobody said anything."""
        if not state.get("said"):
            raise NobodyAnswers(spent=self._calls.is_spent() and not state.get("failed"))
        must = state["round"] >= self._rounds or not self._left(state) or self._calls.is_spent()
        words = {
            "count": str(len(self._doctors)),
            "round": str(state["round"]),
            "most": str(self._rounds),
            "ending": MUST_END if must else MAY_END,
        }
        if must:
            await self._calls.step(
                "synthesis", ProgressKind.SYNTHESIS, (SUPERVISOR,), "The supervisor decides", state["round"]
            )
        said = await self._calls.said(
            self._ask(state, SUPERVISOR, "supervisor", "chair", words, closing=must)
        )
        if said[
            "failed"
        ]:  # whoever chairs is asked again in the next round, and is not missing until the last
            return {"failed": missing(said) if must else [], "over": must}
        over = must or is_final(whole_lines(said))
        return {"said": [said], "over": over, "final": said["text"] if over else ""}

    async def after_supervisor(self, state: DoctorsState) -> str:
        """Return where it goes on."""
        return END if state.get("over") else "round"

    def _left(self, state: DoctorsState) -> list[str]:
        return [each for each in self._doctors if each not in state.get("failed", [])]

    def _ask(
        self,
        state: DoctorsState,
        agent: str,
        prompt: str,
        kind: str,
        words: dict[str, str],
        *,
        closing: bool = False,
    ) -> Ask:
        chairs = agent == SUPERVISOR
        messages = question(
            prompt,
            state["case"],
            kind=kind,
            round=state["round"],
            said=state.get("said", []),
            notes=state.get("notes", []),
            words=words,
            unheard=state.get("failed", []),
        )
        return Ask(
            agent=agent,
            role=agent,
            key=f"{agent}:{state['round']}",
            messages=messages,
            context=TokenContext.FINAL_SYNTHESIS if chairs else TokenContext.AGENT_THOUGHT,
            round=state["round"],
            closing=closing,
            chairs=chairs,
        )


def build_doctors_graph(calls: Calls, doctors: tuple[str, ...], rounds: int | None = None) -> Any:
    """Return the graph of one run, not compiled yet."""
    nodes = Doctors(calls, doctors, rounds)
    graph: Any = StateGraph(DoctorsState)
    graph.add_node("round", calls.keeping(nodes.open_round))
    graph.add_node(SUPERVISOR, calls.keeping(nodes.supervise))
    graph.add_edge(START, "round")
    before = "round"
    for name in doctors:
        graph.add_node(name, calls.keeping(nodes.doctor(name)))
        graph.add_edge(before, name)
        before = name
    graph.add_edge(before, SUPERVISOR)
    graph.add_conditional_edges(SUPERVISOR, nodes.after_supervisor, ["round", END])
    return graph


def start(case: Case) -> DoctorsState:
    """Return the state that a case begins with."""
    return {"case": case.text, "round": 0, "said": [], "failed": [], "notes": [], "final": ""}
