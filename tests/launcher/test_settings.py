from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.settings import Settings, SettingsError, load_settings, variable

FROM_ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(autouse=True)
def empty_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for field in Settings.model_fields:
        monkeypatch.delenv(variable(field), raising=False)


def test_a_value_given_beats_the_environment_which_beats_dotenv_which_beats_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().api_port == 8080
    (tmp_path / ".env").write_text("EXAIM_API_PORT=8081\n", encoding="utf-8")
    assert load_settings().api_port == 8081
    monkeypatch.setenv("EXAIM_API_PORT", "8082")
    assert load_settings().api_port == 8082
    assert load_settings(api_port=8083).api_port == 8083


def test_an_empty_variable_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "")
    monkeypatch.setenv("CASES", "")
    settings = load_settings()
    assert settings.redis_url == ""
    assert settings.cases == (FROM_ROOT / "cases",)


def test_a_home_that_nobody_has_stays_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASES", "~nobody-of-this-name/cases:~/cases")
    assert load_settings().cases == (Path("~nobody-of-this-name/cases"), Path.home() / "cases")


def test_cases_and_hosts_take_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASES", "one.jsonl.gz:some/folder")
    monkeypatch.setenv("EXAIM_ALLOWED_HOSTS", "ward.example, desk.example")
    settings = load_settings()
    assert settings.cases == (Path("one.jsonl.gz"), Path("some/folder"))
    assert settings.allowed_hosts == ("ward.example", "desk.example")


def test_a_child_reads_the_same_settings_from_the_environment_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = load_settings(
        livekit_url="ws://127.0.0.1:7880",
        livekit_api_key="key",
        livekit_api_secret="a secret of more than thirty-two characters",
        redis_url="unix:///somewhere/store.sock",
        cases=(tmp_path / "a", tmp_path / "b"),
        run_dir=tmp_path / "run",
        engines_socket=tmp_path / "run" / "engines.sock",
        allowed_hosts=("ward.example", "desk.example"),
        speed=2.5,
        log_level="debug",
    )
    for name, value in given.environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == given


def test_the_environment_for_a_child_holds_absolute_paths_only(tmp_path: Path) -> None:
    assert load_settings().environment()["EXAIM_RUN_DIR"] == str(tmp_path / ".run")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EXAIM_API_PORT", "eighty"),
        ("EXAIM_SPEED", "0"),
        ("EXAIM_LOG_LEVEL", "loud"),
        ("EXAIM_API_PORT", "70000"),
        ("EXAIM_LIVEKIT_PUBLIC_URL", "voice.example.org"),
        ("EXAIM_LIVEKIT_PUBLIC_URL", "wss://"),
        ("EXAIM_LIVEKIT_PUBLIC_URL", "https://[::1"),
    ],
)
def test_a_variable_that_cant_be_used_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=rf"^{name}: .*\.env\.example"):
        load_settings()


def test_the_secret_is_not_in_what_settings_print_as() -> None:
    assert "hush" not in repr(load_settings(livekit_api_secret="hush", redis_url="redis://:hush@host"))


def test_a_process_that_nobody_waits_for_announces_nothing(tmp_path: Path) -> None:
    load_settings().announce_ready()
    load_settings(ready_file=tmp_path / "sign").announce_ready()
    assert [path.name for path in tmp_path.iterdir()] == ["sign"]


OF_OUR_OWN = frozenset({"EXAIM_READY_FILE"})
"""What one process of ours tells another."""
FOLDERS = ("agents", "app", "exaim_core", "infra", "lib", "packages", "realtime", "routes")


def variables_in_code() -> set[str]:
    files = [path for folder in FOLDERS for path in (FROM_ROOT / folder).rglob("*.py")]
    return {name for path in files for name in re.findall(r'"(EXAIM_[A-Z_]+)"', path.read_text("utf-8"))}


def test_what_our_own_checks_refuse_is_told_in_their_words() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(tls_cert=Path("cert.pem"))
    assert "alue error" not in str(refused.value)


def test_the_example_file_names_every_variable_a_user_may_set_and_changes_nothing() -> None:
    text = (FROM_ROOT / ".env.example").read_text(encoding="utf-8")
    for field in Settings.model_fields:
        if field not in ("ready_file", "engines_socket"):  # the launcher's own
            assert f"{variable(field)}=" in text, field
    for name in variables_in_code() - OF_OUR_OWN:
        assert f"{name}=" in text, name
    assert all(line.startswith("#") or not line.strip() for line in text.splitlines())
