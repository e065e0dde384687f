from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from app.exits import CantStart, Exit
from app.preflight import check_models
from app.writing import Writer, paths_of, retold_of, writer_of
from chat_models import ModelCaller
from exaim_core import EXAIM, Delta, Update
from exaim_core.schema import FIELD_LIMITS
from infra.settings import SettingsError, load_settings


def test_without_being_asked_no_model_is_built() -> None:
    assert writer_of(load_settings(), {}) == Writer()


def test_a_missing_key_stops_the_start_and_names_the_mend() -> None:
    with pytest.raises(
        SettingsError, match=r"EXAIM_ENGINE=llm: GOOGLE_API_KEY is not set.*EXAIM_ENGINE=lexical"
    ):
        writer_of(load_settings(engine="llm"), {})


def test_a_models_file_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    settings = load_settings(engine="llm", models=tmp_path / "none.yaml")
    with pytest.raises(SettingsError, match=r"EXAIM_MODELS: .*none\.yaml can't be read"):
        writer_of(settings, {})


def test_with_a_service_of_ones_own_no_key_is_wanted(tmp_path: Path) -> None:
    models = tmp_path / "models.yaml"
    models.write_text(
        "roles: {summarizer: {provider: openai, model: qwen3, base_url: 'http://127.0.0.1:9/v1'}}"
    )
    writer = writer_of(load_settings(engine="llm", models=models), {})
    assert writer.fields is not None and writer.fields.name == "qwen3"
    assert writer.verdicts is None


def test_a_judge_without_its_key_stops_the_start_too() -> None:
    with pytest.raises(SettingsError, match=r"EXAIM_JUDGE=llm: GOOGLE_API_KEY is not set"):
        writer_of(load_settings(judge="llm"), {})


