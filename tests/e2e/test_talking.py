"""A clinician with a microphone in a real room: real ears, real voice, a case in which nothing presses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx
import numpy as np
import pytest
from livekit import rtc
from numpy.typing import NDArray

from app.clinician import sounds
from app.clinician.chips import steadily
from app.clinician.speech import SPEAKERS
from infra.ledger import SpeechLedger
from lab.demo.listener import Grant, Listener, ListenerError, Received, end_session, listen, open_session
from lab.demo.microphone import Microphone
from tests.e2e import calm
from tests.e2e.conftest import PROMISED_S, SPOKEN_WITHIN_S, UpStack, ledger_of
from tts_queue import Phase

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

RATE_HZ = 48_000
PLAYED_OUT_S = 2  # what was on its way when the voice fell silent, on busy cores
SAID = ("Stop, be quiet.", "Go on.", "What is the potassium?", "Any allergies?", "Okay.")
TRIES = 3  # of a phrase: the ears are shared with all tests beside this one, and late words are none
WORDS = {"Stop, be quiet.": ("stop", "quiet"), "Go on.": ("go on",)}  # of which one is enough
NEXT_S = 4.0  # for what else was heard of a phrase as another turn
AFTER_THE_WELCOME_S = 90.0  # we ask, and wait for a "yes"; a bound for busy cores
SOON_S = 60.0  # a bound for busy cores; how soon it is, `make bench` measures
NEWS = {
    "turn": ("phase", "text", "effect", "why"),
    "mode": ("mode",),
    "utterance": ("phase", "cause", "reason", "kind", "text"),
    "answer": ("found",),
    "ears": ("state",),
}
Pcm = NDArray[np.int16]


@pytest.fixture(scope="module")
def said() -> dict[str, Pcm]:
    """What a clinician says, in another voice than ours, and each time the same."""
    return steadily(SAID, SPEAKERS[1])


@dataclass
class Clinician:
    """A client that listens and speaks."""

    listener: Listener
    mic: Microphone
    said: dict[str, Pcm]

    async def until_speaking(self, kind: str | None = None) -> Received:
        """Wait until something begins to be spoken from now on, and is well under way."""

        def begun(message: Received) -> bool:
            body = message.body
            return (
                message.type == "segment"
                and body["samples"] > 2 * RATE_HZ
                and (kind is None or kind in body["utterance_id"])
            )

        found = await self.listener.wait_for(begun, SOON_S, since=self.count())
        await asyncio.sleep(0.6)
        return found

    async def say(self, text: str) -> float:
        """Say a phrase; return when its last sound left."""
        return (await self.mic.say(self.said[text])).last_s

    async def answered(self, text: str) -> Received:
        """Say a question; return what is answered. It is asked again where there was no time to answer."""
        for _ in range(3):
            since = self.count()
            await self.say(text)
            answer = await self.told("answer", since)
            if answer.body["found"]:
                break
        return answer

    async def brought_to(self, mode: str, text: str) -> int:
        """Say a phrase that has the voice in `mode`; return how many messages there were before it was said.

        It is said again where busy ears gave no text in time, or another one. Its words have to work at once.
        """
        for _ in range(TRIES):
            if mode == "quiet":
                await self.until_speaking()
            since = self.count()
            await self.say(text)
            understood = False
            try:
                turn = await self.told("turn", since, phase="decided")
                understood = any(word in turn.body["text"].lower() for word in WORDS[text])
                await self.told("mode", since, within_s=PROMISED_S if understood else NEXT_S, mode=mode)
            except AssertionError:
                if understood:
                    raise
            else:
                return since
        raise AssertionError(f"{text!r} was not understood in {TRIES} tries: {self.news(0)}")

    async def told(self, type_: str, since: int, /, *, within_s: float = SOON_S, **wanted: Any) -> Received:
        """Wait for a message of `type_`, after the first `since`, whose body has `wanted`."""
        try:
            return await self.listener.wait_for(_is(type_, **wanted), within_s, since=since)
        except ListenerError as error:
            raise AssertionError(
                f"no {type_} {wanted} in {within_s:.0f} s, but {self.news(since)}"
            ) from error

    async def finished(self, held: Received) -> None:
        """Wait until what was told to be held was told to be spoken, later than that."""
        spoken = _is("utterance", utterance_id=held.body["utterance_id"], phase="spoken")
        await self.listener.wait_for(lambda m: m.seq > held.seq and spoken(m), SPOKEN_WITHIN_S)

    def news(self, since: int) -> str:
        """What was told of turns and speech after the first `since` messages, a line each."""
        told = [m for m in self.listener.messages[since:] if m.type in NEWS]
        return "".join(
            f"\n{m.at_s - told[0].at_s:.2f} {m.type} "
            + " ".join(f"{name}={m.body[name]}" for name in NEWS[m.type] if m.body.get(name))
            for m in told
        )

    def count(self) -> int:
        return len(self.listener.messages)


@asynccontextmanager
async def session(up: UpStack, case_id: str = calm.CASE_ID) -> AsyncIterator[Grant]:
    """Open a case, the calm one if no other is named, and end it whatever happens."""
    grant = await open_session(up.api_url, case_id)
    try:
        yield grant
    finally:
        await end_session(up.api_url, grant)


@asynccontextmanager
async def clinician(up: UpStack, said: dict[str, Pcm]) -> AsyncIterator[Clinician]:
    """Open the calm case, join with a microphone, and be greeted."""
    async with session(up) as grant, listen(grant) as listener, listener.microphone() as mic:
        await listener.command("ready")
        await listener.wait_for(_is("utterance", kind="greeting", phase="spoken"), SOON_S)
        yield Clinician(listener, mic, said)


def _is(type_: str, **wanted: Any) -> Callable[[Received], bool]:
    return lambda m: m.type == type_ and all(m.body.get(name) == value for name, value in wanted.items())


async def token(up: UpStack, grant: Grant, secret: str | None = None) -> httpx.Response:
    async with httpx.AsyncClient(base_url=up.api_url, timeout=10.0) as client:
        headers = {"Authorization": f"Bearer {secret or grant.client_secret}"}
        return await client.post(f"/sessions/{grant.session_id}/token", headers=headers)


async def until_held(ledger: SpeechLedger, utterance_id: str) -> None:
    """Wait until the ledger has an utterance as held."""
    phase = None
    try:
        async with asyncio.timeout(PROMISED_S):
            while phase != Phase.HELD:
                phases = {entry.utterance.utterance_id: entry.phase for entry in await ledger.entries()}
                phase = phases[utterance_id]
                await asyncio.sleep(0.1)
    except TimeoutError as error:
        raise AssertionError(f"not held in {PROMISED_S:.0f} s, but {phase}") from error


# --- interrupt by voice


async def test_stop_silences_a_question_is_answered_and_nothing_is_lost(
    up: UpStack, said: dict[str, Pcm]
) -> None:
    async with clinician(up, said) as c:
        since = await c.brought_to("quiet", "Stop, be quiet.")
        held = await c.told("utterance", since, within_s=PROMISED_S, phase="held")
        at = c.listener.heard.samples + PLAYED_OUT_S * RATE_HZ
        await asyncio.sleep(PLAYED_OUT_S + 2.5)
        silence = c.listener.heard.pcm()[at:]
        assert int(np.abs(silence).max()) < 100, c.news(since)

        answer = await c.answered("What is the potassium?")
        spoken = answer.body["utterance_id"]
        assert "4." in " ".join(s["text"] for s in answer.body["sentences"])
        await c.listener.wait_for(_is("utterance", utterance_id=spoken, phase="spoken"), SPOKEN_WITHIN_S)
        await c.brought_to("free", "Go on.")  # the quiet outlasts the answer
        await c.finished(held)


async def test_a_hum_and_a_noise_lose_no_word(up: UpStack, said: dict[str, Pcm]) -> None:
    async with clinician(up, said) as c:
        for sound in (sounds.mm_hm(0), sounds.ahh(0.8), said["Okay."]):
            since = c.count()
            heard = (await c.until_speaking()).body["utterance_id"]
            await c.mic.say(sound)
            await c.told("utterance", since, within_s=SPOKEN_WITHIN_S, utterance_id=heard, phase="spoken")
        # `since`: before the last of them, "Okay.", whose words were understood
        await c.told("turn", since, within_s=PROMISED_S, via="voice", why="ack_words", effect="go_on")
        effects = {m.body["effect"] for m in c.listener.messages if m.type == "turn" and m.body["effect"]}
        assert effects <= {"go_on"}


# --- microphones that are not as they should be


async def test_a_silent_track_is_told_and_a_muted_one_too(up: UpStack, said: dict[str, Pcm]) -> None:
    async with clinician(up, said) as c:
        await c.listener.wait_for(_is("ears", state="silent"), SOON_S)
        since = c.count()
        c.mic.mute()
        await c.told("ears", since, state="muted")


async def test_a_track_that_ends_inside_a_word_leaves_nothing_held(up: UpStack, said: dict[str, Pcm]) -> None:
    async with session(up) as grant:
        async with listen(grant) as listener:
            await listener.command("ready")
            async with listener.microphone() as mic:
                c = Clinician(listener, mic, said)
                await c.until_speaking()
                speaking = asyncio.create_task(mic.say(said["What is the potassium?"]))
                await asyncio.sleep(0.7)
                speaking.cancel()
            since = c.count()
            await c.told("ears", 0, state="none")
            turn = await listener.wait_for(_is("turn", phase="decided"), SOON_S)
            assert turn.body["via"] == "voice"
            await listener.wait_for(lambda m: m.body.get("phase") == "spoken", SOON_S, since=since)


async def test_a_stereo_microphone_at_eight_kilohertz_is_understood(
    up: UpStack, said: dict[str, Pcm]
) -> None:
    low = said["What is the potassium?"][::6]  # 8 kHz; what folds back is part of the test
    stereo = np.stack([low, low // 2], axis=1).reshape(-1)
    async with session(up) as grant:
        async with listen(grant) as listener:
            await listener.command("ready")
            source = rtc.AudioSource(8_000, 2, 200)
            track = rtc.LocalAudioTrack.create_audio_track("microphone", source)
            options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
            await listener.room.local_participant.publish_track(track, options)
            await listener.wait_for(_is("utterance", kind="greeting", phase="spoken"), SOON_S)
            quiet = np.zeros(8_000 * 2, np.int16)
            sound = np.concatenate([quiet, stereo, quiet])
            for at in range(0, sound.size - 160, 160):
                await source.capture_frame(rtc.AudioFrame(sound[at : at + 160].tobytes(), 8_000, 2, 80))
            answer = await listener.wait_for(_is("answer"), SOON_S)
            assert "potassium" in answer.body["question"].lower()
            await source.aclose()


# --- who comes, who goes


async def test_who_vanishes_is_held_for_and_hears_the_rest_when_it_comes_back(
    up: UpStack, said: dict[str, Pcm]
) -> None:
    async with session(up) as grant:
        async with listen(grant) as first, first.microphone() as mic:
            await first.command("ready")
            c = Clinician(first, mic, said)
            cut = (await c.until_speaking(kind="u-")).body["utterance_id"]
        async with ledger_of(up.redis_url, grant) as ledger:
            await until_held(ledger, cut)
        fresh = (await token(up, grant)).json()["token"]
        async with listen(replace(grant, token=fresh)) as second:
            await second.command("ready")
            c = Clinician(second, mic, said)
            await c.told("utterance", 0, within_s=PROMISED_S, kind="welcome", phase="speaking")
            await c.told("utterance", 0, kind="welcome", phase="spoken")
            await c.told("utterance", 0, within_s=AFTER_THE_WELCOME_S, utterance_id=cut, phase="spoken")
