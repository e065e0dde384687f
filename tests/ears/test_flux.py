"""Deepgram Flux by Deepgram's own client, against the twin of its protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import numpy as np
import pytest
from deepgram.core.unchecked_base_model import construct_type
from deepgram.listen.v2.socket_client import V2SocketClientResponse
from numpy.typing import NDArray

from realtime.conversation.case_words import KEYTERM_LETTERS, KEYTERMS, keyterms
from realtime.ears.flux import Flux, FluxLine
from realtime.ears.stream import FRAME, LineLost
from realtime.ears.transcript import RecognisedWord, TranscriptNews
from tests.twins import deepgram_flux_twin as twin
from tests.twins.deepgram_flux_twin import flux_twin
from tests.twins.script import KEY

TEXT = "What is her potassium?"


def frames(seconds: float, *, loud: bool) -> list[NDArray[np.int16]]:
    level = 3_000 if loud else 0
    return [np.full(FRAME, level, np.int16)] * round(seconds / 0.08)


@asynccontextmanager
async def connected(service: twin.Flux, **asked: object) -> AsyncIterator[FluxLine]:
    async with flux_twin(service) as address:
        async with Flux(**{"key": KEY, "address": address, **asked}).dial() as line:  # type: ignore[arg-type]
            yield line


async def told(
    line: FluxLine, sound: list[NDArray[np.int16]], until: str | None = None
) -> list[TranscriptNews]:
    for frame in sound:
        await line.send(frame)
    found = [await line.receive()]
    while not (found[-1].over and found[-1].until_s >= len(sound) * 0.08 - 0.2):
        found.append(await line.receive())
    return found


async def test_deepgram_is_asked_as_its_guide_says() -> None:
    service = twin.Flux(lambda pcm: TEXT)
    async with connected(service, keyterms=("EXAIM", "hyperkalaemia")) as line:
        await line.send(np.zeros(FRAME, np.int16))
        await asyncio.sleep(0.05)
    assert service.queries == [
        [
            ("model", "flux-general-en"),
            ("encoding", "linear16"),
            ("sample_rate", "16000"),
            ("eager_eot_threshold", "0.5"),
            ("eot_threshold", "0.7"),
            ("eot_timeout_ms", "5000"),
            ("keyterm", "EXAIM"),
            ("keyterm", "hyperkalaemia"),
            ("mip_opt_out", "true"),
        ]
    ]
    assert service.frames == [1_280], "80 ms at 16 kHz"
    assert service.closed_by_client == 1


async def test_what_it_writes_comes_with_times_and_confidences_and_is_in_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = twin.Flux(lambda pcm: TEXT)
    sound = [*frames(0.32, loud=False), *frames(1.6, loud=True), *frames(0.48, loud=False)]
    with caplog.at_level(logging.DEBUG):
        async with connected(service) as line:
            news = await told(line, sound)
    assert "TurnInfo" not in caplog.text
    assert service.events[0] == "Update"
    assert [event for event in service.events if event != "Update"] == [
        *("StartOfTurn", "EagerEndOfTurn", "EndOfTurn")
    ]
    last = news[-1]
    assert [word.text for word in last.words] == TEXT.split()
    assert last.words[0].start_s == pytest.approx(0.32)
    assert last.words[-1].end_s == pytest.approx(1.92, abs=0.01)
    assert {word.confidence for word in last.words} == {0.9}


async def test_a_turn_that_goes_on_is_told_as_that() -> None:
    service = twin.Flux(lambda pcm: TEXT)
    async with connected(service) as line:
        sound = [*frames(0.8, loud=True), *frames(0.32, loud=False), *frames(0.8, loud=True)]
        news = await told(line, [*sound, *frames(0.48, loud=False)])
    assert "TurnResumed" in service.events
    assert [each.resumed for each in news].count(True) == 1


async def test_a_key_that_is_not_taken_is_for_good_and_stays_secret(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(LineLost) as lost:
        async with connected(twin.Flux(lambda pcm: TEXT), key="sk-wrong-key"):
            raise AssertionError("it was taken")
    assert lost.value.lasting
    assert "DEEPGRAM_API_KEY" in lost.value.reason
    assert "sk-wrong-key" not in lost.value.reason + caplog.text


async def test_a_request_that_deepgram_refuses_is_for_good() -> None:
    with pytest.raises(LineLost, match="status 400") as lost:
        async with connected(twin.Flux(lambda pcm: TEXT), keyterms=("x" * 1_001,)):
            raise AssertionError("it was taken")
    assert lost.value.lasting


async def test_nobody_there_may_pass() -> None:
    with pytest.raises(LineLost) as lost:
        async with Flux(key=KEY, address="http://127.0.0.1:9").dial():
            raise AssertionError("somebody was there")
    assert not lost.value.lasting


async def test_a_fatal_error_ends_the_line_and_may_pass() -> None:
    async with connected(twin.Flux(lambda pcm: TEXT, fails_at_s=0.2)) as line:
        with pytest.raises(LineLost, match="INTERNAL_SERVER_ERROR") as lost:
            await told(line, frames(0.4, loud=False))
    assert not lost.value.lasting


async def test_words_without_times_are_of_no_use() -> None:
    async with connected(twin.Flux(lambda pcm: TEXT, timed=False)) as line:
        with pytest.raises(LineLost, match="no times") as lost:
            await told(line, [*frames(0.8, loud=True), *frames(0.48, loud=False)])
    assert lost.value.lasting


class Says:
    """A socket of Deepgram's client that receives one message, made as the client makes it: unchecked."""

    def __init__(self, message: dict[str, object]) -> None:
        self.message = message

    async def recv(self) -> object:
        return construct_type(type_=V2SocketClientResponse, object_=self.message)  # type: ignore[arg-type]  # a union


