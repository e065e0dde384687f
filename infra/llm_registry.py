"""Chat models by role, as `chat_models` has them, and the registry that the settings describe."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv import dotenv_values

from chat_models import (
    LLMRole,
    ModelSpec,
    Registry,
    read_models,
    read_readers,
    read_teams,
)
from infra.settings import Settings, SettingsError, load_settings, variable

if TYPE_CHECKING:
    from chat_models.registry import BaseChatModel

__all__ = ["LLMRole", "get_llm", "known_variables", "readers_of", "registry_here", "registry_of", "teams_of"]


def registry_of(settings: Settings, environ: Mapping[str, str] | None = None) -> Registry:
    """Return the registry of the settings' models; keys are the environment's, else those of `.env`.

    Raises: SettingsError: the file or a variable names what there is not.
    """
    known = known_variables(environ)
    with _told(settings):
        return Registry(read_models(known, settings.models), known)


def readers_of(settings: Settings, environ: Mapping[str, str] | None = None) -> Mapping[str, ModelSpec]:
    """Return the models that may read the agents' words, by name, the default first. Loads no client.

    Raises: SettingsError: the file or a variable names what there is not.
    """
    if settings.engine == "lexical":
        return {}
    known = known_variables(environ)
    with _told(settings):
        found = read_readers(known, settings.models)
        if not found and settings.engine == "llm":
            return {"summarizer": read_models(known, settings.models)[LLMRole.SUMMARIZER]}
        return found


def teams_of(settings: Settings, environ: Mapping[str, str] | None = None) -> Mapping[str, ModelSpec]:
    """Return the models for teams of ours, by name, the default first. Loads no client.

    Raises: SettingsError: the file or a variable names what there is not.
    """
    known = known_variables(environ)
    with _told(settings):
        return read_teams(known, settings.models)


def known_variables(environ: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the environment, over what stands in `.env`."""
    given = os.environ if environ is None else environ
    written = {name: value for name, value in dotenv_values(Path(".env")).items() if value}
    return {**written, **given}


@contextmanager
def _told(settings: Settings) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"{variable('models')}: {settings.models} can't be read: {error.strerror}"
        ) from None
    except ValueError as error:
        raise SettingsError(f"models: {error}") from None


@cache
def registry_here() -> Registry:
    """Return the registry of this process's settings, read once. Raises as `registry_of`."""
    return registry_of(load_settings())


def get_llm(role: LLMRole | str) -> BaseChatModel:
    """Return the model of a role, always the same one, by the environment and by `.env`.

    `exaim_core.get_llm` goes by the environment alone. Raises: SettingsError; ValueError: no such role;
    MissingPackage, MissingKey.
    """
    return registry_here().get(LLMRole.of(role))
