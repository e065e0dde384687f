"""OpenAI's chat client with the field that it drops: what a model thought, as compatible services send it.

`langchain-openai` reads what OpenAI itself sends. DeepSeek, vLLM, Ollama, OpenRouter and others send thinking
beside the text, as `reasoning_content` or `reasoning`; without this it would be lost, and nothing would tell
a model that thinks for minutes from one that is silent. docs/streaming.md names each service's field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from exaim_live.pieces import BESIDE


class ReasoningChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` whose messages keep thinking in `additional_kwargs`, as the client of DeepSeek does."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") or (chunk.get("chunk") or {}).get("choices") or ()
        if made is not None and choices:
            _keep(made.message, choices[0].get("delta"))
        return made

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        made = super()._create_chat_result(response, generation_info)
        found = response if isinstance(response, Mapping) else response.model_dump(warnings=False)
        for generation, choice in zip(made.generations, found.get("choices") or (), strict=False):
            _keep(generation.message, choice.get("message"))
        return made


def _keep(message: BaseMessage, sent: Any) -> None:
    """Keep in `message` what of `sent` is thinking; some services send the same under both names."""
    if isinstance(sent, Mapping):
        thought = next((text for name in BESIDE if isinstance(text := sent.get(name), str) and text), None)
        if thought is not None:
            message.additional_kwargs[BESIDE[0]] = thought
