"""Follow up values and allergies that were spoken when a later sentence says something else of one.

The follow-up is told in its speaker's words; it needs no list of words for corrections. A value that alarmed is
followed up where it is named with another number, where its number stands in a sentence that does not give it as this
patient's value now, and where the number stands alone. In the few sentences after it the value need not be named:
followed up are a number that is called "ours" or the value now, and a word that it is somebody else's. An allergy is
followed up once: where it is denied or given to somebody else, or where its substance was taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.board.numbers import Number
from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.measured import may_be_of, values_named
from exaim_core.claims.put_right import values_put_right
from exaim_core.claims.slips import says_it_was_a_slip, slips
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import Status, gives_to_another, statuses_of
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first, upper_first

MOST_OF_ONE: Final = 2  # follow-ups of one thing since it was last spoken
MOST_THINGS: Final = 32
MOST_STATED: Final = 128  # values that are remembered; the oldest go
NEAR: Final = 6  # sentences after a value in which an unnamed number may refer to it
LEAST_DIGITS: Final = 2  # digits that a number needs to stand for a value without its name
_CLOCK: Final = re.compile(r":\d|.?\d+:\d")  # matched from the character before a number on
_NOW: Final = re.compile(
    r"\b(?:now|(?:up|down|back) to|(?:the )?repeat)\W{1,3}(?:(?:about|around|at|is|was|shows?) )?\Z",
    re.IGNORECASE,
)
_NOW_BEHIND: Final = re.compile(r"(?: over \d+)?\W{1,2}now\b", re.IGNORECASE)
_OURS: Final = re.compile(
    r"\b(?:ours|hers|his|(?:this|our) patient['’]s)(?: is| was|:| =)? ?\Z", re.IGNORECASE
)
_ALLERGY: Final = re.compile(r"\ballerg\w+", re.IGNORECASE)
_THE_SAME: Final = re.compile(
    r"\b(?:that|this|the)(?: (?:same|stated|listed|alleged|supposed|so-called))? allerg\w+", re.IGNORECASE
)
_IS_NONE: Final = re.compile(
    r"(?:\b(?:is|was|are|were) not|n['’]t|['’]s not) (?:an?|any) (?:\w+ )?allerg\w+", re.IGNORECASE
)
_NO_OTHER: Final = re.compile(
    r"\b(?:no|nil|denies|without) (?:(?:any|known|documented) )*(?!(?:any|known|documented|true|real|such)\b)"
    r"(?P<what>[\w-]+) allerg\w+",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"(?:\b(?:no|not|nil|never|denies|without)\b|n['’]t\b)(?: (?:an?|any|have|had|been|longer|known|true|evidence|of))*"
)
_TAKES: Final = re.compile(r"\b(?:takes?|took|taken|tolerat\w+|had|has|fine)\b", re.IGNORECASE)
_WHOSE: Final = frozenset({Status.NEGATED, Status.OTHER_PERSON})


@dataclass(slots=True)
class _Told:
    """A value that was spoken: its numbers with their units, and where it stood last.

    `left`: how many follow-ups it may still have. `age`: sentences of anybody since.
    """

    source: Source
    numbers: set[Number] = field(default_factory=set)
    left: int = MOST_OF_ONE
    age: int = 0

    def is_near(self) -> bool:
        """Count a sentence; return whether the value was said at most `NEAR` sentences ago."""
        self.age += 1
        return self.age <= NEAR


class Following:
    """The spoken values of one case by the name of what is measured, and the allergies that were stated."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}
        self.allergies: dict[str, Source] = {}
        self._repeated: dict[str, Source] = {}  # allergies that another agent has stated too
        self.stated: dict[tuple[str, str], Source] = {}  # values that were given, spoken or not
        self._last: dict[str, tuple[tuple[str, str], ...]] = {}  # those of the last sentence, by its agent

    def state(self, unit: Sentence) -> None:
        """Note the values that a sentence gives, except those that it says are not the patient's."""
        given = dict.fromkeys(values_named(unit.full), unit.source)
        for value in values_put_right(unit.full):
            given.pop(value, None)
        self.stated = dict([*self.stated.items(), *given.items()][-MOST_STATED:])
        self._last = {unit.source.agent_id: tuple(given)}

    def named(self, unit: Sentence) -> Sentence:
        """Return a sentence that puts its speaker's own value right without its name, with that name before it.

        "I wrote 6.9, sorry, it is 4.9" is about the value that its speaker gave as 6.9; "Sorry, 4.9" is about the
        one value of the speaker's last sentence.
        """
        text, agent = unit.full, unit.source.agent_id
        if unit.item is not None or unit.row or analytes_named(text):
            return unit
        wrong = [text[slice(*each.wrong)] for each in slips(text)]
        meant = [
            value for value, said in self.stated.items() if said.agent_id == agent and [value[1]] == wrong
        ]
        if right := says_it_was_a_slip(text):
            meant = [*self._last.get(agent, ())]
            wrong = [number for _, number in meant if number != right and ("/" in number) == ("/" in right)]
        if len(meant) != 1 or not wrong:
            return unit
        name = meant[0][0].removeprefix("systolic ").removeprefix("adjusted ")
        lead = f"{name} {wrong[0]}, {lower_first(text)}" if right else f"{name}: {text}"
        return replace(unit, text=upper_first(lead))

    def put_right(self, unit: Sentence) -> tuple[tuple[str, str], ...]:
        """Return the values given before that `unit` says are not the patient's: name and number of each."""
        return tuple(
            value
            for value in values_put_right(unit.full)
            if (said := self.stated.get(value)) is not None and _is_later(unit.source, said)
        )

    def tell(self, claim: Claim) -> None:
        """Note an alarm that is spoken; of one on an order that meets a hazard, the value that the order met."""
        found = claim.critical
        if found is None:
            return
        if not found.value:
            for name, _ in values_named(found.against):
                self._note(name, claim, quantities(found.against))
            return
        self._note(found.key.partition("=")[0], claim, quantities(found.value))

    def _note(self, name: str, claim: Claim, values: Iterable[Quantity]) -> None:
        told = self._told.pop(name, None) or _Told(claim.source)
        self._told[name] = told
        told.source, told.left, told.age = claim.source, MOST_OF_ONE, 0
        told.numbers.update((each.number, each.unit) for each in values)
        while len(self._told) > MOST_THINGS:
            del self._told[next(iter(self._told))]

    def state_allergies(self, substances: Iterable[str], source: Source) -> None:
        """Note allergies that were stated at `source`; beyond `MOST_THINGS` the oldest go."""
        self.allergies.update(dict.fromkeys(substances, source))
        while len(self.allergies) > MOST_THINGS:
            del self.allergies[next(iter(self.allergies))]

    def repeat_allergies(self, substances: Iterable[str], source: Source) -> None:
        """Note allergies that `source` states too: they stand if the turn that stated them first is withdrawn."""
        for name in substances:
            first = self.allergies.get(name)
            if first is not None and first.agent_id != source.agent_id:
                self._repeated.setdefault(name, source)
        self._repeated = {name: said for name, said in self._repeated.items() if name in self.allergies}

    def follow_up(self, unit: Sentence, made: Iterable[Claim | ListEnd]) -> tuple[str, str] | None:
        """Return what `unit` says something else about, and the words where it does; None if nothing spoken.

        `made` are the claims of the sentence: a claim that alarms by itself is no follow-up.
        """
        near = [name for name, told in self._told.items() if told.is_near()]
        if unit.text.endswith("?"):
            return None
        alarms = {each.critical.key for each in made if isinstance(each, Claim) and each.critical is not None}
        alarmed = {key.partition("=")[0] for key in alarms}
        named = dict(values_named(unit.full)) if self._told else {}
        taken = {*named.values()}
        for name, told in self._told.items():
            if name in alarmed or not told.left or not _is_later(unit.source, told.source):
                continue
            where = named.get(name) or _bare_number(unit.full, told.numbers, taken)
            if not where and near == [name]:  # with several names it may be about any
                where = _present_number(unit, told, name, taken) or gives_to_another(unit.full)
            if where:
                told.left -= 1
                return name, where
        self._pass_on({*named})
        return self._allergy_followed(unit)

    def _pass_on(self, named: set[str]) -> None:
        """Note that a sentence was about other values: unnamed numbers after it do not refer to earlier ones."""
        for name, told in self._told.items():
            if named and name not in named:
                told.age = NEAR

    def _allergy_followed(self, unit: Sentence) -> tuple[str, str] | None:
        """Return the allergy that `unit` says something else about, and the word by which it names it.

        If several were stated, it is the one that is named, else the newest.
        """
        text = unit.full
        stated = [name for name, source in self.allergies.items() if _is_later(unit.source, source)]
        named = next((name for name in stated if _named(name, text)), None)
        if not stated or (prohibits(text) and not (named and _denies(named, text))):
            return None
        found = _ALLERGY.search(text)
        if found is None and named is not None and _TAKES.search(text):
            found = _named(named, text)
        elif found is not None and not _takes_back(text, named):
            found = None  # it is repeated, or is another person's allergy to something else
        if found is None:
            return None
        substance = named or stated[-1]
        del self.allergies[substance]
        return substance, found.group()

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on."""

        def stays(source: Source) -> bool:
            return person(source.agent_id) != agent_id or source.first_seq < since

        self._told = {name: told for name, told in self._told.items() if stays(told.source)}
        self.stated = {value: source for value, source in self.stated.items() if stays(source)}
        self._last = {agent: values for agent, values in self._last.items() if person(agent) != agent_id}
        self._repeated = {name: source for name, source in self._repeated.items() if stays(source)}
        self.allergies = {
            name: source if stays(source) else self._repeated[name]
            for name, source in self.allergies.items()
            if stays(source) or name in self._repeated
        }

    def tell_standing(self, alarms: Iterable[Claim]) -> None:
        """Note alarms that stand and are not followed up any more."""
        for claim in alarms:
            if claim.critical is not None and claim.critical.key.partition("=")[0] not in self._told:
                self.tell(claim)


def _named(substance: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b{re.escape(substance)}", text, re.IGNORECASE)


def _denies(substance: str, text: str) -> bool:
    """Return whether `text` denies an allergy to `substance` outright ("not given" alone does not)."""
    name = re.escape(substance)
    allergy = rf"(?:{name}\w*[ -]allerg\w+|allerg\w+ to (?:the )?{name})"
    return re.search(rf"{_NO.pattern} {allergy}", text, re.IGNORECASE) is not None


def _takes_back(text: str, substance: str | None) -> bool:
    """Return whether `text` denies an allergy to `substance`, or gives it to somebody else.

    If `substance` is None (not named), the text must point to it or call something no allergy. Saying that there is no
    allergy to something else denies none.
    """
    denied = _NO_OTHER.sub(lambda no: no[0] if substance and _named(substance, no["what"]) else " ", text)
    found = statuses_of(denied, "") & _WHOSE
    if substance is not None or _THE_SAME.search(text):
        return bool(found)
    is_none = Status.NEGATED in found and _IS_NONE.search(text) is not None
    return is_none or (Status.OTHER_PERSON in found and bool(gives_to_another(text)))


def _is_later(source: Source, told: Source) -> bool:
    """Return whether `source` began after `told` ended, or is the same agent's (read in order anyway)."""
    return source.agent_id == told.agent_id or source.first_seq > told.last_seq


