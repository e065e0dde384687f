"""Follow up what was spoken: a later sentence about it is told once, in its speaker's words.

Follow-ups go before what is routine. Two modules remember what was spoken: `board/following.py` values and allergies,
`board/overturning.py` orders and bans. Here a sentence is held against both, the follow-up is worded, and other claims
from the same words are dropped so that nothing is said twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.changes import ChangeKind
from exaim_core.board.overturning import Overturned, ToldOrder
from exaim_core.board.putting_right import put_right
from exaim_core.claims.claims import Claim, Kind, ListEnd, Mark, Stance, Worth, said_by
from exaim_core.claims.critical import critical_findings
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.measured import speaks_of_before, values_named
from exaim_core.claims.put_right import is_taken_back, values_put_right
from exaim_core.claims.quotes import in_own_words
from exaim_core.claims.refusing import offers
from exaim_core.grounding.alarms import told_words
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.named import is_bare_condition
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import Status, clauses, gives_to_another, statuses_of
from exaim_core.text.names import person
from exaim_core.text.quantities import quantities
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import upper_first, word_count

MOST_RIGHTED: Final = 30  # words of a sentence that says that an allergy is none
_OF_ITSELF: Final = re.compile(r"\A[^:.]*\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b[^:.]*: (?=.)")
"""What a speaker says of itself before it speaks of the thing: "I accept that ruling: heparin waits"."""
_PUTS_RIGHT: Final = frozenset({Kind.CAUTION, Kind.CRITICAL, Kind.CORRECTION})
Made = Claim | ListEnd


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a sentence says about something that was spoken.

    `again`: its words, to be spoken; None if a claim of the sentence says the same. `over`: the order or ban that it
    overturns; None if it is about a value or an allergy. `fallen`: names and numbers of values that, by this sentence,
    are not the patient's.
    """

    again: Claim | None = None
    over: Overturned | None = None
    fallen: tuple[tuple[str, str], ...] = ()

    def told_once(self, made: Iterable[Made], quote: Claim | None) -> tuple[list[Made], Claim | None]:
        """Return the sentence's other claims and quotation, without those that `again` already tells."""
        if self.again is None:
            made = [*made]
            return made, None if quote is not None and _is_in_an_alarm(quote, made) else quote
        if self.over is not None and self.over.wrong:
            made = [each for each in made if not (isinstance(each, Claim) and self._is_told_again(each))]
        made = [self._for_the_page(each) for each in made]
        if self.over is not None:
            made = [_without(each, self.over.order) for each in made]
        return made, None if quote is not None and self._tells(quote) else quote

    def _is_told_again(self, claim: Claim) -> bool:
        """Return whether a claim repeats what `again` tells and would mean nothing without its noun."""
        return claim.kind in {Kind.FINDING, Kind.ACTION, Kind.CAUTION} and self._tells(claim)

    def _for_the_page(self, claim: Made) -> Made:
        told = isinstance(claim, Claim) and claim.kind is Kind.FINDING and self._tells(claim)
        return replace(claim, entity="", mark=Mark.PAGE) if isinstance(claim, Claim) and told else claim

    def _tells(self, claim: Claim) -> bool:
        """Return whether `again` tells the words of `claim`, but for what the speaker says of itself first.

        An answer to an order is spoken after the order's name, and not after the sentence before it.
        """
        over, again = self.over, self.again
        if over is not None and over.words and over.words.lower() in claim.text.lower():
            return True
        lead = _OF_ITSELF.match(claim.text)
        words = claim.text[lead.end() :] if lead is not None and not things(lead.group()) else claim.text
        return again is not None and words.strip(" ;.,").lower() in again.text.lower()


NOTHING: Final = FollowUp()


