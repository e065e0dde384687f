"""Word a team's steps, which are told while nothing of the case is there to be told. Pure.

The newest step replaces the one that waits, and there is a pause between two. Some are not replaced and wait for their
turn: an agent that can't be asked any more, an answer cut off, and the share of the budget spent. So do the steps of a
debate that a listener must hear, between the items of the case: the recruited experts, the round, changes of mind, and
the minority's view (057). The words are made here of a step's kind and names; a team's own `text` is for the page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.stream import Decision, EventType, ProgressKind, StreamEvent
from exaim_core import spoken_name
from exaim_core.text.names import inner, number_word
from exaim_core.text.wording import series, upper_first, word_count
from realtime.protocol import StepBody
from tts_queue import Priority, Utterance

APART_S: Final = 15.0  # between two steps that are told
OLD_S: Final = 10.0  # a step that came so long ago is over
GRAVE_OLD_S: Final = 30.0
SAME_S: Final = 60.0  # the same words again, at the earliest
MOST_WORDS: Final = 15  # 6 s at the default voice's 2.6 words a second
MOST_NAMED: Final = 5
MOST_GRAVE: Final = 4
DETAIL_CHARS: Final = 200
GRAVE: Final = frozenset({ProgressKind.FAILED, ProgressKind.BUDGET})
MUST: Final = frozenset(
    {ProgressKind.RECRUITED, ProgressKind.ROUND, ProgressKind.CHANGED, ProgressKind.MINORITY}
)
STAYS: Final = frozenset({ProgressKind.CHANGED, ProgressKind.MINORITY})  # true after the debate, too
MUST_APART_S: Final = 3.0
MUST_OLD_S: Final = 30.0
TEAM_OLD_S: Final = 60.0  # what stays true, as who changed, is told though much presses before it
MOST_MUST: Final = 8
KIND: Final = "progress"
CUT: Final = "cut_off"  # the kind, on the page's list, of an answer that was ended before its end


def step_text(event: StreamEvent) -> str:
    """Return what is said of a step; "" if the event is none, or has nothing to say."""
    step = event.progress
    if _is_cut(event):
        return _cut_off(event.agent_id)
    if step is None:
        return ""
    who = [inner(spoken_name(agent)) for agent in step.agents]
    said = _SAID[step.kind](who, step.agents, event.round, step.share)
    if word_count(said) > MOST_WORDS:
        said = _SAID[step.kind]([], step.agents, event.round, step.share)
    return said if word_count(said) <= MOST_WORDS else ""


def _is_cut(event: StreamEvent) -> bool:
    """Return whether a model's answer was cut off before its end."""
    return event.llm is not None and event.llm.is_cut


def _cut_off(agent: str | None) -> str:
    said = f"{upper_first(inner(spoken_name(agent)))}'s answer was cut off." if agent else ""
    return said if said and word_count(said) <= MOST_WORDS else "An answer was cut off."


