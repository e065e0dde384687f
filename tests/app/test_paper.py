"""`exaim paper`: a draft on standard output, what is not in it on standard error."""

from __future__ import annotations

import errno
import json
import logging
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agents.teams.case_files import case_of
from app.cli import cli
from app.exits import Exit
from app.paper import NoModel, PaperOptions, drafted
from app.team_models import WantedModels
from chat_models.errors import translated
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Answer, Script

TEXT = "A 40-year-old man with a cough. Potassium 6.9 mmol/L. No allergies."
FORM = {
    "age": {"age": 40, "words": "40-year-old"},
    "labs": [
        {"name": "potassium", "value": 6.9, "unit": "mmol/L", "words": "Potassium 6.9 mmol/L"},
        {"name": "sodium", "value": 140, "unit": "mmol/L", "words": "Sodium 140 mmol/L"},
    ],
}


def test_without_a_key_the_scripted_draft_is_printed_and_is_a_case() -> None:
    done = CliRunner().invoke(cli, ["paper", "--scripted", "low-sodium"])
    assert done.exit_code == Exit.STOPPED.value
    case = case_of(done.stdout, today=date(2026, 3, 1))
    assert "phenytoin" in case.text
    assert "left out of labs: 'lactate 4.8 mmol/L': these words do not stand in the text" in done.stderr
    assert "nothing was taken from: 'Her brother has epilepsy.'" in done.stderr


async def test_a_model_of_ones_own_copies_and_its_invention_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "cough.txt"
    path.write_text(TEXT, encoding="utf-8")
    script = Script(Answer(json.dumps(FORM)))
    async with openai_twin(script) as address:
        wanted = WantedModels(f"openai:{MODEL}", address)
        draft = await drafted(PaperOptions(path, wanted), {"OPENAI_API_KEY": KEY}, None)
    script.assert_finished()
    assert draft.paper["case_id"] == "cough"
    assert [lab["analyte"] for lab in draft.paper["labs"]] == ["potassium"]
    assert draft.unread == ("No allergies.",)
    [system, human] = script.requests[0]["messages"]
    assert TEXT not in system["content"]
    assert json.loads(human["content"])["text"] == TEXT


def test_a_model_that_can_not_be_reached_is_told_in_one_line_with_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "cough.txt"
    path.write_text(TEXT, encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("app.paper.draft_paper", unreachable)
    told = ["paper", str(path), "--model", "openai:x", "--base-url", "http://me:secret@127.0.0.1:1/v1"]
    done = CliRunner().invoke(cli, told)
    assert done.exit_code == Exit.CHECK_FAILED
    assert done.stderr.splitlines()[1] == (
        "the model at 127.0.0.1:1 made no paper: its model can't be reached (connection refused)"
    )
    assert not caplog.records


async def unreachable(*_: object, **__: object) -> None:
    logging.getLogger("chat_models.calls").warning("a model call failed: unavailable")
    raise translated(ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed"))


async def test_without_a_key_it_says_what_to_set(tmp_path: Path) -> None:
    path = tmp_path / "cough.txt"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(NoModel, match=r"(?s)GROQ_API_KEY is not set.*--model .*--scripted low-sodium"):
        await drafted(PaperOptions(path, WantedModels()), {}, None)
    with pytest.raises(NoModel, match="--scripted low-sodium"):
        await drafted(PaperOptions(None, WantedModels()), {}, None)
