"""Quotations: sentences that no outright form reads, and that a clinician should hear all the same.

Nothing is concluded from them. A quotation keeps its speaker's words, whole or as a whole part between semicolons, so
that no negation, hedge, condition, number or side is lost. Markers only say how much it is worth, and whether
it goes before the rest: a wrong marker costs a moment, no truth.
"""

# ruff: noqa: E501 - a row is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from exaim_core.claims.announced import announces_correction, only_announces, rights_outright
from exaim_core.claims.answering import behind, denying, opens_turn, righted
from exaim_core.claims.claims import Claim, Kind, ListEnd, Mark, Stance, Worth
from exaim_core.claims.consensus import about_the_debate
from exaim_core.claims.cut_short import breaks_off
from exaim_core.claims.dissenting import dissent
from exaim_core.claims.finding import IN_WORDS
from exaim_core.claims.put_right import values_put_right
from exaim_core.claims.whose import says_whose
from exaim_core.claims.worth import LEAST, likelihood
from exaim_core.lexicon.alone import MOST_JOINED, commands, hangs, is_scrap, led_in, stopped_with
from exaim_core.lexicon.bidding import bids
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import (
    names_condition,
    names_measure,
    names_test,
    says_something,
    states_condition,
)
from exaim_core.lexicon.named import is_bare_condition, names_to_do, points
from exaim_core.lexicon.options import without_letter
from exaim_core.lexicon.phrases import is_noise, is_request
from exaim_core.lexicon.prohibitions import lists_prohibited, prohibits
from exaim_core.text.assertion import NOT_OURS, Status, gives_to_another, statuses_of
from exaim_core.text.boundaries import between_stops
from exaim_core.text.names import is_moderator
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, forbids
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

LEAST_WORDS: Final = 3
USUAL_WORDS: Final = 18  # seven seconds at the default voice's 2.6 words a second
MOST_WORDS: Final = 22  # for an urgent quotation: nine seconds with the speaker's name


MOST_OF_A_BAN: Final = MOST_JOINED + 10  # with the words that name what it forbids


TITLE_WORDS: Final = 4  # words of a heading that is said before its items
_FORMS: Final = lexicon("claims/quotes")


_NUMBERING: Final = re.compile(r"\A\W*\d{1,2}[.)]\s*")


_ANSWERS: Final = frozenset({Worth.URGENT, Worth.PROHIBITION, Worth.CORRECTION})
"""Worths that may be about another agent's words, and are then told after these."""
_OF_ANOTHER: Final = _FORMS.late("of_another")
"""Another's view as this speaker reports it: its holder may have dropped it since."""
_TYPED: Final = {
    Worth.CONCLUSION: {Kind.CONCLUDES, Kind.LEADING},
    Worth.CORRECTION: {Kind.CORRECTION, Kind.REVOKES, Kind.LEADING},
    Worth.PROHIBITION: {Kind.CAUTION, Kind.REVOKES},
    Worth.URGENT: {Kind.ACTION, Kind.PRIORITY, Kind.CRITICAL},
    Worth.RESULT: {Kind.CONFIRMS, Kind.FINDING, Kind.CRITICAL},
    Worth.VIEW: {Kind.LEADING, Kind.DIFFERENTIAL},
    Worth.ORDER: {Kind.ACTION, Kind.TEST, Kind.CAUTION, Kind.REVOKES},
    Worth.VALUES: {Kind.FINDING, Kind.CRITICAL},
    Worth.REMARK: set(Kind),
    Worth.DOUBTED: {Kind.CAUTION, Kind.REVOKES},
}
"""The kinds of claims that already say what a sentence of each worth would be quoted for."""
_LISTED: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT, Section.TESTS})
_HELD: Final = NOT_OURS | {Status.CONDITIONAL}


