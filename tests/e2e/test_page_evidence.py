"""A sentence on the page opens the agents' words that it rests on, in a real Chromium on the real stack."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PICTURES, UpStack, start
from tests.e2e.mini import CASE_ID

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

CASE_WITHIN_MS = 110_000


def test_a_sentence_opens_the_words_that_it_rests_on(up: UpStack, page: Page) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    start(up, page, CASE_ID)
    words = page.get_by_test_id("raw-panel")
    expect(words.locator("h6", has_text="Most Likely Diagnosis").first).to_be_visible()
    expect(words.locator("strong", has_text="Acute pulmonary embolism").first).to_be_visible()
    expect(words).not_to_contain_text("**")

    item = page.locator(".items").get_by_test_id("sentence").filter(has_text="pneumonia").first
    expect(item).to_be_visible(timeout=CASE_WITHIN_MS)
    item.focus()
    item.press("Enter")
    marks = words.get_by_test_id("evidence-mark")
    expect(marks.filter(has_text="Community-acquired pneumonia").first).to_be_in_viewport()
    expect(page.get_by_test_id("evidence")).to_be_focused()
    expect(page.get_by_test_id("evidence-word").first).to_contain_text("Doctor One")
    page.screenshot(path=str(PICTURES / "evidence.png"))

    page.keyboard.press("Escape")
    expect(page.get_by_test_id("evidence")).to_be_hidden()
    expect(marks).to_have_count(0)
    assert page.evaluate("window.exaim.mode") == "free", "that Escape stopped no voice"

    page.reload()
    page.get_by_test_id("summary").get_by_test_id("sentence").first.click()
    expect(words.get_by_test_id("evidence-mark").first).to_be_visible()
    page.get_by_test_id("evidence-close").click()
    left_out = page.get_by_test_id("left-out").first
    expect(left_out.get_by_role("listitem").first).to_be_hidden()
    left_out.locator("summary").click()
    expect(left_out.get_by_role("listitem").first).to_be_visible()
    page.get_by_test_id("leave").click()
