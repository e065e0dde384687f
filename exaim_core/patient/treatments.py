"""Find what sentences ask to be given or done now: drugs, contrast media, some procedures, by group.

A treatment counts if a sentence asks for it ("give", "I recommend", "should be started", a bare drug with its
dose), or says that it is running or charted. Nothing counts that is denied, stopped, past, only considered, or
depends on what the patient tolerates. Groups and their names are in `data/drug_groups.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from exaim_core.claims.claims import Claim, Kind, ListEnd, Stance
from exaim_core.claims.revoking import given
from exaim_core.lexicon.drugs import DRUG, drugs_meant, drugs_named, generics
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.prose import behind_condition, is_chart
from exaim_core.lexicon.statements import is_family
from exaim_core.text.assertion import Status, statuses_at
from exaim_core.text.datafiles import data_table
from exaim_core.text.hints import Hints
from exaim_core.text.names import person
from exaim_core.text.patterns import compiled_by_all
from exaim_core.text.places import Source
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify, only_forbids
from exaim_core.text.units import Sentence, Unit


@dataclass(frozen=True, slots=True)
class TreatmentMention:
    """A word that names a treatment, its place in the text, and its groups."""

    word: str
    start: int
    end: int
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Treatment:
    """What an agent asks for, or says to be running (`running`), as written, with the sentence.

    `hangs`: it is asked for under a condition, or for a later day. `listed`: it stands on a list of what is taken at
    home, and nobody has asked for it.
    """

    agent_id: str
    mention: TreatmentMention
    text: str
    source: Source
    running: bool = False
    hangs: bool = False
    listed: bool = False


_LABEL_MARKS: Final = re.compile(r"\A(?:\[[ xX]?\]|[^\w\[])+|[*_\s]+\Z")
REACH: Final = 300  # characters around a name that are read; no clause of the recorded discussions has more
MOST_BEFORE_BARE: Final = 1  # words before a name that is asked for only by a "now"
MOST_STANDING: Final = 64  # orders kept; older ones are forgotten


@cache
def whole(pattern: str) -> re.Pattern[str]:
    """Return `pattern` as whole words, in any case."""
    return re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Group:
    pattern: str


@dataclass(frozen=True, slots=True)
class _Table:
    groups: Mapping[str, _Group]


@compiled_by_all
@cache
def _groups() -> tuple[Mapping[str, str], Hints, re.Pattern[str]]:
    """Return the pattern of each group, a quick test for any of them, and one pattern for all."""
    patterns = {name: row.pattern for name, row in data_table("drug_groups.json", _Table).groups.items()}
    return patterns, Hints(patterns.values(), (DRUG,)), whole("|".join(patterns.values()))


def _groups_of(name: str) -> set[str]:
    """Return the groups of a name's generic names (those of a generic name are found by patterns)."""
    meant, (patterns, *_) = generics(name), _groups()
    return {
        group for group, pattern in patterns.items() if any(whole(pattern).search(each) for each in meant)
    }


@lru_cache(maxsize=4096)
def treatments_named(text: str) -> tuple[TreatmentMention, ...]:
    """Return the treatments that `text` names, in order; of overlapping names the longest."""
    groups, hints, any_group = _groups()
    if not hints.may(text):
        return ()
    spans: dict[tuple[int, int], set[str]] = {
        match.span(): _groups_of(match.group()) for match in DRUG.finditer(text)
    }
    if not spans and any_group.search(text) is None:
        return ()
    for name, pattern in groups.items():
        for match in whole(pattern).finditer(text):
            spans.setdefault(match.span(), set()).add(name)
    kept: list[TreatmentMention] = []
    for (start, end), names in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if kept and start < kept[-1].end:
            wider = kept[-1]
            kept[-1] = TreatmentMention(wider.word, wider.start, wider.end, wider.groups | names)
            continue
        kept.append(TreatmentMention(text[start:end], start, end, frozenset(names)))
    return tuple(kept)


def groups_named(*parts: str) -> frozenset[str]:
    """Return the groups of all treatments that `parts` name."""
    return frozenset(group for part in parts for each in treatments_named(part) for group in each.groups)


