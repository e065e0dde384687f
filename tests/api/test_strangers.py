"""The client as a stranger has it: its wheel, in an environment without the project, doing what its README says."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import venv
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
import uvicorn
from packaging.requirements import Requirement

from agents.keys import KEY_VARIABLE
from agents.stream import DecisionKind, StreamEvent, TurnMark
from api import create_app
from infra.keys import SessionKeys
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from infra.streams import SessionStreams
from tests.api.serving import BASE, a_key

PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "exaim-live"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```python\n(.*?)```", README, re.DOTALL)
SAID = "Everything here says pulmonary embolism."
OURS = (
    "exaim_core",
    "chat_models",
    "agents",
    "infra",
    "realtime",
    "app",
    "routes",
    "api",
    "tts_queue",
    "lab",
)
MOST_LINES = 10


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    subprocess.run(pip, cwd=PACKAGE, check=True, capture_output=True, timeout=60)
    [found] = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the wheel, and of third parties what the wheel asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("stranger")
    venv.create(folder, with_pip=False, symlinks=True)
    [packages] = folder.glob("lib/python3*/site-packages")
    with ZipFile(wheel) as archive:
        archive.extractall(packages)
        [about] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        wanted = metadata.PathDistribution(packages / about.split("/")[0]).requires or []
    for name in _with_all_they_need(wanted, extra="langchain"):
        for path in _top_level(metadata.distribution(name)):
            if not (packages / path.name).exists():
                (packages / path.name).symlink_to(path)
    return folder / "bin" / "python"


def _with_all_they_need(wanted: Sequence[str], extra: str = "") -> set[str]:
    found: set[str] = set()
    waiting = [(each, extra) for each in wanted]
    while waiting:
        text, having = waiting.pop()
        requirement = Requirement(text)
        if requirement.marker and not requirement.marker.evaluate({"extra": having}):
            continue
        if requirement.name not in found:
            found.add(requirement.name)
            needs = metadata.distribution(requirement.name).requires or []
            extras = requirement.extras or {""}
            waiting += [(each, one) for each in needs for one in extras]
    return found


def _top_level(distribution: metadata.Distribution) -> Iterator[Path]:
    for name in {
        file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")
    }:
        yield Path(str(distribution.locate_file(name)))


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[str]:
    app = create_app(settings, sfu=ScriptedSfu([Expect("create_room")]), watch=None, recording=None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, ws="none", log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


async def run_by(python: Path, code: str, folder: Path) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), KEY_VARIABLE: a_key()}
    process = await asyncio.create_subprocess_exec(
        str(python), "-I", "-c", code,
        cwd=folder, env=environ, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, out.decode()
    return out.decode()


async def the_only_log(settings: Settings) -> Sequence[StreamEvent]:
    async with connect(settings.redis_url) as client:
        [name] = [key async for key in client.scan_iter(match="exaim:*:events", count=1_000)]
        found = re.fullmatch(r"exaim:\{(.+)\}:(.+):events", name)
        assert found is not None, name
        entries = await SessionStreams(client, SessionKeys(found[1], found[2])).read_events(count=1_000)
    return [entry.event for entry in entries]


async def test_the_wheel_brings_one_name_and_finds_nothing_of_the_project(
    wheel: Path, python: Path, tmp_path: Path
) -> None:
    with ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"exaim_live"}
    told = await run_by(
        python,
        "import importlib.util as u, exaim_live as e\n"
        "[getattr(e, name) for name in e.__all__]\n"
        "import exaim_live.mdagents, exaim_live.files, exaim_live.langchain\n"
        f"print([name for name in {OURS!r} if u.find_spec(name)])",
        tmp_path,
    )
    assert told == "[]\n"


@pytest.mark.parametrize(("title", "code"), BLOCKS, ids=[title for title, _ in BLOCKS])
async def test_each_way_of_the_readme_is_heard_in_ten_lines(
    title: str, code: str, python: Path, settings: Settings, tmp_path: Path
) -> None:
    assert len([line for line in code.splitlines() if line.strip()]) <= MOST_LINES
    [debate] = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    (tmp_path / "debate.jsonl").write_text(debate, encoding="utf-8")
    assert BASE in code
    async with served(settings) as address:
        told = await run_by(python, code.replace(BASE, address), tmp_path)
    assert re.fullmatch(rf"Listen here: {address}/#session=\S+\n", told), "else nobody can listen"
    events = await the_only_log(settings)
    assert [each.data for each in events if each.agent_id == "cardiologist" and each.data] == [SAID]
    assert [each.type for each in events][-1] == "END"
    assert TurnMark.TURN_END in [each.mark for each in events]
    stated = [each.decision for each in events if each.decision is not None]
    if title in ("Anybody's agents", "A JSONL file"):
        [decision] = stated
        assert (decision.kind, decision.text) == (DecisionKind.LEADING, "pulmonary embolism")
        assert decision.rests_on in SAID


def test_the_readme_shows_every_way() -> None:
    assert [title for title, _ in BLOCKS] == [
        "Anybody's agents", "LangChain and LangGraph", "A JSONL file", "Plain HTTP",
    ]  # fmt: skip
