"""The dialogue: a graph that understands, looks up, composes and grounds; the thread is its state."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Final, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from agents.dialogue import compose
from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.facts import Fact, names_in
from agents.dialogue.look_up import Group, LookUp
from agents.dialogue.paper_facts import known_entries, paper_facts
from agents.dialogue.understand import Asked, Topic, understood
from agents.dialogue.values import MOST_WORDS, Answer, Focus, Intent, Question, Sentence
from agents.dialogue.vocabulary import clinical_vocabulary
from agents.dialogue.whole import whole_board
from exaim_core.names import number_word
from exaim_core.paper import CasePaper
from exaim_core.view import BoardView

KEPT_TURNS: Final = 12
_OF_FOCUS: Final = frozenset(
    {
        Intent.WHY,
        Intent.WHO,
        Intent.HOW_MUCH,
        Intent.CONDITION,
        Intent.DONE,
        Intent.TIME,
        Intent.TREND,
        Intent.CERTAINTY,
    }
)
_IF_REFERRING: Final = frozenset({Intent.FACT, Intent.CAUTIONS, Intent.COUNT, Intent.TESTS, Intent.FIRST})


def _newest(before: list[dict[str, Any]], more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*before, *more][-KEPT_TURNS:]


class State(TypedDict, total=False):
    """The thread (kept: the last `KEPT_TURNS` turns with their answers) and the turn under way (not kept)."""

    turns: Annotated[list[dict[str, Any]], _newest]
    turn_id: Annotated[str, UntrackedValue]
    asked: Annotated[Asked, UntrackedValue]
    on_paper: Annotated[tuple[tuple[Fact, ...], ...], UntrackedValue]
    on_board: Annotated[tuple[tuple[Fact, ...], ...], UntrackedValue]
    on_focus: Annotated[tuple[Fact, ...], UntrackedValue]
    groups: Annotated[tuple[Group, ...], UntrackedValue]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run is given beside the thread, and what is not kept in it."""

    question: Question
    board: BoardFacts
    facts: tuple[Fact, ...]


