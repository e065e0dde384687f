"""Judge whose a "stop" or a "wait" is by what stands beside it: what is to be stopped, or why we are to stop.

"Stop compressions" and "hold the heparin" have an object: they are told to people. "Stop, rhythm check", "stop talking,
she's crashing" and "I'm on the phone, stop" give a reason, of medicine or not: they are ours. Recognisers invent commas
and leave them out, so the words alone tell. In doubt a stop is ours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from realtime.interruption.commands import said_before_the_matter
from realtime.interruption.questions import asks, requests
from realtime.interruption.reading import TurnReading
from realtime.interruption.words import Phrase, Says, Words, is_clinical, is_drug, lexicon

_SILENCES: Final = frozenset({Says.QUIET, Says.WAIT})
_ENDS: Final = frozenset(
    "on there now me us moment second seconds sec minute minutes bit while quiet silent talking speaking "
    "reading".split()
)
"""A command of several words that ends in one of these takes no object: "hold on", "be quiet", "stop talking"."""
_NO_DOING: Final = frozenset({"there", "now"})
"""After these what somebody does is no object either: "pause there, doing a rhythm check", but "hold on bagging"."""
_NO_OBJECT: Final = frozenset({("shut", "up"), ("hang", "about")})  # nor do these
_PUTS_OFF: Final = ("hold", "off")  # and "hold off on" takes one
_SPANS: Final = frozenset({"second", "seconds", "minute", "minutes", "question"})
_COUNTS: Final = frozenset({"a", "one", "two", "half", "give", "question", "quick"})
"""A command that begins so and ends in a span may count what follows: "a second dose", "two minutes on the clock"."""
_POINTS: Final = frozenset(
    "it that this these those them all one".split()
)  # these begin an object: "hold that leg"
_LASTS: Final = frozenset({"for", "until", "till"})
_OF_AN_EVENT: Final = frozenset({"stop", "wait"})
"""Commands after which an event of medicine is no object: "stop, cardiac arrest", but "hold pressure"."""
_EVENT_WORDS: Final = 4
_NO_SUBJECT: Final = frozenset({"one", "a", "not", "dont"})
_SOMEBODYS: Final = frozenset({"his", "her", "their", "my", "our", "him", "them"})
_PRONOUNS: Final = frozenset(
    "i im ive ill we weve he hes she shes it its they theyre you youre someone somebody".split()
)
_ARTICLES: Final = frozenset("the a an his her their my our".split())
_IS_SO: Final = frozenset("here gone back out down up off low open ready".split())
"""What may follow a noun and the "'s" of "is": "the surgeon's here"."""
_SOUNDS: Final = frozenset("alarming beeping bleeping ringing".split())
"""What a thing does that nobody is told to hold: "the monitor's alarming"."""
_TO_SUBJECT: Final = 5  # words from the beginning of a clause to its verb
_BEHIND_A_NAME: Final = frozenset({"please", "yet", "then", "now"})
_PRESSURE: Final = ("blood", "pressure")  # one thing, though blood is given
_OURS: Final = frozenset("i im ive we weve".split())
_LEAST_REASON: Final = 3  # words before the command: "I'm on call, stop"
_BEHIND_A_REASON: Final = frozenset(
    {("stop",), ("wait",), ("pause",), ("hold", "on"), ("hang", "on"), ("be", "quiet"), ("shut", "up"),
     ("stop", "talking"), ("stop", "reading"), ("stop", "it"), ("stop", "there")}
)  # fmt: skip
_BEFORE_A_VERB: Final = frozenset(
    "to not and or say said says saying told tell heard hear just must have full make made let rather cannot of for "
    "at the by with from".split()
)
"""After one of these, or a pronoun, the last word is no command: "I told her to stop", "we can't just stop"."""


def with_reason(turn: TurnReading) -> Says | None:
    """Return QUIET or WAIT if a turn is that with its reason, before it or behind it; else None."""
    if not turn.starts or turn.truncated:
        return None
    return _reason_behind(turn) or _reason_first(turn)


def _reason_behind(turn: TurnReading) -> Says | None:
    said, begin = said_before_the_matter(turn), turn.starts[-1]
    if said not in _SILENCES:
        return None
    lead = [each for each in turn.phrases if each.end <= begin]
    at = max(at for at, each in enumerate(lead) if each.says in _SILENCES)
    command, between = lead[at], lead[at + 1 :]
    rest = next((each.start for each in between if not _only_beside(turn, each)), begin)
    apart = any(
        each.says is not Says.ATTACH or turn.words[each.start] in _LASTS
        for each in between
        if each.end <= rest
    )
    words = turn.words[rest : turn.end]
    behind = replace(turn, starts=tuple(each for each in turn.starts if each >= rest))
    if not words or _asks(behind, said, words):
        return None
    if said is Says.QUIET and not turn.named and _orders(words):
        return said
    begun = lead[at - 1].start if at and lead[at - 1].says in _SILENCES else command.start
    begins = begun if turn.words[command.end - 1] in _SPANS else command.start  # "hang on, a second"
    return said if _is_reason(turn.words[begins : command.end], words, apart=apart) else None


def _orders(words: Words) -> bool:
    """Return whether people are told something else behind the stop: "stop, give adrenaline"."""
    known = lexicon().words
    return (
        len(words) > 1 and words[0] in (known["order_verbs"] | known["clinical_verbs"]) - known["noun_like"]
    )


def _only_beside(turn: TurnReading, phrase: Phrase) -> bool:
    """Return whether a phrase only goes with the command before it: "please", "right now", but not "that (leg)".

    What we say of ourselves begins the reason: "I'm listening (to the chest)".
    """
    if phrase.says is Says.ATTACH:
        return turn.words[phrase.start] not in _POINTS
    if phrase.says is Says.ACK and turn.words[phrase.start] in _OURS:
        return False
    return phrase.says not in {Says.FRAME, Says.NO, None}


def _asks(turn: TurnReading, said: Says | None, rest: Words) -> bool:
    """Return whether something is asked behind the command; "quiet, I want to hear his heart" is no request."""
    own = said is Says.QUIET and rest[0] in {"i", "id", "im"}
    return asks(turn) if own else requests(turn)


def _is_reason(command: Words, rest: Words, *, apart: bool) -> bool:
    """Return whether `rest` says why; `apart`: a "please" or a span of time parts it from the command."""
    known = lexicon()
    if known.phrases["side_follows"].at(rest) or rest[0] in {"him", "them"}:
        return False
    if not apart and command[-1] in _SPANS and command[0] in _COUNTS:
        return _has_a_subject(rest)
    if _is_clause(rest, sounds=command[0] == "wait" or len(command) > 1):
        return True
    if not apart and not _takes_none(command):
        return len(command) == 1 and command[0] in _OF_AN_EVENT and _is_event(rest)
    begins = known.words["auxiliaries"] | known.words["finite"] | known.words["order_verbs"]
    doing = rest[0].endswith("ing")
    return (
        len(rest) > 1
        and not known.phrases["no_reason"].at(rest)
        and not (doing and command[-1] not in _NO_DOING)
        and (doing or rest[0] not in begins)
    )


def _takes_none(command: Words) -> bool:
    """Return whether a command takes no object: "hold on", "be quiet"."""
    if command[:2] == _PUTS_OFF:
        return False
    return command in _NO_OBJECT or (len(command) > 1 and command[-1] in _ENDS)


def _is_clause(words: Words, *, sounds: bool) -> bool:
    """Return whether a clause begins at once: "she's bleeding", "the pressure's falling", "while I listen".

    `sounds`: "the pumps beeping" is one, too. Behind a bare "stop" or "pause" that is what people are to stop.
    """
    known, first = lexicon(), words[0]
    if _has_a_subject(words):
        return True
    if first in _IS_SO:
        return False  # "hold off"
    for at in range(1, min(len(words), _TO_SUBJECT + 1)):
        word, before = words[at], words[at - 1]
        if word in known.words["if_words"] or word in _PRONOUNS:
            return False
        if word in _ARTICLES and before not in known.words["determiners"]:
            return False  # "the heparin, the APTT is high"
        if word in known.words["finite"] | known.words["auxiliaries"]:
            alone = at - (words[at - 2 : at] == _PRESSURE) <= 1 + (first in known.words["determiners"])
            return alone or not is_given(
                words[:at]
            )  # "the infusion is over", but "heparin, the platelets are low"
        if sounds and before.endswith("s") and word in _SOUNDS:
            return True
        contracted = (
            len(before) > 3 and before.endswith("s") and not (is_given((before,)) or first in _SOMEBODYS)
        )
        if contracted and (word in _IS_SO or (len(word) > 4 and word.endswith(("ing", "ed")))):
            return True
    return False


def _has_a_subject(words: Words) -> bool:
    """Return whether the words begin with the subject of a clause, or with what joins one: "she's", "while"."""
    known = lexicon().words
    return len(words) > 1 and words[0] in known["clause_starts"] - known["determiners"] - _NO_SUBJECT


def _is_event(words: Words) -> bool:
    """Return whether the words name what happens, and nothing that is given or done: "rhythm check"."""
    known, some = lexicon(), words[:_EVENT_WORDS]
    if words[0] in known.words["determiners"] or words[0].endswith("ing"):
        return False
    if not is_drug(words[0]) and is_clinical(words[0]) and words[1:2] and words[1].isdigit():
        return True  # "sats 70"
    happens = not known.words["clinical"].isdisjoint(some)
    return happens and not is_given(some) and known.words["teams"].isdisjoint(some)


def is_given(words: Words) -> bool:
    """Return whether one of `words` is given or done: a drug, a treatment, a test."""
    tests = lexicon().words["tests"]
    return any(_is_treatment(word) or word in tests or word.removesuffix("s") in tests for word in words)


def ends_in_a_treatment(words: Words) -> bool:
    """Return whether `words` end in a drug or a treatment: "IV heparin please", but not "blood pressure", "lactate"."""
    last = next((word for word in reversed(words) if word not in _BEHIND_A_NAME), None)
    return last is not None and _is_treatment(last)


def _is_treatment(word: str) -> bool:
    treatments = lexicon().words["treatments"]
    return any(is_drug(each) or each in treatments for each in (word, word.removesuffix("s")))


def _reason_first(turn: TurnReading) -> Says | None:
    """Return the command at the end of a turn that says before it what we are doing: "I'm on the phone, stop"."""
    command = next((each for each in reversed(turn.phrases) if each.end <= turn.end), None)
    if command is None or command.says not in _SILENCES or requests(turn):
        return None
    before, words = turn.words[: command.start], turn.words[command.start : command.end]
    if len(before) < _LEAST_REASON or before[0] not in _OURS or words not in _BEHIND_A_REASON:
        return None
    last, known = before[-1], lexicon().words
    joined = last in _BEFORE_A_VERB | _PRONOUNS | _SOMEBODYS | known["auxiliaries"] or last.endswith("nt")
    return None if joined or is_given((last,)) else command.says
