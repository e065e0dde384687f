"""What a turn makes of what was just said: an objection, a repeat, a command with its reason."""

from __future__ import annotations

from typing import Final

from realtime.interruption.reading import COMMANDS, Reading
from realtime.interruption.words import Says, lexicon

GARBLED_WORDS: Final = 3
"""After a command, so few words that nobody understands are taken for a part of it, misheard: "hold on"
is two, "hold on please" three."""
_OBJECT: Final = frozenset(
    "the a an his her their my our this that all any for with to at by of in on about from".split()
)
"""A command that one of these follows has an object: it is not ours."""
_SAYING: Final = frozenset({"hear", "say", "read", "run", "tell", "play", "give"})


def objects(turn: Reading) -> bool:
    """Tell whether it contradicts what was said: "that's wrong", "no, it's the left kidney"."""
    known = lexicon()
    if any(known.phrases["objection"].at(turn.words, start) for start in turn.starts):
        return True
    matter_of_fact = turn.case or any(word.isdigit() or word in known.words["numbers"] for word in turn.words)
    return matter_of_fact and any(known.phrases["correction"].at(turn.words, start) for start in turn.starts)


def repeats(turn: Reading) -> bool:
    """Tell whether a part of what was said is wanted again: "repeat the recommendation"."""
    known, words = lexicon(), turn.matter
    if words[-1:] == ("again",) and not turn.case and len(words) <= 8 and _SAYING & set(words):
        return True
    return any(
        turn.words[start] in {"repeat", "replay", "again"}
        and any(word in known.words["repeat_of"] for word in turn.words[start + 1 : start + 6])
        for start in turn.starts
    )


def quiets_about(turn: Reading) -> bool:
    """Tell whether we are to stop talking of something: "stop talking about the kidney"."""
    return any(lexicon().phrases["quiet_about"].at(turn.words, start) for start in turn.starts)


def gives_reason(turn: Reading) -> bool:
    """Tell whether a command leads something of its own: "hold on, let me take this call".

    What "stop" and its like take as an object is no reason ("stop the music"); "hold on" takes none.
    """
    known = lexicon()
    begin = turn.starts[-1] if turn.starts else 0
    lead = [each for each in turn.phrases if each.end <= begin and each.says in COMMANDS]
    words = turn.words[lead[-1].end :] if lead else turn.matter
    if not words or known.phrases["side_follows"].at(words):
        return False
    if lead and lead[-1].end - lead[-1].start > 1 and turn.words[lead[-1].start] in known.words["idioms"]:
        return not known.phrases["no_reason"].at(words)
    if len(words) < 2 or words[0] not in known.words["clause_starts"]:
        return False
    finite = any(word in known.words["finite"] for word in words[1:6])
    return finite or words[0] not in known.words["determiners"]


def garbled_command(turn: Reading) -> Says | None:
    """Return the "stop" or "wait" that it begins with, if what follows is short and nothing that we know.

    A command with an object ("stop the music", "wait by the door") is none.
    """
    known, rest = lexicon(), turn.matter
    if turn.case or not 0 < len(rest) <= GARBLED_WORDS:
        return None
    if rest[0] in _OBJECT or known.phrases["side_follows"].at(rest):
        return None
    said = {Says.QUIET, Says.WAIT} & turn.led_by
    return Says.QUIET if Says.QUIET in said else (Says.WAIT if said else None)
