"""A sentence in words of a model's own, held against the cited text: other words may stand, other facts may not.

Both are put into one form first (`paraphrase`). Then: each number with its unit, and beside what it is a number of;
no word that states something new; what is denied stays denied; sides, times, limits, counts, names, and how sure it is.
What the source hangs on is `binding`'s. These checks see words and not meaning: what they miss is in the decision 021.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
    telling,
)
from exaim_core.polarity import denied_and_affirmed, denies
from exaim_core.quantities import Quantity, quantities

MOST_NEW_WORDS: Final = 1
LEAST_SHARE: Final = (
    0.6  # of a sentence's telling words, where a word that is not known may stand beside them
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


# -- numbers ---------------------------------------------------------------------------------------

_BASE: Final = {"g": ("mg", 1000.0), "microgram": ("mg", 0.001), "kg": ("kg", 1.0), "l": ("ml", 1000.0), "mcg": ("mg", 0.001)}  # fmt: skip
_ABOUT: Final = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|circa)\s+\Z", re.IGNORECASE
)
_CUT: Final = re.compile(
    r"[;.:]\s|,\s|\s(?:and|with|but|from|then|if|when|once|unless|after|before|while|since|because|until)\s"
)
_HEADS: Final = re.compile(
    r"\b(?:levels?|rates?|doses?|counts?|times?|age|weights?|values?|results?)\b", re.IGNORECASE
)
_TIME_WORDS: Final = frozenset(concept(word) for word in "now yesterday morning night arrival admission january february march april may june july august september october november december later earlier ago first second third".split())  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Number:
    values: tuple[float, ...]
    unit: str
    short: str  # the unit of the number before, where this one has none
    bag: frozenset[str]
    near: tuple[str, ...]
    times: frozenset[str]
    about: bool


def _amount(quantity: Quantity) -> tuple[tuple[float, ...], str]:
    unit, factor = _BASE.get(quantity.unit, (quantity.unit, 1.0))
    values = tuple(
        float(one.replace(",", "")) * factor for one in re.findall(r"\d[\d,]*(?:\.\d+)?", quantity.number)
    )
    return tuple(round(value, 6) for value in values), unit


@lru_cache(maxsize=1024)
def _numbers_of(text: str) -> tuple[_Number, ...]:
    """Return the numbers of `text` with what stands beside each; one without a word has that of the number before."""
    found = quantities(text)
    made: list[_Number] = []
    for place, quantity in enumerate(found):
        start = found[place - 1].end if place else 0
        stop = found[place + 1].start if place + 1 < len(found) else len(text)
        before, after = text[start : quantity.start], text[quantity.end : stop]
        last = re.split(r"[;.]\s", before)[-1]
        behind = (
            re.split(r"[;.,]\s|\s(?:and|but)\s", after)[0]
            if place + 1 < len(found)
            else re.split(r"[;.,]\s", after)[0]
        )
        bag = {*telling(last), *telling(behind)} - _TIME_WORDS
        alone = not [one for one in telling(last) if one not in _TIME_WORDS] and not _HEADS.search(last)
        if alone and made:
            bag |= made[-1].bag
        near = _run(_CUT.split(last)[-1]) or _run_after(behind)
        when = re.sub(
            r"\bsince (?:last |this )?\w+", " ", behind
        )  # the start of a course, not the time of a value
        times = frozenset({*concepts(_CUT.split(last)[-1]), *concepts(when)}) & _TIME_WORDS
        values, unit = _amount(quantity)
        about = _ABOUT.search(text[: quantity.start]) is not None
        short = made[-1].unit if made and not unit and alone else ""
        made.append(_Number(values, unit, short, frozenset(bag), near, times, about))
    return tuple(made)


def _run(before: str) -> tuple[str, ...]:
    """Return the telling words that stand together last before a number, the nearest first."""
    run: list[str] = []
    for word in reversed(WORD.findall(before)):
        if telling(word) and concept(word) not in _TIME_WORDS:
            run.append(concept(word))
        elif run:
            break
    return tuple(run[:2])


def _run_after(behind: str) -> tuple[str, ...]:
    return tuple(one for one in telling(behind) if one not in _TIME_WORDS)[:1]


def _numbers(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    homes = [number for each in _by_agent(said) for number in _numbers_of(each)] + _put_right(said)
    known = frozenset(one for each in said for one in concepts(each.text))
    for number in _numbers_of(told):
        same = [home for home in homes if _is_same(number, home)]
        if not same:
            return "a number is not in the cited text with this unit"
        near = [one for one in number.near if one not in names]
        if near and not like(near[0], known):
            return "a number stands with another word in the cited text"
        near = [one for one in near if like(one, known)]
        if near and not any(all(like(one, home.bag) for one in near) for home in same):
            return "a number belongs to another value in the cited text"
        if number.times and not any(not home.times or home.times & number.times for home in same):
            return "a number belongs to another time in the cited text"
    return None


def _put_right(said: Sequence[Said]) -> list[_Number]:
    """Return the numbers of corrections as values of what they correct: "the repeat is 4.4 mmol/L"."""
    return [
        replace(number, bag=number.bag | old.bag)
        for place, source in enumerate(said)
        if _CORRECTS.search(source.text)
        for number in _numbers_of(source.text)
        for earlier in said[:place]
        for old in _numbers_of(earlier.text)
        if number.unit == old.unit
    ]


def _by_agent(said: Sequence[Said]) -> list[str]:
    """Return each agent's words in one piece: what is left out in a sentence was said before it."""
    pieces: dict[str, list[str]] = {}
    for source in said:
        pieces.setdefault(source.agent if source.agent != "paper" else source.text, []).append(source.text)
    return [" ".join(texts) for texts in pieces.values()]