def line_that_says(word: Mapping[str, object], **values: object) -> FluxLine:
    whole_word = {"word": "potassium", "confidence": 0.9, "start": 0.1, "end": 0.2, **word}
    message = {
        "type": "TurnInfo",
        "request_id": "r",
        "sequence_id": 1,
        "event": "Update",
        "turn_index": 0,
        "audio_window_start": 0.0,
        "audio_window_end": 1.0,
        "transcript": "potassium",
        "words": [whole_word],
        "end_of_turn_confidence": 0.1,
    }
    return FluxLine(Says(message | values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ({}, {"audio_window_end": None}),
        ({}, {"turn_index": None}),
        ({}, {"words": None}),
        ({"word": None}, {}),
        ({"word": 7}, {}),
        ({"confidence": None}, {}),
        ({"start": []}, {}),
        ({"end": "late"}, {}),
    ],
)
async def test_a_message_with_a_value_of_another_kind_loses_the_line_and_no_more(
    word: dict[str, object], values: dict[str, object]
) -> None:
    with pytest.raises(LineLost) as lost:
        await line_that_says(word, **values).receive()
    assert not lost.value.lasting


async def test_numbers_in_quotes_are_numbers() -> None:
    said = {"confidence": "0.9", "start": "0.1", "end": "0.2"}
    news = await line_that_says(said, audio_window_end="1.0", turn_index="3").receive()
    assert news == TranscriptNews(3, 1.0, (RecognisedWord("potassium", 0.1, 0.2, 0.9),))


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": "nova-3"},
        {"sample_rate": "22050"},
        {"encoding": "flac"},
        {"eot_threshold": "0.4"},
        {"eager_eot_threshold": "0.8"},
        {"eot_timeout_ms": "100"},
        {"keyterm": "x" * 1_001},
        {"mip_opt_out": "True"},
        {"interim_results": "true"},
    ],
)
def test_the_twin_refuses_what_is_not_flux(wrong: dict[str, str]) -> None:
    right = {
        "model": "flux-general-en",
        "encoding": "linear16",
        "sample_rate": "16000",
        "eot_threshold": "0.7",
    }
    assert twin.check_query(list(right.items())) == 16_000
    with pytest.raises(twin.Refused):
        twin.check_query(list({**right, "eot_threshold": "0.7", **wrong}.items()))


def test_keyterms_are_our_name_and_the_longest_words_within_deepgrams_limits() -> None:
    assert keyterms(frozenset({"lithium", "hyperkalaemia"})) == ("EXAIM", "hyperkalaemia", "lithium")
    many = keyterms(frozenset(f"{number:03d}abcdef" for number in range(500)))
    assert len(many) == KEYTERMS
    long = keyterms(frozenset(f"{number:03d}{'x' * 40}" for number in range(500)))
    assert sum(len(term) for term in long) <= KEYTERM_LETTERS
