"""What agents claim, read from their units: one `ClaimReader` an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from exaim_core import phrases, prose, results
from exaim_core.claim_words import action_condition, bold_term, joined, stated_term
from exaim_core.claims import GROUND, IMPORTANT, TOLD, Claim, Kind, ListEnd, Stance
from exaim_core.context import context_of
from exaim_core.critical import critical_findings, relieved
from exaim_core.drugs import DRUG, ORDER, drugs_named
from exaim_core.names import is_moderator
from exaim_core.quantities import quantities
from exaim_core.reader import Heading, JsonBlock, Sentence, Source, Unit
from exaim_core.revoking import taken_back, withdraws_order
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
from exaim_core.wording import lower_first, mid_sentence, term, word_count


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
        self._heading: Heading | None = None
        self._opened: Sentence | None = None  # the sentence that opened the line being read
        self._before: Sentence | None = None  # the one before this on its line

    def read(self, units: Iterable[Unit]) -> list[Claim | ListEnd]:
        """Return the claims of `units`, and where lists end."""
        made: list[Claim | ListEnd] = []
        for unit in units:
            if isinstance(unit, Heading):
                made += self._close_open()
                self._led = False
                self._heading = unit
                made.append(ListEnd(self._agent_id, unit.source))
            elif isinstance(unit, JsonBlock):
                made += self._close_open()
                made += self._json(unit)
                made.append(ListEnd(self._agent_id, unit.source))
            else:
                if unit.opens or self._opened is None or self._opened.line_no != unit.line_no:
                    self._opened, self._before = unit, None
                made += self._sentence(unit)
                self._before = unit
        return made

    def end_turn(self) -> list[Claim | ListEnd]:
        """Return what was kept open."""
        made: list[Claim | ListEnd] = [*self._close_open(), ListEnd(self._agent_id, None)]
        self._led = False
        self._heading = self._opened = self._before = None
        return made

    def _close_open(self) -> list[Claim | ListEnd]:
        made: list[Claim | ListEnd] = [claim for claim in (self._lead, self._caution) if claim is not None]
        self._lead = self._caution = None
        return made

    # -- sentences -------------------------------------------------------------------------------

    def _sentence(self, unit: Sentence) -> list[Claim | ListEnd]:
        made: list[Claim | ListEnd] = []
        if phrases.is_request(unit.text):
            return made
        found = critical_findings(unit.full, unit.section)
        made += [self._claim(Kind.CRITICAL, unit, entity=one.name, critical=one) for one in found]
        if unit.section is not Section.ACTIONS and prose.is_reading(unit.full):
            made += [
                self._claim(Kind.CRITICAL, unit, entity=problem, stance=Stance.REJECTS)
                for problem in relieved(unit.full)
            ]
        made += self._confirms(unit)
        made += (gone := self._revokes(unit))
        if any(isinstance(claim, Claim) and claim.stance is Stance.WITHDRAWS for claim in gone):
            return made + self._leading_taken_back(unit)
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

    def _revokes(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return what the sentence takes back, stops or forbids; `TOLD` if a caution or order says it."""
        if unit.section in _LISTS or phrases.is_question(unit.full):
            return []
        withdrawn = withdraws_order(unit.text)
        parts = taken_back(unit.full, unit.item or "")
        if unit.section is Section.WITHDRAWN and (unit.item or unit.listed):
            parts, withdrawn = (unit.item or unit.text.rstrip("."),), True
        if (
            withdrawn
            and not any(drugs_named(part) for part in parts)
            and unit.section is not Section.WITHDRAWN
        ):
            withdrawn = False  # a view, and not a drug: the board keeps those apart
        if not parts:
            return []
        told = not withdrawn and (
            self._is_caution(unit) or prose.is_order(unit.text) or unit.section is Section.ACTIONS
        )
        stance = Stance.WITHDRAWS if withdrawn else Stance.REJECTS
        return [self._claim(Kind.REVOKES, unit, entity=TOLD if told else "", stance=stance, revokes=parts)]

    def _leading_taken_back(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return the leading view that is taken back in the same sentence as an order."""
        gone = phrases.withdrawn(unit.text)
        if not gone or drugs_named(gone):
            return []
        return [self._claim(Kind.LEADING, unit, entity=term(gone), stance=Stance.WITHDRAWS)]

    def _confirms(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return the diagnosis that a study is said to confirm, with the heading if that names the study."""
        if unit.section in {Section.TESTS, Section.DIFFERENTIAL, Section.DISAGREEMENT}:
            return []
        for text in dict.fromkeys((unit.item or unit.text, unit.text)):
            what = results.confirmed(text) if unit.opens or text is unit.text else None
            if what is not None:
                break
        else:
            return []
        made = self._claim(Kind.CONFIRMS, unit, entity=term(what), raw=text)
        heading = self._heading
        if heading is None or not results.is_report(heading.text) or heading.text != unit.heading:
            return [replace(made, raw="")]
        source = replace(unit.source, first_seq=min(heading.source.first_seq, unit.source.first_seq))
        return [replace(made, raw=heading.text, text=f"{heading.text}: {unit.full}", source=source)]

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
        if (hangs := self._hangs_on(unit)) is not None:
            return [hangs]
        entity = ""
        if (
            unit.bolds
            and text.startswith(unit.bolds[0])
            and not text[len(unit.bolds[0]) :].strip(" -–—:,.").startswith("only")
        ):
            entity = mid_sentence(unit.bolds[0])
        condition = "" if re.search(r"\bonly if\b|^if\b", text, re.IGNORECASE) else None
        return [self._claim(Kind.ACTION, unit, entity=entity, condition=condition)]

    def _hangs_on(self, unit: Sentence) -> Claim | None:
        """Return an order of a list item's later sentence with the item that it is about, if it needs it.

        It does if the item itself hangs on a condition, or if the sentence says "it" of the item.
        """
        first = self._opened
        if unit.opens or first is None or first.line_no != unit.line_no or not first.listed:
            return None
        conditional = re.search(r"\bonly (?:if|when|once|after)\b", first.full, re.IGNORECASE) or re.search(
            r"\b(?:if|once|unless)\b", first.item or "", re.IGNORECASE
        )
        if conditional is None and not phrases.points_back(unit.text):
            return None
        name = first.full.rstrip(".") if conditional or not first.item else first.item
        hanging = conditional or re.search(r"\b(?:if|once|unless)\b", unit.text, re.IGNORECASE)
        source = replace(first.source, last_seq=unit.source.last_seq, at_s=unit.source.at_s)
        text = f"{name}: {lower_first(unit.text)}"
        return self._claim(
            Kind.ACTION,
            unit,
            text=text,
            source=source,
            condition="" if hanging else None,
            raw=first.item or "",
        )

    def _caution_covers(self, unit: Sentence) -> bool:
        return self._caution is not None and self._caution_line == unit.line_no

    def _critical(self, unit: Sentence) -> list[Claim | ListEnd]:
        return [self._claim(Kind.FINDING, unit, entity=IMPORTANT)] if quantities(unit.text) else []

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
            told = [] if re.search(r"\bI\b", unit.text) else self._findings(unit)
            return [self._claim(Kind.FINDING, unit, entity=GROUND), *told]
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
        if gone is not None and not drugs_named(gone):
            made.append(self._claim(Kind.LEADING, unit, entity=term(gone), stance=Stance.WITHDRAWS))
            if phrases.agrees(text) and not self._moderates:
                made.append(self._claim(Kind.LEADING, unit, stance=Stance.SUPPORTS))
        elif not phrases.is_aside(text) and (named := stated_term(unit)) is not None and not self._led:
            made += self._open_lead(unit, named, tentative=phrases.is_tentative(text))
        elif phrases.agrees(text) and not self._moderates:
            made.append(self._claim(Kind.LEADING, unit, stance=Stance.SUPPORTS))
        return made or self._order(unit) or self._findings(unit)

    def _order(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return `unit` as a recommendation if it asks for a treatment with its dose, or to stop a drug."""
        if self._caution_covers(unit) or unit.section is Section.WITHDRAWN:
            return []
        if prose.is_aim(unit.text) or prose.is_task(unit.text):
            return [self._claim(Kind.ACTION, unit, text=unit.text)]
        if (bare := self._bare_order(unit)) is not None:
            return [bare]
        if not prose.is_order(unit.text):
            return []
        when = re.match(r"(?:only )?(?:if|once|when|unless)\b", unit.text, re.IGNORECASE)
        return [self._claim(Kind.ACTION, unit, text=unit.text, condition="" if when else None)]

    def _bare_order(self, unit: Sentence) -> Claim | None:
        """Return an order that is no more than a drug and its dose, as a list item or in bold."""
        if not unit.opens or prose.is_chart(unit.heading):
            return None
        if unit.listed and unit.item:
            if not prose.is_dose(unit.item):
                text = unit.text.rstrip(".")
                if not prose.is_dose(text) or word_count(unit.item) > 2 or action_condition(unit) is not None:
                    return None
                return self._claim(Kind.ACTION, unit, entity=lower_first(text), raw=unit.item)
            return self._claim(
                Kind.ACTION,
                unit,
                entity=mid_sentence(unit.item),
                condition=action_condition(unit),
                raw=unit.item,
            )
        name = unit.item or (unit.bolds[0] if unit.bolds and unit.text.startswith(unit.bolds[0]) else "")
        if not name or not prose.is_dose(re.sub(r",? only if\Z", "", name)):
            return None
        if re.search(r"\b(?:only if|if|once|unless)\b", unit.full):
            return self._claim(Kind.ACTION, unit, condition="")
        return self._claim(Kind.ACTION, unit, entity=mid_sentence(name), raw=name)

    def _findings(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return `unit` as a finding if it gives a measured value or clears an emergency."""
        if phrases.is_definition(unit.text) or self._caution_covers(unit):
            return []
        text = unit.text if unit.section is Section.LEADING else unit.full
        of = prose.denied(unit.text)
        if of is not None:
            return [self._claim(Kind.FINDING, unit, text=text, entity=f"no {of}" if of else "")]
        if prose.measured(text) and not prose.names_nothing(text):
            return [self._claim(Kind.FINDING, unit, text=text)]
        if (
            unit.opens
            and unit.item
            and results.is_report(unit.heading)
            and results.is_result(unit.text or unit.item)
        ):
            return [self._claim(Kind.FINDING, unit, text=text)]
        return []

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
        text, source = unit.text if unit.section in _VIEWS else unit.full, unit.source
        before = self._before
        if (
            before is not None
            and not unit.opens
            and phrases.points_back(unit.text)
            and DRUG.search(before.text)
        ):
            source = replace(before.source, last_seq=source.last_seq, at_s=source.at_s)
            text = f"{before.text} {text}"  # "it" stands in the sentence before
        condition = action_condition(unit)
        if unit.opens and unit.item and ORDER.search(unit.item) and phrases.supposes(unit.text):
            text, condition = unit.item, None  # "if …, it would harm" is why, and not on what it hangs
        self._caution = self._claim(Kind.CAUTION, unit, text=text, condition=condition, source=source)
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
        forbids = taken_back(text, unit.item or "") and not re.search(r"\b(?:no longer|waits?)\b", text)
        if forbids and any(drugs_named(part) for part in taken_back(text, unit.item or "")):
            return True
        if self._caution_covers(unit) and CONTRA.search(text):
            return True
        if LIMIT.search(text):
            return DRUG.search(text) is not None
        return (
            ORDER.search(text) is not None
            and DRUG.search(text) is not None
            and not re.search(
                r"\bif\b", unit.item if unit.opens and unit.item and ORDER.search(unit.item) else text
            )
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
        return []  # orders and cautions of a draft repeat what was said in words


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
