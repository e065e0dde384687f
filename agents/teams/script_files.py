"""Read the packaged scripts: a case each, and what each agent says of it. Loads no model client."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.teams.clinical_case import ClinicalCase
from agents.teams.errors import ScriptRefused
from agents.teams.port import Case

LABEL: Final = "Scripted"
_NAME: Final = re.compile(r"[a-z0-9-]{1,40}")

Fails = Literal[
    "rate_limited", "unavailable", "wrong_request", "refused", "cut_short", "token_limit", "hangs"
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptLine(_Part):
    """What is answered once.

    `form` is an answer in a declared form, given as a call of the tool that asks for it, or as JSON. `thinking`
    comes before the text: as a reasoning block, in a field of its own, or in tags amid the text. `fails` are the
    errors of the first tries, in order.
    """

    text: str = ""
    form: dict[str, Any] | None = None
    thinking: str = ""
    thinking_as: Literal["block", "field", "tags"] = "block"
    tool: dict[str, Any] | None = None
    first_s: float = Field(default=0.8, ge=0, le=600)
    words_per_s: float = Field(default=9.0, gt=0)
    fails: tuple[Fails, ...] = ()


class Script(_Part):
    """A case and who says what in it: by team, role, kind of question (`turn`, `route` …) and round.

    `free_text` is the case as somebody would write it, where the script has a paper made from that.
    """

    version: int
    case: ClinicalCase
    free_text: str = ""
    lines: dict[str, dict[str, dict[str, dict[int, ScriptLine]]]]

    def as_case(self) -> Case:
        """Return the case under a title that says what this is."""
        case = self.case.to_case()
        title = f"{LABEL}: {case.title}"
        paper = {**(case.paper or {}), "title": title, "fictional": True}
        return Case(case_id=case.case_id, text=case.text, title=title, paper=paper)


def script_names(team: str | None = None) -> list[str]:
    """Return the names of the scripts that come along; with `team`, of those in which it has lines."""
    folder = resources.files("agents.teams").joinpath("scripts")
    names = sorted(
        each.name.removesuffix(".yaml") for each in folder.iterdir() if each.name.endswith(".yaml")
    )
    return [name for name in names if team is None or team in read_script(name).lines]


def paper_scripts() -> list[str]:
    """Return the names of the scripts that have a free text and the paper that is made of it."""
    return [name for name in script_names() if read_script(name).free_text]


def read_paper_script(name: str) -> Script:
    """Return the script of that name, with its free text. Raises: ScriptRefused."""
    script = read_script(name)
    if not script.free_text:
        raise ScriptRefused(f"the script {name} has no free text; {', '.join(paper_scripts())} has")
    return script


@cache
def read_script(name: str, team: str | None = None) -> Script:
    """Return the script of that name; with `team`, one in which it has lines. Raises: ScriptRefused."""
    known = script_names(team)
    if not _NAME.fullmatch(name) or name not in known:
        raise ScriptRefused(f"there is no script {name[:40]!r}; there are {', '.join(known)}")
    text = resources.files("agents.teams").joinpath("scripts", f"{name}.yaml").read_text(encoding="utf-8")
    return parsed_script(text, name)


def parsed_script(text: str, name: str) -> Script:
    """Return a script from its text. Raises: ScriptRefused, with the place."""
    try:
        return Script.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ScriptRefused(f"the script {name} is not YAML: {type(error).__name__}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ScriptRefused(f"the script {name} can't be read at {place}: {first['msg']}") from None
