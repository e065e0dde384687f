"""Cautions, and what is taken back, stopped or forbidden. Each agent has one `CautionReader`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.claim_words import claim_of, condition_of
from exaim_core.claims.claims import Claim, Kind, Mark, Stance
from exaim_core.claims.meant import is_forbidden_by_label
from exaim_core.claims.no_allergy import only_denies
from exaim_core.claims.quotes import keeps_from_telling
from exaim_core.claims.revoking import stops_forbidden, treatments_taken_back, withdraws_order
from exaim_core.claims.written_cautions import warns_of_this_case
from exaim_core.lexicon import phrases, prose
from exaim_core.lexicon.alone import MOST_JOINED, hangs, led_in
from exaim_core.lexicon.drugs import DRUG, ORDER, drugs_named, is_bare_name
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.named import labelled, points
from exaim_core.lexicon.prohibitions import (
    allergy_named,
    lists_prohibited,
    opens_with_allergen,
    permits,
    prohibits,
    tells_allergy,
)
from exaim_core.lexicon.statements import is_family
from exaim_core.lexicon.terms import ALLERGY, CONTRA, LIMIT
from exaim_core.text.assertion import NOT_OURS, Status, is_of_another, statuses_around, statuses_of
from exaim_core.text.keys import KeySense, meaning, said_under
from exaim_core.text.sections import LISTS, VIEWS, Section, is_of_allergies, only_forbids
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

_BARE_NO: Final = re.compile(
    r"(?:[\w']+,? )?(?:[\w']+,? )?(?:don['’]?t|do not|no|not|never|nope|stop|struck|off|cancel(?:led)?|forbidden)"
    r"(?: now| today| please)?\W*",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(r"\W*(?:the |some |an? )?(?P<what>\w[\w /+-]*)\?\W*", re.IGNORECASE)
_FIRST: Final = re.compile(r"[,;] ")
"""The end of a list's first item: if only later items forbid, the heading must be put before it."""
_TIME: Final = re.compile(r"\A\[?\d{1,2}[:.]\d\d\]?\s+")
MOST_BETWEEN: Final = 4  # sentences from the question to the ban, both counted
_AVOID: Final = meaning("avoid").say
_WHEN: Final = re.compile(r"(?:until|till|if|once|when|while|before|after|unless)\b", re.IGNORECASE)


def _names_drugs(unit: Sentence) -> bool:
    """Return whether the name before the sentence is of drugs, which it may forbid: "A + B: do not combine"."""
    return bool(unit.opens and unit.item and drugs_named(unit.item))


def _stops_the_last(unit: Sentence, before: Sequence[Sentence]) -> bool:
    """Return whether `unit` only says that "it" is to be stopped, right after a sentence that names one thing given.

    If it opens its turn, it may answer another's words, after which it is told (`answering.py`).
    """
    if not prose.stops_it(unit.full):
        return False
    last = next((each.full for each in reversed(before) if word_count(each.full) > MOST_COURTEOUS), "")
    named = len(drugs_named(last)) == 1 or (not drugs_named(last) and names_measure(last))
    return not last or (named and not statuses_of(last, "") & NOT_OURS)


MOST_COURTEOUS: Final = 2  # words of a sentence that is only a courtesy: "Agreed.", "I agree."


_NAMES_NONE: Final = re.compile(
    r"\A\W*(?:nil|none|nothing|pending|n/a|tb[cd])\b|\b(?:was|were|is|are)\b", re.IGNORECASE
)


def _as_ban(text: str) -> str:
    """Return `text` worded as a ban if only its label forbids: aloud "NOs for the chart: ketamine" forbids nothing."""
    label, words = labelled(text)
    name = label.strip(" :")
    if (
        not (name and words)
        or _NAMES_NONE.search(words)
        or prohibits(text)
        or _BARE_NO.fullmatch(name)
        or not only_forbids(name)
    ):
        return text
    under = meaning(name)
    return said_under(under, words) if under.say == _AVOID else text


def _is_listed_allergy(unit: Sentence) -> bool:
    """Return whether `unit` is an entry under "Allergies", of this patient, that opens with a substance."""
    if not unit.opens or not is_of_allergies(unit.heading):
        return False
    meant = statuses_of(unit.full, "") & {Status.OTHER_PERSON, Status.NEGATED}
    return not meant and not any(map(is_of_another, unit.above)) and opens_with_allergen(unit.full)


def _is_of_kin_alone(text: str) -> bool:
    """Return whether `text` tells an allergy of a relative, and speaks of nobody else."""
    return (
        is_family(text)
        and tells_allergy(text)
        and not prohibits(text)
        and re.search(r"\b(?:s?he|patients?|I|we|you)\b", text, re.IGNORECASE) is None
    )


