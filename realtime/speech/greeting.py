"""Word the greeting of a session: what speaks, what it is not, which case, how far a team is. Pure.

A recorded case begins with them, and they are one utterance. A live team does not wait for them: what must be said
first is short, and its title, which may be long, lets all else go before it for a while (docs/decisions/071).
"""

from __future__ import annotations

from typing import Final

from realtime.speech.returning import FIRST_OF_ALL, first_of_all
from realtime.speech.which_case import WhichCase
from tts_queue import Priority, Utterance

KIND: Final = "greeting"
TITLE: Final = ".notice.title"  # how the id of a title ends
ARRIVAL: Final = "arrival"  # the kind of what says where a live team is
WHO: Final = "EXAIM, decision support only."
YIELDS_S: Final = 20.0  # from the greeting on: 10 s until the reasoning's first word, and 10 s behind it
TITLE_WORDS: Final = 10  # some 4 s: so much of a title tells the case where nothing is known of the patient
ARRIVAL_OLD_S: Final = 6.0


def greeting(session_id: str, case: WhichCase, *, now_s: float, criticals: int = 0) -> tuple[Utterance, ...]:
    """Return the first words, and what follows them as soon as there is time for it.

    `criticals`: how many critical findings wait. The first words of a live team go before them, as a welcome
    does, so that these are heard for what they are; only what is critical and comes later breaks into them.
    """
    if not case.live:
        return (_first(session_id, f"{WHO} {case.sentences}", now_s, gives_way=True),)
    opening = [WHO, case.in_short]
    if case.patient:
        rest = case.bare_title
    else:  # nothing else tells which case it is
        words = case.bare_title.split()
        opening.append(f"{' '.join(words[:TITLE_WORDS]).rstrip(',;:')}.")
        rest = case.bare_title if len(words) > TITLE_WORDS else ""
    opening += first_of_all(criticals)
    first = _first(session_id, " ".join(opening), now_s, before_alarms=criticals > 0)
    return (first, _title(session_id, rest, now_s)) if rest else (first,)


def is_title(utterance: Utterance) -> bool:
    """Return whether an utterance is a live case's title, which follows the first words."""
    return utterance.utterance_id.endswith(TITLE)


def arrival(session_id: str, text: str, *, now_s: float) -> Utterance:
    """Return the utterance that says how far a live team is, for a clinician who joins."""
    return Utterance(
        utterance_id=f"{session_id}.notice.arrival",
        text=text,
        priority=Priority.NOTICE,
        kind=ARRIVAL,
        expires_after_s=ARRIVAL_OLD_S,
        queued_at_s=now_s,
    )


def _first(
    session_id: str, text: str, now_s: float, *, gives_way: bool = False, before_alarms: bool = False
) -> Utterance:
    return Utterance(
        utterance_id=f"{session_id}.notice.greeting",
        text=text,
        priority=Priority.CRITICAL if before_alarms else Priority.PRESSING,
        kind=KIND,
        weight=FIRST_OF_ALL,  # what an alarm broke into goes on right after it
        gives_way=gives_way,  # which case it is stands on the page: what presses is not late for it
        queued_at_s=now_s,
    )


def _title(session_id: str, title: str, now_s: float) -> Utterance:
    return Utterance(
        utterance_id=f"{session_id}{TITLE}",
        text=f"The case: {title}.",
        priority=Priority.NOTICE,
        kind=KIND,
        gives_way=True,
        yields_for_s=YIELDS_S,
        queued_at_s=now_s,
    )
