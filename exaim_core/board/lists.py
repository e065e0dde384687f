"""What agents list: other diagnoses, tests. A list is one change, told when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from exaim_core.board.changes import ChangeKind, Changes
from exaim_core.board.glossary import Glossary
from exaim_core.board.leading import LeadingViews
from exaim_core.claims.claims import Claim, Stance
from exaim_core.lexicon.terms import is_generic
from exaim_core.text.names import is_moderator
from exaim_core.text.wording import same_item


@dataclass(slots=True)
class _OpenList:
    others: list[Claim] = field(default_factory=list)
    tests: list[Claim] = field(default_factory=list)


class Lists:
    """The lists of one board; news goes to `changes`."""

    def __init__(self, glossary: Glossary, views: LeadingViews, changes: Changes) -> None:
        self.others: list[Claim] = []
        self.tests: list[Claim] = []
        self.doubted: list[
            Claim
        ] = []  # diagnoses called less likely, even another's leading view; newest last
        self.agreed_tests: tuple[Claim, ...] = ()
        self._glossary, self._views, self._changes = glossary, views, changes
        self._open: dict[str, _OpenList] = {}
        self._agreeing: list[Claim] = []

    @property
    def open_from(self) -> dict[str, int]:
        """Return for each agent with an open list the number of that list's first delta."""
        return {
            agent: min(claim.source.first_seq for claim in (*begun.others, *begun.tests))
            for agent, begun in self._open.items()
        }

    def other(self, claim: Claim) -> None:
        """Enter another diagnosis, unless it is a leading view already."""
        if claim.stance is Stance.DOUBTS:
            self._doubt(claim)
        known = next(
            (
                old
                for old in self.others
                if same_item(self._glossary.full_name(old.entity), self._glossary.full_name(claim.entity))
            ),
            None,
        )
        if known is not None:
            if claim.stance in {Stance.REJECTS, Stance.DOUBTS} and known.stance is not Stance.REJECTS:
                self.others[self.others.index(known)] = replace(known, stance=claim.stance)
            elif (
                claim.stance is Stance.PROPOSES
                and claim.agent_id != known.agent_id
                and claim.text != claim.label
            ):
                self._changes.note(ChangeKind.REASONS, (claim,), self._views.vote())
            return
        views = [
            view for lead in self._views.leads.values() for view in (lead.claim.entity, lead.former) if view
        ]
        if any(self._glossary.same(view, claim.entity) for view in views):
            return
        self.others.append(claim)
        self._open.setdefault(claim.agent_id, _OpenList()).others.append(claim)

    def _doubt(self, claim: Claim) -> None:
        """Note a doubt about a diagnosis; only its newest wording is kept."""
        self.doubted = [old for old in self.doubted if not self._glossary.same(old.entity, claim.entity)]
        self.doubted.append(claim)
        self._changes.note(ChangeKind.DOUBTS, (claim,), self._views.vote())

    def test(self, claim: Claim) -> None:
        """Enter a test that is asked for."""
        if is_moderator(claim.agent_id):
            self._agreeing.append(claim)
        name = self._glossary.full_name(claim.entity)
        if any(same_item(self._glossary.full_name(old.entity), name) for old in self.tests):
            return
        self.tests.append(claim)
        self._open.setdefault(claim.agent_id, _OpenList()).tests.append(claim)

    def withdraw(self, gone: Callable[[Claim], bool]) -> None:
        """Drop what is `gone` from open lists and from what the moderator asks for."""
        for begun in self._open.values():
            begun.others[:] = [claim for claim in begun.others if not gone(claim)]
            begun.tests[:] = [claim for claim in begun.tests if not gone(claim)]
        self._open = {agent: begun for agent, begun in self._open.items() if begun.others or begun.tests}
        self._agreeing = [claim for claim in self._agreeing if not gone(claim)]
        self.agreed_tests = tuple(claim for claim in self.agreed_tests if not gone(claim))

    def end(self, agent_id: str) -> None:
        """Tell the agent's lists: they are complete."""
        if self._agreeing:
            self.agreed_tests, self._agreeing = tuple(self._agreeing), []
        done = self._open.pop(agent_id, None)
        if done is None:
            return
        if done.others:
            first = all(old.agent_id == agent_id for old in self.others)
            self._changes.say(ChangeKind.OTHERS, done.others, self._views.vote(), first=first)
        spoken = [claim for claim in done.tests if not is_generic(claim.entity)]
        if spoken:
            first = all(old.agent_id == agent_id for old in self.tests)
            self._changes.say(ChangeKind.TESTS, spoken, self._views.vote(), first=first)
