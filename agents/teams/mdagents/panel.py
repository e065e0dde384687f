"""Experts who debate: who is recruited, what each holds, and what they write to one another."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from agents.stream import ProgressKind
from agents.teams.mdagents import prompts
from agents.teams.mdagents.answers import in_words, same
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.errors import NobodyLeft
from agents.teams.mdagents.hierarchy import built
from agents.teams.mdagents.interactions import Interaction, Sent, deliverable
from agents.teams.mdagents.outcome import Opinion
from agents.teams.mdagents.recruiting import Expert, recruits_in, team_of
from agents.teams.mdagents.roster import roster_lines
from agents.teams.mdagents.shapes import Answer, Note, Recruits, Turn, says_yes
from agents.teams.mdagents.work import Work, together

log = logging.getLogger(__name__)


async def recruited(work: Work) -> Panel:
    """Return a panel of exactly as many experts as are set; asked again once if it lists none at all."""
    if work.settings.tier is not None:  # else the assessment has told it
        await work.step(ProgressKind.RECRUITING, (), "Recruiting experts.")
    recruiter = Agent("recruiter", "recruiter", prompts.role("recruiter"))
    size = work.settings.experts
    question = prompts.prompt("recruit", case=work.case, experts=size, roster=roster_lines())
    recruits = Recruits(experts=[])
    for _ in range(2):
        found = await work.asked(
            recruiter, question, Recruits, run="recruitment", temperature=work.settings.deciding
        )
        if found is None:
            break
        recruits = recruits_in(found) if isinstance(found, str) else found
        if recruits.experts:
            break
    experts, warnings = team_of(recruits.experts, size)
    work.outcome.experts = experts
    tree = work.outcome.hierarchy = built([(each.name, each.hierarchy) for each in experts])
    work.warn([*warnings, *tree.warnings])
    seats = [_seat(each, tree.place(each.name)) for each in experts]
    names = tuple(seat.name for seat in seats)
    await work.step(ProgressKind.RECRUITED, names, tree.as_line())
    return Panel(work, seats)


@dataclass(slots=True)
class Seat:
    """One expert's place: its agent, its last opinion, and what has been written to it and not yet read."""

    agent: Agent
    held: Opinion | None = None
    unread: list[Interaction] = field(default_factory=list)
    news: list[str] = field(default_factory=list)  # what else it has not read: opinions, summary, feedback
    gone: bool = False

    @property
    def name(self) -> str:
        """What the expert is called."""
        return self.agent.name


def _seat(expert: Expert, place: str) -> Seat:
    """Return the seat of an expert, who is told its focus and its place in the hierarchy."""
    focus = prompts.block("focus", expert.description)
    instruction = prompts.role("expert", role=expert.name, description=focus, place=place)
    return Seat(Agent(expert.name, expert.name, instruction))


