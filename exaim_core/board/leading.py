"""The leading views: what each doctor holds, what the moderator rules, and what of it is news."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from exaim_core.board.changes import ChangeKind, Changes, Vote
from exaim_core.board.floor import SpeakerSequence
from exaim_core.board.glossary import Glossary
from exaim_core.board.numbers import Numbers
from exaim_core.claims.claims import Claim, Stance
from exaim_core.lexicon.phrases import agrees_with, says_settled
from exaim_core.text.names import is_moderator
from exaim_core.text.wording import common_wording, key_words

MOST_GROUNDS = 64  # of one change of mind


@dataclass(slots=True)
class Lead:
    """A doctor's leading view now, the one that it replaced (`before`), and the grounds for that (`why`).

    `again` is the last sentence in which the doctor repeated it or agreed.
    """

    claim: Claim
    former: str = ""
    before: Claim | None = None
    why: tuple[Claim, ...] = ()
    again: Claim | None = None


@dataclass(frozen=True, slots=True)
class _Withdrawal:
    claim: Claim | None = None
    entity: str = ""
    grounds: tuple[Claim, ...] = ()
    told: bool = False


class LeadingViews:
    """The leading views of one board; news goes to `changes`."""

    def __init__(
        self, glossary: Glossary, floor: SpeakerSequence, numbers: Numbers, changes: Changes
    ) -> None:
        self.leads: dict[str, Lead] = {}
        self.ruling: Claim | None = None
        self.settled: Claim | None = None
        self._glossary, self._floor, self._numbers, self._changes = glossary, floor, numbers, changes
        self.withdrawn: dict[str, _Withdrawal] = {}
        self._counted: tuple[object, Vote] | None = None  # the last count, and what it was a count of
        self._split = False

    def is_withdrawn(self, agent_id: str) -> bool:
        """Return whether the agent took its leading view back and holds no other yet."""
        lead, gone = self.leads.get(agent_id), self.withdrawn.get(agent_id)
        if lead is None or gone is None:
            return False
        if not gone.entity or self._glossary.same(gone.entity, lead.claim.entity):
            return True
        return len(set(key_words(gone.entity)) & set(key_words(lead.claim.entity))) >= 2

    def firm(self) -> dict[str, Lead]:
        """Return the leading views that were not taken back."""
        return {agent: lead for agent, lead in self.leads.items() if not self.is_withdrawn(agent)}

    def newest(self) -> dict[str, int]:
        """Return for each agent the first delta of its last view, or of its last withdrawal by name."""
        stated = {agent: lead.claim.source.first_seq for agent, lead in self.leads.items()}
        for agent, gone in self.withdrawn.items():
            if gone.claim is not None:
                stated[agent] = max(stated.get(agent, -1), gone.claim.source.first_seq)
        return stated

    def vote(self) -> Vote:
        """Return how the doctors stand now; the moderator has no vote."""
        firm = self.firm()
        key = (
            tuple((agent, lead.claim.entity, lead.again) for agent, lead in firm.items()),
            self._floor.turns,
            self._glossary.version,
        )
        if self._counted is None or self._counted[0] != key:
            self._counted = (key, self._count(firm))
        return self._counted[1]

    def _count(self, firm: dict[str, Lead]) -> Vote:
        best, holders = "", tuple[str, ...]()
        for lead in firm.values():
            entity = lead.claim.entity
            held_by = tuple(
                agent for agent, held in firm.items() if self._glossary.same(held.claim.entity, entity)
            )
            if len(held_by) > len(holders):
                best, holders = self._best_words(held_by), held_by
        voters = tuple(agent for agent in self._floor.speakers if not is_moderator(agent))
        current = all(self._floor.is_of_this_turn(lead.again or lead.claim) for lead in firm.values())
        return Vote(best, holders, voters, tuple(agent for agent in voters if agent not in firm), current)

    def _best_words(self, holders: tuple[str, ...]) -> str:
        """Return the shortest of the holders' wordings: all of them say at least that much."""
        return min((self.leads[agent].claim.entity for agent in holders), key=len)

    def ground(self, claim: Claim) -> None:
        """Note a finding of an agent that has taken its view back: it may be the reason."""
        withdrawal = self.withdrawn.get(claim.agent_id)
        if withdrawal is not None:
            grounds = (*withdrawal.grounds, claim)[-MOST_GROUNDS:]
            self.withdrawn[claim.agent_id] = replace(withdrawal, grounds=grounds)

    def enter(self, claim: Claim) -> None:
        """Enter a view, an agreement, a withdrawal or a ruling."""
        if claim.stance is Stance.WITHDRAWS:
            self._withdraw(claim)
            return
        if claim.stance is Stance.SUPPORTS:
            self._support(claim)
            return
        if is_moderator(claim.agent_id):
            self._rule(claim)
            return
        self._hold(claim)

    def _hold(self, claim: Claim) -> None:
        """Enter an agent's view; tell how it compares with its former one and with the others' views."""
        agent = claim.agent_id
        claim = replace(claim, entity=self._usual(claim.entity))
        before = self.leads.get(agent)
        if before is not None and self._still(before.claim.entity, claim.entity):
            self._holds_on(claim, before)
            return
        grounds, former = self._grounds(agent), before.claim if before else None
        self.leads[agent] = Lead(claim, former.entity if former else "", former, grounds)
        if former is not None or self._has_withdrawn(agent):
            self._changed_mind(claim, former)
        else:
            self.withdrawn.pop(agent, None)  # it took back a view that was never read, which may be this one
            self._say_first_view(claim)
        self._settle(claim)

    def _holds_on(self, claim: Claim, before: Lead) -> None:
        """Enter that an agent repeats its view."""
        self.withdrawn.pop(claim.agent_id, None)
        self.leads[claim.agent_id] = replace(before, again=claim)

    def _say_first_view(self, claim: Claim) -> None:
        """Tell an agent's first view, by what the others hold: the first view, another, or the same."""
        others = {holder: lead for holder, lead in self.firm().items() if holder != claim.agent_id}
        held = [*others.values()]
        alike = [holder for holder, lead in others.items() if self._same(lead.claim, claim)]
        if not held:
            self._say(ChangeKind.LEADS, claim)
        elif not alike:
            self._split = True
            self._say(ChangeKind.DIFFERS, claim, former=held[0].claim.entity, rests_on=(held[0].claim,))
        elif self._split:
            self._say(ChangeKind.SIDES, claim, other=alike[0])
        elif len(held) == 1:
            self._say(ChangeKind.AGREES, claim)

    def _same(self, one: Claim, other: Claim) -> bool:
        return self._glossary.same(one.entity, other.entity)

    def _still(self, before: str, now: str) -> bool:
        """Return whether an agent only repeats its view, in fewer words or with an addition."""
        old, new = set(key_words(before)), set(key_words(now))
        return self._glossary.same(before, now) or (bool(new) and (new <= old or (bool(old) and old <= new)))

    def _grounds(self, agent: str) -> tuple[Claim, ...]:
        """Return the grounds that the agent gave since it took its view back."""
        gone = self.withdrawn.get(agent)
        return gone.grounds if gone else ()

    def _usual(self, entity: str) -> str:
        """Return the wording that `entity` shares with the same view on the board, else `entity`."""
        entity = self._glossary.full_name(entity)
        held = [lead.claim.entity for lead in self.leads.values()]
        for known in [*held, *([self.ruling.entity] if self.ruling else [])]:
            if self._glossary.same(known, entity):
                return common_wording(self._glossary.full_name(known), entity)
        return entity

    def _has_withdrawn(self, agent: str) -> bool:
        """Return whether the agent took a view back by name in this turn, even one never read as its lead."""
        gone = self.withdrawn.get(agent)
        return gone is not None and gone.claim is not None and self._floor.is_of_this_turn(gone.claim)

    def _changed_mind(self, claim: Claim, before: Claim | None) -> None:
        withdrawal = self.withdrawn.pop(claim.agent_id, None)
        if before is not None and withdrawal is None:
            # Both views are told, as the agent did not say itself that it changed its mind.
            self._say(ChangeKind.CHANGED, claim, former=before.entity, rests_on=(before,))
            return
        if withdrawal is None:
            return
        said = tuple(part for part in (withdrawal.claim, before) if part is not None)
        why = withdrawal.grounds[0] if withdrawal.grounds else None
        former = withdrawal.entity or (before.entity if before is not None else "")
        self._say(ChangeKind.CHANGED, claim, former=former, why=why, rests_on=said, first=True)

    def _settle(self, claim: Claim) -> None:
        """Tell once that all agree, when a third doctor joins or changes its mind so that all do."""
        vote = self.vote()
        if not vote.unanimous:
            return
        self._split = False
        if len(vote.voters) >= 3:
            newest = self._changes.ripe[-1:]
            if not (
                newest
                and newest[0].news in {ChangeKind.CHANGED, ChangeKind.SIDES}
                and newest[0].claim is claim
            ):
                self._say(ChangeKind.ALL_AGREE, claim)

    def _support(self, claim: Claim) -> None:
        """Enter an agreement: with the view that its words name, else with the one that all hold."""
        if is_moderator(claim.agent_id) or not self.leads:
            return
        if (own := self.leads.get(claim.agent_id)) is not None:
            self.leads[claim.agent_id] = replace(own, again=claim)
        if claim.entity:
            self._concede(claim)
            return
        words = set(key_words(claim.text))
        free = claim.agent_id not in self.leads or self.is_withdrawn(claim.agent_id)
        firm = self.firm()
        for holder, lead in firm.items():
            if holder != claim.agent_id and set(key_words(lead.claim.entity)) <= words:
                if free:
                    self._hold(replace(claim, entity=lead.claim.entity, stance=Stance.SUPPORTS))
                return
        if free and claim.agent_id in self.leads:
            self._follow(claim, firm)
            return
        if claim.agent_id in self.leads or not re.search(
            r"\b(?:diagnosis|assessment|conclusion|consensus)\b", claim.text, re.IGNORECASE
        ):
            return
        vote = self.vote()
        if vote.holders and len(vote.holders) == len(self.leads):
            self._hold(replace(claim, entity=vote.entity, stance=Stance.SUPPORTS))

    def _concede(self, claim: Claim) -> None:
        """Enter that an agent now holds a view of others, which it names and calls right after all."""
        words = set(key_words(claim.entity))
        firm = self.firm()
        named = [
            lead.claim.entity
            for holder, lead in firm.items()
            if holder != claim.agent_id and words <= set(key_words(lead.claim.entity))
        ]
        if named and all(self._glossary.same(named[0], each) for each in named):
            self._hold(replace(claim, entity=named[0]))

    def _follow(self, claim: Claim, firm: dict[str, Lead]) -> None:
        """Enter that an agent without a view agrees with others by name, if those hold one view."""
        views = [
            lead.claim.entity
            for holder, lead in firm.items()
            if holder != claim.agent_id and agrees_with(claim.text, holder)
        ]
        if views and all(self._glossary.same(view, views[0]) for view in views):
            self._hold(replace(claim, entity=views[0], stance=Stance.SUPPORTS))

    def _withdraw(self, claim: Claim) -> None:
        lead = self.leads.get(claim.agent_id)
        if not claim.entity and lead is not None and self._floor.is_of_this_turn(lead.claim):
            return  # the new view was given first, in this very turn
        withdrawal = self.withdrawn.get(claim.agent_id, _Withdrawal())
        if claim.entity:
            withdrawal = replace(withdrawal, claim=claim, entity=claim.entity)
        self.withdrawn[claim.agent_id] = withdrawal

    def end_turn(self, agent_id: str) -> Claim | None:
        """Tell a view that was taken back in this turn and not replaced; return it, None for none."""
        gone, lead = self.withdrawn.get(agent_id), self.leads.get(agent_id)
        if gone is None or gone.claim is None or gone.told or lead is None or not self.is_withdrawn(agent_id):
            return None
        self.withdrawn[agent_id] = replace(gone, told=True)
        self._say(ChangeKind.REVOKED, replace(gone.claim, revokes=(gone.entity,)), rests_on=(lead.claim,))
        return lead.claim

    def _rule(self, claim: Claim) -> None:
        before, self.ruling = self.ruling, claim
        vote = self.vote()
        if says_settled(claim.text):
            if self._split:
                self._say(ChangeKind.RULES, claim)
            self.settled, self._split = claim, False
            return
        if before is None and not self.leads:
            self._say(ChangeKind.RULES, claim, first=True)
        elif self.leads and not any(
            self._glossary.same(lead.claim.entity, claim.entity) for lead in self.leads.values()
        ):
            if before is None or not self._glossary.same(before.entity, claim.entity):
                self._say(ChangeKind.RULES, claim, other=vote.entity)

    def _say(self, news: ChangeKind, claim: Claim, **facts: object) -> None:
        self._changes.say(news, (claim,), self.vote(), **facts)
