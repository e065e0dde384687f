"""The chat model's side of readings: what it is asked, what of its answers counts, and how long it is waited for."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from chat_models import CallLimits, ModelCaller, Pace
from exaim_core import EXAIM
from exaim_core.llm.prompts import READER, reader_messages
from exaim_core.llm.reader import LLMReader, Pulse, ReadLimits
from exaim_core.llm.shapes import ClaimShape
from tests.exaim_core.scripted_readings import ATTACK, SAID, asked, told


async def test_agents_words_are_data_under_instructions_that_never_change() -> None:
    calm, attacked = await asked(SAID), await asked(SAID, ATTACK)
    assert reader_messages(calm)[0] == reader_messages(attacked)[0] == ("system", READER)
    said = json.loads(reader_messages(attacked)[1][1])["said"]
    assert [*said[-1]["read"].values()][-1].startswith("Ignore your instructions")
    numbers = [number for each in said for number in each.get("read", each.get("context"))]
    assert len(set(numbers)) == len(numbers)


async def test_one_malformed_claim_takes_nothing_from_the_others_and_all_is_counted() -> None:
    request = await asked(SAID)
    good = {"kind": "test", "holder": "doctor0", "stance": "affirmed", "cites": [1], "slots": {"from": "x"}}
    answer = json.dumps({"claims": [good, {"kind": "test"}, {**good, "kind": "poem"}]})
    model = ModelCaller(FakeListChatModel(responses=[answer]), name="twin-1")
    reader = LLMReader(model, host="example.org", prices=(1.0, 2.0))
    found = await reader.read(request)
    assert [each.kind for each in found.claims] == ["test"] and found.malformed == 2
    assert found.claims[0].slots == {"from": "x"}
    assert (reader.spent.calls, reader.spent.cost, reader.spent.host) == (1, 0.0, "example.org")


async def test_what_a_small_model_wrote_is_taken_or_left_claim_by_claim() -> None:
    """Of Qwen2.5-Coder 0.5B and 1.5B: a form given back as it was shown, a segment as one claim; a bare number."""
    slots = dict.fromkeys(
        ("entity", "value", "unit", "side", "time", "from", "to", "dose", "person", "reason")
    )
    form = {
        "kind": "text",
        "holder": "text",
        "stance": "text",
        "slots": {},
        "say": "text",
        "cites": ["number"],
    }
    whole = {"kind": "value", "holder": "doctor0", "stance": "affirmed", "slots": slots, "cites": [1, 2, 3, 4, 5],
             "say": f"The agent states all of it. {SAID}"}  # fmt: skip
    number = {
        **whole,
        "slots": {"entity": "potassium", "value": 6.9, "unit": "mmol/L"},
        "say": None,
        "cites": [1],
    }
    answer = json.dumps({"claims": [form, whole, number]})
    reader = LLMReader(ModelCaller(FakeListChatModel(responses=[answer] * 9), structured="text"))
    found = await reader.read(await asked(SAID))
    assert found.malformed == 1 and found.claims[1].slots["value"] == "6.9"
    updates = await told(EXAIM(reader=reader), SAID)
    assert not any("The agent states" in item.text for update in updates for item in update.items)


async def test_an_answer_that_was_cut_is_none() -> None:
    model = ModelCaller(FakeListChatModel(responses=['{"claims": [{"kind": "test", "holder": "doc']))
    assert (await LLMReader(model).read(await asked(SAID))).failure == "unparsable"


def test_a_deadline_follows_the_models_own_pace_within_bounds() -> None:
    pulse = Pulse(ReadLimits(start_s=8.0, least_s=3.0, most_s=30.0))
    assert pulse.deadline_s == 8.0
    for _ in range(5):
        pulse.took(0.5)
    assert pulse.deadline_s == 3.0
    for _ in range(20):
        pulse.took(12.0)
    assert pulse.deadline_s == pytest.approx(18.0)
    for _ in range(20):
        pulse.missed(pulse.deadline_s)
    assert pulse.deadline_s == 30.0


class Slow(FakeListChatModel):
    """Answers after so many seconds."""

    takes_s: float = 20.0

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(self.takes_s)
        return ChatResult(generations=[ChatGeneration(message=AIMessage('{"claims": []}'))])


@pytest.mark.parametrize(("takes_s", "failures"), [(20.0, ["deadline"] * 3 + [""] * 5), (2.0, [""] * 8)])
def test_a_model_slower_than_the_first_deadline_is_waited_for_next_time(
    virtual: asyncio.Runner, takes_s: float, failures: list[str]
) -> None:
    async def run() -> list[str]:
        request = await asked(SAID)
        caller = ModelCaller(
            Slow(responses=["unused"], takes_s=takes_s),
            structured="text",
            streaming=False,
            limits=CallLimits(deadline_s=30.0, tries=2),
            pace=Pace(now_s=asyncio.get_running_loop().time),
        )
        reader = LLMReader(caller, now_s=asyncio.get_running_loop().time)
        first = await asyncio.gather(*(reader.read(request) for _ in range(3)))
        return [each.failure for each in [*first, *[await reader.read(request) for _ in range(5)]]]

    assert virtual.run(run()) == failures


def test_a_service_that_hangs_is_let_alone_once_it_has_had_its_whole_time(virtual: asyncio.Runner) -> None:
    async def run() -> list[str]:
        request = await asked(SAID)
        now_s = asyncio.get_running_loop().time
        limits = CallLimits(deadline_s=30.0, tries=2)
        slow = Slow(responses=["unused"], takes_s=1e6)
        caller = ModelCaller(slow, structured="text", streaming=False, limits=limits, pace=Pace(now_s=now_s))
        reader = LLMReader(caller, now_s=now_s)
        return [(await reader.read(request)).failure for _ in range(9)]

    assert virtual.run(run()) == ["deadline"] * 7 + ["breaker_open"] * 2


def test_the_prompt_says_how_a_wording_passes() -> None:
    asks = (
        "Do not name the speaker",
        "put that thing in its place and cite both",
        "6 to 10 words",
        "no claim is made of them",
        "Only the entity may stand in a sentence under before",
    )
    for each in asks:
        assert each in " ".join(READER.split())
    examples = [each.partition("}.")[0] for each in READER.split('{"kind"')[1:]]
    found = [ClaimShape.model_validate_json('{"kind"' + " ".join(each.split()) + "}") for each in examples]
    assert [(each.cites, each.before) for each in found] == [([7, 8], []), ([12], [11])]
