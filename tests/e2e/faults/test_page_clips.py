"""The page's own clips, heard: the tab's whole output is recorded while parts of the stack stand still."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from app.clips import WORDS
from lab.chaos.hold import Hold
from lab.chaos.impairment import CLEAR, DARK, Impairment
from lab.chaos.ports import media_port
from lab.chaos.relay import SfuRelay, before_sfu
from realtime.ears.engines.moonshine import MoonshineEars
from tests.conftest import ROOT
from tests.e2e import tab
from tests.e2e.conftest import (
    LONG_CASE,
    PICTURES,
    UpStack,
    chromium,
    leave,
    standing_still,
    start,
    until,
)

pytestmark = [pytest.mark.real, pytest.mark.browser, pytest.mark.timeout(300)]

CLIPS = {name: tab.clip(ROOT / "web" / "public" / "clips" / f"{name}.wav") for name in WORDS}
REASONS = ("line-lost", "voice-restarting")  # clips that say why the page is silent
COUNT_SILENCES = """() => {
    window.silences = 0;
    const look = () => { if (document.querySelector("[data-code=silent]")) window.silences += 1; };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
SAME, OTHER = 0.6, 0.4  # likeness: of a clip to itself 0.99, to the voice or another clip at most 0.25
WELL_S = 3.0
CLIP_WITHIN_S = 60.0  # a bound for busy cores, not a promise: what was on its way is played out first
NOT_BEFORE_S = 1.5  # two seconds without sound, less what the recording's times may be wrong by
LOOK_MS = (
    1_000  # between two searches: each takes a good part of a core, and what is searched for needs it, too
)
AROUND_S = 0.2  # a recogniser needs some silence before the first word
LOUD = 0.01  # mean level of a tenth of a second of speech
VOICE_WITHIN_S, VOICE_S = 60.0, 2.0
RELAY_WITHIN_S = 10.0
UTTERANCE = "window.exaim.received.some(m => m.type === 'segment' && m.id.startsWith('u-'))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(*tab.CAPTURE_FLAGS, without=tab.MUTED) as running:
        yield running


@pytest.fixture(scope="module")
def ears() -> MoonshineEars:
    return MoonshineEars()


@pytest.fixture
def relay(own: UpStack) -> Iterator[SfuRelay]:
    """Run a relay before the SFU; its loop is another thread's, as this one's is the browser's."""
    started: Future[tuple[SfuRelay, Callable[[], object]]] = Future()

    async def run() -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        url = str(json.loads((own.run_dir / "stack.json").read_text(encoding="utf-8"))["livekit_url"])
        async with before_sfu(url, media_port(own.run_dir), Impairment(1)) as running:
            started.set_result((running, lambda: loop.call_soon_threadsafe(over.set)))
            await over.wait()

    with ThreadPoolExecutor(1) as beside:
        running = beside.submit(asyncio.run, run())
        found, end = started.result(RELAY_WITHIN_S)
        yield found
        end()
        running.result()


def through(relay: SfuRelay, route: Route) -> None:
    """Give the page the relay's address for the SFU's."""
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "livekit_url": relay.url})


def test_the_page_says_why_it_is_silent_and_only_then(
    own: UpStack, browser: Browser, ears: MoonshineEars, relay: SfuRelay
) -> None:
    network = relay.impairment
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, bypass_csp=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.route("**/sessions", lambda route: through(relay, route))
    start(own, page, LONG_CASE)
    tape, begun_s = tab.Recording(page), time.monotonic()
    until(page, UTTERANCE, 60.0)
    page.wait_for_timeout(WELL_S * 1000)
    assert most_alike(tape.since(begun_s))[1] < OTHER, "a clip sounded while all was well"

    # The session's voice is gone, and its worker gives it no successor: the line is there. `exaim up` stands
    # still too, as it would end such a worker.
    session_id = page.evaluate("sessionStorage['exaim.here']")
    hold = Hold(own.run_dir, own.sent_dir)
    job = hold.job(session_id)
    with standing_still(hold, hold.supervisor()), standing_still(hold, hold.pid("worker")):
        since_s = time.monotonic()
        os.kill(job, signal.SIGKILL)
        clip_is_heard(page, tape, "voice-restarting", since_s, ears)
        the_page_shows(page, "The voice has stopped", "voice-restarting.png")
    voice_is_back(page, tape)

    # The network is gone: nothing comes over the line.
    network.now, since_s = DARK, time.monotonic()
    clip_is_heard(page, tape, "line-lost", since_s, ears)
    the_page_shows(page, "The line is lost", "line-lost.png")
    network.now = CLEAR
    voice_is_back(page, tape)
    leave(page)
    context.close()


