"""A chat model without a service, for tries without a key: its answers are always the same.

What it says of a case is drawn from a hash and means nothing. Tokens are words, counted on both sides.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from agents.teams.mdagents.roster import ROSTER
from agents.teams.mdagents.settings import Tier

NAME: Final = "scripted"
UNREAD_OF: Final = 20  # one answer of so many can't be read, so that a try shows that path too
_CASE: Final = re.compile(r"<case>\n(.*?)\n</case>", re.DOTALL)
_OPTION: Final = re.compile(r"^\(([A-Z])\) (.+)$", re.MULTILINE)
_SEAT: Final = re.compile(r"^(\d+): (.+)$", re.MULTILINE)
_ROLE: Final = re.compile(r"You are an? (.+?) in (?:a|the) team")
_DIAGNOSES: Final = ("digoxin toxicity", "pulmonary embolism", "sepsis", "aortic dissection")


@dataclass(slots=True)
class Served:
    """The model's answers, counted as by a provider; `together`: the most calls at once."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    now: int = 0
    together: int = 0


class ScriptedModel(BaseChatModel):
    """Answers by the JSON shape that a prompt asks for. `latency_s`: how long each answer takes."""

    model: str = NAME
    temperature: float = 0.0
    latency_s: float = 0.0
    _served: Served = PrivateAttr(default_factory=Served)

    @property
    def served(self) -> Served:
        """What was answered; one count for all copies at other temperatures."""
        return self._served

    @property
    def _llm_type(self) -> str:
        return NAME

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._result(messages)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        served = self._served
        served.now += 1
        served.together = max(served.together, served.now)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            served.now -= 1
        return self._result(messages)

    def _result(self, messages: Sequence[BaseMessage]) -> ChatResult:
        texts = [str(each.content) for each in messages]
        reply = replied(texts)
        used = sum(len(text.split()) for text in texts), len(reply.split())
        self._served.calls += 1
        self._served.input_tokens += used[0]
        self._served.output_tokens += used[1]
        message = AIMessage(
            reply,
            usage_metadata={"input_tokens": used[0], "output_tokens": used[1], "total_tokens": sum(used)},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def replied(texts: Sequence[str]) -> str:
    """Return the answer to a system message, a history and a question, in that order.

    Raises: ValueError: the question asks for no shape that this team knows.
    """
    return json.dumps(_BY_KEY[kind_of(texts[-1])](_ScriptedQuestion(texts)), ensure_ascii=False)


def kind_of(question: str) -> str:
    """Return the field by which a question's answer is known: `tier`, `experts`, `talk` …

    Raises: ValueError: the question asks for no shape that this team knows.
    """
    shape = question[question.rfind("Answer with one JSON object") :]
    for key in _BY_KEY:
        if f'"{key}"' in shape:
            return key
    raise ValueError(f"the scripted model knows no answer to {shape[:40]!r}")


class _ScriptedQuestion:
    """A question, and what it is about."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self.question = texts, texts[-1]
        cases = _CASE.findall("\n".join(texts))
        self.case: str = cases[-1] if cases else ""
        self.options: Mapping[str, str] = dict(_OPTION.findall(self.case))
        role = _ROLE.search(texts[0])
        self.role = role[1] if role else texts[0][:40]

    def draw(self, below: int, *parts: object) -> int:
        """Return a number below `below`, always the same for the same case and parts."""
        digest = hashlib.sha256("\0".join((self.case, *map(str, parts))).encode()).digest()
        return int.from_bytes(digest[:6], "big") % below

    @property
    def choices(self) -> list[str]:
        """What may be answered."""
        return list(self.options) or list(_DIAGNOSES)

    @property
    def answer(self) -> str:
        """What this role answers now: mostly what most do; surer of it after it has been written to."""
        choices = self.choices
        usual = choices[self.draw(len(choices), "usual")]
        sure = 55 + 30 * (len(self.texts) > 2)
        return (
            usual
            if self.draw(100, self.role, len(self.texts)) < sure
            else choices[self.draw(len(choices), self.role)]
        )


def _assessment(asked: _ScriptedQuestion) -> dict[str, Any]:
    return {"tier": list(Tier)[asked.draw(3, "tier")], "reason": "Drawn, not judged."}


def _answer(asked: _ScriptedQuestion) -> dict[str, Any]:
    if asked.options and asked.draw(UNREAD_OF, asked.role, "unread", len(asked.texts)) == 0:
        return {"reasoning": "The script can't say which it is.", "answer": "none that I could name"}
    answer = asked.answer
    words = asked.options.get(answer, answer)
    return {
        "reasoning": f"What the case tells fits {words} best, in the view of the script.",
        "answer": answer,
    }


def _experts(asked: _ScriptedQuestion) -> dict[str, Any]:
    size = _number(r"exactly (\d+)", asked.question, 5)
    start = asked.draw(len(ROSTER), "experts")
    chosen = [ROSTER[(start + at) % len(ROSTER)] for at in range(size)]
    experts = [{"role": role, "description": told, "hierarchy": "Independent"} for role, told in chosen]
    experts[-1]["hierarchy"] = f"{chosen[0][0]} > {chosen[-1][0]}"
    return {"experts": experts}


def _turn(asked: _ScriptedQuestion) -> dict[str, Any]:
    round_ = _number(r"Round (\d+)", asked.question, 1)
    turn = _number(r"turn (\d+)", asked.question, 1)
    others = [number for number, name in _SEAT.findall(asked.question) if name != asked.role]
    if not others or asked.draw(10, asked.role, round_, turn) >= 7 - 2 * (round_ + turn - 2):
        return {"talk": False, "messages": []}
    target = others[asked.draw(len(others), asked.role, "to")]
    answer = asked.answer
    text = f"I hold {asked.options.get(answer, answer)}; what speaks against it for you?"
    return {"talk": True, "messages": [{"to": target, "text": text}]}


def _teams(asked: _ScriptedQuestion) -> dict[str, Any]:
    size = _number(r"Put together (\d+)", asked.question, 3)
    members = _number(r"of (\d+) clinicians", asked.question, 3)
    names = ["Initial Assessment Team", *(f"Diagnostic Evidence Team {at}" for at in range(1, size - 1))]
    names.append("Final Review and Decision Team")
    start = asked.draw(len(ROSTER), "teams")
    return {
        "teams": [
            {
                "name": name,
                "members": [
                    {"role": role, "description": told, "lead": at == 0}
                    for at in range(members)
                    for role, told in [ROSTER[(start + members * number + at) % len(ROSTER)]]
                ],
            }
            for number, name in enumerate(names)
        ]
    }


def _report(asked: _ScriptedQuestion) -> dict[str, Any]:
    found = _answer(asked)
    return {"report": found["reasoning"], "answer": found["answer"]}


_BY_KEY: Final[Mapping[str, Callable[[_ScriptedQuestion], dict[str, Any]]]] = {
    "tier": _assessment,
    "experts": _experts,
    "talk": _turn,
    "key_knowledge": lambda _: {
        "key_knowledge": "The experts have said what they hold.",
        "total_analysis": "They differ in what they weigh most.",
    },
    "feedback": lambda _: {"feedback": "Say which finding would change your view."},
    "teams": _teams,
    "investigations": lambda _: {"investigations": "Look at what in the case bears on your field."},
    "report": _report,
    "reply": lambda _: {"reply": "The team has not settled that yet."},
    "reasoning": _answer,
}


def _number(pattern: str, text: str, otherwise: int) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else otherwise
