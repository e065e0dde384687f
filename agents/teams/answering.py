"""Handle the clinician's messages: facts are kept for all agents, a question goes to its addressee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.teams.asking import question
from agents.teams.calling import Ask, Calls, Said
from exaim_core.text.names import person, spoken_name

MOST_AT_ONCE: Final = 8  # of one round; more are put off to the next ones, if there are any


async def heard(
    calls: Calls,
    key: str,
    *,
    case: str,
    round: int,
    chair: str,
    agents: Mapping[str, str],
    said: Sequence[Said],
    notes: Sequence[Mapping[str, Any]],
) -> tuple[list[dict[str, Any]], list[Said]]:
    """Take what the clinician sent: return the facts, and the answers, which are told as such.

    `agents` are the roles by agent. A name that nobody has asks the chair.
    """
    known = {each.get("id") for each in notes}  # an inbox that a restarted process reads from its beginning
    came = [each for each in await calls.messages(key) if each["id"] not in known]
    facts = [each for each in came if each["is_fact"]]
    questions = [each for each in came if not each["is_fact"]]
    calls.put_off(questions[MOST_AT_ONCE:])
    answers: list[Said] = []
    for each in questions[:MOST_AT_ONCE]:
        agent = _meant(str(each["to"]), agents) or chair
        messages = question(
            "answer",
            case,
            kind="answer",
            round=round,
            said=[*said, *answers],
            notes=[*notes, *facts],
            words={"name": spoken_name(agent)},
            question=each["text"],
        )
        answers.append(
            await calls.said(
                Ask(
                    agent=agent,
                    role=agents.get(agent, chair),
                    key=f"{key}:{each['id']}",
                    messages=messages,
                    round=round or None,
                    in_reply_to=str(each["id"]),
                )
            )
        )
    return facts, [each for each in answers if not each["failed"]]


def _meant(to: str, agents: Mapping[str, str]) -> str | None:
    """Return the agent of that name, as it is written or as it is spoken."""
    wanted = person(to.strip()).casefold().removeprefix("the ")
    for agent in agents:
        names = {agent.casefold(), spoken_name(agent).casefold().removeprefix("the ")}
        if wanted in names or wanted in {each.replace("_", " ") for each in names}:
            return agent
    return None
