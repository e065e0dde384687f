"""The example that answers questions, run as a stranger runs it: asked in the room, heard there, and ended."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass

import pytest

from lab.demo.listener import Listener, Received, end_session, follow, listen
from realtime.team.asking import AWAY, DEAF
from tests.conftest import ROOT
from tests.e2e.conftest import UpStack
from tests.e2e.heard.scenes import of

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

EXAMPLE = ROOT / "examples" / "live_questions.py"
WITHIN_S = 60.0  # a bound for busy cores


def asks(question: str) -> str:
    return f"Ask Doctor Zero: {question} Say yes."


@dataclass(frozen=True, slots=True)
class Asked:
    """What was read back, and how the example ended."""

    question: str
    last_line: str
    status: int


async def a_team_is_asked(up: UpStack) -> Asked:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLE), "--url", up.api_url, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60.0):
            line = (await process.stdout.readline()).decode()
        grant = await follow(line.removeprefix("Listen here: ").strip())
        async with listen(grant) as clinician:
            await clinician.command("ready")
            await asked_for(clinician, "Ask Doctor Zero: could this be pericarditis?")
            shown = await clinician.wait_for(
                lambda m: m.type == "mode" and m.body["asks"] == "to_team", WITHIN_S
            )
            await clinician.command("send_to_team")
            await clinician.wait_for(is_said("Sent."), WITHIN_S)
            answer = (
                "Doctor Zero answers: You asked: could this be pericarditis? I would look for it by an ECG"
            )
            await clinician.wait_for(is_said(answer), WITHIN_S)
        await end_session(up.api_url, grant)
        async with asyncio.timeout(WITHIN_S):
            last_line = (await process.stdout.readline()).decode().strip()
            return Asked(shown.body["question"], last_line, await process.wait())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@of(a_team_is_asked, lasts_s=25.0)
def test_a_graph_that_waits_for_questions_is_asked_answers_aloud_and_is_ended(found: Asked) -> None:
    assert found == Asked(asks("could this be pericarditis?"), "The team was ended.", 0)


async def asked_for(clinician: Listener, text: str) -> None:
    """Ask until it is read back: before the team listens, or can be reached, the clinician is told that it can't be.

    Only who was told so asks again: a second question would take the place of one that is read back late.
    """
    told = set[str]()

    def decided(message: Received) -> bool:
        body = message.body
        refused = (
            message.type == "utterance" and body["text"] in (AWAY, DEAF) and body["utterance_id"] not in told
        )
        return refused or (message.type == "mode" and body["asks"] == "to_team")

    for _ in range(20):
        await clinician.command("ask", text=text)
        answer = await clinician.wait_for(decided, WITHIN_S)
        if answer.type == "mode":
            return
        told.add(answer.body["utterance_id"])
        await asyncio.sleep(1.0)
    raise AssertionError("the team never listened")


class is_said:
    """Whether a message tells that something was said to its end."""

    def __init__(self, begins: str) -> None:
        self._begins = begins

    def __call__(self, message: Received) -> bool:
        body = message.body
        return (
            message.type == "utterance"
            and body["phase"] == "spoken"
            and body["text"].startswith(self._begins)
        )
