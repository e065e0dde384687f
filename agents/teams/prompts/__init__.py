"""Read the agents' prompts from files; each has a version, raised when its words change.

A case, and what agents wrote, never goes into these texts: it is the user's message, one JSON document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

_HEAD: Final = re.compile(r"version: (?P<version>\d+)\n\n(?P<text>.+)", re.DOTALL)
_SLOT: Final = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of that version; `{{name}}` stands where `filled` puts a word of ours."""

    name: str
    version: int
    text: str

    def filled(self, **words: str) -> str:
        """Return the text with its slots filled, all of them and no other. Raises: KeyError, ValueError."""
        unknown = words.keys() - set(_SLOT.findall(self.text))
        if unknown:
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}")
        return _SLOT.sub(lambda slot: words[slot[1]], self.text)


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of that name, with what all share. Raises: FileNotFoundError, ValueError."""
    common = _read("common")
    found = _read(name)
    return Prompt(name, found.version, f"{found.text}\n{common.text}")


def _read(name: str) -> Prompt:
    text = resources.files("agents.teams.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    match = _HEAD.fullmatch(text)
    if match is None:
        raise ValueError(f"{name}.md must begin with its version and an empty line")
    return Prompt(name, int(match["version"]), match["text"].strip())
