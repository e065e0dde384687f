"""Find the sentence that its own speaker takes back at once, or gives to somebody else: "Sorry, that's his brother's."

What it stated is then no fact of this patient: no ground of a ban, nothing that a treatment could meet, no last word.
In doubt it stands: the speaker must own up to a mistake, and say it of a test, a record or a person, not of what
somebody told. That a thing at hand is the wrong one is no owning up: a ban goes only to another person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.lexicon.kinds import names_test
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import Status, gives_to_another, marks, statuses_of
from exaim_core.text.names import person
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

MOST_BACK: Final = 4  # sentences
MOST_WORDS: Final = 35  # of both together: fourteen seconds
_OWNS_UP: Final = re.compile(
    r"\b(?:sorry|wrong (?:man|woman|lady|patient|person|bed)|scrap|scratch|strike|ignore|forget|hang on|hold on|wait|"
    r"oops|oh|no|apologies|my mistake|mixed up|correction)\b",
    re.IGNORECASE,
)
_RECORD: Final = re.compile(
    r"\b(?:band|wristband|chart|notes?|file|label|sheet|page|screen|monitor|trace|strip|tube|sample|bottle|one)\b",
    re.IGNORECASE,
)
_VESSEL: Final = re.compile(r"\b(?:label|tube|sample|bottle|one)\b", re.IGNORECASE)
"""Things at hand that are no record of what was said before, unless that names a test."""
_WRONG: Final = re.compile(
    r"\b(?:that|this|it|those)(?:['’]s| is| was| were) the wrong (?P<what>[\w-]+)", re.IGNORECASE
)
_KEEPS: Final = re.compile(
    r"\b(?:not|never|(?:is|was|are|were|do|does|did)n['’]t)\b(?! (?:his|hers|theirs|ours)(?:[.,;!]|\Z))"
    r"|(?<!not )\bours\b|\b(?:his|hers|theirs) (?:is|was|are|were)\b|(?:['’]s|is|was|came|comes) from\b"
    r"|\bbut (?:yes|still)\b|\b(?:same|too|as well|anyway|either way)\b",
    re.IGNORECASE,
)
"""Words that may say that it is the patient's after all: "that's not his brother's", "ours is 7.1", "but yes"."""
_TAKES_BACK: Final = re.compile(
    r"\W*(?:oh\W+)?(?:(?:actually|sorry|wait(?! for)|hang on|hold on|apologies|my mistake|oops"
    r"|no(?=\W*[,.!;–—-]|,? (?:it|that|this|there|he|she|they|wait|sorry|actually)\b))\b[\s,.!–—-]*){2,}(?=\S)"
    r"|\W*(?:correction|scrap that|scratch that|strike that)\b"
    r"|\W*(?:(?:no|oh|actually|sorry|apologies|but|however)\W+)*"
    r"(?:I (?:beg your pardon|stand corrected|misspoke|misread)"
    r"|(?:I (?:must|should|have to|need to|want to|would like to)|let me|allow me to)"
    r" (?:correct|revise|retract|withdraw) (?:myself|that|this|my)"
    r"|at least,? that (?:was|is) (?:my|our) view|sorry\W+(?:the )?(?:left|right)\b)"
    r"|\W*(?:(?:sorry|no|oops|apologies|my mistake)\W+)*(?:the )?wrong (?:patient|bed|notes|chart|scan|name)\W*\Z",
    re.IGNORECASE,
)
_UNSURE: Final = frozenset({Status.HEDGED, Status.CONDITIONAL, Status.QUESTION, Status.BOOKS})
_ENDS: Final = re.compile(r"[.,;!:]")


def given_away(unit: Sentence, before: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence of `before` that `unit` says is about somebody else; None if it says so of none.

    `before` are the sentences before it in its turn. If it names a test, it is the nearest that names it too; else it
    is the last one.
    """
    if unit.row or unit.keyed or not before or not _gives_away(unit.full):
        return None
    if not names_test(unit.full):
        return None if _stays(unit.full, before[-1].full) else before[-1]
    named = things(unit.full)
    return next((each for each in reversed(before[-MOST_BACK:]) if named & things(each.full)), None)


def taken_back(unit: Sentence, before: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence right before `unit` on its line that `unit` takes back: "Actually no, …"; None for none.

    `before` are the sentences before it in its turn. What it stated is to be told with the words that take it back.
    """
    if unit.row or unit.keyed or not before or before[-1].line_no != unit.line_no or unit.text.endswith("?"):
        return None
    return before[-1] if _TAKES_BACK.match(unit.full) is not None else None


def takes_back(words: str) -> bool:
    """Return whether `words` are a sentence and one that takes it back: "FAST positive. No, sorry, negative."."""
    before, stop, behind = words.partition(". ")
    return bool(before and stop) and _TAKES_BACK.match(behind) is not None


def told_with(unit: Sentence, away: Sentence) -> Claim | None:
    """Return what `away` stated and the words that take it back as one quotation; None if they are too long."""
    words = f"{away.full.rstrip(' .')}. {unit.full}"
    if word_count(words) > MOST_WORDS:
        return None
    source = away.source.to(unit.source)
    return Claim(
        person(source.agent_id), Kind.QUOTE, "", words, source, worth=Worth.CORRECTION, under=unit.section
    )


def _stays(text: str, away: str) -> bool:
    """Return whether `away` stands: `text` says only that a thing is the wrong one, and may not mean what was said."""
    if gives_to_another(text):
        return False
    wrong = _WRONG.search(text)
    of_a_vessel = wrong is not None and _VESSEL.search(wrong["what"]) is not None
    return prohibits(away) or (of_a_vessel and not names_test(away))


def _gives_away(text: str) -> bool:
    owns_up = _OWNS_UP.search(text) is not None and _KEEPS.search(text) is None
    if text.endswith("?") or not owns_up or statuses_of(text, "") & _UNSURE:
        return False
    wrong = _WRONG.search(text)
    return (wrong is not None and _is_of_a_record(wrong["what"])) or (
        bool(gives_to_another(text)) and any(_is_of_a_record(each) for each in _owned(text))
    )


def _owned(text: str) -> list[str]:
    """Return what stands behind each name of somebody else: what is said to be theirs."""
    others = [each.end for each in marks(text) if each.status is Status.OTHER_PERSON]
    return [re.sub(r"\A['’]s\b", "", _ENDS.split(text[end:])[0]) for end in others]


def _is_of_a_record(words: str) -> bool:
    return not words.strip() or names_test(words) or _RECORD.search(words) is not None
