"""What a model thinks goes no further than the page, by whichever door it comes.

Each door gets the same thought, which would be an alarm and an order if an agent had said it. The tests of a
door fail if its own cut is taken out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessageChunk

from agents.recorded import load_trace, script
from agents.stream import THOUGHT, EventType, StreamEvent, TokenType, TurnMark
from app.reasoning import feed
from exaim_core import EXAIM, Delta, ExaimCallbackHandler, Update
from exaim_live import LiveTeam, MessageKind, Opened, TeamMessage
from exaim_live.events import SentEvent
from exaim_live.handler import AgentCallbackHandler
from exaim_live.langchain import TeamCallbackHandler
from exaim_live.mdagents import hearing
from infra.streams import Logged
from realtime.protocol import ThoughtItem
from realtime.room.messages import trace_items
from realtime.speech.progress import AgentsStage, Progress
from tests.agents.building import Turn, rows, write
from tests.agents.models import ScriptedModel, chunk, ended

THOUGHT_TEXT = "The potassium is 7.9 mmol/L. Start alteplase 50 mg."
SAID = "I agree with the cardiologist. "
FORBIDDEN = ("7.9", "alteplase")
IDS = {"thread_id": "t", "trace_id": "r", "session_id": "s"}
IN_TAGS = f"<think>{THOUGHT_TEXT}</think>{SAID}"
FORMS: dict[str, list[AIMessageChunk]] = {
    "tags": [chunk(piece) for piece in ("<thi", "nk>", THOUGHT_TEXT, "</thi", "nk>", SAID)],
    "never closed": [chunk(SAID), chunk("<think>"), chunk(THOUGHT_TEXT)],
    "beside": [chunk(reasoning_content=THOUGHT_TEXT), chunk(SAID)],
    "block": [
        chunk([{"type": "thinking", "thinking": THOUGHT_TEXT}]),
        chunk([{"type": "text", "text": SAID}]),
    ],
    "reasoning": [
        chunk([{"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT_TEXT}]}]),
        chunk([{"type": "text", "text": SAID}]),
    ],
}


def told_by(updates: Iterable[Update]) -> str:
    return " ".join(
        part
        for update in updates
        for part in (str(update.summary), str(update.board), *(item.text for item in update.items))
    )


class Notes:
    """A feed that notes what it is given."""

    def __init__(self) -> None:
        self.said = ""
        self.thought = ""

    def offer(self, agent_id: str, text: str, *, thinking: bool = False) -> bool:
        if thinking:
            self.thought += text
        else:
            self.said += text
        return True

    def end_turn(self, agent_id: str) -> None:
        return


async def engine_told(events: Sequence[StreamEvent]) -> str:
    """Have the engine read a log, and return all that it tells of it."""
    exaim = EXAIM()
    updates: list[Update] = []
    for event in events:
        if event.type is EventType.END:
            updates += await exaim.finish(event.seq / 100)
        else:
            logged = Logged(id=f"{event.seq}-0", at_ms=event.seq * 10, event=event, epoch=1)
            updates += await feed(exaim, logged)
    return told_by(updates)


def page_told(events: Sequence[StreamEvent]) -> tuple[str, str]:
    """Return what the page shows as the agents' words, and what as thinking."""
    items = trace_items(events, {})
    said = "".join(item.text for item in items if not isinstance(item, ThoughtItem))
    return said, "".join(item.text for item in items if isinstance(item, ThoughtItem))


async def nothing_of_it_is_used(events: Sequence[StreamEvent]) -> None:
    told = await engine_told(events)
    said, thought = page_told(events)
    assert not [word for word in FORBIDDEN if word in told or word in said]
    assert (said.strip(), thought) == (SAID.strip(), THOUGHT_TEXT)


async def test_the_same_words_said_would_be_told() -> None:
    exaim = EXAIM()
    updates = [*await exaim.feed(Delta("doctor0", THOUGHT_TEXT + " ", 0, 0.0)), *await exaim.finish(1.0)]
    assert all(word in told_by(updates) for word in FORBIDDEN)


# --- the callback handler ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("streams", [True, False])
async def test_the_handler_gives_thinking_apart(form: str, streams: bool) -> None:
    notes = Notes()
    model = ScriptedModel(scripts=[[*FORMS[form], ended()]])
    config: Any = {"callbacks": [AgentCallbackHandler(notes)]}
    if streams:
        _ = [piece async for piece in model.astream("?", config)]
    else:
        await model.ainvoke("?", config)
    assert (notes.said, notes.thought) == (SAID, THOUGHT_TEXT)


