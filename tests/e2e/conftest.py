"""The whole stack, as a user starts it, for the tests that need every part to be real."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from agents import keys
from app.launcher import socket_folder
from infra import store
from infra.keys import SessionKeys
from infra.ledger import LedgerEntry, SpeechLedger
from lab.chaos.hold import Hold
from lab.demo.listener import Grant
from tests.conftest import ROOT
from tests.e2e import alarm, calm, mini
from tests.e2e.sharing import UpStack as UpStack  # the tests take it from here
from tests.e2e.sharing import shared_stack
from tests.sfu_server import livekit_binary
from tts_queue import is_over

LONG_CASE = "case-hyperkalaemia-aki"  # ninety seconds, with alarms
SOON_MS = 60_000  # a bound for busy cores; how soon it is, `make bench` measures
SPOKEN_WITHIN_S = 60.0  # of something that is next, or waits for one utterance: a bound for busy cores
PROMISED_S = 15.0  # of what we promise within two seconds: with room for busy cores
PICTURES = ROOT / "out" / "pictures"
READY_WITHIN_S = 100.0
ENDS_WITHIN_S = 15.0
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
)
_HELD: Final = pytest.StashKey[ExitStack]()
_STATE = "window.exaim && ({mode: exaim.mode, turns: exaim.turns, mic: exaim.microphone})"


async def until_in_the_books(ledger: SpeechLedger) -> list[LedgerEntry]:
    """Return the ledger once nothing in it is still to be said: the last beat comes after the last sound."""
    async with asyncio.timeout(SOON_MS / 1000):
        while True:
            entries = await ledger.entries()
            if all(is_over(entry.phase) for entry in entries):
                return entries
            await asyncio.sleep(0.1)


@asynccontextmanager
async def ledger_of(redis_url: str, grant: Grant) -> AsyncIterator[SpeechLedger]:
    """What the store knows of a session's utterances."""
    client = store.connect(redis_url)
    try:
        yield SpeechLedger(client, SessionKeys(grant.session_id, grant.session_id))
    finally:
        await client.aclose()


@contextmanager
def standing_still(hold: Hold, pid: int) -> Iterator[None]:
    """Stop a process while the block lasts; with `exaim up`, nothing that dies is started again meanwhile."""
    hold.send(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        hold.send(pid, signal.SIGCONT)


@pytest.fixture(scope="session")
def up(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> UpStack:
    """Return the stack of all tests that want none of their own, in this process and those beside it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "stack"
    held = request.config.stash.setdefault(_HELD, ExitStack())
    return held.enter_context(shared_stack(folder, stack))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the shared stack go: who started it waits for the others, and no test's time counts for that."""
    session.config.stash.get(_HELD, ExitStack()).close()


@contextmanager
def stack(folder: Path, **environ: str) -> Iterator[UpStack]:
    """Run the stack with our cases and the long one, recorded; end it, and see that nothing is left."""
    livekit_binary()
    run_dir, sent = folder / "run", folder / "sent"
    mini.write(folder / "cases")
    calm.write(folder / "cases")
    alarm.write(folder / "cases")
    for shipped in (ROOT / "cases").glob(f"{LONG_CASE}.*"):
        shutil.copy(shipped, folder / "cases")
    options = ("--port", "0", "--run-dir", str(run_dir), "--cases", str(folder / "cases"))
    with (folder / "up.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "up", *options],
            env={
                **os.environ,
                "EXAIM_RECORD_DIR": str(sent),
                "EXAIM_MAX_SESSIONS": "16",
                **environ,
            },
            stdout=log,
            stderr=log,
        )
    try:
        noted = _until_ready(run_dir / "stack.json", process, folder / "up.log")
        store = socket_folder(run_dir) / "store.sock"
        page = str(noted["page_url"]).rstrip("/")
        engines = socket_folder(run_dir) / "engines.sock"
        yield UpStack(page, f"unix://{store}", run_dir, sent, dict(noted["pids"]), process.pid, engines)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(ENDS_WITHIN_S)


def _until_ready(note: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s and process.poll() is None:
        if note.exists():
            found: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
            return found
        time.sleep(0.1)
    process.kill()
    pytest.fail("the stack did not come up:\n" + log.read_text(encoding="utf-8", errors="replace")[-3000:])


@contextmanager
def chromium(*flags: str, without: Sequence[str] = ()) -> Iterator[Browser]:
    """Run a headless Chromium with further `flags`, and `without` some that Playwright gives.

    What the tests expect of its pages has time to come about on busy cores.

    Skips where none is installed, but never in CI.
    """
    path = os.environ.get("EXAIM_CHROMIUM") or shutil.which("chromium")
    if not path:
        reason = "no Chromium is installed; `make test` installs one where it may"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=SOON_MS)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=path,
            headless=True,
            args=[*CHROMIUM_FLAGS, *flags],
            ignore_default_args=list(without),
        )
        yield running
        running.close()


def holds(page: Page, expression: str, within_s: float) -> bool:
    """Tell whether `expression` comes to hold in the page, whose policy forbids `wait_for_function`."""
    ends_s = time.monotonic() + within_s
    while time.monotonic() < ends_s:
        if page.evaluate(expression):
            return True
        page.wait_for_timeout(100)
    return False


def until(page: Page, expression: str, within_s: float = SOON_MS / 1000) -> None:
    """Wait until `expression` holds in the page."""
    if not holds(page, expression, within_s):
        pytest.fail(f"never held in the page: {expression}; it is {page.evaluate(_STATE)}")


def start(up: UpStack, page: Page, case_id: str) -> None:
    """Open the page by a link, start a case, and wait for its first sound."""
    page.goto(keys.link(up.api_url))
    page.locator(f"[data-case-id={case_id}]").click()
    page.get_by_test_id("start").click()
    until(page, "window.exaim.firstAudibleAt_ms > 0")


def leave(page: Page) -> None:
    """End the session for good, whether or not the page asks about critical findings first."""
    page.get_by_test_id("leave").click()
    for_good = page.get_by_test_id("farewell-end")  # the question is there at once, or not at all
    if for_good.is_visible():
        for_good.click()


@contextmanager
def faultless_page(browser: Browser, permissions: Sequence[str] = ()) -> Iterator[Page]:
    """Open a page of a desk's size, and see in the end that it raised no error."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, permissions=list(permissions), reduced_motion="reduce"
    )
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == [], "the page raised errors"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for each file of tests; a file that wants other flags has a fixture of its own."""
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page for each test, in a context of its own."""
    with faultless_page(browser) as opened:
        yield opened


@contextmanager
def page_without_microphone(browser: Browser) -> Iterator[Page]:
    """Open a page whose browser denies the microphone; `window.asked` counts how often it was asked for."""
    context = browser.new_context(permissions=[], reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(
        "window.asked = 0; navigator.mediaDevices.getUserMedia = () => { window.asked += 1;"
        "return Promise.reject(new DOMException('Permission denied', 'NotAllowedError')); };"
    )
    yield page
    context.close()
