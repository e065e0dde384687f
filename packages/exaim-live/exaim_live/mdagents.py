"""A team of MDAgents' own classes, heard in a session, with no change to their code.

    async with LiveTeam(opened) as team:
        with hearing(team, utils.Agent):
            await asyncio.to_thread(utils.process_intermediate_query, question, [], model, args)

Nothing of MDAgents is imported. What is known of it are names: a class whose objects have a `role` and an
`instruction`, and answer by `chat` and `temp_responses`. Any class that answers by methods can be heard so.
"""

from __future__ import annotations

import functools
import inspect
import logging
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Final, Protocol

from exaim_live.events import AGENT_NAME_MAX
from exaim_live.outbox import UNNAMED
from exaim_live.thinking import split_whole

log = logging.getLogger(__name__)

METHODS: Final = ("chat", "temp_responses")

MODERATOR: Final = "moderator"
DECIDERS: Final = frozenset({MODERATOR, "decision maker"})
HELPERS: Final = frozenset({"recruiter", "medical assistant"})
ASSESSOR: Final = "medical expert"

ROLE_CHARS: Final = AGENT_NAME_MAX - 4  # what is left of a name when it has a number
NOTHING_SAID: Final = frozenset({"yes", "no", "and", "agent", "agents"})

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MARKS: Final = re.compile(r"[()\[\]*`#\s]+")
_WORD: Final = re.compile(r"[^\W_]+")

ToldAs = Callable[[Any, str, Any, str], str | None]
"""Names who has answered, by agent, method, message and answer; None means: pass over.

Called by one thread at a time, and must not wait: the team's next answer would wait with it.
"""


class Hears(Protocol):
    """Where answers go, from any thread, without waiting: a LiveTeam, or what has these two."""

    def offer(self, agent_id: str, text: str) -> bool:
        """Take an agent's words; False if they are lost."""
        ...

    def end_turn(self, agent_id: str) -> None:
        """Take the end of an agent's turn."""
        ...


@contextmanager
def hearing(
    team: Hears, agents: type, *, methods: Sequence[str] = METHODS, told_as: ToldAs | None = None
) -> Iterator[None]:
    """Give each answer of the class's objects to `team`, as one turn, while the context lasts.

    Objects made before count too, and subclasses that exist by then; sync and async methods. A method that
    calls another one of the same object on the way is heard once, as the outer one. What a method returns
    or raises is left as it is, and a failure to tell is logged and stays here. Leaving puts the class back
    as it was; an answer that is still being written then is not told.

    A class is the whole program's: two sessions that heard one class at once would tell each of the other's
    patient, so the second one is refused.

    Args:
        team: hears the answers.
        agents: the class, such as MDAgents' `Agent`.
        methods: those that answer.
        told_as: names the agent, or passes over; by default `Roles()`.

    Raises, with nothing changed: RuntimeError (the class, or one above or below it, is being heard),
        AttributeError (it lacks one of the methods), TypeError (one of them is no plain method).
    """
    ear = _Ear(team, told_as or Roles())
    with ExitStack() as undone:
        undone.enter_context(_only_once(agents))
        undone.callback(ear.close)
        for owner in (agents, *_below(agents)):
            for method in methods:
                undone.enter_context(ear.put_on(owner, method))
        yield


class Roles:
    """Names MDAgents' agents by roles, and skips what is no view of the patient. One per session.

    * The first message to a new agent is its own instruction again: the answer is a greeting.
    * The recruiter lists experts, and in few-shot prompting writes about other patients.
    * The medical assistant only sums up what the experts were heard to say; heard twice, a view would seem
      to have one more holder.
    * The medical expert rates the difficulty and writes about other patients in `chat`; in `temp_responses`
      it answers the question, in the basic kind of team.
    * Yes, no and numbers say who talks to whom. So does a yes or no with its reasons, if the message's first
      line ends with "(yes/no)".
    * One line that begins with "Error:" is what `chat` returns where a model gave no answer.
    * Moderator and decision maker decide: `moderator`, by which the engine knows a ruling from a vote. It is
      an office and has no number.

    Everybody else is called by its role, without "(Lead)" and other brackets. A second object of a role is
    "cardiologist 2", and so on, in the order in which they first speak. No agent is kept alive; objects that
    can't be referred to weakly share the role's name.
    """

    def __init__(self) -> None:
        self._known: list[tuple[weakref.ref[Any], str, str]] = []  # agent, role, name

    def __call__(self, agent: Any, method: str, message: Any, answer: str) -> str | None:
        """Return the agent's name, or None if the answer is to be passed over."""
        role = _role(agent)
        known_as = role.casefold()
        if known_as in HELPERS or (known_as == ASSESSOR and method == "chat"):
            return None
        if message is not None and message == getattr(agent, "instruction", None):
            return None
        if _says_nothing(answer) or _says_with_whom(message, answer):
            return None
        return MODERATOR if known_as in DECIDERS else self._name(agent, role)

    def _name(self, agent: Any, role: str) -> str:
        """Return an agent's name in a role. Found by itself: not all have a hash, and an id comes again."""
        for reference, in_role, name in self._known:
            if reference() is agent and in_role == role:
                return name
        try:
            reference = weakref.ref(agent)
        except TypeError:
            return role
        taken = {name.casefold() for _, _, name in self._known}
        name, number = role, 1
        while name.casefold() in taken:
            number += 1
            name = f"{role} {number}"
        self._known.append((reference, role, name))
        return name