class Dialogue:
    """Answers a clinician's questions about one case, from its paper and the board's current state.

    One at a time: calls take turns. With a checkpointer the thread goes on where another process left
    it; without one it lives in this object. What the checkpointer raises goes through unchanged, and
    nothing was answered then: ask again under the same turn id.
    """

    def __init__(
        self, *, thread_id: str, paper: CasePaper | None, checkpointer: BaseCheckpointSaver[Any] | None = None
    ) -> None:
        self._vocabulary = clinical_vocabulary()
        for entry in known_entries(paper) if paper else ():
            if not self._vocabulary.spelled_in(self._vocabulary.key(entry.name)):
                self._vocabulary.add(entry)
        self._paper = paper
        self._paper_facts = paper_facts(paper, self._vocabulary) if paper else ()
        self._look_up = LookUp(self._vocabulary)
        self._config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        self._kept = checkpointer is not None
        self._turns: list[dict[str, Any]] = []
        self._one_at_a_time = asyncio.Lock()
        self._board: tuple[BoardView | None, BoardFacts, tuple[Fact, ...]] | None = None
        self._graph = self._built().compile(checkpointer=checkpointer)

    async def answer(self, question: Question) -> Answer:
        """Return the answer to `question`; the same turn id gives the stored answer, without a second run.

        An answer is forgotten after `KEPT_TURNS` further ones.
        """
        async with self._one_at_a_time:
            if self._kept:
                self._turns = (await self._graph.aget_state(self._config)).values.get("turns", [])
            stored = next((turn for turn in self._turns if turn["turn_id"] == question.turn_id), None)
            if stored is None:
                state = await self._run(question)
                self._turns = state["turns"]
                stored = self._turns[-1]
        return _answer(stored)

    async def _run(self, question: Question) -> dict[str, Any]:
        board, facts = self._facts_of(question.board)
        given: State = {"turn_id": question.turn_id}
        turn = Turn(question, board, facts)
        if self._kept:
            return await self._graph.ainvoke(given, self._config, context=turn, durability="sync")
        return await self._graph.ainvoke({**given, "turns": self._turns}, self._config, context=turn)

    def _facts_of(self, view: BoardView | None) -> tuple[BoardFacts, tuple[Fact, ...]]:
        """Return the facts of a view; those of the last one are kept."""
        if self._board is None or self._board[0] is not view:
            board = BoardFacts(view or BoardView(), self._vocabulary)
            self._board = (view, board, board.all())
        return self._board[1], self._board[2]

    def _built(self) -> StateGraph[State, Turn, State, State]:
        graph = StateGraph(State, context_schema=Turn)
        graph.add_node("understand", self._understand)
        graph.add_node("look_up_paper", self._look_up_paper)
        graph.add_node("look_up_board", self._look_up_board)
        graph.add_node("look_up_focus", self._look_up_focus)
        graph.add_node("compose", self._compose)
        graph.add_node("ground", self._ground)
        graph.add_edge(START, "understand")
        for source in ("look_up_paper", "look_up_board", "look_up_focus"):
            graph.add_edge("understand", source)
        graph.add_edge(["look_up_paper", "look_up_board", "look_up_focus"], "compose")
        graph.add_edge("compose", "ground")
        graph.add_edge("ground", END)
        return graph

    # -- nodes -----------------------------------------------------------------------------------

    async def _understand(self, state: State, runtime: Runtime[Turn]) -> State:
        turn = runtime.context
        facts = (*self._paper_facts, *turn.facts)
        words = Counter(word for fact in facts for word in fact.body.words | fact.head.words)
        asked = understood(
            turn.question.text, self._vocabulary, names_in(facts), words, turn.board.view.speakers
        )
        return {"asked": _continued(asked, state.get("turns", []), turn.question.focus)}

    async def _look_up_paper(self, state: State) -> State:
        asked = state["asked"]
        return {"on_paper": tuple(self._look_up.on_topic(asked, t, self._paper_facts) for t in asked.topics)}

    async def _look_up_board(self, state: State, runtime: Runtime[Turn]) -> State:
        asked = state["asked"]
        return {
            "on_board": tuple(self._look_up.on_topic(asked, t, runtime.context.facts) for t in asked.topics)
        }

    async def _look_up_focus(self, state: State, runtime: Runtime[Turn]) -> State:
        asked, focus = state["asked"], runtime.context.question.focus
        if not asked.of_focus or focus is None:
            return {"on_focus": ()}
        return {"on_focus": self._look_up.of_focus(asked, focus, self._paper_facts, runtime.context.facts)}

    async def _compose(self, state: State, runtime: Runtime[Turn]) -> State:
        asked = state["asked"]
        if asked.intent in _FIXED or asked.unsure or (asked.stranger and not asked.topics):
            return {"groups": ()}
        groups: list[Group] = []
        if state["on_focus"]:
            groups = [self._focus_group(asked, state["on_focus"])]
        together = self._look_up.together(
            asked, [(*p, *b) for p, b in zip(state["on_paper"], state["on_board"], strict=True)]
        )
        if not groups and together:
            groups = [together]
        if not groups:
            groups = [
                self._look_up.group(asked, topic, paper, board)
                for topic, paper, board in zip(
                    asked.topics, state["on_paper"], state["on_board"], strict=True
                )
            ]
        if not groups and not asked.about_strange and not (asked.strange and asked.plain):
            whole = whole_board(asked, runtime.context.board, runtime.context.facts)
            groups = [whole] if whole else []
        return {"groups": tuple(groups)}

    async def _ground(self, state: State, runtime: Runtime[Turn]) -> State:
        asked, question = state["asked"], runtime.context.question
        answer = self._fixed(asked, question)
        if answer is None:
            answer = self._told(asked, state["groups"], question)
        topics = [asdict(topic) for topic in asked.topics]
        entry = {
            "turn_id": question.turn_id,
            "question": question.text[:300],
            "intent": str(asked.intent),
            "topics": topics,
            "at_ms": question.at_ms,
            "answer": asdict(answer),
        }
        return {"turns": [entry]}

    # -- wording ---------------------------------------------------------------------------------

    def _focus_group(self, asked: Asked, facts: Sequence[Fact]) -> Group:
        best = facts[0]
        names = sorted(best.head.names, key=len, reverse=True)
        kinds = self._vocabulary.entries
        label = names[0] if names else "that"
        article = bool(names) and kinds[label].kind in _ARTICLE_KINDS
        chosen = (
            [fact for fact in facts if fact.numbers] or list(facts)
            if asked.intent is Intent.HOW_MUCH
            else list(facts)
        )
        return Group(f"the {label}" if article else label, tuple(chosen[:2]))

    def _fixed(self, asked: Asked, question: Question) -> Answer | None:
        focus = question.focus
        said = {
            Intent.ORDER: compose.NO_ORDERS,
            Intent.SMALL_TALK: compose.SMALL_TALK,
            Intent.UNCLEAR: compose.SAY_AGAIN,
        }.get(asked.intent)
        if asked.intent is Intent.REPEAT:
            said = (
                focus.text
                if focus
                else (self._turns[-1]["answer"]["text"] if self._turns else compose.SAY_AGAIN)
            )
            return _plain(question, said, asked, found=bool(focus or self._turns), source=_source_of(focus))
        if said is not None:
            return _plain(question, said, asked)
        if asked.unsure:
            one, other = (self._spoken(name) for name in asked.unsure)
            return _plain(question, f"Did you mean {one} or {other}?", asked)
        return None

    def _spoken(self, name: str) -> str:
        return f"the {name}" if self._vocabulary.entries[name].kind in _ARTICLE_KINDS else name

    def _told(self, asked: Asked, groups: Sequence[Group], question: Question) -> Answer:
        room = MOST_WORDS
        before: list[Sentence] = []
        if asked.intent is Intent.DONE:
            before.append(Sentence(compose.NOT_KNOWN, compose.OURS))
            room -= len(compose.NOT_KNOWN.split())
        if asked.stranger:
            before.append(Sentence(compose.nothing_on(asked.stranger), compose.OURS))
        missing = [group.topic for group in groups if group.topic and not group.facts]
        lacks = [compose.nothing_on(topic.missing) for topic in missing]
        room -= sum(len(text.split()) for text in lacks)
        counted = self._counted(asked)
        said, opened = compose.grounded(compose.slots(groups), room)
        lost = [g.topic for k, g in enumerate(groups) if g.facts and k not in opened and g.topic and not said]
        lacks += [compose.nothing_on(topic.missing) for topic in lost]
        if counted:
            said = (counted,)
        if not said and not lacks and not before:
            lacks = [compose.nothing_on(None)]
        sentences = (*before, *(Sentence(text, compose.OURS) for text in dict.fromkeys(lacks)), *said)
        topic = asked.topics[0].label if asked.topics and (asked.topics[0].names or said) else None
        return Answer(
            question.turn_id,
            " ".join(sentence.text for sentence in sentences),
            sentences,
            topic,
            bool(said),
            str(asked.intent),
        )

    def _counted(self, asked: Asked) -> Sentence | None:
        """Return how many the paper lists, recomputed from it; None if that was not asked."""
        if asked.intent is not Intent.COUNT or not asked.topics or self._paper is None:
            return None
        counts = {
            "medicines": (len(self._paper.medication), "medicine"),
            "allergies": (len(self._paper.allergies), "allergy"),
        }
        name = next((name for name in asked.topics[0].names if name in counts), None)
        if name is None or not counts[name][0]:
            return None
        number, one = counts[name]
        what = one if number == 1 else name
        return Sentence(
            f"On the {name}: the case paper lists {number_word(number)} {what}.", f"case paper: {name}"
        )


