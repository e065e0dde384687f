"""Check everything before anything is started; each complaint says what to do."""

from __future__ import annotations

import asyncio
import socket
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agents.recorded import TRACE_FILES, Catalogue
from app import hearing
from app.exits import CantStart, Exit
from infra.embedded.locate import ServerMissing, find_livekit
from infra.settings import Settings, SettingsError

SHOWN: Final = 20  # problems of cases, each a line


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """What the checks found."""

    livekit_binary: Path | None  # None: LIVEKIT_URL is used
    playable: int
    broken: tuple[str, ...]  # ids of cases that can't be played; the page lists them with their problem
    voice_trouble: str | None = None  # why the cloud voice gives no answer now; it may do so later
    ears_trouble: str | None = None  # why the cloud's ears do not answer now; they may do so later


async def look(settings: Settings, environ: Mapping[str, str]) -> PreflightResult:
    """Look at page, port, folders, cases, store, SFU, database, voice and ears, cheapest first.

    Raises: CantStart.
    """
    check_page(settings.web_dist)
    check_port(settings.api_host, settings.api_port)
    check_tls(settings.tls_cert, settings.tls_key)
    check_models(settings)
    check_recordings(settings.record_dir)
    binary = None if settings.livekit_url else _server(environ)
    playable, broken = await asyncio.to_thread(check_cases, settings.cases)
    if settings.redis_url or settings.livekit_url or (settings.database_url and settings.record):
        from app import preflight_remote  # 0.7 s of client libraries that an embedded start does without

        await preflight_remote.look(settings)
    return PreflightResult(binary, playable, broken, await check_voice(settings), await check_ears(settings))


def check_page(web_dist: Path) -> None:
    """Raises: CantStart: the page has not been built."""
    if not (web_dist / "index.html").is_file():
        raise CantStart(
            Exit.MISSING, f"The page is not built ({web_dist}/index.html). `make setup` builds it."
        )


def check_port(host: str, port: int) -> None:
    """Raises: CantStart: the API can't bind there."""
    try:
        host.encode("idna")
    except UnicodeError:
        raise CantStart(Exit.SETTINGS, "EXAIM_API_HOST is no host's name or address.") from None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family):
            return
    except OSError as error:
        if error.errno in (98, 48):  # EADDRINUSE on Linux, macOS
            message = (
                f"Port {port} is in use on {host}. Choose another: --port {port + 1} (or EXAIM_API_PORT)."
            )
        else:
            why = error.strerror or type(error).__name__
            message = (
                f"Port {port} on {host} can't be bound: {why}. Choose another --port, or an EXAIM_API_HOST "
                "of this machine: 127.0.0.1 or ::1."
            )
        raise CantStart(Exit.PORT_IN_USE, message) from None


def check_tls(cert: Path | None, key: Path | None) -> None:
    """Raises: CantStart: the certificate and its key can't be served with."""
    if cert is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password=lambda: "")
    except (OSError, ssl.SSLError) as error:
        why = getattr(error, "strerror", None) or getattr(error, "reason", None) or type(error).__name__
        raise CantStart(
            Exit.SETTINGS,
            f"EXAIM_TLS_CERT and EXAIM_TLS_KEY can't be used ({why}): give two PEM files that belong "
            "together, the key without a password.",
        ) from None


def check_models(settings: Settings) -> None:
    """Raises: CantStart: a chat model is asked for, and its key, its client or its file is missing."""
    with _as_cant_start():
        if settings.engine != "lexical" or settings.judge == "llm":
            from app.writing import writer_of  # only who asks for a model loads its client

            writer_of(settings)
        if settings.dialogue == "llm":
            from app.answering import nearest_of  # likewise

            nearest_of(settings)


async def check_voice(settings: Settings) -> str | None:
    """Return why the chosen cloud voice gives no answer now, or None.

    Raises: CantStart: its package is missing, or it refuses key or voice.
    """
    if settings.voice == "piper":
        return None
    from app import speaking  # only who asks for a cloud voice loads its client

    with _as_cant_start():
        return await speaking.check(settings)


async def check_ears(settings: Settings) -> str | None:
    """Return why the chosen ears in the cloud do not answer now, or None.

    Raises: CantStart: their client or their key is missing, or they refuse the key.
    """
    with _as_cant_start():
        return await hearing.check(settings)


def check_recordings(folder: Path | None) -> None:
    """Make the folder of recordings (0700), if one is asked for. Raises: CantStart: it can't be written."""
    if folder is None:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise CantStart(
            Exit.SETTINGS,
            f"EXAIM_RECORD_DIR: {folder} can't be written ({why}). Mend its rights, make space there, name "
            "another folder, or unset it: then nothing is recorded.",
        ) from None


@contextmanager
def _as_cant_start() -> Iterator[None]:
    try:
        yield
    except SettingsError as error:
        raise CantStart(Exit.SETTINGS, str(error)) from None


def _server(environ: Mapping[str, str]) -> Path:
    try:
        return find_livekit(environ)
    except ServerMissing as error:
        raise CantStart(Exit.MISSING, str(error)) from None


def check_cases(paths: tuple[Path, ...]) -> tuple[int, tuple[str, ...]]:
    """Return how many cases can be played, and which can't. Raises: CantStart: none can."""
    for path in paths:
        if not _may_be(path):
            raise CantStart(
                Exit.NO_CASE,
                f"CASES: {path} is not there. Give a trace, or a folder of them: {TRACE_FILES}.",
            )
    entries = Catalogue.open(paths).cases()
    broken = [entry for entry in entries if entry.problem]
    if len(broken) == len(entries):
        names = ", ".join(map(str, paths))
        more = [f"  and {len(broken) - SHOWN} more"] if len(broken) > SHOWN else []
        why = [f"  {entry.problem}" for entry in broken[:SHOWN]] or [f"  {TRACE_FILES}"]
        told = "\n".join([f"CASES: nothing in {names} can be played.", *why, *more])
        raise CantStart(Exit.NO_CASE, told)
    return len(entries) - len(broken), tuple(entry.case_id for entry in broken)


def _may_be(path: Path) -> bool:
    """Return False for a missing path; the catalogue reports one that can't be read."""
    try:
        return path.exists()
    except OSError:
        return True
