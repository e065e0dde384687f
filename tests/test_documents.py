"""What the documents name is there: files, links and their headings, settings, names in code, commands and options."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from app.cli import cli
from exaim_live.events import SentEvent
from routes.sessions import LiveCase

ROOT: Final = Path(__file__).resolve().parents[1]
DOCUMENTS: Final = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        ROOT / "docs/decisions/README.md",
        *ROOT.glob("packages/*/README.md"),
        *ROOT.glob("cases/*.md"),
        ROOT / "tests/README.md",
        *ROOT.glob("tests/gold/**/README.md"),
    ]
)
HISTORY: Final = {ROOT / "CHANGELOG.md"}
"""This and docs/decisions tell what was so when they were written."""
PACKAGES: Final = frozenset(
    "agents app cases chat_models exaim_core exaim_live infra lab realtime routes tests tools tts_queue".split()
)
FOLDERS: Final = PACKAGES | frozenset("docs examples lib packages requirements web".split())
SOURCES: Final = (ROOT, ROOT / "lib", ROOT / "packages" / "exaim-live")
MADE: Final = ("web/dist", "web/node_modules")  # by the set-up
_LINK: Final = re.compile(r"\]\(([^)]+)\)")
_FENCE: Final = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_SPAN: Final = re.compile(r"`([^`]+)`")
_DOTTED: Final = re.compile(r"[a-z_]+(?:\.\w+)+")
_SETTING: Final = re.compile(r"\bEXAIM_[A-Z0-9_]+\b")
_MODULE: Final = re.compile(r"python -m ([a-z_][\w.]*)")
_NAME: Final = re.compile(r"([A-Za-z_]\w*)(?:\(.*\))?")
_TARGET: Final = re.compile(r"`make ([a-z-]+)")
_COMMAND: Final = re.compile(r"(?:^|[`/( ])(?<!exec )exaim ([a-z][a-z-]+)([^`\n#&|]*)", re.MULTILINE)
OTHERS: Final = frozenset(("ForceEndTurn", "InternalMedicineAgent", "useChat"))
"""Names of other programs, or made up as an example."""


def documents() -> list[Path]:
    return [each for each in DOCUMENTS if each not in HISTORY]


def named(document: Path) -> str:
    return str(document.relative_to(ROOT))


def spans(text: str) -> Iterator[str]:
    """Yield what stands in backticks, outside fences, on one line."""
    for found in _SPAN.finditer(_FENCE.sub("", text)):
        yield " ".join(found.group(1).split())


@cache
def source() -> str:
    """Return all that runs here, as one text: our code, and the files that start it."""
    code = [
        each
        for folder in FOLDERS - {"docs"}
        for pattern in ("*.py", "*.ts", "*.lua", "*.json", "*.yaml", "*.toml")
        for each in (ROOT / folder).rglob(pattern)
        if "node_modules" not in each.parts and each != Path(__file__)
    ]
    code += [
        ROOT / "api.py",
        ROOT / "Makefile",
        ROOT / "Dockerfile",
        ROOT / "compose.yaml",
        ROOT / ".env.example",
    ]
    return "\n".join(f"{each.name}\n{each.read_text(encoding='utf-8')}" for each in code)


@cache
def anchors(document: Path) -> frozenset[str]:
    """Return the headings of a document as links name them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", each)).strip().lower() for each in headings]
    return frozenset(each.replace(" ", "-") for each in plain)


def is_there(path: str, beside: Path) -> bool:
    """Tell whether a path that a document names is there, seen from the root or from the document."""
    bare = path.split("#")[0].split(":")[0].rstrip("/")
    if bare.startswith(MADE):
        return True
    return any(next(base.glob(bare), None) is not None for base in (*SOURCES, beside.parent))


