"""`exaim paper`: a case paper from a free text, as JSON that `exaim team` takes once it is corrected."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agents.teams.case_files import read_text
from agents.teams.errors import TeamError
from agents.teams.paper_draft import CLERK, PaperDraft, draft_paper
from agents.teams.reasons import why
from agents.teams.scripted import ScriptedModels, paper_scripts, read_paper_script
from app import exits
from app.console import complain, say, without_log_of_calls
from app.team_models import A_SERVICE, HOW, TeamModels, WantedModels
from chat_models import LLMError
from chat_models.errors import CallFailed
from infra.llm_registry import known_variables
from infra.settings import SettingsError, load_settings


class NoModel(Exception):
    """There is nothing that could copy; the message says what to set."""


class NotMade(Exception):
    """The model brought no paper; the message says which host was asked, and what came."""


@dataclass(frozen=True, slots=True)
class PaperOptions:
    """What the command line asks for: a file and a model, or a script."""

    text: Path | None
    wanted: WantedModels
    scripted: str | None = None
    one_patient: bool = False


async def drafted(asked: PaperOptions, environ: Mapping[str, str], models_file: Path | None) -> PaperDraft:
    """Return the draft. Raises: NoModel, NotMade, TeamError, LLMError, ValueError, OSError."""
    if asked.scripted is not None:
        if asked.text is not None or asked.wanted.model is not None:
            raise NoModel("--scripted plays a text of its own: leave out TEXT and --model")
        script = read_paper_script(asked.scripted)
        return await draft_paper(
            script.free_text, ScriptedModels(script, "paper").of(CLERK), case_id=asked.scripted
        )
    if asked.text is None:
        raise NoModel(f"name a file of text, or a scripted one: --scripted {' | '.join(paper_scripts())}")
    text = read_text(asked.text)
    try:
        models = TeamModels(asked.wanted, (), environ, models_file)
    except LLMError as error:
        raise NoModel(f"{error}.\n{_WHAT_TO_SET}") from None
    try:
        return await draft_paper(
            text,
            models.of(CLERK),
            case_id=asked.text.stem[:64] or "draft",
            structured=models.structured,
            one_patient=asked.one_patient,
        )
    except CallFailed as error:
        raise NotMade(f"the model at {models.host_of(CLERK)} made no paper: {why(error)}") from None
    finally:
        await models.aclose()


@without_log_of_calls()
def run(
    text: Path | None,
    model: str | None,
    base_url: str | None,
    scripted: str | None,
    *,
    one_patient: bool = False,
) -> int:
    """Print a draft, and on standard error what is not in it; return the exit code."""
    try:
        settings = load_settings()
        asked = PaperOptions(text, WantedModels(model, base_url), scripted, one_patient)
        draft = asyncio.run(drafted(asked, known_variables(), settings.models))
    except NotMade as error:
        return complain(str(error), exits.Exit.CHECK_FAILED)
    except (NoModel, SettingsError, TeamError, LLMError, ValueError, OSError) as error:
        return complain(str(error), exits.Exit.SETTINGS)
    say(json.dumps(draft.to_json(), ensure_ascii=False, indent=2))
    sys.stderr.write(told_of(draft))
    return exits.Exit.STOPPED.value


def told_of(draft: PaperDraft) -> str:
    """Return lines that tell what was left out, and which sentences were not used."""
    lines = [f"left out of {each.field}: {_one_line(each.words)!r}: {each.why}" for each in draft.left_out]
    lines += [f"nothing was taken from: {_one_line(each)!r}" for each in draft.unread]
    lines.append("A model made this: correct it before a team reads it.")
    return "".join(f"{line}\n" for line in lines)


def _one_line(words: str) -> str:
    return " ".join(words.split())


_WHAT_TO_SET: Final = (
    f"A paper is copied by a model: --model {HOW}.\n"
    f"{A_SERVICE}"
    f"  none at all, on a text of ours:       --scripted {' | '.join(paper_scripts())}"
)
