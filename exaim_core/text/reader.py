"""Read text the way agents write: headings, list items, bold terms, JSON blocks and plain sentences.

Each agent has one `Reader`. Text comes in chunks that may end anywhere; the units that leave are whole: a heading,
a sentence with the list item it belongs to, or a JSON block. Unfinished text waits inside, up to a bound:
a sentence without an end is cut (`boundaries.forced_ends`), and a line or a block that is too long is plain text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Final

from exaim_core.text.assertion import is_of_another
from exaim_core.text.boundaries import (
    MOST_CHARS,
    MOST_LINE_CHARS,
    parts,
    sentence_ends,
)
from exaim_core.text.jsonplaces import narrowing
from exaim_core.text.jsonrecords import is_of_patient
from exaim_core.text.jsonstatements import statements_of
from exaim_core.text.jsontext import Json, pairs_of, parsed
from exaim_core.text.marks import is_machinery, message_head, plain, react_label
from exaim_core.text.openings import (
    BOLD_LINE,
    FENCE,
    HEADING,
    LIST_MARK,
    MOST_JSON_CHARS,
    OPTION,
    STATUS,
    STEP,
    heading_depth,
    is_set_aside,
    label_of,
    may_be_more,
    opens_json,
)
from exaim_core.text.places import Places, Source
from exaim_core.text.sections import Section, classify, classify_label, is_other_title, only_forbids
from exaim_core.text.tables import (
    cells_of,
    doubted_row,
    is_header,
    is_rule,
    opposed,
    row_of,
    title_of,
)
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.unfinished import OpenBlock, OpenLead, OpenTable, Place
from exaim_core.text.units import Heading, JsonBlock, Lead, Sentence, Unit

_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_ENDED: Final = re.compile(r"(?:(?<!\d)|(?<=\d[.,]\d))[.!?][\"')\]*”’]*\s*\Z")
_APART: Final = frozenset({Section.DISAGREEMENT, Section.AGREEMENT, Section.CRITICAL, Section.REVISION})
"""What a label alone on its line announces, apart from the heading above.

