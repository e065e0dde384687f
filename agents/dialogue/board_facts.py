"""Facts of the board as it stands now, in the engine's own sentences or quoted whole."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.facts import Fact, FactKind, text_of
from agents.dialogue.headings import without_bare_heading
from agents.dialogue.paper_facts import DONE
from agents.dialogue.vocabulary import Vocabulary
from exaim_core.board.changes import Change, ChangeKind, Vote
from exaim_core.board.shown import BoardView, ClaimView, CriticalView, LeadView
from exaim_core.claims.claims import Claim, Kind, Stance
from exaim_core.text.names import Names, inner, number_word
from exaim_core.text.places import Source
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import lower_first, mid_sentence, upper_first, word_count
from exaim_core.words.templates import wording
from exaim_core.words.view_sentences import tally

QUOTE_WORDS: Final = 38  # with "On the …: Doctor One says:" before it, an answer's bound
_AGENT: Final = re.compile(r"\b[Dd]octor ?(\d+)\b")
_DONE_TO_HER: Final = re.compile(
    r"\b(?:was|were|has been|have been|is being|are being|already) (?:taken|held|stopped|done|called|told|informed|notified|performed)\b",
    re.IGNORECASE,
)


class BoardFacts:
    """Makes facts of one view of the board."""

    def __init__(self, view: BoardView, vocabulary: Vocabulary) -> None:
        self.view = view
        self._vocabulary = vocabulary
        self.names = Names(view.names)
        self.vote: Vote = view.vote.vote

    def all(self) -> tuple[Fact, ...]:
        """Return every fact of the board that may be told now; nothing that was withdrawn."""
        view = self.view
        facts = [fact for lead in view.leads for fact in self.lead(lead)]
        facts += [self.critical(one) for one in view.criticals]
        for claims, told, kind, news in (
            (view.cautions, FactKind.CAUTION, Kind.CAUTION, ChangeKind.CAUTION),
            (view.actions, FactKind.ACTION, Kind.ACTION, ChangeKind.ACTION),
            (view.tests, FactKind.TEST, Kind.TEST, ChangeKind.TESTS),
            (view.findings, FactKind.FINDING, Kind.FINDING, ChangeKind.FINDING),
        ):
            facts += [fact for claim in claims if (fact := self._claim(claim, told, kind, news))]
        facts += [fact for claim in view.differentials if (fact := self.differential(claim))]
        facts += [fact for claim in view.remarks if (fact := self.remark(claim))]
        facts += [fact for claim in view.taken_back if (fact := self.quoted(claim, FactKind.TAKEN_BACK))]
        facts += [self._open(claim) for claim in view.open_points]
        if view.ruling is not None:
            facts.append(self.ruling(view.ruling))
        if view.first is not None:
            facts.append(self.first(view.first))
        return tuple(facts)

    # -- one claim -------------------------------------------------------------------------------

    def _fact(
        self, claim: ClaimView, told: FactKind, said: Sequence[str], *more: ClaimView, **facts: object
    ) -> Fact:
        text = f"{claim.item}: {claim.text}" if claim.item else claim.text
        head = f"{claim.item} {claim.entity}" if claim.entity or claim.item else claim.text
        values: dict[str, object] = {
            "name": claim.entity or text,
            "source": self.source(claim, *more),
            "rests_on": (text, *(other.text for other in more)),
            "head": text_of(self._vocabulary, head),
            "body": text_of(self._vocabulary, text, claim.entity),
            "agents": tuple(dict.fromkeys(one.agent_id for one in (claim, *more))),
            "terms": tuple(term for one in (claim, *more) for term in (one.entity, one.item) if term),
            "condition": claim.condition,
            "order": float(claim.first_seq),
            "numbers": frozenset((q.number, q.unit) for q in quantities(text) if q.unit),
        }
        return Fact(told=told, said=tuple(said), **{**values, **facts})  # type: ignore[arg-type]

    def source(self, *claims: ClaimView) -> str:
        """Return where claims are from, for the page: "Doctor One, turn 2"."""
        return "; ".join(dict.fromkeys(f"{self.names(one.agent_id)}, turn {one.turn}" for one in claims))

    def _claim(self, claim: ClaimView, told: FactKind, kind: Kind, news: ChangeKind) -> Fact | None:
        made = wording(
            Change(news, claim.agent_id, (as_claim(claim, kind),), self.vote, first=True), self.names, None
        )
        said = [made.text.rstrip(".")] if made is not None else []
        quote = self.quote(claim)
        if "is on the page" in (said or [""])[0]:
            said.insert(0, quote)
        else:
            said.append(quote)
        kept = tuple(text for text in dict.fromkeys(said) if may_be_told(text))
        return self._fact(claim, told, kept) if kept else None

    def quote(self, claim: ClaimView) -> str:
        """Return the sentence as written, told as its agent's words; "" if it is too long."""
        who = self.names(claim.agent_id)
        text = _AGENT.sub(
            lambda match: self.names(f"doctor{match[1]}"), without_bare_heading(claim.text).rstrip(". ")
        )
        head, colon, rest = text.partition(": ")
        if colon and "." not in head and len(head) <= 90:
            text = f"{head}; {lower_first(rest)}"
        of = f" of {mid_sentence(claim.item)}" if claim.item and re.match(r"it\b|this\b", text, re.I) else ""
        whole = f"{who} says{of}: {lower_first(text)}"
        return whole if word_count(whole) <= QUOTE_WORDS else ""

    def quoted(self, claim: ClaimView, told: FactKind) -> Fact | None:
        """Return the sentence as a fact in its own words; None if it may not be told."""
        quote = self.quote(claim)
        return self._fact(claim, told, (quote,)) if may_be_told(quote) else None

    def remark(self, claim: ClaimView) -> Fact | None:
        """Return a sentence that made no claim; one said for a view is about that view."""
        if not claim.of_view:
            return self.quoted(claim, FactKind.REMARK)
        view = next((lead.claim for lead in self.view.leads if lead.claim.agent_id == claim.agent_id), None)
        fact = self.quoted(claim, FactKind.GROUND)
        if fact is None or view is None:
            return None
        return replace(fact, head=text_of(self._vocabulary, view.entity))

    # -- views -----------------------------------------------------------------------------------

    def lead(self, lead: LeadView) -> Iterator[Fact]:
        """Give what a doctor leads with; one that changed is told as changed, one withdrawn as withdrawn."""
        claim, who = lead.claim, self.names(lead.claim.agent_id)
        if lead.withdrawn:
            yield self._fact(
                claim, FactKind.CHANGED, (f"{who} has withdrawn {claim.entity}, and holds nothing else yet",)
            )
            return
        if lead.former is not None:
            said = f"{who} held {lead.former.entity}, and has changed to {claim.entity}"
            about = text_of(self._vocabulary, claim.entity, lead.former.entity)
            yield self._fact(claim, FactKind.CHANGED, (said,), lead.former, head=about)
            for why in lead.why:
                fact = self.quoted(why, FactKind.WHY_CHANGED)
                if fact is not None:
                    yield fact
            return
        verb = "thinks of" if claim.tentative else "leads with"
        plain = f"{who} {verb} {claim.entity}"
        quote = self.quote(claim)
        wordings = (plain, quote if may_be_told(quote) else "")
        yield self._fact(claim, FactKind.LEAD, [text for text in wordings if text])

    def differential(self, claim: ClaimView) -> Fact | None:
        """Return another diagnosis with the stance that its agent takes to it."""
        who = self.names(claim.agent_id)
        verb = {Stance.REJECTS: "rejects", Stance.DOUBTS: "doubts"}.get(claim.stance, "also considers")
        short = f"{who} {verb} {claim.entity}"
        explained = claim.text.split(": ", 1)[-1].rstrip(".")
        said = (
            [short] if explained == claim.text.rstrip(".") else [f"{short}: {lower_first(explained)}", short]
        )
        return self._fact(claim, FactKind.DIFFERENTIAL, [text for text in said if may_be_told(text)])

    def critical(self, one: CriticalView) -> Fact:
        """Return a critical finding."""
        what = f"{one.name} {one.value}".strip()
        said = f"critical, from {inner(self.names(one.claim.agent_id))}: {what}"
        return self._fact(one.claim, FactKind.CRITICAL, (said,), name=one.name, terms=(one.name,))

    def ruling(self, claim: ClaimView) -> Fact:
        """Return the moderator's view."""
        who = self.names(claim.agent_id)
        return self._fact(claim, FactKind.RULING, (f"{who} rules for {claim.entity}",))

    def first(self, claim: ClaimView) -> Fact:
        """Return what the moderator puts first."""
        who = inner(self.names(claim.agent_id))
        return self._fact(claim, FactKind.FIRST, (f"first, says {who}: {lower_first(claim.entity)}",))

    def _open(self, claim: ClaimView) -> Fact:
        return self._fact(
            claim, FactKind.OPEN, (f"{self.names(claim.agent_id)} leaves open: {claim.entity}",)
        )

    # -- all together ----------------------------------------------------------------------------

    def standing(self) -> Fact | None:
        """Return how the doctors stand, recomputed from the board; None without a view."""
        vote = self.vote
        leads = [lead.claim for lead in self.view.leads if lead.claim.agent_id in vote.holders]
        if not leads:
            return None
        if vote.unanimous:
            count = "both doctors" if len(vote.voters) == 2 else f"all {number_word(len(vote.voters))}"
            said = f"{count} lead with {vote.entity}"
        elif len(vote.holders) == 1:
            said = f"{self.names(vote.holders[0])} leads with {vote.entity}"
        else:
            who = upper_first(" and ".join(inner(self.names(agent)) for agent in vote.holders))
            said = f"{who} lead with {vote.entity}"
        count = "" if vote.unanimous else tally(vote).rstrip(".").lower()
        counted = (f"{said}, {count}", said) if count else (said,)
        return self._fact(leads[0], FactKind.VOTE, counted, *leads[1:], name=vote.entity, vote=vote)

    def tests_of(self, claims: Sequence[ClaimView]) -> Fact | None:
        """Return an agent's tests in one sentence, at most three of them."""
        made = wording(
            Change(
                ChangeKind.TESTS,
                claims[0].agent_id,
                tuple(as_claim(one, Kind.TEST) for one in claims),
                self.vote,
                first=True,
            ),
            self.names,
            None,
        )
        return self._fact(claims[0], FactKind.TEST, (made.text.rstrip("."),), *claims[1:]) if made else None

    def others_of(self, claims: Sequence[ClaimView]) -> Fact:
        """Return an agent's other diagnoses in one sentence, at most four of them."""
        who = self.names(claims[0].agent_id)
        said = [
            f"{who} also considers {_and([c.entity for c in claims[:k]])}"
            for k in range(min(4, len(claims)), 0, -1)
        ]
        return self._fact(claims[0], FactKind.DIFFERENTIAL, said, *claims[1:])


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def as_claim(view: ClaimView, kind: Kind) -> Claim:
    """Return the engine's own value of a claim."""
    return Claim(
        view.agent_id,
        kind,
        view.entity,
        view.text,
        Source(view.agent_id, view.first_seq, view.last_seq, 0.0),
        stance=view.stance,
        tentative=view.tentative,
        condition=view.condition,
        label=view.item or (view.text.split(": ")[0] if ": " in view.text[:120] else ""),
    )


def may_be_told(text: str) -> bool:
    """Tell whether a wording says nothing of what was given or ordered, which nobody here knows."""
    return bool(text) and not DONE.search(text) and not _DONE_TO_HER.search(text)
