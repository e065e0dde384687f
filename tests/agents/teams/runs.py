"""Runs of teams, and what their events say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from agents.stream import THOUGHT, Decision, EventType, Progress, ProgressKind, TeamEvent, TurnMark
from agents.teams.cdss import CdssTeam
from agents.teams.clinical_case import ClinicalCase
from agents.teams.doctors import DoctorsTeam
from agents.teams.port import Case, Inbox, Message, Models, NoInbox
from agents.teams.scripted import Script, ScriptedChatModel, ScriptedModels, ScriptLine

CASE = Case("case-1", "A woman of 68 has had a fit. Her sodium is 112 mmol/L.", "A fit")
VIEW = "### Most Likely Diagnosis\n**{} of {}** - the sodium is 112 mmol/L.\n"
FINAL = "### Final Decision\n**Low sodium** - all hold it.\n### Immediate Actions\n- Give saline.\n"
SPECIALISTS = ("laboratory", "cardiology", "internal_medicine", "radiology")


def line(text: str = "", **more: Any) -> ScriptLine:
    return ScriptLine(text=text, **{"first_s": 1.0, "words_per_s": 10.0, **more})


def route(*agents: str, done: bool = False) -> ScriptLine:
    plan = [{"specialist": each, "task": f"Look at it, {each}."} for each in agents]
    return line(form={"summary": "Sodium 112.", "next": plan, "done": done})


def cdss_lines(**changed: dict[str, dict[int, ScriptLine]]) -> dict[str, dict[str, dict[int, ScriptLine]]]:
    """Two specialists at once, then one, then the synthesis."""
    lines: dict[str, dict[str, dict[int, ScriptLine]]] = {
        "orchestrator": {
            "route": {1: route("laboratory", "cardiology"), 2: route("radiology"), 3: route(done=True)},
            "synthesis": {0: line(FINAL)},
        },
        **{each: {"turn": {1: line(VIEW.format("Low sodium", each))}} for each in SPECIALISTS},
    }
    return {**lines, **changed}


def doctors_lines(**changed: dict[str, dict[int, ScriptLine]]) -> dict[str, dict[str, dict[int, ScriptLine]]]:
    lines: dict[str, dict[str, dict[int, ScriptLine]]] = {
        f"doctor{number}": {"turn": {1: line(VIEW.format("Low sodium", number)), 2: line("I agree.")}}
        for number in range(4)
    }
    lines["supervisor"] = {"chair": {1: line("### Open Questions\n- Which drug?\n"), 2: line(FINAL)}}
    return {**lines, **changed}


def models(lines: dict[str, dict[str, dict[int, ScriptLine]]], *, speed: float = 1.0) -> ScriptedModels:
    script = Script(version=1, case=ClinicalCase(chief_complaint="A fit"), lines={"team": lines})
    return ScriptedModels(script, "team", speed=speed)


async def events_of(
    team: CdssTeam | DoctorsTeam, models: Models, case: Case = CASE, inbox: Inbox | None = None
) -> list[TeamEvent]:
    async with aclosing(team.run(case, models, inbox or NoInbox())) as events:
        return [event async for event in events]


def words(events: Iterable[TeamEvent], agent: str, turn: int | None = None) -> str:
    """Return what an agent answered."""
    return "".join(
        each.data
        for each in events
        if each.type is EventType.TOKEN
        and each.agent_id == agent
        and each.token_type not in THOUGHT
        and turn in (None, each.turn)
    )


def steps(events: Iterable[TeamEvent], kind: ProgressKind) -> list[Progress]:
    return [each.progress for each in events if each.progress is not None and each.progress.kind is kind]


def decisions(events: Iterable[TeamEvent], agent: str) -> list[Decision]:
    return [each.decision for each in events if each.decision is not None and each.agent_id == agent]


def marks(events: Iterable[TeamEvent]) -> list[tuple[str | None, int | None, TurnMark]]:
    return [(each.agent_id, each.turn, each.mark) for each in events if each.mark is not None]


def checked(events: Sequence[TeamEvent]) -> Sequence[TeamEvent]:
    """Hold events against what every team keeps to: numbers, one END, whole turns, decisions that are borne."""
    assert [each.seq for each in events] == list(range(len(events)))
    assert [each.type for each in events].count(EventType.END) == 1
    assert events[-1].type is EventType.END
    opened: dict[int, str | None] = {}
    for each in events:
        if each.mark is TurnMark.TURN_START and each.turn is not None:
            assert each.turn not in opened, "a turn begins once"
            opened[each.turn] = each.agent_id
        elif each.mark is not None and each.turn is not None:
            opened[each.turn] = None
        elif each.type is EventType.TOKEN and each.turn is not None:
            assert opened[each.turn] == each.agent_id
        elif each.decision is not None and each.agent_id is not None:
            assert each.decision.rests_on in words(events, each.agent_id, each.turn)
    assert not any(opened.values()), "every turn has its end"
    return events


class Sent:
    """An inbox that holds what was sent before each look."""

    def __init__(self, *looks: Sequence[Message]) -> None:
        self._looks = list(looks)

    def take(self) -> Sequence[Message]:
        return self._looks.pop(0) if self._looks else ()


class Watched(ScriptedChatModel):
    """Keeps what it was asked."""

    asked: list[tuple[str, list[BaseMessage]]]

    async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append((self.role, messages))
        async for chunk in super()._astream(messages, *args, **kwargs):
            yield chunk

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.asked.append((self.role, messages))
        return await super()._agenerate(messages, *args, **kwargs)


class WatchedModels:
    """The models of some lines, and what all of them were asked."""

    def __init__(self, lines: dict[str, dict[str, dict[int, ScriptLine]]], *, speed: float = 1.0) -> None:
        self.asked: list[tuple[str, list[BaseMessage]]] = []
        self._made: dict[str, Watched] = {}
        for role, each in lines.items():
            self._made[role] = Watched(role=role, lines=each, speed=speed, asked=[])
            self._made[role].asked = self.asked  # one for all: pydantic has copied what it was given

    def of(self, role: str) -> Watched:
        return self._made[role]
