"""Anthropic's chat model with a client of its own: LangChain shares one among all models of an address."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import anthropic
from langchain_anthropic import ChatAnthropic

from chat_models.tls import library_of, tls_context


class OwnChatAnthropic(ChatAnthropic):
    """A `ChatAnthropic` whose connections `aclose` ends, and nobody else's."""

    @cached_property
    def _async_client(self) -> anthropic.AsyncClient:
        options: dict[str, Any] = self._client_params
        tls = tls_context(library_of(anthropic.DefaultAsyncHttpxClient))
        return anthropic.AsyncClient(**options, http_client=anthropic.DefaultAsyncHttpxClient(verify=tls))

    async def aclose(self) -> None:
        """Close its connections."""
        await self._async_client.close()
