"""What the clinician of the demo does, and when: acts that wait for what the voice tells. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lab.demo.microphone import Said
from lab.demo.scene import Look, Scene

INTO_S: Final = 0.8  # into a clause: the message is 0.1 to 0.2 s before its sound
LEFT_S: Final = 0.8  # so that the sound falls on speech, and not into the pause after it
QUIET_S: Final = 4.0  # between "stop" and "go on": long enough for the silence to be judged
AFTER_S: Final = 0.5  # between the end of what was told and the question
MOMENT_WITHIN_S: Final = 20.0  # a second try, or a further cue, needs its moment too
ANSWERED_S: Final = 45.0  # to the end of the answer: an alarm, and once what presses, break into it
PRESSES: Final = frozenset({"pressing"})
TRIES: Final = 2  # a person who is not understood says it once more; the report tells

WORDS: Final = {
    "mm-hm": "mm-hm",
    "question": "What is the potassium?",
    "stop": "Stop.",
    "go-on": "Please go on.",
}


@dataclass(frozen=True, slots=True)
class Cue:
    """A sound, when it is to be said, and what shows within `within_s` that it was understood.

    `then` is asked with the time of its beginning and with what the act is about.
    """

    sound: str
    when: Look
    then: Callable[[Scene, float, str], bool]
    within_s: float

    @property
    def longest_s(self) -> float:
        """Seconds from its first sound to its end at most: said, said again at the last moment, and given up."""
        return (TRIES - 1) * (self.within_s + MOMENT_WITHIN_S) + self.within_s


@dataclass(frozen=True, slots=True)
class Act:
    """A few cues, one after the other; the first has its moment within `by_s` of the beginning."""

    name: str
    cues: tuple[Cue, ...]
    by_s: float

    @property
    def longest_s(self) -> float:
        """Seconds from its first sound to its end at most."""
        return sum(cue.longest_s for cue in self.cues) + (len(self.cues) - 1) * MOMENT_WITHIN_S


@dataclass(frozen=True, slots=True)
class Spoke:
    """A sound that was said for an act."""

    sound: str
    first_s: float
    last_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an act ended; `about` is the utterance that it was about, `why` says what was missing."""

    act: str
    done: bool
    about: str = ""
    why: str = ""
    said: tuple[Spoke, ...] = ()


def acts() -> tuple[Act, ...]:
    """Return the acts; of those whose moment has come the first is done first, so the hum goes before the rest."""
    return (
        Act("mm-hm", (Cue("mm-hm", _in_a_summary, _goes_on, 15.0),), by_s=45.0),
        Act("question", (Cue("question", _after_what_was_told, _is_answered, ANSWERED_S),), by_s=60.0),
        Act(
            "stop",
            (Cue("stop", _in_what_presses, _is_quiet, 4.0), Cue("go-on", _long_quiet, _is_heard_out, 15.0)),
            by_s=75.0,
        ),
    )


def longest_s(of: Sequence[Act]) -> float:
    """Return how many seconds after the beginning all acts are over at the latest."""
    return max(act.by_s for act in of) + sum(act.longest_s for act in of)


def _in_a_summary(scene: Scene, now_s: float) -> str | None:
    return scene.in_a_summary(now_s, into_s=INTO_S, left_s=LEFT_S) if scene.mode == "free" else None


def _in_what_presses(scene: Scene, now_s: float) -> str | None:
    """Return what presses, if that sounds: once let go of it goes on next, where all else waits for what presses."""
    if scene.mode != "free":
        return None
    return scene.in_a_summary(now_s, into_s=INTO_S, left_s=LEFT_S, of=PRESSES)


def _after_what_was_told(scene: Scene, now_s: float) -> str | None:
    """Return "" once something was told: the question comes early, so that the team is at work when the line drops."""
    return "" if scene.told_s is not None and now_s - scene.told_s >= AFTER_S else None


