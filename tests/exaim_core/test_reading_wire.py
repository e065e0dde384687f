"""A segment is read through the real clients, by strict twins of three services."""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from chat_models import Provider
from exaim_core.llm.reader import LLMReader
from exaim_core.readings.port import ReaderReply
from tests.exaim_core.scripted_readings import SAID, asked
from tests.twins.script import MODEL, USAGE, Answer, Status
from tests.twins.service import Service, twin_service

pytestmark = [
    pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json':RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*ClientResponse.json:pytest.PytestUnraisableExceptionWarning"),
]


@pytest_asyncio.fixture(params=[each for each in Provider if each is not Provider.ANTHROPIC], ids=str)
async def service(request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    async with twin_service(request.param) as twin:
        yield twin
        twin.script.assert_finished()
    gc.collect()


async def read(service: Service, *, structured: str | None = None) -> tuple[ReaderReply, LLMReader]:
    reader = LLMReader(service.caller(structured=structured), host="example.org")
    return await reader.read(await asked(SAID)), reader


async def test_claims_come_back_by_each_services_own_way(service: Service) -> None:
    one = {"kind": "test", "holder": "doctor0", "stance": "affirmed", "hedge": None, "condition": None,
           "slots": {"entity": "cortisol", "to": None}, "say": "Send a cortisol.", "cites": [4]}  # fmt: skip
    service.expect(Answer(json.dumps({"claims": [one]})))
    found, reader = await read(service)
    assert [(each.kind, each.cites, dict(each.slots)) for each in found.claims] == [
        ("test", (4,), {"entity": "cortisol"})
    ]
    assert (reader.spent.calls, reader.spent.input_tokens, reader.spent.output_tokens) == (1, *USAGE)
    assert MODEL in json.dumps(service.script.requests[0]) or service.provider is Provider.GOOGLE


async def test_a_service_that_fails_leaves_the_rules(service: Service) -> None:
    service.expect(Status(429, {"retry-after": "60"}))
    found, reader = await read(service)
    assert (found.claims, found.failure) == ((), "rate_limited") and reader.spent.failed == 1


async def test_a_model_that_writes_text_around_its_json_is_understood(service: Service) -> None:
    service.expect(Answer('Here it is:\n```json\n{"claims": []}\n```\nDone.'))
    found, _ = await read(service, structured="text")
    assert (found.claims, found.failure) == ((), "")
