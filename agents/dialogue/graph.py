"""The dialogue as a graph: understand, look up in three places, compose, ground. The thread is its state."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langsmith import tracing_context

from agents.dialogue.asked_of import of_person
from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.choice import Choice
from agents.dialogue.embeddings import Embeddings, Vector
from agents.dialogue.facts import Fact, FactKind, names_in
from agents.dialogue.intents import asks_what_else
from agents.dialogue.likeness import texts_of
from agents.dialogue.look_up import FactGroup, LookUp
from agents.dialogue.nearest import Nearest
from agents.dialogue.paper_facts import known_entries, paper_facts
from agents.dialogue.passages import Passages
from agents.dialogue.passing import addressee, not_passed_on
from agents.dialogue.people import whom
from agents.dialogue.quotes import as_told
from agents.dialogue.reply import ReplyWriter, with_page
from agents.dialogue.stops import Stops
from agents.dialogue.thread import FIXED, Entry, answer_of, continued, entry_of
from agents.dialogue.turn import State, Turn
from agents.dialogue.understand import UnderstoodQuestion, understood
from agents.dialogue.values import Answer, DialogueStalled, Intent, Question, Sentence
from agents.dialogue.vocabulary import clinical_vocabulary
from agents.dialogue.words import written_out
from exaim_core.board.shown import BoardView
from exaim_core.patient.paper import CasePaper
from exaim_core.text.names import inner
from exaim_core.text.wording import key_words

MEANT_WITHIN_S: Final = 0.25  # an answer by words alone is better than one that is so much later
LIMIT_S: Final = 3.0  # an answer that is not there by then comes too late to be one: docs/dialogue.md
_LOOK_UPS: Final = ("look_up_paper", "look_up_board", "look_up_focus")
# Of these all that is found is on the page, and what was not said is counted.
_WHOLE_SAFETY: Final = frozenset({Intent.ALLERGIC, Intent.CRITICAL})
# What is told where anything else is asked for, what weighs most first.
_WEIGHTY: Final = (
    FactKind.CRITICAL,
    FactKind.CAUTION,
    FactKind.FIRST,
    FactKind.CHANGED,
    FactKind.OPEN,
    FactKind.ACTION,
)


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
        self._choice = Choice(
            paper, self._paper_facts, self._vocabulary, self._look_up, self._reply, self._like
        )
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
        return await self._choice.of(state, turn)

    async def _in_full(self, asked: UnderstoodQuestion, turn: Turn) -> Turn:
        """Return a turn whose question names what it took over: "why not?" is ranked as "why not dexamethasone?"."""
        if not asked.taken_over or asked.intent is Intent.TIME:  # of a time what has none is no answer
            return turn
        names = " and ".join(topic.label or " ".join(topic.words) for topic in asked.topics)
        text = f"{turn.question.text.rstrip(' ?.!')} {names}?"
        turn.passages.liken(await self._meant(text, turn.passages))
        return replace(turn, question=replace(turn.question, text=text), as_asked=text)

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
