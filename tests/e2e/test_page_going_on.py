"""The page after its room has ended: it says what was not heard, and goes on where the clinician was."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from infra import store
from infra.sessions import SessionStore, Status
from infra.sfu import Sfu
from infra.sfu_port import room_of
from lab.chaos.hold import Hold
from tests.e2e.conftest import (
    LONG_CASE,
    PICTURES,
    SOON_MS,
    UpStack,
    leave,
    start,
    until,
)

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

UPDATES = "document.querySelectorAll('[data-testid=update-card]').length"


async def abandoned(up: UpStack, session_id: str) -> None:
    """End a session's room as after five minutes without a listener."""
    api = Hold(up.run_dir, up.sent_dir).pid("api")
    environ = Path(f"/proc/{api}/environ").read_text(encoding="utf-8").split("\0")
    given = dict(line.split("=", 1) for line in environ if line)
    client = store.connect(up.redis_url)
    try:
        await SessionStore(client).end(session_id, Status.ABANDONED)
        url, key, secret = (given[f"LIVEKIT_{name}"] for name in ("URL", "API_KEY", "API_SECRET"))
        async with Sfu(url, key, secret) as sfu:
            await sfu.delete_room(room_of(session_id))
    finally:
        await client.aclose()


def test_a_session_that_nobody_came_back_to_goes_on_from_the_page(up: UpStack, page: Page) -> None:
    start(up, page, LONG_CASE)
    until(page, f"{UPDATES} >= 2", 60.0)
    session_id = page.evaluate("sessionStorage['exaim.here']")
    with ThreadPoolExecutor(1) as beside:  # this thread's loop is the browser's
        beside.submit(asyncio.run, abandoned(up, session_id)).result()

    # The room is gone under the listener: the page says so, and offers both ways on.
    ended = page.get_by_test_id("banner-ended")
    expect(ended).to_contain_text("closed after a long absence")
    expect(ended).to_contain_text("not read aloud")
    expect(page.get_by_test_id("report")).to_be_visible()
    expect(page.locator("[data-phase=cancelled]")).to_have_count(0)  # what waits is not called given up
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(PICTURES / "ended.png"))

    # So does a page that is opened later.
    page.reload()
    expect(page.get_by_test_id("former")).to_contain_text("closed after a long absence")
    expect(page.get_by_test_id("former")).to_contain_text("not read aloud")
    page.screenshot(path=str(PICTURES / "former.png"))
    page.get_by_test_id("go-on-again").click()
    until(page, f"window.exaim.firstAudibleAt_ms > 0 && {UPDATES} >= 2", 60.0)
    assert page.evaluate("sessionStorage['exaim.here']") == session_id
    page.screenshot(path=str(PICTURES / "going-on.png"))

    # Ended for good: nothing goes on any more, and the report is there.
    leave(page)
    expect(ended).to_contain_text("You ended the session")
    expect(page.get_by_test_id("go-on-again")).to_be_hidden()
    with page.expect_download(timeout=SOON_MS) as saved:
        page.get_by_test_id("report").click()
    assert saved.value.suggested_filename == f"{session_id}.md"
