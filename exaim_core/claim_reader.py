"""What agents claim, read from their units: one `ClaimReader` an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from exaim_core import phrases, prose
from exaim_core.claim_words import action_condition, bold_term, joined, stated_term
from exaim_core.claims import GROUND, Claim, Kind, ListEnd, Stance
from exaim_core.context import context_of
from exaim_core.critical import critical_findings
from exaim_core.drugs import DRUG, ORDER
from exaim_core.names import is_moderator
from exaim_core.quantities import quantities
from exaim_core.reader import Heading, JsonBlock, Sentence, Source, Unit
from exaim_core.sections import Section, classify
from exaim_core.terms import (
    ALLERGY,
    CONTRA,
    DURATION,
    IMPERATIVE,
    LIMIT,
    MAX_TERM_WORDS,
    NO_DISPUTE,
    OPEN_PREFIX,
    USE,
    is_generic,
    is_term,
    mostly_term,
    sentence_like,
)
from exaim_core.wording import mid_sentence, term, word_count


class ClaimReader:
    """Turns one agent's units into claims, in order. Keeps a leading view open until its grounds are read."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._moderates = is_moderator(agent_id)
        self._lead: Claim | None = None
        self._lead_age = 0
        self._led = False
        self._caution: Claim | None = None
        self._caution_line = -1
        self._silent = False

    def read(self, units: Iterable[Unit]) -> list[Claim | ListEnd]:
        """Return the claims of `units`, and where lists end."""
        made: list[Claim | ListEnd] = []
        for unit in units:
            if isinstance(unit, Heading):
                made += self._close_open()
                self._led = False
                made.append(ListEnd(self._agent_id, unit.source))
            elif isinstance(unit, JsonBlock):
                made += self._close_open()
                made += self._json(unit)
                made.append(ListEnd(self._agent_id, unit.source))
            else:
                made += self._sentence(unit)
        return made

    def end_turn(self) -> list[Claim | ListEnd]:
        """Return what was kept open."""
        made: list[Claim | ListEnd] = [*self._close_open(), ListEnd(self._agent_id, None)]
        self._led = False
        return made

    def _close_open(self) -> list[Claim | ListEnd]:
        made: list[Claim | ListEnd] = [claim for claim in (self._lead, self._caution) if claim is not None]
        self._lead = self._caution = None
        return made

    # -- sentences -------------------------------------------------------------------------------

    def _sentence(self, unit: Sentence) -> list[Claim | ListEnd]:
        made: list[Claim | ListEnd] = []
        found = critical_findings(unit.full, unit.section)
        made += [self._claim(Kind.CRITICAL, unit, entity=one.name, critical=one) for one in found]
        if self._lead is not None and not (unit.section is Section.LEADING and not unit.opens):
            if unit.section is not Section.LEADING or unit.item or unit.listed:
                made += self._take_lead()
            else:
                made += self._ground(unit)
                if self._lead is None:
                    return made + self._cautions(unit) + self._beside(unit)
        made += self._cautions(unit)
        body: list[Claim | ListEnd] = []
        if not phrases.is_noise(unit.text) or (unit.opens and unit.item) or phrases.states_plainly(unit.text):
            body = _BY_SECTION.get(unit.section, ClaimReader._other)(self, unit)
        if not any(isinstance(claim, Claim) and claim.kind in _OWN_WORDS for claim in body):
            beside = self._beside(unit)
            body += [*self._take_lead(), *beside] if beside else []
        return made + body

    def _beside(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return what a sentence says beside what its section is read for: an order, a finding."""
        text = unit.text
        if unit.section in _LISTS or self._caution_covers(unit) or phrases.is_question(text):
            return []
        if unit.section is not Section.LEADING and (unit.listed or unit.item):
            return []
        return self._order(unit) or self._findings(unit)

    def _claim(self, kind: Kind, unit: Sentence, **facts: object) -> Claim:
        base = Claim(self._agent_id, kind, "", unit.full, unit.source, raw=unit.item or "")
        return replace(base, **facts)  # type: ignore[arg-type]

    def _take_lead(self) -> list[Claim | ListEnd]:
        lead, self._lead = self._lead, None
        return [lead] if lead else []

    def _open_lead(self, unit: Sentence, name: str, *, tentative: bool = False) -> list[Claim | ListEnd]:
        entity = term(name)
        if self._led or (not is_term(entity) and word_count(entity) > MAX_TERM_WORDS + 4):
            return []
        self._led = True
        claim = self._claim(Kind.LEADING, unit, entity=entity, tentative=tentative, raw=name)
        self._lead, self._lead_age = claim, 0
        return self._ground(unit)

    def _ground(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Look for grounds of the open lead; hand it on when found or after three sentences."""
        lead = self._lead
        if lead is None:
            return []
        self._lead_age += 1
        reasons = phrases.reasons_in(unit.text, lead.entity)
        if reasons:
            source = replace(lead.source, last_seq=unit.source.last_seq, at_s=unit.source.at_s)
            self._lead = replace(lead, reasons=reasons, source=source, text=joined(lead.text, unit))
            return self._take_lead()
        return self._take_lead() if self._lead_age >= 3 else []

    def _leading(self, unit: Sentence) -> list[Claim | ListEnd]:
        if self._lead is not None and not unit.opens:
            return self._ground(unit)
        if self._led and not unit.opens:
            return []
        made = self._other(unit) if not unit.item else []
        if self._lead is not None or self._led:
            return made
        name = unit.item if unit.opens and unit.item and is_term(term(unit.item)) else bold_term(unit)
        if (
            name is None
            and word_count(unit.text) <= 12
            and unit.text[:1].isupper()
            and mostly_term(unit.text)
        ):
            name = unit.text.rstrip(".")
        if name is None or (phrases.is_aside(unit.text) and not unit.item):
            return made
        return made + self._open_lead(unit, name, tentative=phrases.is_tentative(unit.text) and not unit.item)

    def _differential(self, unit: Sentence) -> list[Claim | ListEnd]:
        if not unit.opens:
            return []
        name = unit.item or (unit.bolds[0] if unit.bolds and unit.text.startswith(unit.bolds[0]) else None)
        if name is None and unit.listed and word_count(unit.text) <= 10 and unit.text[:1].isupper():
            name = re.split(r"\s+[-–—]\s+|\s*\(", unit.text)[0].rstrip(".")
        if name is None or not is_term(entity := term(name)) or is_generic(entity) or sentence_like(entity):
            return []
        stance = Stance(phrases.stance_words(unit.text))
        return [self._claim(Kind.DIFFERENTIAL, unit, entity=entity, stance=stance, raw=name)]

    def _tests(self, unit: Sentence) -> list[Claim | ListEnd]:
        if not unit.opens or not (unit.listed or unit.item):
            return []
        name = unit.item
        if name is None and unit.bolds and unit.text.startswith(unit.bolds[0]):
            name = unit.bolds[0]
        if name is None:
            if phrases.is_noise(unit.text) or word_count(unit.text) > 12 or not unit.text[:1].isupper():
                return []
            name = unit.text.rstrip(".")
        return self._test(unit, name, unit.text if unit.item else "")

    def _test(self, unit: Sentence, name: str, explained: str) -> list[Claim | ListEnd]:
        condition = phrases.condition_in(name, explained)
        entity = term(re.split(r"\s+(?:if|to|in order to)\s+", name)[0] if condition is None else name)
        if condition is None and (inside := re.search(r"\b(?:only )?if\b.*", name)):
            condition = inside.group() if word_count(inside.group()) <= 9 else ""
            entity = term(name[: inside.start()])
        if not is_term(entity) or sentence_like(entity):
            return []
        return [self._claim(Kind.TEST, unit, entity=entity, condition=condition, raw=name)]

    def _actions(self, unit: Sentence) -> list[Claim | ListEnd]:
        if self._caution_covers(unit):
            return []
        if unit.opens and unit.item and word_count(unit.item) <= 16:
            return [
                self._claim(
                    Kind.ACTION,
                    unit,
                    entity=mid_sentence(unit.item),
                    condition=action_condition(unit),
                    raw=unit.item,
                )
            ]
        text = unit.text
        doses = any(quantity.unit not in DURATION for quantity in quantities(text))
        if not (IMPERATIVE.search(text) or doses):
            return []
        entity = ""
        if (
            unit.bolds
            and text.startswith(unit.bolds[0])
            and not text[len(unit.bolds[0]) :].strip(" -–—:,.").startswith("only")
        ):
            entity = mid_sentence(unit.bolds[0])
        condition = "" if re.search(r"\bonly if\b|^if\b", text, re.IGNORECASE) else None
        return [self._claim(Kind.ACTION, unit, entity=entity, condition=condition)]

    def _caution_covers(self, unit: Sentence) -> bool:
        return self._caution is not None and self._caution_line == unit.line_no

    def _critical(self, unit: Sentence) -> list[Claim | ListEnd]:
        return [self._claim(Kind.FINDING, unit, entity="important")] if quantities(unit.text) else []

    def _disagreement(self, unit: Sentence) -> list[Claim | ListEnd]:
        return self._dispute(unit.full, unit.source) if self._moderates and (unit.listed or unit.item) else []

    def _dispute(self, text: str, source: Source) -> list[Claim | ListEnd]:
        if phrases.NOTHING.search(text):
            return [Claim(self._agent_id, Kind.DISPUTE, "", text, source, Stance.REJECTS)]
        if text.endswith("?") or re.search(r"\bdoctor ?\d\b.*\bleads? with\b", text, re.IGNORECASE):
            return []
        bare = OPEN_PREFIX.sub(
            "", text.split(":")[0] if 2 <= word_count(text.split(":")[0]) <= 9 else text
        ).strip(" .:")
        if not 2 <= word_count(bare) <= 11 or is_generic(bare) or NO_DISPUTE.search(bare):
            return []
        return [Claim(self._agent_id, Kind.DISPUTE, mid_sentence(bare), text, source)]

    def _revision(self, unit: Sentence) -> list[Claim | ListEnd]:
        if unit.opens and unit.item and word_count(unit.text) >= 4:
            return [self._claim(Kind.FINDING, unit, entity=GROUND), *self._findings(unit)]
        return self._other(unit)

    def _priority(self, unit: Sentence) -> list[Claim | ListEnd]:
        return (
            [self._claim(Kind.PRIORITY, unit, entity=unit.text.rstrip("."))]
            if unit.opens
            else self._actions(unit)
        )

    def _other(self, unit: Sentence) -> list[Claim | ListEnd]:
        text = unit.text
        made: list[Claim | ListEnd] = []
        if USE.match(text) and DRUG.search(text):
            return self._actions(unit)
        gone = phrases.withdrawn(text)
        if gone is not None:
            made.append(self._claim(Kind.LEADING, unit, entity=term(gone), stance=Stance.WITHDRAWS))
        elif not phrases.is_aside(text) and (named := stated_term(unit)) is not None and not self._led:
            made += self._open_lead(unit, named, tentative=phrases.is_tentative(text))
        elif phrases.agrees(text) and not self._moderates:
            made.append(self._claim(Kind.LEADING, unit, stance=Stance.SUPPORTS))
        return made or self._order(unit) or self._findings(unit)

    def _order(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return `unit` as a recommendation if it asks for a treatment with its dose, or to stop a drug."""
        if self._caution_covers(unit) or not prose.is_order(unit.text):
            return []
        when = re.match(r"(?:only )?(?:if|once|when|unless)\b", unit.text, re.IGNORECASE)
        return [self._claim(Kind.ACTION, unit, text=unit.text, condition="" if when else None)]

    def _findings(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return `unit` as a finding if it gives a measured value or clears an emergency."""
        if phrases.is_definition(unit.text) or self._caution_covers(unit):
            return []
        text = unit.text if unit.section is Section.LEADING else unit.full
        of = prose.denied(unit.text)
        if of is not None:
            return [self._claim(Kind.FINDING, unit, text=text, entity=f"no {of}" if of else "")]
        return [self._claim(Kind.FINDING, unit, text=text)] if prose.measured(text) else []

    def _cautions(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return the caution that is complete now; one waits for the sentence after it on its line."""
        made: list[Claim | ListEnd] = []
        warns = not unit.text.endswith("?") and self._is_caution(unit)
        if self._caution is not None and (self._caution_line != unit.line_no or not warns):
            made.append(self._caution)
            self._caution = None
        if not warns:
            return made
        if self._caution is not None and not unit.opens:
            both = f"{self._caution.text} {unit.text}"
            if word_count(both) <= 16:
                source = replace(self._caution.source, last_seq=unit.source.last_seq, at_s=unit.source.at_s)
                self._caution = replace(self._caution, text=both, source=source)
                return made
            made.append(self._caution)
        text = unit.text if unit.section in _VIEWS else unit.full
        self._caution = self._claim(Kind.CAUTION, unit, text=text, condition=action_condition(unit))
        self._caution_line = unit.line_no
        return made

    def _is_caution(self, unit: Sentence) -> bool:
        text = unit.text if unit.section in _VIEWS else unit.full
        if prose.is_warning(text):
            return True
        if unit.section in _VIEWS or prose.is_undecided(text):
            return False
        for pattern in (ALLERGY, CONTRA):
            if (match := pattern.search(text)) is not None:
                context = context_of(text, match.start(), match.end())
                supposed = context.family or (context.hypothetical and pattern is CONTRA)
                return not supposed and not (context.negated and not text.startswith("No "))
        if self._caution_covers(unit) and CONTRA.search(text):
            return True
        if LIMIT.search(text):
            return DRUG.search(text) is not None
        return (
            ORDER.search(text) is not None
            and DRUG.search(text) is not None
            and not re.search(r"\bif\b", text)
        )

    # -- JSON ------------------------------------------------------------------------------------

    def _json(self, block: JsonBlock) -> list[Claim | ListEnd]:
        made: list[Claim | ListEnd] = []
        sections = [classify(key) for key, _ in block.pairs]
        if self._moderates and (Section.LEADING in sections or Section.DISAGREEMENT in sections):
            made.append(Claim(self._agent_id, Kind.DISPUTE, "", block.text, block.source, Stance.REJECTS))
        for key, values in block.pairs:
            section = classify(key)
            for value in values:
                made += self._json_value(section, key, value, block)
        return made

    def _json_value(self, section: Section, key: str, value: str, block: JsonBlock) -> list[Claim | ListEnd]:
        item, _, explained = value.partition(" - ")
        unit = Sentence(explained, section, key, item.strip(), True, True, (), -1, block.source)
        if section is Section.LEADING:
            entity = term(item)
            return [self._claim(Kind.LEADING, unit, entity=entity, raw=item, text=value)] if entity else []
        if section is Section.DIFFERENTIAL:
            names = (
                re.split(r",\s+(?=[A-Z])", value) if value.count(",") > 1 and "(" not in value else [value]
            )
            found: list[Claim | ListEnd] = []
            for name in names:
                found += self._differential(replace(unit, item=name.strip(" ."), text=""))
            return found
        if section is Section.TESTS:
            names = (
                re.split(r",\s+(?=[A-Z])|;\s+", value)
                if value.count(",") + value.count(";") > 1 and "(" not in value
                else [value]
            )
            return [claim for name in names for claim in self._test(unit, name.strip(" ."), "")]
        if section is Section.DISAGREEMENT and self._moderates:
            return self._dispute(value, block.source)
        if section is Section.CRITICAL:
            return [
                self._claim(Kind.CRITICAL, unit, entity=found.name, critical=found)
                for found in critical_findings(value)
            ]
        return []


_LISTS: Final = frozenset({Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT, Section.PRIORITY})
_VIEWS: Final = frozenset({Section.DIFFERENTIAL, Section.LEADING})  # their items name diagnoses
_OWN_WORDS: Final = frozenset({Kind.ACTION, Kind.FINDING, Kind.PRIORITY, Kind.TEST, Kind.DISPUTE})
_BY_SECTION: Final = {
    Section.LEADING: ClaimReader._leading,
    Section.DIFFERENTIAL: ClaimReader._differential,
    Section.TESTS: ClaimReader._tests,
    Section.ACTIONS: ClaimReader._actions,
    Section.CAUTION: ClaimReader._other,
    Section.CRITICAL: ClaimReader._critical,
    Section.DISAGREEMENT: ClaimReader._disagreement,
    Section.REVISION: ClaimReader._revision,
    Section.PRIORITY: ClaimReader._priority,
}
