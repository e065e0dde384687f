"""Resolve the numbers and letters of one discussion: "withdraw 17", "re 19", "(c) is dangerous".

Teams number their messages and letter their options, and then refer to them by these labels, which no listener knows.
So a sentence is read with the thing behind its label, in brackets, as in any quotation: "withdraw 17 [trimethoprim]".
The brackets are not the speaker's; spoken aloud they become a comma.

A label is *defined* where a message, a line or a heading opens with it; what it stands for is what is named there, in
up to `MOST_WORDS` words or as up to two things. A ban is never named by the thing that it forbids. A later
definition of the same label ends the earlier one; a list that begins anew ends its agent's old one. An item that two
agents define stands for nothing, and so does one whose definition is denied or conditional. A line that
opens with somebody else's label, out of its order, refers to it and defines nothing. A letter alone ("B falls") may be
a blood group or the breathing of an ABCDE, and is left alone, except where rows of a table or proposals put to a vote
have letters. An unknown label stays as it is: a sentence that needs it is not told (`lexicon/alone.py`).

A *code* is a letter with a number ("S1", "3a"). It is a label if a list of codes begins with the first two, or if it
is put to a vote: "B12" and "T4" are none. A proposal is told whole behind its label. A sentence that refers to a
proposal or a table's row by a label that stands for no one thing is set aside (`Sentence.aside`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from exaim_core.board.ballots import is_score
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_measure, names_test
from exaim_core.lexicon.named import is_known, names, points_outside
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.places import Source
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Heading, Sentence
from exaim_core.text.wording import lower_first, word_count

MOST_WORDS: Final = 5  # of a thing that is told in full
MOST_PUT: Final = 8  # words of a proposal that is told in full, or of its first part
MOST_THINGS: Final = 2
MOST_OF_A_MESSAGE: Final = 6  # sentences that may say what a message is about
MOST_LABELS: Final = 256  # of one discussion, the newest
_CODES: Final = ("coded", "scored", "lettered")
_MENTIONS: Final = ("items", "round", "posts", "bare", *_CODES)
MOST_TOLD: Final = 3  # labels in a row that are resolved; more would say too much at once

_WORDS: Final = dict(
    zip("one two three four five six seven eight nine ten".split(), map(str, range(1, 11)), strict=True)
)
_FORMS: Final = lexicon("board/labels")
_INSERTED: Final = re.compile(r" \[[^\]]*\]")
_ONE: Final = re.compile(
    r"\d{1,3}|\([A-Ha-h]\)|\b(?:[A-Ha-h]|one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE
)
_LABEL: Final = re.compile(r"[A-Z]{1,2}\d{1,2}[a-z]?|\d{1,3}[a-h]?|[A-H]")
_BEHIND_A_LABEL: Final = " ).:,*[(–—-"
_PART: Final = re.compile(r"[,;:.!?(–—](?!\d)")
_CODE: Final = re.compile(r"(?P<letters>[a-z]{0,2})(?P<number>\d{1,3})(?P<more>[a-z]?)")
_WORD: Final = re.compile(r"[^\W\d_][\w-]*")


Told = Literal["known", "coded", "put"]
"""How much is told behind a label: `known` or `coded`, a few words that name something; `put`, all."""


@dataclass(slots=True)
class _Defined:
    """A definition: what was said under a label, by whom and where."""

    agent_id: str
    said: list[str]
    source: Source
    told: Told = "known"

    @property
    def thing(self) -> str:
        """Return what the label stands for; "" if that is not one thing."""
        return thing_of(" ".join(self.said), self.told)


@dataclass(slots=True)
class Labels:
    """The labels of one discussion: those of its messages, and of the items and options in them."""

    _put: Collection[str] = ()  # labels of proposals put to a vote, in lower case
    _messages: dict[str, _Defined] = field(default_factory=dict)
    _items: dict[str, _Defined] = field(default_factory=dict)
    _definers: dict[str, set[str]] = field(default_factory=dict)  # by item: who defined its label
    _open: dict[str, _Defined] = field(default_factory=dict)  # by agent: the message that is not over
    _rows: set[str] = field(default_factory=set)  # items that label rows of a table
    _bare: dict[str, tuple[int, str]] = field(
        default_factory=dict
    )  # by agent: a line whose label stood alone

    def named(self, unit: Sentence) -> Sentence:
        """Return `unit` with the thing behind each label that it mentions; note what it defines itself."""
        found = list[Source]()
        start = self._learn(unit)
        if not (self._messages or self._items) or unit.aside:
            return unit
        unknown = unit.opens and unit.item is not None and self._is_unknown(unit.item, 0)
        if unknown or self._is_unknown(unit.text, start):
            return replace(unit, aside=True)
        item = unit.item
        if item and self._stands_for(_key(item)).lower() not in unit.text.lower():
            item = self._with_things(item, 0, found)
        text = self._with_things(unit.text, start, found)
        if not found:
            return unit
        source = replace(unit.source, labels=tuple(dict.fromkeys(found)))
        return replace(unit, text=text, item=item, source=source)

    def title(self, heading: Heading) -> None:
        """Note the label that a heading opens with."""
        if (opened := _FORMS["opens"].match(heading.text)) and opened["noun"]:
            self._define(opened["noun"], heading.text[opened.end() :], heading.source)

    def end_turn(self, agent_id: str) -> None:
        """End the agent's last message."""
        self._open.pop(agent_id, None)

    def _learn(self, unit: Sentence) -> int:
        """Note the label that `unit` defines; return the length of the label in its text, 0 for none."""
        agent = unit.source.agent_id
        bare = unit.text if unit.opens and unit.item is None else ""
        head = _FORMS["message"].match(unit.head or bare)
        if head is not None and (unit.head or head["set_off"]):
            start = 0 if unit.head else head.end()
            made = _Defined(agent, [unit.full if unit.head else unit.text[start:]], unit.source)
            self._open[agent] = made
            _put(self._messages, _key(head["label"]), made)
            return start
        if (going_on := self._open.get(agent)) is not None and len(going_on.said) < MOST_OF_A_MESSAGE:
            going_on.said.append(unit.full)
        line, bare_label = self._bare.pop(agent, (-1, ""))
        if bare_label and line == unit.line_no:
            self._define(bare_label, unit.full, unit.source)
            return 0
        if unit.row and unit.item is not None and _LABEL.fullmatch(unit.item):
            self._define_row(unit)
            return 0
        bold = bool(unit.bolds) and unit.text.startswith(unit.bolds[0])
        if not unit.opens and not bold:
            return 0
        if unit.mark:
            self._define(unit.mark, unit.full, unit.source)
            return 0
        if unit.listed and not unit.row and (key := _FORMS["key"].search(unit.heading.strip())):
            self._define(key["label"], unit.full, unit.source)
            return 0
        opened = _FORMS["opens"].match(unit.full)
        if opened is None:
            return 0
        label = opened["noun"] or opened["letter"] or opened["upper"] or opened["code"]
        if not unit.opens and opened["code"] is None:
            return 0
        words = unit.full[opened.end() :]
        if not words:
            self._bare[agent] = (unit.line_no, label)
            return opened.end()
        speaks_of = opened["code"] is not None and is_score(unit.full[opened.end("code") :])
        defines = not speaks_of and self._define(label, words, unit.source)
        return opened.end() if defines and unit.item is None else 0

    def _define_row(self, unit: Sentence) -> None:
        """Define a row's label by its first cell; a later row of it that names nothing changes nothing."""
        cell = unit.text.partition(";")[0].partition(": ")
        words, key = cell[2] or cell[0], _key(unit.item or "")
        made = _Defined(unit.source.agent_id, [words], unit.source, "coded")
        if made.thing or key not in self._items:
            _put(self._items, key, made)
            self._definers.setdefault(key, set()).add(unit.source.agent_id)
        self._rows.add(key)

    def _define(self, label: str, words: str, source: Source) -> bool:
        """Enter a definition if it is the first, begins a list or continues its agent's; return if it was."""
        key, agent = _key(label), source.agent_id
        before = self._items.get(_preceding(key))
        own = before is not None and before.agent_id == agent
        if key in self._items and self._items[key].agent_id != agent:
            if (not own and _preceding(key)) or key in self._put or key in self._rows:
                return False
        if not _preceding(key):
            own_list = [one for one, made in self._items.items() if made.agent_id == agent]
            for one in own_list:
                if _series_of(one) == _series_of(key):
                    del self._items[one]
        coded: Told = "known" if key.isdigit() or key.isalpha() else "coded"
        _put(self._items, key, _Defined(agent, [words], source, "put" if key in self._put else coded))
        self._definers.setdefault(key, set()).add(agent)
        return True

    def _is_unknown(self, text: str, start: int) -> bool:
        """Return whether `text`, from `start` on, mentions a row or proposal that stands for no one thing."""
        return any(
            (key := _key(match["labels"])) in (self._rows | {*self._put})
            and self._is_called(key, form, match)
            and not self._stands_for(key)
            and not _says_itself(text[match.end("labels") :])
            for form in _CODES
            for match in _FORMS[form].finditer(text, start)
        )

    def _stands_for(self, key: str) -> str:
        """Return what an item stands for; "" if that is not one thing or two agents define it."""
        known = self._items.get(key)
        return known.thing if known is not None and len(self._definers.get(key, ())) <= 1 else ""

    def _is_called(self, key: str, form: str, match: re.Match[str]) -> bool:
        """Return whether a mention is of a label of this discussion, and not of a name with a common meaning."""
        if form == "scored":
            return key in self._put
        if form == "lettered":
            named = _FORMS["is_called"].search(match.string[: match.start("labels")])
            return key in (self._rows | {*self._put}) and named is None
        first = _series_of(key)
        return key in self._items and (key in self._put or {f"{first}1", f"{first}2"} <= self._items.keys())

    def _with_things(self, text: str, start: int, found: list[Source]) -> str:
        """Return `text` with the things behind its labels, from `start` on; `found` gets their sources."""
        named = dict[int, tuple[str, Source]]()
        for form in _MENTIONS:
            for match in _FORMS[form].finditer(text, start):
                named |= self._things(match, form)
        made, at = list[str](), 0
        for end, (thing, source) in sorted(named.items()):
            made += [text[at:end], f" [{thing}]"]
            at = end
            found.append(source)
        return "".join((*made, text[at:]))

    def _things(self, match: re.Match[str], form: str) -> dict[int, tuple[str, Source]]:
        """Return each label's end with its thing and source, for one mention; {} unless all are known."""
        tables = {"posts": (self._messages,), "bare": (self._messages, self._items)}
        if form in _CODES and not self._is_called(_key(match["labels"]), form, match):
            return {}
        within = match.start("labels"), match.end("labels")
        labels = [*(_LABEL if form in _CODES else _ONE).finditer(match.string, *within)]
        if len(labels) > MOST_TOLD:
            return {}
        things = dict[int, tuple[str, Source]]()
        for each in labels:
            if each[0] == "a" and match.string[each.end() : each.end() + 1] == " ":
                return {}  # "option a week later"
            looked_in = tables.get(form, (self._items, self._messages))
            if form != "posts" and len(self._definers.get(_key(each[0]), ())) > 1:
                return {}  # two agents have lists: nobody knows whose is meant
            known = next((table[key] for table in looked_in if (key := _key(each[0])) in table), None)
            if known is None or not (thing := known.thing):
                return {}
            if (
                match.string[each.end() :]
                .lstrip(_BEHIND_A_LABEL)
                .lower()
                .startswith(thing.split()[0].lower())
            ):
                return {}  # "B) Epiglottitis": the words say it anyway
            things[each.end()] = (thing, known.source)
        return things


