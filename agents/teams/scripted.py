"""A chat model that answers from a script: a real `BaseChatModel`, so that teams run without a key.

Timing, thinking, calls of tools, usage, declared forms and errors are as the script has them. It keeps no state
but how often a line has failed: which line it says, it reads from the question's `kind` and `round`, so a team that
was killed and goes on hears what it would have heard. What it says is labelled as scripted wherever it is shown.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from agents.teams.errors import ScriptRefused
from agents.teams.script_files import (
    LABEL,
    Script,
    ScriptLine,
    paper_scripts,
    parsed_script,
    read_paper_script,
    read_script,
    script_names,
)

__all__ = [
    "LABEL",
    "Script",
    "ScriptLine",
    "ScriptedChatModel",
    "ScriptedFailure",
    "ScriptedModels",
    "paper_scripts",
    "parsed_script",
    "read_paper_script",
    "read_script",
    "script_names",
]

MODEL: Final = "scripted"
CHARS_A_TOKEN: Final = 4
NO_ANSWER: Final = (
    "My words are from a script, so I can't answer that. Start the team with a model to put questions to it."
)
_WORD: Final = re.compile(r"\s*\S+\s*")

_STATUS: Final[Mapping[str, int]] = {"rate_limited": 429, "unavailable": 503, "wrong_request": 400}


class ScriptedModels:
    """The models of a script's roles, each always the same one. `speed` 0: without any wait."""

    def __init__(self, script: Script, team: str, *, speed: float = 1.0) -> None:
        if team not in script.lines:
            raise ScriptRefused(f"the script has no team {team!r}; it has {', '.join(script.lines)}")
        self._lines, self._speed = script.lines[team], speed
        self._made: dict[str, ScriptedChatModel] = {}

    def of(self, role: str) -> ScriptedChatModel:
        """Return the role's model. Raises: ScriptRefused: the script has no such role."""
        if role not in self._made:
            if role not in self._lines:
                raise ScriptRefused(f"the script has no role {role!r}; it has {', '.join(self._lines)}")
            self._made[role] = ScriptedChatModel(role=role, lines=self._lines[role], speed=self._speed)
        return self._made[role]