@pytest.mark.parametrize("form", FORMS)
async def test_an_engine_on_the_handler_hears_no_thought(form: str) -> None:
    exaim = EXAIM()
    heard: list[str] = []
    exaim.register_trace_callback(lambda _, text: heard.append(text))
    async with ExaimCallbackHandler(exaim) as listening:
        model = ScriptedModel(scripts=[[*FORMS[form], ended()]])
        _ = [piece async for piece in model.astream("?", {"callbacks": [listening]})]
    told = " ".join(map(str, exaim.get_all_summaries()))
    assert "".join(heard) == SAID
    assert not [word for word in FORBIDDEN if word in told]


async def test_models_that_only_mark_the_end_of_a_thought_are_heard_with_thinks_first() -> None:
    notes = Notes()
    model = ScriptedModel(scripts=[[*f"{THOUGHT_TEXT}</think>{SAID}", ended()]])
    handler = AgentCallbackHandler(notes, thinks_first=True)
    _ = [piece async for piece in model.astream("?", {"callbacks": [handler]})]
    assert (notes.said, notes.thought) == (SAID, THOUGHT_TEXT)


# --- a live team ------------------------------------------------------------------------------------


class Server:
    """Takes batches of events as the API does, and has them as the log would."""

    def __init__(self) -> None:
        self.log: list[StreamEvent] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        for each in json.loads(request.content)["events"]:
            sent = SentEvent.model_validate(each)
            assert sent.seq == len(self.log)
            self.log.append(StreamEvent(**sent.model_dump(), **IDS))
        return httpx.Response(200, json={"stored_seq": len(self.log) - 1})


async def sent_by(say: Any) -> list[StreamEvent]:
    server = Server()
    async with httpx.AsyncClient(transport=httpx.MockTransport(server)) as http:
        async with LiveTeam(Opened("http://x/e", "t"), http=http) as team:
            await say(team)
    return server.log


async def _typed(team: LiveTeam) -> None:
    assert team.offer("doctor0", THOUGHT_TEXT, thinking=True)
    assert team.offer("doctor0", SAID)


async def _in_tags(team: LiveTeam) -> None:
    for char in IN_TAGS:
        assert team.offer("doctor0", char)


async def _in_a_turn(team: LiveTeam) -> None:
    async with team.agent("doctor0") as turn:
        await turn.say(THOUGHT_TEXT, thinking=True)
        await turn.say(SAID)


async def _by_handler(team: LiveTeam) -> None:
    model = ScriptedModel(scripts=[[*FORMS["beside"], ended(tokens=(31, 7), thinking=5)]])
    _ = [piece async for piece in model.astream("?", {"callbacks": [TeamCallbackHandler(team)]})]


@pytest.mark.parametrize("say", [_typed, _in_tags, _in_a_turn, _by_handler])
async def test_a_live_team_sends_thinking_as_thinking(say: Any) -> None:
    log = await sent_by(say)
    tokens = [event for event in log if event.type is EventType.TOKEN]
    thought = "".join(event.data for event in tokens if event.token_type in THOUGHT)
    said = "".join(event.data for event in tokens if event.token_type not in THOUGHT)
    assert (said, thought) == (SAID, THOUGHT_TEXT)
    await nothing_of_it_is_used(log)


async def test_mdagents_own_classes_are_heard_without_their_thoughts() -> None:
    class Agent:
        role = "cardiologist"
        instruction = "You are a cardiologist."

        def chat(self, message: str) -> str:
            return f"{THOUGHT_TEXT}</think>{SAID}" if message == "half" else IN_TAGS

    notes = Notes()
    with hearing(notes, Agent, methods=("chat",)):
        Agent().chat("whole")
        Agent().chat("half")
    assert notes.said == SAID.strip() * 2
    assert not notes.thought


async def test_a_conclusion_is_sent_as_one() -> None:
    async def conclude(team: LiveTeam) -> None:
        async with team.agent("moderator", synthesis=True) as turn:
            await turn.say(IN_TAGS)

    log = await sent_by(conclude)
    assert [event.token_type for event in log if event.type is EventType.TOKEN] == [
        TokenType.FINAL_SYNTHESIS_LLM_THINKING, TokenType.FINAL_SYNTHESIS_LLM_RESPONSE,
    ]  # fmt: skip


