"""Look-ups of a conversation in the case and the team. None waits, and none changes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from agents.dialogue.values import Focus
from exaim_core import SpokenItem, Update, spoken_name
from exaim_core.board.shown import BoardView
from exaim_core.claims.claims import Stance
from exaim_core.text.marks import plain
from exaim_core.text.names import inner
from realtime.interruption import words_of
from realtime.interruption.team import Request
from realtime.speech.earlier import as_earlier
from realtime.speech.narrator import first_offering, item_id
from realtime.team.long_words import cut_long_words
from tts_queue import Utterance


class TeamProblem(Protocol):
    """Tells why the team can't be asked."""

    def __call__(self, *, cancels: bool) -> str:
        """Return why the team can't be asked, or told to stop, in sentences; empty: it can."""
        ...


class Knowledge:
    """The newest board, the items that were told, the agents' names, and how far they are."""

    def __init__(
        self,
        *,
        agents: Callable[[], Iterable[str]],
        agents_stand: Callable[[], str],
        team_problem: TeamProblem,
    ) -> None:
        """`agents` are the ids of the team's, as far as they are known; `agents_stand` says how far they are."""
        self._agents, self.agents_stand, self.team_problem = agents, agents_stand, team_problem
        self._items: dict[str, SpokenItem] = {}
        self.board: BoardView | None = None

    def update(self, update: Update, update_id: str) -> None:
        """Take what the board holds now, and what may be asked about."""
        if update.board is not None:
            self.board = update.board
        for number, item in enumerate(update.items, start=1):
            self._items[item_id(update_id, number)] = item

    def more(self, about: Utterance) -> str | None:
        """Return the long form of an item that was told in its short one; None: there is no more of it."""
        item = self._items.get(first_offering(about.utterance_id))
        if item is None or not item.brief:
            return None
        brief = cut_long_words(item.brief)
        told_short = about.text in {brief, as_earlier(brief, self._agents())}
        return cut_long_words(item.text) if told_short else None

    def focus(self, about: Utterance | None) -> Focus | None:
        """Return what a question is about, that was asked after `about` was told."""
        if about is None:
            return None
        item = self._items.get(first_offering(about.utterance_id))
        topic, agents = (item.topic, item.agents) if item else (about.topic, ())
        return Focus(about.utterance_id, about.text, about.kind, topic, agents)

    def team_names(self) -> Mapping[str, str]:
        """Return the agents' spoken names in lower case, without "the"; each with the name as it is said."""
        said = [bare_name(agent) for agent in self._agents()]
        return {each.lower(): each for each in said}

    def id_of(self, name: str) -> str:
        """Return the id of the agent whose spoken name this is, in lower case; empty: there is none."""
        return {bare_name(agent).lower(): agent for agent in self._agents()}.get(name, "")

    def recommendations(self, named: Sequence[str]) -> Sequence[Request]:
        """Return the standing recommendations in which all these words are; one that several gave is one."""
        found: dict[str, Request] = {}
        board = self.board
        for each in (*board.actions, *board.tests) if board is not None else ():
            text = plain(each.text)
            if each.stance is Stance.PROPOSES and set(named) <= set(
                words_of(f"{each.item} {text} {each.entity}")
            ):
                found[text] = Request(bare_name(each.agent_id).lower(), text, is_fact=False, approves=True)
        return tuple(found.values())


def bare_name(agent_id: str) -> str:
    """Return an agent's spoken name without "the"."""
    return inner(spoken_name(agent_id)).removeprefix("the ")
