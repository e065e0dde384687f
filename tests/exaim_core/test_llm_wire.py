"""What goes wrong on the wire, by strict twins through the real clients."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from chat_models import (
    Breaker,
    BreakerLimits,
    CallLimits,
    Counts,
    LLMRole,
    Looping,
    MissingKey,
    MissingPackage,
    Overdue,
    Overlong,
    Provider,
    RateLimited,
    Refused,
    Registry,
    SwitchedOff,
    TokenLimit,
    Unavailable,
    Unparsable,
    WrongRequest,
    read_models,
    whole_answers,
)
from chat_models.errors import translated
from exaim_core import EXAIM, Delta, Fallback
from exaim_core.llm.judge import LLMJudge
from exaim_core.llm.shapes import BufferAnalysis
from exaim_core.llm.summarizer import LLMSummarizer
from tests.twins.script import Answer, Cut, Stall, Status
from tests.twins.service import ROLE, Service, twin_service

pytestmark = [
    # Google's client derives from aiohttp's session, of which aiohttp warns; and langchain-core calls the
    # coroutine `json` of that client's error answers without awaiting it.
    pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json':RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*ClientResponse.json:pytest.PytestUnraisableExceptionWarning"),
]
ASK = [("system", "Answer."), ("human", "ready?")]
VERDICT = (
    '{"rationale": "a finding", "stream_state": "TOPIC_SHIFT", "is_relevant": true, "is_novel": true, '
    '"is_complete": true}'
)


@pytest.fixture(scope="module", autouse=True)
def what_is_loaded_stays() -> Iterator[None]:
    """Leave what the tests' modules hold out of each collection below: it took 0.2 s."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


SERVED = [each for each in Provider if each is not Provider.ANTHROPIC]  # its twin fails in no way yet


