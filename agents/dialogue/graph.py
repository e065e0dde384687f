"""The dialogue as a graph: understand, look up in three places, compose, ground. The thread is its state."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langsmith import tracing_context

from agents.dialogue.allergies import denies, of_allergies_asked
from agents.dialogue.allergies_told import with_recorded
from agents.dialogue.amended import with_put_right
from agents.dialogue.asked_of import of_absent, of_person, said_by
from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.by_kind import changed_of, dissents, of_kind
from agents.dialogue.compose import nothing_on, unopened
from agents.dialogue.contact import contact_asked, contact_said
from agents.dialogue.embeddings import Embeddings, Vector
from agents.dialogue.facts import PAPER, Fact, FactKind, names_in
from agents.dialogue.first import Against, with_against, with_decision
from agents.dialogue.fit import asks_value
from agents.dialogue.forbidden_list import allergies_quoted, listed, quoted
from agents.dialogue.forbids import names_eating
from agents.dialogue.further import for_page, with_further, with_room_filled
from agents.dialogue.intents import asks_what_else, asks_who_differs
from agents.dialogue.leave import (
    asks_giving,
    asks_leave_of,
    asks_refused,
    is_of_leave,
    with_conditions,
    with_neighbours,
    with_restraints,
)
from agents.dialogue.likeness import texts_of
from agents.dialogue.look_up import FactGroup, LookUp
from agents.dialogue.meaning import asked_in
from agents.dialogue.nearest import Nearest
from agents.dialogue.on_record import allergies_for_page
from agents.dialogue.paper_facts import known_entries, paper_facts
from agents.dialogue.passages import Passages, as_told
from agents.dialogue.passing import addressee, not_passed_on
from agents.dialogue.people import whom
from agents.dialogue.reply import ReplyWriter, with_page
from agents.dialogue.stops import Stops
from agents.dialogue.thread import FIXED, Entry, answer_of, continued, entry_of, newest
from agents.dialogue.understand import Topic, UnderstoodQuestion, understood
from agents.dialogue.values import MOST_WORDS, Answer, DialogueStalled, Intent, Question, Sentence
from agents.dialogue.vocabulary import clinical_vocabulary
from agents.dialogue.weigh import best_of, of_allergies, with_likest
from agents.dialogue.whole import whole_board
from agents.dialogue.words import written_out
from exaim_core.board.shown import BoardView
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import treatments_named
from exaim_core.text.names import Names, inner
from exaim_core.text.wording import key_words, word_count

MEANT_WITHIN_S: Final = 0.25  # an answer by words alone is better than one that is so much later
LIMIT_S: Final = 3.0  # an answer that is not there by then comes too late to be one: docs/dialogue.md
_LOOK_UPS: Final = ("look_up_paper", "look_up_board", "look_up_focus")
# Of these all that is found is on the page, and what was not said is counted.
_WHOLE_SAFETY: Final = frozenset({Intent.ALLERGIC, Intent.CRITICAL})
_OF_REASONS: Final = frozenset({Intent.WHY, Intent.CONDITION})
# What is told where anything else is asked for, what weighs most first.
_WEIGHTY: Final = (
    FactKind.CRITICAL,
    FactKind.CAUTION,
    FactKind.FIRST,
    FactKind.CHANGED,
    FactKind.OPEN,
    FactKind.ACTION,
)
_MEASURED_KINDS: Final = frozenset({"labs", "lab groups", "signs", "tests"})
_GIVEN_KINDS: Final = frozenset({"drugs", "drug groups", "allergens"})
# Of the whole board these are asked in plain words; a word that nobody knows asks for something else.
_NAMED_ONLY: Final = frozenset({Intent.WHO, Intent.WHY, Intent.COUNT, Intent.FIRST, Intent.TREND})


class State(TypedDict, total=False):
    """The thread, which is kept, and the turn under way, which is not."""

    turns: Annotated[list[Entry], newest]
    turn_id: Annotated[str, UntrackedValue]
    asked: Annotated[UnderstoodQuestion, UntrackedValue]
    on_paper: Annotated[tuple[tuple[Fact, ...], ...], UntrackedValue]
    on_board: Annotated[tuple[tuple[Fact, ...], ...], UntrackedValue]
    on_focus: Annotated[tuple[Fact, ...], UntrackedValue]
    groups: Annotated[tuple[FactGroup, ...], UntrackedValue]
    nearest: Annotated[tuple[Fact, ...], UntrackedValue]
    forbidden: Annotated[tuple[tuple[Sentence, ...], tuple[Sentence, ...]], UntrackedValue]
    on_page: Annotated[tuple[Sentence, ...], UntrackedValue]
    near_page: Annotated[tuple[Sentence, ...], UntrackedValue]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run is given beside the thread, and what is not kept in it."""

    question: Question
    board: BoardFacts
    facts: tuple[Fact, ...]
    passages: Passages
    stops: Stops
    as_asked: str  # as the encoder reads it; the rules read `question`, whose verbs are written out


