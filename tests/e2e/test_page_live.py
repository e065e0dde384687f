"""The link of a live session, opened in the page."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, expect

from exaim_live import LiveTeam, open_session
from tests.e2e.conftest import UpStack, chromium, leave, until

pytestmark = [pytest.mark.real, pytest.mark.timeout(150)]

T = TypeVar("T")


def beside(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in another thread: this one's loop is the browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@pytest.mark.browser
def test_the_link_of_a_live_session_opens_the_page_in_it(up: UpStack) -> None:
    with chromium() as browser:
        follow_the_link(up, browser)


def follow_the_link(up: UpStack, browser: Browser) -> None:
    opened = beside(open_session(up.api_url, title="A cold hand since this morning"))
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.goto(opened.page_url)
    expect(page.get_by_test_id("doorway")).to_contain_text("A cold hand since this morning")
    assert page.evaluate("location.hash") == ""
    page.get_by_test_id("join").click()
    expect(page.get_by_role("heading", name="A cold hand since this morning")).to_be_visible()

    async def team() -> None:
        async with LiveTeam(opened) as speaking, speaking.agent("Doctor Zero") as turn:
            await turn.say("### Most Likely Diagnosis:\n**Arterial embolism** - the pulse is gone.\n")

    beside(team())
    until(page, "window.exaim.firstAudibleAt_ms > 0")
    expect(page.get_by_text("Arterial embolism").first).to_be_visible()
    leave(page)
