"""The board: who claims what, and which changes of it are worth saying.

Claims come in order (`apply`); each kind has one method that decides whether it is news, and news goes out as a
`Change`. This module handles single claims: orders, cautions, findings, corrections, first steps, quotations. Leading
views, lists, numbers, alarms and follow-ups have modules of their own in this folder. Agreement that adds nothing
only changes a count; an item that repeats an earlier one changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from exaim_core.board.alarms import Alarms
from exaim_core.board.asked import NumberedQuestions
from exaim_core.board.changes import Change, ChangeKind, Changes, is_spare
from exaim_core.board.floor import SpeakerSequence
from exaim_core.board.following import Following
from exaim_core.board.glossary import Glossary
from exaim_core.board.labels import Labels
from exaim_core.board.leading import LeadingViews
from exaim_core.board.lists import Lists
from exaim_core.board.numbers import Number, Numbers, numbers_in
from exaim_core.board.options import Options
from exaim_core.board.orders import KEPT, Orders, first_steps
from exaim_core.board.overturning import Overturning, is_of_one
from exaim_core.board.repeating import forbids_again, may_be_of_one, repeats, tells
from exaim_core.board.replying import Replying
from exaim_core.claims.claims import Claim, Kind, ListEnd, Mark, Part, Stance, Worth
from exaim_core.claims.emergencies import emergency_in_words
from exaim_core.claims.finding import Critical
from exaim_core.claims.revoking import is_about
from exaim_core.claims.worth import LEAST
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.bans import plain_bans
from exaim_core.lexicon.phrases import agrees
from exaim_core.lexicon.prohibitions import tells_allergy
from exaim_core.lexicon.terms import is_generic
from exaim_core.text.names import Names, is_moderator, person
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.wording import key_words

MAX_REMARKS = 60  # of 12 words on average: half of what a view may hold
MAX_SAID = 600  # sentences: of the longest recorded discussions all

_REFUSES: Final = re.compile(r"\W*(?:no|stop|cancel|never|don['’]t|do not)\b", re.IGNORECASE)
"""The opening of words that refuse an order plainly."""


class Board:
    """The claims of one case. Not for several tasks at once: the engine takes turns."""

    def __init__(self) -> None:
        self.names = Names()  # what the agents are called aloud
        self.floor = SpeakerSequence()
        self.glossary = Glossary()
        self.numbers = Numbers()
        self.changes = Changes()
        self.views = LeadingViews(self.glossary, self.floor, self.numbers, self.changes)
        self.lists = Lists(self.glossary, self.views, self.changes)
        self.orders = Orders()
        self.following = Following()
        self.alarms = Alarms(self.numbers)
        self.labels = Labels()
        self.options = Options()
        self.asked = NumberedQuestions()
        self.replying = Replying()
        self.overturning = Overturning(self.replying, lambda agent: self.names(agent))
        self.cautions: list[Claim] = []
        self.findings: list[Claim] = []
        self.confirmed: list[Claim] = []
        self.open_now: list[Claim] = []
        self.first: Claim | None = None
        self.concluded: dict[Part | None, Claim] = {}  # the moderator's last view and plan
        self.remarks: list[Claim] = []  # sentences that made no claim; the newest ones
        self.said: list[Claim] = []  # sentences as they were said; the newest `MAX_SAID`
        self.quotes: list[Claim] = []  # sentences that no typed claim covers; the newest ones
        self.topic_shifted = False
        self.rulings: list[Claim] = []  # sentences that may be the team's last word
        self.righted: list[Claim] = []  # corrections of amounts, spoken after the amount's name
        self.fallen = list[tuple[Source, frozenset[Number]]]()  # amounts put right since the last read
        self.fallen_values = list[tuple[str, str, Source]]()  # name, number, and where it was put right
        self.quoted: list[Claim] = []  # the quotes that were told
        self._decided_here = set[Part | None]()  # parts decided under the last heading
        self._concluded_last = ""  # the consensus or decision that was told last
        self._echoes = list[tuple[Claim, Claim]]()  # alarms and bans, each with one that had told it
        self._forbidden_again = ""  # the last sentence that forbids what was forbidden before
        self._corrected_last = ""  # the last sentence that was told as a correction

    # -- in and out ------------------------------------------------------------------------------

    @property
    def actions(self) -> list[Claim]:
        """Return the orders that stand, in the order of speaking; none taken back or forbidden since."""
        return self.orders.standing

    def first_steps(self) -> list[Claim]:
        """Return up to two treatments that come first as things stand; none where that is not clear."""
        return first_steps(self.orders, self.first, [*self.criticals.values()])

    @property
    def criticals(self) -> dict[str, Claim]:
        """Return the critical findings that stand, by their keys."""
        return self.alarms.standing

    @property
    def critical_waiting(self) -> bool:
        """Return whether a critical finding waits to be said."""
        return any(change.news is ChangeKind.CRITICAL for change in self.changes.ripe)

    def hear(self, claims: Iterable[Claim]) -> None:
        """Keep sentences as they were said, the newest `MAX_SAID`; nothing is news by it."""
        self.said = [*self.said, *claims][-MAX_SAID:]

    def remark(self, claims: Iterable[Claim]) -> None:
        """Keep sentences that made no claim, the newest `MAX_REMARKS`; nothing is news by it."""
        kept = [claim for claim in claims if not self.numbers.is_disputed(claim.text)]
        self.remarks = [*self.remarks, *kept][-MAX_REMARKS:]

    def quote(self, claim: Claim) -> None:
        """Keep a sentence in its speaker's words; an urgent one is spoken, the rest waits for a silence."""
        if (claim.worth is Worth.REMARK and claim.likely < LEAST) or self.numbers.is_disputed(claim.text):
            return
        if self._is_told(claim, (*self.quotes, *self.cautions, *self.actions, *self.findings)):
            return
        self.quotes = [*self.quotes, claim][-MAX_REMARKS:]
        if claim.worth.presses:
            self.quoted[:] = [*self.quoted, claim][-MAX_REMARKS:]
            self._say(ChangeKind.QUOTED, claim)
        else:
            self.changes.note(ChangeKind.QUOTED, (claim,), self.views.vote())

    def rule(self, claim: Claim) -> None:
        """Keep a sentence that may be the team's last word, the newest ones; the closing looks at them."""
        self.rulings = [*self.rulings, claim][-MAX_REMARKS:]

    def tell_read(self, claim: Claim, typed: Iterable[Claim | ListEnd] = ()) -> None:
        """Tell once what a model read; the `typed` claims are entered too, but say nothing themselves."""
        self.take_in(typed)
        known = (*self.quotes, *self.cautions)
        told = any(repeats(old, claim) for old in known if old != claim)
        if self.numbers.is_disputed(claim.text) or (told and claim.read_as != "decision"):
            return
        self.quotes = [*self.quotes, claim][-MAX_REMARKS:]
        if told:
            return  # it is not told again, but may be the last word
        self.quoted[:] = [*self.quoted, claim][-MAX_REMARKS:]
        self._say(ChangeKind.QUOTED, claim)

    def unquote(self, gone: Callable[[Claim], bool]) -> None:
        """Drop untold quotations for which `gone` holds, because something else tells them."""
        for quote in [each for each in self.quotes if each not in self.quoted and gone(each)]:
            self.quotes.remove(quote)
            self.changes.forget_beside(quote)

    def take_in(self, claims: Iterable[Claim | ListEnd]) -> None:
        """Enter claims that are told otherwise: their changes bring nothing to be spoken."""
        before = {id(change) for change in self.changes.ripe}
        shifted = self.topic_shifted
        self.apply(claims)
        self.changes.ripe = [change for change in self.changes.ripe if id(change) in before]
        self.topic_shifted = shifted

    def break_silence(self) -> None:
        """Release the quotations that were kept for a silence of the voice."""
        self.changes.ripen_beside(is_spare)

    def take(self) -> tuple[Change, ...]:
        """Return the changes that are ready to be told, in order, and forget them."""
        self.topic_shifted = False
        return self.changes.take()

    def give_back(self, changes: tuple[Change, ...]) -> None:
        """Take back changes that could not be told: the next update tells them first."""
        self.changes.give_back(changes)

    def apply(self, claims: Iterable[Claim | ListEnd]) -> None:
        """Enter claims in order."""
        for claim in claims:
            if isinstance(claim, ListEnd):
                self.topic_shifted = True
                self._decided_here.clear()
                self.lists.end(claim.agent_id)
                if claim.source is None:
                    self._end_turn(claim.agent_id)
                continue
            self.glossary.learn(claim.label or claim.text)
            self._enter(claim)

    def _end_turn(self, agent_id: str) -> None:
        """Tell of a view that the turn took back, and drop remarks made for it."""
        if (gone := self.views.end_turn(agent_id)) is None:
            return
        words = set(key_words(gone.entity))
        self.findings = [
            old
            for old in self.findings
            if old.agent_id != agent_id
            or old.under is not Section.LEADING
            or not words <= set(key_words(old.text))
        ]

    def _enter(self, claim: Claim) -> None:
        if (enter := _BY_KIND.get(claim.kind)) is not None:
            enter(self, claim)

    def _say(self, news: ChangeKind, claim: Claim, **facts: object) -> None:
        self.changes.say(news, (claim,), self.views.vote(), **facts)

    def _conclude(self, claim: Claim) -> None:
        """Keep a conclusion of the moderator; one of a later turn or heading replaces it."""
        if any(not self.floor.is_of_this_turn(former) for former in self.concluded.values()):
            self.concluded.clear()
        if not (claim.titled and claim.part in self._decided_here):
            self.concluded[claim.part] = claim
        if claim.titled:
            self._decided_here.add(claim.part)
        if not self._concluded_last or not set(key_words(claim.entity)) <= set(
            key_words(self._concluded_last)
        ):
            self._concluded_last = claim.entity
            self._say(ChangeKind.CONCLUDED, claim)

    # -- single claims ---------------------------------------------------------------------------

    def _action(self, claim: Claim) -> None:
        self.orders.replace_by(claim)
        said = [*self.actions, *self.cautions] if not self.orders.was_revoked(claim) else self.actions
        if self._is_told(claim, said):
            return
        if self.numbers.is_disputed(claim.text):
            return
        self.actions[:] = [*self.actions, claim][-KEPT:]
        ban = self.orders.banned_by(claim)
        self.lists.end(claim.agent_id)  # or what is told next would go past a list that still waits
        self._say(ChangeKind.ACTION, claim, other=ban.agent_id if ban else "")

    def _is_told(self, claim: Claim, said: Iterable[Claim]) -> bool:
        """Return whether one of `said` tells `claim` and was not refused since (asked for again, it is news)."""
        if claim.worth is Worth.DOUBTED:  # each object of a list says the same about another name
            said = [old for old in said if old.text == claim.text]
        return any(repeats(old, claim) and not self.overturning.is_fallen(old.source) for old in said)

    def _caution(self, claim: Claim) -> None:
        """Enter a caution. Whether a plain ban is told again is decided where it is worded (`told_bans.py`)."""
        plain = bool(plain_bans(claim.text))
        told = None if plain else next((old for old in self.cautions if repeats(old, claim)), None)
        if told is not None:
            self._echo(claim, told)
            return
        others = [old for old in self.cautions if (old.agent_id, old.text) != (claim.agent_id, claim.text)]
        self.cautions = [*others, claim][-KEPT:]
        quoted = [old for old in self.quoted if repeats(old, replace(claim, kind=Kind.QUOTE))]
        if plain:
            quoted = [old for old in quoted if old.source.meets(claim.source)]
        if not quoted and claim.text != self._corrected_last:
            self._say(ChangeKind.CAUTION, claim, again=self._is_banned_already(claim))

    def _is_banned_already(self, claim: Claim) -> bool:
        """Return whether all that `claim` forbids was forbidden before and not asked for since: it presses no more."""
        return claim.text == self._forbidden_again or forbids_again(
            claim, self.cautions, (*self.orders.standing, *self.orders.revoked)
        )

    def _revoke(self, claim: Claim) -> None:
        known, gone = self.orders.forbids(claim.revokes), self.orders.take_off(claim)
        self._forbidden_again = claim.text if known and not gone else ""
        self.changes.forget(ChangeKind.ACTION, gone)
        if _REFUSES.match(claim.text):  # "can wait" is a view, told beside the order
            self.overturning.refused += [each for each in gone if is_of_one(each.text)]
        withdrawn = claim.stance is Stance.WITHDRAWS
        self.alarms.drop_order(
            lambda old: withdrawn or (old.agent_id == claim.agent_id and " until " not in claim.text),
            lambda drug: any(is_about(part, drug) for part in claim.revokes),
        )
        if claim.mark is not Mark.TOLD and (gone or withdrawn):
            self._say(ChangeKind.REVOKED, claim, rests_on=())

    def _confirm(self, claim: Claim) -> None:
        """Enter that a study confirms a diagnosis; if nobody had named it, quote the speaker."""
        if any(self.glossary.same(old.entity, claim.entity) for old in self.confirmed):
            return
        thought = [lead.claim.entity for lead in self.views.leads.values()] + [
            old.entity for old in self.lists.others
        ]
        if self.views.ruling is not None:
            thought.append(self.views.ruling.entity)
        if any(self.glossary.same(view, claim.entity) for view in thought):
            self.confirmed.append(claim)
            self._say(ChangeKind.CONFIRMED, claim)
        elif not hangs(claim.text):
            self.quote(replace(claim, kind=Kind.QUOTE, entity="", worth=Worth.RESULT))

    def _conflict(self, claim: Claim) -> None:
        found = claim.conflict
        if found is None or not self.numbers.dispute(claim, found.said):
            return
        if not self.numbers.was_put_right(numbers_in(found.instead)):
            self._say(ChangeKind.CONFLICT, claim)

    def _correct(self, claim: Claim) -> None:
        """Enter that a number which an agent gave is wrong: its findings are dropped."""
        conflict = claim.conflict
        wrong = self.numbers.wrong_of(conflict) if conflict else set()
        if not any(self.numbers.given_by(number) for number in wrong):
            return
        if any(old.kind is Kind.CORRECTION and numbers_in(old.text) >= wrong for old in self.findings):
            return
        own = any(claim.agent_id in self.numbers.given_by(number) for number in wrong)
        told = self.numbers.was_told(wrong) and own
        self.numbers.put_right(wrong, claim)
        self.alarms.forget_put_right()
        gone = [old for old in self.findings if numbers_in(old.text) & wrong]
        self.changes.forget(ChangeKind.FINDING, gone)
        self.findings = [old for old in self.findings if old not in gone]
        self.fallen += [(old.source, frozenset(wrong)) for old in gone if old.kind is not Kind.CORRECTION]
        self.findings.append(claim if own else replace(claim, kind=Kind.FINDING))
        self._corrected_last = claim.text
        self._say(ChangeKind.CORRECTED, claim, first=not told)

    def _finding(self, claim: Claim) -> None:
        self.views.ground(claim)
        if claim.mark is Mark.GROUND or self.numbers.is_disputed(claim.text):
            return
        numbers, alarmed = numbers_in(claim.text), self.alarms.numbers
        known = [old for old in (*self.findings, *self.righted) if may_be_of_one(old.text, claim.text)]
        said = {number for old in known for number in numbers_in(old.text)} | alarmed
        if numbers and numbers <= said:
            return
        if numbers & alarmed and not claim.entity and claim.mark is None:
            claim = replace(
                claim, mark=Mark.PAGE
            )  # the alarm is spoken; the finding beside it is for the page
        if claim.source == self.alarms.eased:
            claim = claim if claim.entity or claim.mark else replace(claim, mark=Mark.IMPORTANT)
        self.findings = [*self.findings, claim][-KEPT:]
        if claim.mark is Mark.PAGE:
            self.changes.note(ChangeKind.FINDING, (claim,), self.views.vote())
        else:
            self._say(ChangeKind.FINDING, claim)

    def _priority(self, claim: Claim) -> None:
        self.first = claim
        self._say(ChangeKind.FIRST, claim)

    def _open_point(self, claim: Claim) -> None:
        """Enter a point that the moderator leaves open; it is for the page."""
        if claim.stance is Stance.REJECTS:
            self.open_now.clear()
            return
        if not re.match(r"specific\b", claim.entity) and not is_generic(claim.entity):
            self.open_now[:] = [*self.open_now, claim][-KEPT:]

    def _critical(self, claim: Claim) -> None:
        found = claim.critical
        if found is None:
            if claim.stance is Stance.WITHDRAWS:
                self._take_back(claim)
            else:
                self.alarms.relieve(claim)
            return
        if self.alarms.is_told(claim, found) or self._only_agrees(claim, found):
            self._echo(claim, self.criticals.get(found.key))
            return
        if self._recalls(claim, found):
            self._finding(replace(claim, kind=Kind.FINDING, mark=Mark.IMPORTANT, critical=None))
            return
        # The record is consulted for an alarm too: one of the two is told.
        self.changes.forget(
            ChangeKind.CONFLICT, [old for old in self.numbers.disputed.values() if old.source == claim.source]
        )
        claim, apart = self.alarms.sound(claim, found)
        self.following.tell(claim)
        self._say(ChangeKind.CRITICAL, claim, rests_on=claim.rests_on, other=found.by, first=apart)

    def _only_agrees(self, claim: Claim, found: Critical) -> bool:
        """Return whether an alarm in its own words only agrees with a view on the board."""
        if not found.words or not agrees(claim.text):
            return False
        views = {lead.claim.entity for lead in self.views.firm().values() if lead.claim.entity}
        rest = claim.text
        for view in sorted(views, key=len, reverse=True):
            rest = re.sub(rf"(?<![\w-]){re.escape(view)}(?![\w-])", "it", rest, flags=re.IGNORECASE)
        return rest != claim.text and not emergency_in_words(rest)

    def _recalls(self, claim: Claim, found: Critical) -> bool:
        """Return whether the moderator only repeats a value that another agent gave before."""
        numbers = numbers_in(found.value) if is_moderator(claim.agent_id) else ()
        return bool(numbers) and all(self.numbers.given_by(number) - {claim.agent_id} for number in numbers)

    def _take_back(self, claim: Claim) -> None:
        """Tell that an agent takes the value of an alarm back.

        The alarm leaves the page; if it still waits to be spoken, it is not.
        """
        old = self.criticals.pop(claim.entity, None)
        if old is None or old.critical is None:
            return
        if old.agent_id == claim.agent_id:
            self.changes.forget(ChangeKind.CRITICAL, [old])
        if not self.alarms.was_told(claim.entity):
            return
        self.alarms.ease(old.critical)
        if claim.revokes:  # its own words, "that was a lab error", do not say what was
            self._say(ChangeKind.REVOKED, claim)
            return
        told = replace(claim, kind=Kind.FINDING, stance=Stance.PROPOSES, mark=Mark.IMPORTANT)
        self.findings = [*self.findings, told][-KEPT:]
        self._say(ChangeKind.FINDING, told)

    def follow_up(self, claim: Claim, name: str = "") -> bool:
        """Tell a follow-up of something that was spoken; return whether it is told.

        `name`: what the follow-up must name, if it does not do so itself. It is not told if another change, which is
        more than a finding, already tells it.
        """
        ripe = (each for change in self.changes.ripe for each in change.claims)
        told = (each for each in ripe if each.kind is not Kind.FINDING and each.source.meets(claim.source))
        if any(tells(each, claim, name) for each in told):
            return False
        self._say(ChangeKind.FOLLOWS, claim, rests_on=claim.rests_on)
        return True

    def end_hazards(self, ended: Mapping[str, str], source: Source) -> bool:
        """Take off alarms on orders, and cautions, whose hazard is over by what `source` says.

        `ended`: conditions and allergies ("allergy:penicillin"). Return whether an alarm stood.
        """
        agent_id = person(source.agent_id)
        allergies = [each.removeprefix("allergy:") for each in ended if each.startswith("allergy:")]
        gone = [
            old
            for old in self.cautions
            if old.agent_id == agent_id
            and old.source.first_seq < source.first_seq
            and tells_allergy(old.text)
            and any(name in old.text.lower() for name in allergies)
        ]
        if gone:
            self.cautions = [old for old in self.cautions if old not in gone]
            self.changes.forget(ChangeKind.CAUTION, gone)
        return self.alarms.end(ended, agent_id)

    def show(self, again: Claim) -> None:
        """List a correction of a value among the findings, unless one of the same sentence is there."""
        if not any(old.source.meets(again.source) for old in self.findings):
            shown = replace(again, kind=Kind.FINDING, entity="", mark=Mark.PAGE)
            self.findings = [*self.findings, shown][-KEPT:]

    def _echo(self, claim: Claim, told: Claim | None) -> None:
        """Keep an alarm or a ban that says what `told` does: it stands for itself if that is withdrawn."""
        if told is not None and told.agent_id != claim.agent_id:
            self._echoes = [*self._echoes, (claim, told)][-KEPT:]

    def echoes(self, gone: Callable[[Claim], bool]) -> list[Claim]:
        """Return alarms and bans that say what one that stands does for which `gone` holds; forget them."""
        standing = {id(claim) for claim in (*self.cautions, *self.criticals.values()) if gone(claim)}
        found = [claim for claim, told in self._echoes if id(told) in standing and not gone(claim)]
        self._echoes = [each for each in self._echoes if not any(map(gone, each))]
        return found

    def withdraw(self, gone: Callable[[Claim], bool]) -> None:
        """Forget alarms and quotations for which `gone` holds: said again, they are told again."""
        self.alarms.withdraw(gone)
        self.numbers.withdraw(gone)
        self.quoted[:] = [claim for claim in self.quoted if not gone(claim)]
        self._corrected_last = ""
        self._concluded_last = next((claim.entity for claim in reversed(self.concluded.values())), "")

    def alarm_again(self, keys: Iterable[str]) -> None:
        """Tell alarms again that stand after all, unless they wait to be told anyway."""
        waiting = [change.claim for change in self.changes.ripe if change.news is ChangeKind.CRITICAL]
        for key in keys:
            claim = self.criticals.get(key)
            if claim is None or claim.critical is None or any(claim is each for each in waiting):
                continue
            facts = {"rests_on": claim.rests_on, "other": claim.critical.by, "first": True}
            self._say(ChangeKind.CRITICAL, claim, **facts)


_BY_KIND: Final[dict[Kind, Callable[[Board, Claim], None]]] = {
    Kind.LEADING: lambda board, claim: board.views.enter(claim),
    Kind.DIFFERENTIAL: lambda board, claim: board.lists.other(claim),
    Kind.TEST: lambda board, claim: board.lists.test(claim),
    Kind.ACTION: Board._action,
    Kind.CAUTION: Board._caution,
    Kind.FINDING: Board._finding,
    Kind.DISPUTE: Board._open_point,
    Kind.PRIORITY: Board._priority,
    Kind.CRITICAL: Board._critical,
    Kind.REVOKES: Board._revoke,
    Kind.CONFIRMS: Board._confirm,
    Kind.CONFLICT: Board._conflict,
    Kind.CORRECTION: Board._correct,
    Kind.CONCLUDES: Board._conclude,
}
"""The method that enters a claim, by its kind."""
