"""Read claims from list items and JSON drafts: other diagnoses, tests, points left open."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.claim_words import claim_of
from exaim_core.claims.claims import Claim, Kind, Part, Stance
from exaim_core.claims.consensus import consensus
from exaim_core.claims.critical import critical_findings
from exaim_core.lexicon import phrases
from exaim_core.lexicon.kinds import names_condition
from exaim_core.lexicon.terms import NO_DISPUTE, OPEN_PREFIX, is_generic, is_term, sentence_like
from exaim_core.text.places import Source
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify, classify_key
from exaim_core.text.units import JsonBlock, Sentence
from exaim_core.text.wording import mid_sentence, term, word_count

_FORMS: Final = lexicon("claims/list_claims")


def differential(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return the diagnosis that a list item names."""
    if not unit.opens:
        return []
    name = unit.item or (unit.bolds[0] if unit.bolds and unit.text.startswith(unit.bolds[0]) else None)
    if name is None and unit.listed and word_count(unit.text) <= 10 and unit.text[:1].isupper():
        name = re.split(r"\s+[-–—]\s+|\s*\(", unit.text)[0].rstrip(".")
    if name is not None and " " in name:
        name = re.sub(r"[’']s\Z", "", name)  # "**X Y's** mention"
    if name is None or not is_term(entity := term(name)) or is_generic(entity) or sentence_like(entity):
        return []
    stance = Stance(phrases.stance_words(unit.text))
    if stance is Stance.DOUBTS and not phrases.doubts(unit.text, entity):
        stance = Stance.PROPOSES
    return [claim_of(agent_id, Kind.DIFFERENTIAL, unit, entity=entity, stance=stance, label=name)]


def tests(agent_id: str, unit: Sentence) -> list[Claim]:
    """Return the test that a list item names."""
    if not unit.opens or not (unit.listed or unit.item):
        return []
    name = unit.item
    if name is None and unit.bolds and unit.text.startswith(unit.bolds[0]):
        name = unit.bolds[0]
    if name is None:
        if phrases.is_noise(unit.text) or word_count(unit.text) > 12 or not unit.text[:1].isupper():
            return []
        name = unit.text.rstrip(".")
    return _test(agent_id, unit, name, unit.text if unit.item else "")


def _test(agent_id: str, unit: Sentence, name: str, explained: str) -> list[Claim]:
    condition = phrases.condition_in(name, explained)
    entity = term(re.split(r"\s+(?:if|to|in order to)\s+", name)[0] if condition is None else name)
    if condition is None and (inside := re.search(r"\b(?:only )?if\b.*", name)):
        condition = inside.group() if word_count(inside.group()) <= 9 else ""
        entity = term(name[: inside.start()])
    if not is_term(entity) or sentence_like(entity):
        return []
    return [claim_of(agent_id, Kind.TEST, unit, entity=entity, condition=condition, label=name)]


def dispute(agent_id: str, text: str, source: Source) -> list[Claim]:
    """Return a point that a list item leaves open, or that nothing is open."""
    if phrases.NOTHING.search(text):
        return [Claim(agent_id, Kind.DISPUTE, "", text, source, Stance.REJECTS)]
    if text.endswith("?") or re.search(r"\bdoctor ?\d\b.*\bleads? with\b", text, re.IGNORECASE):
        return []
    text = _FORMS["to_do"].sub("", text)
    bare = OPEN_PREFIX.sub(
        "", text.split(":")[0] if 2 <= word_count(text.split(":")[0]) <= 9 else text
    ).strip(" .:")
    if not 2 <= word_count(bare) <= 11 or is_generic(bare) or NO_DISPUTE.search(bare):
        return []
    return [Claim(agent_id, Kind.DISPUTE, mid_sentence(bare), text, source)]


def json_claims(agent_id: str, block: JsonBlock, *, moderates: bool) -> list[Claim]:
    """Return the claims of a JSON draft; its orders and cautions only repeat what was said in words."""
    made: list[Claim] = []
    sections = [classify_key(key) for key, _ in block.pairs]
    if moderates and (Section.LEADING in sections or Section.DISAGREEMENT in sections):
        made.append(Claim(agent_id, Kind.DISPUTE, "", block.text, block.source, Stance.REJECTS))
    for key, values in block.pairs:
        section = classify_key(key)
        if section is Section.LEADING:  # the view's own fields follow: its reasons, how sure it is
            values = tuple(
                value for value in values[:1] if names_condition(value) or classify(key) is section
            )
        if moderates and section in {Section.LEADING, Section.AGREEMENT}:
            made += [
                claim
                for value in values[:1]
                for claim in consensus(agent_id, _under(key, value, section, block))
                if claim.part is Part.VIEW
            ]
        for value in values:
            made += _json_value(agent_id, moderates, section, key, value, block)
    return made


def _under(key: str, value: str, section: Section, block: JsonBlock) -> Sentence:
    """Return a value as a sentence under its key."""
    return Sentence(value, section, key, None, True, True, (), -1, block.source_of(value))


def _json_value(
    agent_id: str, moderates: bool, section: Section, key: str, value: str, block: JsonBlock
) -> list[Claim]:
    item, _, explained = value.partition(" - ")
    unit = Sentence(explained, section, key, item.strip(), True, True, (), -1, block.source_of(value))
    if section is Section.LEADING:
        entity = term(item)
        return (
            [claim_of(agent_id, Kind.LEADING, unit, entity=entity, label=item, text=value)] if entity else []
        )
    if section is Section.DIFFERENTIAL:
        names = re.split(r",\s+(?=[A-Z])", value) if value.count(",") > 1 and "(" not in value else [value]
        found: list[Claim] = []
        for name in names:
            found += differential(agent_id, replace(unit, item=name.strip(" ."), text=""))
        return found
    if section is Section.TESTS:
        names = (
            re.split(r",\s+(?=[A-Z])|;\s+", value)
            if value.count(",") + value.count(";") > 1 and "(" not in value
            else [value]
        )
        return [claim for name in names for claim in _test(agent_id, unit, name.strip(" ."), "")]
    if section is Section.DISAGREEMENT and moderates:
        return dispute(agent_id, value, block.source_of(value))
    if section is Section.CRITICAL:
        return [
            claim_of(agent_id, Kind.CRITICAL, unit, entity=found.name, critical=found)
            for found in critical_findings(value)
        ]
    return []
