"""What a link from elsewhere can do to a clinician's page: show whose case it opens, and ask. No more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Page, expect

from agents import keys
from exaim_live import open_session
from tests.e2e.conftest import LONG_CASE, UpStack, chromium, leave, start, until

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

WAYS = "Object.keys(localStorage).filter((key) => key.startsWith('exaim.session'))"
ASKED = (
    "window.asked = 0; const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
    "navigator.mediaDevices.getUserMedia = (wanted) => { window.asked += 1; return ask(wanted); };"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium("--use-fake-device-for-media-stream") as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page whose browser allows the microphone at once; `window.asked` counts."""
    context = browser.new_context(permissions=["microphone"], reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(ASKED)
    yield page
    context.close()


@pytest.mark.parametrize(
    "link", ["#session=s-aaaaaaaaaaaaaaaa&secret=x", "#session=s-aaaaaaaaaaaaaaaa&invitation=x"]
)
def test_a_false_link_destroys_nobodys_way_back(up: UpStack, page: Page, link: str) -> None:
    start(up, page, LONG_CASE)
    ways = page.evaluate(WAYS)
    page.goto("about:blank")
    page.goto(f"{up.api_url}/{link}")
    expect(page.get_by_test_id("doorway")).to_contain_text("opens no session")
    assert page.evaluate("location.hash") == ""
    assert page.evaluate(WAYS) == ways
    page.get_by_test_id("stay-out").click()
    until(page, "window.exaim.firstAudibleAt_ms > 0")
    leave(page)


def test_who_opens_the_bare_address_hears_of_no_case_and_a_link_opens_one_tab_once(
    up: UpStack, browser: Browser
) -> None:
    link = keys.link(up.api_url)
    first, second = browser.new_context(reduced_motion="reduce"), browser.new_context(reduced_motion="reduce")
    stranger = second.new_page()
    stranger.goto(up.api_url)
    expect(stranger.get_by_test_id("no-key")).to_contain_text("no key yet")
    expect(stranger.get_by_test_id("case-item")).to_have_count(0)
    page = first.new_page()
    page.goto(link)
    expect(page.get_by_test_id("case-item").first).to_be_visible()
    assert page.evaluate("location.href") == f"{up.api_url}/"
    page.reload()
    expect(page.get_by_test_id("case-item").first).to_be_visible()
    stranger.goto("about:blank")
    stranger.goto(link)
    expect(stranger.get_by_test_id("no-key")).to_contain_text("This link was used")
    other_tab = first.new_page()
    other_tab.goto(up.api_url)
    expect(other_tab.get_by_test_id("no-key")).to_be_visible()
    assert first.cookies() == []
    for context in (first, second):
        context.close()


def test_a_strangers_link_enters_nothing_and_opens_no_microphone_unasked(up: UpStack, page: Page) -> None:
    with ThreadPoolExecutor(1) as beside:  # this thread's loop is the browser's
        opened = beside.submit(asyncio.run, open_session(up.api_url, title="Somebody's case")).result()
    page.goto(opened.page_url)
    expect(page.get_by_test_id("doorway")).to_contain_text("Somebody's case")
    page.wait_for_timeout(2_000)  # long enough to have joined
    assert page.evaluate("window.asked") == 0
    assert page.evaluate(WAYS) == []
    expect(page.get_by_test_id("connection")).to_have_count(0)
    page.get_by_test_id("stay-out").click()
    expect(page.get_by_test_id("start")).to_be_visible()