def quote_of(
    agent_id: str,
    unit: Sentence,
    before: Sequence[Sentence] = (),
    answered: Sequence[Sentence] = (),
    *,
    whole: bool = False,
    heard: int = 0,
    denied: Claim | None = None,
) -> Claim | None:
    """Return the part of `unit` that is worth quoting, with its `worth`; None if nothing is.

    `before` are the sentences before it in its turn, `answered` those of another agent that it answers. A part that
    refers to them is quoted with them, or not at all. `whole`: those are a whole turn. `heard`: the words of the discussion
    before it. `denied`: a sentence that was said before, of which it denies something in favour of something else.

    A sentence without a mark of worth that is still likely to hold a key point is a remark that a silence may tell. For
    a silence only whole sentences count, and none with a pronoun for a thing: eight of 26 such were not true alone, of
    the others nine of 116 (docs/decisions/132).
    """
    forbids_it = unit.set_aside and worth_of(unit.full, unit.heading, unit.section) is Worth.PROHIBITION
    if unit.doubted and not forbids_it and breaks_off(unit.full):
        return None
    if unit.doubted and not forbids_it:
        return Claim(
            agent_id, Kind.QUOTE, "", unit.full, unit.source, worth=Worth.DOUBTED, under=unit.section
        )
    text = with_title(unit)
    worth = worth_of(text, unit.heading, unit.section)
    if not unit.row and (right := _by_form(agent_id, unit, text, worth, before, denied)) is not None:
        return right
    if not worth.presses and (differs := dissent(agent_id, unit, before, answered)) is not None:
        return differs
    if is_noise(unit.text) or is_request(unit.text) or is_talk(text) or keeps_from_telling(text):
        return None
    if worth is Worth.CONCLUSION and not _may_conclude(agent_id, unit):
        worth = Worth.VIEW if names_condition(unit.full) else Worth.REMARK
    likely = (
        0.0 if worth.presses or unit.row else likelihood(agent_id, unit, heard=heard, follows=bool(before))
    )
    if worth <= Worth.NOTHING:
        if likely < LEAST or not _is_of_the_case(text):
            return None
        worth = Worth.REMARK
    words = _words_of(text, worth, unit)
    if words is None:
        return None
    made = in_own_words(agent_id, without_letter(words), unit, before, worth, answered, whole=whole)
    if made is None:
        return None
    whole = words == text.strip(" ,;–—") and "…" not in words
    return replace(made, likely=likely if whole and not refers_back(made.text) else 0.0)


def _words_of(text: str, worth: Worth, unit: Sentence) -> str | None:
    """Return the words of `text` that are quoted for its worth; of what says whose a thing is, all or None."""
    short = None if worth.presses else excerpt(text, USUAL_WORDS, worth, unit.heading, unit.section)
    most = MOST_JOINED if worth is Worth.CORRECTION and rights_outright(text) else MOST_WORDS
    if says_whose(text) and word_count(text) > most:
        return None  # a part of it may not say of what
    return short or excerpt(text, most, worth, unit.heading, unit.section)


_UNSURE: Final = frozenset({Status.QUESTION, Status.CONDITIONAL, Status.BOOKS})


def _by_form(
    agent_id: str, unit: Sentence, text: str, worth: Worth, before: Sequence[Sentence], denied: Claim | None
) -> Claim | None:
    """Return `text` as the correction that the words before it make of it; None if they make none.

    The sentence `before` it only announces one, or `denied` has what it denies in favour of something else.
    """
    right = Claim(agent_id, Kind.QUOTE, "", text, unit.source, worth=Worth.CORRECTION, under=unit.section)
    if denied is not None and (worth is Worth.CORRECTION or not worth.presses):
        if (told := denying(right, denied)) is not None:
            return told
    if not before or not only_announces(before[-1].full) or word_count(text) > MOST_JOINED:
        return None
    if is_noise(unit.text) or is_request(unit.text) or is_talk(text) or statuses_of(text, "") & _UNSURE:
        return None
    words = f"{stopped_with(before[-1].full)} {text}"
    return replace(right, text=words, source=before[-1].source.to(unit.source))