class ScriptedFailure(Exception):
    """What a provider's client would raise: by its status, as those have it."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"the script has it fail: {kind}")
        self.status_code = _STATUS.get(kind)


class ScriptedChatModel(BaseChatModel):
    """The chat model of one role. Asks for no key, sends nothing anywhere."""

    role: str
    lines: dict[str, dict[int, ScriptLine]]
    speed: float = 1.0
    model: str = MODEL
    tools: tuple[str, ...] = ()
    _tried: dict[tuple[str, int], int] = PrivateAttr(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return MODEL

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return a model that answers a declared form as a call of the first tool."""
        names = tuple(str(convert_to_openai_tool(each)["function"]["name"]) for each in tools)
        bound = self.model_copy(update={"tools": names})
        bound._tried = self._tried
        return bound

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Answer at once, without the script's waits: there is no loop to wait on."""
        return self._whole(messages, self._next(messages))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        line = await self._begun(messages)
        words = len(line.text.split()) + len(line.thinking.split())
        await self._pass(words / line.words_per_s)
        return self._whole(messages, line)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        line = await self._begun(messages)
        cut = self._cuts(messages)
        for number, piece in enumerate(_pieces(line, self.tools)):
            if number == 0:
                piece.response_metadata["model_provider"] = MODEL
            if cut and number == 3:
                return  # the stream ends, and says nothing of an end
            await self._pass(1 / line.words_per_s)
            chunk = ChatGenerationChunk(message=piece)
            if run_manager is not None:
                await run_manager.on_llm_new_token(str(piece.text), chunk=chunk)
            yield chunk
        yield ChatGenerationChunk(message=_last(messages, line))

    # -- inside ----------------------------------------------------------------------------------

    async def _begun(self, messages: Sequence[BaseMessage]) -> ScriptLine:
        """Return the line, after its wait for the first word. Raises: ScriptedFailure, ScriptRefused."""
        kind, number = self._asked(messages)
        line = self._line(kind, number)
        tried = self._tried.get((kind, number), 0)
        self._tried[kind, number] = tried + 1
        await self._pass(line.first_s)
        if tried < len(line.fails):
            how = line.fails[tried]
            if how == "hangs":
                await asyncio.Event().wait()
            if how == "refused":
                return line.model_copy(update={"text": "", "form": None, "fails": ("refused",)})
            if how == "token_limit":
                return line.model_copy(update={"fails": ("token_limit",)})
            if how != "cut_short":
                raise ScriptedFailure(how)
        return line if tried < len(line.fails) else line.model_copy(update={"fails": ()})

    def _cuts(self, messages: Sequence[BaseMessage]) -> bool:
        kind, number = self._asked(messages)
        fails, tried = self._line(kind, number).fails, self._tried.get((kind, number), 0)
        return 0 < tried <= len(fails) and fails[tried - 1] == "cut_short"

    def _next(self, messages: Sequence[BaseMessage]) -> ScriptLine:
        kind, number = self._asked(messages)
        return self._line(kind, number)

    def _asked(self, messages: Sequence[BaseMessage]) -> tuple[str, int]:
        """Return kind and round of a question of ours; of any other one, a turn of the first round."""
        try:
            found = json.loads(str(messages[-1].content))
            return str(found["kind"]), int(found["round"])
        except (ValueError, KeyError, TypeError, IndexError):
            return "turn", 1

    def _line(self, kind: str, number: int) -> ScriptLine:
        """Return the line of that kind and round; of a later round than the script has, its last one."""
        lines = self.lines.get(kind)
        if lines is None and kind == "answer":
            return ScriptLine(text=NO_ANSWER)
        if not lines:
            raise ScriptRefused(f"the script's {self.role} has no line of the kind {kind!r}")
        return lines.get(number) or lines[max(lines)]

    def _whole(self, messages: Sequence[BaseMessage], line: ScriptLine) -> ChatResult:
        whole: BaseMessage | None = None
        for piece in (*_pieces(line, self.tools), _last(messages, line)):
            whole = piece if whole is None else whole + piece  # type: ignore[assignment]
        assert isinstance(whole, AIMessageChunk)
        message = AIMessage(**whole.model_dump(exclude={"type", "tool_call_chunks", "chunk_position"}))
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _pass(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.speed if self.speed else 0)


def _pieces(line: ScriptLine, tools: Sequence[str]) -> Iterator[AIMessageChunk]:
    """Yield an answer word by word, what is thought first."""
    thought = f"<think>{line.thinking}</think>\n" if line.thinking and line.thinking_as == "tags" else ""
    for number, word in enumerate(_words(line.thinking) if not thought else ()):
        if line.thinking_as == "field":
            yield AIMessageChunk(content="", additional_kwargs={"reasoning_content": word})
        else:
            yield AIMessageChunk(content=[{"type": "reasoning", "reasoning": word, "index": 0 * number}])
    if line.form is not None:
        yield _formed(line.form, tools)
        return
    for word in _words(thought + line.text):
        yield AIMessageChunk(content=word)
    if line.tool is not None:
        yield _formed(dict(line.tool["args"]), (str(line.tool["name"]),))


def _formed(form: Mapping[str, Any], tools: Sequence[str]) -> AIMessageChunk:
    written = json.dumps(form, ensure_ascii=False)
    if not tools:
        return AIMessageChunk(content=written)
    call = {"name": tools[0], "args": written, "id": "call-1", "index": 0, "type": "tool_call_chunk"}
    return AIMessageChunk(content="", tool_call_chunks=[call])


def _last(messages: Sequence[BaseMessage], line: ScriptLine) -> AIMessageChunk:
    """Return the end of a stream: why it ended, and what it cost."""
    asked = sum(len(str(each.content)) for each in messages) // CHARS_A_TOKEN
    thought = len(line.thinking) // CHARS_A_TOKEN
    wrote = (len(line.text) + len(json.dumps(line.form or {}))) // CHARS_A_TOKEN + thought
    refused, limited = "refused" in line.fails, "token_limit" in line.fails
    return AIMessageChunk(
        content="",
        response_metadata={
            "finish_reason": "content_filter" if refused else "length" if limited else "stop",
            "model_name": MODEL,
            "model_provider": MODEL,
        },
        usage_metadata={
            "input_tokens": asked,
            "output_tokens": wrote,
            "total_tokens": asked + wrote,
            "output_token_details": {"reasoning": thought},
        },
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text)
