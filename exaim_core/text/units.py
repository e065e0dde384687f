"""The units that a reader makes of an agent's text: sentences, headings and JSON blocks, with places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from exaim_core.text.places import Source
from exaim_core.text.sections import Section


@dataclass(frozen=True, slots=True)
class Lead:
    """Words that open the lines below them, such as "If he deteriorates:", and where they stand."""

    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a list item without one, as plain text under its heading.

    `item` is the bold or colon-led term of the list item or paragraph that the sentence belongs to;
    `opens` marks the first sentence of it, and `text` leaves the term out. `line_no` counts lines. `above` is all
    that it stands under, outermost first: headings, keys of JSON, what a table's header says of all its rows.
    `row`: it is a row of a table. `head` is what a system put before the message that it opens: its number, what it
    refers to. `mark` is the number of the list item that it opens. `keyed`: it is worded from JSON, and is complete.
    `step`: it stands there as a thing to do, whatever its words are. `doubted`: words beside its
    name say no, or are not understood: it is told in these words, and no claim is made of it. `led_by` are the
    lines with a colon, or the headings, right above the lines that it is one of, outermost first.
    """

    text: str
    section: Section
    heading: str
    item: str | None
    opens: bool
    listed: bool
    bolds: tuple[str, ...]
    line_no: int
    source: Source
    above: tuple[str, ...] = ()
    row: bool = False
    head: str = ""
    mark: str = ""
    keyed: bool = False
    step: bool = False
    doubted: bool = False
    led_by: tuple[Lead, ...] = ()

    @property
    def full(self) -> str:
        """Return the sentence with the term it opens with."""
        if not (self.opens and self.item):
            return self.text
        return f"{self.item}: {self.text}" if self.text else self.item

    @property
    def set_aside(self) -> bool:
        """Return whether it is prose that is no order for now: its status says that it is over, or a case has to come.

        A ban or an alarm in it stands.
        """
        return self.doubted and not self.keyed


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; whatever list or paragraph stood before it is complete."""

    text: str
    section: Section
    source: Source


@dataclass(frozen=True, slots=True)
class JsonBlock:
    """A JSON object with its values as lists of plain strings, in the order written, and their places."""

    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    text: str
    source: Source
    sources: Mapping[str, Source] = field(default_factory=dict, compare=False)

    def source_of(self, value: str) -> Source:
        """Return where `value` stands; the whole block if that was not found."""
        return self.sources.get(value, self.source)


Unit = Sentence | Heading | JsonBlock