_POINTS_AT: Final = re.compile(
    r"(?:\A|[.:;!?] )\W*that |\b(?:these|those"
    r"|this(?! (?:patient|man|woman|child|admission|morning|afternoon|evening|week|month|year)\b))\b",
    re.IGNORECASE,
)
"""Words that refer to what was said before: not used for a silence."""


def refers_back(text: str) -> bool:
    """Return whether `text` has a word for a thing that was said before, named in it or not."""
    return points(text) or _POINTS_AT.search(text) is not None


def _is_of_the_case(text: str) -> bool:
    """Return whether `text` says something about this patient: no question, no textbook, nobody else."""
    return says_something(text) and not statuses_of(text, "") & NOT_OURS and not about_the_debate(text)


def in_own_words(
    agent_id: str,
    words: str,
    unit: Sentence,
    before: Sequence[Sentence],
    worth: Worth,
    answered: Sequence[Sentence] = (),
    *,
    whole: bool = False,
) -> Claim | None:
    """Return `words` of `unit` as a quotation, with the words they refer to; None if those are missing."""
    made = Claim(agent_id, Kind.QUOTE, "", words, unit.source, worth=worth, under=unit.section)
    if values_put_right(words):
        return made  # it names the value, with both its numbers
    if worth is Worth.CORRECTION and rights_outright(words):
        return righted(made, before, answered, alone=announces_correction(words))
    answered = answered if worth in _ANSWERS else ()
    short = is_scrap(words) and worth is not Worth.VIEW  # a view names its condition
    points = hangs(words) and not _says_what_it_is(words)  # "this" is the patient's condition
    waits = before and is_bare_condition(before[-1].full)
    if points or short or (waits and before[-1].full.rstrip(" :").lower() not in words.lower()):
        led = led_in(
            words,
            [each.full for each in before],
            MOST_OF_A_BAN if worth is Worth.PROHIBITION else MOST_JOINED,
        )
        if led is None:
            return behind(made, answered)
        made = replace(made, text=led[1], source=before[-led[0]].source.to(unit.source))
        before = before[: -led[0]]
    return (behind(made, answered, opens=True) if whole and opens_turn(before) else None) or made


def is_talk(text: str) -> bool:
    """Return whether `text` is about the discussion itself."""
    return _FORMS["talk"].search(text) is not None


def keeps_from_telling(text: str) -> bool:
    """Return whether `text` asks not to tell somebody something, which is no caution on a treatment."""
    return _FORMS["untold"].search(text) is not None


def _may_conclude(agent_id: str, unit: Sentence) -> bool:
    """Return whether this concludes for all, and is not one member's view under a chair-like heading."""
    if _FORMS["concludes"].search(unit.full) is not None:
        return True
    of_all = is_moderator(agent_id) or _FORMS["of_all"].search(unit.heading) is not None
    hangs = Status.CONDITIONAL in statuses_of(unit.full, "")
    return (unit.opens or unit.listed) and of_all and not (unit.row or hangs) and names_condition(unit.full)


def with_title(unit: Sentence) -> str:
    """Return the sentence; for a list item or a JSON value after its heading: "Avoid: NSAIDs."."""
    title = _NUMBERING.sub("", unit.heading.replace("_", " ")).strip(" :")
    if not unit.full or not title or word_count(title) > TITLE_WORDS or unit.full.startswith(title):
        return unit.full
    if forbids(title) and not forbids(unit.full.partition(":")[0]):
        return f"{title}: {unit.full}" if unit.opens and not _FORMS["excepts"].match(unit.full) else unit.full
    if _FORMS["excepts"].match(unit.full):
        return unit.full  # "start now: no alkalinisation"
    says = unit.listed and unit.section is Section.OTHER and not says_little(title)
    return f"{title}: {unit.full}" if says and unit.item is None else unit.full


def says_little(title: str) -> bool:
    """Return whether a heading or a key adds nothing to what stands under it."""
    return _FORMS["says_little"].fullmatch(title) is not None


