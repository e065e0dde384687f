"""Word what is told long after it was said, so that nobody takes it for the present state. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from exaim_core.text.names import inner, spoken_name
from realtime.speech.budget import WORDS_PER_S

_CAUTION: Final = "Caution, "
_SAYS: Final = (": ",)
_ASKS: Final = (
    *(" would ", " wants ", " withdraws "),
    *(" recommends ", " proposes ", " suggests ", " advises ", " favours ", " favors "),
    *(" leads with ", " differs: "),
)
"""Behind a name: the engine's words for what a member of the team asks for, or holds."""
_HELD: Final = {" leads with ": " led with ", " differs: ": " differed: "}
"""What somebody held then, and may not hold now."""
_ABOUT: Final = re.compile(r"On the [^,:]{1,40}, ")
"""What a correction is of: "On the vancomycin, the nurse: …"."""
_ALARM: Final = re.compile(r"\A(?:Critical|Check)(?=[,:] )(?!, earlier\b)")
EARLIER_S: Final = 20.0  # from when it was said to when it is told: then it is told as said earlier


def as_earlier(text: str, agents: Iterable[str]) -> str:
    """Return an agent's own words as said earlier: "Earlier, the nurse: HR 138." Other sentences stay as they are.

    `agents` are the ids of those who may have said it: before the colon the spoken name of one of them stands, and
    before that "Caution", or what a correction is of, may. "The surgeon would operate" begins with "Earlier" too, and a
    view that somebody held then is told as that: "Earlier, the surgeon led with appendicitis."
    """
    return _as_earlier(text, tuple(agents))


@lru_cache(maxsize=256)  # what waits is asked for ten times a second
def _as_earlier(text: str, team: tuple[str, ...]) -> str:
    about = _ABOUT.match(text)
    opening = about.group() if about is not None else _CAUTION if text.startswith(_CAUTION) else ""
    said = _small(text[len(opening) :])
    who = _speaker(said, team, _SAYS)
    if who is None and not opening:
        who = _speaker(said, team, _ASKS)
    if who is None:
        return text
    words = said[len(who) :]
    for now, then in _HELD.items():
        if words.startswith(now):
            words = then + words[len(now) :]
    if about is not None:
        return f"Earlier, {_small(opening)}{inner(who)}{words}"
    return f"Earlier, a caution by {inner(who)}{words}" if opening else f"Earlier, {inner(who)}{words}"


@lru_cache(maxsize=64)
def _beginnings(team: tuple[str, ...], verbs: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a sentence of each agent begins with each verb, with a small letter."""
    return tuple(_small(spoken_name(agent)) + verb for agent in team for verb in verbs)


def _speaker(said: str, team: tuple[str, ...], verbs: tuple[str, ...]) -> str | None:
    """Return the spoken name of the first agent with which, and with one of the verbs, `said` begins."""
    if not said.startswith(_beginnings(team, verbs)):  # nearly always: so it is asked in one go
        return None
    return next(spoken_name(agent) for agent in team if said.startswith(_beginnings((agent,), verbs)))


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def alarm_as_earlier(text: str) -> str:
    """Return an alarm as one on what was said earlier: "Critical, earlier: potassium 6.6." Its first word stays."""
    return _ALARM.sub(r"\g<0>, earlier", text)


def worded_for(text: str, agents: Iterable[str], *, said_at_s: float, now_s: float, after_words: int) -> str:
    """Return `text` as it is true when it is told, behind so many words that are told from now on."""
    late = is_late(said_at_s=said_at_s, now_s=now_s, after_words=after_words)
    return as_earlier(text, agents) if late else text


def is_late(*, said_at_s: float, now_s: float, after_words: int) -> bool:
    """Return whether what was said at `said_at_s` is told late if it begins behind so many words from `now_s` on."""
    return now_s + after_words / WORDS_PER_S - said_at_s >= EARLIER_S
