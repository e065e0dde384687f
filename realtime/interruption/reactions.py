"""Recognise reactions to what was just said: objections, repeats, commands with a reason."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from realtime.interruption.commands import meant
from realtime.interruption.near import alike, sounds
from realtime.interruption.reading import COMMANDS, LIGHT, TurnReading, read
from realtime.interruption.slots import grammar
from realtime.interruption.words import Says, Words, lexicon

GARBLED_WORDS: Final = 3
"""After a command, so few words that nobody understands are taken for a part of it, misheard: "hold on"
is two, "hold on please" three."""
FEW_WORDS: Final = 5
ALIKE: Final = 0.3  # share of the sounds in which a whole turn may differ from a command that it may be
GARBLED: Final = 0.2  # share of the sounds that differ: "howled on" 0.14, "bagging" 0.4
_OBJECT: Final = frozenset(
    "the a an his her their my our this that all any for with to at by of in on about from".split()
)
"""A command that one of these follows has an object: it is not ours."""
_NOTHING: Final = frozenset({("the",), ("to",), ("a",)})
_PERSONS: Final = frozenset({"him", "her", "them", "his", "their", "my"})
_ONE_MORE: Final = ("one", "more")
_DENIED_WORDS: Final = 3
_SAYING: Final = frozenset({"hear", "say", "read", "run", "tell", "play", "give"})


MOST_WORDS_OF_DOUBT: Final = 12
_AFTER_IT: Final = frozenset(
    "open opened up out in on here there now today again still already then though too either instead altogether "
    "anyway maybe actually surely entirely completely totally clearly sorry please okay no yes mate doctor doc nurse "
    "guys folks everyone loaded shown displayed selected pulled exaim".split()
)
"""One word that may follow a wrong patient or record: any other makes another thing of it ("record player")."""
_FROM_SUBJECT: Final = 5  # words: "you are telling us about the wrong patient" has four between
_POINTS: Final = frozenset("you youve youre your we weve this thats that it its these those im i ive".split())
_PAST: Final = frozenset("was were had did yesterday earlier before ago last gave once almost nearly".split())
_ASKS_PEOPLE: Final = frozenset("who whose did if when because never dont".split())


def objects(turn: TurnReading) -> bool:
    """Return whether a turn contradicts what was said: "that's wrong", "no, it's the left kidney"."""
    known = lexicon()
    if _objects_outright(turn):
        return True
    matter_of_fact = turn.case or any(word.isdigit() or word in known.words["numbers"] for word in turn.words)
    return matter_of_fact and any(_corrects(turn, start) for start in turn.starts)


def _corrects(turn: TurnReading, start: int) -> bool:
    """Return whether a correction begins at `start`; a "not" inside a command ("not now") is none."""
    length = lexicon().phrases["correction"].at(turn.words, start)
    inside = (p for p in turn.phrases if p.start == start and p.says in COMMANDS and p.end - start > length)
    return length > 0 and not any(inside)


def counts_more(turn: TurnReading) -> bool:
    """Return whether a turn counts what is to be done: "one more shock". "One more" alone asks for a repetition."""
    lead = [each for each in turn.phrases if turn.starts and each.end == turn.starts[-1]]
    return bool(turn.matter) and any(turn.words[each.start : each.end] == _ONE_MORE for each in lead)


def denies_and_goes_on(turn: TurnReading) -> bool:
    """Return whether a turn denies something in a few words, and says what to do: "no pulse, continue"."""
    if turn.words[:1] != ("no",) or turn.phrases[-1].says is not Says.GO_ON:
        return False
    between, known = turn.words[1 : turn.phrases[-1].start], lexicon().words
    if any(word.isdigit() or word in known["numbers"] for word in between):
        return False  # "no, 6.4, go on" puts us right
    states = known["finite"] | known["auxiliaries"] | known["determiners"]
    return 0 < len(between) <= _DENIED_WORDS and states.isdisjoint(between) and not _objects_outright(turn)


def _objects_outright(turn: TurnReading) -> bool:
    return any(lexicon().phrases["objection"].at(turn.words, start) for start in turn.starts)


def objects_behind_a_command(turn: TurnReading) -> bool:
    """Return whether what follows all leading words contradicts what was said: "stop, that's wrong"."""
    return objects(replace(turn, starts=turn.starts[-1:]))


def doubts_the_case(turn: TurnReading) -> bool:
    """Return whether a turn says that the patient is the wrong one, in words of its own.

    "Wrong" stands right before a patient or a record, what is before it points at us or at what we tell, and nothing is
    of the case, of medicine or of the past: "you have the wrong chart open", not "the wrong patient was scanned".
    """
    words, roles = turn.words, grammar().roles
    if _is_not_who_is_here(words):
        return True
    if turn.case or not 0 < len(words) <= MOST_WORDS_OF_DOUBT or not _PAST.isdisjoint(words):
        return False
    for at, word in enumerate(words[:-1]):
        whose = _doubted(roles.get((word,), frozenset()))
        begin = at + 1
        end = begin + next(
            (n for n in (3, 2, 1) if whose & roles.get(words[begin : begin + n], frozenset())), 0
        )
        after = words[end:]
        may_follow = len(after) <= 1 and _AFTER_IT.issuperset(after)
        if end > begin and may_follow and _points_here(words[:at]):
            return True
    return False


def _is_not_who_is_here(words: Words) -> bool:
    """Return whether the words are that this is not somebody, or not somebody's record: "this isn't Mr Ward"."""
    begin = next((len(each) for each in _IS_NOT if words[: len(each)] == each), 0)
    if not begin or words[begin : begin + 1] == () or words[begin] not in lexicon().words["titles"]:
        return False
    after = words[begin + 2 :]
    return len(words) > begin + 1 and (not after or "person" in grammar().roles.get(after, frozenset()))