def most_alike(sound: tab.Sound) -> tuple[str, float]:
    """Return the clip that is most like some stretch of `sound`, and how much."""
    found = {name: tab.find(clip, sound).likeness for name, clip in CLIPS.items()}
    name = max(found, key=lambda each: found[each])
    return name, found[name]


def clip_is_heard(page: Page, tape: tab.Recording, name: str, since_s: float, ears: MoonshineEars) -> None:
    """Wait for a clip to sound after a fault: not too soon, as loud as its file, and understood."""
    heard(page, tape, since_s, CLIP_WITHIN_S, lambda sound: most_alike(sound)[1] > SAME)
    page.wait_for_timeout(LOOK_MS)  # on busy cores the end of a clip comes late
    sound = tape.since(since_s)
    assert most_alike(sound)[0] == name
    found = tab.find(CLIPS[name], sound)
    assert found.at_s > NOT_BEFORE_S
    assert abs(found.gain_db) < 1.0
    around = round(AROUND_S * tab.RATE_HZ)
    at = round(found.at_s * tab.RATE_HZ)
    said = ears.transcribe((sound[at - around : at + len(CLIPS[name]) + 2 * around] * 32767).astype(np.int16))
    assert said.strip(" .").lower() == WORDS[name].strip(" .").lower()


def the_page_shows(page: Page, words: str, picture: str) -> None:
    """See the reason on the page too, and that it claims nothing to be read."""
    expect(page.locator("[data-code=silent]")).to_contain_text(words)
    expect(page.locator("[data-phase=speaking]")).to_have_count(0)
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(PICTURES / picture))


def voice_is_back(page: Page, tape: tab.Recording) -> None:
    """Wait for the voice, and see that no reason for silence is said from then on.

    It is back when the page says so: on busy cores a voice that comes can break off once more, and once only. Then the
    page shows the reason that it says; one that is said and not shown fails at once.
    """
    for may_break_off in (True, False):
        expect(page.locator("[data-code=silent]")).to_have_count(0, timeout=VOICE_WITHIN_S * 1000)
        page.wait_for_timeout(WELL_S * 1000)  # what the page was saying is over
        back_s = time.monotonic()
        page.evaluate(COUNT_SILENCES)
        sound = heard(page, tape, back_s, VOICE_WITHIN_S, lambda sound: loud_s(sound) > VOICE_S)
        said = [name for name in REASONS if tab.find(CLIPS[name], sound).likeness >= OTHER]
        if not (said and may_break_off and page.evaluate("window.silences > 0")):
            break
    assert not said, f"{said} was said with the voice there"
    expect(page.locator("[data-code=silent]")).to_have_count(0)


def heard(
    page: Page, tape: tab.Recording, since_s: float, within_s: float, enough: Callable[[tab.Sound], bool]
) -> tab.Sound:
    """Return what was played since `since_s` once it is enough; fail if it does not come to that."""
    while not enough(sound := tape.since(since_s)):
        if time.monotonic() > since_s + within_s:
            pytest.fail(f"not heard within {within_s:g} s; most alike: {most_alike(sound)}")
        page.wait_for_timeout(LOOK_MS)
    return sound


def loud_s(sound: tab.Sound) -> float:
    """Return for how long there was speech, in seconds."""
    each = tab.RATE_HZ // 10
    level = np.sqrt(np.mean(np.square(sound[: len(sound) // each * each].reshape(-1, each)), axis=1))
    return float(np.sum(level > LOUD)) / 10