@pytest.mark.parametrize("setting", ["engine", "judge", "dialogue"])
def test_a_key_that_is_missing_for_any_of_them_is_told_before_anything_starts(
    setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # no `.env`
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    check_models(load_settings())
    with pytest.raises(CantStart, match=rf"EXAIM_{setting.upper()}=llm: GOOGLE_API_KEY is not set") as failed:
        check_models(load_settings(**{setting: "llm"}))
    assert failed.value.exit is Exit.SETTINGS


def test_the_engine_reaches_the_children(tmp_path: Path) -> None:
    environment = load_settings(engine="llm", judge="llm", models=tmp_path / "m.yaml").environment()
    assert environment["EXAIM_ENGINE"] == environment["EXAIM_JUDGE"] == "llm"
    assert environment["EXAIM_MODELS"] == str(tmp_path / "m.yaml")


# --- taking over what a model wrote ------------------------------------------------------------

SAID = (
    (
        "The chest CT from today shows bilateral hilar nodes and a clear trachea. "
        "In the blood the calcium is 2.9 mmol/L and the albumin is normal.\n"
    ),
    "The leading diagnosis is sarcoidosis, and a biopsy of a hilar node comes first.\n",
)


def writing(answer: str) -> ModelCaller:
    fields = dict.fromkeys(FIELD_LIMITS, "None stated.") | {"key_findings": answer, "spoken": [answer]}
    return ModelCaller(FakeListChatModel(responses=[json.dumps(fields)]), name="twin-1")


async def made(writer: Writer, committed: tuple[Update, ...] = ()) -> tuple[Update, ...]:
    exaim = EXAIM(
        judge=writer.judge(committed, lambda: 0.0), summarizer=writer.summarizer(committed, lambda: 0.0)
    )
    updates: tuple[Update, ...] = ()
    for seq, text in enumerate(SAID, start=1):
        updates += await exaim.feed(Delta("doctor0", text, 2 * seq, seq * 10.0))
        updates += await exaim.turn_end("doctor0", 2 * seq + 1, seq * 10.0 + 1)
    return updates + await exaim.finish(100.0)


async def test_what_a_model_wrote_is_repeated_word_for_word_and_not_asked_again() -> None:
    first = await made(
        Writer(fields=writing("The chest CT from today shows bilateral hilar nodes and a clear trachea."))
    )
    assert first[0].by_model == ("key_findings",) and first[0].model == "twin-1"
    other = writing("In the blood the calcium is 2.9 mmol/L and the albumin is normal.")
    for successor in (Writer(fields=other), Writer()):
        again = await made(successor, first[:1])
        unwritten = {"dropped": (), "left_out": ()}  # what was refused is not written again, nor counted
        assert again[0] == first[0].model_copy(update=unwritten)
    assert other.counts.calls == 1  # for the second; at the end nothing new was said


async def test_what_an_earlier_version_committed_is_judged_by_rules_as_it_was() -> None:
    plain = await made(Writer())
    old = tuple(update.model_copy(update={"judged": 0}) for update in plain[:1])
    asked = writing("")
    assert await made(Writer(verdicts=asked), old) == plain
    assert asked.counts.calls == 0


# --- who reads -----------------------------------------------------------------------------------

READERS = (
    "readers:\n"
    "  house: {provider: openai, model: qwen3, base_url: 'http://127.0.0.1:9/v1', input_price: 1, output_price: 2}\n"
    "  cloud: {provider: google, model: gemini-x}\n"
)
KEYS = {"GOOGLE_API_KEY": "k"}


def models_file(folder: Path, text: str = READERS) -> Path:
    path = folder / "models.yaml"
    path.write_text(text)
    return path


def test_a_key_alone_sends_nothing_anywhere() -> None:
    writer = writer_of(load_settings(), {**KEYS, "OPENAI_API_KEY": "k"})
    assert writer == Writer() and writer.reader() is None


def test_the_operators_readers_read_and_the_first_is_the_usual_one(tmp_path: Path) -> None:
    writer = writer_of(load_settings(models=models_file(tmp_path)), KEYS)
    assert writer.fields is None and [*writer.readers] == ["house", "cloud"]
    usual, chosen = writer.reader(), writer.reader("cloud")
    assert usual is not None and (usual.spent.model, usual.spent.host) == ("qwen3", "127.0.0.1:9")
    assert chosen is not None and chosen.spent.host == "generativelanguage.googleapis.com"
    assert usual.spent.cost == 0.0 and chosen.spent.cost is None


def test_a_name_that_is_not_configured_gives_the_words_to_nobody(tmp_path: Path) -> None:
    assert writer_of(load_settings(models=models_file(tmp_path)), KEYS).reader("elsewhere") is None


def test_lexical_reads_by_rules_whatever_is_configured(tmp_path: Path) -> None:
    assert writer_of(load_settings(engine="lexical", models=models_file(tmp_path)), {}) == Writer()


def test_with_llm_the_model_that_writes_reads_too(tmp_path: Path) -> None:
    text = "roles: {summarizer: {provider: openai, model: qwen3, base_url: 'http://127.0.0.1:9/v1'}}"
    writer = writer_of(load_settings(engine="llm", models=models_file(tmp_path, text)), {})
    assert writer.reader() is not None and writer.fields is not None


def test_a_reader_without_its_key_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"EXAIM_ENGINE=auto: GOOGLE_API_KEY is not set"):
        writer_of(load_settings(models=models_file(tmp_path)), {})


@pytest.mark.parametrize("name", ["http://evil.example", "a b", "", "x" * 41])
def test_a_readers_name_is_no_address(tmp_path: Path, name: str) -> None:
    text = f"readers: {{{json.dumps(name)}: {{provider: openai, model: m}}}}"
    with pytest.raises(SettingsError, match="a reader's name"):
        writer_of(load_settings(models=models_file(tmp_path, text)), {})


async def test_updates_that_readings_brought_are_counted_apart_for_a_successor() -> None:
    [first, *_] = await made(Writer())
    read = first.model_copy(update={"by_reading": True, "number": 2})
    assert paths_of([first, read]) == paths_of([first])
    assert retold_of([first, read, read]) == {first.judged: 2}