class FollowUps:
    """Finds, words and remembers the follow-ups of one case."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def found(
        self, unit: Sentence, before: Sequence[Sentence], made: Iterable[Made | None], *, is_kept: bool
    ) -> FollowUp:
        """Return what `unit`, the sentence heard last, says about something that was spoken.

        `made` are its claims and its quotation; `is_kept`: it opens a caution that goes on in the next sentence.
        """
        overturning = self._board.overturning
        overturning.hold(unit)
        claims = [each for each in made if each is not None]
        about = self._board.following.follow_up(unit, claims)
        righted = self._board.following.put_right(unit)
        fallen = (*righted, *(_fallen(self._board, unit, about) if about is not None else ()))
        if righted and any(_alarms_with(each, righted) for each in claims):
            return FollowUp(None, None, fallen)
        if righted and (again := _words_on_values(unit, righted)) is not None:
            return FollowUp(again, None, fallen)
        if about is not None and (again := _words_on_value(unit, before, claims, about)) is not None:
            return FollowUp(again, None, fallen)
        if fallen:
            return FollowUp(None, None, fallen)
        over = overturning.overturned(unit)
        if over is None or (is_kept and not overturning.is_own(over.order)):
            return NOTHING
        so = [each for each in claims if _tells_so(each, over, unit)]
        if so and (
            not over.wrong or any(each.kind is Kind.CRITICAL for each in so if isinstance(each, Claim))
        ):
            return FollowUp(None, over)
        again = _words_on_order(over, unit, before)
        return FollowUp(again, over) if again is not None else NOTHING

    def tell(self, found: FollowUp, unit: Unit, made: Iterable[Made | None]) -> None:
        """Have a follow-up spoken, and remember the sentence's orders and bans, which may be overturned too."""
        again, over = found.again, found.over
        told = over is not None
        if again is not None:
            told = self._board.follow_up(again, (over.name or over.words) if over is not None else "")
        if again is not None and found.fallen:
            self._board.show(again)
        if over is not None and told:
            self._board.overturning.use(over, unit.source)
        if over is not None and over.wrong:
            order = over.order
            old = said_by(order.source, Kind.QUOTE, order.text)
            by = again or next(each for each in made if isinstance(each, Claim))
            put_right(self._board, old, over.wrong, by, drugs_named(over.name))
        self._note(made)
        if isinstance(unit, Sentence):
            self._board.overturning.give(unit)
            self._board.following.state(unit)
        if again is not None and told and over is None:
            self._board.overturning.tell(again)
        elif isinstance(unit, Sentence) and not unit.row and offers(unit.full):
            self._board.overturning.tell(said_by(unit.source, Kind.QUOTE, unit.full))

    def tell_end(self, unit: Sentence, values: Iterable[str]) -> None:
        """Have `unit` told, which gives one of `values` that end a hazard which an order had met."""
        words = next((found for each in values if each and (found := told_words(unit.full, each))), "")
        if words:
            self._board.follow_up(said_by(unit.source, Kind.QUOTE, words, worth=Worth.VALUES))

    def tell_none(self, unit: Sentence, substances: Iterable[str]) -> None:
        """Have `unit` told, which says that an allergy is none, if it names a substance and is short enough."""
        named = drugs_named(unit.full) or any(each in unit.full.lower() for each in substances)
        if named and word_count(unit.full) <= MOST_RIGHTED:
            self._board.follow_up(said_by(unit.source, Kind.QUOTE, unit.full, worth=Worth.CORRECTION))

    def end_turn(self, agent_id: str, made: Iterable[Made]) -> None:
        """Remember the orders and bans of a turn's end; tell which order the turn refuses without naming it."""
        self._note(made)
        overturning = self._board.overturning
        if (held := overturning.take_held(agent_id)) is None:
            return
        over, unit = held
        again = _words_on_order(over, unit, ())
        if again is not None and self._board.follow_up(again, over.words):
            overturning.use(over, unit.source)
            if overturning.is_own(over.order):
                self._board.changes.forget(ChangeKind.ACTION, self._board.orders.drop(over.order.source))

    def _note(self, made: Iterable[Made | None]) -> None:
        for claim in made:
            if isinstance(claim, Claim) and _asks_or_forbids(claim):
                self._board.overturning.tell(claim)


def _alarms_with(claim: Made, righted: Sequence[tuple[str, str]]) -> bool:
    """Return whether an alarm is told in words that hold the value which it puts right."""
    found = claim.critical if isinstance(claim, Claim) else None
    return found is not None and not {*values_put_right(found.words)}.isdisjoint(righted)


def _is_in_an_alarm(quote: Claim, made: Sequence[Made]) -> bool:
    """Return whether an alarm is told in words that put the same value right as `quote` does."""
    return any(_alarms_with(each, values_put_right(quote.text)) for each in made)


def _words_on_values(unit: Sentence, righted: Sequence[tuple[str, str]]) -> Claim | None:
    """Return the words of `unit` that put values right, uncut; None if they are too many."""
    words = told_words(
        unit.full, next((each.text for each in clauses(unit.full) if righted[0][1] in each.text), "")
    )
    return said_by(unit.source, Kind.QUOTE, words, worth=Worth.CORRECTION) if words else None