def _bare_number(text: str, numbers: set[Number], taken: set[str]) -> str:
    """Return the told number that stands in `text` without the name of anything measured; "" if none."""
    alike = numbers | {(number, "") for number, _ in numbers}
    if _BARE_ROW.search(text):
        return ""
    return next(
        (
            each.number
            for each in _numbers(text, taken)
            if (each.number, each.unit) in alike and not _OF_A_NAME.search(text[: each.start])
        ),
        "",
    )


_BARE_ROW: Final = re.compile(r"(?:\A|,\s)\d+(?:[.,]\d+)?,\s\d+(?:[.,]\d+)?(?:,|\Z)")
"""Several numbers in a row, none of which says what it measures."""
_OF_A_NAME: Final = re.compile(
    r"\b(?:pH|[A-Z]{2,}[\w-]*) (?:(?:under|below|above|over|of|at|is|was|=|<|>) )?\Z"
)
"""An abbreviation right before a number, to which the number belongs."""


def _numbers(text: str, taken: set[str]) -> Iterator[Quantity]:
    """Yield numbers of `text` that may be a value: not `taken` by another name, and no time of day."""
    for each in quantities(text):
        clock = _CLOCK.match(text, max(each.start - 1, 0))
        if each.number not in taken and not clock and sum(map(str.isdigit, each.number)) >= LEAST_DIGITS:
            yield each


def _present_number(unit: Sentence, told: _Told, name: str, taken: set[str]) -> str:
    """Return the number that `unit` says is the patient's own or the value now; "" if none."""
    text, may_be = unit.full, may_be_of(name)
    same = unit.source.agent_id == told.source.agent_id
    for each in _numbers(text, taken):
        before = text[: each.start]
        now = same and (_NOW.search(before) or _NOW_BEHIND.match(text, each.end))
        if may_be(each) and (now or _OURS.search(before)):
            return each.number
    return ""
