"""The scripts that come along: a case each, and what each agent says of it. No client of a model is loaded for them."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.teams.clinical_case import ClinicalCase
from agents.teams.errors import ScriptRefused
from agents.teams.port import Case

LABEL: Final = "Scripted"
_NAME: Final = re.compile(r"[a-z0-9-]{1,40}")

Fails = Literal["rate_limited", "unavailable", "wrong_request", "refused", "cut_short", "hangs"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(_Part):
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
    """A case and who says what in it: by team, role, kind of question (`turn`, `route` …) and round."""

    version: int
    case: ClinicalCase
    lines: dict[str, dict[str, dict[str, dict[int, Line]]]]

    def as_case(self) -> Case:
        """Return the case under a title that says what this is."""
        case = self.case.to_case()
        title = f"{LABEL}: {case.title}"
        paper = {**(case.paper or {}), "title": title, "fictional": True}
        return Case(case_id=case.case_id, text=case.text, title=title, paper=paper)


def script_names() -> list[str]:
    """Return the names of the scripts that come along."""
    folder = resources.files("agents.teams").joinpath("scripts")
    return sorted(each.name.removesuffix(".yaml") for each in folder.iterdir() if each.name.endswith(".yaml"))


def read_script(name: str) -> Script:
    """Return the script of that name. Raises: ScriptRefused."""
    known = script_names()
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
