"""Agents under the names that are spoken, and small numbers as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

NUMBER_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_ID: Final = re.compile(r"(?P<stem>[a-z]+(?:[_ -][a-z]+)*)[_ -]?(?P<number>\d+)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)+")
MODERATORS: Final = frozenset(
    "supervisor moderator orchestrator chair coordinator facilitator chairman chairwoman "
    "chairperson convenor".split()
)
_LEADERS: Final = frozenset({"attending", "consultant", "lead", "leader", "team lead", "team leader"})


def number_word(number: int) -> str:
    """Return `number` as a word up to twelve, else in digits."""
    return NUMBER_WORDS[number] if 0 <= number < len(NUMBER_WORDS) else str(number)


_STAGE: Final = re.compile(
    r"\s*[\[(][^\])]*[\])]|[\s_-]*(?:round|iteration|turn|phase|step|stage|attempt)[\s_-]?\d+", re.IGNORECASE
)  # where in a protocol an agent speaks is no part of who it is
_TITLE: Final = re.compile(r"\A(?:dr|doctor|prof|professor)\b\.?\s*", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_KIND: Final = re.compile(r"(?<=\w)[\s_-]*(?:agent|node|llm|bot|assistant)\Z", re.IGNORECASE)


@lru_cache(maxsize=256)
def person(agent_id: str) -> str:
    """Return the id of who speaks, without the stage of a protocol: "Dr. Kim [round 1]" is "Dr. Kim"."""
    return _STAGE.sub("", agent_id).strip(" _-") or agent_id


@lru_cache(maxsize=256)
def spoken_name(agent_id: str) -> str:
    """Return how an agent is called aloud: "doctor0" is "Doctor Zero", "supervisor" "The supervisor".

    Several words in capitals are a name already: "Doctor Zero", "Emergency Physician". A title is written
    out ("Dr. Chen" is "Doctor Chen"), a class or a node is called by what it does ("OrchestratorAgent").
    """
    name = " ".join(_CAMEL.sub(" ", person(agent_id.strip())).replace("_", " ").split())
    title = _TITLE.match(name)
    if title is not None and name[title.end() :][:1].isupper():
        spoken = "Professor" if title.group()[:1] in "Pp" else "Doctor"
        return f"{spoken} {name[title.end() :]}"
    name = _KIND.sub("", name)
    if _NAME.fullmatch(name):
        return name
    match = _ID.fullmatch(name)
    if match is None:
        return name.replace("-", " ") or "An agent"
    stem = re.sub(r"[_-]+", " ", match["stem"]).strip()
    if len(stem) == 1 and match["number"] is None:
        return f"Agent {stem.upper()}"
    if match["number"] is not None:
        words = " ".join(word.capitalize() for word in stem.split())
        return f"{words} {number_word(int(match['number'])).capitalize()}"
    if _FIELD.search(stem):  # a speciality, or letters: nobody says "the" before them
        return stem.upper() if len(stem) < 4 else stem[0].upper() + stem[1:].lower()
    return f"The {stem.lower()}"


_FIELD: Final = re.compile(
    r"(?:log(?:y|ies)|logic|tr(?:y|ics)|surgery|medicine|care|an(?:ae|e)sthesia|imaging|radiology|nursing|oncology|\A[a-z]{2,3})\Z",
    re.IGNORECASE,
)


def inner(name: str) -> str:
    """Return a spoken name as it stands inside a sentence: "the supervisor"."""
    return name[:1].lower() + name[1:] if name.startswith("The ") else name


_WRITTEN: Final = re.compile(r"\b(?:doctor|agent|specialist|expert)[_-]?\d+\b", re.IGNORECASE)


def with_spoken_names(text: str) -> str:
    """Return `text` with agents' ids such as "Doctor2" as they are called aloud."""
    return _WRITTEN.sub(lambda match: spoken_name(match.group()), text)


def is_moderator(agent_id: str) -> bool:
    """Tell whether `agent_id` chairs the discussion, so that its view is a ruling and no vote."""
    name = _KIND.sub("", _CAMEL.sub(" ", person(agent_id.strip())))
    words = re.findall(r"[a-z]+", name.lower())
    if any(set(re.findall(r"[a-z]+", role.lower())) & MODERATORS for role in _ROLE.findall(agent_id)):
        return True
    return bool(words) and (words[-1] in MODERATORS or " ".join(words) in _LEADERS)


_ROLE: Final = re.compile(r"[\[(]([^\])]*)[\])]")  # "A (chair)"


class Names:
    """The spoken names of one session: those given, else made by `spoken_name`."""

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._given = {person(agent_id): name for agent_id, name in (given or {}).items()} | dict(given or {})

    def __call__(self, agent_id: str) -> str:
        """Return the spoken name of `agent_id`."""
        return self._given.get(agent_id) or spoken_name(agent_id)
