"""Find what must not be given or done, in outright forms, whatever its object is (the open default).

A form that forbids is told even if nobody knows the word that it forbids. Words that only speak about forbidding
(it was held last year, there is no need to avoid it, guidelines say so) do not count: `assertion` reads how they are
meant.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import drugs_named, is_bare_name
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.named import names
from exaim_core.text.assertion import NOT_OURS_NOW, Status, statuses_at
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, forbids

_FORMS: Final = lexicon("lexicon/prohibitions")

_TO_WHOM: Final = re.compile(r"\A(?:him|her|them) (?=\w)", re.IGNORECASE)
"""The person to whom it would be done, which is no name of what is forbidden."""
_BEHIND: Final = re.compile(r" (?=(?:after|since|despite|from|had|has|we|than|at|by)\b)", re.IGNORECASE)
MOST_OF_MEASURE: Final = 2  # words
_TAKEN: Final = re.compile(
    r"\b(?:home|own|usual|history|medications?|medicines?|meds|takes|allerg\w*|patient|bed)\b[^:]{0,40}:(?!\d)",
    re.IGNORECASE,
)
"""A label of what somebody takes, or of somebody else, after which nothing is stopped."""
_ROWS: Final = _FORMS.each("rows")
_REFUSED: Final = next(
    pattern
    for row, pattern in zip(_FORMS.rows()["rows"], _ROWS, strict=True)
    if row.name == "asked and refused"
)


@lru_cache(maxsize=4096)
def permits(text: str) -> bool:
    """Return whether `text` says that a thing need not be avoided or is not needed, and forbids nothing."""
    return _FORMS["permits"].search(text) is not None and not prohibits(text)


@lru_cache(maxsize=4096)
def prohibits(text: str) -> bool:
    """Return whether `text` forbids, holds or stops something for this patient, now or conditionally."""
    if text.endswith("?"):
        return False
    return (
        any(_stands(text, row.search(text)) for row in _ROWS) or _bare_no(text) or bool(stopped_behind(text))
    )


@lru_cache(maxsize=4096)
def names_forbidden(text: str) -> bool:
    """Return whether `text` forbids a thing in a form that holds the thing's name, known or not."""
    return any(
        match is not None and _stands(text, match) and names(_TO_WHOM.sub("", match["object"]))
        for match in (row.search(text) for row in _ROWS)
    )


def refuses_what_it_asks(text: str) -> bool:
    """Return whether `text` asks about a thing and refuses it, so that it names what it refers to."""
    return _REFUSED.match(text) is not None


def lists_prohibited(heading: str, section: Section, text: str) -> bool:
    """Return whether `text`, an item under `heading`, names something that is not to be given."""
    if not (forbids(heading) or (section is Section.CAUTION and "indicat" in heading.lower())):
        return False
    return (
        not _FORMS["empty"].match(text)
        and bool(re.search(r"[A-Za-z]{4}", text))
        and not statuses_at(text, 0, len(text)) & NOT_OURS_NOW
    )


def tells_allergy(text: str) -> bool:
    """Return whether `text` speaks of an allergy, or of a reaction that something gave the patient."""
    return _FORMS["allergy"].search(text) is not None


_REACTION: Final = re.compile(
    r"\b(?P<what>[a-z][\w-]{2,60})(?:[ -]|, (?:s?he|they)(?:['’](?:s|re)| is| are| has| had)? )"
    r"(?:allergy|allergic|anaphylaxis)\b"
    r"(?! (?:kits?|packs?|box|protocol|algorithm|pathway|guid\w+|drill|doses?|clinic|tests?|rhinitis|reaction))",
    re.IGNORECASE,
)
_NO_DRUGS: Final = frozenset(
    (
        "pen latex bee wasp contrast sulfa sulpha shellfish seafood adhesive tape dairy milk egg peanut nut "
        "soya iodine betadine plaster gelatin gelatine"
    ).split()
)


_LISTED: Final = re.compile(r"\ballerg(?:y|ies): (?P<what>[a-z][\w-]{2,60})", re.IGNORECASE)


@lru_cache(maxsize=4096)
def allergy_named(text: str) -> re.Match[str] | None:
    """Return where `text` names a drug or material and its allergy: "NB latex anaphylaxis", "Allergies: latex"."""
    found = (each for form in (_REACTION, _LISTED) for each in form.finditer(text))
    return next((each for each in found if _is_allergen(each["what"])), None)


def opens_with_allergen(text: str) -> bool:
    """Return whether what stands under "Allergies" opens with a drug or material, and does not deny it.

    What is given, in a dose, is no allergen.
    """
    words = re.findall(r"[\w-]+", text)
    named = next((word for word in words if word.lower() not in _BEFORE_ALLERGEN), "")
    return _is_allergen(named) and not _DENIED_OR_GIVEN.search(text)


