"""Keep who has spoken, and in which turns."""

from __future__ import annotations

from bisect import bisect_right

from exaim_core.claims.claims import Claim


class SpeakerSequence:
    """The speakers of one discussion, in the order of their first words."""

    def __init__(self) -> None:
        self.speakers: list[str] = []
        self._turns: dict[str, list[int]] = {}  # by agent: the first delta of each of its turns
        self._speaking: set[str] = set()
        self._resting: set[str] = set()  # agents that fell silent within a turn, which may go on
        self._whole: dict[str, int] = {}  # by agent: the place in `_turns` of the first part of its turn

    def spoke(self, agent_id: str, seq: int) -> bool:
        """Note that the agent has spoken, from delta `seq` on; return whether a turn begins with it.

        What goes on after a silence counts as a turn, but it is withdrawn with what came before the silence.
        """
        if agent_id not in self.speakers:
            self.speakers.append(agent_id)
        if agent_id in self._speaking:
            return False
        self._speaking.add(agent_id)
        turns = self._turns.setdefault(agent_id, [])
        turns.append(seq)
        if agent_id in self._resting:
            self._resting.discard(agent_id)
            return False
        self._whole[agent_id] = len(turns) - 1
        return True

    def fell_silent(self, agent_id: str, *, rests: bool = False) -> None:
        """Note that the agent's turn is over or, if it only `rests`, may go on."""
        if not rests:
            self._resting.discard(agent_id)
        elif agent_id in self._speaking:
            self._resting.add(agent_id)
        self._speaking.discard(agent_id)

    @property
    def turns(self) -> int:
        """Return how many turns have begun, over all agents."""
        return sum(map(len, self._turns.values()))

    def withdraw(self, agent_id: str) -> None:
        """Forget the agent's newest turn, with what it said before it fell silent."""
        turns = self._turns.get(agent_id, [])
        del turns[self._whole.pop(agent_id, len(turns)) :]
        if not self._turns.get(agent_id) and agent_id in self.speakers:
            self.speakers.remove(agent_id)

    def begun(self, agent_id: str) -> int:
        """Return the first delta of the agent's newest turn; 0 if it has had none."""
        return (self._turns.get(agent_id) or [0])[-1]

    def begun_whole(self, agent_id: str) -> int:
        """Return the first delta of the agent's newest turn, before any silence in it; 0 if it has had none."""
        turns = self._turns.get(agent_id, [])
        return turns[self._whole[agent_id]] if agent_id in self._whole else self.begun(agent_id)

    def is_of_the_last(self, claim: Claim, turns: int) -> bool:
        """Return whether a claim was made in one of the last `turns` turns of all."""
        return claim.source.first_seq >= self.since(turns)

    def since(self, turns: int) -> int:
        """Return the first delta of the last `turns` turns of all; 0 if there were none."""
        begun = sorted(seq for each in self._turns.values() for seq in each)
        return begun[-min(turns, len(begun))] if begun else 0

    def turn_of(self, claim: Claim) -> int:
        """Return the number, from 1, of its agent's turn in which a claim was made; 0 if before any."""
        return bisect_right(self._turns.get(claim.agent_id, []), claim.source.first_seq)

    def begun_with(self, claim: Claim) -> int:
        """Return the first delta of the turn in which a claim was made; 0 if before any."""
        turns = self._turns.get(claim.agent_id, [])
        return turns[self.turn_of(claim) - 1] if turns and self.turn_of(claim) else 0

    def is_of_this_turn(self, claim: Claim) -> bool:
        """Return whether a claim was made in its agent's newest turn."""
        turns = self._turns.get(claim.agent_id, [])
        return bool(turns) and claim.source.first_seq >= turns[-1]
