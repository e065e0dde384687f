"""Who leaves while a critical finding was not noted is asked, and may come back to what was not heard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e import alarm
from tests.e2e.conftest import PICTURES, SOON_MS, UpStack, faultless_page, start, until

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

NOT_NOTED = "document.querySelector('[data-testid=critical-item][data-noted=false]') !== null"


def test_leaving_asks_about_a_critical_finding_and_going_away_ends_nothing(
    up: UpStack, browser: Browser
) -> None:
    with faultless_page(browser) as page:
        start(up, page, alarm.CASE_ID)
        until(page, NOT_NOTED)
        asks = page.get_by_test_id("farewell")

        page.get_by_test_id("leave").click()
        expect(asks).to_be_visible()
        expect(page.get_by_test_id("farewell-item").first).to_be_visible()
        expect(page.get_by_test_id("farewell-stay")).to_be_focused()
        page.screenshot(path=str(PICTURES / "farewell.png"))
        page.keyboard.press("Escape")
        expect(asks).to_be_hidden()
        expect(page.get_by_test_id("connection")).to_have_attribute("data-state", "connected")

        page.get_by_test_id("leave").click()
        page.get_by_test_id("farewell-away").click()
        page.get_by_test_id("return").click(timeout=SOON_MS)
        until(page, NOT_NOTED)

        page.get_by_test_id("leave").click()
        page.get_by_test_id("farewell-end").click()
        expect(page.get_by_test_id("banner-ended")).to_contain_text("You ended the session")