def _is_allergen(word: str) -> bool:
    return bool(drugs_named(word)) or word.lower().removesuffix("s") in _NO_DRUGS


_BEFORE_ALLERGEN: Final = frozenset(
    (
        "just only to the it was were they told me s he she says said i think oral iv and a an some known severe drug "
        "yes"
    ).split()
)
_DENIED_OR_GIVEN: Final = re.compile(
    r"\b\d+(?:\.\d+)? ?(?:mg|mcg|g|ml|units?)\b|\b(?:in error|de-?label\w*|removed|refuted|disproved|denied|denies"
    r"|tolerated(?: (?:in|since|it|well|fine)\b|\W*\Z)|(?:is|was|were) (?:fine|ok|okay)|not allergic|no reaction"
    r"|not an allergy)\b",
    re.IGNORECASE,
)


_OWN_MANNER: Final = re.compile(
    r"\bI (?:\w+ ){0,2}?(?:mention|say|raise|bring|share|offer|note|write|point|flag|stress|speak)"
    r"(?: (?:this|that|it|up|so|out|here))*,? \Z",
    re.IGNORECASE,
)
"""What stands before "not to be …" if that says how its speaker does not mean it."""


def _stands(text: str, match: re.Match[str] | None) -> bool:
    if match is None:
        return False
    at = match.start("verb")
    if _OWN_MANNER.search(text[:at]):
        return False  # "I mention this not to be critical"
    if _FORMS["undone"].search(text[max(0, at - 40) : at]) or _FORMS["no_object"].match(
        match["object"].strip()
    ):
        return False
    if re.match(r"\s*(?:the |a |an )?[\w-]+ levels?\b", match["object"]):
        return False
    named = match["object"].strip()
    if _FORMS["nothing_named"].match(named) and not (
        drugs_named(named)
        or names_measure(named)
        or (_TO_WHOM.match(named) and names(_TO_WHOM.sub("", named)))
    ):
        return False  # the thing that is forbidden stands in another sentence
    return not statuses_at(text, at, match.end("verb")) & NOT_OURS_NOW


@lru_cache(maxsize=4096)
def stopped_behind(text: str) -> tuple[str, ...]:
    """Return what a clipped sentence stops by a word after it: "Tramadol off, lowers the threshold".

    Each part is only names of drugs, or a measure in two words. After a label of what is taken nothing is
    stopped ("Home medication: insulin no"), nor if it is on again. What lies in a patient and is "out" was taken out.
    """
    return tuple(
        match["object"]
        for match in _FORMS["behind"].finditer(text)
        if _is_a_treatment(match["object"])
        and not (_OUT.fullmatch(match["verb"]) and _lies_in_a_patient(match["object"]))
        and not _TAKEN.search(text[: match.start("object")])
        and not _FORMS["on_again"].search(text, match.end())
        and not _is_of_others(text, match)
    )


_OUT: Final = re.compile(r"(?:is |are |was |now )*out", re.IGNORECASE)
_LIES_IN: Final = re.compile(
    r"\b(?:tube|line|catheter|drain|cannula|wire|pack|packing|stitch|stitche|suture|staple|clip|balloon|port|picc|cvc"
    r"|vascath|ngt|swab|needle|sheath)s?\Z",
    re.IGNORECASE,
)
"""What is put into a patient and comes out again."""


def _lies_in_a_patient(what: str) -> bool:
    return _LIES_IN.search(what) is not None and not drugs_named(what)


def _is_a_treatment(what: str) -> bool:
    return is_bare_name(what) or (names_measure(what) and len(what.split()) <= MOST_OF_MEASURE)


def _is_of_others(text: str, match: re.Match[str]) -> bool:
    """Return whether what is stopped is not this patient's, or is past.

    A general statement after it is the reason, and does not count: ", lowers the …".
    """
    start, end = match.start("object"), match.end()
    behind = statuses_at(text, start, end) - {Status.BOOKS}
    return bool((statuses_at(text[:end], start, end) | behind) & NOT_OURS_NOW)


def _bare_no(text: str) -> bool:
    """Return whether a "no" forbids a drug: "No NSAIDs, please", "so not labetalol".

    Before other words it denies a finding.
    """
    for match in (*_FORMS["no"].finditer(text), *_FORMS["so_not"].finditer(text)):
        named = _BEHIND.split(match["object"])[0]
        after = text[match.start("object") :]
        if match["verb"].lower() == "not" and not is_bare_name(named.split()[0]):
            continue  # "not sure about heparin"
        if (
            drugs_named(named)
            and not _FORMS["level"].search(after[:60])
            and not statuses_at(text, match.start(), match.end()) & NOT_OURS_NOW
        ):
            return True
    return False
