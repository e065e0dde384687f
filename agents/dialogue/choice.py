"""Which facts answer a question: those of a kind, typed ones, sentences, and what speaks for or against its thing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.allergies import denies, of_allergies_asked
from agents.dialogue.allergies_told import with_recorded
from agents.dialogue.amended import with_put_right
from agents.dialogue.asked_of import of_absent, said_by
from agents.dialogue.by_kind import changed_of, dissents, of_kind
from agents.dialogue.calls import call_asked, calls
from agents.dialogue.compose import nothing_on, unopened
from agents.dialogue.contact import contact_asked, contact_said
from agents.dialogue.facts import PAPER, Fact
from agents.dialogue.first import Against, with_against, with_decision
from agents.dialogue.fit import asks_value
from agents.dialogue.forbidden_list import allergies_quoted, listed, quoted
from agents.dialogue.forbids import names_eating
from agents.dialogue.further import for_list, for_page, with_further, with_room_filled
from agents.dialogue.intents import asks_who_differs
from agents.dialogue.leave import (
    asks_giving,
    asks_leave_of,
    asks_refused,
    is_of_leave,
    with_conditions,
    with_neighbours,
    with_restraints,
)
from agents.dialogue.look_up import FactGroup, LookUp
from agents.dialogue.meaning import asked_in
from agents.dialogue.on_record import allergies_for_page
from agents.dialogue.passages import Passages
from agents.dialogue.reply import ReplyWriter
from agents.dialogue.segments import Passage
from agents.dialogue.thread import FIXED
from agents.dialogue.turn import State, Turn
from agents.dialogue.understand import Topic, UnderstoodQuestion
from agents.dialogue.values import MOST_WORDS, Intent, Sentence
from agents.dialogue.vocabulary import Vocabulary
from agents.dialogue.weigh import best_of, of_allergies, with_likest
from agents.dialogue.whole import whole_board
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import treatments_named
from exaim_core.text.names import Names
from exaim_core.text.wording import word_count

_OF_REASONS: Final = frozenset({Intent.WHY, Intent.CONDITION})
_MEASURED_KINDS: Final = frozenset({"labs", "lab groups", "signs", "tests"})
_GIVEN_KINDS: Final = frozenset({"drugs", "drug groups", "allergens"})
# Of the whole board these are asked in plain words; a word that nobody knows asks for something else.
_NAMED_ONLY: Final = frozenset({Intent.WHO, Intent.WHY, Intent.COUNT, Intent.FIRST, Intent.TREND})

Like = Callable[[Turn, Sequence[Fact]], Awaitable[float]]
"""How like a turn's question the likest of some typed facts is, 0 to 1."""


