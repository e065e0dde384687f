"""What "stays here" looks at: every place that gets or keeps a session's words, by its address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chat_models import LLMRole, ModelSpec, Provider
from infra.egress import is_here, leaving
from infra.settings import Settings

HERE: dict[str, Any] = {
    "livekit_url": "ws://127.0.0.1:7880",
    "redis_url": "unix:///run/store.sock",
    "run_dir": Path("/run/exaim"),
    "engine": "lexical",
}


def gone(environ: dict[str, str] | None = None, **changed: Any) -> list[str]:
    return leaving(Settings(_env_file=None, **(HERE | changed)), (), environ or {})


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"livekit_url": ""},
        {"livekit_url": "ws://localhost:7880", "livekit_public_url": "wss://voice.example.org"},
        {"redis_url": ""},
        {"redis_url": "redis://127.0.0.1:6379/0"},
        {"redis_url": "redis://user:secret@[::1]:6379/0"},
        {"database_url": "sqlite:////data/records.db"},
        {"database_url": "postgresql://exaim:secret@127.0.0.1/exaim"},
        {"database_url": "postgresql://exaim:secret@[::1]:5432/exaim"},
        {"database_url": "postgresql:///exaim?host=/run/postgresql"},
        {"database_url": "postgresql:///exaim?host=127.0.0.1:5432&host=[::1]:5432"},
        {"database_url": "postgresql:///exaim"},
        {"database_url": "postgresql://db.example.org/exaim", "record": False},
    ],
)
def test_what_is_reached_by_loopback_a_socket_or_a_file_is_here(changed: dict[str, Any]) -> None:
    assert gone(**changed) == []


@pytest.mark.parametrize(
    ("changed", "named", "mend"),
    [
        ({"livekit_url": "ws://10.0.0.7:7880"}, "the SFU (10.0.0.7", "LIVEKIT_URL"),
        ({"livekit_url": "ws://sfu:7880"}, "the SFU (sfu", "LIVEKIT_URL"),
        ({"livekit_public_url": "wss://x.livekit.cloud"}, "the SFU (x.livekit.cloud", "LIVEKIT_URL"),
        ({"redis_url": "rediss://:secret@store.example.org:6380/0"}, "the store", "REDIS_URL"),
        ({"redis_url": "redis://10.0.0.7/0"}, "the store", "REDIS_URL"),
        ({"database_url": "postgresql://exaim:secret@db.example.org/exaim"}, "the database", "DATABASE_URL"),
        (
            {"database_url": "postgresql://exaim:secret@127.0.0.1/exaim?host=db.example.org"},
            *("the database", "DATABASE_URL"),
        ),
        ({"database_url": "postgresql:///exaim?host=db.example.org:5432"}, "the database", "EXAIM_RECORD"),
        ({"voice": "google"}, "the voice (google)", ""),
        ({"ears": "deepgram"}, "the recogniser (deepgram)", ""),
    ],
)
def test_what_is_elsewhere_is_named_with_what_to_set_and_without_its_password(
    changed: dict[str, Any], named: str, mend: str
) -> None:
    (found,) = gone(**changed)
    assert found.startswith(named)
    assert mend in found
    assert "secret" not in found


def test_a_database_without_a_host_is_where_the_environment_has_it() -> None:
    assert gone({"PGHOST": "/run/postgresql"}, database_url="postgresql:///exaim") == []
    assert gone({"PGHOST": "db.example.org"}, database_url="postgresql:///exaim") != []


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://192.168.1.9:11434/v1", False),
        ("http://127.0.0.1.evil.example/v1", False),
        ("http://127.0.0.1@evil.example/v1", False),
        (None, False),
    ],
)
def test_a_model_is_here_by_an_address_of_loopback_alone(url: str | None, here: bool) -> None:
    assert is_here(ModelSpec(role=LLMRole.MAS, provider=Provider.OPENAI, model="m", base_url=url)) is here


def test_a_proxy_gets_what_is_for_this_machine_unless_the_environment_excepts_it() -> None:
    model = ModelSpec(
        role=LLMRole.MAS, provider=Provider.OPENAI, model="m", base_url="http://127.0.0.1:11434/v1"
    )
    settings = Settings(_env_file=None, **HERE)
    proxy = {"http_proxy": "http://proxy.example:3128"}
    assert leaving(settings, (model,), proxy) == ["a proxy (add 127.0.0.1 to NO_PROXY)"]
    assert leaving(settings, (model,), proxy | {"NO_PROXY": "localhost, 127.0.0.1"}) == []
