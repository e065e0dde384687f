"""A chat model whose answers a test rehearses; it keeps every question, and what it counted as a provider does."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from agents.teams.mdagents.asking import Asker
from agents.teams.mdagents.scripted import replied
from agents.teams.mdagents.settings import Settings
from agents.teams.mdagents.telling import Nobody, NoInbox
from agents.teams.mdagents.work import Work
from agents.teams.models import OneModel
from agents.teams.one_call import Callers
from agents.teams.port import Inbox
from chat_models.calls import CallLimits, Pace

T = TypeVar("T")
OPTIONS = {"A": "Sepsis", "B": "Digoxin toxicity", "C": "Aortic dissection"}
TEXT = "A man of 80 sees yellow rings and has a pulse of 38/min."


@dataclass(frozen=True)
class Call:
    """One question: which prompt, by whom, at what temperature, and when."""

    kind: str
    system: str
    texts: tuple[str, ...]
    temperature: float
    at_s: float

    @property
    def question(self) -> str:
        return self.texts[-1]


class TooMany(Exception):
    """What a client raises on a 429."""

    status_code = 429


@dataclass
class Told:
    calls: list[Call] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0


Reply = Callable[[Call], Any]
KINDS = (
    "tier",
    "experts",
    "talk",
    "key_knowledge",
    "feedback",
    "teams",
    "investigations",
    "report",
    "reply",
    "reasoning",
)


def kind_of(question: str) -> str:
    shape = question[question.rfind("Answer with one JSON object") :]
    return next(kind for kind in KINDS if f'"{kind}"' in shape)


class Rehearsed(BaseChatModel):
    """Answers by `reply`: text, JSON, an exception to raise, or None for what the scripted model says."""

    reply: Reply
    temperature: float = 0.2
    latency_s: float = 0.0
    model: str = "rehearsed"
    _told: Told = PrivateAttr(default_factory=Told)

    @property
    def told(self) -> Told:
        return self._told

    def of_kind(self, kind: str) -> list[Call]:
        return [each for each in self._told.calls if each.kind == kind]

    @property
    def _llm_type(self) -> str:
        return "rehearsed"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise AssertionError("the team asks without a thread")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        texts = tuple(str(each.content) for each in messages)
        call = Call(kind_of(texts[-1]), texts[0], texts, self.temperature, asyncio.get_running_loop().time())
        self._told.calls.append(call)
        await asyncio.sleep(self.latency_s)
        answer = self.reply(call)
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            answer = replied(texts)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        used = sum(map(len, texts)), len(text)
        self._told.input_tokens += used[0]
        self._told.output_tokens += used[1]
        usage = {"input_tokens": used[0], "output_tokens": used[1], "total_tokens": sum(used)}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, usage_metadata=usage))])


class Writing(Rehearsed):
    """Writes its answers word by word, `latency_s` a word; `thinks` before it; `breaks_after` so many words, once."""

    thinks: str = ""
    breaks_after: int = 0

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        texts = tuple(str(each.content) for each in messages)
        at_s = asyncio.get_running_loop().time()
        call = Call(kind_of(texts[-1]), texts[0], texts, self.temperature, at_s)
        self._told.calls.append(call)
        found = self.reply(call)
        text = found if isinstance(found, str) else json.dumps(found or json.loads(replied(texts)))
        words = re.findall(r"\S+\s*", f"<think>{self.thinks}</think>{text}" if self.thinks else text)
        for number, word in enumerate(words, 1):
            await asyncio.sleep(self.latency_s)
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            if number == self.breaks_after and call.kind == "reasoning":
                self.breaks_after = 0
                raise ConnectionError("the line is dead")
        used = sum(map(len, texts)), len(text)
        self._told.input_tokens += used[0]
        self._told.output_tokens += used[1]
        usage = UsageMetadata(input_tokens=used[0], output_tokens=used[1], total_tokens=sum(used))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))


def answer(letter: str, why: str = "It fits.") -> dict[str, str]:
    return {"reasoning": why, "answer": letter}


def talk(**to: str) -> dict[str, Any]:
    """`talk(_2="text")` writes to expert 2."""
    return {
        "talk": bool(to),
        "messages": [{"to": name.strip("_"), "text": text} for name, text in to.items()],
    }


def experts(*roles: str) -> dict[str, Any]:
    return {"experts": [{"role": role, "description": f"Knows {role}."} for role in roles]}


def work_on(
    model: BaseChatModel,
    settings: Settings,
    *,
    options: dict[str, str] | None = None,
    limits: CallLimits | None = None,
    listener: Any = None,
    inbox: Inbox | None = None,
    pace: Pace | None = None,
) -> Work:
    callers = Callers(OneModel(model), limits=limits or CallLimits(deadline_s=300, tries=3), pace=pace)
    heard = listener or Nobody()
    return Work(
        TEXT,
        OPTIONS if options is None else options,
        settings,
        Asker(callers, heard),
        listener=heard,
        inbox=inbox or NoInbox(),
    )


def on_virtual_time(runner: asyncio.Runner, scene: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Return what a scene brings and how long it took, in virtual seconds."""
    loop = runner.get_loop()
    began_s = loop.time()
    return runner.run(scene), loop.time() - began_s
