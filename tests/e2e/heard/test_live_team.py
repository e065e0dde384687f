"""The example's team, run as a stranger runs it, is heard in the room; its link opens the page."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, expect

from exaim_live import LiveTeam, open_session
from lab.demo.listener import Grant, end_session, listen
from tests.conftest import ROOT
from tests.e2e.conftest import UpStack, chromium, leave, until
from tests.e2e.heard.scenes import of, running
from tests.e2e.heard.transcripts import assert_understood, transcript

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

EXAMPLE = ROOT / "examples" / "live_langgraph.py"
SAID_WITHIN_S = 220.0  # some 50 s are spoken; a bound for busy cores
T = TypeVar("T")


def example(up: UpStack) -> AbstractAsyncContextManager[tuple[Grant, float]]:
    """Run the example while the block lasts."""
    return running(str(EXAMPLE), "--url", up.api_url, "--no-browser", "--words-per-s", "10")


@dataclass(frozen=True, slots=True)
class Heard:
    """The example: what was spoken to its end, what a recogniser made of the sound, and whom the page was told of."""

    spoken: list[str]
    understood: str
    names: set[str]


async def a_graph(up: UpStack) -> Heard:
    async with example(up) as (grant, _):
        async with listen(grant) as clinician:
            await clinician.command("ready")
            await clinician.until_all_is_said(SAID_WITHIN_S)
            await asyncio.sleep(1.0)
            heard, messages = clinician.heard.pcm(), list(clinician.messages)
        await end_session(up.api_url, grant)
    spoken = [m.body["text"] for m in messages if m.type == "utterance" and m.body["phase"] == "spoken"]
    names = {agent["name"] for m in messages if m.type == "hello" for agent in m.body["agents"]}
    return Heard(spoken, await transcript(up, heard), names)


@of(a_graph, lasts_s=63.0)
def test_a_graph_of_ones_own_is_heard_in_the_room_while_it_thinks(found: Heard) -> None:
    spoken = found.spoken
    greeting = "EXAIM, decision support only. Live, simulated case: woman, 81."
    assert any(text.startswith(greeting) for text in spoken)
    # the title goes behind all else, and is not told once the team has ended (docs/decisions/137)
    assert any(text.startswith("Critical: digoxin 4.8 ng/mL.") for text in spoken)  # after a heart rate of 38
    # Doctor One's last turn is about treatment alone: who stated the view to the end is told, and no count
    closing = "Finished. Digoxin toxicity, from Doctor Zero and Doctor Two."
    assert any(text.startswith(closing) for text in spoken)
    assert found.names == {"Doctor Zero", "Doctor One", "Doctor Two"}
    assert_understood(spoken, found.understood)


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