def _long_quiet(scene: Scene, now_s: float) -> str | None:
    return "" if scene.mode == "quiet" and now_s - scene.mode_since_s >= QUIET_S else None


def _goes_on(scene: Scene, since_s: float, about: str) -> bool:
    return scene.taken_for(since_s) is not None and scene.phase(about) == "spoken"


def _is_answered(scene: Scene, since_s: float, about: str) -> bool:
    answer = scene.answer(since_s)
    return answer is not None and scene.phase(answer["utterance_id"]) == "spoken"


def _is_quiet(scene: Scene, since_s: float, about: str) -> bool:
    return scene.mode == "quiet"


def _is_heard_out(scene: Scene, since_s: float, about: str) -> bool:
    return scene.mode == "free" and scene.phase(about) == "spoken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the acts are. `advance` is asked again and again, `said` told of each sound it wanted."""

    began_s: float
    waiting: tuple[Act, ...] = field(default_factory=acts)
    act: Act | None = None
    step: int = 0
    tries: int = 0  # of this step
    about: str = ""
    since_s: float = 0.0  # when this step became due
    spoke: tuple[Spoke, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def over(self) -> bool:
        """Whether every act has ended."""
        return self.act is None and not self.waiting

    def said(self, said: Said) -> Progress:
        """Note that the sound that `advance` wanted was said."""
        assert self.act is not None
        spoke = Spoke(self.act.cues[self.step].sound, said.first_s, said.last_s)
        return replace(self, tries=self.tries + 1, spoke=(*self.spoke, spoke))


def advance(progress: Progress, scene: Scene, now_s: float) -> tuple[Progress, str | None]:
    """Return what follows at `now_s`, and the sound to be said at once, if any."""
    if progress.act is None:
        return _begin(progress, scene, now_s)
    cue = progress.act.cues[progress.step]
    said_s = progress.spoke[-1].first_s if progress.tries else None
    if said_s is not None and cue.then(scene, said_s, progress.about):
        return _understood(progress, now_s), None
    moment_from_s = progress.since_s if said_s is None else said_s + cue.within_s
    if now_s <= moment_from_s:
        return progress, None
    if progress.tries < TRIES:
        about = cue.when(scene, now_s)
        if about is not None:
            return replace(progress, about=about or progress.about), cue.sound
        if now_s <= moment_from_s + MOMENT_WITHIN_S:
            return progress, None
    return _ended(progress, _missing(progress, cue)), None


def _begin(progress: Progress, scene: Scene, now_s: float) -> tuple[Progress, str | None]:
    for act in progress.waiting:
        rest = tuple(each for each in progress.waiting if each is not act)
        about = act.cues[0].when(scene, now_s)
        if about is not None:
            begun = replace(progress, waiting=rest, act=act, step=0, tries=0, about=about, since_s=now_s)
            return replace(begun, spoke=()), act.cues[0].sound
        if now_s - progress.began_s > act.by_s:
            why = f"no moment for it came within {act.by_s:.0f} s"
            return _ended(replace(progress, waiting=rest, act=act, spoke=(), about=""), why), None
    return progress, None


def _understood(progress: Progress, now_s: float) -> Progress:
    assert progress.act is not None
    if progress.step + 1 < len(progress.act.cues):
        return replace(progress, step=progress.step + 1, tries=0, since_s=now_s)
    return _ended(progress, "")


def _ended(progress: Progress, why: str) -> Progress:
    assert progress.act is not None
    outcome = Outcome(progress.act.name, not why, progress.about, why, progress.spoke)
    return replace(progress, act=None, step=0, tries=0, outcomes=(*progress.outcomes, outcome))


def _missing(progress: Progress, cue: Cue) -> str:
    if not progress.tries:
        return f"no moment for {WORDS[cue.sound]!r} came"
    return f"{WORDS[cue.sound]!r}, said {progress.tries} times, was not followed by what it asks for"
