"""What would let a patient's words leave this machine. Pure: everything is in the settings and the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from exaim_core.llm import LLMRole, ModelSpec, read_models
from infra.llm_registry import readers_of
from infra.settings import Settings, is_loopback

_CLOUD_SFU: Final = ".livekit.cloud"


def is_here(spec: ModelSpec) -> bool:
    """Tell whether a model is served by this machine: by an address of loopback, and nothing else."""
    return bool(spec.base_url) and is_loopback(urlsplit(spec.base_url or "").hostname or "")


def leaving(settings: Settings, team: Iterable[ModelSpec], environ: Mapping[str, str]) -> list[str]:
    """Return what gets words of a session, and is not on this machine, each named as an operator knows it.

    `team`: the models of its agents. Counted are models, voice, recogniser and LiveKit's cloud; a store, a
    database or an SFU at an address of one's own are the operator's.
    """
    found = [f"the team's model ({spec.model} at {spec.host})" for spec in team if not is_here(spec)]
    for name, spec in _others(settings, environ).items():
        if not is_here(spec):
            found.append(f"the model of {name} ({spec.model} at {spec.host})")
    if settings.voice != "piper":
        found.append(f"the voice ({settings.voice})")
    if settings.voice_second != "none":
        found.append(f"the voice behind it ({settings.voice_second})")
    if settings.ears != "local":
        found.append(f"the recogniser ({settings.ears})")
    sfu = urlsplit(settings.livekit_public_url or settings.livekit_url).hostname or ""
    if sfu.endswith(_CLOUD_SFU):
        found.append(f"the SFU ({sfu})")
    return found


def _others(settings: Settings, environ: Mapping[str, str]) -> Mapping[str, ModelSpec]:
    """Return the models that a session asks beside its team's, by what they do."""
    asked = {f"the reader {name}": spec for name, spec in list(readers_of(settings, environ).items())[:1]}
    roles = (
        (settings.engine, LLMRole.SUMMARIZER),
        (settings.judge, LLMRole.BUFFER_AGENT),
        (settings.dialogue, LLMRole.DIALOGUE),
    )
    wanted = [role for engine, role in roles if engine == "llm"]
    if wanted:
        models = read_models(environ, settings.models)
        asked |= {f"the role {role}": models[role] for role in wanted}
    return asked
