"""The names by which agents are spoken of, and small numbers as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from exaim_core.text.kin import KIN
from exaim_core.text.rows import lexicon

NUMBER_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_ID: Final = re.compile(r"(?P<stem>[a-z]+(?:[_ -][a-z]+)*)[_ -]?(?P<number>\d+)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)+")
MODERATORS: Final = frozenset(
    "supervisor moderator orchestrator chair coordinator facilitator chairman chairwoman "
    "chairperson convenor synthesizer synthesiser aggregator adjudicator arbiter arbitrator judge chief".split()
)
_FORMS: Final = lexicon("text/names")


_TITLED: Final = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Mx|Master)\.? [A-Z][^\W\d_]+(?:[-'’][A-Z][^\W\d_]+)?")


MOST_OTHERS: Final = 64
_ROUND_THE_PATIENT: Final = re.compile(
    rf"\b(?:{KIN}|partner|neighbour|family|lab|laboratory|"
    r"blood bank|called|rang|phoned|thanks?|thank you|bed|bay|ward|another|other|colleague|interpreter)\b",
    re.IGNORECASE,
)


def first_titled(text: str, others: set[str]) -> str:
    """Return the patient's name, the first with a title that is no doctor's ("Mrs Smith"); "" for none.

    A name beside a relative, a caller or another bed is not the patient's; it is added to `others` for good.
    """
    named = [match.group() for match in _TITLED.finditer(text)]
    if _ROUND_THE_PATIENT.search(text):
        others.update(named[: MOST_OTHERS - len(others)])
    return next((each for each in named if each not in others), "")


def number_word(number: int) -> str:
    """Return `number` as a word up to twelve, else in digits."""
    return NUMBER_WORDS[number] if 0 <= number < len(NUMBER_WORDS) else str(number)


_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_VERSION: Final = re.compile(r"(?<=\w)[\s_-]*v\d+(?:\.\d+)*\Z", re.IGNORECASE)
_CLASS: Final = re.compile(r"(?:[A-Z][A-Za-z]*[a-z])+\Z")  # "InternalMedicineSpecialist": a class, no name
_SHORT: Final = frozenset(
    "mdt icu ent ecg eeg emg nicu picu gi er ed gp cns ct mri ai ob gyn hiv tb iv or".split()
)
_ROLE_WORD: Final = re.compile(
    r"(?:specialist|expert|physician|surgeon|nurse|consultant|fellow|registrar|resident|maker|reviewer|critic|"
    r"planner|advis[eo]r|analyst|pharmacist|\w+ologist|\w+iatrist|" + "|".join(sorted(MODERATORS)) + r")\Z",
    re.IGNORECASE,
)


def is_role(name: str) -> bool:
    """Return whether `name` ends with what somebody is: "pharmacist", "on-call cardiologist"."""
    return _ROLE_WORD.search(name.strip()) is not None


@lru_cache(maxsize=256)
def person(agent_id: str) -> str:
    """Return the speaker's id without the stage of a protocol: "Dr. Kim [round 1]" is "Dr. Kim"."""
    return _FORMS["stage"].sub("", agent_id).strip(" _-") or agent_id


