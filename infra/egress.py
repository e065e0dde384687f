"""Find what would send a patient's words off this machine, by settings and models alone. Pure.

"Here" is what is reached by an address of loopback, a Unix socket or a file. A name of this machine's own, or a
container's, may be anybody's tomorrow: it counts as elsewhere. Who forwards a port of loopback has it forwarded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qs, urlsplit

from chat_models import LLMRole, ModelSpec, read_models
from infra.llm_registry import readers_of
from infra.settings import Settings, is_loopback

_CLOUD_SFU: Final = ".livekit.cloud"


def is_here(spec: ModelSpec) -> bool:
    """Return whether a model is served by this machine: by an address of loopback, and nothing else."""
    return bool(spec.base_url) and is_loopback(urlsplit(spec.base_url or "").hostname or "")


def leaving(settings: Settings, team: Iterable[ModelSpec], environ: Mapping[str, str]) -> list[str]:
    """Return what gets a session's words and is not on this machine, by the operator's names.

    `team`: the models of its agents. Counted are models, voice, recogniser, SFU, store and database; what the
    operator would set is said where it is not named by what it is.
    """
    models = {f"of {name}": spec for name, spec in _others(settings, environ).items()}
    asked = [("the team's model", spec) for spec in team]
    asked += [(f"the model {name}", spec) for name, spec in models.items()]
    found = [f"{what} ({spec.model} at {spec.host})" for what, spec in asked if not is_here(spec)]
    by_proxy = {_host(spec.base_url or "") for _, spec in asked if is_here(spec)}
    if by_proxy := {host for host in by_proxy if _goes_by_proxy(host, environ)}:
        found.append(f"a proxy (add {', '.join(sorted(by_proxy))} to NO_PROXY)")
    if settings.voice != "piper":
        found.append(f"the voice ({settings.voice})")
    if settings.voice_second != "none":
        found.append(f"the voice behind it ({settings.voice_second})")
    if settings.ears != "local":
        found.append(f"the recogniser ({settings.ears})")
    return [*found, *_kept_elsewhere(settings, environ)]


def _kept_elsewhere(settings: Settings, environ: Mapping[str, str]) -> list[str]:
    """Return what carries or keeps a session's words at an address that is not of this machine."""
    found = []
    sfu, for_browsers = _host(settings.livekit_url), _host(settings.livekit_public_url or "")
    elsewhere = for_browsers if for_browsers.endswith(_CLOUD_SFU) else sfu
    if elsewhere and not is_loopback(elsewhere):
        found.append(f"the SFU ({elsewhere}; set LIVEKIT_URL to ws://127.0.0.1:7880, or to nothing)")
    if not _socket_or_loopback(settings.redis_url):
        found.append("the store (set REDIS_URL to redis://127.0.0.1:6379/0 or unix://…, or to nothing)")
    records = settings.records_url or "sqlite:"
    if not records.startswith("sqlite") and not _database_is_here(records, environ):
        found.append(
            "the database (set DATABASE_URL to one of 127.0.0.1, or to nothing; or EXAIM_RECORD=false)"
        )
    return found


def _goes_by_proxy(host: str, environ: Mapping[str, str]) -> bool:
    """Return whether a client sends even what is for this machine to a proxy of the environment."""
    known = {name.lower(): value for name, value in environ.items() if value}
    proxied = known.keys() & {"http_proxy", "https_proxy", "all_proxy"}
    excepted = [each.strip() for each in known.get("no_proxy", "").split(",")]
    return bool(proxied) and host not in excepted and "*" not in excepted


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _socket_or_loopback(url: str) -> bool:
    """Return whether a store is here; one without an address is what `exaim up` starts."""
    return not url or url.startswith("unix:") or is_loopback(_host(url) or "localhost")


def _database_is_here(url: str, environ: Mapping[str, str]) -> bool:
    """Return whether every host of a PostgreSQL, by its address or else PGHOST, is this machine."""
    queried = [name for each in parse_qs(urlsplit(url).query).get("host", []) for name in each.split(",")]
    hosts = [name for name in (_host(url), *map(_without_port, queried)) if name]
    hosts = hosts or [name for name in environ.get("PGHOST", "").split(",") if name]
    return all(name.startswith("/") or is_loopback(name) for name in hosts)


def _without_port(name: str) -> str:
    return name if name.startswith("/") else _host(f"//{name}")


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
