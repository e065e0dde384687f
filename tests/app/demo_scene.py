"""Messages as a voice would tell them, for tests of the demo's pure parts."""

from __future__ import annotations

from itertools import count
from typing import Any

from lab.demo.listener import RATE_HZ, Received


class Script:
    """Makes messages in order; `at_s` is on the client's clock."""

    def __init__(self) -> None:
        self.messages: list[Received] = []
        self._seq = count(1)

    def tell(self, at_s: float, type_: str, body: dict[str, Any]) -> Received:
        message = Received(type_, next(self._seq), at_s, round(at_s * RATE_HZ), body)
        self.messages.append(message)
        return message

    def utterance(self, at_s: float, uid: str, phase: str, **more: Any) -> Received:
        body = {"kind": "finding", "priority": "summary", "update_id": "u-1", "text": uid, "cause": None}
        return self.tell(at_s, "utterance", body | {"utterance_id": uid, "phase": phase} | more)

    def critical(self, at_s: float, uid: str, phase: str) -> Received:
        return self.utterance(at_s, uid, phase, kind="critical", priority="critical")

    def segment(self, at_s: float, uid: str, seconds: float) -> Received:
        return self.tell(at_s, "segment", segment(uid, 0, 0, int(seconds * RATE_HZ), ()))

    def mode(self, at_s: float, mode: str) -> Received:
        return self.tell(at_s, "mode", {"mode": mode, "waiting": 0})

    def decided(self, at_s: float, effect: str, text: str) -> Received:
        body = {"turn_id": f"t-{at_s}", "phase": "decided", "via": "voice", "effect": effect, "text": text}
        return self.tell(at_s, "turn", body)

    def answer(self, at_s: float, uid: str) -> Received:
        body = {"turn_id": "t", "utterance_id": uid, "question": "?", "found": True, "sentences": []}
        return self.tell(at_s, "answer", body)


def segment(
    uid: str, index: int, start: int, samples: int, words: tuple[tuple[str, int, int], ...]
) -> dict[str, Any]:
    """Return the body of a `segment` message; words with their samples from the segment's start."""
    told = [{"text": t, "start_sample": start + a, "end_sample": start + b} for t, a, b in words]
    body: dict[str, Any] = {"utterance_id": uid, "index": index, "of": index + 1, "words": told}
    return body | {"start_sample": start, "samples": samples}