# --- plain HTTP -------------------------------------------------------------------------------------


def over_http(*bodies: dict[str, Any]) -> list[StreamEvent]:
    seqs = count()
    sent = [SentEvent.model_validate({"seq": next(seqs), **body}) for body in (*bodies, {"type": "END"})]
    return [StreamEvent(**event.model_dump(), **IDS) for event in sent]


@pytest.mark.parametrize("kind", [None, *TokenType])
async def test_a_token_over_http_that_holds_tags_is_not_used(kind: TokenType | None) -> None:
    pieces: list[tuple[str, TokenType | None]]
    if kind in THOUGHT:
        pieces = [(THOUGHT_TEXT, kind), (SAID, TokenType.LLM_RESPONSE)]
    else:
        pieces = [(IN_TAGS[at : at + 5], kind) for at in range(0, len(IN_TAGS), 5)]
    await nothing_of_it_is_used(
        over_http(
            *(
                {"type": "TOKEN", "agentId": "doctor0", "turn": 1, "data": text, "tokenType": token_type}
                for text, token_type in pieces
            ),
            {"type": "METADATA", "agentId": "doctor0", "turn": 1, "mark": "TURN_END"},
        )
    )


# --- a recorded trace -------------------------------------------------------------------------------


async def test_thinking_in_a_recorded_trace_is_not_used(tmp_path: Path) -> None:
    turns = [Turn("doctor0", 0, tuple(IN_TAGS[at : at + 4] for at in range(0, len(IN_TAGS), 4)))]
    trace = load_trace(write(tmp_path / "a.trace.jsonl.gz", rows(turns)))
    await nothing_of_it_is_used(
        [due.event for due in script(trace, session_id="s", thread_id="t", trace_id="r")]
    )


def test_the_last_turn_of_whoever_chairs_is_the_conclusion_and_no_other_turn(tmp_path: Path) -> None:
    turns = [
        Turn("supervisor", 0, ("Begin.",)),
        Turn("doctor0", 300, ("It is sepsis.",)),
        Turn("supervisor", 500, ("Sepsis it is.",)),
    ]
    trace = load_trace(write(tmp_path / "a.trace.jsonl.gz", rows(turns)))
    due = script(trace, session_id="s", thread_id="t", trace_id="r")
    progress, stages = Progress(made=1), []
    for each in due:
        progress.saw_events([Logged(id="1-0", at_ms=0, event=each.event, epoch=1)])
        if each.event.mark is TurnMark.TURN_END:
            stages.append(progress.stage)
    assert stages == [AgentsStage.DELIBERATION, AgentsStage.DELIBERATION, AgentsStage.SYNTHESIS]


# --- costs with the turn ----------------------------------------------------------------------------


async def test_the_handler_sends_what_a_call_cost_once_and_in_its_turn() -> None:
    log = await sent_by(_by_handler)
    [told] = [event for event in log if event.llm is not None]
    assert told.llm is not None
    assert (told.llm.input_tokens, told.llm.output_tokens, told.llm.thinking_tokens) == (31, 7, 5)
    assert (told.agent_id, told.turn) == ("agent", 1)
    marks = [event.mark for event in log]
    assert marks.index(TurnMark.TURN_START) < log.index(told) < marks.index(TurnMark.TURN_END)


async def test_what_a_whole_answer_cost_is_sent_too() -> None:
    async def ask(team: LiveTeam) -> None:
        handler = TeamCallbackHandler(team)
        await ScriptedModel(scripts=[[chunk(SAID), ended(tokens=(3, 2))]]).ainvoke(
            "?", {"callbacks": [handler]}
        )

    log = await sent_by(ask)
    assert [event.llm.output_tokens for event in log if event.llm is not None] == [2]


async def test_a_whole_answer_to_a_message_is_marked_as_that_though_its_cost_is_told_first() -> None:
    async def ask(team: LiveTeam) -> None:
        model = ScriptedModel(scripts=[[chunk(SAID), ended(tokens=(3, 2))]])
        with team.answering(TeamMessage(id="a-1", kind=MessageKind.QUESTION, text="Why?")):
            await model.ainvoke("?", {"callbacks": [TeamCallbackHandler(team)]})

    log = await sent_by(ask)
    assert {event.in_reply_to for event in log if event.mark or event.data} == {"a-1"}