class Panel:
    """The experts of one case. They are asked at once; an expert that fails is done without from then on."""

    def __init__(self, work: Work, seats: list[Seat]) -> None:
        self._work = work
        self.seats = seats
        self.names = [seat.name for seat in seats]

    @property
    def there(self) -> list[Seat]:
        """The experts that can still be asked."""
        return [seat for seat in self.seats if not seat.gone]

    def opinions(self) -> dict[str, Opinion]:
        """Return what each holds; an expert that failed keeps its last opinion, if it gave one."""
        return {seat.name: seat.held for seat in self.seats if seat.held is not None}

    def held(self) -> list[tuple[str, str, str | None]]:
        """Return the opinions as prompts hold them."""
        return [(name, each.reasoning, each.answer) for name, each in self.opinions().items()]

    async def first_opinions(self) -> None:
        """Have each write its own opinion, before it has read anybody's. Raises: NobodyLeft."""
        work = self._work
        await work.step(
            ProgressKind.OPINIONS, tuple(self.names), f"{len(self.names)} opinions are being written."
        )
        question = prompts.prompt("opinion", case=work.case, answer=work.rule)
        await together(self._opinion(seat, question, 1, None) for seat in self.seats)
        self._somebody_is_left()
        work.outcome.opinions.append(self.opinions())
        self.tell_all(prompts.opinions_block(self.held(), work.options))

    async def turn(self, round_: int, turn: int) -> int:
        """Ask each expert whether it wants to talk, and deliver the messages; return their number.

        What is written in a turn is read before the next decision of whoever it is for.
        """
        asked = self.there
        questions = [
            self._question("turn", seat, round=round_, turn=turn, numbers=self._numbers()) for seat in asked
        ]
        sent = await together(
            self._asked_to_talk(seat, question) for seat, question in zip(asked, questions, strict=True)
        )
        delivered = 0
        for seat, messages in zip(asked, sent, strict=True):
            for each in self._delivered(seat, messages, round_, turn):
                delivered += 1
                await self._tell_message(each)
        return delivered

    async def refresh(self, round_: int) -> bool:
        """Have each say what it holds now; return whether anybody changed its answer. Raises: NobodyLeft."""
        before = self.opinions()
        asked = [
            (seat, self._question("refresh", seat, round=round_, answer=self._work.rule))
            for seat in self.there
        ]
        await together(self._opinion(seat, question, round_ + 1, round_) for seat, question in asked)
        self._somebody_is_left()
        self._work.outcome.opinions.append(self.opinions())
        changed = [
            seat
            for seat in self.seats
            if seat.held is not None
            and seat.name in before
            and not same(seat.held.answer, before[seat.name].answer)
            and seat.held.answer is not None
        ]
        for seat in changed:
            await self._tell_change(seat, before, round_)
        return bool(changed)

    def agreed(self) -> bool:
        """Return whether all that can be read hold one answer, and nobody could not be read."""
        answers = [each.answer for each in self.opinions().values()]
        return bool(answers) and all(same(answer, answers[0]) for answer in answers)

    def tell_all(self, news: str) -> None:
        """Put something before every expert, to be read before its next answer."""
        if news:
            for seat in self.seats:
                seat.news.append(news)

    # -- inside ----------------------------------------------------------------------------------

    async def _opinion(self, seat: Seat, question: str, stage: int, round_: int | None) -> None:
        work = self._work
        found = await work.asked(
            seat.agent,
            question,
            Answer,
            run=f"opinion {stage}",
            aloud=work.aloud(round_=round_),
            temperature=work.settings.debating,
        )
        if found is None:
            seat.gone = True
            return
        seat.held = work.opinion_of(found)
        if seat.held.answer is None:
            work.warn([f"opinion {stage} of the {seat.name} could not be read"])
        await work.view(seat.name, seat.held, f"opinion {stage}", round_=round_)

    async def _asked_to_talk(self, seat: Seat, question: str) -> Turn:
        work = self._work
        found = await work.asked(seat.agent, question, Turn, run="turn", temperature=work.settings.debating)
        if found is None:
            seat.gone = True
            return Turn(talk=False)
        if isinstance(found, str):
            if says_yes(found):
                work.warn([f"the {seat.name} wanted to talk, and could not be read"])
            return Turn(talk=False)
        return found

    def _delivered(self, seat: Seat, turn: Turn, round_: int, at: int) -> list[Interaction]:
        number = self.seats.index(seat) + 1
        notes: list[Note] = turn.messages if turn.wants_to else []
        sent: Sent = deliverable(notes, number, self.names)
        self._work.warn(sent.refused)
        delivered = []
        for target, text in sent.messages:
            reader = self.seats[target - 1]
            if reader.gone:
                self._work.warn([f"a message to the {reader.name}, who has failed, was not sent"])
                continue
            each = Interaction(round_, at, number, target, text)
            reader.unread.append(each)
            delivered.append(each)
        self._work.outcome.interactions += delivered
        return delivered

    def _question(self, name: str, seat: Seat, **parts: object) -> str:
        """Return a question with what the expert has not read yet, which it then has."""
        written = "\n".join(
            f"From {each.source} ({self.names[each.source - 1]}): {each.text}" for each in seat.unread
        )
        news = "\n".join([*seat.news, prompts.block("messages", written)]).strip()
        seat.unread.clear()
        seat.news.clear()
        return prompts.prompt(name, news=news or "Nobody has written to you since.", **parts)

    def _numbers(self) -> str:
        return "\n".join(
            f"{number}: {seat.name}" for number, seat in enumerate(self.seats, 1) if not seat.gone
        )

    async def _tell_message(self, each: Interaction) -> None:
        source, target = self.names[each.source - 1], self.names[each.target - 1]
        text = in_words(each.text, self._work.options)
        await self._work.step(ProgressKind.MESSAGE, (source, target), text, round_=each.round, turn=each.turn)
        await self._work.say(source, f"To the {target}: {text}", "message", round_=each.round, turn=each.turn)

    async def _tell_change(self, seat: Seat, before: dict[str, Opinion], round_: int) -> None:
        """Tell who changed, and after whose message: the last one's whose writer held what is held now."""
        said = [each for each in self._work.outcome.interactions if each.round == round_]
        to_it = [self.names[each.source - 1] for each in said if each.target == self.seats.index(seat) + 1]
        now = seat.held.answer if seat.held else None
        alike = [name for name in to_it if name in before and same(before[name].answer, now)]
        after = (alike or to_it)[-1:]
        text = f"The {seat.name} has changed its view" + (f" after the {after[0]} wrote." if after else ".")
        await self._work.step(ProgressKind.CHANGED, (seat.name, *after), text, round_=round_)

    def _somebody_is_left(self) -> None:
        if not self.there and not self.opinions():
            raise NobodyLeft(self._work.why_nobody())
