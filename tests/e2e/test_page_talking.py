"""The page with a microphone: a real Chromium whose fake microphone plays a file at chosen moments."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from app.clinician.speech import phrases
from tests.e2e.conftest import LONG_CASE, UpStack
from tests.e2e.test_page import FLAGS, PICTURES, SOON_MS

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

RATE_HZ = 48_000
STOP, ASK = "Stop, hold on.", "What is the potassium?"
STOP_AT_S, ASK_AT_S, FILE_S = 16.0, 26.0, 60.0  # after the page opened its microphone


@pytest.fixture(scope="module")
def spoken_file(up: UpStack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clinician's minute: silence, and two things said at their times."""
    said = asyncio.run(phrases(up.engines_socket, (STOP, ASK)))
    track = np.zeros(int(FILE_S * RATE_HZ), np.int16)
    for text, at_s in ((STOP, STOP_AT_S), (ASK, ASK_AT_S)):
        start = int(at_s * RATE_HZ)
        track[start : start + said[text].size] = said[text]
    path = tmp_path_factory.mktemp("microphone") / "clinician.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(track.tobytes())
    return path


@pytest.fixture(scope="module")
def browser(spoken_file: Path) -> Iterator[Browser]:
    path = os.environ.get("EXAIM_CHROMIUM") or shutil.which("chromium")
    if not path:
        reason = "no Chromium is installed; `make test` installs one where it may"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    microphone = (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={spoken_file}%noloop",
    )
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, headless=True, args=[*FLAGS, *microphone])
        yield running
        running.close()


def until(page: Page, expression: str, within_s: float = 20.0) -> None:
    """Wait until `expression` holds in the page."""
    ends_s = time.monotonic() + within_s
    while time.monotonic() < ends_s:
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    state = page.evaluate(
        "({mode: window.exaim.mode, turns: window.exaim.turns, mic: window.exaim.microphone})"
    )
    pytest.fail(f"never held in the page: {expression}; it is {state}")


def test_the_clinician_stops_asks_and_reloads(up: UpStack, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, permissions=["microphone"])
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(up.api_url + "/")
    page.locator(f"[data-case-id={LONG_CASE}]").click()
    page.get_by_test_id("start").click()
    until(page, "window.exaim.firstAudibleAt_ms > 0")

    # "Stop, hold on", by voice: the voice falls silent and says so.
    until(page, "['quiet', 'waiting'].includes(window.exaim.mode)", STOP_AT_S + 15)
    expect(page.get_by_test_id("mode")).to_contain_text("Stopped", timeout=SOON_MS)
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(PICTURES / "stopped.png"))

    # A question, by voice: the answer is on the page with its source, and the quiet ends.
    expect(page.get_by_test_id("answer").first).to_contain_text(
        "potassium", timeout=2 * SOON_MS, ignore_case=True
    )
    expect(page.get_by_test_id("answer").first).to_contain_text("case paper", timeout=SOON_MS)
    until(page, "window.exaim.mode === 'free'")
    page.screenshot(path=str(PICTURES / "answered.png"))

    # A reload: the same session goes on by itself, greeted in words.
    page.reload()
    until(page, "window.exaim.firstAudibleAt_ms > 0")
    expect(page.get_by_test_id("caption")).to_contain_text("Welcome back", timeout=SOON_MS)
    page.screenshot(path=str(PICTURES / "back.png"))
    expect(page.get_by_test_id("answer").first).to_contain_text("potassium", ignore_case=True)
    page.get_by_test_id("leave").click()
    expect(page.get_by_test_id("another")).to_be_visible(timeout=SOON_MS)
    assert faults == []
    context.close()


def test_keys_stop_the_voice_and_let_it_go_on(up: UpStack, browser: Browser) -> None:
    context = browser.new_context(permissions=["microphone"])
    page = context.new_page()
    page.goto(up.api_url + "/")
    page.locator(f"[data-case-id={LONG_CASE}]").click()
    page.get_by_test_id("start").click()
    until(page, "window.exaim.firstAudibleAt_ms > 0")
    page.keyboard.press("s")
    until(page, "window.exaim.mode === 'quiet'")
    page.keyboard.press("g")
    until(page, "window.exaim.mode === 'free'")
    page.get_by_test_id("ask-input").fill("Any allergies?")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("answer").first).to_contain_text(
        "penicillin", timeout=SOON_MS, ignore_case=True
    )
    page.get_by_test_id("leave").click()
    context.close()


def test_a_chip_speaks_for_who_has_no_microphone(up: UpStack, browser: Browser) -> None:
    context = browser.new_context(permissions=[])
    page = context.new_page()
    page.add_init_script(
        "navigator.mediaDevices.getUserMedia = () => "
        "Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));"
    )
    page.goto(up.api_url + "/")
    page.locator(f"[data-case-id={LONG_CASE}]").click()
    page.get_by_test_id("start").click()
    until(page, "window.exaim.firstAudibleAt_ms > 0")
    page.wait_for_timeout(3_000)
    page.get_by_test_id("chip-stop").click()
    until(page, "window.exaim.turns.some(t => t.via === 'voice' && t.effect === 'quiet')")
    page.get_by_test_id("leave").click()
    context.close()
