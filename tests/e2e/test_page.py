"""The clinician's page in a real Chromium: it joins, hears, shows captions. No loopback flags are given."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from agents import keys
from tests.conftest import ROOT
from tests.e2e.conftest import (
    PICTURES,
    UpStack,
    leave,
    page_without_microphone,
    start,
    until,
)
from tests.e2e.mini import CASE_ID

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

CASE_WITHIN_MS = 110_000


def test_the_page_plays_a_case_with_captions(up: UpStack, page: Page) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.goto(keys.link(up.api_url))
    page.locator(f"[data-case-id={CASE_ID}]").click()
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("connection")).to_contain_text("Connected")
    expect(page.get_by_test_id("caption")).to_contain_text("EXAIM")
    expect(page.get_by_test_id("raw-panel")).to_contain_text("pleuritic")
    until(page, "window.exaim.firstAudibleAt_ms > 0")
    expect(page.get_by_test_id("update-card").first).to_be_visible()
    page.screenshot(path=str(PICTURES / "listening.png"))

    expect(page.get_by_test_id("reasoning")).to_contain_text(
        "finished", timeout=CASE_WITHIN_MS, ignore_case=True
    )
    expect(page.locator("[data-phase=spoken]").first).to_be_visible(timeout=CASE_WITHIN_MS)
    expect(page.get_by_test_id("caption")).to_contain_text("Finished", timeout=CASE_WITHIN_MS)
    until(
        page, "window.exaim.received.some(m => m.type === 'clock')"
    )  # the voice has found the constant between this browser's clock and its own
    page.screenshot(path=str(PICTURES / "finished.png"))
    leave(page)
    expect(page.get_by_test_id("another")).to_be_visible()


def test_a_browser_that_denies_every_permission_hears_all_the_same(up: UpStack, browser: Browser) -> None:
    """The microphone is asked for, and nothing waits for it: the page says how to allow it."""
    with page_without_microphone(browser) as page:
        start(up, page, CASE_ID)
        assert page.evaluate("window.asked") == 1
        expect(page.get_by_test_id("mic")).to_have_attribute("data-state", "denied")
        expect(page.get_by_test_id("mic")).to_contain_text("Allow it in your browser")
        expect(page.get_by_test_id("btn-stop")).to_be_enabled()
        leave(page)


def test_the_built_page_is_what_is_served(up: UpStack, page: Page) -> None:
    answer = page.goto(up.api_url + "/")
    assert answer is not None
    assert answer.status == 200
    assert "default-src 'self'" in (answer.header_value("content-security-policy") or "")
    assert Path(ROOT / "web" / "dist" / "index.html").exists()