def _recruited(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if not agents:
        return "The team is complete."
    if not who or len(agents) > MOST_NAMED:
        return f"{number_word(len(agents)).capitalize()} experts are on the case."
    return f"{upper_first(series([_a(name) for name in who]))}."


def _opinions(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if not agents:
        return "Opinions are being written."
    count = number_word(len(agents)).capitalize()
    return (
        f"{count} opinion is being written." if len(agents) == 1 else f"{count} opinions are being written."
    )


def _round(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    return "The next round." if round_ is None else f"Round {number_word(round_)}."


def _message(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    return f"{upper_first(who[0])} has written to {who[1]}." if len(who) > 1 else ""


def _changed(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if len(who) > 1:
        return f"{upper_first(who[0])} changed after {who[1]}'s message."
    return f"{upper_first(who[0])} has changed its view." if who else ""


def _review(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    return f"{upper_first(who[0])} looks at what was said." if who else "What was said is being reviewed."


def _minority(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if not who or len(who) > MOST_NAMED:
        return f"{number_word(len(agents)).capitalize()} keep another view." if len(agents) > 1 else ""
    return f"{upper_first(series(who))} {'keeps' if len(who) == 1 else 'keep'} another view."


def _waiting(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if who and len(who) <= MOST_NAMED:
        return f"Still waiting for {series(who)}."
    return (
        f"Still waiting for {number_word(len(agents))} of them." if agents else "Still waiting for an answer."
    )


def _failed(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if not who:
        return "Somebody can't be asked any more; the others go on."
    return f"{upper_first(series(who))} can't be asked any more; the others go on."


def _budget(who: Sequence[str], agents: Sequence[str], round_: int | None, share: float | None) -> str:
    if share is None:
        return "The budget is nearly spent."
    if share >= 1:
        return "The budget is spent; what there is is summed up."
    return f"{int(share * 100)} percent of the budget is spent."


_SAID: Final = {
    ProgressKind.RECRUITING: lambda *_: "Recruiting.",
    ProgressKind.RECRUITED: _recruited,
    ProgressKind.OPINIONS: _opinions,
    ProgressKind.ROUND: _round,
    ProgressKind.MESSAGE: _message,
    ProgressKind.CHANGED: _changed,
    ProgressKind.REVIEW: _review,
    ProgressKind.SYNTHESIS: lambda *_: "The conclusion is being written.",
    ProgressKind.MINORITY: _minority,
    ProgressKind.WAITING: _waiting,
    ProgressKind.FAILED: _failed,
    ProgressKind.BUDGET: _budget,
}


def _a(name: str) -> str:
    """Return a spoken name as one of its kind: "a cardiologist"; a speciality, or a person, as it is."""
    if not name.startswith("the "):
        return name
    bare = name[4:]
    return f"an {bare}" if bare[:1].lower() in "aeiou" or bare[:3] in {"ECG", "MDT", "ENT"} else f"a {bare}"


def step_body(event: StreamEvent) -> StepBody | None:
    """Return a step, or what a team states, for the page's list; None: the event is neither."""
    agents = event.progress.agents if event.progress is not None else (event.agent_id,)
    names = tuple(spoken_name(agent) for agent in agents if agent)
    if event.type is not EventType.METADATA:
        return None
    if _is_cut(event):
        return StepBody(
            step_id=str(event.seq), kind=CUT, text=step_text(event), agents=names, round=event.round
        )
    if event.progress is not None:
        step = event.progress
        return StepBody(
            step_id=str(event.seq),
            kind=step.kind.value,
            text=step_text(event),
            detail=step.text[:DETAIL_CHARS],
            agents=names,
            round=event.round,
            share=step.share,
        )
    if event.decision is not None:
        return _decided(event, event.decision, names)
    return None


def _decided(event: StreamEvent, decision: Decision, names: tuple[str, ...]) -> StepBody:
    return StepBody(
        step_id=str(event.seq),
        kind=decision.kind.value,
        text="",
        detail=decision.text[:DETAIL_CHARS],
        agents=names,
        round=event.round,
        share=None,
    )


@dataclass(frozen=True, slots=True)
class _Step:
    seq: int
    text: str
    at_s: float
    kind: ProgressKind | None  # None: an answer was cut off

    @property
    def is_grave(self) -> bool:
        return self.kind is None or self.kind in GRAVE

    @property
    def is_filler(self) -> bool:
        return not self.is_grave and self.kind not in MUST


class Steps:
    """Chooses which of a team's steps is told, and when. Times are on one clock, in seconds."""

    def __init__(self) -> None:
        self._newest: _Step | None = None
        self._grave: deque[_Step] = deque(maxlen=MOST_GRAVE)
        self._must: deque[_Step] = deque(maxlen=MOST_MUST)
        self._offered_s = float("-inf")
        self._said: dict[str, float] = {}
        self._over = False

    def take(self, event: StreamEvent, at_s: float) -> None:
        """Take an event that came at `at_s`."""
        if event.type is EventType.END or event.type is EventType.ERROR:
            self._over = True
            self._newest = None
            self._grave.clear()
            self._keep(lambda step: step.kind in STAYS)
        text = step_text(event)
        if not text:
            return
        step = _Step(event.seq, text, at_s, event.progress.kind if event.progress is not None else None)
        if step.is_grave:
            self._grave.append(step)
        elif step.kind in MUST:
            if step.kind is ProgressKind.ROUND:  # a round that is over is none any more
                self._keep(lambda other: other.kind is not ProgressKind.ROUND)
            self._must.append(step)
            self._newest = None  # older, and less
        else:
            self._newest = step

    def due(self, session_id: str, now_s: float, *, brief: bool = False) -> Utterance | None:
        """Return what is to be told now, if anything; brief tells only who is out, and what is spent."""
        step = self._next(now_s, brief=brief)
        if step is None:
            return None
        self._offered_s = self._said[step.text] = now_s
        waits_s = TEAM_OLD_S if step.kind in STAYS or step.kind is ProgressKind.RECRUITED else GRAVE_OLD_S
        return Utterance(
            utterance_id=f"{session_id}.step.{step.seq}",
            text=step.text,
            priority=Priority.FILLER if step.is_filler else Priority.NOTICE,
            kind=KIND,
            topic=KIND if step.is_filler else None,
            expires_after_s=OLD_S if step.is_filler else waits_s,
            queued_at_s=now_s,
        )

    def _next(self, now_s: float, *, brief: bool) -> _Step | None:
        since_s = now_s - self._offered_s
        while self._must and not brief and since_s >= MUST_APART_S:
            step = self._must.popleft()
            if self._is_news(step, now_s, TEAM_OLD_S if step.kind in STAYS else MUST_OLD_S):
                return step
        if since_s < APART_S:
            return None
        while self._grave:
            step = self._grave.popleft()
            if self._is_news(step, now_s, GRAVE_OLD_S):
                return step
        newest, self._newest = self._newest, None
        if newest is None or brief or not self._is_news(newest, now_s, OLD_S):
            return None
        return newest

    def _keep(self, wanted: Callable[[_Step], bool]) -> None:
        self._must = deque(filter(wanted, self._must), maxlen=MOST_MUST)

    def _is_news(self, step: _Step, now_s: float, old_s: float) -> bool:
        said_s = self._said.get(step.text, float("-inf"))
        self._said = {text: at_s for text, at_s in self._said.items() if now_s - at_s < SAME_S}
        return now_s - step.at_s <= old_s and now_s - said_s >= SAME_S
