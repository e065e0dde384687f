"""What a model of our own thinks is no part of what it answers: summariser, judge, reader and dialogue."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from chat_models import ModelCaller
from tests.agents.models import ScriptedModel, chunk, ended

THOUGHT = "The potassium is 7.9 mmol/L. Start alteplase 50 mg."
ASK = [("human", "?")]


class Answer(BaseModel):
    """An answer in a shape."""

    text: str


WRONG, RIGHT = json.dumps({"text": THOUGHT}), json.dumps({"text": "I agree."})
FORMS: dict[str, list[Any]] = {
    "tags": ["<thi", f"nk>{WRONG}</think>", RIGHT],
    "half": [f"{WRONG}</think>{RIGHT}"],
    "beside": [chunk(reasoning_content=WRONG), RIGHT],
    "block": [chunk([{"type": "thinking", "thinking": WRONG}]), chunk([{"type": "text", "text": RIGHT}])],
}


def caller(form: str) -> ModelCaller:
    return ModelCaller(ScriptedModel(scripts=[[*FORMS[form], ended()]]), structured="text")


@pytest.mark.parametrize("form", FORMS)
async def test_a_text_holds_no_thought(form: str) -> None:
    assert await caller(form).text(ASK) == RIGHT


@pytest.mark.parametrize("form", FORMS)
async def test_an_answer_in_a_shape_is_not_taken_from_a_thought(form: str) -> None:
    assert (await caller(form).structured(ASK, Answer)).text == "I agree."