@lru_cache(maxsize=4096)
def worth_of(text: str, heading: str = "", section: Section = Section.OTHER) -> Worth:
    """Return the worth of `text` by its markers; a question or textbook words are worth nothing."""
    statuses = statuses_of(text, "")
    if rights_outright(text):
        return Worth.CORRECTION
    says = says_something(text) or _says_what_it_is(text)
    if not says or statuses & NOT_OURS:
        if not says or statuses & {Status.QUESTION, Status.BOOKS}:
            return Worth.NOTHING
        rights = _FORMS["puts_right"].search(text) and _TELLS_MUCH.search(text)
        return Worth.CORRECTION if rights or gives_to_another(text) else Worth.NOTHING
    known = names_condition(text) or names_to_do(text) or bids(text)
    holds = _says_what_it_is(text) or (
        _FORMS["holds"].search(text) is not None and (known or states_condition(text))
    )
    clinical = (
        known or holds or commands(text)
    )  # the open default: an order for an unknown thing is not urgent
    measured = [each for each in quantities(text) if each.unit] or re.search(r"[A-Za-z)] \d", text)
    if _FORMS["concludes"].search(text) or (
        _FORMS["concluded_title"].fullmatch(heading.strip(" :")) and names_condition(text)
    ):
        return Worth.CONCLUSION if clinical else Worth.REMARK
    if _FORMS["corrects"].search(text):
        return Worth.CORRECTION if clinical or measured or _TELLS_MUCH.search(text) else Worth.REMARK
    if _FORMS["puts_right"].search(text) and (clinical or measured or _TELLS_MUCH.search(text)):
        return Worth.CORRECTION
    if prohibits(text) or lists_prohibited(heading, section, text) or _is_ban(text, clinical=clinical):
        return Worth.PROHIBITION
    if (not clinical and not measured) or about_the_debate(text, but_persons=holds):
        return Worth.NOTHING
    if section in _LISTED:
        return Worth.VIEW if names_condition(text) and _FORMS["view"].search(text) else Worth.REMARK
    held = bool(statuses_of(text, "") & _HELD)
    if _is_at_once(text) and _is_to_do(text) and (known or measured) and not held:
        return Worth.URGENT
    if _is_result(text, bool(measured)) and not held and not _is_only_expected(text):
        return Worth.RESULT
    if holds or (names_condition(text) and _FORMS["view"].search(text)):
        return Worth.VIEW if _OF_ANOTHER.search(text) is None else Worth.REMARK
    if clinical and (_is_to_do(text) or commands(text)):
        return Worth.ORDER
    plainly = not statuses_of(text, "") - {Status.NEGATED}
    return Worth.VALUES if measured and plainly and clinical else Worth.REMARK


def _says_what_it_is(text: str) -> bool:
    """Return whether `text` says what the patient has, with no label before it: "This is meningitis."."""
    behind = (_TO_A_STOP.match(text, found.end()) for found in _FORMS["says_what"].finditer(text))
    return any(words is not None and states_condition(words.group()) for words in behind)


_TO_A_STOP: Final = re.compile(r"(?:(?!\b(?:that|we|to)\b)[^.,;:!?()])*")
_TELLS_MUCH: Final = re.compile(r"\d|\b(?:left|right|L|R)\b|\b[A-Z]{2,}\b")


def _is_ban(text: str, *, clinical: bool) -> bool:
    """Return whether `text` forbids, whatever it forbids (the open default); a denied finding does not."""
    ban = _FORMS["bans"].search(text)
    if ban is None or about_the_debate(text) or statuses_of(text, "") & {Status.PAST, Status.HEDGED}:
        return False
    if not re.match(r"\W*(?:absolutely |and )?no\b", ban.group(), re.IGNORECASE):
        return clinical or not states_condition(text[ban.start() : ban.end() + 20])
    words = ban.group()
    to_do = bool(drugs_named(words)) or names_measure(words)
    return (to_do or _LIMITED.search(text, ban.start()) is not None) and not states_condition(words)


_LIMITED: Final = _FORMS.late("limited")
"""Found beside a "no" that forbids, and hardly beside one that denies."""


