"""What stopped an order, and what forbids a thing by name or by its class.

An order that was withdrawn, or of a thing that somebody forbade later, is no current one: it is told with what
stopped it, or not at all (docs/decisions/128).
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from typing import Final

from agents.dialogue.forbids import taken_out
from agents.dialogue.safety import bans_of
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core.board.shown import BoardView, SaidView
from exaim_core.claims.quotes import asks_for
from exaim_core.claims.remarks import VALUES
from exaim_core.lexicon.alone import commands
from exaim_core.lexicon.drugs import DRUG, brands, drugs_meant, drugs_named
from exaim_core.lexicon.prohibitions import tells_allergy
from exaim_core.patient.allergies import kin_of
from exaim_core.patient.treatments import treatments_in, treatments_named
from exaim_core.text.datafiles import drug_names
from exaim_core.text.names import Names
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section

Key = tuple[str, tuple[int, int, int], str]
_SALTS: Final = ("sulfate", "chloride", "gluconate", "phosphate")
# Groups of what drugs do: whoever may not have one of such a group may well need another.
OF_EFFECT: Final = frozenset(
    {"anticoagulants", "antiplatelets", "blood thinners", "oxidant drugs", "neuromuscular-weakening drugs", "qt-prolonging drugs", "serotonergic opioids", "serotonergic antidepressants", "potassium-retaining drugs", "dopamine antagonists", "prokinetics and neostigmine", "antimuscarinics", "enzyme-inhibiting macrolides"}
)  # fmt: skip
_STEM: Final = 6  # letters that a class shares with the name of its group: "thromb", "anti-c"
# An agent's own word that what it asked for is off.
_WITHDRAWS: Final = re.compile(
    r"\b(?:I|we) (?:hereby |now |also |therefore )?(?:withdraw|retract|cancel|scrap|drop|take back|took back|no longer (?:want|recommend|advise|ask for))\b(?! (?:my|the|any|that) (?:doubts?|objections?|concerns?|worry|question|veto))(?P<what>(?:(?!\b(?:because|since|as|but|keep|keeping|if|when|while|so)\b)[^;.!?])*)",
    re.IGNORECASE,
)

# What limits a ban to a way, a form, a time or a case: the order may stand beside it, and both are told.
_LIMITS: Final = re.compile(
    r"\b(?:bolus\w*|i\.?v\b|i\.?m\b|intraven\w+|intramusc\w+|subcut\w*|orally|by mouth|oral|in the(?! (?:plan|draft|orders?|chart|list)\b)|with|if|unless|when|dose|doses|loading|infusion|trimester|above|over|beyond|faster|than|at \d|on top)\b",
    re.IGNORECASE,
)


@cache
def _substances() -> frozenset[str]:
    """Return the laboratory values that are given too: of one there is a drug, "magnesium sulfate"."""
    entries = known_vocabulary().entries.values()
    drugs = {entry.name for entry in entries if entry.kind == "drugs"}

    def is_drug(name: str) -> bool:
        return name in drugs or DRUG.fullmatch(name) is not None or _is_treatment(name)

    return frozenset(
        entry.name
        for entry in entries
        if entry.kind == "labs" and any(is_drug(f"{entry.name} {salt}") for salt in _SALTS)
    )


def _is_treatment(name: str) -> bool:
    return any(mention.word == name for mention in treatments_named(name))


def substances_in(text: str) -> frozenset[str]:
    """Return the values that `text` names and that may be given as well."""
    vocabulary = known_vocabulary()
    spelled = vocabulary.spelled_in(vocabulary.key(text))
    names = {name for match in spelled for name in match.names}
    salts = {name.split(" ")[0] for name in drugs_named(text)}
    return frozenset((names | salts) & _substances())


@lru_cache(maxsize=4096)
def things_in(text: str) -> frozenset[str]:
    """Return what `text` names that may be given: drugs, substances, and classes, as `class:` of their group."""
    single = {name.removesuffix("s") for name in drugs_named(text)} | substances_in(text)
    return frozenset(single | {f"class:{group}" for group in _classes_in(text)})


def _classes_in(text: str) -> set[str]:
    """Return the groups that `text` names as such: "no triptan", not "no sumatriptan"."""
    found: set[str] = set()
    for mention in treatments_named(text):
        word = mention.word.lower()
        if word not in drug_names() and word not in brands():
            found |= {
                group
                for group in mention.groups
                if any(part.lower().startswith(word[:_STEM]) for part in group.split())
            }
    return found


@lru_cache(maxsize=4096)
def belongs_to(text: str) -> frozenset[str]:
    """Return what `text` names that may be given, with the classes that it belongs to."""
    groups = {f"class:{group}" for mention in treatments_named(text) for group in mention.groups}
    return frozenset(things_in(text) | {name.removesuffix("s") for name in drugs_meant(text)} | groups)


def asked_for(text: str, *, outright: bool = False) -> frozenset[str]:
    """Return what a sentence asks to be given, with its classes; `outright`: a bare dose asks for nothing."""
    return frozenset(
        name
        for mention, running in treatments_in(text, in_plan=not outright)
        if not running
        for name in belongs_to(mention.word)
    )


def is_order(text: str) -> bool:
    """Tell whether `text` asks for something: that a drug was taken, or what it did, is still so when it is stopped."""
    doses = any(each.unit for each in quantities(text))
    return (doses or asks_for(text) or commands(text)) and not tells_allergy(text)


def _classes_of(text: str) -> frozenset[str]:
    """Return all classes that what `text` names belongs to, by the tables of the engine and of the vocabulary."""
    vocabulary = known_vocabulary()
    names = {name for match in vocabulary.spelled_in(vocabulary.key(text)) for name in match.names}
    groups = {group for name in names for group in vocabulary.groups_of(name)}
    groups |= {group for mention in treatments_named(text) for group in mention.groups}
    return frozenset(group.lower() for group in groups)


def _narrow(groups: frozenset[str]) -> frozenset[str]:
    """Return the groups of a class without those of an effect, unless it has no other: "LMWH" is of the heparins."""
    return frozenset(group for group in groups if group.lower() not in OF_EFFECT) or groups


def _forbidden_classes(one: SaidView, names: Names) -> frozenset[str]:
    """Return the classes that a sentence forbids, with those that go with them: "no beta-lactams", "no contrast"."""
    if one.past:
        return frozenset()
    bans = bans_of(one, names)
    names_told = [f". {name}" for ban in bans for name in ban.names if f"{name}s" not in OF_EFFECT]
    words = " ".join((*(ban.text for ban in bans), *names_told))
    return _class_words(words) - {name.removeprefix("class:") for name in asked_for(one.text)}


@lru_cache(maxsize=4096)
def _class_words(text: str) -> frozenset[str]:
    vocabulary = known_vocabulary()
    words = vocabulary.key(text)
    classes = {
        vocabulary.key(mention.word): _narrow(mention.groups)
        for mention in treatments_named(text)
        if mention.word.lower() not in drug_names() and mention.word.lower() not in brands()
    }
    found = {group for groups in classes.values() for group in groups}
    for match in vocabulary.spelled_in(words):
        narrower = classes.get(words[match.begins : match.ends], frozenset())
        for name in match.names:
            # "DOACs" are some of the anticoagulants, and the engine knows which
            known = {each.lower() for each in narrower}
            wide = name.lower() in OF_EFFECT and known and not known & OF_EFFECT
            if vocabulary.entries[name].kind == "drug groups" and not wide:
                found.add(name)
    return frozenset(group.lower() for one in found for group in (one, *kin_of(one)))


class Stops:
    """What forbids and what was withdrawn in one discussion, and which orders that stopped."""

    def __init__(self, view: BoardView) -> None:
        self._said = view.said
        self._names = names = Names(view.names)
        self._forbidden = [_forbidden_by(one, names) for one in view.said]
        self._outright = [_forbidden_by(one, names, outright=True) for one in view.said]
        self._by: dict[Key, SaidView] = {}
        self._left: dict[Key, str] = {}  # of a line of values: what is not stopped
        for at, one in enumerate(view.said):
            if one.under == VALUES:
                self._left[key_of(one)] = self._unstopped(at)
            elif (by := self._stopped_by(at, one.text)) is not None:
                self._by[key_of(one)] = by

    @property
    def by(self) -> Mapping[Key, SaidView]:
        """Return each order that was stopped, by its sentence, with the last sentence that stopped it."""
        return self._by

    @cached_property
    def _classes(self) -> tuple[frozenset[str], ...]:
        """The classes that each sentence forbids."""
        return tuple(_forbidden_classes(one, self._names) for one in self._said)

    def _unstopped(self, at: int) -> str:
        """Return a line of values without those that were stopped, which stand as sentences of their own too."""
        line = self._said[at].text
        left = [part for part in (self._unstopped_values(at, each) for each in line.split("; ")) if part]
        told = "; ".join(left)
        orders = any(asked_for(part.partition(": ")[2]) for part in left)
        alone = told != line and "; " in line and not orders  # a dose or a route, of what was stopped
        return "" if alone else told

    def _unstopped_values(self, at: int, part: str) -> str:
        head, colon, values = part.partition(": ")
        if not colon:
            return part if self._stopped_by(at, part) is None else ""
        kept = [each for each in values.split(", ") if self._stopped_by(at, each) is None]
        return f"{head}: {', '.join(kept)}" if kept else ""

    def _stopped_by(self, at: int, text: str) -> SaidView | None:
        """Return the last sentence behind `at` that withdraws or forbids what `text`, said there, asks for.

        None: it stands.
        """
        one = self._said[at]
        wanted = asked_for(text, outright=bool(self._forbidden[at]))
        if text.endswith("?") or not wanted or not is_order(text):
            return None
        for later in range(len(self._said) - 1, at, -1):
            other = self._said[later]
            withdrawn = other.agent_id == one.agent_id and _withdrawn_in(other) & wanted
            if not other.past and (withdrawn or self._outright[later] & wanted):
                return other
        return None

    def against(self, question: str) -> tuple[SaidView, ...]:
        """Return what forbids a thing that `question` names, or its class; the last word on it comes first."""
        named = belongs_to(question)
        widely = _classes_of(question)
        found: list[SaidView] = []
        for at, one in reversed([*enumerate(self._said)]):
            if one.past:
                continue
            if asked_for(one.text) & named & things_in(question):
                break  # it is asked for again since: what forbade it before is not the last word
            if self._forbidden[at] & named or self._classes[at] & widely:
                found.append(one)
        return tuple(found)

    def seen(self, view: BoardView) -> BoardView:
        """Return `view` with the stopped orders given up: sentences as such, recommendations not at all."""
        if not self._by and not self._left:
            return view
        gone = {(agent, text) for agent, _, text in self._by}
        said = tuple(seen for one in view.said if (seen := self._seen(one)).text)
        actions = tuple(claim for claim in view.actions if (claim.agent_id, claim.text) not in gone)
        return view.model_copy(update={"said": said, "actions": actions})

    def _seen(self, one: SaidView) -> SaidView:
        key = key_of(one)
        if key in self._by:
            return one.model_copy(update={"past": True})
        left = self._left.get(key, one.text)
        return one if left == one.text else one.model_copy(update={"text": left})


def key_of(one: SaidView) -> Key:
    """Return by what a sentence of a discussion is known."""
    return one.agent_id, one.at, one.text


def _forbidden_by(one: SaidView, names: Names, *, outright: bool = False) -> frozenset[str]:
    """Return what a sentence forbids now, `outright`: in whatever way; what it asks for beside that is not of it."""
    if one.past:
        return frozenset()
    if outright and _WITHDRAWS.search(one.text) is not None:
        return _withdrawn_in(one)
    bans = [ban for ban in bans_of(one, names) if not (outright and _LIMITS.search(ban.text))]
    found = {name for ban in bans for name in things_in(ban.text)}
    return frozenset(found - (asked_for(one.text) - taken_out(one.text)))


def _withdrawn_in(one: SaidView) -> frozenset[str]:
    if one.text.endswith("?"):
        return frozenset()
    if one.section is Section.WITHDRAWN:
        return things_in(one.text)
    said = _WITHDRAWS.search(one.text)
    return things_in(said["what"]) if said is not None else frozenset()
