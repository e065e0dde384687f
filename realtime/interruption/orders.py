"""Recognise orders: somebody is told to do something clinical. Plain functions on words."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from realtime.interruption.questions import requests
from realtime.interruption.reading import COMMANDS, TurnReading, read
from realtime.interruption.slots import sets_a_dial
from realtime.interruption.team import THEM
from realtime.interruption.words import Says, Words, is_clinical, is_drug, lexicon, phrases_of

_ASKED_FOR: Final = frozenset({"the", "his", "her", "on", "about", "of"})
_NO_OBJECT: Final = frozenset(
    "in of from is was were are has had by and or he she they we i its hes shes theyre theres im you".split()
)
_BE: Final = frozenset({"is", "was", "are", "were", "has", "had", "isnt", "wasnt", "looks", "seems"})
_WAIT_FOR: Final = frozenset({"for", "until", "till", "with", "on", "before"})
_ANALYTES: Final = frozenset({"potassium", "calcium", "glucose", "magnesium", "oxygen", "blood", "iron"})
_AND_THEN: Final = frozenset({"so", "and", "then", "now", "please", "but"})
_HANDED: Final = frozenset({"give", "get", "push", "bolus", "load", "administer", "inject"})
_TO_WHOM: Final = frozenset({"him", "her", "them"})
_OBJECT_OPENS: Final = frozenset("the his her that them all a an another some more".split())
_LEAVE: Final = {("can", "we"), ("could", "we"), ("may", "we"), ("can", "i"), ("could", "i"), ("may", "i")}
_PERMITTED: Final = frozenset({"give", "use", "start", "stop", "continue", "hold"})
_TOLD_SO: Final = frozenset({"please", "now", "stat", "then", "her", "him", "them"})
_TO_SOMEBODY: Final = frozenset({"please", "stat", "her", "him", "them"})
_MOST_ASKED: Final = 3  # words behind a question word
_ASKED_BY: Final = frozenset(
    "at in on for with by from to of before after until till under over above below".split()
)
_DENIES: Final = frozenset({"no", "nope", "nah"})
_AND_OR: Final = frozenset({"and", "or"})
_TAKES_VERB: Final = frozenset(
    "to not dont without before after than during i you we he she they who the a an his her their my our any "
    "of in on for with at by from per if when because since while as until till once unless which whether what".split()
)
"""After one of these a verb is told, or is no verb: "if we stop", "before the scan"."""
_POINTED_AT: Final = {("it",), ("that",), ("this",), ("them",)}
_HANDS_OVER: Final = frozenset({"get", "bring", "fetch", "give", "send", "put"})
_TURNS: Final = frozenset("turn bring take put move".split())
_SETS: Final = _TURNS | frozenset("set change adjust increase decrease reduce raise lower drop".split())
_AROUND: Final = frozenset("it this that as to at with please now".split())
_TO_A_VOICE: Final = frozenset(
    "do have wait try start stop begin continue resume pause keep skip cancel run repeat".split()
)
"""Orders that a voice may be given for itself."""


def is_order(turn: TurnReading) -> bool:
    """Return whether a turn tells somebody to do something clinical."""
    leave = _asks_leave(turn)
    if leave is not None:
        return _ordered_after(turn, leave)
    if any(_order(turn, turn.words[start:]) for start in turn.starts):
        return True
    if requests(turn):
        return False
    calling = lexicon().words["calling_verbs"]
    return any(
        words[at] in calling and words[at - 1] in _AND_THEN and _order(turn, words[at:])
        for words in (turn.matter,)
        for at in range(1, len(words))
    )


def order_may_be_asked(text: str, case_words: frozenset[str]) -> bool:
    """Return whether an order may also name what is asked about: "lower potassium", "dialysis now".

    Such an order has no verb, or one that is also an adjective or a noun and has no article after it. It has no dose
    and names no person.
    """
    turn, known = read(text, case_words), lexicon()
    words = turn.matter
    if len(words) < 2 or _has_dose_or_person(turn.words):
        return False
    first = {turn.words[start] for start in turn.starts}
    orders = known.words["order_verbs"] | known.words["clinical_verbs"]
    if not first & orders:
        return words[-1] == "now" and _fragment(words)
    return first & orders <= known.words["noun_like"] and words[1] not in _OBJECT_OPENS | {"now"}


def asks_inside(words: Words) -> bool:
    """Return whether an order asks by a question word inside it: "transfuse at which haemoglobin".

    The question word follows a preposition and has few words behind it, none of them an order; and there is no dose
    and no person. Elsewhere a question word may open a clause that says when, or what for, something is to be done
    ("stop ramipril when creatinine is above 200", "give fluids, after which start noradrenaline").
    """
    known = lexicon().words
    if _has_dose_or_person(words):
        return False
    orders = (known["order_verbs"] | known["clinical_verbs"]) - known["noun_like"]
    return any(
        before in _ASKED_BY and word in known["question_words"] and orders.isdisjoint(words[at + 1 :])
        for at, (before, word) in enumerate(pairwise(words), start=1)
        if len(words) - at - 1 <= _MOST_ASKED
    )


def _has_dose_or_person(words: Words) -> bool:
    known = lexicon().words
    return any(
        _amount(word) or word in known["dose_units"] or word in known["people"] or word in _TO_SOMEBODY
        for word in words
    )


def _asks_leave(turn: TurnReading) -> int | None:
    """Return where a request for leave names its object: "can we give contrast"; None: it is none.

    With a dose or a receiver it would be an order.
    """
    words, known = turn.words, lexicon()
    at = next((start for start in turn.starts if words[start : start + 2] in _LEAVE), None)
    if at is None or words[at + 2 : at + 3] == () or words[at + 2] not in _PERMITTED:
        return None
    rest = words[at + 3 :]
    dosed = any(word in known.words["dose_units"] or _amount(word) for word in rest)
    return at + 3 if rest and not dosed and not _TOLD_SO.intersection(rest) else None


def _ordered_after(turn: TurnReading, begin: int) -> bool:
    """Return whether an order follows a request for leave: "can we give contrast? Stop the heparin"."""
    return any(_begins_order(turn, at) for at in range(begin + 1, len(turn.words)))


def _begins_order(turn: TurnReading, at: int) -> bool:
    """Return whether an order begins at `at`, and does not depend on the word before it ("if we stop")."""
    known, before, words = lexicon(), turn.words[at - 1], turn.words[at:]
    if before in _TAKES_VERB or before in known.words["auxiliaries"]:
        return False
    if words[0] in known.words["order_verbs"] | known.words["clinical_verbs"]:
        alone = before in _DENIES and len(words) == 1 and words[0] not in known.words["noun_like"]
        if alone or words[1:2] in _POINTED_AT or _imperative(turn, words):
            return True  # "can we give heparin? No, hold it"
    opens = any(known.phrases[each].at(words) for each in ("soften", "want", "do_it"))
    return opens and before not in _AND_OR and _order(turn, words)


def told_by_name(turn: TurnReading) -> bool:
    """Return whether we are told by name to act for the ward or its records: "EXAIM, note that"."""
    words, known = turn.matter, lexicon()
    if not turn.named or Says.NAME not in turn.led_by or len(words) < 2 or requests(turn):
        return False
    ward = words[0] in known.words["order_verbs"] and words[0] not in _TO_A_VOICE
    return (ward or words[0] in known.words["office_verbs"]) and not _for_our_voice(words[0], words[1:])


def _for_our_voice(verb: str, rest: Words) -> bool:
    """Return whether we can do what is told: "get me the potassium", "set it to normal speed"."""
    known = lexicon()
    if verb in _HANDS_OVER and rest[0] in {"me", "us"}:
        return not any(word in known.words["teams"] or word in known.words["people"] for word in rest)
    team = rest[: known.phrases["team_all"].at(rest)]
    if verb in _HANDS_OVER and team and THEM not in team:
        return True
    measured = any(_amount(word) for word in rest if word != "one")
    if verb in _SETS and not measured and sets_a_dial(rest, by_degrees=verb in _TURNS):
        return True
    return _says_a_command(verb, rest)


def _says_a_command(verb: str, rest: Words) -> bool:
    """Return whether the words hold a command to us: "take it from the top"."""
    known, cut = lexicon(), phrases_of(rest)
    said = {each.says for each in cut if each.end - each.start > 1}
    around = [rest[each.start] for each in cut if each.end - each.start == 1]
    ours = (COMMANDS - {Says.REPEAT}) if verb in known.words["office_verbs"] else COMMANDS
    return bool(said) and said <= ours and _AROUND.issuperset(around)


def _order(turn: TurnReading, words: Words) -> bool:
    known = lexicon()
    at = 0
    for _ in range(4):
        wanted = known.phrases["want"].at(words, at)
        if wanted and _wanted(words[at + wanted :]):
            return True
        done = known.phrases["do_it"].at(words, at)
        if done and any(is_drug(word) or _done(word) for word in words[at + done : at + done + 5]):
            return True
        softened = known.phrases["soften"].at(words, at)
        if not softened or at + softened >= len(words):
            break
        at += softened
    words = words[at:]
    return _imperative(turn, words) or _called(turn, words) or _fragment(words)


def _wanted(words: Words) -> bool:
    """Return whether the words name something given or done: "a CT", "two units of blood", "surgery"."""
    known = lexicon()
    if not words or not any(is_drug(w) or _done(w) or w in known.words["teams"] for w in words[:6]):
        return False
    first = words[0]
    return (
        first in {"a", "an", "another", "some", "more", "stat", "urgent", "repeat", "two"}
        or first in known.words["numbers"]
        or first.isdigit()
        or is_drug(first)
        or _done(first)
        or first in known.words["teams"]
    )


def _done(word: str) -> bool:
    known = lexicon()
    return word in known.words["tests"] or word in known.words["treatments"]


def _imperative(turn: TurnReading, words: Words) -> bool:
    known = lexicon()
    if not words:
        return False
    verb, rest = words[0], words[1:]
    if verb in known.words["clinical_verbs"]:
        return not (rest and rest[0] in _BE)
    if verb not in known.words["order_verbs"] or not rest or rest[0] in _NO_OBJECT or _states(rest):
        return False
    if rest[0] in known.words["auxiliaries"] | known.words["question_words"] or known.phrases["tell"].at(
        rest
    ):
        return False  # "stop, what is the potassium"
    if verb in _HANDED and rest[0] in _TO_WHOM and any(_amount(word) for word in rest[1:]):
        return True  # "give him four hundred of it", whatever the recogniser made of the drug
    if not _takes(verb, rest):
        return False
    dosed = any(word in known.words["dose_units"] for word in rest)
    return dosed or any(turn.of_case(word) and word not in known.words["determiners"] for word in rest)


def _amount(word: str) -> bool:
    return word in lexicon().words["numbers"] or word.isdigit() or word == "another"


def _takes(verb: str, rest: Words) -> bool:
    """Return whether `rest` can be the object of the order `verb`, rather than something said to us."""
    known, first = lexicon(), rest[0]
    match verb:
        case "wait":
            return first in _WAIT_FOR
        case "hold" | "hang":
            return first not in {"on", "up", "that", "it"}
        case "start" | "begin":
            return first not in {"with", "over", "again", "from"}
        case "do":
            return first in {"a", "an", "another", "some"} or (
                first == "the" and len(rest) <= 4 and any(_done(word) for word in rest[1:])
            )
        case "have":
            return first in known.words["teams"]
        case "repeat":
            return not any(word in known.words["repeat_of"] for word in rest)
        case "call":
            return first not in {"it", "that", "this"}
        case "give" | "get" | "bring" | "send" if first in {"me", "us"}:
            return not _ASKED_FOR & set(rest) or any(word in known.words["dose_units"] for word in rest)
        case _ if verb in known.words["noun_like"]:
            return first in _OBJECT_OPENS or is_drug(first) or first in known.words["teams"]
        case _:
            return True


def _states(rest: Words) -> bool:
    """Return whether a finite verb follows soon, with no "if" before it: a statement, no order."""
    for word in rest[:6]:
        if word in lexicon().words["if_words"]:
            return False
        if word in _BE:
            return True
    return False


def _called(turn: TurnReading, words: Words) -> bool:
    """Return whether somebody is called, then told: "nurse, give calcium", "Sarah, call surgery"."""
    known = lexicon()
    if len(words) < 3:
        return False
    name, rest = words[0], words[1:]
    if name in known.words["people"]:
        return _imperative(turn, rest)
    stranger = not (
        turn.of_case(name)
        or any(
            name in known.words[each] for each in ("talk", "persons", "reference", "subjects", "determiners")
        )
        or any(
            name in known.words[each]
            for each in ("finite", "auxiliaries", "question_words", "if_words", "tell")
        )
        or name in {"we", "who", "patients", "please", "not", "no", "to"}
    )
    return stranger and rest[0] in known.words["calling_verbs"] and _imperative(turn, rest)


def _fragment(words: Words) -> bool:
    """Return whether the words are an order without a verb: "ten units of insulin", "CT head stat"."""
    known = lexicon()
    if not 2 <= len(words) <= 8:
        return False
    stat = known.phrases["stat"].at_end(words)
    bare = words[: len(words) - stat]
    plain = all(
        is_clinical(w)
        or w.isdigit()
        or w in known.words["numbers"]
        or w in known.words["dose_units"]
        or w in known.words["determiners"]
        for w in bare
    )
    if not plain or not bare:
        return False
    amount = any(w in known.words["dose_units"] for w in bare) and any(is_drug(w) for w in bare)
    measured = amount and (bare[0].isdigit() or bare[0] in known.words["numbers"])
    given = any((is_drug(w) or _done(w)) and w not in _ANALYTES for w in bare)
    return (
        measured or (stat > 0 and given and words[-1] != "now") or (words[-1] == "now" and _given_now(bare))
    )


def _given_now(words: Words) -> bool:
    known = lexicon()
    return any(
        (w in known.words["drugs"] or w in known.words["treatments"])
        and w not in _ANALYTES | known.words["tests"]
        for w in words
    )
