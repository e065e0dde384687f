"""Who listens: what is chosen, what is missing, and what is told at the start."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from livekit.agents import JobProcess
from numpy.typing import NDArray

from app import hearing, preflight, worker
from app.exits import CantStart, Exit
from infra.model_folder import Make, make_of
from infra.settings import Settings, SettingsError, load_settings, variable
from realtime.ears.stream import StreamTranscriber
from tests.twins import deepgram_flux_twin as twin
from tests.twins.deepgram_flux_twin import flux_twin
from tests.twins.script import KEY
from tts_queue import Opinion, Recognised


@pytest.fixture(autouse=True)
def empty_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for field in Settings.model_fields:
        monkeypatch.delenv(variable(field), raising=False)


@pytest.fixture
def deepgram() -> Settings:
    return load_settings(ears="deepgram", deepgram_api_key="hush")


async def test_unless_it_is_chosen_nobody_listens_elsewhere() -> None:
    assert await hearing.check(load_settings()) is None
    assert hearing.transcriber_of(load_settings(), frozenset()) is None
    assert "LEAVES" not in hearing.told(load_settings(), None)


async def test_deepgram_is_chosen_by_a_variable_and_told_in_plain_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = twin.Flux(lambda pcm: "")
    async with flux_twin(service) as address:
        monkeypatch.setenv("EXAIM_EARS", "deepgram")
        monkeypatch.setenv("EXAIM_EARS_URL", address)
        monkeypatch.setenv("DEEPGRAM_API_KEY", KEY)
        settings = load_settings()
        assert await preflight.check_ears(settings) is None
    assert service.frames == [], "a look sends no sound"
    assert isinstance(hearing.transcriber_of(settings, frozenset({"potassium"})), StreamTranscriber)
    assert "voice LEAVES THIS MACHINE" in hearing.told(settings, None)


async def test_a_missing_key_stops_the_start_and_is_named() -> None:
    with pytest.raises(CantStart, match="DEEPGRAM_API_KEY") as refused:
        await preflight.check_ears(load_settings(ears="deepgram"))
    assert refused.value.exit is Exit.SETTINGS


async def test_a_key_that_is_refused_stops_the_start_too() -> None:
    async with flux_twin(twin.Flux(lambda pcm: "")) as address:
        settings = load_settings(ears="deepgram", deepgram_api_key="hush", ears_url=address)
        with pytest.raises(CantStart, match="DEEPGRAM_API_KEY is not taken") as refused:
            await preflight.check_ears(settings)
    assert "hush" not in str(refused.value)


async def test_a_service_that_does_not_answer_stops_nothing_and_is_told() -> None:
    settings = load_settings(ears="deepgram", deepgram_api_key="hush", ears_url="http://127.0.0.1:9")
    trouble = await preflight.check_ears(settings)
    assert trouble
    assert f"now: {trouble}" in hearing.told(settings, trouble)


async def test_a_missing_client_stops_the_start_and_names_the_mend(
    deepgram: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_the_extra(monkeypatch)
    with pytest.raises(CantStart, match=r"EXAIM_EARS=deepgram.*requirements/cloud\.lock"):
        await preflight.check_ears(deepgram)


def test_a_session_without_the_client_or_the_key_has_this_machines_ears(
    deepgram: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert hearing.transcriber_of(load_settings(ears="deepgram"), frozenset()) is None
    without_the_extra(monkeypatch)
    assert hearing.transcriber_of(deepgram, frozenset()) is None
    without_key, without_extra = caplog.messages
    assert "DEEPGRAM_API_KEY" in without_key
    assert "requirements/cloud.lock" in without_extra


@pytest.mark.usefixtures("restored_sigterm")
def test_a_worker_gets_ready_without_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAIM_EARS", "deepgram")
    monkeypatch.setenv("DEEPGRAM_API_KEY", "hush")
    monkeypatch.setattr(gc, "freeze", lambda: None)
    without_the_extra(monkeypatch)
    worker.warm(cast("JobProcess", None))


@pytest.fixture
def restored_sigterm() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "realtime.ears.flux", raising=False)
    monkeypatch.setitem(sys.modules, "deepgram", None)


def test_the_key_is_not_in_what_settings_print_as(deepgram: Settings) -> None:
    assert "hush" not in repr(deepgram)


@pytest.mark.parametrize(
    "value",
    [
        "api.deepgram.com",
        "wss://api.deepgram.com",
        "https://host/v2/listen",
        "http://10.0.0.1:8080",
        "HTTP://10.0.0.1:8080",
        " http://10.0.0.1:8080",
        "http://127.0.0.1:8080@10.0.0.1",
    ],
)
def test_an_address_has_no_path_and_nothing_goes_in_the_clear(value: str) -> None:
    with pytest.raises(SettingsError, match="EXAIM_EARS_URL"):
        load_settings(ears_url=value)


class Asked:
    """Gives no opinion; nobody asks it here."""

    async def opinion(self, pcm: NDArray[np.int16], hints: str) -> Opinion:
        raise NotImplementedError


def test_a_second_recogniser_is_asked_unless_it_is_switched_off_or_a_cloud_writes(deepgram: Settings) -> None:
    words = frozenset({"spironolactone"})
    second = hearing.second_of(load_settings(), Asked(), words)
    assert second is not None
    assert second.wanted(Recognised("Give her spironolactone.", 1.0))
    assert not second.wanted(Recognised("Stop.", 1.0))
    assert second.wanted(Recognised("How high is the spironolactate?", 1.0))
    assert not second.wanted(Recognised("How high is the spironolactone?", 1.0))  # nothing in it is unknown
    assert hearing.options(load_settings()) == ()
    assert "whisper" in hearing.told(load_settings(), None)
    for settings in (load_settings(ears_second="none"), deepgram):
        assert hearing.second_of(settings, Asked(), words) is None
        assert hearing.options(settings) == ("--no-second",)
        assert "whisper" not in hearing.told(settings, None)


def test_a_larger_model_is_a_folder_that_holds_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAIM_EARS_MODEL", str(tmp_path))
    with pytest.raises(SettingsError, match=r"holds no recogniser's model.*docs/ears\.md"):
        load_settings()
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).touch()
    assert make_of(tmp_path) is Make.WHISPER
    assert hearing.options(load_settings()) == ("--ears-model", str(tmp_path))
    other = tmp_path / "base-en"
    other.mkdir()
    for name in ("encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"):
        (other / name).touch()
    assert make_of(other) is Make.MOONSHINE