class Dialogue:
    """Answers a clinician's questions about one case, from its paper and the board's current state.

    One at a time: calls take turns. With a checkpointer the thread goes on where another process left it;
    without one it lives in this object.
    """

    def __init__(
        self,
        *,
        thread_id: str,
        paper: CasePaper | None,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        nearest: Nearest | None = None,
        embeddings: Embeddings | None = None,
        meant_within_s: float = MEANT_WITHIN_S,
    ) -> None:
        """`nearest` chooses what is told where the rules find nothing; None: then nothing is told.

        `embeddings` find sentences by their meaning; without them, or where they are later than `meant_within_s`
        seconds, sentences are found by words alone.
        """
        self._nearest = nearest
        self._embeddings, self._meant_within_s = embeddings, meant_within_s
        self._vocabulary = clinical_vocabulary()
        for entry in known_entries(paper) if paper else ():
            if not self._vocabulary.spelled_in(self._vocabulary.key(entry.name)):
                self._vocabulary.add(entry)
        self._paper_facts = paper_facts(paper, self._vocabulary) if paper else ()
        self._of_paper = Passages(BoardView(), self._paper_facts).likeness.texts
        self._look_up = LookUp(self._vocabulary)
        self._reply = ReplyWriter(self._vocabulary, paper)
        self._config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        self._turns: list[Entry] = []
        self._one_at_a_time = asyncio.Lock()
        self._against = Against(paper, self._paper_facts)
        self._board: tuple[BoardView | None, BoardFacts, tuple[Fact, ...], Passages, Stops] | None = None
        self._states = self._built()
        self._graph = self._unkept = self._states.compile()  # a quarter of what a dialogue costs to make
        self._kept = False
        if checkpointer is not None:
            self.keep_in(checkpointer)

    def keep_in(self, checkpointer: BaseCheckpointSaver[Any]) -> None:
        """Keep the thread there from now on. For before the first question: what was answered till then is not kept."""
        self._graph, self._kept = self._states.compile(checkpointer=checkpointer), True

    async def answer(self, question: Question) -> Answer:
        """Return the answer to `question`; the same turn id gives the stored one, without a second run.

        An answer is forgotten after `KEPT_TURNS` further ones. What the checkpointer raises goes through
        unchanged; nothing was answered then, and the same question may be asked again.

        Raises: DialogueStalled: no answer within `LIMIT_S` seconds, which only a checkpointer can cause.
        """
        try:
            async with self._alone():
                return await self._answer(question)
        except TimeoutError as late:
            raise DialogueStalled(LIMIT_S) from late

    async def foreseen(self, question: Question) -> str | None:
        """Return what would be answered, and keep nothing; None: that is not known in time, or a model is asked."""
        if self._nearest is not None or self._one_at_a_time.locked():
            return None
        try:
            async with self._alone():
                turn = await self._turn(question)
                given: State = {"turn_id": question.turn_id, "turns": self._turns}
                turns: list[Entry] = (await self._unkept.ainvoke(given, context=turn))["turns"]
        except TimeoutError:
            return None
        return answer_of(turns[-1]).text

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Let one at a time in, for `LIMIT_S` seconds. Raises: TimeoutError.

        Whatever the environment says: no question and no answer goes to a tracing service.
        """
        async with self._one_at_a_time:
            with tracing_context(enabled=False):
                async with asyncio.timeout(LIMIT_S):
                    yield

    def note(self, board: BoardView) -> None:
        """Have the sentences of a board read before anybody asks, and those of the paper."""
        if self._embeddings is not None:
            self._embeddings.offer(self.texts(board))

    def texts(self, board: BoardView) -> tuple[str, ...]:
        """Return what is to be read of the paper and of a board."""
        return (*self._of_paper, *texts_of(board.said))

    async def run(self) -> None:
        """Read what was noted until cancelled; without an encoder there is nothing to read."""
        if self._embeddings is not None:
            await self._embeddings.run()

    async def _answer(self, question: Question) -> Answer:
        if self._kept:
            self._turns = (await self._graph.aget_state(self._config)).values.get("turns", [])
        stored = next((turn for turn in self._turns if turn["turn_id"] == question.turn_id), None)
        if stored is None:
            self._turns = (await self._run(question))["turns"]
            stored = self._turns[-1]
        return answer_of(stored)

    async def _run(self, question: Question) -> dict[str, Any]:
        turn = await self._turn(question)
        given: State = {"turn_id": question.turn_id}
        if self._kept:
            return await self._graph.ainvoke(given, self._config, context=turn, durability="sync")
        return await self._graph.ainvoke({**given, "turns": self._turns}, self._config, context=turn)

    async def _turn(self, question: Question) -> Turn:
        board, facts, passages, stops = self._facts_of(question.board)
        passages.liken(await self._meant(question.text, passages))
        in_full = replace(question, text=written_out(question.text))
        return Turn(in_full, board, facts, passages, stops, question.text)

    async def _meant(self, question: str, passages: Passages) -> Sequence[Vector]:
        """Return the vectors of a question and of what is read; () where they are not there in time."""
        if self._embeddings is None:
            return ()
        return await self._embeddings.of(question, passages.likeness.texts, self._meant_within_s) or ()

    async def _like(self, turn: Turn, facts: Sequence[Fact]) -> float:
        """Return how like the question the likest of these typed facts is, 0 to 1; 0 without vectors."""
        if self._embeddings is None or not turn.passages.like:
            return 0.0
        texts = [as_told(fact) for fact in facts if fact.said]
        asked, *vectors = await self._embeddings.of(turn.as_asked, texts, self._meant_within_s) or ((),)
        return max((float(vector @ asked) for vector in vectors), default=0.0)

    def _facts_of(self, view: BoardView | None) -> tuple[BoardFacts, tuple[Fact, ...], Passages, Stops]:
        """Return the facts and the passages of a view; those of the last one are kept."""
        if self._board is None or self._board[0] is not view:
            seen = view or BoardView()
            stops = Stops(seen)
            seen = stops.seen(seen)
            board = BoardFacts(seen, self._vocabulary)
            passages = Passages(seen, self._paper_facts, stops.by)
            self._board = (view, board, board.all(), passages, stops)
        return self._board[1:]

    def _built(self) -> StateGraph[State, Turn, State, State]:
        graph = StateGraph(State, context_schema=Turn)
        graph.add_node("understand", self._understand)
        graph.add_node("look_up_paper", self._look_up_paper)
        graph.add_node("look_up_board", self._look_up_board)
        graph.add_node("look_up_focus", self._look_up_focus)
        graph.add_node("compose", self._compose)
        graph.add_node("ground", self._ground)
        graph.add_edge(START, "understand")
        for place in _LOOK_UPS:
            graph.add_edge("understand", place)
        graph.add_edge([*_LOOK_UPS], "compose")
        if self._nearest is None:
            graph.add_edge("compose", "ground")
        else:
            graph.add_node("look_for_nearest", self._look_for_nearest)
            graph.add_edge("compose", "look_for_nearest")
            graph.add_edge("look_for_nearest", "ground")
        graph.add_edge("ground", END)
        return graph

    # -- nodes -----------------------------------------------------------------------------------

    async def _understand(self, state: State, runtime: Runtime[Turn]) -> State:
        turn = runtime.context
        facts = (*self._paper_facts, *turn.facts)
        words = Counter(word for fact in facts for word in fact.body.words | fact.head.words)
        speakers = turn.board.view.speakers
        asked = understood(turn.question.text, self._vocabulary, names_in(facts), words, speakers)
        person = whom(turn.question.text, turn.board.view, frozenset(words))
        asked = of_person(asked, person, self._vocabulary)
        return {"asked": continued(asked, state.get("turns", []), turn.question.focus)}

    async def _look_up_paper(self, state: State) -> State:
        asked = state["asked"]
        found = tuple(self._look_up.on_topic(asked, topic, self._paper_facts) for topic in asked.topics)
        return {"on_paper": found}

    async def _look_up_board(self, state: State, runtime: Runtime[Turn]) -> State:
        asked, facts = state["asked"], runtime.context.facts
        return {"on_board": tuple(self._look_up.on_topic(asked, topic, facts) for topic in asked.topics)}

    async def _look_up_focus(self, state: State, runtime: Runtime[Turn]) -> State:
        asked, turn = state["asked"], runtime.context
        focus = turn.question.focus
        if not asked.of_focus or focus is None:
            return {"on_focus": ()}
        found = self._look_up.of_focus(asked, focus, self._paper_facts, turn.facts, turn.passages)
        return {"on_focus": found}

    async def _compose(self, state: State, runtime: Runtime[Turn]) -> State:
        asked = state["asked"]
        turn = await self._in_full(asked, runtime.context)
        made = await self._composed(state, turn)
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

    async def _in_full(self, asked: UnderstoodQuestion, turn: Turn) -> Turn:
        """Return a turn whose question names what it took over: "why not?" is ranked as "why not dexamethasone?"."""
        if not asked.taken_over or asked.intent is Intent.TIME:  # of a time what has none is no answer
            return turn
        names = " and ".join(topic.label or " ".join(topic.words) for topic in asked.topics)
        text = f"{turn.question.text.rstrip(' ?.!')} {names}?"
        turn.passages.liken(await self._meant(text, turn.passages))
        return replace(turn, question=replace(turn.question, text=text), as_asked=text)

    async def _composed(self, state: State, turn: Turn) -> State:
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
                return {"asked": whole_of, "groups": (), "forbidden": listed_now}
        groups = best_of(asked, typed, turn.question.text, turn.passages, typed_like)
        groups = with_likest(asked, groups, turn.question.text, turn.passages)
        if asked.agent and not asked.topics and not any(g.facts and not g.nearest for g in groups):
            groups = said_by(asked.agent, turn.passages) or groups
        return self._with_leave(asked, groups, turn)

    def _with_leave(self, asked: UnderstoodQuestion, groups: tuple[FactGroup, ...], turn: Turn) -> State:
        """Return what is told, with what restrains it first where leave is asked, and what stands beside it last."""
        text, passages = turn.question.text, turn.passages
        if asked.intent is Intent.CONDITION:
            groups = with_conditions(asked, groups, passages.conditional(text, asked.agent), passages)
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

    def _denies_allergies(
        self, asked: UnderstoodQuestion, groups: Sequence[FactGroup], passages: Passages
    ) -> bool:
        """Tell whether allergies are asked about and what is told first denies them: what is said on is not of them."""
        told = [fact for group in groups for fact in group.facts]
        return bool(told) and of_allergies_asked(asked) and denies(told[0], passages)

    def _near_page(self, asked: UnderstoodQuestion, turn: Turn) -> tuple[Sentence, ...]:
        """Return what is near a question, for the page."""
        return for_page(turn.question.text, asked.agent, turn.passages, Names(turn.board.view.names))

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

    async def _look_for_nearest(self, state: State, runtime: Runtime[Turn]) -> State:
        """Have a model choose where nothing was found; of a topic with a name only what mentions it."""
        asked, turn = state["asked"], runtime.context
        assert self._nearest is not None, "the node is there only with it"
        if not _may_be_near(asked) or any(group.facts for group in state["groups"]):
            return {"nearest": ()}
        facts = [fact for fact in (*turn.facts, *self._paper_facts) if fact.said and self._fits(asked, fact)]
        if not facts:
            return {"nearest": ()}
        held = turn.question.focus.text if turn.question.focus else ""
        chosen = await self._nearest.choose(turn.question.text, [fact.said[0] for fact in facts], held=held)
        return {"nearest": tuple(facts[k] for k in chosen)}

    def _fits(self, asked: UnderstoodQuestion, fact: Fact) -> bool:
        if asked.agent and asked.agent not in fact.agents:
            return False
        named = [topic for topic in asked.topics if topic.names]
        return not named or any(self._look_up.nearness(fact, topic) > 0 for topic in named)

    async def _ground(self, state: State, runtime: Runtime[Turn]) -> State:
        asked, question = state["asked"], runtime.context.question
        turns = state.get("turns", [])
        if asked.intent is Intent.MORE:
            further, left = self._reply.more(asked, question, turns)
            if not further.found and asks_what_else(question.text.lower().strip(" ?.!")):
                further, left = self._untold(asked, runtime.context, turns) or further, ()
            return {"turns": [entry_of(question, asked, further, left)]}
        answer = self._not_passed_on(asked, runtime.context) or self._reply.fixed(asked, question, turns)
        chosen = state.get("nearest", ())
        if answer is None and chosen and self._nearest is not None:
            answer = self._reply.nearest(asked, chosen, question, self._nearest.name)
        listed_now, left = state.get("forbidden", ((), ()))
        counts = bool(state.get("on_page")) or asked.intent in _WHOLE_SAFETY
        if answer is None:
            answer = self._reply.told(asked, state["groups"], question, listed_now, counts=counts)
        rest = left or self._reply.rest(state["groups"], answer, whole=asked.intent in _WHOLE_SAFETY)
        answer = with_page(answer, left or self._for_page(state, answer), state.get("near_page", ()))
        return {"turns": [entry_of(question, asked, answer, rest)]}

    def _untold(self, asked: UnderstoodQuestion, turn: Turn, turns: Sequence[Entry]) -> Answer | None:
        """Return what weighs most on the board and was in no answer yet; None: all of it was."""
        told = [set(key_words(one["answer"]["text"])) for one in turns]
        facts = tuple(
            fact
            for kind in _WEIGHTY
            for fact in turn.facts
            if fact.told is kind
            and not any(set(key_words(text)) <= known for text in fact.rests_on for known in told)
        )
        if not facts:
            return None
        answer = self._reply.told(asked, (FactGroup("what else there is", facts),), turn.question)
        return answer if answer.found else None

    def _not_passed_on(self, asked: UnderstoodQuestion, turn: Turn) -> Answer | None:
        """Return that a question was not passed on, and why; None: it was asked of us."""
        who = addressee(turn.question.text)
        if who is None:
            return None
        view = turn.board.view
        here = whom(who, view, frozenset()).agent is not None or who.lower() in {
            inner(turn.board.names(agent)).lower() for agent in view.speakers
        }
        return self._reply.plain(turn.question, asked, not_passed_on(who, here=here))

    def _for_page(self, state: State, answer: Answer) -> tuple[Sentence, ...]:
        """Return what the page lists below an answer: what restrains its thing, or all that is of a safety kind."""
        whole = state["asked"].intent in _WHOLE_SAFETY and state["groups"] and not state["groups"][0].topic
        of_kind = [group for group in state["groups"] if not group.beside] if whole else []
        return state.get("on_page", ()) or self._reply.rest(of_kind, answer, whole=True)


def _may_be_near(asked: UnderstoodQuestion) -> bool:
    """Tell whether another wording may find more: not of an order, of what was done, of an unknown name."""
    if asked.intent in FIXED or asked.intent in {Intent.DONE, Intent.TOLD, Intent.COUNT}:
        return False
    return not (asked.unsure or asked.stranger or asked.about_strange)


def warm() -> None:
    """Do what is done once a process before there is a case: read the vocabulary, compile a graph.

    `Dialogue` then takes a tenth of the time. It computes, and waits for nothing: where a loop runs, make
    it in a thread.
    """
    Dialogue(thread_id="warm", paper=None)