@lru_cache(maxsize=256)
def spoken_name(agent_id: str) -> str:
    """Return an agent's spoken name: "doctor0" is "Doctor Zero", "supervisor" "The supervisor".

    Several words in capitals are a name already: "Doctor Zero", "Emergency Physician". A title is written
    out ("Dr. Chen" is "Doctor Chen"), a class or a node is called by what it does ("OrchestratorAgent").
    """
    written = person(agent_id.strip()).removeprefix("The ").removeprefix("the ")
    name = " ".join(_CAMEL.sub(" ", written).replace("_", " ").split())
    title = _FORMS["title"].match(name)
    if title is not None and name[title.end() :][:1].isupper():
        spoken = "Professor" if title.group()[:1] in "Pp" else "Doctor"
        return f"{spoken} {name[title.end() :]}"
    bare = _FORMS["kind"].sub("", name)
    if _CLASS.fullmatch(written) and " " in name and (bare != name or _ROLE_WORD.search(name)):
        bare = " ".join(word if word.isupper() else word.lower() for word in bare.split())
    if _NAME.fullmatch(bare):
        return bare
    match = _ID.fullmatch(bare)
    if match is None:
        return bare.replace("-", " ") or "An agent"
    stem = re.sub(r"[_-]+", " ", match["stem"]).strip()
    if len(stem) == 1 and match["number"] is None:
        return f"Agent {stem.upper()}"
    if match["number"] is not None:
        words = " ".join(word.capitalize() for word in stem.split())
        return f"{words} {number_word(int(match['number'])).capitalize()}"
    if stem.lower() not in _PLACES and _FORMS["field"].search(
        stem
    ):  # a speciality, or letters: nobody says "the"
        return stem.upper() if len(stem) < 4 else _with_short(stem, first=True)
    if bare != name and _FORMS["does"].search(stem) is None:
        stem = f"{stem} agent"  # "DiagnosisAgent"
    return f"The {_with_short(stem)}"


_PLACES: Final = frozenset({"lab"})


def _with_short(stem: str, *, first: bool = False) -> str:
    """Return the words of a name in lower case, except abbreviations; the `first` one with a capital."""
    words = [
        word.upper() if word.lower() in _SHORT or (word.isupper() and not stem.isupper()) else word.lower()
        for word in stem.split()
    ]
    said = " ".join(words)
    return said[:1].upper() + said[1:] if first else said


def inner(name: str) -> str:
    """Return a spoken name as it stands inside a sentence: "the supervisor", "internal medicine"."""
    field = _FIELD_NAME.fullmatch(name) is not None and _FORMS["field"].search(name) is not None
    return name[:1].lower() + name[1:] if field or name.startswith("The ") else name


_FIELD_NAME: Final = re.compile(r"[A-Z][a-z]{3,}(?: [a-z]+)*")


def with_spoken_names(text: str) -> str:
    """Return `text` with agents' ids such as "Doctor2" replaced by their spoken names."""
    return _FORMS["written"].sub(lambda match: spoken_name(match.group()), text)


@lru_cache(maxsize=512)
def is_moderator(agent_id: str) -> bool:
    """Return whether `agent_id` chairs the discussion, so that its view is a ruling and no vote."""
    name = _FORMS["kind"].sub("", _CAMEL.sub(" ", _VERSION.sub("", person(agent_id.strip()))))
    words = re.findall(r"[a-z]+", name.lower())
    if any(set(re.findall(r"[a-z]+", role.lower())) & MODERATORS for role in _ROLE.findall(agent_id)):
        return True
    return bool(words) and (
        words[-1] in MODERATORS or _FORMS["leaders"].fullmatch(" ".join(words)) is not None
    )


_ROLE: Final = re.compile(r"[\[(]([^\])]*)[\])]")  # "A (chair)"


_SAYS: Final = (
    r"(?:says|thinks|believes|reports|states|notes|wants|asks|agrees|disagrees|favours|favors|suspects|suggests|"
    r"recommends|proposes|advises|considers)"
)


def opens_with(words: str, name: str) -> bool:
    """Return whether `words` open with a speaker's whole `name` before a verb of saying."""
    return bool(name) and re.match(rf"{re.escape(name)} {_SAYS}\b", words, re.IGNORECASE) is not None


class Names:
    """The spoken names of one session: those given, else made by `spoken_name`."""

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._given = {person(agent_id): name for agent_id, name in (given or {}).items()} | dict(given or {})

    def __call__(self, agent_id: str) -> str:
        """Return the spoken name of `agent_id`."""
        return self._given.get(agent_id) or self._given.get(person(agent_id)) or spoken_name(agent_id)
