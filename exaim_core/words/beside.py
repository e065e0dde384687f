"""Put what is short beside the sentence that goes on with it, or the one before it.

Of the judged sentences in their speaker's words with up to eight words one in five was not true, of those with nine to
fourteen one in twenty (docs/decisions/062): the exception, the manner or the noun stood in the next sentence. What is
not urgent is told in a passage, with the sentences before it on its line (docs/decisions/140).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from exaim_core.claims.answering import answered_by, is_long, opens_turn, says_of_what
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.measured import values_named
from exaim_core.claims.put_right import values_put_right
from exaim_core.claims.quotes import is_talk
from exaim_core.lexicon.alone import MOST_JOINED, hangs, is_dose_of_nothing, led_from, led_in, stopped_with
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_test
from exaim_core.lexicon.named import is_bare_condition, is_known
from exaim_core.lexicon.phrases import asks_back, is_noise, is_request
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.schema import SpokenKind
from exaim_core.text.assertion import NOT_OURS, statuses_of
from exaim_core.text.boundaries import sentences
from exaim_core.text.names import Names
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import lower_first, upper_first, word_count
from exaim_core.words.care_sentences import opens_with_order
from exaim_core.words.templates import Wording, said_words

SHORT_WORDS: Final = 8
MOST_WORDS: Final = 22
LEAST_WORDS: Final = 2  # words that a neighbour needs
MOST_BEFORE: Final = 2  # sentences before one that is told in a passage
MOST_OF_PASSAGE: Final = 28  # words: eleven seconds
_KINDS: Final = frozenset({SpokenKind.CAUTION, SpokenKind.ACTION, SpokenKind.CHANGE})
_WORD: Final = re.compile(r"\w+")
_SUBJECT: Final = re.compile(
    r"\W*(?:the|an?|this|his|her|their|our|my|your|he|she|we|i|there|both|mrs?|ms|dr|patients?)\b",
    re.IGNORECASE,
)
_CAUTION: Final = re.compile(r"\ACaution, ")  # left out before a question


def with_context(
    made: Wording, said: Sequence[Unit], names: Names, is_fallen: Callable[[Source], bool]
) -> Wording | None:
    """Return `made` with the earlier words of its turn to which it refers; None if `said` lacks them.

    If its own turn does not name the thing, it is told after the words of another agent that it answers, with that
    agent's name.

    A sentence that refers to nothing and is short is told with the sentence after it on its line, else with the one
    before it, if both fit; but not with a sentence that was overturned since, for which `is_fallen` holds.
    """
    if made.claims[0].read and (behind := answering_words(made, names)) is not None:
        return behind  # the reading says what it is about, and names only that
    own = (
        made.kind in _KINDS
        or (made.quoted and made.kind is SpokenKind.FINDING)
        or _answers_unnamed_order(made)
    )
    words = said_words(made.text)
    alone = len(made.claims) == 1 or _answers_unnamed_order(made)
    at = _index_of(made.claims[0], words, said, whole=_answers_unnamed_order(made)) if alone else None
    if made.hangs or (own and at is not None and _follows_a_condition(said, at)):
        before = [] if at is None else [*_turn_before(said, at)][::-1]
        if before and words.lower().startswith(before[-1].full.lower()):
            return answering_words(made, names) or made  # "I disagree. Wells is zero."
        if made.claims[0].worth is Worth.CORRECTION and (righted := answering_words(made, names)) is not None:
            return righted  # the words that it puts right
        return _led_in(made, words, before) or answering_words(made, names)
    if own and at is not None and (asked := _as_question(made, words, said, at)) is not None:
        return asked
    complete = made.claims[0].worth is Worth.DOUBTED  # its status says what became of it
    if not own or at is None or complete or word_count(words) > SHORT_WORDS:
        return made
    after = _on_the_line(said, at, at + 1)
    if (
        after is not None
        and not is_fallen(after.source)
        and not after.source.meets(made.claims[0].source)
        and (whole := joined(made, words, f"{words}. {_bare(after)}", after))
    ):
        return whole
    earlier = None if _answers_unnamed_order(made) else _on_the_line(said, at, at - 1)
    if (
        earlier is not None
        and not is_fallen(earlier.source)
        and not earlier.source.meets(made.claims[0].source)
        and not hangs(earlier.full)
        and not puts_right(words, earlier)
        and (whole := joined(made, words, f"{_bare(earlier).rstrip('.;')}. {upper_first(words)}", earlier))
    ):
        return whole
    return made


def with_its_subject(
    made: Wording, said: Sequence[Unit], names: Names, may_lead: Callable[[Source], bool]
) -> Wording:
    """Return `made`, if it names nothing known, behind the words before it that do; else `made`.

    These are the sentences of its turn from the nearest on that names something known; none of them if one may not lead
    (`may_lead`). What opens its turn is told behind the words that it answers.
    """
    words = said_words(made.text)
    if not is_in_own_words(made) or made.behind or says_of_what(words):
        return made
    at = next((at for at, unit in enumerate(said) if is_told_in(unit, made)), None)
    before = [*_turn_before(said, at)][::-1] if at is not None else []
    if opens_turn(before):
        return answering_words(made, names) or made
    led = led_from(words, [each.full for each in before], MOST_JOINED, _leads)
    if led is None or not all(_states(each) and may_lead(each.source) for each in before[-led[0] :]):
        return made
    return joined(made, words, led[1], *before[-led[0] :], most=MOST_JOINED) or made


def lacks_its_words(made: Wording) -> bool:
    """Return whether a finding is told without the words that it goes on from, refers to or reports.

    Its first sentence begins with a pronoun (not "he" or "she", who is mostly the patient), a joining word or an
    answer, or reports what somebody said, and names nothing given, measured or tested. More than half of the judged
    findings of such a form were not true; of all, one in six. What presses or protects is told all the same.
    """
    if made.kind is not SpokenKind.FINDING or made.presses or made.protects or made.behind:
        return False
    claim = made.claims[0]
    told_as_it_is = claim.stated or claim.reported or claim.worded or claim.read
    if told_as_it_is or len(made.agents) > 1 or made.text.startswith("On "):
        return False
    first = next(iter(sentences(said_words(made.text))), "")
    if hangs(first):
        return True
    named = drugs_named(first) or analytes_named(first) or names_test(first)
    return not named and (_GOES_ON.match(first) is not None or _REPORTS.search(first) is not None)


_GOES_ON: Final = re.compile(
    r"\W*(?:(?:no|yes|yeah|nope|agreed|ok(?:ay)?)[,.!]"
    r"|(?:and|but|so|then|which|also|because|it|they|that|this|these|those|its)\b)",
    re.IGNORECASE,
)
_REPORTS: Final = re.compile(r"\b(?:told|said|says|asked|called|rang|tells|reckons)\b", re.IGNORECASE)


def is_in_own_words(made: Wording, kinds: Container[SpokenKind] = _KINDS) -> bool:
    """Return whether `made` quotes its speaker, or is one of `kinds`, and says nothing of its own about the words."""
    claim = made.claims[0]
    quotes = claim.text.rstrip(".").lower() in made.text.lower() and not made.text.startswith("On ")
    worded = claim.stated or claim.reported or claim.worded or claim.read
    return (made.quoted or made.kind in kinds) and quotes and not worded


def is_told_in(unit: Unit, made: Wording) -> bool:
    """Return whether `unit` is a sentence that `made` tells."""
    return isinstance(unit, Sentence) and any(unit.source.meets(each.source) for each in made.claims)


def _leads(sentence: str) -> bool:
    """Return whether a sentence may say what the next one is about."""
    return is_long(sentence) and says_of_what(sentence)


def _states(there: Sentence) -> bool:
    """Return whether a sentence says something of this patient now."""
    return not (there.row or statuses_of(there.full, "") & NOT_OURS)


def in_passage(made: Wording, said: Sequence[Unit], may_lead: Callable[[Source], bool]) -> Wording | None:
    """Return `made` with up to two sentences before it on its line (one if it is urgent), as many as fit.

    What a sentence is about was mostly said before it. `may_lead` returns whether words may be told before it; a short
    sentence gets the one after it too. None if it opens its turn and is either a dose of nothing named, or a quotation
    that names nothing known and has no subject: such a sentence answers somebody, and says nothing alone.
    """
    words = said_words(made.text)
    at = _index_of(made.claims[0], words, said, whole=False) if len(made.claims) == 1 else None
    if at is None:
        return made
    own = made.claims[0].source
    after = _on_the_line(said, at, at + 1) if word_count(words) <= SHORT_WORDS else None
    fits = (
        after is not None
        and may_lead(after.source)
        and not after.source.meets(own)
        and not prohibits(after.full)
    )
    tails = [[after], []] if after is not None and fits else [[]]
    nearest = takewhile(
        lambda each: not (each.source.meets(own) or puts_right(words, each)), _line_before(said, at)
    )
    before = [*islice(nearest, MOST_BEFORE - made.presses)]
    for count in range(len(before), 0, -1):
        there = before[count - 1 :: -1]
        if not all(may_lead(each.source) for each in there) or hangs(there[0].full):
            continue
        led = " ".join(stopped_with(_bare(each)) for each in there)
        for tail in tails:
            ends = (
                [f"{upper_first(words)}.", *(_bare(each) for each in tail)] if tail else [upper_first(words)]
            )
            text = " ".join((led, *ends))
            if whole := joined(made, words, text, *there, *tail, most=MOST_OF_PASSAGE):
                return whole
    opens = next(_turn_before(said, at), None) is None
    fragment = opens and made.quoted and _SUBJECT.match(words) is None
    return made if is_known(words) or not (fragment or (opens and is_dose_of_nothing(words))) else None


def puts_right(words: str, there: Sentence) -> bool:
    """Return whether `words` give another number for a value of `there`: behind it they would say it twice."""
    return not {*values_put_right(words)}.isdisjoint(values_named(there.full))


def _line_before(said: Sequence[Unit], at: int) -> Iterator[Sentence]:
    """Yield the sentences before `at` on its line, the nearest first, while each is about the patient.

    Under a heading there are none: what the heading says of them would be lost.
    """
    for other in range(at - 1, -1, -1):
        there = _on_the_line(said, at, other)
        if there is None or there.heading or there.row or statuses_of(there.full, "") & NOT_OURS:
            return
        yield there


def _answers_unnamed_order(made: Wording) -> bool:
    """Return whether `made` answers an order that it does not name."""
    claim = made.claims[0]
    return made.kind is SpokenKind.CORRECTION and bool(claim.entity and claim.rests_on)


def _as_question(made: Wording, words: str, said: Sequence[Unit], at: int) -> Wording | None:
    """Return `made` as a question if its speaker asks right after it whether it is so; else None."""
    tag = _on_the_line(said, at, at + 1)
    if tag is None or _answers_unnamed_order(made) or not asks_back(tag.full):
        return None
    whole = joined(made, words, f"{words}. {_bare(tag)}", tag, most=MOST_JOINED)
    asks = _CAUTION.sub("", whole.text) if whole is not None else ""
    return None if whole is None else replace(whole, text=upper_first(asks), protects=False)


def _led_in(made: Wording, words: str, before: Sequence[Sentence]) -> Wording | None:
    led = led_in(words, [each.full for each in before], MOST_JOINED)
    return None if led is None else joined(made, words, led[1], *before[-led[0] :], most=MOST_JOINED)


def answering_words(made: Wording, names: Names) -> Wording | None:
    """Return `made` behind the words of another agent that it answers; None if it answers none."""
    other = answered_by(made.claims[0])
    if other is None:
        return None
    behind = f"{upper_first(names(other.agent_id))}: {lower_first(_stopped(other.text))} "
    agents = (*made.agents, other.agent_id)
    return replace(
        made,
        text=f"{behind}{made.text}",
        said=(*made.said, other),
        agents=agents,
        brief=None,
        hangs=False,
        behind=behind,
    )


def _stopped(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _follows_a_condition(said: Sequence[Unit], at: int) -> bool:
    """Return whether only a condition stands before the sentence at `at`, and not in it as well."""
    before = next(_turn_before(said, at), None)
    here = said[at]
    return (
        before is not None
        and is_bare_condition(before.full)
        and not (isinstance(here, Sentence) and before.full.rstrip(" :").lower() in here.full.lower())
    )


def _turn_before(said: Sequence[Unit], at: int) -> Iterator[Sentence]:
    """Yield the sentences before the one at `at` in its turn and under its heading, the nearest first."""
    here = said[at]
    for unit in reversed(said[:at]):
        if not (isinstance(here, Sentence) and isinstance(unit, Sentence)) or unit.row:
            return
        if (unit.source.agent_id, unit.heading) != (here.source.agent_id, here.heading):
            return
        yield unit


def _index_of(claim: Claim, words: str, said: Sequence[Unit], *, whole: bool) -> int | None:
    """Return the index in `said` of the sentence that holds `words`; None if they are no whole sentence.

    `whole`: it is the sentence at the claim's place, even if a label of it was left out.
    """
    told = set(_WORD.findall(words.lower()))
    for at, unit in enumerate(said):
        if isinstance(unit, Sentence) and unit.source == claim.source and not unit.row:
            if whole and unit.source.spans == claim.source.spans:
                return at
            own = set(_WORD.findall(unit.text.lower()))
            if own <= told and 2 * len(own) >= len(told):
                return at
    return None


def _on_the_line(said: Sequence[Unit], at: int, other: int) -> Sentence | None:
    """Return the unit at `other` if it is a sentence of the same line that states something."""
    here = said[at]
    there = said[other] if 0 <= other < len(said) else None
    if not (isinstance(here, Sentence) and isinstance(there, Sentence)):
        return None
    alike = there.line_no == here.line_no and there.source.agent_id == here.source.agent_id
    if alike and there.text.endswith("?"):
        asks = other > at and word_count(there.full) <= LEAST_WORDS and not things(there.full)  # "Slowly?"
        return there if asks else None
    states = not (
        is_bare_condition(there.full) or is_noise(there.text) or is_request(there.text) or is_talk(there.text)
    )
    return there if alike and states and word_count(there.full) >= LEAST_WORDS else None


def joined(made: Wording, words: str, text: str, *others: Sentence, most: int = MOST_WORDS) -> Wording | None:
    """Return `made` with `text`, in which `others` stand beside its `words`; None if it has more than `most` words."""
    if word_count(text) > most:
        return None
    opening = made.text[: len(made.text.rstrip(".")) - len(words)]
    if opens_with_order(text):
        opening = upper_first(_CAUTION.sub("", opening))
    claim = made.claims[0]
    beside = [
        Claim(claim.agent_id, Kind.QUOTE, "", each.full, each.source, under=each.section) for each in others
    ]
    said = text.rstrip(".;, ")
    stop = "" if said.endswith(("?", "!")) else "."
    return replace(made, text=f"{opening}{said}{stop}", claims=(*made.claims, *beside), brief=None)


def _bare(neighbour: Sentence) -> str:
    """Return the sentence without a quotation mark or an arrow before it."""
    return neighbour.full.lstrip(" >→*•")
