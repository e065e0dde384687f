"""The container files fit the rest of the repository. They are not built here."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.embedded.livekit import config
from infra.embedded.locate import LIVEKIT_MODULE, LIVEKIT_VERSION
from infra.settings import Settings
from lab.yamlfile import read_yaml
from tests.conftest import ROOT
from tools.bootstrap import python_fits
from tools.facts import go_fits, node_fits, parse_version

RUN_DIR = "/var/lib/exaim"


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments: lines joined, build arguments by default."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    for name, default in re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE):
        text = text.replace(f"${{{name}}}", default)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    composed = read_yaml(ROOT / "compose.yaml")
    found: dict[str, Any] = composed["services"]
    named = {volume.split(":")[0] for each in found.values() for volume in each.get("volumes", ())}
    assert named == set(composed["volumes"]), "a volume that is used is declared, and the other way round"
    return found


def told(steps: list[tuple[str, str]], instruction: str) -> list[str]:
    return [rest for name, rest in steps if name == instruction]


def last_stage(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return steps[max(at for at, (name, _) in enumerate(steps) if name == "FROM") :]


def test_the_linter_has_nothing_to_say() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([linter, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_source_that_is_copied_is_in_the_repository(steps: list[tuple[str, str]]) -> None:
    stages = {rest.split(" AS ")[1] for rest in told(steps, "FROM") if " AS " in rest}
    for copied in told(steps, "COPY"):
        *sources, _ = copied.split()
        if sources[0].startswith("--from="):
            assert sources[0].removeprefix("--from=") in stages
            continue
        for source in sources:
            assert (ROOT / source).exists(), f"COPY {source}"


def test_every_package_of_ours_is_copied_and_every_source_is_let_through(
    steps: list[tuple[str, str]],
) -> None:
    copied = {source for rest in told(last_stage(steps), "COPY") for source in rest.split()[:-1]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for package in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        assert {package, f"{package.split('/')[0]}/"} & copied, package
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    for source in copied:
        if not source.startswith("--") and not source.startswith("/"):
            assert any(fnmatch(source.rstrip("/"), pattern) for pattern in let_through), source


def test_packages_come_by_hash_and_as_wheels(steps: list[tuple[str, str]]) -> None:
    [lock] = [rest for rest in told(steps, "RUN") if "run.lock" in rest]
    assert "--require-hashes" in lock and "--only-binary :all:" in lock
    [ours] = [rest for rest in told(steps, "RUN") if "--editable" in rest]
    assert "--no-index" in ours and "--no-deps" in ours, "nothing but the lock decides what is installed"


def test_it_runs_as_nobody_in_particular(steps: list[tuple[str, str]], services: dict[str, Any]) -> None:
    [user] = told(last_stage(steps), "USER")
    uid, _, gid = user.partition(":")
    assert int(uid) > 0 and int(gid) > 0
    last_run = told(last_stage(steps), "RUN")[-1]
    assert "chmod -R a+rX" in last_run, "COPY keeps the modes of a checkout that only its owner may read"
    for name, each in services.items():
        assert each["read_only"] and each["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in each["security_opt"], name
        assert name == "exaim" or each["user"].partition(":")[0] not in {"", "0", "root"}, name


def test_the_versions_are_those_of_the_set_up(steps: list[tuple[str, str]], services: dict[str, Any]) -> None:
    assert any(LIVEKIT_MODULE in rest for rest in told(steps, "RUN"))
    assert services["sfu"]["image"].endswith(f":v{LIVEKIT_VERSION}")
    tags = dict(rest.split()[0].split(":") for rest in told(steps, "FROM"))
    assert go_fits(parse_version(tags["golang"]))
    assert node_fits(parse_version(tags["node"].replace("-", ".99-")))  # the newest of that line
    assert python_fits(parse_version(tags["python"]) or ())
    for image in (*tags, *(each["image"] for each in services.values() if "image" in each)):
        assert "." not in image.split("/")[0].split(":")[0], "images are named without a registry's host"


def test_what_is_built_here_is_looked_for_in_no_registry(services: dict[str, Any]) -> None:
    """Compose asks a registry for a service's `image` first, even where it could build it."""
    assert [name for name, each in services.items() if "build" in each] == ["exaim"]
    assert "image" not in services["exaim"]


def test_ports_and_folders_are_those_of_the_settings(
    steps: list[tuple[str, str]], services: dict[str, Any]
) -> None:
    port = Settings.model_fields["api_port"].default
    [exposed], [health] = told(steps, "EXPOSE"), told(steps, "HEALTHCHECK")
    assert exposed == f"{port}/tcp"
    assert f"'EXAIM_API_PORT', '{port}'" in health and "/health'" in health
    assert f"EXAIM_RUN_DIR={RUN_DIR}" in told(last_stage(steps), "ENV")
    assert told(steps, "VOLUME") == [f'["{RUN_DIR}"]']
    assert services["exaim"]["environment"]["EXAIM_RUN_DIR"] == RUN_DIR
    assert f"run:{RUN_DIR}" in services["exaim"]["volumes"]
    assert services["exaim"]["network_mode"] == "host", "the SFU and the API listen on loopback only"


@pytest.mark.parametrize(
    ("given", "asked", "by_tls"),
    [
        ({}, "http://127.0.0.1:8080/health", False),
        ({"EXAIM_TLS_CERT": "/c.pem", "EXAIM_API_PORT": "8443"}, "https://127.0.0.1:8443/health", True),
        ({"EXAIM_API_HOST": "0.0.0.0"}, "http://127.0.0.1:8080/health", False),
        ({"EXAIM_API_HOST": "::"}, "http://[::1]:8080/health", False),
        ({"EXAIM_API_HOST": "192.0.2.7"}, "http://192.0.2.7:8080/health", False),
        ({"EXAIM_API_HOST": "2001:db8::7"}, "http://[2001:db8::7]:8080/health", False),
    ],
)
def test_health_is_asked_for_in_the_way_that_it_is_served(
    steps: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, str],
    asked: str,
    by_tls: bool,
) -> None:
    [health] = told(steps, "HEALTHCHECK")
    _, _, code = json.loads(health.split("CMD ")[1])
    urls = []

    def opened(url: str, *, timeout: float, context: ssl.SSLContext | None) -> None:
        assert (context is not None) == by_tls and timeout > 0
        urls.append(url)

    for name in ("EXAIM_TLS_CERT", "EXAIM_API_HOST", "EXAIM_API_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("urllib.request.urlopen", opened)
    exec(code, {})
    assert urls == [asked]


def test_the_profile_starts_an_sfu_configured_as_our_own_is(services: dict[str, Any]) -> None:
    said = yaml.safe_load(services["sfu"]["environment"]["LIVEKIT_CONFIG"])
    ours = config(tcp_port=said["port"], udp_port=said["rtc"]["udp_port"], key_file=Path("keys"))
    assert said == {name: value for name, value in ours.items() if name not in {"key_file", "logging"}}


def test_without_a_profile_one_service_runs_and_needs_no_variable(services: dict[str, Any]) -> None:
    assert [name for name, each in services.items() if "profiles" not in each] == ["exaim"]
    assert not any(needed["required"] for needed in services["exaim"]["depends_on"].values())
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert all(":-" in variable for variable in re.findall(r"\$\{([^}]+)\}", text))
