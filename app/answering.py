"""Support the rules that answer: a sentence encoder and, if set, a chat model where they fail."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from agents.dialogue.embeddings import Embeddings, EncoderMissing, SentenceEncoder
from agents.dialogue.nearest import LIMITS, ModelNearest, Nearest
from chat_models import (
    CallLimits,
    LLMError,
    LLMRole,
    ModelCaller,
    Registry,
)
from infra.llm_registry import registry_of
from infra.settings import Settings, SettingsError


def nearest_of(settings: Settings, environ: Mapping[str, str] | None = None) -> Nearest | None:
    """Return the chooser of what is nearest to a question; None: none is configured.

    Raises: SettingsError: a key, a package or a file is missing; the message names the mend.
    """
    if settings.dialogue == "lexical":
        return None
    try:
        return nearest_from(registry_of(settings, environ))
    except LLMError as error:
        raise SettingsError(f"EXAIM_DIALOGUE=llm: {error}") from None


def nearest_from(registry: Registry, limits: CallLimits = LIMITS) -> ModelNearest:
    """Return the chooser of a registry. Raises: MissingPackage, MissingKey."""
    spec = registry.specs[LLMRole.DIALOGUE]
    model = registry.get(LLMRole.DIALOGUE)
    return ModelNearest(
        ModelCaller(
            model, structured=spec.structured, streaming=spec.streaming, limits=limits, name=spec.model
        )
    )


def embeddings_of(settings: Settings) -> Embeddings | None:
    """Return one session's vectors, or None: none are asked for. The model is loaded by `load`."""
    return (
        Embeddings(partial(_minilm, settings.run_dir / "encoder")) if settings.encoder == "minilm" else None
    )


def _minilm(folder: Path) -> SentenceEncoder:
    try:
        from agents.dialogue.minilm import MiniLM
    except ModuleNotFoundError as error:
        raise EncoderMissing(str(error.name)) from None
    return MiniLM(folder)


@cache
def nearest_here(settings: Settings) -> Nearest | None:
    """Return this process's, made once, before there is a session: a client's package loads for seconds."""
    return nearest_of(settings)