class Choice:
    """Chooses what is told of one case."""

    def __init__(
        self,
        paper: CasePaper | None,
        paper_facts: tuple[Fact, ...],
        vocabulary: Vocabulary,
        look_up: LookUp,
        reply: ReplyWriter,
        like: Like,
    ) -> None:
        self._paper_facts = paper_facts
        self._vocabulary = vocabulary
        self._look_up = look_up
        self._reply = reply
        self._like = like
        self._against = Against(paper, paper_facts)

    async def of(self, state: State, turn: Turn) -> State:
        """Return what is told of a question that was understood and looked up, and what the page has below it."""
        asked = state["asked"]
        made = await self._found(state, turn)
        made = self._with_against(asked, self._with_decision(asked, made, turn), turn)
        return {**made, "groups": with_put_right(turn.question.text, made["groups"], turn.passages)}

    def _with_decision(self, asked: UnderstoodQuestion, made: State, turn: Turn) -> State:
        """Return what is told with what was decided first, where it is asked which drug of a class is wanted."""
        if asked.intent is not Intent.ACTIONS or asked.agent or len(asked.topics) != 1 or asked.unsure:
            return made
        topic = asked.topics[0]
        members = {member for name in topic.names for member in self._vocabulary.entries[name].members}
        groups = with_decision(made["groups"], topic.spoken, members, turn.passages)
        return {**made, "groups": groups}

    def _with_against(self, asked: UnderstoodQuestion, made: State, turn: Turn) -> State:
        """Return what is told with what speaks against a thing first, where its leave is asked or it is only named."""
        text = turn.question.text
        reasons = asked.intent in _OF_REASONS and asks_giving(text.lower())
        refused = asked.intent is Intent.ACTIONS and asks_refused(text.lower())
        may = asked.intent is Intent.HOW_MUCH or reasons or refused or is_of_leave(asked, text)
        if (
            not may
            or asked.agent
            or asked.unsure
            or asked.intent in FIXED
            or asked.intent is Intent.FORBIDDEN
        ):
            return made
        opening = asked.topics[0].spoken if asked.topics and asked.topics[0].label else "that"
        things = self._things(asked, text)
        record = self._against.of(things, turn.passages)
        if not (asked.short or asked.intent is not Intent.FACT or asks_leave_of(asked, text)):
            # "is she on any beta blocker?" asks for no leave: what was said of her is another thing
            record = tuple(fact for fact in record if fact.told in PAPER)
        members = [each for topic in asked.topics for name in topic.names for each in self._members(name)]
        of_class = (fact for fact in self._against.of_class(members) if fact not in record)
        record = (*of_class, *record) if members else record
        if reasons:  # what was said of it answers first
            known = {text for group in made["groups"] for fact in group.facts for text in fact.rests_on}
            kept = tuple(group for group in made["groups"] if group.facts and not group.nearest)
            new = tuple(fact for fact in record if fact.rests_on[0] not in known)
            return {**made, "groups": (*kept, FactGroup(opening, new))} if new else made
        groups = with_against(made["groups"], opening, things, turn.stops, turn.passages, record)
        sure = any(group.facts and not group.nearest for group in groups)
        named = DRUG.search(things) or treatments_named(things) or names_eating(text)
        if not sure and named and asks_leave_of(asked, text):
            near = (fact for group in made["groups"] for fact in group.facts)
            naming = tuple(
                fact for fact in near if drugs_named(" ".join(fact.rests_on)) & drugs_named(things)
            )
            if naming:  # "warfarin; held since admission"
                told, left = listed(turn.question.board or turn.board.view, self._paper_facts)
                listed_too = (replace(one, text=unopened(one.text)) for one in told)
                page = (*made.get("on_page", ()), *listed_too, *left)
                return {**made, "groups": (FactGroup(opening, naming),), "on_page": page}
            # of this there is nothing: what must not be given is told instead
            room = MOST_WORDS - word_count(nothing_on("that thing here"))
            seen = turn.question.board or turn.board.view
            return {**made, "groups": (), "forbidden": listed(seen, self._paper_facts, most=room)}
        return {**made, "groups": groups}

    def _members(self, name: str) -> tuple[str, ...]:
        entry = self._vocabulary.entries[name]
        return entry.members if entry.kind == "drug groups" else ()

    def _things(self, asked: UnderstoodQuestion, text: str) -> str:
        """Return what a question names, as it was said and as it was understood; of medicines all that she takes."""
        names = [name for topic in asked.topics for name in topic.names]
        taken = self._against.taken() if "medicines" in names and asks_leave_of(asked, text) else ()
        return ". ".join(dict.fromkeys((text, *names, *taken)))

    async def _found(self, state: State, turn: Turn) -> State:
        asked = state["asked"]
        if asked.intent in FIXED or asked.unsure:
            return {"groups": ()}
        contact = contact_asked(turn.question.text)
        if contact is not None and asked.intent is not Intent.FORBIDDEN:
            told = contact_said(contact, turn.passages)
            of_it = replace(asked, intent=Intent.TOLD, topics=(), agent=None, stranger=None)
            return {"asked": of_it, "groups": (FactGroup(f"the {contact.label}", told),) if told else ()}
        if asked.stranger:
            return {
                "groups": of_absent(asked.stranger, turn.passages),
                "near_page": self._near_page(asked, turn),
            }
        if asked.intent is Intent.FORBIDDEN:
            return {
                "groups": (),
                "forbidden": listed(turn.question.board or turn.board.view, self._paper_facts),
                "near_page": self._near_list(turn),
            }
        if state["on_focus"]:
            return {"groups": (self._reply.focus_group(state["on_focus"]),)}
        of_one = asked.agent is not None and asked.intent not in {Intent.DROPPED, Intent.PENDING}
        if not of_one and (not asked.topics or self._only_allergies(asked)):
            whole_of = replace(asked, intent=Intent.ALLERGIC) if asked.topics else asked
            whole = of_kind(whole_of.intent, turn.board, turn.facts, turn.passages)
            if whole is not None and asked.agent:
                own = tuple(fact for fact in whole.facts if fact.agents[:1] == (asked.agent,))
                whole = replace(whole, facts=own)
            if whole is not None and whole_of.intent is Intent.ALLERGIC:
                whole = with_recorded(self._paper_facts, whole, asked)
            if whole is not None and whole.facts:
                page = self._allergies_quoted(turn) if whole_of.intent is Intent.ALLERGIC else ()
                filled = with_room_filled(whole_of, turn.question.text, (whole,), turn.passages)
                near = self._near_page(whole_of, turn)
                return {"asked": whole_of, "groups": filled, "on_page": page, "near_page": near}
        if asked.intent is Intent.CHANGED and len(asked.topics) == 1 and not of_one:
            changed = changed_of(asked.topics[0].label, turn.passages)
            if changed:
                of_drug = (FactGroup(asked.topics[0].spoken, changed, asked.topics[0]),)
                return {"groups": of_drug, "near_page": self._near_page(asked, turn)}
        typed = self._typed(asked, state, turn)
        if not any(group.facts for group in typed):
            typed = self._concluded(asked, turn) or typed
        elif asked.intent is Intent.OPEN and not (asked.topics or asked.agent):
            known = {text for group in typed for fact in group.facts for text in fact.rests_on}
            more = tuple(fact for fact in dissents(turn.passages) if fact.rests_on[0] not in known)
            typed = (*typed, FactGroup(typed[0].opening, more)) if more else typed
        if len(asked.topics) > 1 and self._only_allergies(replace(asked, topics=asked.topics[-1:])):
            whole = of_kind(Intent.ALLERGIC, turn.board, turn.facts, turn.passages)
            if whole is not None and whole.facts:
                whole = with_recorded(self._paper_facts, whole, asked)
                others = [group for group in typed if group.topic and group.topic.names != ("allergies",)]
                others = [
                    group if self._is_measured(group.topic) else of_allergies((group,))[0] for group in others
                ]
                made = with_room_filled(asked, turn.question.text, (*others, whole), turn.passages)
                return {"groups": made, "on_page": self._allergies_quoted(turn)}
        bare = (asked.refers or asked.follows) and asked.short
        if asked.of_focus:
            return {"groups": typed}
        if bare and any(group.facts for group in typed):
            return {"groups": with_room_filled(asked, turn.question.text, typed, turn.passages)}
        typed_like = await self._like(turn, [group.facts[0] for group in typed if group.facts])
        of_all = asked.intent is Intent.CAUTIONS and not (asked.topics or asked.agent or asked.strange)
        if of_all and typed and " " in turn.question.text.strip():  # "stop" alone asks for no list
            # "what should I be careful with?" asks for all of it: no caution stands without the bans and allergies
            listed_now = listed(turn.question.board or turn.board.view, self._paper_facts)
            if listed_now[0]:
                whole_of = replace(asked, intent=Intent.FORBIDDEN)
                page = self._near_list(turn)
                return {"asked": whole_of, "groups": (), "forbidden": listed_now, "near_page": page}
        groups = best_of(asked, typed, turn.question.text, turn.passages, typed_like)
        groups = with_likest(asked, groups, turn.question.text, turn.passages)
        if asked.agent and not asked.topics and not any(g.facts and not g.nearest for g in groups):
            groups = said_by(asked.agent, turn.passages) or groups
        return self._with_leave(asked, groups, turn)

    def _with_leave(self, asked: UnderstoodQuestion, groups: tuple[FactGroup, ...], turn: Turn) -> State:
        """Return what is told, with what restrains it first where leave is asked, and what stands beside it last."""
        text, passages = turn.question.text, turn.passages
        if asked.intent is Intent.CONDITION or call_asked(text.lower()) is not None:
            groups = with_conditions(asked, groups, self._conditional(asked, turn), passages)
        value = asks_value(asked_in(text))
        names = Names(turn.board.view.names)
        page = self._near_page(asked, turn)
        if asked.agent is not None or not is_of_leave(asked, text):
            if not self._denies_allergies(asked, groups, passages):
                groups = with_neighbours(groups, passages, value=value)
            return {"groups": with_further(asked, text, groups, passages), "near_page": page}
        leave = asks_leave_of(asked, text)
        found = passages.restraining(text, drugs_only=not leave)
        found = found or (passages.restraining_like(text) if leave else ())
        groups = with_restraints(asked, text, groups, found, passages)
        groups = with_neighbours(groups, passages, closely=leave and bool(found), value=value)
        return {
            "groups": with_further(asked, text, groups, passages),
            "on_page": tuple(quoted(one.said[0], names) for one in found),
            "near_page": page,
        }

    def _conditional(self, asked: UnderstoodQuestion, turn: Turn) -> tuple[Passage, ...]:
        """Return the sentences that set a condition, the likest first; before them the calls that are asked of."""
        text, passages = turn.question.text, turn.passages
        likest = passages.conditional(text, asked.agent)
        who = call_asked(text.lower())
        if who is None:
            return likest
        bids = calls(who, passages, Names(turn.board.view.names))
        return (*bids, *(one for one in likest if one not in bids))

    def _denies_allergies(
        self, asked: UnderstoodQuestion, groups: Sequence[FactGroup], passages: Passages
    ) -> bool:
        """Tell whether allergies are asked about and what is told first denies them: what is said on is not of them."""
        told = [fact for group in groups for fact in group.facts]
        return bool(told) and of_allergies_asked(asked) and denies(told[0], passages)

    def _near_page(self, asked: UnderstoodQuestion, turn: Turn) -> tuple[Sentence, ...]:
        """Return what is near a question, for the page."""
        return for_page(turn.question.text, asked.agent, turn.passages, Names(turn.board.view.names))

    def _near_list(self, turn: Turn) -> tuple[Sentence, ...]:
        """Return what is near a question for the list of what must not be given, for the page."""
        return for_list(turn.question.text, turn.passages, Names(turn.board.view.names))

    def _concluded(self, asked: UnderstoodQuestion, turn: Turn) -> tuple[FactGroup, ...]:
        """Return what was concluded in so many words, where the board holds no view and one was asked for."""
        if asked.topics or asked.agent or asked.intent not in {Intent.VIEW, Intent.OPEN}:
            return ()
        if asked.intent is Intent.OPEN:
            said = dissents(turn.passages)
            if said or asks_who_differs(turn.question.text):
                return (FactGroup("agreement and open points", said),) if said else ()
        whole = of_kind(Intent.DECIDED, turn.board, turn.facts, turn.passages)
        return (whole,) if whole is not None and whole.facts else ()

    def _only_allergies(self, asked: UnderstoodQuestion) -> bool:
        """Tell whether allergies are asked about, and nothing else."""
        return {name for topic in asked.topics for name in topic.names} == {"allergies"}

    def _is_measured(self, topic: Topic | None) -> bool:
        """Tell whether a topic is a value or a test: asked beside allergies, it is another question."""
        kinds = {self._vocabulary.entries[name].kind for name in (topic.names if topic else ())}
        return bool(kinds & _MEASURED_KINDS) and not kinds & _GIVEN_KINDS

    def _allergies_quoted(self, turn: Turn) -> tuple[Sentence, ...]:
        """Return all that is on record of allergies and all that was said of them, for the page."""
        return (*allergies_for_page(self._paper_facts), *allergies_quoted(turn.board.view))

    def _typed(self, asked: UnderstoodQuestion, state: State, turn: Turn) -> tuple[FactGroup, ...]:
        """Return what the rules tell, which know what a question's intent and topics are."""
        found = list(zip(asked.topics, state["on_paper"], state["on_board"], strict=True))
        together = self._look_up.together(asked, [(*paper, *board) for _, paper, board in found])
        if together is not None:
            return (together,)
        if found:
            return tuple(self._look_up.group(asked, *one, turn.passages) for one in found)
        if asked.about_strange or (asked.strange and (asked.plain or asked.intent in _NAMED_ONLY)):
            return ()
        whole = whole_board(asked, turn.board, turn.facts)
        return (whole,) if whole else ()
