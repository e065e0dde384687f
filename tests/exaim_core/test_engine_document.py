"""The engine's page: its example runs as it stands, and what it brings is what the page says."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel

import exaim_core

PAGE = (Path(__file__).parents[2] / "docs" / "engine.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n", PAGE, re.DOTALL)


async def run(example: str) -> dict[str, Any]:
    """Run an example as it stands, and return the names that it made."""
    names: dict[str, Any] = {}
    code = compile(example, "engine.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if (waiting := eval(code, names)) is not None:
        await waiting
    return names


async def test_the_example_runs_and_brings_what_the_page_says() -> None:
    names = await run(EXAMPLES[0])
    said = names["updates"][0].items[0].text
    assert f'is "{said}"' in PAGE


async def test_the_items_of_a_langchain_application_are_said() -> None:
    names = await run(EXAMPLES[1])
    feed, exaim, said = names["ItemFeed"](), names["EXAIM"](), list[str]()
    listening = asyncio.create_task(names["listen"](feed, exaim, said.append))
    model = FakeListChatModel(responses=["The potassium is 6.9 mmol/L and must be treated now.\n"])
    handler = names["AgentCallbackHandler"](feed, agent_of=lambda _: "cardiology")
    await model.ainvoke("Which?", {"callbacks": [handler]})
    while not said and not listening.done():
        await asyncio.sleep(0.01)
    listening.cancel()
    await asyncio.wait({listening})
    assert said[0] == "Critical, from cardiology: potassium 6.9 mmol/L."


def test_dir_shows_the_public_names() -> None:
    assert set(exaim_core.__all__) <= set(dir(exaim_core))
