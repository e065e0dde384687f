"""Read a dissent with its reason: "I disagree. Troponin of 12,000 is too high for takotsubo."

The first sentence says only that its speaker differs, so it is told with the next one, and after the words that it
answers where these have room. A dissent without a reason, or before a question, is told nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.answering import says_of_what
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.lexicon.alone import MOST_JOINED, stopped_with
from exaim_core.lexicon.kinds import says_something
from exaim_core.text.assertion import NOT_OURS, statuses_of
from exaim_core.text.names import person
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

_DISSENTS: Final = re.compile(
    r"\W*(?:I (?:respectfully |strongly |must |have to |still )*)?(?:disagree|dissent|object)"
    r"(?: with (?:that|this|you))?\W*",
    re.IGNORECASE,
)


def dissent(
    agent_id: str, unit: Sentence, before: Sequence[Sentence], answered: Sequence[Sentence]
) -> Claim | None:
    """Return `unit` as the reason of the dissent right before it on its line; None if there is none."""
    if not before or before[-1].line_no != unit.line_no or unit.row or unit.keyed:
        return None
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
