"""What the settings say about keeping sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.settings import Settings, SettingsError, load_settings


def read(**given: object) -> Settings:
    return load_settings(_env_file=None, **given)


def test_sessions_are_kept_in_a_file_of_the_run_folder_by_default(tmp_path: Path) -> None:
    assert read(run_dir=tmp_path).records_url == f"sqlite:///{tmp_path}/records/records.db"


@pytest.mark.parametrize("text", ["off", "0", "false", "no"])
def test_nothing_is_kept_if_that_is_asked_for_whatever_the_database(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("EXAIM_RECORD", text)
    monkeypatch.setenv("DATABASE_URL", "postgresql://127.0.0.1/exaim")
    assert read().records_url is None


def test_a_child_is_told_what_its_parent_was(monkeypatch: pytest.MonkeyPatch) -> None:
    told = read(record=False, record_days=7, database_url="postgresql://u:p@127.0.0.1/exaim").environment()
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    child = read()
    assert (child.record, child.record_days) == (False, 7)
    assert child.database_url == "postgresql://u:p@127.0.0.1/exaim"


def test_a_password_is_not_in_what_settings_print_as() -> None:
    assert "hush" not in repr(read(database_url="postgresql://u:hush@127.0.0.1/exaim"))


def test_a_number_of_days_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAIM_RECORD_DAYS", "for ever")
    with pytest.raises(SettingsError, match="EXAIM_RECORD_DAYS"):
        read()
