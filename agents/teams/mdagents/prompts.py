"""The prompts: files by version, filled in. What people or agents wrote stands between tags, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Final

from agents.teams.mdagents.answers import words_of

VERSION: Final = "v1"
BLOCK_MOST: Final = 24_000  # characters of what agents wrote, about 6,000 tokens; a case is never cut
_TAG: Final = re.compile(r"<\s*(?:/\s*([a-z_][^<>]*)|([a-z_]+)[\s/]*)>", re.IGNORECASE)
_BY_LETTER: Final = (
    "For the answer give the letter of one option, nothing else. Everywhere else name options by their words."
)
_BY_WORDS: Final = "For the answer give the most likely diagnosis in a few words."


@cache
def template(name: str, version: str = VERSION) -> Template:
    """Return a prompt by its name. Raises: FileNotFoundError."""
    at = resources.files("agents.teams.mdagents").joinpath(f"data/prompts/{version}/{name}.txt")
    return Template(at.read_text(encoding="utf-8").strip())


def prompt(name: str, **parts: object) -> str:
    """Return a prompt, filled in; blank lines that an empty part leaves are closed. Raises: KeyError."""
    filled = template(name).substitute({each: str(value) for each, value in parts.items()})
    return re.sub(r"\n{2,}", "\n", filled).strip()


def role(name: str, **parts: object) -> str:
    """Return an agent's instruction, with the rule that data is no instruction."""
    return re.sub(r" {2,}", " ", prompt(f"role_{name}", data=template("data").substitute(), **parts))


def block(tag: str, text: str, most: int | None = BLOCK_MOST) -> str:
    """Return `text` between tags; a tag within it is taken out, so that nothing in it can end the block.

    It is cut behind `most` characters, and marked as cut; None: it is kept whole.
    """
    inside = _TAG.sub(lambda found: f"({(found[1] or found[2]).strip()})", text.strip())
    inside = inside if most is None or len(inside) <= most else f"{inside[:most]} […]"
    return f"<{tag}>\n{inside}\n</{tag}>" if inside else ""


def case_block(text: str, options: Mapping[str, str], told: Sequence[str] = ()) -> str:
    """Return the whole case for all agents: its text, what the clinician has told since, and the options."""
    parts = [text, *(f"The clinician adds: {each}" for each in told)]
    if options:
        parts.append("Options:\n" + "\n".join(f"({letter}) {words}" for letter, words in options.items()))
    return block("case", "\n".join(parts), most=None)


def answer_rule(options: Mapping[str, str]) -> str:
    """Return how the answer is to be written."""
    return _BY_LETTER if options else _BY_WORDS


def opinions_block(held: Sequence[tuple[str, str, str | None]], options: Mapping[str, str]) -> str:
    """Return who holds what, and why: name, reasoning, answer; "none" for who could not be read."""
    lines = [
        f"{name}: {reasoning} Answer: {_with_letter(answer, options)}." for name, reasoning, answer in held
    ]
    return block("opinions", "\n".join(lines))


def votes_line(counted: Mapping[str, int], options: Mapping[str, str]) -> str:
    """Return the votes in words, as data: without options the answers are what models wrote."""
    told = "; ".join(f"{_with_letter(each, options)}: {count}" for each, count in counted.items())
    return block("votes", told) or "none"


def _with_letter(answer: str | None, options: Mapping[str, str]) -> str:
    if answer is None:
        return "none"
    return f"({answer}) {words_of(answer, options)}" if answer in options else answer
