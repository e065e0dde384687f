"""Choose a team's chat models: one for all roles and others for some, by provider, name, address."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from agents.teams.budgets import Prices, priced
from agents.teams.models import ByRole
from chat_models import (
    LLMRole,
    ModelSpec,
    Provider,
    Registry,
    read_models,
)
from chat_models.config import KEY_VARIABLE

if TYPE_CHECKING:
    from chat_models.registry import BaseChatModel

_ROLE: Final = re.compile(r"(?P<role>[a-z][a-z0-9_]{0,63})=(?P<model>.+)")
HOW: Final = (
    "provider:model, such as openai:qwen3:8b, google:gemini-2.5-flash or groq:llama-3.3-70b-versatile"
)

A_SERVICE: Final = (
    "  a server of your own (Ollama, vLLM):  --model openai:qwen3:8b --base-url http://127.0.0.1:11434/v1\n"
    f"  a provider: its key in the environment or in .env ({', '.join(sorted(KEY_VARIABLE.values()))})\n"
)
"""What there is to choose, for whoever has named no model that can be asked."""


@dataclass(frozen=True, slots=True)
class WantedModels:
    """The models that a command line names; None of one's own: the role `mas` of models.yaml."""

    model: str | None = None
    base_url: str | None = None
    role_models: tuple[str, ...] = ()


class SpecModels:
    """A run's models, each built once; `aclose` closes them. Raises: MissingKey, MissingPackage."""

    def __init__(
        self, spec: ModelSpec, environ: Mapping[str, str], by_role: Mapping[str, ModelSpec] | None = None
    ) -> None:
        self._spec, self._by_role = spec, dict(by_role or {})
        self._registry = Registry({LLMRole.MAS: self._spec}, environ)
        others = self._registry.model_of(self._spec)
        self._models = ByRole(
            {role: self._registry.model_of(spec) for role, spec in self._by_role.items()}, others
        )

    @property
    def specs(self) -> tuple[ModelSpec, ...]:
        """Return what is asked, the usual one first."""
        return tuple(dict.fromkeys((self._spec, *self._by_role.values())))

    @property
    def structured(self) -> str:
        """Return how the usual model is asked for a declared form."""
        return self._spec.structured

    @property
    def prices(self) -> Prices:
        """Return the models' prices: of models.yaml, else none at an own address, else of the table."""
        found = dict(priced())
        for spec in self.specs:
            if spec.prices is not None:
                found[spec.model] = spec.prices
            elif _is_own(spec):
                found[spec.model] = (0.0, 0.0)
        return found

    def host_of(self, role: str) -> str:
        """Return the host that a role's words go to."""
        return self._by_role.get(role, self._spec).host

    def of(self, role: str) -> BaseChatModel:
        """Return the role's model."""
        return self._models.of(role)

    async def aclose(self) -> None:
        """Close what holds connections."""
        await self._registry.aclose()


class TeamModels(SpecModels):
    """The models that a command line names."""

    def __init__(
        self, wanted: WantedModels, roles: Iterable[str], environ: Mapping[str, str], path: Path | None = None
    ) -> None:
        known = frozenset(roles)
        by_role = dict(_of_role(each, known, wanted, environ, path) for each in wanted.role_models)
        super().__init__(_spec(wanted.model, wanted.base_url, environ, path), environ, by_role)


def _of_role(
    text: str, roles: frozenset[str], wanted: WantedModels, environ: Mapping[str, str], path: Path | None
) -> tuple[str, ModelSpec]:
    match = _ROLE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"--role-model is role=provider:model, and not {text!r}")
    if match["role"] not in roles:
        raise ValueError(f"this team has no role {match['role']!r}; it has {', '.join(sorted(roles))}")
    named, _, url = match["model"].partition("@")
    return match["role"], _spec(named, url or _url_of(named, wanted), environ, path)


def _url_of(named: str, wanted: WantedModels) -> str | None:
    """Return the command line's address for a role's model of the provider that it was given for."""
    usual = (wanted.model or "openai:").partition(":")[0]
    return wanted.base_url if named.partition(":")[0] == usual else None


def _spec(
    named: str | None, base_url: str | None, environ: Mapping[str, str], path: Path | None
) -> ModelSpec:
    """Return a model's specification, the rest of it as models.yaml has it. Raises: ValueError, OSError."""
    known = dict(environ)
    if named is not None:
        provider, _, model = named.partition(":")
        if not model:
            raise ValueError(f"a model is {HOW}; not {named!r}")
        known |= {"MAS_LLM_PROVIDER": Provider.of(provider), "MAS_LLM_MODEL": model}
    spec = read_models(known, path)[LLMRole.MAS]
    if base_url and urlsplit(base_url).scheme not in ("http", "https"):
        raise ValueError(f"an address begins with http:// or https://, and not as {base_url!r}")
    return replace(spec, base_url=base_url) if base_url else spec


def _is_own(spec: ModelSpec) -> bool:
    """Return whether a model is served by this machine or in this network, so that nobody bills for it."""
    host = urlsplit(spec.base_url or "").hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".local")
    return address.is_loopback or address.is_private
