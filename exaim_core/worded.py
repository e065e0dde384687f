"""A sentence in words of a model's own, held against the cited text: other words may stand, other facts may not.

Both are put into one form first (`paraphrase`). Then: each number with its unit, and beside what it is a number of;
no word that names a new thing, and few new words at all; what is denied stays denied; sides, times, limits, counts, names, and how sure it is.
What the source hangs on is `binding`'s. These checks see words and not meaning: what they miss is in the decision 021.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from exaim_core.binding import Said, unbound
from exaim_core.names import NUMBER_WORDS
from exaim_core.paraphrase import (
    WORD,
    canonical,
    concept,
    concepts,
    is_free,
    is_strict,
    like,
    measures_of,
    opposites,
    telling,
)
from exaim_core.polarity import denied_and_affirmed, denied_parts, denies
from exaim_core.quantities import quantities
from exaim_core.worded_counts import counts
from exaim_core.worded_numbers import CORRECTS, TIME_WORDS, numbers
from exaim_core.worded_standing import BACK, PART, SPANS, bare, overtaken, supposed
from exaim_core.worded_times import in_order, levels, times

MOST_NEW_WORDS: Final = (
    3  # that name no thing; and no more than there are words and numbers of the cited text
)


def refused(text: str, sources: Sequence[Said], names: frozenset[str]) -> str | None:
    """Return why `text` may not be said on `sources`, given in order of time; None if it may.

    `names` are the words of the agents' spoken names.
    """
    if (halves := _two_records(text, sources)) is not None:
        return next((reason for half, own in halves if (reason := refused(half, own, names))), None)
    told = canonical(text)
    said = tuple(Said(canonical(source.text), source.agent, source.name) for source in sources)
    for check in _CHECKS:
        reason = check(told, said, names)
        if reason is not None:
            return reason
    return unbound(told, said)


_RECORD: Final = re.compile(r"[;,]?\s*(?:and |but )?(?:the )?(?:case (?:file|paper)|record)(?: (?:says|has|lists|gives|shows))?:?\s*", re.IGNORECASE)  # fmt: skip
_SAYS: Final = re.compile(r"\A(?:the agents say|the team says|(?P<who>(?:the )?\w+(?: \w+)?) says)\s+", re.IGNORECASE)  # fmt: skip


def _two_records(text: str, sources: Sequence[Said]) -> list[tuple[str, list[Said]]] | None:
    """Split "the agents say …; the case file says …", each part to be held against its own sources."""
    match = _RECORD.search(text)
    paper = [source for source in sources if source.agent == "paper"]
    if match is None or not paper or match.start() == 0:
        return None
    said = [source for source in sources if source.agent != "paper"]
    return [(_SAYS.sub("", text[: match.start()]), said), (text[match.end() :].rstrip("."), paper)]


# -- words -----------------------------------------------------------------------------------------


def _words(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """No word names a new thing, and plain new words are few; a number that is found tells as much as a word."""
    known = frozenset(one for each in said for one in concepts(each.text))
    if known & _RELATIVES:
        known |= frozenset(concepts("family history"))
    course = _course(told)
    mine = frozenset(concepts(told))
    if not course and any(one in mine - known and other in known - mine for one, other in opposites()):
        return "the opposite is in the cited text"
    given = course | names | _PRESENT
    if any(_ENDED.search(source.text) for source in said):
        given |= _FORMER
    held, new = len(quantities(told)), 0
    for word in WORD.findall(bare(told)):
        one = concept(word)
        if one in given or _states_nothing(word, names):
            continue
        if like(one, known):
            held += 1
            continue
        new += 1
        if not measures_of(word) & known and (is_strict(word) or one in TIME_WORDS):
            return "a word is not in the cited text"
    return "a word is not in the cited text" if new > min(MOST_NEW_WORDS, held) else None


def _states_nothing(word: str, names: frozenset[str]) -> bool:
    return word.lower() in NUMBER_WORDS or word.lower() in names or (is_free(word) and not is_strict(word))


_FROM_TO: Final = re.compile(r"\bfrom (\d[\d.]*)\D{0,12}? to (\d[\d.]*)", re.IGNORECASE)


def _course(told: str) -> frozenset[str]:
    """Return the word for the way in which "from 22 to 410" goes: the two numbers say it."""
    match = _FROM_TO.search(told.replace(",", ""))
    if match is None:
        return frozenset()
    first, second = (float(number.rstrip(".")) for number in match.groups())
    return frozenset(concepts("rise" if second > first else "fall")) if first != second else frozenset()


_PRESENT: Final = frozenset(concepts("present absent missing"))  # their truth is a matter of what is denied
_FORMER: Final = frozenset(concepts("former formerly previous previously past"))
_ENDED: Final = re.compile(
    r"\b(?:used to|gave up|given up|stopped|ago|until|was|were|had|previous\w*|history|in (?:19|20)\d\d|as a child)\b",
    re.IGNORECASE,
)
_RELATIVES: Final = frozenset(
    concepts("mother father brother sister sibling uncle aunt cousin grandmother grandfather parent twin")
)


# -- what is denied, sides, doubt, counts, times -----------------------------------------------------


def _polarity(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    taken_back = any(CORRECTS.search(source.text) or BACK.search(source.text) for source in said)
    if (
        denies(told)
        and not taken_back
        and not any(denies(source.text) or _UNLESS.search(source.text) for source in said)
    ):
        return "a negation is not in the cited text"
    denied, affirmed = denied_and_affirmed(told)
    no, yes = set[str](), set[str]()
    for source in said:
        one, other = denied_and_affirmed(source.text)
        no |= one
        yes |= other
    weighty = frozenset(telling(told)) - names - SPANS - TIME_WORDS
    supposed_not = frozenset(
        one for source in said for clause in _UNLESS.findall(source.text) for one in telling(clause)
    )
    for part in denied_parts(told):
        if part & supposed_not:
            continue
        if not taken_back and (part - affirmed) & weighty & (yes - no) and not part & (no - yes):
            return "a negation is not in the cited text"
    if (affirmed - denied) & weighty & (no - yes):
        return "a negation of the cited text is lost"
    return None


_UNLESS: Final = re.compile(r"\bunless\b([^.;,]*)", re.IGNORECASE)
_SIDE: Final = re.compile(r"\b(left|right|bilateral)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Side:
    side: str
    beside: tuple[str, ...]  # the two telling words after it, else those before it
    round_it: frozenset[str]
    last: bool  # it ends its clause, as in "to the left"


def _sides_of(text: str) -> list[_Side]:
    found = []
    for match in _SIDE.finditer(text):
        after = telling(_APART.split(text[match.end() :])[0])
        before = telling(_APART.split(text[: match.start()])[-1])
        found.append(
            _Side(match[1].lower(), (after or before[::-1])[:2], frozenset((*after, *before)), not after)
        )
    return found


_APART: Final = re.compile(r"[;,.:]\s|\b(?:left|right|bilateral|but)\b", re.IGNORECASE)


def _sides(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    there = [side for source in said for side in _sides_of(source.text)]
    known = frozenset(one for source in said for one in concepts(source.text))
    sided = frozenset(one for side in there for one in side.round_it)
    for mine in _sides_of(told):
        homes = [side.round_it for side in there if side.side == mine.side]
        first = next((one for one in mine.beside if like(one, known)), None)
        if not homes or (first is not None and not any(like(first, words) for words in homes)):
            return "a side is not in the cited text"
        words = frozenset(one for round_it in homes for one in round_it)
        if any(one in sided and one not in words for one in mine.round_it):
            return "a side is not in the cited text"
        ends = {side.side for side in there if side.last and first is not None and like(first, side.round_it)}
        if mine.last and ends and mine.side not in ends:
            return "a side is not in the cited text"
    return None


_DOUBT: Final = re.compile(
    r"\b(?:suspic\w+|possib\w+|perhaps|maybe|may|might|could|likely|probabl\w+|suspect\w*|consider\w*|uncertain|unsure|not (?:sure|certain)|far from certain|query|questionable|think(?:s|ing)? (?:of|about)|cannot (?:be )?(?:excluded?|ruled? out)|doubt\w*|low certainty|wonder\w*|unclear|unlikely|presum\w+|risks?|if|would|leads?|leading|favou?rs?|propos\w+|suggest\w*|differs?|holds? with|unless|rule out|neither|nor|whether|not yet|worr\w+|concern\w*|fears?|leans?|inclin\w+)\b",
    re.IGNORECASE,
)
_ONLY_DOUBT: Final = re.compile(
    r"\b(?:suspic\w+|possib\w+|perhaps|maybe|may be|may have|might|could be|could have|probabl\w+|suspect\w*|not (?:sure|certain)|far from certain|query|think(?:ing)? of|cannot (?:be )?(?:excluded?|ruled? out)|doubtful|wonder\w*|presum\w+|we could|one could|to be considered|neither confirm\w*|whether|(?:can(?:not|[’']t)|could not) (?:say|tell|be sure)|(?:do not|don[’']t) know|hard to say|unclear|consider(?:ing)?|likely)\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:was|were|has been|have been|is being|has|have|had|is|are) (?:now |already )?(?:given|started|stopped|done|performed|administered|changed|widened|fallen|risen|developed|having|ordered|received|run|running)\b",
    re.IGNORECASE,
)
_SURE: Final = re.compile(
    r"\b(?:confirm\w*|certain(?:ly)?|definite(?:ly)?|proven|proves?|established|sure|clearly|without doubt|undoubtedly)\b",
    re.IGNORECASE,
)
_WOULD_HAVE: Final = re.compile(
    r"\b(?:would|could|might|may|should) (?:not )?(?:have|be)\b[^.;,]*", re.IGNORECASE
)
_EXCLUDED: Final = re.compile(r"\b(?:ruled out|excluded|rules out|excludes)\b", re.IGNORECASE)
_UNLIKELY: Final = re.compile(
    r"\A(?!.*(?:rul\w+ out|exclud)).*\b(?:unlikely|improbable|doubt\w*|less likely)\b",
    re.IGNORECASE | re.DOTALL,
)
_CLAIMS: Final = re.compile(rf"{PART.pattern}|,\s+(?:so|and|although|though|while|whereas|because)\s+")
_UNSURE: Final = re.compile(
    r"\b(?:if|unless|until|once|when|whether|not|to be|provided|as long as|neither|nor)\b[^.;,]*",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"\b(?:suggest\w*|propos\w+|recommend\w*|start|give|begin|consider|should|would|could|if|plan\w*|booked|scheduled|due|pending|awaited|requested|to follow|tomorrow|will|to be|order(?! was)|once|not|nothing|none|never|no)\b", re.IGNORECASE)  # fmt: skip


def _doubts(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What is only thought possible is not said as so; what is asked for is not said as done."""
    words = frozenset(telling(told)) - names
    if not words:
        return None
    parts = [part for source in said for part in _CLAIMS.split(source.text) if part]
    shares = [(len(words & frozenset(telling(part))) / len(words), part) for part in parts]
    most = max((share for share, _ in shares), default=0.0)
    best = [part for share, part in shares if share == most and share > 0]
    if best and not _DOUBT.search(told) and all(_ONLY_DOUBT.search(part) for part in best):
        return "what is only thought of would be told as so"
    if best and _SURE.search(_UNSURE.sub(" ", told)) and all(_DOUBT.search(part) for part in best):
        return "what is only thought of would be told as certain"
    if best and _EXCLUDED.search(told) and all(_UNLIKELY.search(part) for part in best):
        return "what is only unlikely would be told as excluded"
    done = _DONE.search(_WOULD_HAVE.sub(" ", told))
    if (
        done
        and best
        and all(
            _ASKS.search(part)
            and not _DONE.search(re.sub(r"\b(?:nothing|none|not|never|no)\b[^.;]*", "", part))
            for part in best
        )
    ):
        return "something would be told as done"
    return None


_CHECKS: Final = (
    numbers,
    _words,
    _polarity,
    _sides,
    _doubts,
    supposed,
    overtaken,
    counts,
    times,
    in_order,
    levels,
)
