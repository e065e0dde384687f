"""`exaim mdagents`, `merge` and `score`, as they are typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agents.teams.mdagents.results import read_rows
from agents.teams.mdagents.settings import Settings, Tier
from app.cli import cli
from app.exits import Exit
from app.mdagents_run import (
    DRAWN,
    DRAWN_IN_PART,
    BatchOptions,
    drawn_by,
    keys,
    provider_of,
    run,
    write_reports,
)
from chat_models import Provider
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, USAGE, Answer, Script, Status


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY", "openai_api_key", "genai_api_key"):
        monkeypatch.delenv(name, raising=False)


def typed(*words: str) -> Result:
    return CliRunner().invoke(cli, ["mdagents", *words])


@pytest.mark.parametrize("difficulty", ["adaptive", "basic", "moderate", "advanced"])
def test_a_run_without_a_key_writes_the_seeds_file_and_fields(tmp_path: Path, difficulty: str) -> None:
    ended = typed("--model", "scripted", "--difficulty", difficulty, "--num_samples", "2", "--verbose")
    assert ended.exit_code == 0, ended.output
    tier = {"moderate": "intermediate"}.get(difficulty, difficulty)
    path = tmp_path / "output" / f"scripted_exaim60_{tier}_2samples.json"
    rows = json.loads(path.read_text())
    assert [row["question_id"] for row in rows] == ["exaim60-01", "exaim60-02"]
    seeds = {"question_id", "question", "label", "answer", "options", "response", "difficulty", "token_usage"}
    for row in rows:
        assert seeds <= row.keys()
        assert row["options"][row["label"]] == row["answer"]
    assert path.with_suffix(".md").is_file() and path.with_suffix(".html").is_file()
    assert "right: " in ended.stdout and "exaim60-01: " in ended.stderr


def test_shards_are_merged_and_runs_compared(tmp_path: Path) -> None:
    common = ("--num_samples", "6", "--difficulty", "basic")
    assert typed(*common).exit_code == 0
    assert typed(*common, "--experts", "3", "--output", "other").exit_code == 0
    for k in (1, 2, 3):
        assert typed(*common, "--shard", f"{k}/3", "--output", "parts").exit_code == 0
    shards = sorted(str(path) for path in Path("parts").glob("*of-3.json"))
    ended = typed("merge", *shards, "--output", "merged")
    assert ended.exit_code == 0, ended.output
    name = "scripted_exaim60_basic_6samples.json"
    assert Path("merged", name).read_bytes() == Path("output", name).read_bytes()
    ended = typed("score", f"output/{name}", f"other/{name}")
    assert ended.exit_code == 0 and "McNemar" in ended.stdout
    ended = typed("merge", *shards[:2], "--output", "merged")
    assert (ended.exit_code, "shards 1 to 3" in ended.stderr) == (Exit.SETTINGS, True)


def test_a_run_says_that_no_model_was_asked_only_if_none_was(tmp_path: Path) -> None:
    ended = typed("--model", "scripted", "--model-of", "moderator=scripted", "--num_samples", "1")
    assert ended.exit_code == 0 and DRAWN in ended.output
    [about] = (tmp_path / "output").glob("*.run.json")
    path = about.with_name(about.name.replace(".run.json", ".json"))
    assert DRAWN in path.with_suffix(".md").read_text()
    told = json.loads(about.read_text())
    for model, moderator, drawn in (
        ("scripted", "gpt-4o-mini", DRAWN_IN_PART), ("gpt-4o-mini", "scripted", DRAWN_IN_PART),
        ("gpt-4o-mini", "gpt-4o", ""),
    ):  # fmt: skip
        told["run"] |= {"model": model, "models_by_role": {"moderator": moderator}}
        about.write_text(json.dumps(told))
        assert drawn_by(path) == drawn
    write_reports(path)
    assert "drawn" not in path.with_suffix(".md").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--difficulty", "hard"), "low, moderate, high"),
        (("--experts", "50"), "2 to 7"),
        (("--rounds", "9"), "1 to 5"),
        (("--shard", "4/3"), "k/n"),
        (("--model-of", "moderator"), "ROLE=MODEL"),
        (("--prices", "cheap"), "IN,OUT"),
        (("--prices", "nan,-3"), "IN,OUT"),
        (("--structured", "xml", "--model", "scripted"), "json_schema"),
        (("--model", "gpt-4o-mini"), "OPENAI_API_KEY"),
        (("--model", "gemini-2.5-flash"), "GOOGLE_API_KEY"),
        (("score", "none.json"), "no result"),
    ],
)
def test_what_cannot_be_used_is_told_with_what_can(words: tuple[str, ...], told: str) -> None:
    ended = typed(*words)
    assert ended.exit_code == Exit.SETTINGS, ended.output
    assert told in ended.stderr
    assert not list(Path().glob("output/*"))


def test_a_data_set_that_is_not_there_is_told() -> None:
    ended = typed("--dataset", "none")
    assert ended.exit_code == Exit.SETTINGS and "exaim60" in ended.stderr


def test_bad_rows_are_told_and_listed_and_the_rest_is_done(tmp_path: Path) -> None:
    good = {"question": "Why?", "options": {"A": "x", "B": "y"}, "answer_idx": "A", "answer": "x"}
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, [good, {**good, "answer_idx": "Z"}, good])))
    ended = typed("--dataset", "mine.jsonl", "--num_samples", "3", "--difficulty", "low")
    assert ended.exit_code == 0, ended.output
    assert "row 2, field 'answer_idx'" in ended.stderr
    path = Path("output/scripted_mine_basic_3samples.json")
    assert [row["row"] for row in json.loads(path.read_text())] == [1, 3]
    about = json.loads(path.with_suffix(".run.json").read_text())
    assert [each["row"] for each in about["rejected"]] == [2]
    again = typed("--dataset", "mine.jsonl", "--num_samples", "3", "--difficulty", "low")
    assert again.exit_code == Exit.SETTINGS and "--resume" in again.stderr


def test_the_seeds_names_of_keys_are_taken_from_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("openai_api_key=one\n")
    monkeypatch.setenv("genai_api_key", "two")
    assert (keys()["OPENAI_API_KEY"], keys()["GOOGLE_API_KEY"]) == ("one", "two")
    monkeypatch.setenv("OPENAI_API_KEY", "three")
    assert keys()["OPENAI_API_KEY"] == "three"
    assert "OPENAI_API_KEY" not in {name for name in os.environ if name.islower()}


def test_a_models_name_shows_who_serves_it() -> None:
    assert provider_of("gemini-2.0-flash", None) is Provider.GOOGLE
    assert provider_of("gpt-4.1-mini", None) is Provider.OPENAI
    assert provider_of("qwen3:8b", "http://127.0.0.1:11434/v1") is Provider.OPENAI
    assert provider_of("llama-3.3-70b-versatile", None) is Provider.GROQ


@pytest.mark.parametrize("structured", ["json_schema", "text"])
async def test_a_real_client_is_asked_in_its_own_way_of_json(tmp_path: Path, structured: str) -> None:
    script = Script(Status(429, {"retry-after": "0"}), Answer('{"reasoning": "It fits.", "answer": "B"}'))
    async with openai_twin(script) as address:
        asked = BatchOptions(
            dataset="exaim60",
            model=MODEL,
            settings=Settings(tier=Tier.BASIC),
            num_samples=1,
            seed=0,
            shape=None,
            shard=(1, 1),
            output=tmp_path / "out",
            resume=False,
            fresh=False,
            concurrency=1,
            budget=None,
            base_url=address,
            structured=structured,
            models_by_role={},
            prices=(1.0, 2.0),
            verbose=False,
        )
        said: list[str] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", KEY)
            assert await run(asked, say=said.append)
    script.assert_finished()
    (row,) = read_rows(tmp_path / "out" / f"{MODEL}_exaim60_basic_1samples.json")
    assert row["response"]["answer"] == "B" and row["status"] == "answered"
    usage = row["token_usage"]
    assert (usage["calls"], usage["retries"]) == (1, 1)
    assert (usage["input_tokens"], usage["output_tokens"]) == USAGE
    assert [each["temperature"] for each in script.requests] == [0.0, 0.0]
    assert all(("response_format" in each) is (structured == "json_schema") for each in script.requests)


def test_a_folder_that_can_not_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    ended = typed("--num_samples", "1", "--output", str(tmp_path / "taken" / "out"))
    assert ended.exit_code == Exit.SETTINGS
    assert "can't be made" in ended.output and "--output" in ended.output


def test_a_data_set_without_a_row_that_can_be_used_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("no JSON\n")
    ended = typed("--num_samples", "1", "--dataset", str(tmp_path / "none.jsonl"))
    assert ended.exit_code == Exit.CHECK_FAILED
    assert "can be used" in ended.output
