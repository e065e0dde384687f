"""Find the tests of what was changed, by folders, imports, and the names of other files."""

from __future__ import annotations

import ast
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

SOURCES: Final = (
    "exaim_core",
    "lib/tts_queue",
    "lib/chat_models",
    "packages/exaim-live",
    "agents",
    "infra",
    "realtime",
    "app",
    "lab",
    "routes",
    "tools",
    "examples",
    "cases",
    "tests",
)
_ON_TOP: Final = ("lib", "packages/exaim-live")  # folders that are on the path themselves
_ROOMS: Final = {
    "routes": "api",
    "tools": "launcher",
    "exaim_live": "agents",
    "lab": "app",
    "lab/ears": "ears",
}  # whose tests are called otherwise
_TRUNKS: Final = ("origin/HEAD", "origin/main", "main", "origin/master", "master")


# --- what was changed -------------------------------------------------------------------------------


def since(root: Path) -> str:
    """Return the commit that a change is measured from.

    On a branch, where it left the trunk; on the trunk the last commit, or the one before if nothing is new.
    """
    for trunk in _TRUNKS:
        base = _git(root, "merge-base", "HEAD", trunk)
        if base and base != _git(root, "rev-parse", "HEAD"):
            return base[0]
    return "HEAD" if changed(root, "HEAD") or not _git(root, "rev-parse", "HEAD~1") else "HEAD~1"


def changed(root: Path, base: str) -> list[str]:
    """Return the files that differ from `base`, those not yet added among them. Raises: OSError."""
    told = _git(root, "diff", "--name-only", base, "--")
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({*told, *new})


def _git(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


# --- who imports it ---------------------------------------------------------------------------------


def tests_for(root: Path, files: Iterable[str]) -> list[str]:
    """Return the test files that look at `files`: the room's own first, then the nearest by imports."""
    files = list(files)
    texts = {path: (root / path).read_text(encoding="utf-8") for path in _sources(root)}
    paths = {_module(path): path for path in texts}
    steps = _steps(
        {module: _imported(texts[path]) for module, path in paths.items()},
        {_module(path) for file in files for path in _touched(file, texts)},
    )
    rooms = {_room(file) for file in files}
    found = [
        (_room(path) not in rooms, steps[module], path)
        for module, path in paths.items()
        if module in steps and Path(path).name.startswith("test_")
    ]
    return [path for _, _, path in sorted(found)]


def _sources(root: Path) -> Iterator[str]:
    yield "api.py"
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            yield path.relative_to(root).as_posix()


def _module(path: str) -> str:
    parts = _on_path(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(path: str) -> str:
    """Return the folder of tests that belongs to a file: exaim_core/text/x.py and its tests have one."""
    parts = _on_path(path).parts[:-1]
    parts = parts[1:] if parts[:1] == ("tests",) else parts
    whole = _ROOMS.get("/".join(parts[:2]))
    return whole or (_ROOMS.get(parts[0], parts[0]) if parts else "")


def _on_path(path: str) -> Path:
    """Return where a file is for an import."""
    return next(
        (Path(path).relative_to(top) for top in _ON_TOP if Path(path).is_relative_to(top)), Path(path)
    )


def _touched(file: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the sources that a changed file is, or that read it: they name it, or are in its folder."""
    name, homes = Path(file).name, {Path(path).parent for path in texts}
    home = next((folder for folder in Path(file).parents if folder in homes), Path())
    for path, text in texts.items():
        if path == file or (name == "conftest.py" and home in Path(path).parents):
            yield path
        elif not name.endswith(".py") and (name in text or Path(path).parent == home != Path()):
            yield path


def _imported(text: str) -> list[tuple[str, str]]:
    """Return what a source imports: modules, and names in them ("" is all of it)."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
    return found


def _steps(imported: Mapping[str, list[tuple[str, str]]], touched: Iterable[str]) -> dict[str, int]:
    """Return for each module that depends on one of `touched` over how many imports it does."""
    handed_on = {(module, name): home for module, names in imported.items() for home, name in names if name}
    importers: dict[str, set[str]] = {}
    for module, names in imported.items():
        for home, name in names:
            whole = f"{home}.{name}"
            direct = whole if whole in imported else handed_on.get((home, name), home)
            importers.setdefault(direct, set()).add(module)
    found = dict.fromkeys(touched, 0)
    waiting = deque(found)
    while waiting:
        module = waiting.popleft()
        for importer in importers.get(module, set()) - found.keys():
            found[importer] = found[module] + 1
            waiting.append(importer)
    return found