_ARTICLE_KINDS: Final = frozenset(
    {"labs", "lab groups", "signs", "tests", "procedures", "symptoms", "sections"}
)
_FIXED: Final = frozenset({Intent.ORDER, Intent.SMALL_TALK, Intent.UNCLEAR, Intent.REPEAT})


def _continued(asked: Asked, turns: Sequence[dict[str, Any]], focus: Focus | None) -> Asked:
    """Return `asked` with what it takes over from the held item or from the question before."""
    last = next((turn for turn in reversed(turns) if turn["topics"] and turn["answer"]["found"]), None)
    intent = asked.intent
    if asked.plain and asked.follows and asked.topics and last is not None:
        return replace(asked, intent=Intent(last["intent"]))
    if asked.topics or intent in _FIXED or asked.about_strange or asked.agent:
        return asked
    bare = asked.short or asked.follows or asked.refers
    refers = bare and (
        intent in _OF_FOCUS or (intent in _IF_REFERRING and asked.refers and not asked.strange)
    )
    if not refers:
        return asked
    before = (
        tuple(
            Topic(
                **{
                    **topic,
                    "names": tuple(topic["names"]),
                    "words": tuple(topic["words"]),
                    "weights": tuple(topic["weights"]),
                }
            )
            for topic in last["topics"]
        )
        if last
        else ()
    )
    if focus is not None and not (asked.follows and before):
        return replace(asked, of_focus=True, topics=before)
    return replace(asked, topics=before)


def _plain(
    question: Question, said: str, asked: Asked, *, found: bool = False, source: str = compose.OURS
) -> Answer:
    return Answer(question.turn_id, said, (Sentence(said, source),), None, found, str(asked.intent))


def _source_of(focus: Focus | None) -> str:
    return "said before"


def _answer(turn: dict[str, Any]) -> Answer:
    stored = turn["answer"]
    sentences = tuple(Sentence(**sentence) for sentence in stored["sentences"])
    return Answer(**{**stored, "sentences": sentences})