For example "**Open question:** whether …".
"""
_FORBIDDING: Final = frozenset({Section.CAUTION, Section.WITHDRAWN})
_ENTITY_SECTIONS: Final = frozenset({Section.LEADING, Section.DIFFERENTIAL, Section.TESTS})


class Reader:
    """Turns one agent's chunks into units; keeps the unfinished rest."""

    def __init__(self, agent_id: str, places: Places | None = None) -> None:
        self._agent_id = agent_id
        self._places = places or Places()
        self._read = 0  # characters
        self._rest = ""
        self._pieces: deque[Piece] = deque()  # pieces of the rest; the first may be partly used
        self._place = Place()
        self._table = OpenTable()
        self._block: OpenBlock | None = None
        self._line_no = 0
        self._titles: list[tuple[int, str]] = []  # the open headings, with their depth

    @property
    def pending_from_seq(self) -> int | None:
        """Return the number of the first delta with unread text; None if there is none."""
        if self._table.row_from is not None:
            return self._table.row_from.first_seq
        if self._block is not None:
            return self._block.source.first_seq
        return self._pieces[0].seq if self._pieces and self._rest.strip() else None

    def push(self, chunk: Chunk) -> list[Unit]:
        """Take a chunk and return the units that are now whole, in order."""
        self._rest += chunk.text
        self._pieces.extend(piece for piece in chunk.pieces if piece.chars)
        units: list[Unit] = []
        while (end := self._rest.find("\n")) >= 0:
            units += self._whole_line(end)
            self._use(1)
            self._place.in_line = False
        if self._block is not None and self._block.chars + len(self._rest) > MOST_JSON_CHARS:
            units += self._json_as_text()
        if self._rest and self._block is None:
            units += self._begun_line()
        return units

    @property
    def rests(self) -> bool:
        """Return whether nothing unfinished is held. "7." may be half a number."""
        return self._block is None and (not self._rest.strip() or _ENDED.search(self._rest) is not None)

    @property
    def held(self) -> str:
        """Return the part of a sentence or a line that has no end yet."""
        return self._rest

    def end_turn(self, *, most: int | None = None) -> list[Unit]:
        """Return the units of what is left: the turn is over, and its headings with it.

        `most`: the turn was cut off. Of an unfinished sentence or line only so many characters are
        read; an open block is left out.
        """
        units = (
            self._whole_line(len(self._rest) if most is None else most) if self._rest and most != 0 else []
        )
        units += self._end_table()
        if self._block is not None and most is None:
            units += self._close_json(self._block)
        self._use(len(self._rest))
        self._place, self._block = Place(), None
        self._titles.clear()
        return units

    @property
    def _above(self) -> tuple[str, ...]:
        place = self._place
        opened = (place.sub[1] if place.sub else "", place.lead_in if place.listed or place.option else "")
        return (*(title for _, title in self._titles), *filter(None, opened))

    def _use(self, chars: int) -> Source:
        """Drop `chars` from the rest and return the deltas they came from."""
        if not self._pieces:
            return Source(self._agent_id, 0, 0, 0.0)
        spans = self._spans(self._rest[:chars])
        self._rest = self._rest[chars:]
        self._read += chars
        self._places.forget(self._read)
        first = last = self._pieces[0]
        while chars > 0:
            last = self._pieces.popleft()
            if last.chars > chars:
                self._pieces.appendleft(Piece(last.seq, last.at_s, last.chars - chars))
            chars -= last.chars
        return Source(self._agent_id, first.seq, last.seq, last.at_s, spans)

    def _spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return where `text`, which is read next, was written, without the blanks around it."""
        bare = text.lstrip()
        start = self._read + len(text) - len(bare)
        bare = bare.rstrip()
        return (self._places.find(start, start + len(bare)),) if bare else ()

    def _whole_line(self, end: int) -> list[Unit]:
        line = self._rest[:end]
        units: list[Unit] = []
        if self._block is not None and self._block.chars + end > MOST_JSON_CHARS:
            units = self._json_as_text()
        return units + self._line(line, end)

    def _line(self, line: str, end: int) -> list[Unit]:
        if self._block is not None:
            return self._json_line(end)
        if self._place.in_line:
            return self._body(end, whole=True)
        called = end <= MOST_LINE_CHARS and is_machinery(plain(line)) and line.count("{") == line.count("}")
        json = not called and end <= MOST_JSON_CHARS and opens_json(line)
        if not json and end <= MOST_LINE_CHARS and (cells := cells_of(line)):
            return self._table_line(cells, end)
        before = self._end_table()
        if json:
            return before + self._json_line(end)
        if not line.strip():
            self._use(end)
            self._place.apart = True
            return before
        if called:
            self._use(end)
            return before
        return before + self._text_line(line, end)

    def _text_line(self, line: str, end: int) -> list[Unit]:
        heading = None
        if end <= MOST_LINE_CHARS:
            heading = HEADING.match(line) or (None if self._names_entity(line) else BOLD_LINE.match(line))
        if heading:
            text = plain(heading["text"]).strip(" :")
            depth = heading_depth(line)
            over = [each for each in self._place.leads if 0 < each.depth < depth]
            self._place = Place(classify(text), text, leads=over)
            self._titles = [each for each in self._titles if each[0] < depth] + [(depth, text)]
            made = Heading(text, self._place.section, self._use(end))
            self._place.leads.append(OpenLead(Lead(text, made.source), depth=depth))
            return [made]
        units, used = self._open_line(line)
        return units + self._body(end - used, whole=True)

    def _table_line(self, cells: tuple[str, ...], end: int) -> list[Unit]:
        """Read a line of a table. One that may be a header is read when the next line shows that it is none."""
        table, piped = self._table, self._rest.lstrip().startswith("|")
        if is_rule(cells):
            table.begin()
            self._use(end)
            return self._end_row()
        if not table.header and is_header(table.row, cells):
            table.begin()
        made = self._end_row()
        table.add(cells, self._use(end), piped=piped)
        return made if table.may_head() else made + self._end_row()

    def _end_row(self) -> list[Unit]:
        row = self._table.take_row()
        if row is None:
            return []
        cells, source = tuple(map(plain, row[0])), row[1]
        header = tuple(map(plain, self._table.header))
        if opposed(header):
            return self._stated([dict(zip(header, cells, strict=False))], lambda _: source)
        if said := doubted_row(header, cells):
            return self._stated([said], lambda _: source, row=True)
        worded = row_of(header, cells)
        if not worded.item and not worded.text:
            return []
        self._line_no += 1
        section, heading = self._place.now
        item = worded.item or None
        above = (*self._above, *filter(None, [title_of(header)]))
        return [
            Sentence(part, section, heading, item, True, True, (), self._line_no, source, above, row=True)
            for part in parts(worded.text) or ("",)
        ]

    def _end_table(self) -> list[Unit]:
        made, self._table = self._end_row(), OpenTable()
        return made

    def _names_entity(self, line: str) -> bool:
        """Return whether an all-bold line names what its heading announced, and is no heading itself."""
        bold = BOLD_LINE.match(line)
        return (
            bold is not None
            and self._place.now[0] in _ENTITY_SECTIONS
            and classify(plain(bold["text"])) is Section.OTHER
            and not is_other_title(plain(bold["text"]))
        )

    def _begun_line(self) -> list[Unit]:
        line = self._rest
        if self._place.in_line:
            return self._body(len(line), whole=False)
        bare = line.lstrip()
        before = self._end_table() if self._table.piped and bare and bare[0] != "|" else []
        if may_be_more(line) or not sentence_ends(line, whole=False):
            return before
        before += self._end_table()
        units, _ = self._open_line(line)
        return before + units + self._body(len(self._rest), whole=False)

    def _open_line(self, line: str) -> tuple[list[Unit], int]:
        """Read mark and label at a line's start and use them up; return also their length."""
        self._line_no += 1
        place = self._place
        place.closed = False
        before = place.now
        mark = LIST_MARK.match(line)
        start = mark.end() if mark else len(line) - len(line.lstrip())
        start += react_label(line[start:])
        head = message_head(line[start:])
        place.head = line[start : start + head].strip()
        place.mark = (mark["number"] or "") if mark else ""
        start += head
        indent = len(mark["indent"].expandtabs(4)) if mark else 0
        place.step = STEP.match(line, start) is not None
        step = mark is not None or place.step
        place.leads = [
            each
            for each in place.leads
            if each.leads(indent, marked=step, listed=place.listed, apart=place.apart)
        ]
        new_paragraph = place.apart and place.listed and start == 0
        goes_on = place.bare and mark is None and not new_paragraph
        place.bare, place.apart, place.in_line, place.label = False, False, True, None
        label, length = label_of(line[start:], listed=mark is not None)
        if goes_on and label is None:  # the text of an item whose first line held only its name
            place.opens = False
            return [], 0
        place.listed, place.opens, place.item, place.indent = mark is not None, True, None, indent
        place.option = OPTION.match(line) is not None
        place.lead_in = place.lead_in if place.listed or place.option else ""
        section = classify_label(label) if label else Section.OTHER
        numbered = mark is not None and mark["number"] is not None
        alone = not line[start + length :].strip()
        forbids = label is not None and only_forbids(label)
        if label and (section is not Section.OTHER or (forbids and alone)):
            place.sub, place.sub_indent, place.sub_numbered = (section, label.strip(" :")), indent, numbered
            place.sub_heads = alone and mark is None
        else:
            if place.sub and place.ends_sub(indent, marked=mark is not None, numbered=numbered):
                place.sub = None
            place.item = label
            apart = mark is None and label is not None and (new_paragraph or classify(label) in _APART)
            place.closed = (forbids or apart) and place.now[0] not in _FORBIDDING
        used = start + length
        place.label = self._use(used) if used else None
        if place.now == before or place.label is None or place.closed:
            return [], used
        return [Heading(place.now[1], place.now[0], place.label)], used

    def _body(self, end: int, *, whole: bool) -> list[Unit]:
        """Read the sentences in the next `end` characters: all of a `whole` line, else those that ended."""
        text = self._rest[:end]
        cuts = _outside_strikes(text, sentence_ends(text, whole=whole), whole=whole)
        cuts = [cut for cut in cuts if STATUS.match(text, cut) is None]
        if whole and self._rest[cuts[-1] if cuts else 0 : end].strip():
            cuts.append(end)
        units: list[Unit] = []
        done = 0
        for cut in cuts:
            if cut - done >= MOST_CHARS and not self._rest[: cut - done].strip():
                self._use(cut - done)
            else:
                units.append(self._sentence(cut - done))
            done = cut
        if whole:
            if self._place.opens and self._place.item:
                units.append(self._sentence(0))
                self._place.bare = True
            if end > done:
                self._use(end - done)
        return units

    def _sentence(self, chars: int) -> Sentence:
        place = self._place
        raw = self._rest[:chars]
        source = self._use(chars) if chars else place.label
        if source is None:
            source = Source(self._agent_id, 0, 0, 0.0)
        if place.opens and place.label is not None:
            source = place.label.through(source)
        section, heading = place.now
        bolds = tuple(plain(bold).strip(" :") for bold in _BOLD.findall(raw))
        made = Sentence(
            *(
                plain(raw),
                section,
                heading,
                place.item,
                place.opens,
                place.listed,
                bolds,
                self._line_no,
                source,
            ),
            above=self._above,
            head=place.head,
            mark=place.mark,
            doubted=(place.listed or place.step) and is_set_aside(raw),
            led_by=tuple(each.lead for each in place.leads),
        )
        place.opens, place.head, place.mark = False, "", ""
        if made.full.endswith(":") or (made.opens and not made.text):
            over = [each for each in place.leads if place.listed or each.holds]
            place.leads = [*over, OpenLead(Lead(made.full, source), place.indent if place.listed else -1)]
        if made.text.endswith((":", "?")) and not (place.listed or place.option):
            place.lead_in = made.text
        return made

    def _json_line(self, end: int) -> list[Unit]:
        line = self._rest[:end]
        source = self._use(end)
        block = self._block = self._block or OpenBlock(source, self._read - end)
        block.add(line, source)
        return self._close_json(block) if block.ends else []

    def _close_json(self, block: OpenBlock) -> list[Unit]:
        self._block = None
        text = "\n".join(line for line in block.lines if not FENCE.match(line))
        written, at, source = "\n".join(block.lines), block.at, block.source
        pairs = tuple((key, _short(values)) for key, values in pairs_of(text))
        if not pairs:
            return []
        of_value = narrowing(written, at, source, self._places)
        sources = {value: of_value(value) for _, values in pairs for value in values}
        made = JsonBlock(pairs, text, source, sources)
        return [made, *self._stated(parsed(text) or (), narrowing(written, at, source, self._places))]

    def _stated(
        self, objects: Sequence[Mapping[str, Json]], source_of: Callable[[str], Source], *, row: bool = False
    ) -> list[Unit]:
        """Return the units of what objects state, each on its own line; a `row` of a table orders nothing."""
        units: list[Unit] = []
        for said in statements_of(objects):
            quoted = said.doubted or (row and (said.step or said.item != ""))
            if quoted:
                said = said.whole()
            source = reduce(Source.through, map(source_of, said.pieces))
            whose = next((key for key in reversed(said.path) if is_of_another(key)), "")
            words, item = plain(said.text), plain(said.item)
            if whose and not is_of_another(said.text):
                words, item = (words, f"{whose}: {item}") if item else (f"{whose}: {words}", item)
            self._line_no += 1
            above = (*self._above, *said.path)
            charted = not said.step and any(map(is_of_patient, said.path))
            section = Section.OTHER if charted and said.section is Section.ACTIONS else said.section
            given = [(part, section, said.heading) for part in parts(words) or ("",)]
            given += [(part, Section.OTHER, "") for part in parts(plain(said.behind))]
            units += [
                Sentence(
                    *(*each, item or None, number == 0, True, (), self._line_no, source, above),
                    keyed=True,
                    step=said.step and number == 0,
                    doubted=quoted,
                )
                for number, each in enumerate(given)
            ]
        return units

    def _json_as_text(self) -> list[Unit]:
        """Read a block that is too long, or was no JSON, as sentences line by line."""
        block, self._block = self._block, None
        section, heading = self._place.now
        units: list[Unit] = []
        if block is None:
            return units
        for text in (part for line in block.lines for part in parts(plain(line))):
            self._line_no += 1
            units.append(
                Sentence(
                    *(text, section, heading, None, True, False, (), self._line_no, block.source, self._above)
                )
            )
        return units


def _outside_strikes(text: str, cuts: list[int], *, whole: bool) -> list[int]:
    """Return those of `cuts` that are not within words struck out ("~~A. B.~~"), which are one piece.

    A strike without an end does not count once the line is whole, and one that is too long is cut all the same.
    """
    if "~~" not in text or (whole and text.count("~~") % 2):
        return cuts
    kept, signs, done = [0], 0, 0
    for cut in cuts:
        signs += text.count("~~", done, cut)
        done = cut
        if signs % 2 == 0 or cut - kept[-1] >= MOST_CHARS:
            kept.append(cut)
    return kept[1:]


def _short(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return `values` with single blanks, too long ones in parts."""
    return tuple(part for value in values for part in parts(" ".join(value.split())))
