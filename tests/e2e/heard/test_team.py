"""`exaim team --scripted`, run as a stranger runs it, is heard in the room: a debate of MDAgents, and its decision."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest

from lab.demo.listener import Grant, Received, end_session, listen
from tests.e2e.conftest import UpStack
from tests.e2e.heard.scenes import of, running
from tests.e2e.heard.transcripts import assert_understood, transcript

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

SAID_WITHIN_S = 220.0  # beside seven other runs it once took more than 150
FIRST_WORD_S = 10.0  # the aim, from when the session is opened, the listener's way in included


def debate(up: UpStack) -> AbstractAsyncContextManager[tuple[Grant, float]]:
    """Run a scripted debate while the block lasts."""
    options = ("--team", "mdagents", "--scripted", "low-sodium", "--url", up.api_url)
    return running("-m", "app.cli", "team", *options)


@dataclass(frozen=True, slots=True)
class Heard:
    """A debate: what was spoken to its end, what a recogniser made of the sound, and how soon the first word came."""

    spoken: list[str]
    understood: str
    first_word_s: float


async def a_debate(up: UpStack) -> Heard:
    async with debate(up) as (grant, opened_s):
        async with listen(grant) as clinician:
            await clinician.command("ready")
            first = await clinician.wait_for(begins, SAID_WITHIN_S)
            await clinician.until_all_is_said(SAID_WITHIN_S)
            await asyncio.sleep(1.0)
            heard, messages = clinician.heard.pcm(), list(clinician.messages)
        await end_session(up.api_url, grant)
    spoken = [m.body["text"] for m in messages if m.type == "utterance" and m.body["phase"] == "spoken"]
    return Heard(spoken, await transcript(up, heard), first.at_s - opened_s)


@of(a_debate, lasts_s=90.0)
def test_a_scripted_debate_is_heard_from_its_first_stage_to_its_decision(found: Heard) -> None:
    spoken = found.spoken
    assert any("Live, scripted case" in text for text in spoken), "it says what this is"
    assert found.first_word_s <= FIRST_WORD_S
    assert any("changed after the pharmacist's message" in text for text in spoken)
    assert any("sodium 112" in text.lower() for text in spoken)
    assert any(text.startswith("Finished. Severe hyponatraemia caused by indapamide") for text in spoken)
    assert_understood(spoken, found.understood)


def begins(message: Received) -> bool:
    """Tell whether the reasoning, or its stage, is being spoken."""
    return (
        message.type == "utterance"
        and message.body["phase"] == "speaking"
        and message.body["kind"] not in ("greeting", "welcome")
    )
