"""The page with a microphone: a real Chromium whose fake microphone plays a file at chosen moments."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from app.clinician.chips import steadily
from app.clinician.speech import SPEAKERS
from realtime.conversation.replies import NO_ANSWER
from tests.e2e import calm
from tests.e2e.conftest import (
    PICTURES,
    PROMISED_S,
    UpStack,
    chromium,
    faultless_page,
    holds,
    leave,
    page_without_microphone,
    start,
    until,
)

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

RATE_HZ = 48_000
ANSWERS = "window.exaim.received.filter(m => m.type === 'answer').length"
STOP, ASK = "Stop, be quiet.", "What is the potassium?"
STOP_AT_S, ASK_AT_S = (
    (16.0, 20.0),
    (28.0, 40.0),
)  # after the page opened its microphone; a page on a busy machine
FILE_S = 60.0  # skips some sound, and who was misheard says it again


@pytest.fixture(scope="module")
def spoken_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clinician's minute: silence, and two things said at their times, each twice."""
    said = steadily((STOP, ASK), SPEAKERS[1])
    track = np.zeros(int(FILE_S * RATE_HZ), np.int16)
    for text, times in ((STOP, STOP_AT_S), (ASK, ASK_AT_S)):
        for at_s in times:
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
    with chromium(
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={spoken_file}%noloop",
    ) as running:
        yield running


def test_the_clinician_stops_asks_and_reloads(up: UpStack, browser: Browser) -> None:
    with faultless_page(browser, permissions=["microphone"]) as page:
        start(up, page, calm.CASE_ID)

        # "Stop, be quiet", by voice: the voice falls silent and says so.
        until(page, "window.exaim.mode === 'quiet'", STOP_AT_S[-1] + 15)
        expect(page.get_by_test_id("mode")).to_contain_text("Stopped")
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(PICTURES / "stopped.png"))

        # A question, by voice: the answer is on the page with its source, and the quiet lasts until "go on".
        expect(page.get_by_test_id("answer").first).to_contain_text("potassium", ignore_case=True)
        expect(page.get_by_test_id("answer").first).to_contain_text("case paper")
        page.keyboard.press("g")
        until(page, "window.exaim.mode === 'free'")
        page.screenshot(path=str(PICTURES / "answered.png"))

        # A reload: the same session goes on by itself, with a tone, as it is the same browser a moment later.
        page.reload()
        until(page, "window.exaim.firstAudibleAt_ms > 0")
        until(page, "window.exaim.mode === 'free'")
        page.screenshot(path=str(PICTURES / "back.png"))
        expect(page.get_by_test_id("answer").first).to_contain_text("potassium", ignore_case=True)
        leave(page)
        expect(page.get_by_test_id("another")).to_be_visible()


def test_keys_stop_the_voice_and_let_it_go_on(up: UpStack, browser: Browser) -> None:
    context = browser.new_context(permissions=["microphone"], reduced_motion="reduce")
    page = context.new_page()
    start(up, page, calm.CASE_ID)
    page.keyboard.press("s")
    until(page, "window.exaim.mode === 'quiet'", PROMISED_S)
    page.keyboard.press("g")
    until(page, "window.exaim.mode === 'free'")
    for _ in range(3):
        ask(page, "Any allergies?")
        if NO_ANSWER not in page.get_by_test_id("answer").first.inner_text():
            break
    expect(page.get_by_test_id("answer").first).to_contain_text("penicillin", ignore_case=True)
    leave(page)
    context.close()


def ask(page: Page, text: str) -> None:
    """Type a question, and wait for what comes of it: on a machine that is busy for seconds, to ask again."""
    before = page.evaluate(ANSWERS)
    page.get_by_test_id("ask-input").fill(text)
    page.keyboard.press("Enter")
    until(page, f"{ANSWERS} > {before}")


def test_a_chip_speaks_for_who_has_no_microphone(up: UpStack, browser: Browser) -> None:
    with page_without_microphone(browser) as page:
        start(up, page, calm.CASE_ID)
        until(page, "window.exaim.received.some(m => m.type === 'segment' && m.id.startsWith('u-'))", 60.0)
        assert any(stopped_by_chip(page) for _ in range(3)), page.evaluate("window.exaim.turns")
        leave(page)


def stopped_by_chip(page: Page) -> bool:
    """Say "stop" by its chip; return whether the voice is quiet then.

    One word can be misheard, as a person's can: say it again then. What was decided at a pause may be another
    thing at the end of the turn, and one said again soon belongs to the same turn.
    """
    page.get_by_test_id("chip-stop").click()
    return holds(page, "window.exaim.mode === 'quiet'", 8.0)