class CautionReader:
    """Reads one agent's cautions. Keeps one open until the next sentence on its line is read."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._open: Claim | None = None
        self._line = -1

    def close(self) -> list[Claim]:
        """Return the caution that was kept open, if any."""
        caution, self._open = self._open, None
        return [caution] if caution else []

    def read(self, unit: Sentence, before: Sequence[Sentence]) -> list[Claim]:
        """Return the cautions that are complete now; the newest waits for the next sentence on its line.

        `before` are the sentences before this one in its turn.
        """
        made: list[Claim] = []
        if (refused := self._ban_after_question(unit, before)) is not None:
            return [*self.close(), *refused]
        warns = not unit.text.endswith("?") and (self._is_caution(unit) or _stops_the_last(unit, before))
        if self._open is not None and (self._line != unit.line_no or not warns):
            made.append(self._open)
            self._open = None
        if not warns:
            return made
        if self._open is not None:  # of a long row each part opens
            both = f"{self._open.text} {unit.text}"
            if word_count(both) <= 16 and not unit.opens:
                source = self._open.source.to(unit.source)
                self._open = replace(self._open, text=both, source=source)
                return made
            made.append(self._open)
        alone = unit.section in VIEWS and not (_WHEN.match(unit.item or "") or _names_drugs(unit))
        text, source = unit.text if alone else unit.full, unit.source
        about = points(text) and before and DRUG.search(before[-1].text) and not unit.opens
        if (about or hangs(text)) and (
            led := led_in(text, [each.full for each in before], MOST_JOINED)
        ) is not None:
            source, text = before[-led[0]].source.to(source), led[1]  # the earlier sentence names "it"
        if (
            unit.listed
            and unit.opens
            and lists_prohibited(unit.heading, unit.section, text)
            and not prohibits(_FIRST.split(text)[0])
        ):
            under = meaning(unit.heading)  # "Avoid" above "metformin": the heading forbids it
            text = said_under(under, text) if under.sense is KeySense.FORBIDS else f"{unit.heading}: {text}"
        elif _is_listed_allergy(unit) and not tells_allergy(text):
            text = f"{unit.heading.strip(' :')}: {_TIME.sub('', text)}"
        text = _as_ban(text)
        condition = condition_of(unit)
        if unit.opens and unit.item and ORDER.search(unit.item) and phrases.is_supposition(unit.text):
            text, condition = unit.item, None  # "if …, it would harm" is a reason and no condition
        self._open = claim_of(
            self._agent_id, Kind.CAUTION, unit, text=text, condition=condition, source=source
        )
        self._line = unit.line_no
        return made

    def _ban_after_question(self, unit: Sentence, before: Sequence[Sentence]) -> list[Claim] | None:
        """Return the ban on the drug that the speaker asked about, if `unit` is only a "don't" after it."""
        if not _BARE_NO.fullmatch(unit.full):
            return None
        for back, asked in enumerate(reversed(before[-MOST_BETWEEN:]), 1):
            if DRUG.search(asked.full) is None and not drugs_named(asked.full):
                continue
            said = " ".join(each.full for each in (*before[-back:], unit))
            drug = _ASKED.fullmatch(asked.full)
            if drug is None or not is_bare_name(drug["what"]) or not prohibits(said):
                return None
            source = asked.source.to(unit.source)
            ban = claim_of(self._agent_id, Kind.CAUTION, unit, text=said, condition=None, source=source)
            off = claim_of(
                *(self._agent_id, Kind.REVOKES, unit),
                mark=Mark.TOLD,
                stance=Stance.REJECTS,
                revokes=(drug["what"],),
                text=said,
                source=source,
            )
            return [off, ban]
        return None

    def revokes(self, unit: Sentence) -> list[Claim]:
        """Return what the sentence takes back, stops or forbids; marked `TOLD` if a caution or order says it."""
        if unit.section in LISTS or phrases.is_question(unit.full):
            return []
        withdrawn = withdraws_order(unit.text)
        parts = treatments_taken_back(_as_ban(unit.full), unit.item or "")
        if unit.section is Section.WITHDRAWN and (unit.item or unit.listed):
            parts, withdrawn = (unit.item or unit.text.rstrip("."),), True
        if (
            withdrawn
            and not any(drugs_named(part) for part in parts)
            and unit.section is not Section.WITHDRAWN
        ):
            withdrawn = False  # it withdraws a view and no drug, which the board keeps apart
        if not parts:
            return []
        told = not withdrawn and (
            self._is_caution(unit) or prose.is_order(unit.text) or unit.section is Section.ACTIONS
        )
        stance = Stance.WITHDRAWS if withdrawn else Stance.REJECTS
        return [
            claim_of(
                self._agent_id,
                Kind.REVOKES,
                unit,
                mark=Mark.TOLD if told else None,
                stance=stance,
                revokes=parts,
            )
        ]

    def covers(self, unit: Sentence) -> bool:
        """Return whether a caution is open on the line of this sentence, which then belongs to it."""
        return self._open is not None and self._line == unit.line_no

    def _is_caution(self, unit: Sentence) -> bool:
        text = unit.text if unit.section in VIEWS and not _names_drugs(unit) else unit.full
        if permits(text) or keeps_from_telling(text) or (only_denies(text) and not prohibits(unit.text)):
            return False
        if (prose.is_warning(text) and not _is_of_kin_alone(text)) or _is_listed_allergy(unit):
            return True
        if prohibits(unit.text) or (unit.listed and lists_prohibited(unit.heading, unit.section, text)):
            return not phrases.is_request(unit.text)
        if unit.text and is_forbidden_by_label(unit):  # "**Avoid:** metformin"
            return not phrases.is_noise(unit.text)
        if unit.section in VIEWS or prose.is_undecided(text):
            return False
        if not unit.keyed and not unit.row and warns_of_this_case(unit.text):
            return True
        for pattern in (ALLERGY, CONTRA):
            if (
                match := pattern.search(text) or (allergy_named(text) if pattern is ALLERGY else None)
            ) is not None:
                meant = statuses_around(text, match.start(), match.end())
                denied = Status.NEGATED in meant and not text.startswith("No ")
                supposed = Status.CONDITIONAL in meant and pattern is CONTRA
                return not (denied or supposed or Status.OTHER_PERSON in meant)
        forbidden = (*treatments_taken_back(text, unit.item or ""), *stops_forbidden(text))
        if any(map(drugs_named, forbidden)) and not re.search(r"\b(?:no longer|waits?)\b", text):
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
