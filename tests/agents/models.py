"""A chat model that answers as it is told, piece by piece; strict: it fails on a call that nobody expects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

FACTS = {"model_provider": "scripted"}


class Fault:
    """In a script: here the call fails so."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Silence:
    """In a script: here nothing comes for so long."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


Step = str | AIMessageChunk | Fault | Silence


def chunk(content: Any = "", **beside: Any) -> AIMessageChunk:
    """Return a piece of an answer; `beside` stands where providers put thinking beside the text."""
    return AIMessageChunk(content=content, additional_kwargs=beside)


def ended(
    finish: str = "stop", *, tokens: tuple[int, int] | None = None, thinking: int = 0
) -> AIMessageChunk:
    """Return the last piece of an answer."""
    usage: Any = None
    if tokens is not None:
        usage = {
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "total_tokens": sum(tokens),
            "output_token_details": {"reasoning": thinking} if thinking else {},
        }
    return AIMessageChunk(
        content="",
        usage_metadata=usage,
        response_metadata={"finish_reason": finish, "model_name": "scripted-1", **FACTS},
    )


class ScriptedModel(BaseChatModel):
    """Answers each call by the next script; `closed` counts the streams that were closed or read to their end."""

    scripts: list[list[Any]]
    closed: int = 0
    _asked: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[list[BaseMessage]]:
        """What was asked, call by call."""
        return self._asked

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _next(self, messages: list[BaseMessage]) -> list[Step]:
        self._asked.append(messages)
        assert self.scripts, "the script expects no more calls"
        return self.scripts.pop(0)

    async def _pieces(self, messages: list[BaseMessage]) -> AsyncIterator[AIMessageChunk]:
        try:
            for step in self._next(messages):
                if isinstance(step, Fault):
                    raise step.error
                if isinstance(step, Silence):
                    await asyncio.sleep(step.seconds)
                    continue
                yield chunk(step) if isinstance(step, str) else step
        finally:
            self.closed += 1

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for piece in self._pieces(messages):
            yield ChatGenerationChunk(message=piece)

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        whole: Any = None
        async for piece in self._pieces(messages):
            whole = piece if whole is None else whole + piece
        message = AIMessage(
            content=whole.content,
            additional_kwargs=whole.additional_kwargs,
            response_metadata=whole.response_metadata,
            usage_metadata=whole.usage_metadata,
            tool_calls=whole.tool_calls,
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise AssertionError("this project calls models without blocking")
