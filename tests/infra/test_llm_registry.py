"""The chat models of this process's settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_models import MissingKey
from infra.llm_registry import LLMRole, get_llm, registry_here
from infra.settings import SettingsError

VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MAS_LLM_PROVIDER", "MAS_LLM_MODEL", "EXAIM_MODELS")


@pytest.fixture
def dotenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the `.env` of an empty working directory, in an environment that names no model."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    registry_here.cache_clear()
    yield tmp_path / ".env"
    registry_here.cache_clear()


def test_the_model_of_a_role_and_its_key_may_stand_in_dotenv(dotenv: Path) -> None:
    (dotenv.parent / "models.yaml").write_text("roles:\n  mas: {provider: openai, model: one-of-ours}\n")
    dotenv.write_text("OPENAI_API_KEY=from-dotenv\nEXAIM_MODELS=models.yaml\n")
    model = get_llm("mas")
    assert getattr(model, "model_name", "") == "one-of-ours"
    assert model is get_llm(LLMRole.MAS)


def test_the_environment_goes_before_dotenv(dotenv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dotenv.write_text("OPENAI_API_KEY=k\nMAS_LLM_PROVIDER=openai\nMAS_LLM_MODEL=written\n")
    monkeypatch.setenv("MAS_LLM_MODEL", "given")
    assert getattr(get_llm("mas"), "model_name", "") == "given"


def test_what_is_missing_or_wrong_is_named(dotenv: Path) -> None:
    dotenv.write_text("MAS_LLM_PROVIDER=openai\n")
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        get_llm("mas")
    with pytest.raises(ValueError, match="summarizer"):
        get_llm("nobody")
    registry_here.cache_clear()
    dotenv.write_text("MAS_LLM_PROVIDER=nobody\n")
    with pytest.raises(SettingsError, match="nobody"):
        get_llm("mas")