def taken_off(parts: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the groups and the drugs that the words of withdrawals and stops take off."""
    gone = tuple(parts)
    return groups_named(*gone), frozenset(word for part in gone for word in drugs_named(part))


_FORMS: Final = lexicon("patient/treatments")
_SILENT: Final = frozenset({Section.DISAGREEMENT, Section.WITHDRAWN})
_OUTRIGHT: Final = frozenset({Section.TESTS, Section.DIFFERENTIAL, Section.LEADING, Section.CAUTION})
"""Headings under which a drug is named for other reasons than an order.

An order there has to say outright that the drug is given.
"""
_PLANS: Final = frozenset({Section.ACTIONS, Section.PRIORITY, Section.OTHER})
_TESTS: Final = frozenset({"iodinated contrast", "gadolinium", "MRI", "lumbar puncture"})
_NOT_OURS: Final = frozenset({Status.OTHER_PERSON, Status.QUESTION})
_CLAIMED: Final = frozenset({Kind.ACTION, Kind.PRIORITY, Kind.TEST})


@lru_cache(maxsize=2048)
def treatments_in(text: str, *, in_plan: bool = False) -> tuple[tuple[TreatmentMention, bool], ...]:
    """Return what `text` asks for or says to be running, each with whether it is running.

    `in_plan`: the text is an item of a list of things to do, where a bare name is an order.
    """
    if text.endswith("?") or is_family(text):
        return ()
    found: list[tuple[TreatmentMention, bool]] = []
    for mention in treatments_named(text):
        asked_to = found[-1][0].end if found and not found[-1][1] else None
        mode = _mode(text, mention, in_plan, asked_to)
        if mode is not None and not statuses_at(text, mention.start, mention.end) & _NOT_OURS:
            found.append((mention, mode == "running"))
    return tuple(found)


def _in_plan(unit: Sentence) -> bool:
    """Return whether a bare name in `unit` is an order: it opens an item of a plan.

    A label on its line that says something else ("Home medication: …", "Given already: …") outweighs the heading.
    """
    if not unit.opens or unit.section not in _PLANS or _FORMS["plan"].search(unit.heading) is None:
        return False
    label = unit.item if unit.item and unit.text and not treatments_named(unit.item) else ""
    if label and classify(label) in _SILENT | _OUTRIGHT:
        return False
    return not is_chart(unit.heading) and not (is_chart(label) and _FORMS["when"].match(label) is None)


def _is_listed(unit: Sentence, mention: TreatmentMention) -> bool:
    """Return whether a name stands on a list of what is taken at home, by its label or heading, and is not ordered."""
    label = unit.full[: mention.start].partition(":")[0] if ":" in unit.full[: mention.start] else ""
    listed = any(_FORMS["home_list"].match(each) for each in (label, unit.heading.strip(" :*")))
    return listed and _governed(_around(unit.full, mention)[0]) is not True


def _is_refused(unit: Sentence, mention: TreatmentMention) -> bool:
    """Return whether an item that names a drug then forbids it: "Amoxicillin: contraindicated"."""
    if not (unit.opens and unit.item) or mention.end > len(unit.item):
        return False
    said = unit.text.partition(": ")[2] or unit.text  # the text of a table's cell, after its header
    first, *others = re.split(r"[;,.(]", said)
    return (
        only_forbids(first)
        or any(_FORBIDS.fullmatch(part) or only_forbids(part.strip()) for part in others)
        or re.match(r"(?:not|no|never)\b", said, re.IGNORECASE) is not None
        or prohibits(unit.full)
    )


_FORBIDS: Final = re.compile(
    r"\W*(?:do not|don['’]?t|not|never|no)"
    r"(?: (?:to|be|give|given|start|use|now|yet|here|indicated|recommended|for \w+))*\W*",
    re.IGNORECASE,
)
"""A record's field that says not to give its drug: "heparin: 5000 units; do not give"."""


def _is_labelled_forbidden(text: str, mention: TreatmentMention) -> bool:
    """Return whether the label before a name in its sentence forbids it: "❌ Avoid: X, Y"."""
    label, colon, _ = text[: mention.start].rpartition(":")
    return bool(colon) and only_forbids(_LABEL_MARKS.sub("", re.split(r"[.;]\s", label)[-1]))


def _is_given(text: str, mention: TreatmentMention) -> bool:
    """Return whether `text` gives what it names, by a verb or a dose and route; else it may be a level."""
    before, after = _around(text, mention)
    return _FORMS["gives"].search(before) is not None or _FORMS["given_after"].match(after) is not None


_ENDS_LATER: Final = re.compile(
    r";\s*(?:stop|hold|discontinue|pause|halve|reduce) (?:if|when|once|at|for)\b[^;]*", re.IGNORECASE
)
_UNTIL: Final = re.compile(r"\buntil\b[^;.]*", re.IGNORECASE)
_WAITS: Final = re.compile(
    r"\b(?:wait|hold|withhold|defer|delay|postpone|not|no|never|nil|nothing|avoid|stop|off|hang on)\b",
    re.IGNORECASE,
)


def _hangs(text: str, mention: TreatmentMention | None) -> bool:
    """Return whether `text` asks for what it names under a condition, or for a later time.

    What ends it later ("; stop if rigid", "until relaxed") is no condition of its beginning.
    """
    begins = _ENDS_LATER.sub("", text)
    if _WAITS.search(begins) is None:
        begins = _UNTIL.sub("", begins)
    return _is_put_off(text, mention) or _FORMS["hangs"].search(begins) is not None


def _is_put_off(text: str, mention: TreatmentMention | None) -> bool:
    """Return whether what `text` names is to be given only later: "not before endoscopy"."""
    return mention is not None and bool(_FORMS["put_off"].match(text[mention.end : mention.end + REACH]))


def _around(text: str, mention: TreatmentMention) -> tuple[str, str]:
    """Return the text before and after a name within its part of the sentence."""
    near, far = max(0, mention.start - REACH), mention.end + REACH
    start = max((stop.end() for stop in _FORMS["part"].finditer(text, near, mention.start)), default=near)
    stop = _FORMS["part"].search(text, mention.end, far)
    return text[start : mention.start], text[mention.end : stop.start() if stop else far]


def _mode(text: str, mention: TreatmentMention, in_plan: bool, asked_to: int | None) -> str | None:
    """Return whether a name is "asked" for or "running"; None for neither.

    `asked_to`: the end of the name asked for before it; with a dose, this one may continue that list.
    """
    before, after = _around(text, mention)
    before = before[-max(1, mention.start - _behind_its_condition(text, mention)) :]
    running = _FORMS["running_after"].match(after) or _FORMS["running_before"].search(before)
    if running and not re.search(r"\b(?:not|no longer|never|if|unless|no)\b", before, re.IGNORECASE):
        return "running"
    if (
        _FORMS["veto_before"].search(before)
        or _FORMS["veto_after"].match(after)
        or _FORMS["minded"].search(after)
    ):
        return None
    dosed = bool(_FORMS["dosed"].match(after) or _FORMS["amount_before"].search(before))
    governed = _governed(before, dosed=dosed)
    if governed and not dosed and not _FORMS["asked_after"].match(after) and _is_advised_against(before):
        return None
    if governed is False:
        return None
    if _is_labelled_forbidden(text, mention) and not _FORMS["gives"].search(before):
        return None
    if _FORMS["asked_after"].match(after) or governed:
        return "asked"
    if dosed and asked_to is not None and _FORMS["listed"].match(text[asked_to : mention.start]):
        return "asked"
    clause = _FORMS["fronted"].sub("", before.rpartition(",")[2] if dosed else before)
    bare = len(clause.split()) <= 5 and not re.search(r"\b(?:the|his|her|their|of)\b", clause, re.IGNORECASE)
    bare = bare and not _FORMS["past_clause"].search(before.rpartition(",")[2] + after.split(",")[0])
    if bare and (dosed or (len(clause.split()) <= MOST_BEFORE_BARE and _FORMS["now"].match(after))):
        return "asked"
    bare = in_plan and len(before.split()) <= 6
    return "asked" if bare and not _FORMS["only_if"].search(after) else None


def _behind_its_condition(text: str, mention: TreatmentMention) -> int:
    """Return where the words begin that ask for what is named behind a condition; 0 if there is none.

    An order for a case that may come meets an allergy too. "If she is not allergic, give amoxicillin" minds it.
    """
    start = len(text) - len(behind_condition(text))
    return start if start < mention.start and not _FORMS["minded"].search(text[:start]) else 0


_SO_DO: Final = re.compile(r"\A\W*so (?:do|does) (?!the |an? |his |her |this |that )", re.IGNORECASE)
"""What says the same of other things: "Clarithromycin prolongs QT. So do macrolides"; it asks for none of them."""


def _governed(before: str, *, dosed: bool = False) -> bool | None:
    """Return whether the text before a name asks for it (True), takes it away (False), or neither (None).

    `dosed`: it stands with its dose, so it is the object of an asking verb wherever that stands in the clause.
    """
    before = before if dosed else _SO_DO.sub("", before)
    parts = re.split(r",\s+(?:and\s+|then\s+|or\s+)?", before)
    for place, part in enumerate(reversed(parts)):
        found = [(match.end(), True) for match in _FORMS["ask"].finditer(part)]
        found += [(match.end(), False) for match in _FORMS["neutral"].finditer(part)]
        if dosed:
            asking = _FORMS["ask_dosed"].finditer(part)
            found += [
                (each.end(), True) for each in asking if not _FORMS["unasked"].search(part[: each.start()])
            ]
        if found:
            return (min(found) if place else max(found))[1]
    return None


_ADVISED_AGAINST: Final = re.compile(
    r"\b(?:advis|recommend|counsel|caution|warn|argu)\w*(?: \w+ly)? against (?P<what>[^;:.]*)\Z",
    re.IGNORECASE,
)
_DOES: Final = re.compile(r"\b(?:\w+ing|but|give|start|use|add|then|instead|we|I)\b", re.IGNORECASE)


def _is_advised_against(before: str) -> bool:
    """Return whether the text before a name advises against a list of things, which the name goes on with.

    "I advise against giving aspirin, heparin or alteplase" asks for none; "against aspirin, giving heparin" does.
    """
    found = _ADVISED_AGAINST.search(before)
    if found is None or "," not in found["what"]:
        return False
    goes_on = found["what"][found["what"].index(",") :]  # with its comma: an order may open behind it
    return not (_DOES.search(goes_on) or _FORMS["ask"].search(goes_on))


class Treatments:
    """The treatments asked for or running in one session, in the order of speaking."""

    def __init__(self) -> None:
        self.standing: list[Treatment] = []

    def read(self, unit: Unit, claims: Iterable[Claim | ListEnd]) -> list[Treatment]:
        """Take in what a unit and its claims ask for; return the new treatments."""
        made = [claim for claim in claims if isinstance(claim, Claim)]
        fresh: dict[str, Treatment] = {}
        if isinstance(unit, Sentence) and unit.section not in _SILENT:
            forbidden = only_forbids(unit.heading)
            for mention, running in treatments_in(unit.full, in_plan=_in_plan(unit)):
                looked_for = unit.section is Section.TESTS and mention.groups & _TESTS
                if unit.section in _OUTRIGHT and not (looked_for or _is_given(unit.full, mention)):
                    continue
                if (forbidden or _is_refused(unit, mention)) and not _FORMS["gives"].search(
                    _around(unit.full, mention)[0]
                ):
                    continue
                fresh[mention.word.lower()] = Treatment(
                    *(person(unit.source.agent_id), mention, unit.full, unit.source, running),
                    hangs=_hangs(unit.full, mention),
                    listed=_is_listed(unit, mention),
                )
        for claim in made:
            for treatment in _claimed(claim):
                fresh.setdefault(treatment.mention.word.lower(), treatment)
        named = {(treatment.agent_id, treatment.mention.word.lower()) for treatment in fresh.values()}
        self.standing = [
            old for old in self.standing if (old.agent_id, old.mention.word.lower()) not in named
        ][-MOST_STANDING:]
        self.standing += fresh.values()
        return [*fresh.values()]

    def take_off(self, claims: Iterable[Claim | ListEnd]) -> set[str]:
        """Remove what `claims` take back, stop or forbid; return its names in lower case."""
        gone = [part for claim in claims if isinstance(claim, Claim) for part in claim.revokes]
        return self._drop(gone)

    def take_off_listed(self, unit: Unit) -> set[str]:
        """Remove what stands with nothing else under a heading that forbids ("Stop now"); return its names."""
        if not isinstance(unit, Sentence) or not only_forbids(unit.heading):
            return set()
        parts = re.split(r",\s+(?:and\s+)?|\s+and\s+", unit.full.strip(" .;"))
        only = all(any(each.word == part for each in treatments_named(part)) for part in parts)
        return self._drop(parts if only else [])

    def _drop(self, gone: Sequence[str]) -> set[str]:
        if not gone:
            return set()
        groups, words = taken_off(gone)
        off = [
            treatment
            for treatment in self.standing
            if treatment.mention.groups & groups or words & drugs_meant(treatment.mention.word)
        ]
        self.standing = [treatment for treatment in self.standing if treatment not in off]
        return {treatment.mention.word.lower() for treatment in off}


def _claimed(claim: Claim) -> list[Treatment]:
    """Return the treatments of an order that the engine has read, from the words of what is given."""
    if claim.kind not in _CLAIMED or claim.stance is not Stance.PROPOSES or not claim.entity:
        return []
    if claim.condition is not None or _FORMS["minded"].search(claim.text):
        return []
    words = given(claim)
    places = {mention.word.lower(): mention for mention in reversed(treatments_named(claim.text))}
    return [
        Treatment(
            *(claim.agent_id, mention, claim.text, claim.source),
            hangs=_hangs(claim.text, places.get(mention.word.lower())),
        )
        for mention in treatments_named(words)
        if (claim.kind is not Kind.TEST or mention.groups & _TESTS)
        and not _is_put_off(claim.text, places.get(mention.word.lower()))
        and not _FORMS["veto_before"].search(words[: mention.start])
        and not _FORMS["veto_after"].match(words[mention.end :])
        and _governed(words[: mention.start]) is not False
    ]
