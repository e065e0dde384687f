from __future__ import annotations

from pathlib import Path

import pytest

from app.writing import Writer, writer_of
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


def test_the_engine_reaches_the_children(tmp_path: Path) -> None:
    environment = load_settings(engine="llm", judge="llm", models=tmp_path / "m.yaml").environment()
    assert environment["EXAIM_ENGINE"] == environment["EXAIM_JUDGE"] == "llm"
    assert environment["EXAIM_MODELS"] == str(tmp_path / "m.yaml")
