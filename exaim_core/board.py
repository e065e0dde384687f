"""The board: who claims what, and which changes of it are worth saying.

Claims come in order; what they change goes out as `Change` values. A list (other diagnoses, tests)
is one change, complete when its section or the turn ends. Agreement that adds nothing changes a
count only; an item that repeats an earlier one is nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from exaim_core.changes import Change, News, Vote
from exaim_core.claims import GROUND, IMPORTANT, TOLD, Claim, Conflict, Kind, ListEnd, Stance
from exaim_core.names import is_moderator
from exaim_core.orders import Orders, first_steps
from exaim_core.phrases import agrees_with, says_settled
from exaim_core.quantities import quantities
from exaim_core.reader import Source
from exaim_core.terms import is_generic
from exaim_core.wording import abbreviations, common_wording, key_words, same_item, same_problem, topic_of

MAX_REMARKS = 60  # of 12 words on average: half of what a view may hold
_EXAMPLES = re.compile(r"\A[^.]{3,160}?\b(?:such as|e\.g\.,?|including|like)\s+([^.)]+)")


@dataclass(slots=True)
class Lead:
    """A doctor's leading view now, the one whose place it took (`before`), and why (`why`)."""

    claim: Claim
    former: str = ""
    before: Claim | None = None
    why: tuple[Claim, ...] = ()


@dataclass(slots=True)
class _OpenList:
    others: list[Claim] = field(default_factory=list)
    tests: list[Claim] = field(default_factory=list)


@dataclass(slots=True)
class _Withdrawal:
    claim: Claim | None = None
    entity: str = ""
    grounds: list[Claim] = field(default_factory=list)


