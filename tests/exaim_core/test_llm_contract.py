"""What every provider must do, whether its twin answers or (`make live-check`) the service itself."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from chat_models import (
    CallLimits,
    Counts,
    Overdue,
    Provider,
    Registry,
    Unparsable,
)
from chat_models.config import KEY_VARIABLE
from exaim_core.llm.prompts import judge_messages, summarizer_messages
from exaim_core.llm.shapes import BufferAnalysis, SummaryText
from exaim_core.schema import FIELD_LIMITS
from tests.twins.script import KEY, USAGE, Answer, Stall
from tests.twins.service import ROLE, Service, at_home, live_service, twin_service, wants_live

# Google's client derives from aiohttp's session, of which aiohttp warns.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
READY = [("system", "Answer with one word only."), ("human", "Say the word ready.")]
VERDICT = (
    '{"rationale": "it is a finished finding", "stream_state": "TOPIC_SHIFT", "is_relevant": true, '
    '"is_novel": true, "is_complete": true}'
)
FIELDS: dict[str, object] = {**dict.fromkeys(FIELD_LIMITS, "None stated."), "spoken": []}


@pytest_asyncio.fixture(params=[each for each in Provider if each is not Provider.ANTHROPIC], ids=str)
async def service(request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    provider: Provider = request.param
    if not wants_live():
        async with twin_service(provider) as twin:
            yield twin
            twin.script.assert_finished()
        return
    if not os.environ.get(KEY_VARIABLE[provider]) and not at_home(provider):
        pytest.skip(f"{KEY_VARIABLE[provider]} is not set")
    async with live_service(provider) as real:
        yield real


async def test_a_plain_question_brings_text_and_its_cost(service: Service) -> None:
    service.expect(Answer("ready"))
    caller = service.caller()
    assert "ready" in (await caller.text(READY)).lower()
    assert caller.counts.input_tokens > 0 and caller.counts.output_tokens > 0
    if not service.live:
        assert (caller.counts.input_tokens, caller.counts.output_tokens) == USAGE


async def test_who_closes_a_registry_leaves_another_of_the_same_service_open(service: Service) -> None:
    service.expect(Answer("ready"), Answer("ready"))
    ours = service.caller()
    keys = os.environ if service.live else {KEY_VARIABLE[service.provider]: KEY}
    other = Registry(service.registry.specs, keys)
    await other.get(ROLE).ainvoke(READY)
    await other.aclose()
    assert "ready" in (await ours.text(READY)).lower()


async def test_a_call_may_have_a_temperature_of_its_own_and_is_counted_for_whoever_asks(
    service: Service,
) -> None:
    service.expect(Answer(VERDICT), Answer("ready"), Answer("ready"))
    caller, counts = service.caller(), Counts()
    question = judge_messages(
        summaries=[], before=[], new=("doctor0", "The potassium is 2.6."), flush_reason=None, novelty=True
    )
    await caller.structured(question, BufferAnalysis, temperature=0.7, into=counts)
    await caller.text(READY, temperature=0.3, into=counts)
    await caller.text(READY)
    if not service.live:
        sent = [each.get("generationConfig", each)["temperature"] for each in service.script.requests]
        assert sent == pytest.approx([0.7, 0.3, 0.0], abs=1e-6)
        assert (counts.input_tokens, counts.output_tokens) == (2 * USAGE[0], 2 * USAGE[1])
        assert counts.unmetered == 0


async def test_what_has_not_the_shape_is_kept_for_whoever_reads_prose(service: Service) -> None:
    if service.live:
        pytest.skip("a service can't be made to answer in prose")
    service.expect(Answer("It is a new topic."))
    question = judge_messages(
        summaries=[], before=[], new=("doctor0", "The potassium is 2.6."), flush_reason=None, novelty=True
    )
    with pytest.raises(Unparsable) as failed:
        await service.caller(structured="text").structured(question, BufferAnalysis)
    assert failed.value.answer == "It is a new topic."
    assert "new topic" not in str(failed.value)


async def test_a_verdict_comes_in_the_shape_that_was_asked_for(service: Service) -> None:
    service.expect(Answer(VERDICT))
    question = judge_messages(
        summaries=["Status/Action: none"],
        before=[("doctor0", "The potassium was sent this morning. ")],
        new=("doctor0", "The chest CT shows bilateral hilar nodes; sarcoidosis leads."),
        flush_reason="boundary_cue",
    )
    verdict = await service.caller().structured(question, BufferAnalysis)
    assert verdict.is_relevant or service.live  # how well a service judges is not asked here


async def test_a_summary_comes_in_the_shape_that_was_asked_for(service: Service) -> None:
    service.expect(Answer(str(FIELDS).replace("'", '"')))
    question = summarizer_messages(
        segments=[("doctor0", "The chest CT shows bilateral hilar nodes. The calcium is 2.9 mmol/L.")],
        history=(),
        latest="No summaries yet.",
        names={"doctor0": "Doctor Zero"},
    )
    found = await service.caller().structured(question, SummaryText)
    assert all(getattr(found, name) for name in FIELD_LIMITS)


async def test_text_mode_finds_the_json_in_an_answer(service: Service) -> None:
    service.expect(Answer(f"Here it is:\n```json\n{VERDICT}\n```"))
    question = judge_messages(summaries=(), before=(), new=("a", "Gout leads."), flush_reason=None)
    question[0] = (
        "system",
        question[0][1] + " Answer with one JSON object with these five keys and nothing else.",
    )
    verdict = await service.caller(structured="text").structured(question, BufferAnalysis)
    assert verdict.rationale


async def test_an_answer_that_takes_too_long_is_given_up(service: Service) -> None:
    service.expect(Stall("one two", asyncio.Event()))
    with pytest.raises(Overdue):
        await service.caller(CallLimits(deadline_s=1.0)).text(READY)
