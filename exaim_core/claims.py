"""What agents claim, read from their units: one `ClaimReader` an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from exaim_core import phrases
from exaim_core.context import context_of
from exaim_core.critical import Critical, critical_findings
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
    NEGATIVE_FINDING,
    NO_DISPUTE,
    OPEN_PREFIX,
    USE,
    is_generic,
    is_term,
    mostly_term,
    sentence_like,
)
from exaim_core.wording import mid_sentence, term, word_count


class Kind(StrEnum):
    """What a claim is about."""

    LEADING = "leading"
    DIFFERENTIAL = "differential"
    TEST = "test"
    ACTION = "action"
    CAUTION = "caution"
    FINDING = "finding"
    DISPUTE = "dispute"
    PRIORITY = "priority"
    CRITICAL = "critical"


class Stance(StrEnum):
    """How the agent stands to what it claims."""

    PROPOSES = "proposes"
    SUPPORTS = "supports"
    DOUBTS = "doubts"
    REJECTS = "rejects"
    WITHDRAWS = "withdraws"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of one agent.

    `entity` is what it is about, fit to be spoken; "" where the claim is the whole `text`.
    `condition` is what it hangs on, as written; "" for a condition too long to be spoken, None for
    none. `reasons` are noun phrases as written. `closed` marks an order of a list's end.
    """

    agent_id: str
    kind: Kind
    entity: str
    text: str
    source: Source
    stance: Stance = Stance.PROPOSES
    tentative: bool = False
    condition: str | None = None
    reasons: tuple[str, ...] = ()
    critical: Critical | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class ListEnd:
    """A heading or the turn's end: the lists of this agent before it are complete."""

    agent_id: str
    source: Source | None


GROUND: Final = "ground"  # the entity of a finding that is given as the reason for a change of mind


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
                    return made
        made += self._cautions(unit)
        if phrases.is_noise(unit.text) and not (unit.opens and unit.item):
            return made
        made += _BY_SECTION.get(unit.section, ClaimReader._other)(self, unit)
        return made

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
            self._lead = replace(lead, reasons=reasons, source=source, text=_joined(lead.text, unit))
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
        name = unit.item if unit.opens and unit.item and is_term(term(unit.item)) else _bold_term(unit)
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
                    condition=_action_condition(unit),
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
        elif not phrases.is_aside(text) and (stated := _stated(unit)) is not None and not self._led:
            made += self._open_lead(unit, stated, tentative=phrases.is_tentative(text))
        elif phrases.agrees(text) and not self._moderates:
            made.append(self._claim(Kind.LEADING, unit, stance=Stance.SUPPORTS))
        if not made:
            made += self._findings(unit)
        return made

    def _findings(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return `unit` as a finding if it gives a measured value or clears an emergency."""
        if phrases.is_definition(unit.text) or word_count(unit.full) > 26 or self._caution_covers(unit):
            return []
        cleared = NEGATIVE_FINDING.search(unit.text)
        if cleared and not re.search(r"\bif\b", unit.text):
            return [self._claim(Kind.FINDING, unit, entity=f"no {cleared['of'].lower()}")]
        measured = [quantity for quantity in quantities(unit.full) if quantity.unit not in DURATION]
        if measured and not re.search(
            r"\b(?:if|should|would|could|may|might|target)\b", unit.text, re.IGNORECASE
        ):
            return [self._claim(Kind.FINDING, unit)]
        return []

    def _cautions(self, unit: Sentence) -> list[Claim | ListEnd]:
        """Return the caution that is complete now; one waits for the sentence after it on its line."""
        made: list[Claim | ListEnd] = []
        asks = unit.section in {Section.DIFFERENTIAL, Section.LEADING} or unit.text.endswith("?")
        warns = not asks and self._is_caution(unit)
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
        self._caution = self._claim(Kind.CAUTION, unit, condition=_action_condition(unit))
        self._caution_line = unit.line_no
        return made

    def _is_caution(self, unit: Sentence) -> bool:
        text = unit.full
        for pattern in (ALLERGY, CONTRA):
            if (match := pattern.search(text)) is not None:
                context = context_of(text, match.start(), match.end())
                return not (context.hypothetical and pattern is CONTRA) and not (
                    context.negated and not text.startswith("No ")
                )
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


def _joined(first: str, unit: Sentence) -> str:
    return first if unit.full in first else f"{first} {unit.full}"


def _stated(unit: Sentence) -> str | None:
    """Return the leading diagnosis that a sentence states; its bold words are taken first."""
    stated = phrases.stated_lead(unit.text)
    if stated is None:
        return None
    bold = _bold_term(unit)
    return (
        bold if bold and (bold in stated or stated in bold or stated.lower() in unit.text.lower()) else stated
    )


def _bold_term(unit: Sentence) -> str | None:
    """Return the bold diagnosis of a sentence; two that a "with" joins make one."""
    bolds = [
        re.sub(r"^(?i:the )?(?i:most likely diagnosis)(?: (?:is|remains))?\s*", "", bold).strip(" .")
        for bold in unit.bolds
    ]
    bolds = [
        bold
        for bold in bolds
        if bold and word_count(bold) <= 14 and not re.fullmatch(r"(?i)doctor ?\d|supervisor", bold)
    ]
    if not bolds:
        return None
    if len(bolds) > 1 and (
        join := re.search(
            re.escape(bolds[0]) + r"( (?:with (?:\w+ )?|or |and ))" + re.escape(bolds[1]), unit.text
        )
    ):
        if " or " in join[1] and bolds[0].lower() in bolds[1].lower():
            return bolds[0]
        return bolds[0] + join[1] + bolds[1]
    return bolds[0]


def _action_condition(unit: Sentence) -> str | None:
    if re.match(r"(?:only )?(?:if|once|when|unless)\b", unit.text, re.IGNORECASE) or re.search(
        r"\bonly if\b", unit.text, re.IGNORECASE
    ):
        return phrases.condition_in(unit.item or "", unit.text)
    waits = re.search(
        r"(?:^|, )((?:once|unless|only when|only after|provided)\b(?:[^,.;]|\.(?=\d))*)",
        unit.text,
        re.IGNORECASE,
    )
    return (waits[1].strip() if word_count(waits[1]) <= 9 else "") if waits and unit.item else None


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
