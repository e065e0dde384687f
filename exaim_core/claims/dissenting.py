"""Read a dissent with its reason: "I disagree. Troponin of 12,000 is too high for takotsubo."

The first sentence says only that its speaker differs, so it is told with the next one, and after the words that it
answers where these have room. A dissent without a reason, or before a question, is told nowhere.

In full prose it says from what: "I remain unconvinced that this is lupus". So does one who gives up a view: "I withdraw
my support for tuberculosis". That is told with its reason, in the same sentence or the next, if both fit; else alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.answering import says_of_what
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.claims.consensus import about_the_debate
from exaim_core.lexicon.alone import MOST_JOINED, stopped_with
from exaim_core.lexicon.brevity import MOST_WORDS
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_measure, names_test, says_something, states_condition
from exaim_core.lexicon.phrases import is_noise
from exaim_core.text.assertion import NOT_OURS, Status, statuses_of
from exaim_core.text.names import person
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import upper_first, word_count

_DISSENTS: Final = re.compile(
    r"\W*(?:I (?:respectfully |strongly |must |have to |still )*)?(?:disagree|dissent|object)"
    r"(?: with (?:that|this|you))?\W*",
    re.IGNORECASE,
)


def dissent(
    agent_id: str, unit: Sentence, before: Sequence[Sentence], answered: Sequence[Sentence]
) -> Claim | None:
    """Return `unit` as the reason of the dissent right before it on its line; None if there is none."""
    if unit.row or unit.keyed:
        return None
    if (whole := _with_its_reason(unit)) is not None:
        return Claim(agent_id, Kind.QUOTE, "", whole, unit.source, worth=Worth.CORRECTION, under=unit.section)
    if not before or before[-1].line_no != unit.line_no:
        return None
    if (said := differs(before[-1].full)) and not _gives_reason(said):
        return _joined(agent_id, said, before[-1], unit)
    if _DISSENTS.fullmatch(before[-1].full) is None:
        return None
    said, text = before[-1].full, unit.full
    if not says_something(text) or statuses_of(text, "") & NOT_OURS:
        return None
    words = f"{stopped_with(said)} {text}"
    if word_count(words) > MOST_JOINED:
        return None
    source = before[-1].source.to(unit.source)
    made = Claim(agent_id, Kind.QUOTE, "", words, source, worth=Worth.CORRECTION, under=unit.section)
    view = answered[-1] if answered and says_of_what(answered[-1].full) else None
    if view is None or word_count(words) + word_count(view.full) > MOST_JOINED:
        return made
    other = Claim(person(view.source.agent_id), Kind.QUOTE, "", view.full, view.source, under=view.section)
    return replace(made, rests_on=(other,))


def differs(text: str) -> str:
    """Return the words of `text` by which its speaker differs from a thing that it names; "" if it does not.

    So does a speaker who gives up what it held. What opens the sentence only out of courtesy is left out.
    """
    if len(text) > MOST_CHARS or text.rstrip().endswith("?") or _FORMS["none"].search(text):
        return ""
    if statuses_of(text, "") & (NOT_OURS | {Status.CONDITIONAL}):
        return ""
    for found in (
        each for form in ("differs", "revises") for row in _FORMS.each(form) for each in row.finditer(text)
    ):
        clause = _THAT.search(found.group()) is not None and says_something(found["what"])
        if not (clause or _names(found["what"])):
            continue
        lead = _FORMS["lead"].match(text[: found.start() + 1])
        led = lead is not None and lead.end() == found.start()
        words = upper_first(text[found.start() :]) if led else text
        return words.strip(" .") if word_count(words) <= MOST_WORDS - NAME else ""
    return ""


MOST_CHARS: Final = 400  # of a sentence that is read
NAME: Final = 3  # words by which its speaker is named
_FORMS: Final = lexicon("claims/dissenting")
_THAT: Final = re.compile(
    r"\bthat (?=\w+ (?:\w+ )*?(?:is|are|was|were|has|have|can|should|explains?|represents?)\b)"
)


def _names(what: str) -> bool:
    """Return whether `what` a speaker differs from is named: a view, a study, a treatment."""
    said = what.lower()
    return bool(states_condition(said) or names_measure(said) or names_test(said) or drugs_named(said))


def _gives_reason(said: str) -> bool:
    return _FORMS["reason"].search(said) is not None


def _with_its_reason(unit: Sentence) -> str | None:
    """Return a dissent that gives its reason in the same sentence; None for none."""
    said = differs(unit.full)
    return f"{said}." if said and _gives_reason(said) else None


def _joined(agent_id: str, said: str, first: Sentence, unit: Sentence) -> Claim:
    """Return a dissent that was `said` first, with the reason in `unit` if it is one and both fit; else alone."""
    text = unit.full
    reason = says_something(text) and _names(text) and not statuses_of(text, "") & NOT_OURS
    reason = reason and not (is_noise(text) or about_the_debate(text))
    both = f"{said}. {text}"
    fits = reason and word_count(both) <= MOST_JOINED
    words, source = (both, first.source.to(unit.source)) if fits else (f"{said}.", first.source)
    return Claim(agent_id, Kind.QUOTE, "", words, source, worth=Worth.CORRECTION, under=unit.section)