_IS_NOT: Final = tuple(
    (*who, *isnt)
    for who, *nots in (
        (("this",), ("isnt",), ("is", "not")), (("that",), ("isnt",), ("is", "not")), (("thats",), ("not",)),
        (("it",), ("isnt",), ("is", "not")), (("its",), ("not",)),
    )
    for isnt in nots
)  # fmt: skip


def _doubted(roles: frozenset[str]) -> frozenset[str]:
    """Return the roles of what is another patient's after a word: after "wrong" more than after "false"."""
    if "wrong" in roles:
        return frozenset({"person", "particulars"})
    return frozenset({"person"}) if "false" in roles else frozenset()


def _points_here(before: Words) -> bool:
    """Return whether a clause that points at us, or at what we say, stands right before."""
    subjects = [at for at, word in enumerate(before) if word in _POINTS]
    return bool(subjects) and len(before) - subjects[-1] <= _FROM_SUBJECT and before[0] not in _ASKS_PEOPLE


def repeats(turn: TurnReading) -> bool:
    """Return whether a turn asks for a part of what was said again: "repeat the recommendation"."""
    known, words = lexicon(), turn.matter
    if words[-1:] == ("again",) and not turn.case and len(words) <= 8 and _SAYING & set(words):
        return True
    return any(
        turn.words[start] in {"repeat", "replay", "again"}
        and any(word in known.words["repeat_of"] for word in turn.words[start + 1 : start + 6])
        for start in turn.starts
    )


def quiets_about(turn: TurnReading) -> bool:
    """Return whether a turn stops us on a subject: "stop talking about the kidney"."""
    return any(lexicon().phrases["quiet_about"].at(turn.words, start) for start in turn.starts)


def gives_reason(turn: TurnReading) -> bool:
    """Return whether a command is followed by its reason: "skip it, we know that"; of stops and waits see `stops`."""
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


def garbled_command(turn: TurnReading) -> Says | None:
    """Return the "stop" or "wait" that begins a turn, if the rest sounds like more of the same.

    A command with an object ("stop the music", "wait by the door", "stop bagging") is none.
    """
    rest = turn.matter
    said = {Says.QUIET, Says.WAIT} & turn.led_by
    command = Says.QUIET if Says.QUIET in said else (Says.WAIT if said else None)
    if rest in _NOTHING:
        return command  # "stop the": a stop and the beginning of a word
    if turn.case or not 0 < len(rest) <= GARBLED_WORDS or _has_an_object(rest):
        return None
    return command if _sounds_like_a_command(rest) else None


