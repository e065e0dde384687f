"""What a number or a letter stands for in one discussion: "withdraw 17", "re 19", "option B", "(c) is dangerous".

Teams number their messages and letter their options, and then speak of them by these. Nobody who listens knows them.
So a sentence is read with the thing behind its label, in brackets, as in any quotation: "withdraw 17 [trimethoprim]".
The brackets are not the speaker's, and the ear hears a comma.

A label is *defined* where a message, a line or a heading opens with it; what it stands for is what is named there, in
up to `MOST_WORDS` words or as up to two things. What forbids is never named by the thing that it forbids. A later
definition of the same label ends the earlier one; a list that begins anew ends the agent's old one. An item that two
agents define stands for nothing, and so does what is denied, or hangs on something, where it is defined. A line that
opens with somebody else's label, out of its order, speaks of it and defines nothing. A letter alone ("B falls") may be
a blood group or the breathing of an ABCDE, and is left. A label that is not known stays as it is: a sentence that
needs it is told no more (`lexicon/alone.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.kinds import names_measure, names_test
from exaim_core.lexicon.named import is_known, names, points_outside
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.places import Source
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Heading, Sentence
from exaim_core.text.wording import lower_first, word_count

MOST_WORDS: Final = 5  # of a thing that is told whole
MOST_THINGS: Final = 2
MOST_OF_A_MESSAGE: Final = 6  # sentences that are looked at for what it is about
MOST_LABELS: Final = 256  # of one discussion, the newest
_MENTIONS: Final = ("items", "round", "posts", "bare")
MOST_TOLD: Final = 3  # labels in a row that are named; more say too much at once

_WORDS: Final = dict(
    zip("one two three four five six seven eight nine ten".split(), map(str, range(1, 11)), strict=True)
)
_FORMS: Final = lexicon("board/labels")
_INSERTED: Final = re.compile(r" \[[^\]]*\]")
_ONE: Final = re.compile(
    r"\d{1,3}|\([A-Ha-h]\)|\b(?:[A-Ha-h]|one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE
)
_BEHIND_A_LABEL: Final = " ).:,*[(–—-"
_PART: Final = re.compile(r"[,;:.!?(–—](?!\d)")
_WORD: Final = re.compile(r"[^\W\d_][\w-]*")


@dataclass(slots=True)
class _Defined:
    """What was said under a label, by whom and where."""

    agent_id: str
    said: list[str]
    source: Source

    @property
    def thing(self) -> str:
        """Return what the label stands for, "" where that is not one thing."""
        return thing_of(" ".join(self.said))


@dataclass(slots=True)
class Labels:
    """The labels of one discussion: of its messages, and of the items and options in them."""

    _messages: dict[str, _Defined] = field(default_factory=dict)
    _items: dict[str, _Defined] = field(default_factory=dict)
    _definers: dict[str, set[str]] = field(default_factory=dict)  # of items: who defined a label
    _open: dict[str, _Defined] = field(default_factory=dict)  # by agent: the message that goes on

    def named(self, unit: Sentence) -> Sentence:
        """Return `unit` with the thing behind each label that it speaks of, and note what it defines itself."""
        found = list[Source]()
        start = self._learn(unit)
        if not (self._messages or self._items):
            return unit
        item = self._said(unit.item, 0, found) if unit.item else unit.item
        text = self._said(unit.text, start, found)
        if not found:
            return unit
        source = replace(unit.source, labels=tuple(dict.fromkeys(found)))
        return replace(unit, text=text, item=item, source=source)

    def title(self, heading: Heading) -> None:
        """Note the label that a heading opens with."""
        if (opened := _FORMS["opens"].match(heading.text)) and opened["noun"]:
            self._define(opened["noun"], heading.text[opened.end() :], heading.source)

    def end_turn(self, agent_id: str) -> None:
        """Take it that the agent's last message is whole."""
        self._open.pop(agent_id, None)

    def _learn(self, unit: Sentence) -> int:
        """Note the label that `unit` opens with; return how long it is in its text."""
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
        if not unit.opens:
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
        label = opened["noun"] or opened["letter"] or opened["upper"]
        defines = self._define(label, unit.full[opened.end() :], unit.source)
        return opened.end() if defines and unit.item is None else 0

    def _define(self, label: str, words: str, source: Source) -> bool:
        """Take a definition, if it is one: a first one, the beginning of a list, or the next of its agent's own."""
        key, agent = _key(label), source.agent_id
        before = self._items.get(_before(key))
        own = before is not None and before.agent_id == agent
        if key in self._items and self._items[key].agent_id != agent and not own and _before(key):
            thing = thing_of(words)
            if thing and thing != self._items[key].thing and thing == lower_first(words.strip(" .;:!*>-–—")):
                self._definers.setdefault(key, set()).add(agent)  # one letter, two things
            return False
        if not _before(key):
            own_list = [one for one, made in self._items.items() if made.agent_id == agent]
            for one in own_list:
                if one.isdigit() is key.isdigit():
                    del self._items[one]
        _put(self._items, key, _Defined(agent, [words], source))
        self._definers.setdefault(key, set()).add(agent)
        return True

    def _said(self, text: str, start: int, found: list[Source]) -> str:
        """Return `text` with the things behind its labels from `start` on; where they were defined goes to `found`."""
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
        """Return where each label of a mention ends, with what it stands for and where that was said; all, or none."""
        tables = {"posts": (self._messages,), "bare": (self._messages, self._items)}
        labels = [*_ONE.finditer(match.string, match.start("labels"), match.end("labels"))]
        if len(labels) > MOST_TOLD:
            return {}
        things = dict[int, tuple[str, Source]]()
        for each in labels:
            if each[0] == "a" and match.string[each.end() : each.end() + 1] == " ":
                return {}  # "option a week later"
            looked_in = tables.get(form, (self._items, self._messages))
            if form != "posts" and len(self._definers.get(_key(each[0]), ())) > 1:
                return {}  # two agents have lists: whose it is nobody knows
            known = next((table[key] for table in looked_in if (key := _key(each[0])) in table), None)
            if known is None or not (thing := known.thing):
                return {}
            if (
                match.string[each.end() :]
                .lstrip(_BEHIND_A_LABEL)
                .lower()
                .startswith(thing.split()[0].lower())
            ):
                return {}  # "B) Epiglottitis": it is said anyway
            things[each.end()] = (thing, known.source)
        return things


def thing_of(said: str) -> str:
    """Return what words are about, in their own words: all of them, their first part, or their one or two things.

    "" where they name more, nothing, or ask.
    """
    bare = _INSERTED.sub("", said).strip(" .;:!*>-–—")
    if bare.endswith("?") or not bare or prohibits(bare) or _FORMS["denies"].search(bare):
        return ""
    first = _PART.split(bare, maxsplit=1)[0].strip()
    for part in (bare, first):
        if word_count(part) <= MOST_WORDS and is_known(part) and names(part) and not points_outside(part):
            if part == bare or not _things_of(bare[len(part) :]) - _things_of(part):
                return lower_first(part)
    named = [*dict.fromkeys(each.lower() for each in _in_order(bare))]
    return " and ".join(named) if 0 < len(named) <= MOST_THINGS else ""


def _in_order(text: str) -> list[str]:
    """Return the drugs of `text` as they are written; without one its tests and measures.

    Drugs that are written as one are one: "piperacillin-tazobactam".
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


def _before(key: str) -> str:
    """Return the label before this one in a list; "" for the first."""
    if key.isdigit():
        return str(int(key) - 1) if int(key) > 1 else ""
    return chr(ord(key) - 1) if len(key) == 1 and key > "a" else ""
