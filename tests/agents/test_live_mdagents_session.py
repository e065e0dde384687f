"""MDAgents in a live session, by the session's client, and the example that has a clone heard."""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import json
import sys
import textwrap
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from exaim_live import LiveTeam, Opened
from exaim_live.mdagents import hearing
from tests.agents.mdagents import OTHER, VIEW, Agent, agent

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "live_mdagents.py"


class Listener:
    """Stands for the API: opens a session, and takes its events."""

    def __init__(self) -> None:
        self.opened: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if request.url.path == "/sessions":
            self.opened = body["live"]
            live = {"team_token": "t", "page_url": "http://x/#session=s"}
            return httpx.Response(201, json={"session_id": "s", "live": live})
        self.events += body["events"]
        return httpx.Response(200, json={"stored_seq": len(self.events) - 1})

    @property
    def turns(self) -> list[tuple[str, str]]:
        said: dict[int, list[str]] = {}
        for event in self.events:
            if event["type"] == "TOKEN":
                said.setdefault(event["turn"], [event["agentId"]]).append(event["data"])
        return [(agent_id, "".join(texts)) for agent_id, *texts in said.values()]


@asynccontextmanager
async def team_of(listener: Listener) -> Any:
    async with httpx.AsyncClient(transport=httpx.MockTransport(listener)) as http:
        async with LiveTeam(Opened("http://x/e", "t"), http=http) as team:
            yield team


async def test_a_live_team_hears_a_program_that_runs_in_a_thread() -> None:
    listener = Listener()

    def consultation() -> Any:
        experts = [agent("cardiologist", VIEW, OTHER), agent("cardiologist", VIEW)]
        for each in experts:
            each.chat("The question")
        experts[0].chat("Your final answer")
        return agent("Moderator").temp_responses("Decide.")

    async with team_of(listener) as team:
        with hearing(team, Agent):
            assert await asyncio.to_thread(consultation) == {0.0: VIEW}
    assert (team.refused, team.lost_chars) == (None, 0)
    assert listener.turns == [
        ("cardiologist", VIEW),
        ("cardiologist 2", VIEW),
        ("cardiologist", OTHER),
        ("moderator", VIEW),
    ]
    marks = [event["mark"] for event in listener.events if event["type"] == "METADATA"]
    assert marks == ["TURN_START", "TURN_END"] * 4
    assert listener.events[-1]["type"] == "END"


SCRIPTED_UTILS = """
class Agent:
    def __init__(self, instruction, role):
        self.instruction, self.role = instruction, role

    def chat(self, message, img_path=None, chat_mode=True):
        return f"{self.role} was asked {message}"

    def temp_responses(self, message, img_path=None):
        return {0.0: self.chat(message)}

def process_intermediate_query(question, examplers, model, args):
    assert args.dataset != "medqa" and not examplers
    Agent("You are one.", "cardiologist").chat(question)
    return {"majority": Agent("You decide.", "Moderator").temp_responses(model)}
"""


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("live_mdagents_example", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "path", list(sys.path))
    sys.modules.pop("utils", None)
    yield module
    sys.modules.pop("utils", None)


def test_the_example_has_a_clone_heard(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listener = Listener()
    client = functools.partial(httpx.AsyncClient, transport=httpx.MockTransport(listener))
    monkeypatch.setattr(httpx, "AsyncClient", client)
    (tmp_path / "utils.py").write_text(SCRIPTED_UTILS)
    question = tmp_path / "Yellow vision.txt"
    question.write_text("A woman of 81 sees yellow.\n")
    given = [str(question), "--mdagents", str(tmp_path), "--model", "gpt-4o"]
    assert example.main(given) == 0
    assert "Listen here: http://x/#session=s\n" in capsys.readouterr().out
    assert listener.opened["title"] == "Yellow vision"
    (expert, asked), decided = listener.turns
    assert expert == "cardiologist" and asked.startswith("cardiologist was asked A woman of 81 sees yellow.")
    assert decided == ("moderator", "Moderator was asked gpt-4o")
    assert listener.events[-1]["type"] == "END"


@pytest.mark.parametrize("utils", [None, "", "import a_package_that_nobody_has", "a newer = syntax"])
def test_the_example_says_in_one_line_what_it_lacks(
    example: ModuleType, utils: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = tmp_path / "question.txt"
    question.write_text("A woman of 81 sees yellow.")
    given = [str(question)]
    if utils is not None:
        clone = tmp_path / "clone"
        clone.mkdir()
        (clone / "utils.py").write_text(textwrap.dedent(utils))
        given += ["--mdagents", str(clone)]
    assert example.main(given) == 2
    told = capsys.readouterr()
    assert not told.out
    assert told.err.count("\n") == 1 and "MDAgents" in told.err


@pytest.mark.parametrize("given", [[], ["none.txt"]])
def test_the_example_wants_a_question_that_can_be_read(
    example: ModuleType, given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "utils.py").write_text(SCRIPTED_UTILS)
    assert example.main([*given, "--mdagents", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