def _role(agent: Any) -> str:
    written = str(getattr(agent, "role", None) or "")
    role = written
    while (shorter := _BRACKETS.sub(" ", role)) != role:
        role = shorter
    for each in (role, written):
        cleaned = _MARKS.sub(" ", each).strip(" .,:;-")
        if cleaned:
            return cleaned[:ROLE_CHARS].rstrip()
    return UNNAMED


def _says_nothing(answer: str) -> bool:
    if answer.startswith("Error:") and "\n" not in answer:
        return True
    words = _WORD.findall(answer.casefold())
    return all(word in NOTHING_SAID or word.isdecimal() for word in words)


def _says_with_whom(message: Any, answer: str) -> bool:
    if not isinstance(message, str) or not message.strip():
        return False
    asked = message.strip().splitlines()[0].casefold().rstrip()
    first = _WORD.search(answer.casefold())
    return asked.endswith("(yes/no)") and first is not None and first.group() in {"yes", "no"}


class _Call:
    """A call that is under way. A task begun in it may outlast it, so it lets go of its agent at its end."""

    __slots__ = ("agent",)

    def __init__(self, agent: Any) -> None:
        self.agent = agent


_under_way: ContextVar[tuple[_Call, ...]] = ContextVar("_under_way", default=())


@contextmanager
def _outermost(agent: Any) -> Iterator[bool]:
    """Return whether no call of the same agent is around this one."""
    around = _under_way.get()
    call = _Call(agent)
    token = _under_way.set((*around, call))
    try:
        yield all(each.agent is not agent for each in around)
    finally:
        call.agent = None
        with suppress(ValueError):  # a coroutine that is closed by somebody else has left its context
            _under_way.reset(token)


class _Ear:
    """Wraps methods, and tells what they answer."""

    def __init__(self, team: Hears, told_as: ToldAs) -> None:
        self._team, self._told_as = team, told_as
        self._over = False
        self._guard = threading.RLock()  # keeps turns whole; again by one thread if the team asks an agent

    def close(self) -> None:
        """Tell nothing more, though a wrapper may still be in somebody's hands."""
        with self._guard:
            self._over = True

    @contextmanager
    def put_on(self, owner: type, method: str) -> Iterator[None]:
        """Have a class's method heard, its own or inherited; then put back what was there."""
        found = inspect.getattr_static(owner, method)
        if not inspect.isfunction(found):
            raise TypeError(f"{owner.__name__}.{method} is no plain method")
        wrapper = self._wrapped(method, found)
        inherited = method not in vars(owner)
        setattr(owner, method, wrapper)
        try:
            yield
        finally:
            if vars(owner).get(method) is wrapper:  # else somebody has wrapped it in turn: that is theirs
                if inherited:
                    delattr(owner, method)
                else:
                    setattr(owner, method, found)

    def _wrapped(self, method: str, answers: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(answers)
        def heard(agent: Any, /, *args: Any, **kwargs: Any) -> Any:
            with _outermost(agent) as outermost:
                answer = answers(agent, *args, **kwargs)
                if outermost:
                    self._tell(agent, method, args, kwargs, answer)
                return answer

        @functools.wraps(answers)
        async def heard_async(agent: Any, /, *args: Any, **kwargs: Any) -> Any:
            with _outermost(agent) as outermost:
                answer = await answers(agent, *args, **kwargs)
                if outermost:
                    self._tell(agent, method, args, kwargs, answer)
                return answer

        return heard_async if inspect.iscoroutinefunction(answers) else heard

    def _tell(
        self, agent: Any, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], answer: Any
    ) -> None:
        try:
            text = _text(answer)
            message = args[0] if args else kwargs.get("message")
            with self._guard:
                name = self._told_as(agent, method, message, text) if text and not self._over else None
                if name is not None:
                    try:
                        self._team.offer(name, text)
                    finally:
                        self._team.end_turn(name)
        except Exception as error:  # strangers' functions and objects: their errors must not reach the team
            log.warning("an answer could not be told: %s", type(error).__name__)


def _text(answer: Any) -> str:
    """Return what was said: a string, or each distinct one of a dict such as {temperature: answer}.

    What a model thought on the way to it is cut: a yes with its reasons in tags is still a yes.
    """
    values = answer.values() if isinstance(answer, dict) else (answer,)
    said = [_said(value) for value in values if isinstance(value, str)]
    return "\n\n".join(dict.fromkeys(filter(None, said)))


def _said(answer: str) -> str:
    return "".join(part.text for part in split_whole(answer) if not part.hidden).strip()


_heard_now: list[type] = []
_heard_guard: Final = threading.Lock()


@contextmanager
def _only_once(agents: type) -> Iterator[None]:
    with _heard_guard:
        if any(issubclass(agents, each) or issubclass(each, agents) for each in _heard_now):
            raise RuntimeError(f"{agents.__name__} is being heard by another session of this program")
        _heard_now.append(agents)
    try:
        yield
    finally:
        with _heard_guard:
            _heard_now.remove(agents)


def _below(agents: type) -> Iterator[type]:
    nearest: list[type] = type.__subclasses__(agents)
    for each in nearest:
        yield each
        yield from _below(each)


__all__ = ["Hears", "Roles", "ToldAs", "hearing"]
