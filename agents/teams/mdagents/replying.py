"""Answers to the clinician who listens: by the chair, while the team goes on."""

from __future__ import annotations

from collections.abc import Sequence

from agents.teams.mdagents import prompts
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.shapes import Reply
from agents.teams.mdagents.telling import Message
from agents.teams.mdagents.work import Work, together

Held = Sequence[tuple[str, str, str | None]]


class Replier:
    """Takes the clinician's messages, and has `chair` answer the questions from what the team has said."""

    def __init__(self, work: Work, chair: str) -> None:
        self._work, self._chair = work, chair

    async def attend(self, held: Held) -> None:
        """Take what has come, and answer it."""
        await self.answer(await self._work.messages(), held)

    async def answer(
        self, questions: Sequence[Message], held: Held, round_: int | None = None, turn: int | None = None
    ) -> None:
        """Answer questions, all at once; one that gets no answer is told as that."""
        await together(self._answer(each, held, round_, turn) for each in questions)

    async def _answer(self, asked: Message, held: Held, round_: int | None, turn: int | None) -> None:
        work = self._work
        chair = Agent(self._chair, self._chair, prompts.role("moderator"))
        question = prompts.prompt(
            "reply",
            case=work.case,
            opinions=prompts.opinions_block(held, work.options),
            question=prompts.block("question", asked.text),
        )
        found = await work.asked(chair, question, Reply, run="reply", temperature=work.settings.deciding)
        text = (
            "I can't answer that now." if found is None else found if isinstance(found, str) else found.reply
        )
        await work.say(self._chair, text, "reply", round_=round_, turn=turn, in_reply_to=asked.message_id)
