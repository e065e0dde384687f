"""Whether two sentences that stand next to each other in a turn are about one thing.

In running text they are. Who writes a list puts things next to each other that have nothing to do with each other:
there they are of one item, or the second hangs on the first, or both name one thing (docs/decisions/121).
"""

from __future__ import annotations

from typing import Final

from agents.dialogue.fit import is_one_thing
from agents.dialogue.given import names_given
from agents.dialogue.headings import without_bare_heading
from agents.dialogue.meaning import IN_CLASS, SHORTENED, Unit, asked_in, clinical, meaning_of, met_by
from agents.dialogue.passages import Passages
from agents.dialogue.segments import FOLLOWS, titled
from exaim_core.board.shown import SaidView

LIKE_EACH_OTHER: Final = 0.45  # of 1: two sentences that are so like are of one thing
ASKED_LIKE: Final = 0.45  # ... and a question of the discussion that is so like the clinician's asks the same


def tied(passages: Passages, first: SaidView, second: SaidView) -> bool:
    """Tell whether `second`, which stands right behind `first`, is about the same."""
    if first.in_turn != second.in_turn:
        return False
    headed = (
        first.under
        or second.under
        or any(without_bare_heading(one.text) != one.text for one in (first, second))
    )
    if not headed and not (_is_item(first.text) and _is_item(second.text)):
        return True
    heading, _, item = second.under.partition("; ")
    if heading != first.under.partition("; ")[0]:
        return False
    if item and (first.under == second.under or first.text.startswith(item)):
        return True
    if FOLLOWS.match(second.text) or names_given(first.text) & names_given(second.text):
        return True
    alike = passages.like_each_other(first.text, second.text) >= LIKE_EACH_OTHER
    return alike and not titled(second.text)


def _is_item(text: str) -> bool:
    """Tell whether a sentence opens with a title that names what is given: "Aspirin 300 mg: expect bleeding."."""
    return titled(text) and bool(names_given(text.partition(": ")[0]))


def _has_long_name(unit: Unit) -> bool:
    """Tell whether a unit has a name of several words, and is no class whose members would do."""
    return len(unit.stems) > 1 and bool(unit.names) and not unit.classes


def share_asked(question: str, text: str, like: float = 0.0) -> bool:
    """Tell whether `text` names what a question is about, or is so `like` it that it may do so in other words.

    A drug, a value, a test, an allergen and what has a name of several words must be named: a kidney is not the renal
    team. A question about nothing clinical is met by anything.
    """
    about = [unit for unit in asked_in(question) if clinical(unit)]
    about = [unit for unit in about if is_one_thing(unit)] or about
    exact = [is_one_thing(unit) or _has_long_name(unit) for unit in about]
    if not about or (like >= ASKED_LIKE and not any(exact)):
        return True
    met = met_by(about, [meaning_of(text)])
    return any(one[0] >= (SHORTENED if named else IN_CLASS) for one, named in zip(met, exact, strict=True))
