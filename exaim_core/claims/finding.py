"""What a critical finding is: the thing measured or the emergency, its value as written, and its key."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

IN_WORDS: Final = "words:"
"""How the key of a finding begins that is told in its speaker's own words. Its name is only what kind they may mean."""
_COUNT: Final = "#"  # stands before how often a finding has come, in what a later one is told as


def without_count(told_as: str) -> str:
    """Return the key of the finding that is told as `told_as`: the same however often it came."""
    return counted(told_as)[0]


def is_again(told_as: str, earlier: str) -> bool:
    """Return whether what is told as `told_as` is a finding told as `earlier` that has come again."""
    (key, count), (old, old_count) = counted(told_as), counted(earlier)
    return key == old and count > old_count


def counted(told_as: str) -> tuple[str, int]:
    """Return the key of the finding that is told as `told_as`, and how often it had come by then."""
    key, _, count = told_as.rpartition(_COUNT)
    return (key, int(count)) if key and count.isdecimal() else (told_as, 1)


@dataclass(frozen=True, slots=True)
class Sign:
    """A thing measured: its name, what the agent calls it, and its value as written."""

    name: str
    mention: str
    value: str


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical finding: what it is, its value as written ("" for a named emergency), and its key.

    `problem` names what a cue and a value have in common, so that "hyperkalaemia" does not alarm
    again after "potassium 6.9 mmol/L". `mention` is what the agent calls it ("SpO2"). For an order that meets a
    hazard `order` is what is asked for, or already `running`, and `against` the condition that `by` (an agent's
    id, "" for the record) states; "" for an allergy. `also` are more drugs of that order which meet it. `words`: the
    agent's own, told in place of name and value if a second reading differs. `beside` is the second sign of a
    computed alarm, told with this one. `times`: how often it has come, each time after it was over.
    """

    name: str
    value: str
    key: str
    problem: str
    mention: str = ""
    order: str = ""
    against: str = ""
    by: str = ""
    running: bool = False
    words: str = ""
    beside: Sign | None = None
    also: tuple[str, ...] = ()
    times: int = 1

    @property
    def told_as(self) -> str:
        """Return the key under which it is told: one that comes again is news, and has a key of its own."""
        return self.key if self.times == 1 else f"{self.key}{_COUNT}{self.times}"

    @property
    def names(self) -> str:
        """Return the names of what is measured."""
        return f"{self.beside.name} {self.name}" if self.beside else self.name

    @property
    def orders(self) -> tuple[str, ...]:
        """Return all that is asked for and meets the hazard; none for another finding."""
        return (self.order, *self.also) if self.order else ()

    @property
    def what(self) -> str:
        """Return what it is and its value: "potassium 6.9", "heart rate 138 with blood pressure 84/40"."""
        what = f"{self.name} {self.value}".strip()
        return f"{self.beside.name} {self.beside.value} with {what}" if self.beside else what


def is_hazard(problem: str, hazards: Container[str]) -> bool:
    """Return whether the alarm of an order, by its `problem`, is about one of `hazards`.

    Those are conditions ("low platelets") and allergies ("allergy:penicillin").
    """
    return problem in hazards or (
        problem.startswith("contraindication:") and problem.split(":", 2)[2] in hazards
    )