def thing_of(said: str, told: Told = "known") -> str:
    """Return what words are about, in their own words: all, their first part, or one or two things.

    "" if they name more, name nothing, or ask. A dose is told only of a proposal that is put to a vote.
    """
    bare = _INSERTED.sub("", said).strip(" .;:!*>-–—☐☑☒")
    if bare.endswith("?") or not bare or prohibits(bare) or _FORMS["denies"].search(bare):
        return ""
    first = _PART.split(bare, maxsplit=1)[0].strip()
    for part in (bare, first):
        if word_count(part) > (MOST_PUT if told == "put" else MOST_WORDS) or not names(part):
            continue
        if told == "put" or (told == "coded" and not drugs_named(part)):
            return lower_first(part)
        if told == "known" and is_known(part) and not points_outside(part):
            if part == bare or not _things_of(bare[len(part) :]) - _things_of(part):
                return lower_first(part)
    named = [*dict.fromkeys(each.lower() for each in _in_order(bare))]
    return " and ".join(named) if 0 < len(named) <= MOST_THINGS else ""


def _in_order(text: str) -> list[str]:
    """Return the drugs of `text` as they are written; if there is none, its tests and measures.

    Drugs that are written as one count as one: "piperacillin-tazobactam".
    """
    drugs = list[str]()
    ended = 0
    for match in DRUG.finditer(text):
        between = text[ended : match.start()] if drugs else ""
        if between in ("-", "/"):
            drugs[-1] += between + match.group()
        else:
            drugs.append(match.group())
        ended = match.end()
    if drugs:
        return drugs
    words = [word for word in _WORD.findall(text) if len(word) > 1]
    return [word for word in words if names_test(word) or names_measure(word)]