def _is_same(told: _Number, home: _Number) -> bool:
    if told.unit and told.unit not in (home.unit, home.short):
        return False
    if told.values == home.values or (
        len(told.values) == 1 and told.values[0] in home.values and len(home.values) == 2 and not told.unit
    ):
        return True
    if not told.about or len(told.values) != len(home.values):
        return False
    return all(
        abs(one - other) <= max(0.5, 0.02 * abs(other))
        for one, other in zip(told.values, home.values, strict=True)
    )


# -- words -----------------------------------------------------------------------------------------


def _bare(text: str) -> str:
    for quantity in reversed(quantities(text)):
        text = f"{text[: quantity.start]} {text[quantity.end :]}"
    return text


def _words(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    known = frozenset(one for each in said for one in concepts(each.text))
    if known & _RELATIVES:
        known |= frozenset(concepts("family history"))
    course = _course(told)
    held, new = 0, 0
    for word in WORD.findall(_bare(told)):
        one = concept(word)
        if one in course:
            continue
        if (
            word.lower() in NUMBER_WORDS
            or one in names
            or word.lower() in names
            or (is_free(word) and not is_strict(word))
        ):
            continue
        if like(one, known):
            held += 1
        elif is_strict(word) or one in _TIME_WORDS:
            return "a word is not in the cited text"
        else:
            new += 1
    if new > MOST_NEW_WORDS or (new and held < LEAST_SHARE * (held + new)):
        return "a word is not in the cited text"
    return None


_FROM_TO: Final = re.compile(r"\bfrom (\d[\d.]*)\D{0,12}? to (\d[\d.]*)", re.IGNORECASE)


def _course(told: str) -> frozenset[str]:
    """Return the word for the way in which "from 22 to 410" goes: the two numbers say it."""
    match = _FROM_TO.search(told.replace(",", ""))
    if match is None:
        return frozenset()
    first, second = (float(number.rstrip(".")) for number in match.groups())
    return frozenset(concepts("rise" if second > first else "fall")) if first != second else frozenset()


_CORRECTS: Final = re.compile(
    r"\b(?:correct(?:ed|s|ion)?|misread|wrong|mislabel\w+|ha?emolysed|spurious|the repeat|mistake\w*|in error|mixed up|scratch|withdraw|take (?:that |it )?back|instead)\b",
    re.IGNORECASE,
)
_RELATIVES: Final = frozenset(
    concepts("mother father brother sister sibling uncle aunt cousin grandmother grandfather parent twin")
)


# -- what is denied, sides, doubt, counts, times -----------------------------------------------------


def _polarity(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    if denies(told) and not any(denies(source.text) or _CORRECTS.search(source.text) for source in said):
        return "a negation is not in the cited text"
    denied, affirmed = denied_and_affirmed(_bare(told))
    no, yes = set[str](), set[str]()
    for source in said:
        one, other = denied_and_affirmed(source.text)
        no |= one
        yes |= other
    weighty = frozenset(telling(told)) - names
    if (denied - affirmed) & weighty & (yes - no):
        return "a negation is not in the cited text"
    if (affirmed - denied) & weighty & (no - yes):
        return "a negation of the cited text is lost"
    return None


_SIDE: Final = re.compile(r"\b(left|right|bilateral)\b", re.IGNORECASE)


def _sides_of(text: str) -> list[tuple[str, tuple[str, ...], frozenset[str]]]:
    """Return each side with the words after it, else those before it, and with all that stand round it."""
    found = []
    for match in _SIDE.finditer(text):
        after = telling(_APART.split(text[match.end() :])[0])
        before = telling(_APART.split(text[: match.start()])[-1])
        found.append((match[1].lower(), (after or before[::-1])[:2], frozenset((*after, *before))))
    return found


_APART: Final = re.compile(r"[;,.:]\s|\b(?:left|right|bilateral|but)\b", re.IGNORECASE)


def _sides(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    there = [pair for source in said for pair in _sides_of(source.text)]
    known = frozenset(one for source in said for one in concepts(source.text))
    sided = frozenset(one for _, _, round_it in there for one in round_it)
    for side, beside, round_told in _sides_of(told):
        homes = [round_it for other, _, round_it in there if other == side]
        first = next((one for one in beside if like(one, known)), None)
        if not homes or (first is not None and not any(like(first, words) for words in homes)):
            return "a side is not in the cited text"
        mine = frozenset(one for words in homes for one in words)
        if any(one in sided and one not in mine for one in round_told):
            return "a side is not in the cited text"
    return None


_DOUBT: Final = re.compile(
    r"\b(?:suspic\w+|possib\w+|perhaps|maybe|may|might|could|likely|probabl\w+|suspect\w*|consider\w*|uncertain|unsure|not (?:sure|certain)|far from certain|query|questionable|think(?:s|ing)? (?:of|about)|cannot (?:be )?(?:excluded?|ruled? out)|doubt\w*|low certainty|wonder\w*|unclear|unlikely|presum\w+|risks?|if|would|leads?|leading|favou?rs?|propos\w+|suggest\w*|differs?|holds? with|unless|rule out)\b",
    re.IGNORECASE,
)
_ONLY_DOUBT: Final = re.compile(
    r"\b(?:suspic\w+|possib\w+|perhaps|maybe|may be|may have|might|could be|could have|probabl\w+|suspect\w*|not (?:sure|certain)|far from certain|query|think(?:ing)? of|cannot (?:be )?(?:excluded?|ruled? out)|doubtful|wonder\w*|presum\w+|we could|one could|to be considered|consider(?:ing)?|likely)\b",
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
_ASKS: Final = re.compile(r"\b(?:suggest\w*|propos\w+|recommend\w*|start|give|begin|consider|should|would|could|if|plan\w*|will|to be|order(?! was)|once|not|nothing|none|never|no)\b", re.IGNORECASE)  # fmt: skip
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+")


def _doubts(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What is only thought possible is not said as so; what is asked for is not said as done."""
    words = frozenset(telling(told)) - names
    if not words:
        return None
    parts = [part for source in said for part in _SENTENCE.split(source.text) if part]
    shares = [(len(words & frozenset(telling(part))) / len(words), part) for part in parts]
    most = max((share for share, _ in shares), default=0.0)
    best = [part for share, part in shares if share == most and share > 0]
    if best and not _DOUBT.search(told) and all(_ONLY_DOUBT.search(part) for part in best):
        return "what is only thought of would be told as so"
    if best and _SURE.search(told) and all(_DOUBT.search(part) for part in best):
        return "what is only thought of would be told as certain"
    done = _DONE.search(told)
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


_IF: Final = re.compile(
    r"\b(?:if|unless|in case(?: of)?|in the event (?:of|that)|as soon as|watch(?:ing)? (?:out )?for|look(?:ing)? (?:out )?for|monitor(?:ing)? for|screen(?:ing)? for|risks? of|at risk of|danger of|threat of|for fear of|afraid of|worr\w+ (?:about|that)|concern\w* (?:about|for|that)|"
    r"to (?:prevent|exclude|rule out|look for)|(?:must|should|need to) (?:exclude|rule out)|possibility of|suspicion of|suspect\w*|query|suppos\w+|assum\w+|when|once)\b",
    re.IGNORECASE,
)
_MODAL: Final = re.compile(r"(?<!I )(?<!we )\b(?:would|could|may|might)\b", re.IGNORECASE)
_KEEPS: Final = re.compile(
    r"\b(?:if|unless|should|in case|event|watch\w*|look\w* out|monitor\w*|risks?|danger|prevent\w*|would|could|may|might|possib\w+|when|once|until|were|suppos\w+|assum\w+|consider\w*|cannot|not|no|potential\w*|threat\w*|fear\w*|whether|suspect\w*|likely|think|rule out|leads?|ask\w*|conditional\w*|provided|only)\b",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r",\s|[;.:!?]\s|\s(?:then|but|so)\s")


def _supposed(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What stands in an "if" alone is not said as so: a clause that holds it must suppose it too."""
    inside, outside = set[str](), set[str]()
    for source in said:
        for part in _SENTENCE.split(source.text):
            start, stop = _supposition(part)
            inside.update(telling(part[start:stop]))
            outside.update(telling(part[:start]))
            outside.update(telling(part[stop:]))
    only = frozenset(inside - outside) - names
    for clause in re.split(r"[;.]\s", told):
        if frozenset(telling(clause)) & only and not _KEEPS.search(clause):
            return "what is only supposed would be told as so"
    return None


def _supposition(part: str) -> tuple[int, int]:
    """Return where what is only supposed stands in a sentence; nothing: at its start."""
    modal = _MODAL.search(part)
    if modal is not None:
        ends = [end.end() for end in _ENDS.finditer(part, 0, modal.start())]
        stop = _ENDS.search(part, modal.end())
        return max(ends, default=0), stop.start() if stop else len(part)
    first = _SHOULD_FIRST.match(part) or _IF.search(part)
    if first is None:
        return 0, 0
    end = _ENDS.search(part, first.end())
    return first.end(), end.start() if end else len(part)


_SHOULD_FIRST: Final = re.compile(r"\A\W*(?:should|were|had)\s", re.IGNORECASE)
_BACK: Final = re.compile(
    r"\b(?:withdraw|take (?:that|it|this|all that)? ?back|took (?:that|it) back|scratch|retract|forget|changed my mind|I was wrong|I stand corrected|strike|cancel|disregard|I drop)\b[^.;]{0,12}\b(?:that|it|this|my|the)\b|\bI was wrong\b|\bchanged my mind\b|\bI stand corrected\b",
    re.IGNORECASE,
)
_NOT_HERS: Final = re.compile(
    r"\b(?:another patient|(?:was|is|been) removed from|wrong patient|mixed up|mix-?up|entered (?:in|by) (?:error|mistake)|in error|not (?:hers|his)|mislabel\w+|misread|belongs? to)\b",
    re.IGNORECASE,
)
_TOLD_BACK: Final = re.compile(
    r"\b(?:withdr\w+|tak\w+ back|retract\w*|correct\w*|chang\w+|not now|no|not|without|avoid\w*|stop\w*|ruling|former\w*|first|earlier|another patient|was|were|instead|against|removed|error|wrong|dropped|cancel\w*|overrul\w*|postpon\w*|gives? up|reject\w*|no longer)\b",
    re.IGNORECASE,
)
_CHAIRS: Final = frozenset({"supervisor", "moderator", "chair"})


def _overtaken(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What its speaker or the moderator takes back later, or what turns out to be another's, stands no more."""
    words = _marks(told) - names
    if not words or _TOLD_BACK.search(told):
        return None
    shares = [len(words & _marks(source.text)) / len(words) for source in said]
    most = max(shares, default=0.0)
    last = max((place for place, share in enumerate(shares) if share == most >= LEAST_SHARE), default=None)
    if last is None:
        return None
    source, mine = said[last], words & _marks(said[last].text)
    if mine & _only_denied(source.text) & denied_and_affirmed(_bare(told))[1]:
        return "what was taken back would be told as standing"
    for later, share in zip(said[last + 1 :], shares[last + 1 :], strict=True):
        own = later.agent == source.agent or later.agent in _CHAIRS
        if own and (mine & _only_denied(later.text) or (share < shares[last] and _BACK.search(later.text))):
            return "what was taken back would be told as standing"
        if _NOT_HERS.search(later.text) and mine & frozenset(telling(later.text)):
            return "what was taken back would be told as standing"
        if _CORRECTS.search(later.text) and _replaced(told, source.text, later.text):
            return "what was taken back would be told as standing"
    return None


def _only_denied(text: str) -> frozenset[str]:
    denied, affirmed = denied_and_affirmed(text)
    return denied - affirmed


def _marks(text: str) -> frozenset[str]:
    return frozenset((*telling(text), *(quantity.number for quantity in quantities(text))))


def _replaced(told: str, before: str, after: str) -> bool:
    """Tell whether a number of `told` has another in its place, of the same unit, in a correction."""
    old = {(number.values, number.unit) for number in _numbers_of(before)}
    new = {(number.values, number.unit) for number in _numbers_of(after)}
    mine = {(number.values, number.unit) for number in _numbers_of(told)} & old
    return any(
        number not in new and any(unit == number[1] for _, unit in new) for number in mine if number[1]
    )


_VOTE: Final = re.compile(r"\b(?P<for>\w+) to (?P<against>\w+)(?=[.,]| for\b| against\b| on\b| in\b)|\b(?:all (?P<all>\w+)|(?P<both>bilateral|both)) (?:hold|agree|lead|support|think|favou?r|have)|(?P<every>\ball)(?: of (?:them|us))? (?:are|agree|lead|hold|favou?r|support)|(?<!Doctor )\b(?P<some>two|three|four|five)(?: doctors| agents)? (?:lead|hold|are for|are with|are against|favou?r|support|think|back|agree)\b", re.IGNORECASE)  # fmt: skip
_WITH: Final = re.compile(r"\b(?:agree|side|concur|with|join|same as|second|support)\b[^.;]{0,20}?\bdoctor ?(?P<n>\d|zero|one|two|three|four)\b", re.IGNORECASE)  # fmt: skip
_CHAIR: Final = frozenset({"supervisor", "moderator", "paper"})


def _counts(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """Numbers in words are in the cited text, or count agents rightly."""
    agents = list(dict.fromkeys(source.agent for source in said if source.agent not in _CHAIR))
    text = told
    for match in _VOTE.finditer(told):
        numbers = [_number(match[name] or "") for name in ("for", "against")]
        whole = _number(match["all"] or match["some"] or "") if match["all"] or match["some"] else None
        whole = 2 if match["both"] else len(agents) if match["every"] else whole
        if match["for"] and None in numbers:
            continue
        about = (
            frozenset(telling(re.split(r"[;,.]\s", told[match.end() :])[0])) - names
            or frozenset(telling(told)) - names
        )
        if not about:
            return "a count has no vote"
        against = "against" in match.group().lower() and match["some"]
        if against:
            continue
        holders = sum(_holds(agent, about, said, agents) for agent in agents)
        if match["for"] and numbers != [holders, len(agents) - holders]:
            return "a count is not that of the vote"
        if whole is not None and whole != holders:
            return "a count is not that of the vote"
        text = text.replace(match.group(), " ")
    return _loose_counts(text, said, agents, names)


def _loose_counts(
    text: str, said: Sequence[Said], agents: Sequence[str], names: frozenset[str]
) -> str | None:
    there = {
        number
        for source in said
        for word in re.findall(r"\w+", source.text)
        if (number := _number(word)) is not None
    }
    for word in re.findall(r"(?<!Doctor )\b[a-z]+\b", text, re.IGNORECASE):
        number = _number(word)
        if number is None or number < 2 or word.lower() in names:
            continue
        if number not in there and not (
            number == len(agents)
            and re.search(
                rf"\b{word} (?:agents|doctors|leading|views|diagnoses|opinions)", text, re.IGNORECASE
            )
        ):
            return "a count is not in the cited text"
    pairs = [(_number(a), _number(b)) for a, b in re.findall(r"\b(\w+) (?:out )?of (?:the )?(\w+)\b", text)]
    known = {
        (_number(a), _number(b))
        for s in said
        for a, b in re.findall(r"\b(\w+) (?:out )?of (?:the )?(\w+)\b", s.text)
    }
    if any(None not in pair and pair not in known for pair in pairs):
        return "a count is not in the cited text"
    return None


def _number(word: str) -> int | None:
    word = word.lower()
    if word.isdigit() and len(word) < 3:
        return int(word)
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS else None


def _holds(
    agent: str, about: frozenset[str], said: Sequence[Said], agents: Sequence[str], depth: int = 0
) -> bool:
    """Tell whether an agent's last word on it is for what the words `about` name."""
    for source in reversed([source for source in said if source.agent == agent]):
        denied, affirmed = denied_and_affirmed(source.text)
        if about & (affirmed - denied):
            return True
        if about & denied:
            return False
        joined = _WITH.search(source.text)
        if joined and depth < 3:
            number = joined["n"]
            other = f"doctor{number if number.isdigit() else NUMBER_WORDS.index(number.lower())}"
            return other in agents and _holds(other, about, said, agents, depth + 1)
        return False
    return False


_TIMED: Final = re.compile(r"\b(?:minutes?|hours?|days?|weeks?|months?|years?)\b", re.IGNORECASE)


def _times(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """A span of time keeps its unit: "in two hours" is not "in two days"."""
    pattern = re.compile(r"\b(\w+)[ -](minutes?|hours?|days?|weeks?|months?|years?)\b", re.IGNORECASE)
    there = {
        (a.lower(), b.lower().removesuffix("s")) for source in said for a, b in pattern.findall(source.text)
    }
    for number, unit in pattern.findall(told):
        if _number(number) is not None or number.isdigit():
            digits = str(_number(number)) if _number(number) is not None else number
            alike = {
                number.lower(),
                digits,
                NUMBER_WORDS[int(digits)] if int(digits) < len(NUMBER_WORDS) else digits,
            }
            if not any((form, unit.lower().removesuffix("s")) in there for form in alike):
                return "a time is not in the cited text"
    return None


_ORDER: Final = re.compile(
    r"\b(before|after|until) (?:(?:the|her|his|any|an?|every|each|that|this) )*(\w+)", re.IGNORECASE
)


def _order(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What comes before something does not come after it."""
    there: dict[str, set[str]] = {}
    for source in said:
        for when, what in _ORDER.findall(source.text):
            there.setdefault(concept(what), set()).add(when.lower())
    for when, what in _ORDER.findall(told):
        way, ways = when.lower(), there.get(concept(what), set())
        if ways and not ways & ({way} if way == "after" else {"before", "until"}):
            return "an order in time is turned round"
    return None


_CHECKS: Final = (
    _numbers,
    _words,
    _polarity,
    _sides,
    _doubts,
    _supposed,
    _overtaken,
    _counts,
    _times,
    _order,
)
