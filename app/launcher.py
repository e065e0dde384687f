"""Compose what `exaim up` starts: the whole stack on one machine, with its settings."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from agents import keys
from app import hearing, preflight, preloaded, probes
from app.addresses import page_address as page_address
from app.exits import CantStart, Exit
from app.stack import Stack, StackProcess, StopAsked
from infra.embedded import livekit, ports, valkey
from infra.embedded.template import Template
from infra.llm_registry import readers_of
from infra.settings import Settings, is_loopback

_SERVER_ENVIRONMENT: Final = ("PATH", "HOME", "LANG", "TZ")
"""All that the embedded servers get: livekit-server reads LIVEKIT_KEYS, NODE_IP and more, which may be the
user's own and would open it to the network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is to run, decided before anything is started."""

    settings: Settings  # filled in: the URLs, keys and sockets of what is embedded
    parts: tuple[StackProcess, ...]
    sfu: str  # for people: which one it is, and where
    store: str
    found: preflight.PreflightResult
    forked: tuple[str, ...] = ()  # the template's command; none: parts are no forks
    forked_environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def page_url(self) -> str:
        """Where the page is."""
        return page_address(self.settings)


Say = Callable[[str], None]


async def up(settings: Settings, environ: Mapping[str, str], *, say: Say, until_ready: bool = False) -> Exit:
    """Start everything, keep it until a signal (or, if asked, until it is ready), end everything.

    SIGINT, SIGTERM and SIGHUP stop it; a second one ends the parts at once. Raises: CantStart.
    """
    began_s = time.monotonic()
    stop, hurry = asyncio.Event(), asyncio.Event()
    _stop_on_signals(stop, hurry)
    run_dir = settings.run_dir.absolute()
    with _the_only_one(run_dir):
        plan = await make_plan(settings, environ)
        stack = Stack(plan.parts, logs=run_dir / "logs", say=say, template=_template(plan))
        kept = _kept_key(plan.settings, environ, say)
        ready_after_s: float | None = None

        def on_pids(pids: Mapping[str, int]) -> None:
            nonlocal ready_after_s
            first = ready_after_s is None
            ready_after_s = ready_after_s or time.monotonic() - began_s
            note(run_dir, plan, pids, ready_after_s, say)
            if first:
                say(banner(plan, ready_after_s))
                if until_ready:
                    stop.set()

        with contextlib.suppress(StopAsked):
            try:
                await stack.run(stop=stop, hurry=hurry, on_pids=on_pids)
            finally:
                if kept is not None:
                    keys.drop(kept)
                with contextlib.suppress(OSError):
                    (run_dir / "stack.json").unlink(missing_ok=True)
    return Exit.STOPPED


def _template(plan: Plan) -> Template | None:
    if not plan.forked:
        return None
    return Template(plan.forked, plan.forked_environ, plan.settings.run_dir / "logs" / "template.log")


def _kept_key(settings: Settings, environ: Mapping[str, str], say: Say) -> Path | None:
    """Write the opener key where this user's programs find it; None, and a warning, if that fails."""
    try:
        return keys.keep(settings.api_port, settings.opener_key, environ)
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        mend = f"mend its rights, name another folder in XDG_STATE_HOME, or set {keys.OPENER_VARIABLE}"
        say(f"the opener key can't be written to the home folder ({why}), so programs find none: {mend}")
        return None


async def make_plan(settings: Settings, environ: Mapping[str, str]) -> Plan:
    """Check everything, choose ports, write the servers' configs. Raises: CantStart."""
    run_dir = settings.run_dir.absolute()
    try:
        settings = _with_port(settings, run_dir)
    except OSError as error:
        raise _unusable(run_dir, error) from None
    found = await preflight.look(settings, environ)
    try:
        return _planned(settings.model_copy(update={"run_dir": run_dir}), environ, found)
    except OSError as error:
        raise _unusable(run_dir, error) from None


def _planned(settings: Settings, environ: Mapping[str, str], found: preflight.PreflightResult) -> Plan:
    sockets = socket_folder(settings.run_dir)
    if not settings.opener_key:
        settings = settings.model_copy(update={"opener_key": keys.new_opener_key()})
    if "engines_socket" not in settings.model_fields_set:
        settings = settings.model_copy(update={"engines_socket": sockets / "engines.sock"})
    servers: list[StackProcess] = []
    sfu, store = f"at {settings.livekit_url}", "at REDIS_URL"
    if not settings.redis_url:
        settings, part = _embed_store(settings, sockets, environ)
        servers.append(part)
        store = f"embedded Valkey, {settings.redis_url}"
    if found.livekit_binary is not None:
        settings, part = _embed_sfu(settings, found.livekit_binary, environ)
        servers.append(part)
        sfu = f"embedded livekit-server, {settings.livekit_url}"
    parts = (*servers, *_ours(settings, environ, tuple(part.name for part in servers)))
    return Plan(
        settings=settings,
        parts=parts,
        sfu=sfu,
        store=store,
        found=found,
        forked=_forked(settings),
        forked_environ={**_only(environ, _SERVER_ENVIRONMENT), **preloaded.ENVIRON},
    )


