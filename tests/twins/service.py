"""A provider as the tests use it: its twin behind the real client, or the real service on request."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from chat_models import (
    CallLimits,
    LLMRole,
    ModelCaller,
    Pace,
    Provider,
    Registry,
    read_models,
)
from chat_models.config import KEY_VARIABLE, MODEL_VARIABLE, URL_VARIABLE
from tests.twins.google_twin import google_twin
from tests.twins.groq_twin import groq_twin
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Script, Step

LIVE = "EXAIM_LIVE"
"""Set by `make live-check`: the contract tests go to the real services whose keys are in the environment."""
TWINS = {Provider.OPENAI: openai_twin, Provider.GROQ: groq_twin, Provider.GOOGLE: google_twin}
ROLE = LLMRole.SUMMARIZER


@dataclass(slots=True)
class ManualPace:
    """A clock that only the retries' waits move; every wait is noted, none is waited."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """Note the wait and move the clock."""
        self.waits.append(seconds)
        self.now += seconds

    def pace(self) -> Pace:
        """Return it as the caller takes it, without chance."""
        return Pace(now_s=lambda: self.now, sleep=self.sleep, chance=lambda: 0.0)


@dataclass(slots=True)
class Service:
    """One provider, and how to ask it."""

    provider: Provider
    registry: Registry
    script: Script
    live: bool
    paced: ManualPace = field(default_factory=ManualPace)

    def expect(self, *steps: Step) -> None:
        """Say what the twin answers; the real service answers by itself."""
        if not self.live:
            self.script.add(*steps)

    def caller(self, limits: CallLimits | None = None, *, structured: str | None = None) -> ModelCaller:
        """Return a caller of the provider's model."""
        spec = self.registry.specs[ROLE]
        return ModelCaller(
            self.registry.get(ROLE),
            structured=structured or spec.structured,
            streaming=spec.streaming,
            limits=limits or (CallLimits(deadline_s=self._live_s) if self.live else None),
            pace=None if self.live else self.paced.pace(),
        )

    @property
    def _live_s(self) -> float:
        return 600.0 if at_home(self.provider) else 60.0  # a model on a processor reads some tokens a second


def at_home(provider: Provider) -> bool:
    """Say whether the environment names an address of one's own, which needs no key."""
    return provider is Provider.OPENAI and bool(os.environ.get(URL_VARIABLE[provider]))


def wants_live() -> bool:
    """Say whether the real services are to be asked."""
    return bool(os.environ.get(LIVE))


@asynccontextmanager
async def twin_service(provider: Provider, *, key: str = KEY, model: str = MODEL) -> AsyncIterator[Service]:
    """Serve a provider's twin for one test, and check at its end that its script was played."""
    script = Script()
    async with TWINS[provider](script) as address:
        environ = {
            "SUMMARIZER_LLM_PROVIDER": provider.value,
            f"{provider.name}_BASE_URL": address,
            KEY_VARIABLE[provider]: key,
            MODEL_VARIABLE[provider]: model,
        }
        registry = Registry(read_models(environ), environ)
        try:
            yield Service(provider, registry, script, live=False)
        finally:
            await registry.aclose()


@asynccontextmanager
async def live_service(provider: Provider) -> AsyncIterator[Service]:
    """Return the real service, by the environment's key and model."""
    environ = {**os.environ, "SUMMARIZER_LLM_PROVIDER": provider.value}
    registry = Registry(read_models(environ), environ)
    try:
        yield Service(provider, registry, Script(), live=True)
    finally:
        await registry.aclose()
