"""Chat models by role: built at first use, one a role. The only module that knows the providers' clients."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Final

from chat_models.config import KEY_VARIABLE, NO_MODEL, LLMRole, ModelSpec, Provider, read_models
from chat_models.errors import MissingKey, MissingPackage
from chat_models.tls import library_of, tls_context

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel as BaseChatModel

_CLIENTS: Final = {
    Provider.GOOGLE: ("langchain_google_genai", "ChatGoogleGenerativeAI"),
    Provider.GROQ: ("langchain_groq", "ChatGroq"),
    Provider.OPENAI: ("langchain_openai", "ChatOpenAI"),
    Provider.ANTHROPIC: ("langchain_anthropic", "ChatAnthropic"),
}
_HTTP_OF: Final = {Provider.GROQ: "groq", Provider.OPENAI: "openai"}
"""Whose HTTP client is made here, by the vendor's package: LangChain shares OpenAI's among all models of one
address, so that who closes a registry would close it for the others, and leaves Groq's open."""

NO_KEY: Final = "none"
"""What is sent to a compatible service of one's own that asks for no key; the client wants some text."""


class Registry:
    """The models of one configuration.

    `environ` gives keys only; who asks which model is in `specs`. `importer` finds the clients' packages.
    """

    def __init__(
        self,
        specs: Mapping[LLMRole, ModelSpec],
        environ: Mapping[str, str],
        *,
        importer: Callable[[str], Any] = import_module,
    ) -> None:
        self.specs = specs
        self._import = importer
        self._environ = environ
        self._built: dict[LLMRole | ModelSpec, BaseChatModel] = {}
        self._clients: list[Any] = []  # that the chat models leave to whoever made them

    def get(self, role: LLMRole | str) -> BaseChatModel:
        """Return the role's model, always the same one.

        Raises: ValueError: no such role; MissingPackage, MissingKey.
        """
        role = LLMRole.of(role)
        if role not in self._built:
            self._built[role] = self._build(self.specs[role])
        return self._built[role]

    def model_of(self, spec: ModelSpec) -> BaseChatModel:
        """Return the model of a specification that is no role's, always the same one. Raises as `get`."""
        if spec not in self._built:
            self._built[spec] = self._build(spec)
        return self._built[spec]

    def check(self, *roles: LLMRole) -> None:
        """Build what `roles` ask, so that what is missing is known at the start. Raises as `get`."""
        for role in roles:
            self.get(role)

    async def aclose(self) -> None:
        """Close what holds connections; on the loop on which it was used."""
        for owner in [*self._built.values(), *self._clients]:
            await _closed(owner)
        self._built.clear()
        self._clients.clear()

    def _build(self, spec: ModelSpec) -> BaseChatModel:
        package, name = _CLIENTS[spec.provider]
        key = self._key(spec)
        try:
            client: Any = getattr(self._import(package), name)
        except ModuleNotFoundError:
            raise MissingPackage(package.replace("_", "-"), NO_MODEL.get(spec.role)) from None
        if spec.provider is Provider.OPENAI:
            client = self._import("chat_models.reasoning").ReasoningChatOpenAI
        if spec.provider is Provider.ANTHROPIC:
            client = self._import("chat_models.anthropic_chat").OwnChatAnthropic
        options: dict[str, Any] = {"model": spec.model, "temperature": spec.temperature, "api_key": key}
        if spec.provider is Provider.ANTHROPIC:
            del options["temperature"]  # which the types of its messages (anthropic 2.13) do not have
        if spec.base_url is not None:
            options["base_url"] = spec.base_url
        # Trying again is ours (calls.py), with one deadline over all tries. Google's client counts tries.
        options["max_retries"] = 1 if spec.provider is Provider.GOOGLE else 0
        if spec.provider is Provider.OPENAI:
            options["use_responses_api"] = False  # compatible services speak chat completions
            options["stream_usage"] = True
            options["stream_chunk_timeout"] = None  # its 120 s end a model that reads a long question slowly
        if spec.provider is Provider.GOOGLE:
            tls = tls_context("httpx")
            options["client_args"] = {"verify": tls, "ssl": tls}  # as httpx and aiohttp call it
        if (vendor_name := _HTTP_OF.get(spec.provider)) is not None:
            vendor = self._import(vendor_name)
            tls = tls_context(library_of(vendor.DefaultAsyncHttpxClient))
            options["http_client"] = vendor.DefaultHttpxClient(
                verify=tls
            )  # is never used, but would be built
            options["http_async_client"] = vendor.DefaultAsyncHttpxClient(verify=tls)
            self._clients.append(options["http_async_client"])
        model: BaseChatModel = client(**options)
        return model

    def _key(self, spec: ModelSpec) -> str:
        variable = KEY_VARIABLE[spec.provider]
        key = self._environ.get(variable)
        if key:
            return key
        if spec.provider is Provider.OPENAI and spec.base_url is not None:
            return NO_KEY
        raise MissingKey(spec.provider, variable, spec.role, NO_MODEL.get(spec.role))


async def _closed(owner: Any) -> None:
    """Close what can be closed: Google's model, OpenAI's client within its model, an HTTP client."""
    for each in (owner, getattr(owner, "root_async_client", None)):
        close = getattr(each, "aclose", None) or getattr(each, "close", None)
        if close is not None and iscoroutinefunction(close):
            await close()


@cache
def default_registry() -> Registry:
    """Return the registry of this process's environment, `EXAIM_MODELS` naming the file; read once."""
    from pathlib import Path

    path = os.environ.get("EXAIM_MODELS")
    return Registry(read_models(os.environ, Path(path) if path else None), os.environ)


def get_llm(role: LLMRole | str) -> BaseChatModel:
    """Return the model of a role, by the environment. Raises as `Registry.get`."""
    return default_registry().get(role)