def _with_port(settings: Settings, run_dir: Path) -> Settings:
    if settings.api_port:
        return settings
    port = ports.choose(run_dir / "ports.json", [("api", ports.Transport.TCP)])["api"]
    return settings.model_copy(update={"api_port": port})


def _embed_store(
    settings: Settings, sockets: Path, environ: Mapping[str, str]
) -> tuple[Settings, StackProcess]:
    try:
        plan = valkey.plan(settings.run_dir / "store", sockets / "store.sock")
    except valkey.StoreBinaryMissing as error:
        raise CantStart(Exit.MISSING, str(error)) from None
    part = StackProcess(
        name="store",
        argv=plan.argv(),
        environ=_only(environ, _SERVER_ENVIRONMENT),
        ready=probes.pings(plan.socket),
        alive=probes.pings(plan.socket),
        died=Exit.STORE_DIED,
    )
    return settings.model_copy(update={"redis_url": plan.url}), part


def _embed_sfu(settings: Settings, binary: Path, environ: Mapping[str, str]) -> tuple[Settings, StackProcess]:
    plan = livekit.plan(settings.run_dir / "livekit")
    part = StackProcess(
        name="livekit-server",
        argv=plan.argv(binary),
        environ=_only(environ, _SERVER_ENVIRONMENT),
        ready=probes.answers_http(plan.http_url),
        alive=probes.answers_http(plan.http_url),
        died=Exit.SFU_DIED,
    )
    keys = {
        "livekit_url": plan.url,
        "livekit_api_key": plan.api_key,
        "livekit_api_secret": plan.api_secret,
    }
    return settings.model_copy(update=keys), part


def _ours(
    settings: Settings, environ: Mapping[str, str], servers: tuple[str, ...]
) -> tuple[StackProcess, ...]:
    """Our own processes. They start at once when the embedded servers are ready; engines need none."""
    base = {**environ, **settings.environment(), "PYTHONUNBUFFERED": "1", **preloaded.SINGLE}
    base.pop(keys.OPENER_VARIABLE, None)  # the API's alone
    door = {keys.OPENER_VARIABLE: settings.opener_key}
    store = tuple(name for name in servers if name == "store")

    python = partial(_python, base, settings.run_dir / "ready")
    socket = settings.engines_socket
    greets = probes.says_hello(socket)
    options = ("--socket", str(socket), "--die-with-parent", "--log-level", settings.log_level)
    engines = python("engines", "app.engines", Exit.ENGINES_DIED, *options, *hearing.options(settings))
    serves = probes.answers_http(f"{page_address(settings)}health/live")  # /health is also about the others
    return (
        replace(engines, ready=greets, alive=greets),
        replace(
            python("api", "app.serve_api", Exit.API_DIED, more=door),
            fork=(),  # it serves strangers: a process of its own has the key in it, and shares nothing
            ready=serves,
            alive=serves,
            needs=servers,
        ),
        replace(python("reasoner", "app.reasoner", Exit.REASONER_DIED), needs=store),
        replace(python("worker", "app.serve_voice", Exit.WORKER_DIED), needs=servers),
        replace(python("teams", "app.our_teams", Exit.TEAMS_DIED), needs=store),
    )


def _python(
    environ: Mapping[str, str],
    signs: Path,
    name: str,
    module: str,
    died: Exit,
    *options: str,
    more: Mapping[str, str] | None = None,
) -> StackProcess:
    """A process of our own that runs `module`; by its file in `signs` it says that it is ready, and alive."""
    sign = signs / name
    return StackProcess(
        name=name,
        argv=(sys.executable, "-m", module, *options),
        fork=(module, *options),
        environ={**environ, **(more or {}), "EXAIM_READY_FILE": str(sign)},
        ready=probes.is_there(sign),
        alive=probes.beats(sign),
        before=lambda: _take_away(sign),
        died=died,
    )


def _forked(settings: Settings) -> tuple[str, ...]:
    """Return the template's command, or nothing: the parts are to be programs of their own."""
    if settings.start_method == "spawn" or sys.platform != "linux":
        return ()
    return (sys.executable, "-m", "app.preloaded", *hearing.options(settings))


def _take_away(sign: Path) -> None:
    sign.parent.mkdir(exist_ok=True)
    sign.unlink(missing_ok=True)


def banner(plan: Plan, took_s: float) -> str:
    """Return what the user reads once everything is ready."""
    found = plan.found
    cases = f"{found.playable} to play" + (f", {len(found.broken)} broken" if found.broken else "")
    return "\n".join(
        (
            "",
            f"EXAIM Voice is ready, after {took_s:.1f} s. Open",
            f"  {keys.link_with(plan.settings.opener_key, plan.settings.public_url or plan.page_url)}",
            "  in one tab, once; `exaim link` prints another",
            f"  voice   {_who_speaks(plan)}",
            f"  ears    {hearing.told(plan.settings, found.ears_trouble)}",
            f"  judge   {_who_judges(plan.settings)}",
            f"  SFU     {plan.sfu}{_out_of_reach(plan.settings)}",
            f"  store   {plan.store}",
            f"  cases   {cases}, at speed {plan.settings.speed:g}",
            f"  logs    {plan.settings.run_dir / 'logs'}",
            "  stop    Ctrl-C",
            "",
        )
    )