def _things_of(text: str) -> set[str]:
    return {each.lower() for each in _in_order(text)}


def _put(table: dict[str, _Defined], key: str, made: _Defined) -> None:
    table.pop(key, None)
    table[key] = made
    while len(table) > MOST_LABELS:
        del table[next(iter(table))]


def _key(label: str) -> str:
    bare = label.strip("()[]. ").lower()
    return _WORDS.get(bare, bare.lstrip("0") or bare)


def _says_itself(behind: str) -> bool:
    """Return whether the words after a label say what it is: "option C, suction thrombectomy"."""
    words = behind.lstrip(_BEHIND_A_LABEL)
    few = " ".join(words.split()[:MOST_WORDS])
    return words != behind.lstrip() and not is_score(behind) and names(few)


def _series_of(key: str) -> str:
    """Return what the labels of one list share: the letters before a number, or "letter"."""
    code = _CODE.fullmatch(key)
    return code["letters"] if code else "" if key.isdigit() else "letter"


def _preceding(key: str) -> str:
    """Return the preceding label in a list; "" for the first."""
    if key.isdigit():
        return str(int(key) - 1) if int(key) > 1 else ""
    if code := _CODE.fullmatch(key):
        if code["more"]:
            return key[:-1]
        return f"{code['letters']}{int(code['number']) - 1}" if int(code["number"]) > 1 else ""
    return chr(ord(key) - 1) if len(key) == 1 and key > "a" else ""
