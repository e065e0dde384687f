"""Make an update of what changed on the board: what is told of it, what it takes back, which deltas it covers.

An update that can't be made gives back what it took: the next one tells it. One that was made waits in `handed` until
a call of the engine returns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final, Literal

from exaim_core.board.board import Board
from exaim_core.board.changes import Change, ChangeKind
from exaim_core.board.view import view_of
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.finding import Critical
from exaim_core.coverage import Coverage
from exaim_core.hearing import Hearing, Pause
from exaim_core.judge import Path
from exaim_core.kept import KeptUpdates
from exaim_core.listeners import Listeners
from exaim_core.patient.paper import CasePaper
from exaim_core.schema import NO_SUMMARIES, Newer, SpokenItem, SpokenKind, Update, history_line
from exaim_core.since import Since
from exaim_core.text.names import Names
from exaim_core.words.admitting import drafted
from exaim_core.words.fields import with_left_out
from exaim_core.words.summarizer import Draft, Summarizer, SummaryRequest

READ: Final = "read"
"""The reason of an update that was brought by a model's reading of a segment."""
_NEWS: Final = {
    Kind.CAUTION: ChangeKind.CAUTION,
    Kind.QUOTE: ChangeKind.QUOTED,
    Kind.ACTION: ChangeKind.ACTION,
    Kind.FINDING: ChangeKind.FINDING,
}
"""How a claim of each kind is told that was not told before."""


@dataclass(kw_only=True, eq=False)
class Updating:
    """Makes the updates of one case; the engine says when.

    `given_names`: how the caller calls each agent aloud. `history_k`: how many earlier summaries a summariser is shown.
    `told_at_s`: when the last update with something to say was made; until one, when the first text came.
    """

    board: Board
    hearing: Hearing
    since: Since
    coverage: Coverage
    summarizer: Summarizer
    given_names: Mapping[str, str]
    names: Names
    paper: CasePaper | None
    history_k: int
    pause: Pause
    kept: KeptUpdates = field(default_factory=KeptUpdates)
    listeners: Listeners = field(default_factory=Listeners)
    told_at_s: float = inf
    _ready: list[Update] = field(default_factory=list)  # made and not returned yet

    def handed(self) -> tuple[Update, ...]:
        """Return the updates that were made since this was last called; those of a cancelled call are among them."""
        made, self._ready = tuple(self._ready), []
        return made

    def history(self, skip: int) -> tuple[str, ...]:
        """Return the last `history_k` summaries as lines, leaving out the `skip` newest."""
        return tuple(map(history_line, self.kept.newest(self.history_k, skip=skip)))

    async def make(self, path: Path | Literal["end"], reason: str, *, judged: int, now_s: float) -> None:
        """Make an update of the changes that wait; `judged` requests to the judge came before it.

        If it fails or is cancelled, the changes wait again.
        """
        self.since.withdraw(self.board)
        self._tell_after_all()
        left_out, taken = self.board.changes.left_out, self.board.take()
        try:
            draft = await self._drafted(self._request(taken, closing=path == "end"))
            await self.pause()
        except BaseException:
            self.board.give_back(taken)
            self.board.changes.left_out += left_out
            raise
        draft = replace(draft, items=tuple(item for item in draft.items if not self.since.tells(item)))
        self.since.withdraws += self.since.retold(draft.items)
        draft = replace(draft, summary=with_left_out(draft.summary, left_out))
        told = [claim for change in taken for claim in change.claims]
        newer = self.since.newer(draft.items, self.names)
        update = self._made(draft, path, reason, told, newer, judged=judged, now_s=now_s)
        self._ready.append(update)
        for item in draft.items:
            self.board.numbers.tell(item.text)
        for change in taken:
            found = change.claim.critical if change.news is ChangeKind.CRITICAL else None
            if found is not None and not any(_alarms(item, found) for item in draft.items):
                self.board.alarms.unsay(found.key)
                self.hearing.hazards.unsay(found.key)
        only_follows = bool(taken) and all(each.news is ChangeKind.FOLLOWS for each in taken)
        if draft.spare or (draft.items and (draft.engine == "llm" or not only_follows)):
            self.told_at_s = now_s  # a follow-up alone breaks no silence
        self.since.told((*update.items, *update.spare))
        self.since.spared += draft.spared
        self.kept.add(update)
        self.listeners.tell_summary(update.summary)

    def _tell_after_all(self) -> None:
        """Tell claims that stand and were not told, as something else told them that was taken back."""
        board = self.board
        standing = (*board.cautions, *board.quotes, *board.actions, *board.findings)
        for claim in self.since.unheard():
            if claim in standing:
                board.changes.say(_NEWS[claim.kind], (claim,), board.views.vote())

    def _request(self, changes: tuple[Change, ...], *, closing: bool) -> SummaryRequest:
        return SummaryRequest(
            number=self.kept.made + 1,
            board=self.board,
            changes=changes,
            names=self.names,
            closing=closing,
            history=self.history(1),
            paper=self.paper,
            latest=next(map(history_line, self.kept.newest(1)), NO_SUMMARIES),
            said=tuple(self.since.said),
            earlier=self.since.earlier,
            told=self.since.standing(),
        )

    def _made(
        self,
        draft: Draft,
        path: Path | Literal["end"],
        reason: str,
        told: Sequence[Claim],
        newer: tuple[Newer, ...],
        *,
        judged: int,
        now_s: float,
    ) -> Update:
        """Build the update of a draft, with the deltas that it covers; `told` are its changes' claims."""
        by_model = any(claim.read for claim in told)
        reader = self.hearing.readings.spent if self.hearing.readings is not None else None
        covers, last_at_s = self.coverage.take(self.hearing.untold_from())
        times_s = (draft.cited_at_s, last_at_s, now_s)
        refused = self.hearing.readings.take_refused() if self.hearing.readings is not None else ()
        return Update(
            number=self.kept.made + 1,
            path=path,
            reason=reason,
            summary=draft.summary,
            items=draft.items,
            spare=draft.spare,
            covers=covers,
            last_delta_at_s=next(at for at in times_s if at is not None),
            dropped=(*draft.dropped, *self.hearing.stated.take_refused(), *refused),
            board=view_of(self.board, self.given_names),
            engine="llm" if by_model else draft.engine,
            model=draft.model or (reader.model if reader is not None and by_model else ""),
            by_model=draft.by_model,
            fallbacks=tuple(dict.fromkeys(self.since.fallbacks)),
            truncated=draft.truncated,
            judged=0 if path == "end" else judged,
            sentences=draft.sentences,
            left_out=self.hearing.ear.left_out(
                *(draft.items, draft.sentences), refused=len(draft.dropped), hidden=self.hearing.hidden
            ),
            by_reading=reason == READ,
            withdraws=self.since.taken_back(newer, told, self.board.floor.begun),
            read_by=reader,
            newer=newer,
            said_since=self.since.said_since(draft.items, self.names),
        )

    async def _drafted(self, request: SummaryRequest) -> Draft:
        draft, failures = await drafted(self.summarizer, request, self.kept.told)
        for failure in failures:
            self.since.failed("summarizer", failure)
        return draft


def _alarms(item: SpokenItem, found: Critical) -> bool:
    """Return whether an item tells an alarm: as its own, or in the words of another alarm beside it."""
    words = found.words or found.value or found.order or found.name
    return item.critical_key == found.told_as or (
        item.kind is SpokenKind.CRITICAL and words.lower() in item.text.lower()
    )
