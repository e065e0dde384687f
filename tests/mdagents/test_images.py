"""Rows with images: what a model is given, and which rows can't be used."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from agents.teams.mdagents.dataset import Question, questions
from agents.teams.mdagents.errors import RowError
from agents.teams.mdagents.images import IMAGE_MOST, takes_images
from agents.teams.mdagents.results import read_rows
from agents.teams.mdagents.scripted import ScriptedModel
from agents.teams.mdagents.settings import Settings, Tier
from tests.mdagents.runs import described, done

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
ROW = {"question": "What does it show?", "options": {"A": "a fracture", "B": "none"}, "answer_idx": "A"}


class Sees(ScriptedModel):
    """Keeps the images of each question, and answers by its text."""

    seen: list[list[Any]] = []  # noqa: RUF012 - pydantic copies it

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.seen.append([each for message in messages for each in _images(message)])
        texts = [message.model_copy(update={"content": str(message.text)}) for message in messages]
        return await super()._agenerate(texts, *args, **kwargs)


def _images(message: BaseMessage) -> list[Any]:
    if isinstance(message.content, str):
        return []
    return [each for each in message.content if isinstance(each, dict) and each["type"] == "image"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "one.png").write_bytes(PNG)
    return tmp_path


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "test.jsonl"
    path.write_text("".join(f"{json.dumps({**ROW, **row})}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("tier", [Tier.BASIC, Tier.INTERMEDIATE])
def test_every_agent_that_is_given_the_case_is_given_its_image(
    virtual: asyncio.Runner, folder: Path, tier: Tier
) -> None:
    path = written(folder, {"image": "x/one.png"})
    model = Sees()
    run = described(1, Settings(tier=tier, experts=3), path)
    ended, results = done(virtual, folder / "out", model, run, path, images=True)
    assert ended.complete and read_rows(results.path)[0]["status"] == "answered"
    given = [blocks for blocks in model.seen if blocks]
    assert given and all(base64.b64decode(blocks[0]["base64"]) == PNG for blocks in given)
    assert {block["mime_type"] for blocks in given for block in blocks} == {"image/png"}
    if tier is Tier.BASIC:
        assert len(given) == len(model.seen)


def test_a_model_that_takes_no_images_has_the_row_named_and_the_rest_goes_on(
    virtual: asyncio.Runner, folder: Path
) -> None:
    path = written(folder, {"img_path": "x/one.png"}, {"question": "And without one?"})
    model = Sees()
    assert not takes_images(model)
    ended, results = done(virtual, folder / "out", model, described(2, Settings(tier=Tier.BASIC), path), path)
    assert [(each.row, each.field) for each in ended.rejected] == [(1, "img_path")]
    assert "takes none" in str(ended.rejected[0])
    assert len(read_rows(results.path)) == 1 and not any(model.seen)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("gone.png", "can't be read"),
        ("../outside.png", "outside the data set's folder"),
        ("test.jsonl", "no PNG"),
        (7, "no path"),
        (["x/one.png"] * 9, "names 9 images"),
        ("large.png", "bytes"),
    ],
)
def test_an_image_that_cannot_be_used_is_told_with_row_and_field(folder: Path, given: Any, why: str) -> None:
    (folder / "large.png").write_bytes(PNG + bytes(IMAGE_MOST))
    (found,) = questions(written(folder, {"images": given}), images=True)
    assert isinstance(found, RowError) and (found.row, found.field) == (1, "images")
    assert why in str(found)


def test_a_model_says_of_itself_that_it_takes_images_and_null_is_no_image(folder: Path) -> None:
    assert takes_images(ScriptedModel(profile={"image_inputs": True}))
    (found,) = questions(written(folder, {"image": None}))
    assert isinstance(found, Question) and found.images == ()