def _has_an_object(rest: Words) -> bool:
    """Return whether a command has an object in the room: "the music", "pushing", "for me"."""
    first = rest[0] if rest else ""
    doing = len(first) > 4 and first.endswith("ing") and not alike(first, _silencing(), GARBLED)
    at_all = first in _OBJECT or bool(_PERSONS & set(rest))
    return at_all or doing or lexicon().phrases["side_follows"].at(rest) > 0


def may_be_a_command(turn: TurnReading) -> bool:
    """Return whether a few words begin with a silencing command, or sound like one."""
    if not 0 < len(turn.words) <= FEW_WORDS:
        return False
    if {Says.QUIET, Says.WAIT} & turn.led_by:
        return not _has_an_object(turn.matter)
    return alike(" ".join(turn.words), _silencing(), ALIKE)


def _sounds_like_a_command(words: Words) -> bool:
    """Return whether the first of `words` may be a misheard "hold on", "pause" or the like."""
    heard = [" ".join(words[:count]) for count in range(1, len(words) + 1)]
    return any(alike(some, _silencing(), GARBLED) for some in heard)


@lru_cache(maxsize=1)
def _silencing() -> tuple[str, ...]:
    """Return the usual silencing commands as they sound; to compare all of them takes too long."""
    return tuple(sounds(each) for each in sorted(lexicon().words["often_misheard"]))


def tells_people(turn: TurnReading) -> bool:
    """Return whether somebody in the room is told something: "hold still", "nurse, stop"."""
    for each in turn.phrases:
        if each.says is Says.TO_PEOPLE:
            return True
        if each.says not in LIGHT:
            break
    rest = _without_a_name(turn.words)
    return rest is not None and meant(read(" ".join(rest), turn.case_words)) is not None


def _without_a_name(words: Words) -> Words | None:
    """Return `words` without a name at their beginning or end; None: there is none."""
    known = lexicon()
    if len(words) > 1 and (words[0] in known.words["people"] or words[0] in known.words["endearments"]):
        return words[1:]
    if len(words) > 1 and (words[-1] in known.words["people"] or words[-1] in known.words["endearments"]):
        return words[:-1]
    if len(words) > 2 and words[0] in known.words["titles"]:
        return words[2:]
    if len(words) > 2 and words[-2] in known.words["titles"]:
        return words[:-2]
    return None


_BEFORE_SPELL: Final = frozenset(
    "how do does would should can could you i we to tell me us know need help".split()
)
_AFTER_SPELL: Final = frozenset("out the word name drug term of for me us please".split())


def spells(turn: TurnReading) -> bool:
    """Return whether a turn asks to spell a word or two: "how do you spell amlodipine"."""
    words = turn.words[: turn.end]
    if "spell" not in words:
        return False
    at = words.index("spell")
    named = [word for word in words[at + 1 :] if word not in _AFTER_SPELL]
    before = words[turn.starts[-1] : at] if turn.starts and turn.starts[-1] <= at else words[:at]
    if not _BEFORE_SPELL.issuperset(before) or not 0 < len(named) <= 2:
        return False
    if "out" in words[at:]:
        return _one_word(words[at + 1 :], named)
    return _PERSONS.isdisjoint(named) and "your" not in named  # "spell your surname for me"


def _one_word(after: Words, named: list[str]) -> bool:
    """Return whether a single word is to be spelled: "spell out apixaban", not "spell out the plan"."""
    if len(named) != 1:
        return False
    called = not _CALLED_A_WORD.isdisjoint(after)
    return called or ("the" not in after and not _explained(named[0]))


def _explained(word: str) -> bool:
    known = lexicon().words
    lists = ("topics", "talk", "reference", "persons", "repeat_of")
    return word in grammar().vocabulary or any(word in known[each] for each in lists)


_CALLED_A_WORD: Final = frozenset({"word", "name", "drug", "term"})
