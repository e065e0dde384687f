"""Read claims from an agent's units. Each agent has one `ClaimReader`.

It keeps what reaches across sentences, decides by its section what a sentence is read for, and reads leading
views and findings itself; alarms, orders, cautions and lists have modules of their own.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.alarm_reader import AlarmReader
from exaim_core.claims.caution_claims import CautionReader
from exaim_core.claims.claim_words import (
    bold_term,
    claim_of,
    impression,
    is_denied,
    labelled_view,
    lone_view,
    plain_view,
    view_conceded,
    view_left,
)
from exaim_core.claims.claims import Claim, Kind, ListEnd, Mark, Stance, Worth
from exaim_core.claims.consensus import consensus, is_of_the_case
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.list_claims import differential, dispute, json_claims, tests
from exaim_core.claims.meant import NO_VIEWS, sense_of
from exaim_core.claims.order_claims import (
    MOST_NAME_WORDS,
    actions,
    behind_its_label,
    is_act,
    names_problem,
    order,
)
from exaim_core.claims.outright import stands
from exaim_core.claims.quotes import quote_of, says_little
from exaim_core.claims.terse_orders import ANSWERS, Reply, left_alone
from exaim_core.lexicon import options, phrases, prose, results, statements
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.named import labelled
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.terms import LEADING_WORDS, USE, is_term, may_lead, mostly_term, names_a_view
from exaim_core.text.jsontext import denies
from exaim_core.text.marks import is_machinery
from exaim_core.text.names import is_moderator
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section, classify_label
from exaim_core.text.units import Heading, JsonBlock, Sentence, Unit
from exaim_core.text.wording import term, upper_first, word_count

_LEAST_KEY: Final = 3  # letters of a key that means something: "to" does not
MOST_BEFORE: Final = 8  # sentences of a turn that may name what a later one is about


class ClaimReader:
    """Turns one agent's units into claims, in order."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._moderates = is_moderator(agent_id)
        self._led = False
        self._held = ""  # the view that this agent stated last
        self._left = False  # the sentence before this one on its line denies that view and gives no other
        self._cautions = CautionReader(agent_id)
        self._heading: Heading | None = None
        self._alarms = AlarmReader(agent_id)
        self._opened: Sentence | None = None  # the sentence that opened the line being read
        self._option = ""  # "Answer: D.", if its words follow in the line's next sentence
        self._example = False  # answers from here to the turn's end are about another patient
        self._before: Sentence | None = None  # the sentence before this one on its line
        self._turn: deque[Sentence] = deque(maxlen=MOST_BEFORE)
        self._replies = Reply.NONE  # what the sentence being read replies to
        self._alone: Sentence | None = None  # the last sentence, if it may be an order that is only a thing
        self._problem: Sentence | None = None  # a finding that is put first, until somebody says what to do

    def read(self, units: Iterable[Unit], replies: Reply = Reply.NONE) -> list[Claim | ListEnd]:
        """Return the claims of `units` that are stated outright, and where lists end; `replies` is what to."""
        self._replies = replies
        return [each for each in self._found(units) if isinstance(each, ListEnd) or stands(each)]

    def _found(self, units: Iterable[Unit]) -> list[Claim | ListEnd]:
        made: list[Claim | ListEnd] = []
        for unit in units:
            if isinstance(unit, Heading):
                made += self._cautions.close()
                self._led = False
                self._heading = unit
                made.append(ListEnd(self._agent_id, unit.source))
                made += self._answer(_as_sentence(unit)) or []
            elif isinstance(unit, JsonBlock):
                made += self._cautions.close()
                made += json_claims(self._agent_id, unit, moderates=self._moderates)
                made.append(ListEnd(self._agent_id, unit.source))
            else:
                if unit.opens or self._opened is None or self._opened.line_no != unit.line_no:
                    self._opened, self._before = unit, None
                made += [] if unit.doubted else consensus(self._agent_id, unit)
                made += (own := self._sentence(unit))
                self._alone = unit if self._replies in ANSWERS and not own else None
                self._before = unit
                self._turn.append(unit)
        return made

    def keeps(self, unit: Sentence) -> bool:
        """Return whether a caution is open on the line of `unit`, to which `unit` may belong."""
        return self._cautions.covers(unit)

    def before(self, unit: Sentence) -> Sequence[Sentence]:
        """Return the sentences before `unit`, not yet read, in its turn and under its heading."""
        return [
            each
            for each in self._turn
            if each.heading == unit.heading
            and not (each.row or unit.row)
            and (each.line_no == unit.line_no or not unit.keyed)
        ]

    @property
    def turn(self) -> Sequence[Sentence]:
        """Return the last sentences of the turn, at most `MOST_BEFORE`, in order."""
        return tuple(self._turn)

    def end_turn(self) -> list[Claim | ListEnd]:
        """Return claims that were kept open, and the end of the lists."""
        alone, self._alone = self._alone, None
        made: list[Claim | ListEnd] = [
            *self._cautions.close(),
            *(left_alone(self._agent_id, alone) if alone is not None else ()),
            ListEnd(self._agent_id, None),
        ]
        self._led = self._example = False
        self._turn.clear()
        self._alarms.end_turn()
        self._heading = self._opened = self._before = None
        return made

    # -- sentences -------------------------------------------------------------------------------

    def _sentence(self, unit: Sentence) -> list[Claim]:
        made: list[Claim] = []
        if phrases.is_request(unit.text) or (unit.keyed and is_machinery(unit.text)):
            return made
        unit = self._under_its_name(unit)
        made += self._alarms.read(unit, self.before(unit))
        if unit.set_aside:  # it orders nothing, but its alarms and bans stand
            gone = self._cautions.revokes(unit)
            return [*made, *gone, *self._cautions.read(behind_its_label(unit), self.before(unit))]
        if unit.doubted:  # it is quoted (`quotes.py`), but a value in it counts
            return [
                each for each in made if each.critical and each.critical.value and not each.critical.order
            ]
        made += self._alarms.over(unit, self._before, made)
        if (answered := self._answer(unit)) is not None:
            return made + answered
        if (moved := self._changes_of_view(unit)) is not None:
            return made + moved
        made += self._confirms(unit)
        made += (gone := self._cautions.revokes(unit))
        if any(claim.stance is Stance.WITHDRAWS for claim in gone):
            view = self._view_beside(unit)
            return made + (self._open_lead(replace(unit, section=Section.LEADING), view) if view else [])
        unit = behind_its_label(unit)
        warned = self._cautions.read(unit, self.before(unit))
        body: list[Claim] = []
        if not phrases.is_noise(unit.text) or (unit.opens and unit.item) or self._plain(unit) is not None:
            body = _BY_SECTION.get(unit.section, ClaimReader._other)(self, unit)
        beside = [] if any(claim.kind in _OWN_WORDS for claim in body) else self._beside(unit)
        page = [] if made or body or beside else self._json_finding(unit)
        return [*made, *warned, *body, *beside, *page]

    def _changes_of_view(self, unit: Sentence) -> list[Claim] | None:
        """Return claims that this agent drops its view, takes another or adopts another's; None for none."""
        after, self._left = self._left and not unit.opens, False
        if unit.row or unit.keyed:
            return None
        if self._moderates:  # a chair's decision under its heading is a ruling, whoever held the denied view
            ruled = view_left(unit.full, None) if unit.section is Section.LEADING else None
            if ruled is None or not ruled[1]:
                return None
            made, view = list[Claim](), ruled[1]
        elif (left := view_left(unit.full, self._held) if self._held else None) is not None:
            gone, view = left
            self._left = not view
            made = [self._claim(Kind.LEADING, unit, entity=term(gone), stance=Stance.WITHDRAWS)]
        elif after and (view := lone_view(unit.full) or ""):
            made = []
        elif view := view_conceded(unit.full) or "":
            return [self._claim(Kind.LEADING, unit, entity=term(view), stance=Stance.SUPPORTS)]
        else:
            return None
        self._led = False
        return made + (self._open_lead(replace(unit, section=Section.LEADING), view) if view else [])

    def _json_finding(self, unit: Sentence) -> list[Claim]:
        """Return a JSON value about the case as a finding for the page, if nothing else was made of it."""
        if not unit.keyed or self._cautions.covers(unit):
            return []
        key, text = unit.heading, unit.full
        if key and (denies(key) or word_count(text) < 2 or len(key) < _LEAST_KEY or not is_of_the_case(text)):
            return []  # without a key its words say how they are meant: "Pending: von Willebrand factor"
        if key and unit.section is not Section.ACTIONS and not says_little(key):
            text = text if text.lower().startswith(key.lower()) else f"{upper_first(key)}: {text}"
        return [self._claim(Kind.FINDING, unit, text=text, mark=Mark.PAGE)]

    def _under_its_name(self, unit: Sentence) -> Sentence:
        """Return a value that stands alone under its name, a heading or key, with that name put before it."""
        title, heading = unit.heading, self._heading
        if unit.item or not unit.text[:1].isdigit() or title not in unit.above[-1:]:
            return unit
        named = analytes_named(title)
        if len(named) != 1 or (named[0].start, named[0].end) != (0, len(title)):
            return unit
        under = heading is not None and heading.text == title
        source = unit.source.under(heading.source) if heading is not None and under else unit.source
        return replace(unit, text=f"{title}: {unit.text}", source=source)

    def _answer(self, unit: Sentence) -> list[Claim] | None:
        """Return the view or the order that answers a question with options; None if `unit` answers none."""
        before, self._option = "" if unit.opens else self._option, ""
        said = options.answer(f"{before} {unit.full}".strip())
        if said is None and unit.opens:
            said = options.listed_answer(unit.text, unit.item or unit.heading)
        if said == "":
            self._option = unit.full
        self._example = self._example or options.shows_example(unit.text)
        if not said or self._led or self._example:
            return None
        if prohibits(said) and labelled(unit.full)[1].startswith(said):  # no option's letter before it
            return None
        to_do = is_act(said) and not options.names_drug_effect(said)
        if not (to_do or is_term(said)):
            return None
        if to_do:
            named = word_count(said) <= MOST_NAME_WORDS
            asked = replace(unit, item=said if named else None, text="" if named else said, opens=True)
            return [*self._cautions.close(), *actions(self._agent_id, asked, self._opened)]
        made = [*self._cautions.close(), *self._open_lead(unit, said, answers=True)]
        if unit.item and options.answer(unit.item):  # the reason follows
            made += self._beside(replace(unit, item=None))
        return made

    def _confirms(self, unit: Sentence) -> list[Claim]:
        """Return the diagnosis that a study is said to confirm."""
        if unit.section in {Section.TESTS, Section.DIFFERENTIAL, Section.DISAGREEMENT}:
            return []
        for text in dict.fromkeys((unit.item or unit.text, unit.text)):
            what = results.confirmed(text) if unit.opens or text is unit.text else None
            if what is not None:
                break
        else:
            return []
        return [self._claim(Kind.CONFIRMS, unit, entity=term(what), label="")]

    def _beside(self, unit: Sentence) -> list[Claim]:
        """Return an order or a finding in a sentence whose section is read for something else."""
        text = unit.text
        if self._cautions.covers(unit) or phrases.is_question(text):
            return []
        if unit.section is not Section.LEADING and (unit.listed or unit.item):
            return []
        return self._order(unit) or self._findings(unit)

    def _claim(self, kind: Kind, unit: Sentence, **facts: object) -> Claim:
        return claim_of(self._agent_id, kind, unit, **facts)

    def _open_lead(self, unit: Sentence, name: str, *, answers: bool = False) -> list[Claim]:
        entity = term(name)
        if not names_a_view(entity) or is_denied(entity) or _JOINTS.fullmatch(DRUG.sub("", entity)):
            return []
        if self._led or (not is_term(entity) and word_count(entity) > LEADING_WORDS):
            return []
        self._led, self._held = True, entity
        return [self._claim(Kind.LEADING, unit, entity=entity, label=name, answers=answers)]

    def _leading(self, unit: Sentence) -> list[Claim]:
        if self._led and not unit.opens:
            return []
        labelled = unit.item is not None and classify_label(unit.item) is Section.LEADING
        made = self._other(unit) if labelled or not unit.item else []
        if self._led:
            return made
        if not NO_VIEWS.isdisjoint(sense_of(title) for title in (unit.item, unit.heading) if title):
            return made
        opened = unit.item if unit.opens and unit.item and may_lead(term(unit.item)) else None
        name = opened or labelled_view(unit.text) or bold_term(unit)
        if (
            name is None
            and word_count(unit.text) <= 12
            and (unit.text[:1].isupper() or classify_label(unit.heading) is Section.LEADING)
            and mostly_term(unit.text)
            and not drugs_named(unit.text)
        ):
            name = unit.text.rstrip(".")
        return made + (self._open_lead(unit, name) if name is not None else [])

    def _critical(self, unit: Sentence) -> list[Claim]:
        return [self._claim(Kind.FINDING, unit, mark=Mark.IMPORTANT)] if quantities(unit.text) else []

    def _actions(self, unit: Sentence) -> list[Claim]:
        return [] if self._cautions.covers(unit) else actions(self._agent_id, unit, self._opened)

    def _order(self, unit: Sentence) -> list[Claim]:
        """Return `unit` as a recommendation if it asks for a treatment, to stop a drug, or bids something."""
        if self._cautions.covers(unit):
            return []
        return order(self._agent_id, unit, self._replies, self._opened, self.before(unit))

    def _disagreement(self, unit: Sentence) -> list[Claim]:
        return (
            dispute(self._agent_id, unit.full, unit.source)
            if self._moderates and (unit.listed or unit.item)
            else []
        )

    def _revision(self, unit: Sentence) -> list[Claim]:
        if unit.opens and unit.item and word_count(unit.text) >= 4:
            found = [] if re.search(r"\bI\b", unit.text) else self._findings(unit)
            told = [
                claim for claim in found if claim.mark is not Mark.PAGE
            ]  # without a value it is the reason itself
            return [self._claim(Kind.FINDING, unit, mark=Mark.GROUND), *told]
        return self._other(unit)

    def _priority(self, unit: Sentence) -> list[Claim]:
        """Return what comes first; if that is a finding, with what the next sentence says to do."""
        problem, self._problem = self._problem, None
        if problem is not None and problem.line_no == unit.line_no and not unit.opens and is_act(unit.text):
            source = problem.source.to(unit.source)
            text = f"{problem.full.rstrip('.')}. {unit.text}"
            return [
                self._claim(
                    *(Kind.PRIORITY, unit),
                    entity=unit.text.rstrip("."),
                    text=text,
                    source=source,
                    label=problem.text,
                )
            ]
        if not unit.opens:
            return self._actions(unit)
        if names_problem(unit.text):
            self._problem = unit
            return []
        return [self._claim(Kind.PRIORITY, unit, entity=unit.text.rstrip("."), label="")]

    def _other(self, unit: Sentence) -> list[Claim]:
        text = unit.text
        made: list[Claim] = []
        if USE.match(text) and DRUG.search(text):
            return self._actions(unit)
        gone = phrases.withdrawn(text)
        if gone is not None and not drugs_named(gone):
            made.append(self._claim(Kind.LEADING, unit, entity=term(gone), stance=Stance.WITHDRAWS))
            if phrases.agrees(text) and not self._moderates:
                made.append(self._claim(Kind.LEADING, unit, stance=Stance.SUPPORTS))
            elif (named := self._view_beside(unit)) is not None:
                made += self._open_lead(replace(unit, section=Section.LEADING), named)
        elif (named := labelled_view(text) or self._plain(unit) or impression(unit)) is not None:
            made += self._open_lead(replace(unit, section=Section.LEADING), named)
        elif phrases.agrees(text) and not self._moderates:
            made.append(self._claim(Kind.LEADING, unit, stance=Stance.SUPPORTS))
        return made or self._order(unit) or self._findings(unit)

    def _view_beside(self, unit: Sentence) -> str | None:
        """Return the view that a sentence states next to the one it withdraws."""
        parts = (replace(unit, text=part) for part in phrases.beside_withdrawn(unit.text))
        return next((view for part in parts if (view := labelled_view(part.text) or self._plain(part))), None)

    def _plain(self, unit: Sentence) -> str | None:
        """Return the view that prose states without a label; not from a list, which may hold options.

        It needs an "I" or a "my", or bold type, to be the speaker's: "this is anaemia" may be about a finding.
        """
        if unit.section not in {Section.OTHER, Section.REVISION} or unit.listed:
            return None
        own = _OWN.search(unit.text) is not None or bool(unit.bolds)
        return plain_view(unit.text) if own else None

    def _is_quoted_as_order(self, unit: Sentence) -> bool:
        quote = quote_of(self._agent_id, unit)
        return quote is not None and quote.worth in (Worth.ORDER, Worth.URGENT)

    def _findings(self, unit: Sentence) -> list[Claim]:
        """Return `unit` as a finding if it gives a measured value or clears an emergency."""
        if phrases.is_definition(unit.text) or self._cautions.covers(unit):
            return []
        text = unit.text if unit.section is Section.LEADING else unit.full
        of = prose.denied(unit.text)
        if of is not None:
            return [self._claim(Kind.FINDING, unit, text=text, entity=f"no {of}" if of else "")]
        told = [part for part in statements.told(text) if not prose.names_nothing(part)]
        if told and prose.gives_doses(text) and self._is_quoted_as_order(unit):
            return []  # a bare dose is no finding: labelled sentences showed it (docs/evaluation-labels.md)
        if told:
            why = (
                unit.section is Section.LEADING and unit.text[:1].islower()
            )  # it goes on from the view's name
            mark = Mark.PAGE if why else None
            return [self._claim(Kind.FINDING, unit, text=part, mark=mark) for part in told]
        return [
            self._claim(Kind.FINDING, unit, text=part, mark=Mark.PAGE) for part in statements.unmeasured(text)
        ]


_JOINTS: Final = re.compile(r"(?:[\s+&/,]|\band\b|\bwith\b)*")
"""What is left of names that are only drugs: they are no view."""
_OWN: Final = re.compile(r"\b(?:I|we|my|me)\b", re.IGNORECASE)


def _as_sentence(heading: Heading) -> Sentence:
    return Sentence(heading.text, Section.OTHER, "", None, True, False, (), 0, heading.source)


_OWN_WORDS: Final = frozenset({Kind.ACTION, Kind.FINDING, Kind.PRIORITY, Kind.TEST, Kind.DISPUTE})
_BY_SECTION: Final = {
    Section.LEADING: ClaimReader._leading,
    Section.DIFFERENTIAL: lambda reader, unit: differential(reader._agent_id, unit),
    Section.TESTS: lambda reader, unit: tests(reader._agent_id, unit),
    Section.ACTIONS: ClaimReader._actions,
    Section.CAUTION: ClaimReader._other,
    Section.CRITICAL: ClaimReader._critical,
    Section.DISAGREEMENT: ClaimReader._disagreement,
    Section.REVISION: ClaimReader._revision,
    Section.PRIORITY: ClaimReader._priority,
}