@pytest.mark.parametrize("document", documents(), ids=named)
def test_each_link_leads_somewhere(document: Path) -> None:
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    broken = []
    for link in _LINK.findall(text):
        path, _, heading = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (heading and target.suffix == ".md" and heading not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("document", documents(), ids=named)
def test_each_file_of_ours_that_is_named_is_there(document: Path) -> None:
    gone = []
    for span in spans(document.read_text(encoding="utf-8")):
        folder = span.split("/")[0]
        is_path = re.fullmatch(r"[\w./*\-{}]+", span) and "/" in span and folder in FOLDERS
        is_test = re.fullmatch(r"test_\w+\.py", span)
        if is_path and "{" not in span and not is_there(span, document):
            gone.append(span)
        if is_test and next((ROOT / "tests").rglob(span), None) is None:
            gone.append(span)
    assert gone == []


@pytest.mark.parametrize("document", documents(), ids=named)
def test_each_module_and_name_of_ours_is_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    dotted = {
        each
        for span in spans(text)
        for each in _DOTTED.findall(span.split("(")[0])
        if each.split(".")[0] in PACKAGES and "/" not in span
    }
    gone = [each for each in sorted(dotted | set(_MODULE.findall(text))) if not resolves(each)]
    assert gone == []


def resolves(dotted: str) -> bool:
    """Tell whether a dotted name is a module of ours, or something that stands in one; others' are not looked at."""
    first, *rest = dotted.split(".")
    base = next((each / first for each in SOURCES if (each / first).is_dir()), None)
    if base is None:
        return first not in PACKAGES
    while rest and ((base / rest[0]).is_dir() or (base / f"{rest[0]}.py").exists()):
        base = base / rest.pop(0)
    module = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    if not rest or rest[0] in {"py", "md", "yaml", "json", "toml"}:
        return True
    return module.exists() and re.search(rf"\b{rest[0]}\b", module.read_text(encoding="utf-8")) is not None


@pytest.mark.parametrize("document", documents(), ids=named)
def test_each_setting_is_read_somewhere(document: Path) -> None:
    found = set(_SETTING.findall(document.read_text(encoding="utf-8")))
    assert (
        sorted(each for each in found if each not in source() and each.removeprefix("EXAIM_") not in source())
        == []
    )


@pytest.mark.parametrize("document", documents(), ids=named)
def test_each_name_in_code_is_there(document: Path) -> None:
    found = {
        name[1] for span in spans(document.read_text(encoding="utf-8")) if (name := _NAME.fullmatch(span))
    }
    ours = {each for each in found if "_" in each.strip("_") or re.search(r"[a-z][A-Z]", each)}
    role = re.compile(r"[A-Z]+_LLM_(?:PROVIDER|MODEL)")  # made of a role's name
    assert sorted(each for each in ours - OTHERS if each not in source() and not role.fullmatch(each)) == []


@pytest.mark.parametrize("document", documents(), ids=named)
def test_each_command_and_its_options_are_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    targets = (ROOT / "Makefile").read_text(encoding="utf-8").split(".PHONY:")[1].splitlines()[0].split()
    wrong = [f"make {each}" for each in _TARGET.findall(text) if each not in targets]
    commands: Any = typer.main.get_command(cli)
    for name, rest in _COMMAND.findall(text):
        command = commands.commands.get(name)
        if command is None:
            wrong.append(f"exaim {name}")
            continue
        known = {option for each in options_of(command) for option in each}
        wrong += [f"exaim {name} {each}" for each in re.findall(r"--[a-z][\w-]*", rest) if each not in known]
    assert wrong == []


def options_of(command: Any) -> Iterator[list[str]]:
    """Yield the spellings of each option of a command, and of those below it."""
    for each in command.params:
        yield [*each.opts, *each.secondary_opts]
    for below in getattr(command, "commands", {}).values():
        yield from options_of(below)
    yield ["--help"]


def test_what_a_team_is_shown_to_send_is_taken_as_it_stands() -> None:
    shown = "".join(_FENCE.findall((ROOT / "docs" / "live.md").read_text(encoding="utf-8")))
    opened, sent = [], []
    for start in (found.start() for found in re.finditer(r'\{"(?:seq|live)"', shown)):
        value, _ = json.JSONDecoder().raw_decode(shown, start)
        if "seq" in value:
            sent.append(SentEvent.model_validate_json(json.dumps(value)))
        else:
            opened.append(LiveCase.model_validate_json(json.dumps(value["live"])))
    assert [each.title for each in opened] == ["Yellow vision and a slow pulse"]
    stated = [(each.mark, each.llm, each.decision, each.progress) for each in sent]
    assert all(any(each[kind] is not None for each in stated) for kind in range(4)), (
        "each kind of METADATA is shown"
    )
    assert {each.type for each in sent} >= {"TOKEN", "METADATA", "END"}


def test_each_document_that_code_names_is_there() -> None:
    named_here = set(re.findall(r"\bdocs/[\w./-]+\.md\b", source()))
    decisions = set(re.findall(r"docs/decisions/(\d{3})\b", source()))
    gone = [each for each in named_here if not (ROOT / each).exists()]
    gone += [each for each in decisions if next((ROOT / "docs/decisions").glob(f"{each}-*"), None) is None]
    assert sorted(gone) == []


def test_the_index_of_decisions_names_each_once() -> None:
    folder = ROOT / "docs/decisions"
    linked = re.findall(r"^\* \[\d{3}\]\(([^)]+)\)", (folder / "README.md").read_text(), re.MULTILINE)
    written = sorted(each.name for each in folder.glob("[0-9]*.md"))
    assert sorted(linked) == written, "a new one has a line under its part"
