"""A question that Deepgram Flux writes down: the whole stack, Deepgram's own client, a twin of it."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.clinician.chips import steadily
from app.clinician.speech import SPEAKERS
from tests.e2e.conftest import stack
from tests.e2e.test_talking import clinician
from tests.twins import deepgram_flux_twin as twin
from tests.twins.deepgram_flux_twin import flux_twin
from tests.twins.script import KEY

pytestmark = [pytest.mark.real, pytest.mark.timeout(200)]

SAID = "What is the potassium?"
WRITTEN = "What is the potassium, please?"  # told from what this machine would write


async def test_a_spoken_question_is_written_elsewhere_and_answered_here(tmp_path: Path) -> None:
    said = await asyncio.to_thread(steadily, (SAID,), SPEAKERS[1])
    service = twin.Flux(lambda pcm: WRITTEN)
    async with flux_twin(service) as address:
        chosen = {"EXAIM_EARS": "deepgram", "EXAIM_EARS_URL": address, "DEEPGRAM_API_KEY": KEY}
        with ExitStack() as ending:
            up = await asyncio.to_thread(ending.enter_context, stack(tmp_path, **chosen))
            async with clinician(up, said) as c:
                since = c.count()
                await c.say(SAID)
                turn = await c.told("turn", since, phase="decided", effect="answer")
                assert turn.body["text"] == WRITTEN
                answer = await c.told("answer", since, found=True)
                assert "6." in " ".join(s["text"] for s in answer.body["sentences"])
                answers = [m for m in c.listener.messages[since:] if m.type == "answer"]
                assert len(answers) == 1
            await asyncio.to_thread(ending.close)
    looked, *_ = service.queries
    assert "keyterm" not in dict(looked), "the look at the start says nothing of a case"
    terms = [value for name, value in service.queries[-1] if name == "keyterm"]
    assert terms[0] == "EXAIM"
    assert "spironolactone" in terms
    logs = "".join(path.read_text(errors="replace") for path in (tmp_path / "run" / "logs").iterdir())
    assert "THIS MACHINE" in (tmp_path / "up.log").read_text()
    assert WRITTEN not in logs
    assert KEY not in logs
