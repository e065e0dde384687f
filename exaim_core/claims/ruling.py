"""Find sentences that say outright how the discussion ends: a ruling, or what all hold.

    **Most likely diagnosis:** light-chain amyloidosis – probable, not proven
    So all agreed: DKA from pump set failure, no infection found.

Nothing is read into them: the closing tells one as it stands, with its label. Not found are what one member of a team
holds, what another is said to hold, and what is open beside the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from exaim_core.claims.claims import Claim, Force, Kind
from exaim_core.claims.meant import SET_ASIDE, TITLES, LabelSense, sense_of
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.kinds import names_test, states_condition
from exaim_core.lexicon.named import NAMELESS, labelled, names
from exaim_core.text.assertion import NOT_OURS, NOT_OURS_NOW, Status, clauses
from exaim_core.text.boundaries import between_stops
from exaim_core.text.marks import is_machinery
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 26  # words; with "Finished" and the speaker's name, 12 s


LEAVES_OPEN: Final = frozenset({Force.OPEN, Force.LEFT})

_FORMS: Final = lexicon("claims/ruling")
_INLINE: Final = re.compile(
    r"\A\W*(?:\d{1,2}[:.]\d\d\s+|\d+[.)]\s+)?(?P<label>[^:;.]{3,60}?):\s+(?P<rest>\S.*)", re.DOTALL
)
_UNFIT: Final = NOT_OURS_NOW | {Status.NEGATED}
_TIME: Final = re.compile(r"\A\W*\d{1,2}[:.]\d\d\b\W*\s+")
_SHORT: Final = re.compile(r"\b[A-Z]{3,6}\b")
_IT_IS: Final = re.compile(r"\A(?:(?:so|then|right),? )?(?:it|this|that)(?:['’]s| is) ", re.IGNORECASE)
_OWN: Final = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine)\b")


def ruling_of(agent_id: str, unit: Sentence) -> Claim | None:
    """Return the part of `unit` that ends the discussion, with its `Force`; None if it ends nothing."""
    text, label = _labelled(unit)
    sense = sense_of(label)
    set_aside = sense in SET_ASIDE or (unit.listed and sense_of(unit.heading) in SET_ASIDE)
    for part in _parts(text):
        force = _force(part, label if text.startswith(part) else "")
        if (
            force is None
            or (set_aside and force not in LEAVES_OPEN)
            or _statuses(part) & NOT_OURS
            or _FORMS["supposes"].search(part)
        ):
            continue
        if force in LEAVES_OPEN or _is_whole(part, label, force):
            return Claim(agent_id, Kind.QUOTE, "", part, unit.source, force=force, under=unit.section)
    return None


def is_own(claim: Claim) -> bool:
    """Return whether its speaker speaks of itself: one person's view does not end the discussion."""
    return _OWN.search(claim.text) is not None


def names_one(text: str) -> bool:
    """Return whether `text` names a condition, in full or by an abbreviation used as one.

    Capitals alone say nothing: "CABG tonight", "NPO from midnight". "Probable TTP" and "HLH, most likely" do.
    """
    text = _FORMS["other_sense"].sub(" ", text)
    if states_condition(text):
        return True
    return any(
        not names_test(short.group())
        and (
            _FORMS["held"].search(text[: short.start()]) is not None
            or _FORMS["holds"].match(text[short.end() :]) is not None
        )
        for short in _SHORT.finditer(text)
    )


def points_before(text: str) -> bool:
    """Return whether `text` says that the sentence before it is agreed."""
    return _FORMS["of_before"].match(text) is not None


def is_plain(text: str) -> bool:
    """Return whether `text` names a condition plainly: not set aside, denied, conditional or of the history."""
    opens = any(_FORMS[form].match(text) for form in ("aside", "adjective", "others_view"))
    if opens or any(_FORMS[form].search(text) for form in ("hangs_on", "supposes", "history")):
        return False
    label, said = labelled(text)
    naming = [each.statuses for each in clauses(said) if names_one(each.text) and not _is_ranked(each.text)]
    return (
        sense_of(label) not in SET_ASIDE
        and not _statuses(text) & NOT_OURS
        and any(not each & _UNFIT for each in naming)
    )


def _is_ranked(clause: str) -> bool:
    """Return whether `clause` ranks what it names behind something else: "lymphoma is second"."""
    return _FORMS["ranked"].search(clause) is not None


def _is_whole(text: str, label: str, force: Force) -> bool:
    """Return whether the ruling itself is named, and not only later: "For A. Gout, most likely" is not."""
    if force >= Force.TITLED and names_one(text):
        return True
    said = _IT_IS.sub("", text.removeprefix(label).lstrip(": "))
    return any(hangs(each) in (None, NAMELESS) for each in (text, said, said.partition(", ")[0]))


def _statuses(text: str) -> frozenset[Status]:
    """Return how the clauses that name a condition are meant; if none does, how all are."""
    found = clauses(text)
    naming = [each for each in found if names_one(each.text)] or found
    return frozenset[Status]().union(*(each.statuses for each in naming))


def _parts(text: str) -> Iterator[str]:
    """Yield a sentence if it is short enough, else its short parts that the next part does not revoke."""
    if word_count(text) <= MOST_WORDS:
        yield text
        return
    parts = [part.strip(" ,") for part in between_stops(text)]
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        if word_count(part) <= MOST_WORDS and not _FORMS["limits"].match(after):
            yield part
    led_in = _FORMS["led_in"].match(text)
    if led_in is not None and word_count(led_in["said"]) <= MOST_WORDS:
        yield led_in["said"]


def _labelled(unit: Sentence) -> tuple[str, str]:
    """Return a sentence with its label, and the label; a heading is one if it announces a ruling."""
    text = _TIME.sub("", unit.full.strip(" .>*→"))
    inline = _INLINE.match(text)
    if inline is not None:
        return text, inline["label"].strip(" *-")
    label = unit.heading.replace("_", " ").strip(" :*") if unit.opens else ""
    if label and (_is_title(label) or _FORMS["shared"].search(label)):
        return f"{label}: {text}", label
    return text, ""


def _is_title(label: str) -> bool:
    return sense_of(label) in TITLES


def _force(text: str, label: str) -> Force | None:
    machine = is_machinery(text.removeprefix(label).lstrip(": "))
    if word_count(text) < 2 or machine or _FORMS["others_view"].match(text):
        return None
    left = _FORMS["left"].search(text) is not None
    if _FORMS["open"].search(text) or ((left or _FORMS["left_open"].search(text)) and names_one(text)):
        return Force.OPEN
    shared = _FORMS["shared"].search(text)
    if shared is not None and _FORMS["not_shared"].search(text[: shared.start()]):
        shared = None
    titled = _is_title(label) and (names_one(text) or sense_of(label) is not LabelSense.PLAN)
    likely = _FORMS["likely"].search(text) or _FORMS["so"].match(text)
    if not names_one(text):
        if left or _FORMS["left_open"].search(text):
            return Force.LEFT if left else None
        rest = text.removeprefix(label)
        said = shared is not None or titled or likely
        return Force.UNNAMED if said and names(_FORMS["shared"].sub(" ", rest)) else None
    if shared is not None:
        return Force.SHARED
    if titled:
        return Force.TITLED
    return Force.LIKELY if likely else None
