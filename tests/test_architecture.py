"""What import-linter can't see: the API's one module, and what the packages that stand alone pull in."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODEL_LIBRARIES = {
    *("langchain_core", "langgraph", "onnxruntime", "piper", "moonshine_voice", "torch"),
    *("ctranslate2", "tokenizers"),
}
CLOUD_LIBRARIES = {"deepgram", "google", "grpc"}


def test_the_api_imports_no_composition_root() -> None:
    tree = ast.parse((ROOT / "api.py").read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    assert "fastapi" in imported
    assert not [name for name in imported if name and name.split(".")[0] == "app"]


@pytest.mark.parametrize("package", ["exaim_live", "exaim_core", "chat_models", "tts_queue"])
def test_a_package_that_stands_alone_loads_no_model_library_and_no_vendors_client(package: str) -> None:
    use_all = f"import sys, {package} as p; [getattr(p, name) for name in p.__all__]"
    code = use_all + "; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()}
    assert package in loaded
    assert not loaded & (MODEL_LIBRARIES | CLOUD_LIBRARIES)


def test_vendors_appear_in_adapters_only() -> None:
    adapters = {
        "livekit": {
            "realtime/room/livekit_room.py",
            "realtime/ears/webrtc.py",
            "infra/sfu.py",
            "app/worker.py",
            "app/voice.py",
            "lab/demo/listener.py",
            "lab/demo/microphone.py",
            "lab/bench",
            "lab/chaos/page.py",
        },
        "redis": {
            "infra",
            "app/voice.py",
            "app/reasoner.py",
            "app/reasoning.py",
            "app/our_teams.py",
            "app/team_run.py",
            "lab/bench",
            "lab/teams",
            "app/probes.py",
            "app/preflight.py",
            "routes",
            "api.py",
        },
        "fastapi": {"api.py", "routes"},
        "sqlalchemy": {"infra/database"},
        "alembic": {"infra/database"},
        "langsmith": {"agents/dialogue", "agents/streaming", "agents/teams/running.py", "lib/chat_models"},
        "langgraph": {"agents/dialogue", "agents/teams", "infra/checkpoints"},
        "langchain_core": {
            "agents/dialogue",
            "packages/exaim-live/exaim_live/langchain.py",
            "packages/exaim-live/exaim_live/handler.py",
            "packages/exaim-live/exaim_live/pieces.py",
            "packages/exaim-live/exaim_live/usage.py",
            "agents/streaming",
            "agents/teams",
            "lab/bench/streaming.py",
            "infra/checkpoints",
            "lib/chat_models",
            "lab/bench",
            "lab/teams",
        },
        "onnxruntime": {
            "realtime/ears/silero.py",
            "lib/tts_queue/engines",
            "agents/dialogue/minilm.py",
            "lab/ears",
        },
        "onnx": {"agents/dialogue/eight_bits.py", "lib/tts_queue/engines"},
        "pocketsphinx": {"realtime/ears/engines"},
        "ctranslate2": {"realtime/ears/engines/whisper.py", "lab/ears"},
        "tokenizers": {"realtime/ears/engines/whisper.py", "agents/dialogue/minilm.py", "lab/ears"},
        "google": {"lib/tts_queue/engines/google.py", "infra/sfu.py"},  # the latter its protobuf alone
        "grpc": {"lib/tts_queue/engines/google.py"},
        "deepgram": {"lib/tts_queue/engines/deepgram.py", "realtime/ears/flux.py"},
    }
    for path in _sources():
        relative = path.relative_to(ROOT).as_posix()
        for vendor in _imported(path) & adapters.keys():
            allowed = adapters[vendor]
            assert relative.startswith(tuple(allowed)), f"{relative} imports {vendor}"


def _sources() -> list[Path]:
    packages = (
        "packages/exaim-live",
        "exaim_core",
        "lib",
        "agents",
        "infra",
        "realtime",
        "app",
        "lab",
        "routes",
    )
    return [ROOT / "api.py", *(path for package in packages for path in (ROOT / package).rglob("*.py"))]


def _imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level
    }
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in names}


# --- the wheel


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _in_the_wheel() -> dict[str, list[Path]]:
    """Return the sources of what the wheel brings, by the name under which it is imported."""
    paths = [ROOT / each for each in _project()["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]]
    return {each.stem: [each] if each.is_file() else [*each.rglob("*.py")] for each in paths}


def test_the_wheel_brings_all_of_ours_that_it_imports() -> None:
    brought = _in_the_wheel()
    ours = {*_project()["tool"]["ruff"]["lint"]["isort"]["known-first-party"]}
    imported = {name for sources in brought.values() for each in sources for name in _imported(each)}
    assert imported & ours <= brought.keys()
    renamed = _project()["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
    assert set(renamed.values()) == {"chat_models", "exaim_live", "tts_queue"}, "found by their own names"


OF_ONE_PROVIDER = ("engines", "anthropic_chat.py")
"""What is loaded only for who names that provider, or that engine."""


@pytest.mark.parametrize(
    ("package", "extra"),
    [
        ("exaim_live", "langchain"),
        ("exaim_core", "langchain"),
        ("chat_models", "models"),
        ("tts_queue", "queue"),
    ],
)
def test_what_stands_alone_finds_what_it_imports_once_it_is_installed(package: str, extra: str) -> None:
    project = _project()["project"]
    named = [*project["dependencies"], *project["optional-dependencies"][extra]]
    brought_along = {"pyyaml": "yaml", "pydantic": "pydantic_core"}
    asked_for = {re.split(r"[^\w-]", each)[0] for each in named}
    found = {each.replace("-", "_") for each in asked_for} | {
        brought_along.get(each, "") for each in asked_for
    }
    found |= sys.stdlib_module_names | _in_the_wheel().keys()
    modules = [each for each in _in_the_wheel()[package] if not {*OF_ONE_PROVIDER} & {*each.parts}]
    assert {f"{each.name}: {name}" for each in modules for name in _at_the_top(each) - found} == set()


def _at_the_top(path: Path) -> set[str]:
    """Return what a module can't be loaded without."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in names}