def _out_of_reach(settings: Settings) -> str:
    """Return a warning if browsers elsewhere are allowed and could not hear."""
    sfu = settings.livekit_public_url or settings.livekit_url
    elsewhere = settings.secure and not (is_loopback(settings.api_host) and not settings.public_url)
    if not elsewhere or sfu.startswith(("wss://", "https://")):
        return ""
    return (
        "\n          browsers elsewhere can't reach it: set LIVEKIT_URL or EXAIM_LIVEKIT_PUBLIC_URL, wss://…"
    )


def _who_speaks(plan: Plan) -> str:
    service = plan.settings.voice
    if service == "piper":
        return "piper (on this machine)"
    trouble = plan.found.voice_trouble
    now = f"\n          now: {trouble}; this machine's voice speaks" if trouble else ""
    behind = plan.settings.voice_second
    named = service if behind == "none" else f"{service}, and {behind} behind it"
    return f"{named}: the text of all that is said LEAVES THIS MACHINE (docs/cloud.md){now}"


def _who_judges(settings: Settings) -> str:
    roles = (("fields", settings.engine), ("verdicts", settings.judge), ("answers", settings.dialogue))
    asked = [role for role, engine in roles if engine == "llm"]
    readers = readers_of(settings)
    if readers:
        gone = ", ".join(f"{name} at {spec.host}" for name, spec in readers.items())
        asked = [f"reading (the agents' words GO TO {gone})", *asked]
    return f"rules, and a chat model for {', '.join(asked)}" if asked else "lexical (rules, no model)"


def socket_folder(run_dir: Path) -> Path:
    """Return a 0700 folder for Unix sockets: `run_dir`, or a temporary one if its path is too long."""
    if len(os.fsencode(run_dir / "engines.sock")) <= valkey.SOCKET_PATH_MAX:
        return run_dir
    name = f"exaim-{os.getuid()}-{hashlib.sha256(os.fsencode(run_dir)).hexdigest()[:12]}"
    folder = Path(tempfile.gettempdir()) / name
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or folder.is_symlink() or status.st_mode & 0o077:
        raise CantStart(Exit.SETTINGS, f"{folder} is not ours alone. Choose a shorter --run-dir.")
    return folder


@contextlib.contextmanager
def _the_only_one(run_dir: Path) -> Iterator[None]:
    """Hold the run folder (made 0700) for this stack alone. Raises: CantStart: another holds it."""
    try:
        run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("logs", "ready"):
            (run_dir / name).mkdir(exist_ok=True)
        lock = (run_dir / "lock").open("w")
    except OSError as error:
        raise _unusable(run_dir, error) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CantStart(Exit.ALREADY_UP, _who_is_up(run_dir)) from None
        yield


def _unusable(run_dir: Path, error: OSError) -> CantStart:
    what, why = error.filename or run_dir, error.strerror or type(error).__name__
    return CantStart(
        Exit.SETTINGS, f"{what} can't be used: {why}. Move it away, or choose another --run-dir."
    )


def _who_is_up(run_dir: Path) -> str:
    mend = "Stop it with Ctrl-C where it runs, or start a second one with another --run-dir and --port."
    try:
        noted = json.loads((run_dir / "stack.json").read_text(encoding="utf-8"))
        return f"EXAIM Voice is up already, at {noted['page_url']} (pid {noted['pid']}). {mend}"
    except (OSError, ValueError, KeyError):
        return f"Another `exaim up` is starting, or stopping, in {run_dir}. {mend}"


def note(run_dir: Path, plan: Plan, pids: Mapping[str, int], took_s: float, say: Say) -> None:
    """Write stack.json, for tools that want to know what runs; it holds no secret and goes at the end.

    Where it can't be written (a full disk), that is said, and what runs goes on.
    """
    noted = {
        "pid": os.getpid(),
        "page_url": plan.page_url,
        "livekit_url": plan.settings.livekit_url,
        "pids": dict(pids),
        "ready_after_s": round(took_s, 3),
    }
    whole = run_dir / "stack.json.new"  # who looks for the note finds all of it or none
    try:
        whole.write_text(json.dumps(noted, indent=2) + "\n", encoding="utf-8")
        whole.replace(run_dir / "stack.json")
    except OSError as error:
        why = error.strerror or type(error).__name__
        say(f"stack.json can't be written ({why}), so tools do not see what runs now")


def _stop_on_signals(stop: asyncio.Event, hurry: asyncio.Event) -> None:
    def asked() -> None:
        if stop.is_set():
            hurry.set()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, asked)


def _only(environ: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: environ[name] for name in names if name in environ}