@pytest_asyncio.fixture(params=SERVED, ids=str)
async def service(request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    async with twin_service(request.param) as twin:
        yield twin
        twin.script.assert_finished()
    gc.collect()  # what the clients left to it warns here, not in another test


async def test_a_service_that_names_its_wait_is_asked_again_after_it(service: Service) -> None:
    service.expect(Status(429, {"retry-after": "2"}), Answer("ready"))
    caller = service.caller()
    assert await caller.text(ASK) == "ready"
    assert service.paced.waits == [2.0]
    assert caller.counts.retries == 1 and not caller.counts.failures


async def test_a_wait_beyond_the_deadline_is_not_begun(service: Service) -> None:
    service.expect(Status(429, {"retry-after": "60"}))
    caller = service.caller()
    with pytest.raises(RateLimited) as caught:
        await caller.text(ASK)
    assert caught.value.retry_after_s == 60.0
    assert service.paced.waits == [] and caller.counts.failures == {"rate_limited": 1}


async def test_a_failing_service_is_asked_with_growing_waits_and_not_for_ever(service: Service) -> None:
    service.expect(Status(500), Status(503), Status(500))
    with pytest.raises(Unavailable):
        await service.caller().text(ASK)
    assert service.paced.waits == [0.25, 0.5]


async def test_a_wrong_key_is_told_at_once(service: Service) -> None:
    async with twin_service(service.provider, key="another") as other:
        with pytest.raises(WrongRequest):
            await other.caller().text(ASK)
        assert len(other.script.refusals) == 1 and other.paced.waits == []


async def test_an_unknown_model_is_told_at_once(service: Service) -> None:
    async with twin_service(service.provider, model="no-such-model") as other:
        with pytest.raises(WrongRequest):
            await other.caller().text(ASK)
        assert len(other.script.refusals) == 1


async def test_an_answer_whose_body_breaks_off_is_asked_for_again(service: Service) -> None:
    service.expect(Cut("a long enough answer"), Answer("ready"))
    assert await service.caller().text(ASK) == "ready"


async def test_a_whole_answer_slower_than_the_deadline_ends_in_it(service: Service) -> None:
    service.expect(Stall("a long enough answer", asyncio.Event()))
    with pytest.raises(Overdue):
        await service.caller(CallLimits(deadline_s=1.0)).structured(ASK, BufferAnalysis)


async def test_a_refusal_is_told_as_one_and_not_argued_with(service: Service) -> None:
    if service.provider is Provider.GROQ:
        pytest.skip("Groq's protocol has no refusal: the model says so in its text")
    service.expect(Answer("I can't help with that.", refused=True))
    with pytest.raises(Refused):
        await service.caller().structured(ASK, BufferAnalysis)
    assert service.paced.waits == []


@pytest.mark.parametrize("broken", ['{"rationale": "a', "no JSON at all", '{"rationale": 1}', "[]"])
async def test_an_answer_without_the_shape_is_unparsable(service: Service, broken: str) -> None:
    service.expect(Answer(broken))
    caller = service.caller()
    with pytest.raises(Unparsable):
        await caller.structured(ASK, BufferAnalysis)
    assert caller.counts.failures == {"unparsable": 1}


@pytest.mark.parametrize("structured", ["text", None])
async def test_an_answer_that_a_limit_of_tokens_has_ended_counts_for_nothing(
    service: Service, structured: str | None
) -> None:
    service.expect(Answer(VERDICT, cut=True))  # a whole object, of which nobody knows what was to follow
    caller = service.caller(structured=structured)
    with pytest.raises(TokenLimit):
        await caller.structured(ASK, BufferAnalysis)
    assert caller.counts.failures == {"token_limit": 1} and service.paced.waits == []
    assert caller.breaker.allows(0.0)


async def test_an_answer_in_a_loop_is_left_and_its_connection_closed(service: Service) -> None:
    claim = '{"kind": "action", "say": "give penicillin as a last resort"}, '
    looping = Stall('{"claims": [' + claim * 40, asyncio.Event(), after=300)
    service.expect(looping)
    caller, counts = service.caller(structured="text"), Counts()
    with pytest.raises(Looping) as failed:
        await caller.structured(ASK, BufferAnalysis, into=counts)
    async with asyncio.timeout(5.0):
        await looping.gone.wait()
    assert failed.value.answer.startswith('{"claims"') and len(failed.value.answer) < len(looping.text)
    assert caller.counts.failures == {"looping": 1} and counts.unmetered == 1


async def test_an_answer_that_is_only_too_long_is_told_as_that(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_answers, "ANSWER_CHARS", 200)
    service.expect(Answer(json.dumps([f"{n * n} of {n}" for n in range(90)])))
    caller, counts = service.caller(structured="text"), Counts()
    with pytest.raises(Overlong) as failed:
        await caller.structured(ASK, BufferAnalysis, into=counts)
    assert len(failed.value.answer) > 200 and service.paced.waits == []
    assert caller.counts.failures == {"overlong": 1} and counts.unmetered == 1
    assert caller.breaker.allows(0.0)


@pytest.mark.parametrize(
    "wrapped",
    [
        "```json\n%s\n```",
        "Of course! %s Anything else?",
        '{"note": "first"} and then %s',
        "{broken {%s",
    ],
)
async def test_json_amid_other_text_is_found(service: Service, wrapped: str) -> None:
    service.expect(Answer(wrapped % VERDICT))
    found = await service.caller().structured(ASK, BufferAnalysis)
    assert found.rationale == "a finding"


async def test_the_twin_sees_one_instruction_and_one_message_of_data(service: Service) -> None:
    service.expect(Answer("ready"))
    await service.caller().text(ASK)
    [body] = service.script.requests
    if service.provider is Provider.GOOGLE:
        assert [each["role"] for each in body["contents"]] == ["user"]
        assert body["systemInstruction"]["parts"] == [{"text": "Answer."}]
    else:
        assert [each["role"] for each in body["messages"]] == ["system", "user"]


async def test_after_failures_in_a_row_nothing_is_sent_until_it_is_time(service: Service) -> None:
    service.expect(Status(500), Status(500))
    caller = service.caller(CallLimits(tries=1))
    caller.breaker = Breaker(BreakerLimits(failures=2, open_s=30.0))
    for _ in range(2):
        with pytest.raises(Unavailable):
            await caller.text(ASK)
    with pytest.raises(SwitchedOff):
        await caller.text(ASK)
    service.paced.now += 30.0
    service.expect(Answer("ready"))
    assert await caller.text(ASK) == "ready"
    assert caller.counts.failures == {"unavailable": 2, "breaker_open": 1}


TEXT = (
    "The chest CT from today shows bilateral hilar nodes. "
    "In the blood the calcium is 2.9 mmol/L. "
    "Give prednisolone 40 mg daily if the biopsy confirms granulomas.\n"
)


async def test_an_engine_whose_service_is_gone_goes_on_and_says_so(service: Service) -> None:
    service.expect(*[Status(500)] * 2)
    caller = service.caller(CallLimits(tries=1))
    plain, modelled = EXAIM(), EXAIM(judge=LLMJudge(caller), summarizer=LLMSummarizer(caller))
    found = []
    for exaim in (plain, modelled):
        updates = await exaim.feed(Delta("doctor0", TEXT, 1, 0.0))
        found.append(updates + await exaim.finish(9.0))
    without = [update.model_copy(update={"fallbacks": ()}) for update in found[1]]
    assert without == list(found[0])
    assert found[1][0].fallbacks == (
        Fallback(part="judge", reason="unavailable"),
        Fallback(part="summarizer", reason="unavailable"),
    )
    assert caller.counts.failures == {"unavailable": 2}


NO_MODEL = (
    (LLMRole.SUMMARIZER, ", or EXAIM_ENGINE=lexical for no model"),
    (LLMRole.BUFFER_AGENT, ", or EXAIM_JUDGE=lexical for no model"),
    (LLMRole.DIALOGUE, ", or EXAIM_DIALOGUE=lexical for no model"),
    (LLMRole.MAS, ""),
)


@pytest.mark.parametrize(("role", "no_model"), NO_MODEL)
def test_a_missing_key_is_told_with_the_variables_that_mend_it(role: LLMRole, no_model: str) -> None:
    environ = {f"{role.upper()}_LLM_PROVIDER": "google"}
    words = r"in the environment, or in EXAIM Voice's \.env;"
    chosen = rf"by {role.upper()}_LLM_PROVIDER{no_model}$"
    with pytest.raises(MissingKey, match=rf"GOOGLE_API_KEY.* {words}.* {chosen}"):
        Registry(read_models(environ), environ).check(role)


@pytest.mark.parametrize(("role", "no_model"), NO_MODEL)
def test_a_missing_client_is_told_with_how_to_install_it(role: LLMRole, no_model: str) -> None:
    environ = {"GOOGLE_API_KEY": "x", f"{role.upper()}_LLM_PROVIDER": "google"}
    wanted = rf"langchain-google-genai.*requirements/llm\.lock \(docs/llm\.md\){no_model}$"
    with pytest.raises(MissingPackage, match=wanted):
        Registry(read_models(environ), environ, importer=_nothing_installed).get(role)


def _nothing_installed(name: str) -> object:
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize(
    ("message", "status", "reason"),
    [
        ("request (5211 tokens) exceeds the available context size (4096 tokens), try increasing it", 400, "too_long"),
        ("This model's maximum context length is 4096 tokens.", 400, "too_long"),
        ("prompt is too long: 210000 tokens > 200000 maximum", 400, "too_long"),
        ("The input token count (40000) exceeds the maximum number of tokens allowed (32768).", 400, "too_long"),
        ("Request too large for model `llama` on tokens per minute", 413, "too_long"),
        ("model 'qwen' not found", 404, "wrong_request"),
        ("temperature must be between 0 and 2", 400, "wrong_request"),
        ("the available context size is being raised", 503, "unavailable"),
    ],
)  # fmt: skip
def test_a_question_longer_than_the_context_is_told_from_a_wrong_one(
    message: str, status: int, reason: str
) -> None:
    class ClientError(Exception):
        status_code = status

    assert translated(ClientError(message)).reason == reason
    assert message not in str(translated(ClientError(message)))


async def test_the_client_ends_no_silence_by_itself_for_the_deadlines_are_ours() -> None:
    """Its own 120 s ended a 1.5B model on a processor that was still reading the question."""
    async with twin_service(Provider.OPENAI) as service:
        assert getattr(service.registry.get(ROLE), "stream_chunk_timeout") is None  # noqa: B009 - of one client
