"""Hold what of a text is unfinished: the reader's place under its headings, an open table, an open block of JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from exaim_core.text.marks import plain
from exaim_core.text.openings import FENCE, IN_BOLD
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.tables import gives_a_value, heads_again, may_head_too
from exaim_core.text.units import Lead


@dataclass(slots=True)
class OpenLead:
    """The line with a colon, or the heading, that opens the lines being read.

    `indent` is that of a list item; -1 for a line without a mark. `depth` is that of a heading; 0 for none.
    """

    lead: Lead
    indent: int = -1
    depth: int = 0
    begun: bool = False  # a line below it was read

    @property
    def holds(self) -> bool:
        """Return whether it is a heading with signs, which holds up to the next one."""
        return 0 < self.depth < IN_BOLD

    def leads(self, indent: int, *, marked: bool, listed: bool, apart: bool) -> bool:
        """Return whether it also opens the next line; `listed`: the last one was an item of a list.

        `marked`: the next line has a list's mark, or is called a step. `apart`: an empty line stands before it.
        """
        first, self.begun = not self.begun, True
        if self.holds:
            return True
        if self.indent >= 0:
            return indent > self.indent and (marked or not apart)
        return marked or first or not (apart or listed)


@dataclass(slots=True)
class Place:
    """Where the reader stands: the heading, a list item that heads others, the open item."""

    section: Section = Section.OTHER
    heading: str = ""
    sub: tuple[Section, str] | None = None
    sub_indent: int = 0
    sub_numbered: bool = False
    sub_heads: bool = False  # its label stood alone on a line without a mark, so the list below belongs to it
    closed: bool = False  # the line's label says what follows it, so the heading above does not apply
    item: str | None = None
    listed: bool = False
    indent: int = 0
    step: bool = False  # the line is called a step: "Step 2: …"
    opens: bool = False
    in_line: bool = False
    bare: bool = False
    apart: bool = False  # an empty line stands before it
    label: Source | None = None
    head: str = ""  # what a system put before the message that the line begins
    mark: str = ""  # the number of the list item that the line opens
    option: bool = False  # the line is one of several answers: "A) …"
    lead_in: str = ""  # the sentence above the list that is being read: "His mother's results:"
    leads: list[OpenLead] = field(default_factory=list)  # outermost first

    @property
    def now(self) -> tuple[Section, str]:
        """Return what the heading or label that holds here announces, and its text."""
        return (Section.OTHER, "") if self.closed else self.sub or (self.section, self.heading)

    def ends_sub(self, indent: int, *, marked: bool, numbered: bool) -> bool:
        """Return whether a line does not belong under the label above it."""
        if marked and self.sub_heads:
            return False
        return indent <= self.sub_indent and (not marked or numbered is self.sub_numbered)


@dataclass(slots=True)
class OpenTable:
    """The table that is being read: its header, and a last line that may be a header if a rule follows.

    A row right below another may be either, if its words do not say which: it is read as a row, and heads what
    follows a rule. A row between two rules is a row.
    """

    header: tuple[str, ...] = ()
    header_from: Source | None = None
    row: tuple[str, ...] = ()
    row_from: Source | None = None
    piped: bool = False  # the row begins with "|"
    ruled: bool = False  # the last line but the row is a rule
    either: tuple[tuple[str, ...], Source] | None = (
        None  # the last line, a row that may also head the next ones
    )

    def begin(self) -> None:
        """Take a rule: the last line is the header if it may be one."""
        if self.row and self.may_head():
            self.header, self.header_from = self.row, self.row_from
            self.row, self.row_from = (), None
        elif self.either is not None:
            self.header, self.header_from = self.either
        self.ruled, self.either = True, None

    def add(self, cells: tuple[str, ...], source: Source, *, piped: bool) -> None:
        """Take a line with cells; the one before it was read."""
        self.row, self.row_from, self.piped = cells, source, piped
        below_a_row = not (self.ruled and any(self.header[1:]))  # a header of one cell is a title
        may = below_a_row and not self.may_head() and may_head_too(tuple(map(plain, cells)))
        self.ruled, self.either = False, (cells, source) if may else None

    def take_row(self) -> tuple[tuple[str, ...], Source] | None:
        """Return the last line, which is a row, with where it was written; None if there is none."""
        cells, source, self.row, self.row_from = self.row, self.row_from, (), None
        return (cells, source.beside(self.header_from)) if cells and source is not None else None

    def may_head(self) -> bool:
        """Return whether the last line heads what follows if the next line is a rule."""
        cells = tuple(map(plain, self.row))
        return not gives_a_value(cells) and (not self.header or heads_again(cells))


@dataclass(slots=True)
class OpenBlock:
    """A block of JSON that is open: its lines, where it was written, and how much of it is open."""

    source: Source
    at: int  # its place in the agent's plain text
    lines: list[str] = field(default_factory=list)
    chars: int = 0
    open: int = 0  # open braces and brackets

    def add(self, line: str, source: Source) -> None:
        """Add a line, written at `source`."""
        self.source = self.source.through(source) if self.lines else source
        self.lines.append(line)
        self.chars += len(line) + 1
        self.open += sum(map(line.count, "{[")) - sum(map(line.count, "}]"))

    @property
    def ends(self) -> bool:
        """Return whether the newest line closes the block."""
        if FENCE.match(self.lines[0]):
            return len(self.lines) > 1 and FENCE.match(self.lines[-1]) is not None
        return self.open <= 0 or (len(self.lines) > 1 and FENCE.match(self.lines[-1]) is not None)
