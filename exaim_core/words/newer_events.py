"""Find alarms on events of which the end was stated since, and word them with both.

"He's not breathing" is told late where somebody has said "breathing again". The alarm is never dropped for it: it is
told, and what was said since stands beside it. Which function of the body an alarm and a sentence are about:
`claims/bodily.py`. The newest statement counts: if the function fails again, the alarm stands as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from exaim_core.claims.bodily import ENDS_TOO, Change, Function, changes, contradicts, failing, is_vague
from exaim_core.claims.finding import IN_WORDS, without_count
from exaim_core.schema import Newer, SpokenItem, SpokenKind
from exaim_core.text.names import Names
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit
from exaim_core.words.since_then import Beside, beside, last_seq, said_since, stands
from exaim_core.words.templates import said_words

MOST_STATED: Final = 200  # changes that are kept
NEAR: Final = 16  # sentences within which a measure, or "it's stopped", belongs to an event
_BY_NAME: Final = "cue:"  # how the key of an emergency begins that is told by its name
_CONTRADICTED_WITHIN: Final = 2  # sentences after a return in which it may be denied


@dataclass(frozen=True, slots=True)
class _Stated:
    """A change that somebody stated: where, and in which sentence, counted from the first."""

    change: Change
    agent_id: str
    seq: int
    at: int


class NewestEvents(Beside[_Stated, Newer]):
    """What was last stated of each function of the body, and what the alarms on it became."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0  # sentences that were read

    def read(self, unit: Unit) -> frozenset[Function]:
        """Take what a sentence says of functions that failed before; return those that are there again."""
        if not isinstance(unit, Sentence) or unit.section is Section.ACTIONS or unit.step:
            return frozenset()
        self._count += 1
        found = changes(unit.full, self._failing_last())
        denied = [*self._denied()] if contradicts(unit.full) else []
        back = frozenset(each.function for each in found if each.back)
        found = (*(Change(each, back=False, words="") for each in denied if each not in back), *found)
        failed = {each.change.function for each in self._stated}
        for each in found:
            if not each.back or any(_ends(each.function, old) for old in failed):
                self._stated.append(_Stated(each, unit.source.agent_id, unit.source.first_seq, self._count))
        del self._stated[:-MOST_STATED]
        return back

    def _beside(self, items: Sequence[SpokenItem], names: Names) -> Iterable[Newer]:
        for item in items:
            if item.kind is SpokenKind.CRITICAL and item.cites and _kind(item):
                yield self._of(item, names)

    def functions(self, text: str, kind: str, seq: int) -> frozenset[Function]:
        """Return the functions whose failure an alarm tells; a call or a measure is of what failed before it."""
        found = failing(text, kind)
        if not is_vague(text, kind):
            return found
        before = [each for each in self._stated if each.seq <= seq and not each.change.back]
        return found | {each.change.function for each in before if each.at > before[-1].at - NEAR}

    def may_fail_again(self, back: frozenset[Function], text: str, kind: str, seq: int) -> bool:
        """Return whether the return of one in `back` ends the failure of a function that an alarm tells."""
        return any(_ends(each, function) for function in self.functions(text, kind, seq) for each in back)

    def _of(self, item: SpokenItem, names: Names) -> Newer:
        """Return what was stated since of the functions whose failure an alarm tells.

        The alarm is eased only if each of them is itself back: a pulse is no rhythm.
        """
        told = last_seq(item)
        functions = self.functions(said_words(item.text), _kind(item), told)
        since = [
            newest
            for each in functions
            if (newest := self._newest(each, told)) is not None and newest.change.back
        ]
        if not since:
            return stands(item)
        said = dict.fromkeys((each.agent_id, each.change.words) for each in sorted(since, key=_order))
        return Newer(
            item_id=item.item_id,
            critical_key=item.critical_key or "",
            text=beside(item.text, said_since(item, said, names)),
            eased=all(self._is_itself_back(each, told) for each in functions),
        )

    def _newest(self, function: Function, seq: int) -> _Stated | None:
        """Return what was stated last behind delta `seq` of a function, or of one whose return ends its failure."""
        for each in reversed(self._stated):
            of = each.change.function
            if each.seq > seq and (of is function or (each.change.back and _ends(of, function))):
                return each
        return None

    def _is_itself_back(self, function: Function, seq: int) -> bool:
        """Return whether a function was last said to be there again, behind delta `seq` and by its own name."""
        own = [each for each in self._stated if each.seq > seq and each.change.function is function]
        return bool(own) and own[-1].change.back

    def _failing_last(self) -> frozenset[Function]:
        """Return the functions that were said last to fail, not long ago."""
        last = next((each for each in reversed(self._stated) if not each.change.back), None)
        if last is None or self._count - last.at > NEAR:
            return frozenset()
        return frozenset(
            each.change.function for each in self._stated if each.at == last.at and not each.change.back
        )

    def _denied(self) -> frozenset[Function]:
        """Return the functions whose return was said right before the newest sentence, which denies it."""
        return frozenset(
            each.change.function
            for each in self._stated
            if each.change.back and each.at >= self._count - _CONTRADICTED_WITHIN
        )


def _ends(back: Function, function: Function) -> bool:
    """Return whether the return of `back` ends the failure of `function`."""
    return back is function or back in ENDS_TOO.get(function, frozenset())


def _order(each: _Stated) -> tuple[int, int]:
    return each.at, [*Function].index(each.change.function)


def _kind(item: SpokenItem) -> str:
    """Return the kind of emergency that an alarm tells; "" for one on a value or an order."""
    key = without_count(item.critical_key or "")
    return next((key.removeprefix(each) for each in (IN_WORDS, _BY_NAME) if key.startswith(each)), "")