def _fallen(board: Board, unit: Sentence, about: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return name and number of the alarm that `unit` calls wrong, somebody else's, or past; () for none.

    `about`: the name, and the words by which `unit` refers to it.
    """
    name, where = about
    if statuses_of(unit.full, where) & _UNSURE:
        return ()
    for value in board.alarms.values_of(name):
        given = quantities(value)[0]
        another = gives_to_another(unit.full)
        if where == another:
            return ((name, given.number),)
        if where != given.number:
            if speaks_of_before(unit.full) or _IS_NOW.search(unit.full) is None:
                continue  # an earlier value of the patient's own does not end the alarm
            now = f"{name} {where} {value[len(given.number) :].strip()}"
            if not any(each.value for each in critical_findings(now)) and name not in dict(
                values_named(unit.full)
            ):
                return ((name, given.number),)  # the patient's own value is another one, and not critical
            continue
        if (
            another
            or _is_of_another(unit.full, where)
            or (
                _is_called_wrong(unit.full, name, where, given.unit)
                and is_taken_back(unit.full, name, where, value[len(given.number) :].strip())
            )
        ):
            return ((name, given.number),)
    return ()


def _is_called_wrong(text: str, name: str, number: str, unit: str) -> bool:
    """Return whether `text` only calls a value wrong: with no doubt, and with no other critical value."""
    sentence = next(
        (each for each in _ENDS.split(text) if re.search(rf"(?<![\d.]){re.escape(number)}", each)), ""
    )
    before = sentence.partition(number)[0].lower().replace(name.lower(), "")
    others = [each.number for each in quantities(sentence) if each.number != number]
    return _LEADS.fullmatch(before) is not None and not any(
        each.value for other in others for each in critical_findings(f"{name} {other} {unit}".rstrip())
    )


_IS_NOW: Final = re.compile(r"\b(?:hers|his|theirs|ours) is (?=\d)", re.IGNORECASE)
_ENDS: Final = re.compile(r"(?<=[.!;]) +")
_LEADS: Final = re.compile(r"(?:please|disregard|ignore|sorry|correction|the|that|this|of|\W)*")


def _is_of_another(text: str, number: str) -> bool:
    """Return whether the number's clause, or a short one before it, gives it to somebody else."""
    found = clauses(text)
    at = next((at for at, each in enumerate(found) if number in each.text), 0)
    before = [each for each in found[max(at - 1, 0) : at] if word_count(each.text) <= FEW_WORDS]
    return any(Status.OTHER_PERSON in each.statuses for each in (*before, found[at]))


FEW_WORDS: Final = 3
_UNSURE: Final = frozenset({Status.HEDGED, Status.CONDITIONAL, Status.QUESTION, Status.BOOKS})


def _words_on_value(
    unit: Sentence, before: Sequence[Sentence], made: list[Made], found: tuple[str, str]
) -> Claim | None:
    """Return the words of `unit` about a value or allergy that was spoken; None if they must not be told."""
    words = told_words(unit.full, found[1])
    if not words or unit.full.partition(words)[2].startswith(","):
        return None  # cut at a comma it may say only half
    if is_bare_condition(words):
        return None
    agent, worth = person(unit.source.agent_id), Worth.VALUES
    named = any(each.limit is not None and each.limit.name == found[0] for each in analytes_named(words))
    if named and hangs(words):
        joined = in_own_words(agent, words, unit, before, worth)
        if joined is not None or not any(map(_takes_an_alarm_off, made)):
            return joined
        named = False  # a correction of an alarm is spoken after the alarm's name
    what = "" if named else found[0]
    return said_by(unit.source, Kind.QUOTE, words, entity=what, worth=worth, under=unit.section)


def _takes_an_alarm_off(claim: Made) -> bool:
    """Return whether a claim ends an alarm: the value is within its limits again, or always was."""
    return isinstance(claim, Claim) and claim.kind is Kind.CRITICAL and claim.stance is not Stance.PROPOSES


def _words_on_order(over: Overturned, unit: Sentence, before: Sequence[Sentence]) -> Claim | None:
    """Return the words of `unit` that overturn a spoken order or ban; None if they are too many."""
    name = over.name
    if over.words:
        order = over.order
        asked = said_by(order.source, Kind.QUOTE, order.text)
        rests_on = () if over.wrong else (asked,)  # the wrong amount is not shown beside its correction
        what, worth = over.what or order.called, Worth.CORRECTION
        return said_by(unit.source, Kind.QUOTE, over.words, entity=what, worth=worth, rests_on=rests_on)
    words = told_words(unit.full, over.part or name).lstrip(" >→*•")
    bare = _OF_ITSELF.sub("", words)
    words = bare if name in bare else words
    agent, worth = person(unit.source.agent_id), Worth.CORRECTION
    if over.part and words:  # the clause names the drug, and which of its amounts is wrong
        return said_by(unit.source, Kind.QUOTE, words, worth=worth)
    return in_own_words(agent, words, unit, before, worth) if words else None


def _tells_so(claim: Made, over: Overturned, unit: Sentence) -> bool:
    """Return whether a claim itself says, as early, that the order is forbidden or put right."""
    if not isinstance(claim, Claim) or not over.name or not claim.tells_of(over.name):
        return False
    if not claim.source.meets(unit.source):
        return False  # a caution that was kept open until now
    if claim.kind is Kind.QUOTE:
        return claim.worth.presses
    return claim.kind in _PUTS_RIGHT or (
        claim.kind is Kind.REVOKES and (claim.stance is Stance.WITHDRAWS or claim.mark is Mark.TOLD)
    )


def _asks_or_forbids(claim: Claim) -> bool:
    if claim.kind is Kind.QUOTE:
        return claim.worth in {Worth.ORDER, Worth.URGENT, Worth.PROHIBITION}
    return claim.kind in {Kind.ACTION, Kind.CAUTION} and claim.mark is not Mark.PAGE


def _without(claim: Made, order: ToldOrder) -> Made:
    """Return a caution without the preceding sentence that gives the overturned order."""
    if (
        not isinstance(claim, Claim)
        or claim.kind is not Kind.CAUTION
        or not claim.text.startswith(order.text)
    ):
        return claim
    rest = claim.text.removeprefix(order.text).lstrip(" .;")
    return replace(claim, text=upper_first(rest)) if rest else claim