class Board:
    """The claims of one case. Not for several tasks at once: the engine takes turns."""

    def __init__(self) -> None:
        self.leads: dict[str, Lead] = {}
        self.others: list[Claim] = []
        self.tests: list[Claim] = []
        self.consensus_tests: tuple[Claim, ...] = ()
        self.orders = Orders()
        self.cautions: list[Claim] = []
        self.findings: list[Claim] = []
        self.open_points: list[Claim] = []
        self.criticals: dict[str, Claim] = {}
        self.first: Claim | None = None
        self.ruling: Claim | None = None
        self.speakers: list[str] = []
        self.turns: dict[str, list[int]] = {}  # by agent, the first delta of each of its turns
        self.remarks: list[Claim] = []  # sentences that made no claim; the newest ones
        self.ripe: list[Change] = []
        self.claims_waiting = 0
        self.topic_shifted = False
        self._lists: dict[str, _OpenList] = {}
        self._agreed_tests: list[Claim] = []
        self._names: dict[str, str] = {}
        self._problems: set[str] = set()
        self._alarmed: set[str] = set()
        self._eased: Source | None = None  # of the sentence that took the last alarm off
        self._stated: dict[tuple[str, str], set[str]] = {}  # each number with its unit, and who gave it
        self._told: set[tuple[str, str]] = set()  # those that were spoken
        self.disputed: dict[tuple[str, str], Claim] = {}  # that the case paper contradicts
        self._put_right: set[tuple[str, str]] = set()
        self._ban_again = ""  # the last sentence that forbids only what is forbidden already
        self.confirmed: list[Claim] = []
        self.settled: Claim | None = None
        self._withdrawn: dict[str, _Withdrawal] = {}
        self._narrowed: dict[str, str] = {}  # wider view -> the narrower one that it names as an example
        self.open_now: list[Claim] = []
        self._said_all = ""
        self._split = False
        self._opens_spoken = 0
        self._speaking: set[str] = set()

    # -- in and out ------------------------------------------------------------------------------

    @property
    def actions(self) -> list[Claim]:
        """Return the orders that stand, in the order of speaking; none taken back or forbidden since."""
        return self.orders.standing

    def first_steps(self) -> list[Claim]:
        """Return up to two treatments that come first as things stand; none where that is not clear."""
        stale = frozenset(
            f"{order.agent_id}:{order.source.first_seq}"
            for order in self.actions
            if (lead := self.leads.get(order.agent_id)) is not None
            and lead.before is not None
            and self._turn_of(order) < self._turn_of(lead.claim)
        )
        return first_steps(self.orders, self.first, [*self.criticals.values()], stale)

    def _turn_of(self, claim: Claim) -> int:
        return bisect_right(self.turns.get(claim.agent_id, []), claim.source.first_seq)

    def state(self, agent_id: str, text: str) -> None:
        """Note the numbers of a sentence that was read."""
        for number in _numbers(text):
            self._stated.setdefault(number, set()).add(agent_id)

    def tell(self, text: str) -> None:
        """Note the numbers of an item that is spoken."""
        self._told |= _numbers(text)

    @property
    def critical_waiting(self) -> bool:
        """Tell whether a critical finding waits to be said."""
        return any(change.news is News.CRITICAL for change in self.ripe)

    def spoke(self, agent_id: str, seq: int) -> None:
        """Note that the agent has said something, from delta `seq` on."""
        if agent_id not in self.speakers:
            self.speakers.append(agent_id)
        if agent_id not in self._speaking:
            self._speaking.add(agent_id)
            self.turns.setdefault(agent_id, []).append(seq)

    def fell_silent(self, agent_id: str) -> None:
        """Note that the agent's turn is over."""
        self._speaking.discard(agent_id)

    def remark(self, claims: Iterable[Claim]) -> None:
        """Keep sentences that made no claim, the newest `MAX_REMARKS`; they change nothing."""
        kept = [claim for claim in claims if not self._is_disputed(claim.text)]
        self.remarks = [*self.remarks, *kept][-MAX_REMARKS:]

    def is_withdrawn(self, agent_id: str) -> bool:
        """Tell whether the agent took its leading view back and holds no other yet."""
        lead, gone = self.leads.get(agent_id), self._withdrawn.get(agent_id)
        if lead is None or gone is None:
            return False
        if not gone.entity or self.same(gone.entity, lead.claim.entity):
            return True
        return len(set(key_words(gone.entity)) & set(key_words(lead.claim.entity))) >= 2

    def firm(self) -> dict[str, Lead]:
        """Return the leading views that nobody has taken back."""
        return {agent: lead for agent, lead in self.leads.items() if not self.is_withdrawn(agent)}

    def take(self) -> tuple[Change, ...]:
        """Return the changes that are complete, in order, and forget them."""
        taken, self.ripe = tuple(self.ripe), []
        self.claims_waiting, self.topic_shifted = 0, False
        return taken

    def apply(self, claims: Iterable[Claim | ListEnd]) -> None:
        """Enter claims in order."""
        for claim in claims:
            if isinstance(claim, ListEnd):
                self.topic_shifted = True
                self._end_list(claim.agent_id)
                continue
            self.claims_waiting += 1
            self._learn(claim)
            self._enter(claim)

    def _enter(self, claim: Claim) -> None:
        match claim.kind:
            case Kind.LEADING:
                self._lead(claim)
            case Kind.DIFFERENTIAL:
                self._other(claim)
            case Kind.TEST:
                self._test(claim)
            case Kind.ACTION:
                self._action(claim)
            case Kind.CAUTION:
                self._caution(claim)
            case Kind.FINDING:
                self._finding(claim)
            case Kind.DISPUTE:
                self._open_point(claim)
            case Kind.PRIORITY:
                self.first = claim
                self._say(News.FIRST, claim)
            case Kind.CRITICAL:
                self._critical(claim)
            case Kind.REVOKES:
                self._revoke(claim)
            case Kind.CONFIRMS:
                self._confirm(claim)
            case Kind.CONFLICT:
                self._conflict(claim)
            case Kind.CORRECTION:
                self._correct(claim)

    def _say(self, news: News, claim: Claim, *more: Claim, **facts: object) -> None:
        change = Change(news, claim.agent_id, (claim, *more), self.vote())
        self.ripe.append(replace(change, **facts) if facts else change)  # type: ignore[arg-type]

    def _forget(self, news: News, claims: Sequence[Claim]) -> None:
        """Take changes of that kind back before they are told."""
        self.ripe = [change for change in self.ripe if change.news is not news or change.claim not in claims]

    def _learn(self, claim: Claim) -> None:
        for short, name in abbreviations(claim.raw or claim.text):
            self._names.setdefault(short, name)

    def full_name(self, entity: str) -> str:
        """Return `entity` with the abbreviations in it written out, as far as the agents explained them."""
        if not self._names or not any(char.isupper() for char in entity):
            return entity
        return re.sub(r"[A-Z][\w-]+", lambda match: self._names.get(match.group(), match.group()), entity)

    def same(self, one: str, other: str) -> bool:
        """Tell whether two terms name the same problem on this board."""
        return (
            self._narrowed.get(one) == other
            or self._narrowed.get(other) == one
            or same_problem(self.full_name(one), self.full_name(other))
        )

    # -- leading views ---------------------------------------------------------------------------

    def vote(self) -> Vote:
        """Return how the doctors stand now; the moderator has no vote."""
        best, holders = "", tuple[str, ...]()
        firm = self.firm()
        for lead in firm.values():
            entity = lead.claim.entity
            held_by = tuple(agent for agent, held in firm.items() if self.same(held.claim.entity, entity))
            if len(held_by) > len(holders):
                best, holders = self._best_words(held_by), held_by
        voters = tuple(agent for agent in self.speakers if not is_moderator(agent))
        return Vote(best, holders, voters, tuple(agent for agent in voters if agent not in firm))

    def _best_words(self, holders: tuple[str, ...]) -> str:
        """Return the narrowest of the holders' wordings, else the shortest: all of them say at least that."""
        wordings = [self.leads[agent].claim.entity for agent in holders]
        narrow = [wording for wording in wordings if wording in self._narrowed.values()]
        return min(narrow or wordings, key=len)

    def _lead(self, claim: Claim) -> None:
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
        agent = claim.agent_id
        claim = replace(claim, entity=self._usual(claim.entity))
        before = self.leads.get(agent)
        if self._is_disputed(" ".join(claim.reasons)):
            claim = replace(claim, reasons=())
        if before is not None and self._still(before.claim.entity, claim.entity):
            self._withdrawn.pop(agent, None)
            if claim.reasons and not before.claim.reasons:
                self.leads[agent] = replace(before, claim=claim)
            return
        held_by_others = [lead for holder, lead in self.firm().items() if holder != agent]
        self.leads[agent] = Lead(
            claim,
            before.claim.entity if before else "",
            before.claim if before else None,
            self._grounds(agent),
        )
        if before is not None:
            self._changed_mind(claim, before.claim)
        elif not held_by_others:
            if claim.reasons or self.ruling is None or not self.same(self.ruling.entity, claim.entity):
                self._say(News.LEADS, claim)
        elif (wider := self._narrows(claim, held_by_others)) is not None:
            self._narrowed[wider] = claim.entity
            self._say(News.NARROWS, claim)
        elif not any(self.same(lead.claim.entity, claim.entity) for lead in held_by_others):
            self._split = True
            self._say(News.DIFFERS, claim, former=held_by_others[0].claim.entity)
        elif self._split:
            partner = next(
                a
                for a, lead in self.firm().items()
                if a != agent and self.same(lead.claim.entity, claim.entity)
            )
            self._say(News.SIDES, claim, other=partner)
        self._settle(claim)

    def _still(self, before: str, now: str) -> bool:
        """Tell whether an agent only says its view again, perhaps in fewer words."""
        words = set(key_words(now))
        return self.same(before, now) or (bool(words) and words <= set(key_words(before)))

    def _grounds(self, agent: str) -> tuple[Claim, ...]:
        """Return what the agent gave as grounds since it took its view back."""
        gone = self._withdrawn.get(agent)
        return tuple(gone.grounds) if gone else ()

    def _narrows(self, claim: Claim, held: list[Lead]) -> str | None:
        """Return the view that `claim` only makes more exact: one that named it among its examples."""
        words = set(key_words(claim.entity))
        for lead in held:
            if self.same(lead.claim.entity, claim.entity):
                continue
            examples = _EXAMPLES.search(lead.claim.text)
            if examples and words - set(key_words(lead.claim.entity)) <= set(key_words(examples[1])):
                return lead.claim.entity
        return None

    def _usual(self, entity: str) -> str:
        """Return the words that `entity` shares with a view on the board, if it is the same."""
        entity = self.full_name(entity)
        held = [lead.claim.entity for lead in self.leads.values()]
        for known in [*held, *([self.ruling.entity] if self.ruling else [])]:
            if self.same(known, entity):
                return common_wording(self.full_name(known), entity)
        return entity

    def _changed_mind(self, claim: Claim, before: Claim) -> None:
        withdrawal = self._withdrawn.pop(claim.agent_id, None)
        if withdrawal is None:
            self._say(News.CHANGED, claim, former=before.entity, rests_on=(before,))
            return
        said = tuple(part for part in (withdrawal.claim, before) if part is not None)
        why = withdrawal.grounds[0] if withdrawal.grounds else None
        self._say(News.CHANGED, claim, former=withdrawal.entity or before.entity, why=why, rests_on=said)

    def _settle(self, claim: Claim) -> None:
        """Say once that all agree, when a third doctor joins or a change of mind makes it so."""
        vote = self.vote()
        if not vote.unanimous:
            return
        self._split = False
        if self._said_all and self.same(self._said_all, vote.entity) and len(vote.voters) <= self._agreed:
            return
        if len(vote.voters) >= 3:
            self._said_all, self._agreed = vote.entity, len(vote.voters)
            if not (
                self.ripe
                and self.ripe[-1].news in {News.CHANGED, News.SIDES}
                and self.ripe[-1].claim is claim
            ):
                self._say(News.ALL_AGREE, claim)

    _agreed = 0

    def _support(self, claim: Claim) -> None:
        """Enter an agreement: with the view that its words name, else with the one that all hold."""
        if is_moderator(claim.agent_id) or not self.leads:
            return
        words = set(key_words(claim.text))
        free = claim.agent_id not in self.leads or self.is_withdrawn(claim.agent_id)
        firm = self.firm()
        for holder, lead in firm.items():
            named = set(key_words(lead.claim.entity))
            short = next((s for s, name in self._names.items() if self.same(name, lead.claim.entity)), None)
            if holder != claim.agent_id and (
                named <= words or (short and re.search(rf"\b{re.escape(short)}\b", claim.text))
            ):
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

    def _follow(self, claim: Claim, firm: dict[str, Lead]) -> None:
        """Enter that an agent without a view now agrees with others by name, if these hold one view."""
        views = [
            lead.claim.entity
            for holder, lead in firm.items()
            if holder != claim.agent_id and agrees_with(claim.text, holder)
        ]
        if views and all(self.same(view, views[0]) for view in views):
            self._hold(replace(claim, entity=views[0], stance=Stance.SUPPORTS))

    def _withdraw(self, claim: Claim) -> None:
        lead = self.leads.get(claim.agent_id)
        turns = self.turns.get(claim.agent_id, [])
        if not claim.entity and lead is not None and turns and lead.claim.source.first_seq >= turns[-1]:
            return  # the new view was given first, in this very turn
        withdrawal = self._withdrawn.setdefault(claim.agent_id, _Withdrawal())
        if claim.entity:
            withdrawal.claim, withdrawal.entity = claim, claim.entity

    def _rule(self, claim: Claim) -> None:
        before, self.ruling = self.ruling, claim
        vote = self.vote()
        if says_settled(claim.text):
            news = self._split and not (self.settled and self.same(self.settled.entity, claim.entity))
            self.settled, self._split = claim, False
            if news and not (self._said_all and self.same(self._said_all, claim.entity)):
                self._say(News.SETTLED, claim)
            return
        if before is None and not self.leads:
            self._say(News.RULES, claim, first=True)
        elif self.leads and not any(
            self.same(lead.claim.entity, claim.entity) for lead in self.leads.values()
        ):
            if before is None or not self.same(before.entity, claim.entity):
                self._say(News.RULES, claim, other=vote.entity)

    # -- lists -----------------------------------------------------------------------------------

    def _other(self, claim: Claim) -> None:
        known = next(
            (
                old
                for old in self.others
                if same_item(self.full_name(old.entity), self.full_name(claim.entity))
            ),
            None,
        )
        if known is not None:
            if (
                claim.stance is Stance.REJECTS
                and known.stance is not Stance.REJECTS
                and not is_moderator(claim.agent_id)
            ):
                self.others[self.others.index(known)] = replace(known, stance=Stance.REJECTS)
            return
        views = [view for lead in self.leads.values() for view in (lead.claim.entity, lead.former) if view]
        if any(self.same(view, claim.entity) for view in views):
            return
        self.others.append(claim)
        self._lists.setdefault(claim.agent_id, _OpenList()).others.append(claim)

    def _test(self, claim: Claim) -> None:
        if is_moderator(claim.agent_id):
            self._agreed_tests.append(claim)
        name = self.full_name(claim.entity)
        if any(same_item(self.full_name(old.entity), name) for old in self.tests):
            return
        self.tests.append(claim)
        self._lists.setdefault(claim.agent_id, _OpenList()).tests.append(claim)

    def _end_list(self, agent_id: str) -> None:
        if self._agreed_tests:
            self.consensus_tests, self._agreed_tests = tuple(self._agreed_tests), []
        done = self._lists.pop(agent_id, None)
        if done is None:
            return
        if done.others:
            first = all(old.agent_id == agent_id for old in self.others)
            self._say(News.OTHERS, *done.others, first=first)
        spoken = [claim for claim in done.tests if not is_generic(claim.entity)]
        if spoken:
            first = all(old.agent_id == agent_id for old in self.tests)
            self._say(News.TESTS, *spoken, first=first)

    # -- single claims ---------------------------------------------------------------------------

    def _action(self, claim: Claim) -> None:
        said = [*self.actions, *self.cautions] if not self.orders.was_revoked(claim) else self.actions
        if any(_repeats(old, claim) for old in said):
            return
        if self._is_disputed(claim.text):
            return
        told_with_it = [old for old in self.actions if claim.text.startswith(old.text.rstrip(".") + ": ")]
        self._forget(News.ACTION, told_with_it)
        self.actions[:] = [old for old in self.actions if old not in told_with_it]
        self.actions.append(claim)
        ban = self.orders.banned_by(claim)
        self._say(News.ACTION, claim, other=ban.agent_id if ban else "")

    def _caution(self, claim: Claim) -> None:
        if any(_repeats(old, claim) for old in self.cautions):
            return
        self.cautions.append(claim)
        # What the caution tells with it, to say what its "it" is, is not told on its own as well.
        self._forget(News.FINDING, [old for old in self.findings if claim.text.startswith(f"{old.text} ")])
        if claim.text != self._ban_again or _numbers(claim.text):
            self._say(News.CAUTION, claim)

    def _revoke(self, claim: Claim) -> None:
        known = self.orders.forbids(claim.revokes)
        gone = self.orders.take_off(claim)
        self._ban_again = claim.text if known and not gone else ""
        self._forget(News.ACTION, gone)
        withdrawn = claim.stance is Stance.WITHDRAWS
        if claim.entity != TOLD and (gone or withdrawn) and not self._said_revoked(claim):
            self._say(News.REVOKED, claim, rests_on=())

    def _said_revoked(self, claim: Claim) -> bool:
        """Tell whether the same was taken back before, by anyone."""
        return any(old is not claim and set(claim.revokes) <= set(old.revokes) for old in self.orders.bans)

    def _confirm(self, claim: Claim) -> None:
        """Enter that a study confirms a diagnosis, if somebody had thought of it."""
        if any(self.same(old.entity, claim.entity) for old in self.confirmed):
            return
        thought = [lead.claim.entity for lead in self.leads.values()] + [old.entity for old in self.others]
        if self.ruling is not None:
            thought.append(self.ruling.entity)
        if any(self.same(view, claim.entity) for view in thought):
            self.confirmed.append(claim)
            self._say(News.CONFIRMED, claim)

    def is_open(self, conflict: Claim) -> bool:
        """Tell whether nobody has put the number of `conflict` right since."""
        said = _numbers(conflict.conflict.said) if conflict.conflict else set()
        return not said & self._put_right

    def _is_disputed(self, text: str) -> bool:
        return bool(self.disputed) and not self.disputed.keys().isdisjoint(_numbers(text))

    def _conflict(self, claim: Claim) -> None:
        conflict = claim.conflict
        if conflict is None:
            return
        for number in _numbers(conflict.said):
            if number in self.disputed:
                return
            self.disputed[number] = claim
        self._say(News.CONFLICT, claim)

    def _correct(self, claim: Claim) -> None:
        """Enter that a number which an agent gave is wrong: it leaves the findings."""
        conflict = claim.conflict
        wrong = self._wrong_of(conflict) if conflict else set()
        if not wrong or not any(number in self._stated for number in wrong):
            return
        if any(old.kind is Kind.CORRECTION and _numbers(old.text) >= wrong for old in self.findings):
            return
        own = any(claim.agent_id in self._stated.get(number, ()) for number in wrong)
        told = bool(wrong & self._told) and own
        self._put_right |= wrong
        for number in wrong:
            self.disputed.setdefault(number, claim)
        self._forget(News.FINDING, [old for old in self.findings if _numbers(old.text) & wrong])
        self.findings = [old for old in self.findings if not _numbers(old.text) & wrong]
        self.findings.append(claim if own else replace(claim, kind=Kind.FINDING))
        self._say(News.CORRECTED, claim, first=not told)

    def _wrong_of(self, conflict: Conflict) -> set[tuple[str, str]]:
        """Return the number that is put right, with its unit, or with that in which it was given."""
        found = _numbers(conflict.said)
        if found:
            return found
        bare = {quantity.number for quantity in quantities(conflict.said) if len(quantity.number) > 1}
        given = {number for number in self._stated if number[0] in bare}
        return given if len(given) == 1 else set()

    def _finding(self, claim: Claim) -> None:
        withdrawal = self._withdrawn.get(claim.agent_id)
        if withdrawal is not None:
            withdrawal.grounds.append(claim)
        if claim.entity == GROUND or self._is_disputed(claim.text):
            return
        said = {
            (quantity.number, quantity.unit)
            for old in self._with_numbers()
            for quantity in quantities(old.text)
        }
        numbers = _numbers(claim.text)
        if (numbers and numbers <= said) or any(_repeats(old, claim) for old in self.findings):
            return
        lead = self.leads.get(claim.agent_id)
        if lead is not None and numbers and any(numbers <= _numbers(why) for why in lead.claim.reasons[:1]):
            return  # said as the ground of this agent's leading view
        if claim.entity.startswith("no "):
            self.others = [
                replace(old, stance=Stance.REJECTS) if self.same(old.entity, claim.entity[3:]) else old
                for old in self.others
            ]
        if claim.source == self._eased:
            claim = replace(claim, entity=claim.entity or IMPORTANT)
        self.findings.append(claim)
        self._say(News.FINDING, claim)

    def _with_numbers(self) -> list[Claim]:
        return [*self.findings, *self.criticals.values()]

    def _open_point(self, claim: Claim) -> None:
        if claim.stance is Stance.REJECTS:
            self.open_now.clear()
            return
        if not re.match(r"specific\b", claim.entity) and not is_generic(claim.entity):
            self.open_now.append(claim)
        known = self.others + self.tests + [lead.claim for lead in self.leads.values()]
        words = set(key_words(claim.entity))
        if not any(
            len(words & set(key_words(self.full_name(old.entity)))) >= min(2, len(key_words(old.entity)))
            for old in known
        ):
            return
        if any(same_item(old.entity, claim.entity) for old in self.open_points) or self._opens_spoken >= 2:
            return
        self._opens_spoken += 1
        self.open_points.append(claim)
        if claim not in self.open_now:
            return
        self._say(News.OPEN, claim)

    def _critical(self, claim: Claim) -> None:
        critical = claim.critical
        if critical is None:
            self._relieve(claim)
            return
        if critical.key in self._alarmed or (not critical.value and critical.problem in self._problems):
            return
        if self._recalls(claim):
            self._finding(replace(claim, kind=Kind.FINDING, entity=IMPORTANT, critical=None))
            return
        # The record is consulted for an alarm too: one of the two is told.
        self._forget(News.CONFLICT, [old for old in self.disputed.values() if old.source == claim.source])
        self.criticals[critical.key] = claim
        self._alarmed.add(critical.key)
        self._problems.add(critical.problem)
        self._say(News.CRITICAL, claim)

    def _relieve(self, claim: Claim) -> None:
        """Take off a critical value whose quantity is within its limits now."""
        for key, old in [*self.criticals.items()]:
            found = old.critical
            if found is not None and found.value and found.problem == claim.entity:
                del self.criticals[key]
                self._eased = claim.source

    def _recalls(self, claim: Claim) -> bool:
        """Tell whether the moderator only sums up a value that another agent gave before."""
        if not is_moderator(claim.agent_id) or claim.critical is None:
            return False
        numbers = _numbers(claim.critical.value)
        return bool(numbers) and all(self._stated.get(number, set()) - {claim.agent_id} for number in numbers)


def _numbers(text: str) -> set[tuple[str, str]]:
    return {(quantity.number, quantity.unit) for quantity in quantities(text) if quantity.unit}


def _repeats(old: Claim, new: Claim) -> bool:
    """Tell whether `new` says nothing that `old` did not: its words and its numbers are within."""
    before, now = set(key_words(old.text)), set(key_words(new.entity or new.text))
    if old.kind is new.kind is Kind.CAUTION:
        now -= {"no"}  # "no penicillins" after the allergy was told
    numbers = (
        {(q.number, q.unit) for q in quantities(old.text)},
        {(q.number, q.unit) for q in quantities(new.entity or new.text)},
    )
    return bool(now) and len(now - before) <= len(now) // 5 and numbers[1] <= numbers[0]


def topic(claim: Claim) -> str:
    """Return the normalised problem that `claim` is about."""
    return topic_of(claim.entity or claim.text)
