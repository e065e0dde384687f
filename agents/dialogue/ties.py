"""Whether two sentences that stand next to each other in a turn are about one thing.

In running text they are. Who writes a list puts things next to each other that have nothing to do with each other: there
they are of one item, or the second hangs on the first, or both name one thing (docs/decisions/121).
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.dialogue.given import names_given
from agents.dialogue.meaning import IN_CLASS, asked_in, clinical, meaning_of, met_by
from agents.dialogue.passages import Passages
from agents.dialogue.segments import FOLLOWS, titled
from exaim_core.board.shown import SaidView

LIKE_EACH_OTHER = 0.45  # of 1: two sentences that are so like are of one thing


def tied(passages: Passages, first: SaidView, second: SaidView) -> bool:
    """Tell whether `second`, which stands right behind `first`, is about the same."""
    if first.in_turn != second.in_turn:
        return False
    if not (first.under or second.under or (titled(first.text) and titled(second.text))):
        return True
    heading, _, item = second.under.partition("; ")
    if heading != first.under.partition("; ")[0]:
        return False
    if item and (first.under == second.under or first.text.startswith(item)):
        return True
    if FOLLOWS.match(second.text) or names_given(first.text) & names_given(second.text):
        return True
    return passages.like_each_other(first.text, second.text) >= LIKE_EACH_OTHER


def share_asked(question: str, texts: Sequence[str]) -> bool:
    """Tell whether `texts` name one of the clinical things that are asked about, or one of its class.

    What names none is no answer, however like it is in meaning; a question without such a thing is met by anything.
    """
    about = [unit for unit in asked_in(question) if clinical(unit)]
    if not about:
        return True
    read = [meaning_of(text) for text in texts]
    return any(met >= IN_CLASS for each in met_by(about, read) for met in each)
