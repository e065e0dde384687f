"""Where the rules find nothing a model may choose, and what it chose is worded and grounded as all is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from agents.dialogue import Answer, Dialogue, Question
from agents.dialogue.compose import NEAREST
from agents.dialogue.nearest import LIMITS, Numbers, fitting
from agents.dialogue.values import MOST_WORDS
from app.answering import nearest_from, nearest_of
from chat_models import CallLimits, Registry, read_models
from infra.settings import SettingsError, load_settings
from tests.dialogue.asking import at
from tests.dialogue.scoring import paper_of
from tests.twins import script as twin
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Script, Step

UNUSUAL = "What made her ill?"
NOTHING = "I have nothing on that; that is not a no."
Ask = Callable[[str], Awaitable[Answer]]


class Chooser(Script):
    """A model that chooses the facts that hold a word, and numbers that there are not."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def next(self) -> Step:
        found = [fact["number"] for fact in self.shown() if self.word in fact["text"]]
        return twin.Answer(json.dumps({"numbers": [0, -1, *found, *found, 99_999]}))

    def shown(self) -> list[dict[str, str]]:
        """Return the facts of the last question."""
        shown: list[dict[str, str]] = json.loads(self.requests[-1]["messages"][-1]["content"])["facts"]
        return shown


@asynccontextmanager
async def asking(script: Script, limits: CallLimits = LIMITS) -> AsyncIterator[Ask]:
    """Ask on the shipped case at its end, with a twin for the model."""
    async with openai_twin(script) as address:
        environ = {
            "DIALOGUE_LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": address,
            "OPENAI_API_KEY": KEY,
            "OPENAI_MODEL": MODEL,
        }
        registry = Registry(read_models(environ), environ)
        nearest = nearest_from(registry, limits)
        board = (await at()).board
        dialogue = Dialogue(thread_id="case-1", paper=paper_of("hyperkalaemia"), nearest=nearest)
        asked = 0

        async def ask(text: str) -> Answer:
            nonlocal asked
            asked += 1
            return await dialogue.answer(Question(f"turn-{asked}", text, board, None, asked))

        yield ask
        await registry.aclose()


async def test_without_a_model_an_unusual_question_finds_nothing() -> None:
    assert (await (await at()).ask(UNUSUAL)).text == NOTHING


async def test_what_a_model_chose_is_told_as_the_nearest_in_the_cases_own_words_with_its_source() -> None:
    model = Chooser("omiting")
    async with asking(model) as ask:
        answer = await ask(UNUSUAL)
    assert (answer.found, answer.chosen_by) == (True, MODEL)
    assert answer.text.startswith(f"{NEAREST} On ")
    assert "omiting" in answer.text and len(answer.text.split()) <= MOST_WORDS
    assert all(sentence.source for sentence in answer.sentences)
    rules = await (await at()).ask("vomiting?")
    assert rules.chosen_by == ""


@pytest.mark.parametrize(
    "question",
    [
        "What's the potassium?",  # the rules answer
        "Any warfarin?",  # a name of which there is nothing: no other name's fact answers it
        "Is she on ticagrelor?",
        "give her the calcium now",
        "has the calcium been given",
        "thank you",
        "What did Doctor Seven say about ticagrelor?",
    ],
)
async def test_no_model_is_asked(question: str) -> None:
    model = Chooser("")
    plain = await (await at()).ask(question)
    async with asking(model) as ask:
        answer = await ask(question)
    assert model.requests == []
    assert answer.text == plain.text and answer.chosen_by == ""


async def test_a_doctor_who_is_named_is_the_only_one_whose_words_are_shown() -> None:
    model = Chooser("no such word")
    async with asking(model) as ask:
        answer = await ask("What worries Doctor Two?")
    if model.requests:
        assert all("Doctor Two" in fact["text"] for fact in model.shown())
    assert answer.chosen_by == ""


@pytest.mark.parametrize(
    "step",
    [
        twin.Status(500),
        twin.Status(429, {"Retry-After": "1"}),
        twin.Cut('{"numbers": [1'),
        twin.Answer("I think it was the vomiting."),
        twin.Answer('{"numbers": []}'),
        twin.Answer("no", refused=True),
    ],
)
async def test_a_model_that_fails_or_finds_none_leaves_nothing_found(step: Step) -> None:
    script = Script(step)
    async with asking(script) as ask:
        answer = await ask(UNUSUAL)
    assert (answer.text, answer.found, answer.chosen_by) == (NOTHING, False, "")
    script.assert_finished()


async def test_an_answer_waits_for_a_model_no_longer_than_is_stated() -> None:
    assert LIMITS.deadline_s == 1.5
    over = asyncio.Event()
    script = Script(twin.Stall('{"numbers": [1]}', over))
    async with asking(script, CallLimits(deadline_s=0.05, tries=1)) as ask:
        answer = await ask(UNUSUAL)
        over.set()
    assert answer.text == NOTHING


def test_of_more_than_a_prompt_holds_the_first_are_shown() -> None:
    assert fitting(["ab", "cd", "e"], 4) == ["ab", "cd"]
    assert fitting([], 4) == []
    assert Numbers.model_validate({"other": 1}).numbers == []


def test_a_dialogue_without_its_key_stops_the_start_and_names_the_mend() -> None:
    assert nearest_of(load_settings(), {}) is None
    with pytest.raises(SettingsError, match=r"EXAIM_DIALOGUE=llm: GOOGLE_API_KEY is not set"):
        nearest_of(load_settings(dialogue="llm"), {})