def _is_at_once(text: str) -> bool:
    """Return whether something is to be done at once, and not only asked: "whether insulin starts now"."""
    found = _FORMS["at_once"].search(text)
    return found is not None and re.search(r"\bwhether\b[^;.]*\Z", text[: found.start()]) is None


def _is_to_do(text: str) -> bool:
    return names_measure(text) or bool(drugs_named(text)) or asks_for(text) or bids(text)


def asks_for(text: str) -> bool:
    """Return whether `text` has a verb that asks for something."""
    return _FORMS["orders"].search(text) is not None


def _is_result(text: str, measured: bool) -> bool:
    """Return whether a result is here; "it is back" says nothing without a value or a condition."""
    marks = {match.group().lower() for match in _FORMS["result"].finditer(text)}
    says = (
        measured or states_condition(text) or any(not _FORMS["only_here"].fullmatch(mark) for mark in marks)
    )
    return bool(marks) and says and (names_test(text) or states_condition(text))


def _is_only_expected(text: str) -> bool:
    """Return whether a result is only expected: "a CT would show it", "to confirm with a smear"."""
    return re.search(r"\b(?:would|should|could|may|might|will|to|can|must) (?:\w+ )?(?:show|reveal|confirm|exclude|rule|demonstrate)|\bawait", text, re.IGNORECASE) is not None  # fmt: skip


def excerpt(
    text: str, most: int, worth: Worth, heading: str = "", section: Section = Section.OTHER
) -> str | None:
    """Return `text` if it is short enough to be spoken, else a whole part of it that is worth as much.

    A part stands between semicolons, dashes or stops, and neither it nor the rest may depend on the other.
    """
    whole = text.strip(" ,;–—")
    if (LEAST_WORDS <= word_count(whole) or commands(whole)) and word_count(whole) <= most:
        return whole
    parts = [part.strip(" ,;–—") for part in between_stops(text)]
    for at, part in enumerate(parts):
        rest = " ".join((*parts[:at], *parts[at + 1 :]))
        if (
            _FORMS["limits"].search(rest)
            or _FORMS["hangs"].match(part)
            or hangs(part)
            or (at and points(part))
        ):
            continue
        if LEAST_WORDS <= word_count(part) <= most and worth_of(part, heading, section) >= worth:
            return part
    return None


def says_the_same(worth: Worth, made: Iterable[Claim | ListEnd]) -> bool:
    """Return whether one of `made`, the sentence's typed claims, is told instead of a quotation."""
    kinds = _TYPED.get(worth, set())
    return any(
        isinstance(claim, Claim)
        and (claim.kind in kinds or (claim.worth and not worth.presses))
        and _is_told(claim, worth)
        for claim in made
    )


def _is_told(claim: Claim, worth: Worth) -> bool:
    """Return whether a typed claim is told itself; a stop only if it is withdrawn or told as a caution.

    An alarm that tells a value says nothing about what its sentence asks for: "potassium is 7.2, give calcium now".
    """
    if claim.kind is Kind.CRITICAL and claim.critical is None:
        return claim.stance is Stance.WITHDRAWS  # a value that is normal again is told in its own words
    if worth is Worth.URGENT and claim.critical is not None:
        told_whole = bool(claim.critical.words) or claim.critical.key.startswith(IN_WORDS)
        return told_whole or not _names_what_to_do(claim.text, claim.critical.mention)
    return claim.kind is not Kind.REVOKES or claim.stance is Stance.WITHDRAWS or claim.mark is Mark.TOLD


def _names_what_to_do(text: str, measured: str) -> bool:
    """Return whether `text` asks for a thing besides what was `measured` ("must be treated" names none)."""
    rest = _NAMES_NOTHING.sub(" ", text.replace(measured, " ", 1) if measured else text)
    return bool(drugs_named(rest)) or names_measure(rest) or commands(rest.rpartition(", ")[2])


_NAMES_NOTHING: Final = re.compile(r"\b(?:treat|correct|manag|address)(?:ed|ing|ment|e)?\b", re.IGNORECASE)
