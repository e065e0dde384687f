"""What a clinician's client knows at a moment, of the messages that it got. No I/O; times are monotonic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from lab.demo.listener import RATE_HZ, Received

INTERRUPTED: Final = frozenset({"summary", "pressing"})  # what the clinician of the demo talks over


@dataclass(frozen=True, slots=True)
class Clause:
    """What was told last of a sound that begins; it reaches the ear a tenth of a second later."""

    utterance_id: str
    index: int
    began_s: float
    lasts_s: float


@dataclass(slots=True)
class Scene:
    """A fold of messages, in whatever order they come."""

    mode: str = "free"
    mode_since_s: float = 0.0
    told_s: float | None = None  # when the first item of a summary was heard to its end
    clause: Clause | None = None
    _mode_seq: int = 0
    _clause_seq: int = 0
    _seqs: dict[str, int] = field(default_factory=dict)
    _utterances: dict[str, dict[str, Any]] = field(default_factory=dict)
    _turns: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    _answers: list[tuple[float, dict[str, Any]]] = field(default_factory=list)

    def take(self, message: Received) -> None:
        """Fold one message in; kinds that say nothing of the moment change nothing."""
        body, at_s = message.body, message.at_s
        match message.type:
            case "utterance" if message.seq > self._seqs.get(body["utterance_id"], 0):
                self._seqs[body["utterance_id"]] = message.seq
                self._utterances[body["utterance_id"]] = body
                if body["phase"] == "spoken" and body["update_id"]:
                    self.told_s = self.told_s or at_s
            case "segment" if message.seq > self._clause_seq:
                self._clause_seq = message.seq
                self.clause = Clause(body["utterance_id"], body["index"], at_s, body["samples"] / RATE_HZ)
            case "mode" if message.seq > self._mode_seq:
                self._mode_seq = message.seq
                if body["mode"] != self.mode:
                    self.mode, self.mode_since_s = body["mode"], at_s
            case "turn" if body["phase"] == "decided":
                self._turns.append((at_s, body))
            case "answer":
                self._answers.append((at_s, body))
            case _:
                pass

    def phase(self, utterance_id: str) -> str:
        """Return the phase of an utterance, or "" if it was never told of."""
        return str(self._utterances.get(utterance_id, {}).get("phase", ""))

    def done(self, kind: str) -> bool:
        """Return whether some utterance of a kind was heard to its end."""
        return any(told["kind"] == kind and told["phase"] == "spoken" for told in self._utterances.values())

    def in_a_summary(
        self, now_s: float, *, into_s: float, left_s: float, of: frozenset[str] = INTERRUPTED
    ) -> str | None:
        """Return the item of a summary that sounds, so far into a clause and so far from its end.

        `of`: the priorities that it may have.
        """
        clause = self.clause
        if clause is None:
            return None
        told = self._utterances.get(clause.utterance_id, {})
        sounds = told.get("phase") == "speaking" and told["priority"] in of and told["update_id"]
        within = into_s <= now_s - clause.began_s <= clause.lasts_s - left_s
        return clause.utterance_id if sounds and within else None

    def taken_for(self, since_s: float) -> dict[str, Any] | None:
        """Return the newest verdict on what was said by voice after `since_s`."""
        return next((b for at_s, b in reversed(self._turns) if at_s > since_s and b["via"] == "voice"), None)

    def answer(self, since_s: float) -> dict[str, Any] | None:
        """Return the newest answer that came after `since_s`."""
        return next((body for at_s, body in reversed(self._answers) if at_s > since_s), None)


Look = Callable[[Scene, float], str | None]
"""At a time: what an act is about, "" if nothing in particular, None if its moment is not now."""
