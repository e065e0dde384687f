from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.recorded import (
    Catalogue,
    Entries,
    TraceNotFound,
    TraceSchemaError,
    TraceUnreadable,
    UnknownCase,
    default_cases,
)
from app.exits import CantStart, Exit
from app.preflight import check_cases
from tests.agents.building import CASE, case, rows, write

PAPER = {"case_id": "case-a", "title": "Weak legs", "age": 74}


def test_a_folder_is_listed_by_file_name_and_titled_by_its_papers(tmp_path: Path) -> None:
    case(tmp_path, "b.trace.jsonl.gz", case_id="case-b")
    records = case(tmp_path, "a.trace.jsonl", case_id="case-a").read_text()
    (tmp_path / "a.trace.jsonl").write_text(records.replace('"case-1"', '"case-a"'))
    (tmp_path / "case-a.paper.json").write_text(json.dumps(PAPER))
    (tmp_path / "notes.txt").write_text("not a case")
    catalogue = Catalogue.open([tmp_path])
    assert catalogue.ids() == ("case-a", "case-b")
    first = catalogue.get("case-a")
    assert (first.title, first.words, first.duration_s, first.problem) == ("Weak legs", 7, 4.015, None)
    assert first.agents == ("doctor0", "doctor1")
    assert catalogue.paper("case-a") == PAPER
    assert catalogue.paper("case-b") is None


def test_a_broken_file_is_listed_with_its_problem_and_says_it_when_loaded(tmp_path: Path) -> None:
    case(tmp_path, "good.trace.jsonl.gz")
    (tmp_path / "old.trace.jsonl").write_text('{"record_type": "trace_meta", "schema_version": "1.0"}\n')
    head = case(tmp_path, "x.jsonl").read_text().splitlines()[0].replace("case-1", "case-cut")
    (tmp_path / "x.jsonl").write_text(head + "\n{oops\n")
    catalogue = Catalogue.open([tmp_path])
    good, old, cut = catalogue.cases()
    assert (good.case_id, good.problem) == ("case-1", None)
    assert (old.case_id, old.words) == ("old", 0)
    assert "1.0, and 2.0.0 is read here" in (old.problem or "")
    assert cut.case_id == "case-cut"
    assert "line 2: it is not JSON" in (cut.problem or "")
    with pytest.raises(TraceSchemaError):
        catalogue.load("old")
    with pytest.raises(TraceUnreadable, match="line 2"):
        catalogue.load("case-cut")
    assert catalogue.load("case-1").words == 7


def test_a_missing_path_and_an_empty_folder_are_listed_too(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    catalogue = Catalogue.open([tmp_path / "none.jsonl.gz", tmp_path / "empty"])
    missing, empty = catalogue.cases()
    assert "check the path" in (missing.problem or "")
    assert "the folder holds no trace" in (empty.problem or "")
    with pytest.raises(TraceNotFound):
        catalogue.load("none.jsonl.gz")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Have the kernel hold this process to the rights of files; it lets root do anything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def shut() -> Iterator[Path]:
    """A folder of cases that can be seen and not listed."""
    above = Path(tempfile.mkdtemp())  # pytest's own folders may not even be passed through
    above.chmod(0o711)
    folder = above / "cases"
    folder.mkdir()
    folder.chmod(0)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(above)


def test_what_may_not_be_looked_into_is_listed_with_its_problem_and_hides_nothing_else(
    shut: Path, tmp_path: Path
) -> None:
    case(tmp_path)
    too_long = tmp_path / ("x" * 300)
    with as_nobody():
        found = Catalogue.open([shut, shut / "within.jsonl.gz"]).cases()
    entries = {entry.case_id: entry.problem for entry in found}
    for name in ("cases", "within.jsonl.gz"):
        assert "permission denied" in str(entries[name])
        assert "mend its rights" in str(entries[name])
    catalogue = Catalogue.open([too_long, tmp_path])
    assert [entry.problem is None for entry in catalogue.cases()] == [False, True]
    assert "name too long" in str(catalogue.cases()[0].problem)


def test_a_start_is_refused_for_a_folder_that_may_not_be_listed_with_the_reason(shut: Path) -> None:
    for path in (shut, shut / "within.jsonl.gz"):
        with as_nobody(), pytest.raises(CantStart, match="permission denied") as refused:
            check_cases((path,))
        assert refused.value.exit is Exit.NO_CASE


def test_an_unknown_case_names_the_known_ones(tmp_path: Path) -> None:
    case(tmp_path)
    catalogue = Catalogue.open([tmp_path])
    for ask in (catalogue.get, catalogue.load, catalogue.paper):
        with pytest.raises(UnknownCase, match="known cases: case-1") as unknown:
            ask("case-2")
        assert unknown.value.known == ("case-1",)
    with pytest.raises(UnknownCase, match="known cases: none"):
        Catalogue.open([]).get("case-2")


def test_a_case_given_twice_is_listed_as_such_and_the_first_is_played(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first, second = case(tmp_path), case(tmp_path / "again")
    catalogue = Catalogue.open([first, second, first])
    assert len(catalogue.ids()) == 2
    assert catalogue.load("case-1").path == first
    assert "already" in (catalogue.cases()[1].problem or "")


@pytest.mark.parametrize(("cut", "good"), [("a", "b"), ("b", "a")])
def test_a_broken_copy_takes_no_id_from_the_one_that_can_be_played(
    tmp_path: Path, cut: str, good: str
) -> None:
    whole = case(tmp_path, f"{good}.jsonl.gz")
    broken = tmp_path / f"{cut}.trace.jsonl.gz"
    broken.write_bytes(whole.read_bytes()[:-40])
    catalogue = Catalogue.open([tmp_path])
    assert catalogue.load("case-1").path == whole
    assert "cut short" in (catalogue.get(f"case-1 ({broken})").problem or "")
    assert check_cases((tmp_path,)) == (1, (f"case-1 ({broken})",))


def test_a_start_without_a_case_names_what_is_wrong_with_each_file(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("no record\n")
    (tmp_path / "b.jsonl.gz").write_text("no gzip")
    with pytest.raises(CantStart) as refused:
        check_cases((tmp_path,))
    said = str(refused.value)
    assert "a.jsonl, line 1: it is not JSON" in said
    assert "b.jsonl.gz: it is named .gz and is not gzip" in said


def test_one_sentence_says_how_traces_are_named(tmp_path: Path) -> None:
    sentence = "a trace is a file *.trace.jsonl.gz, *.trace.jsonl, *.jsonl.gz or *.jsonl"
    assert sentence in (Catalogue.open([tmp_path]).cases()[0].problem or "")
    with pytest.raises(CantStart, match="or a folder of them") as refused:
        check_cases((tmp_path / "none",))
    assert sentence in str(refused.value)
    for told in ("cases/README.md", ".env.example"):
        words = (default_cases().parent / told).read_text("utf-8").replace("`", "").split()
        assert sentence.removeprefix("a trace is a file ") in " ".join(words), told


def test_nothing_is_parsed_twice(tmp_path: Path) -> None:
    path = case(tmp_path)
    catalogue = Catalogue.open([path])
    trace = catalogue.load("case-1")
    path.unlink()
    assert catalogue.load("case-1") is trace
    assert catalogue.cases() == catalogue.cases()
    assert catalogue.get("case-1").words == trace.words


def test_many_threads_that_ask_at_once_get_one_reading(tmp_path: Path) -> None:
    for number in range(4):
        records = [{**each, "case_id": f"case-{number}"} for each in rows(CASE)]
        write(tmp_path / f"{number}.trace.jsonl.gz", records)
    catalogue = Catalogue.open([tmp_path])
    with ThreadPoolExecutor(8) as pool:
        lists = [each.result() for each in [pool.submit(catalogue.cases) for _ in range(16)]]
        traces = list(pool.map(catalogue.load, ["case-1"] * 16))
    assert all(entries == lists[0] for entries in lists)
    assert [entry.problem for entry in lists[0]] == [None] * 4
    assert len(set(map(id, traces))) == 1


@pytest.mark.parametrize("title", ["", " "])
def test_a_paper_that_gives_no_title_costs_no_case(tmp_path: Path, title: str) -> None:
    case(tmp_path)
    (tmp_path / "case-1.paper.json").write_text(json.dumps({"case_id": "case-1", "title": title}))
    entry = Catalogue.open([tmp_path]).get("case-1")
    assert (entry.title, entry.problem) == ("case-1", None)


@pytest.mark.parametrize(
    ("paper", "told"),
    [
        ("{oops", "not JSON"),
        ("[1]", "no JSON object"),
        ('{"title": 5}', "case_id: Field required"),
        ('{"case_id": "case-1", "allergy": ["penicillin"]}', "allergy is no field here; write allergies"),
        ('{"case_id": "case-1", "allergies": ["penicillin"]}', 'allergies.0: an entry is written as {"sub'),
    ],
)
def test_a_case_whose_paper_can_not_be_read_is_listed_with_what_is_wrong(
    tmp_path: Path, paper: str, told: str
) -> None:
    case(tmp_path)
    (tmp_path / "case-1.paper.json").write_text(paper)
    catalogue = Catalogue.open([tmp_path])
    problem = catalogue.get("case-1").problem or ""
    assert told in problem
    assert problem.endswith("mend or remove it")
    assert catalogue.load("case-1").words == 7, "a session that is open goes on"


@pytest.mark.parametrize("mend", ["written", "removed", "broken otherwise"])
def test_a_paper_that_was_mended_is_read_again(tmp_path: Path, mend: str) -> None:
    case(tmp_path)
    paper = tmp_path / "case-1.paper.json"
    paper.write_text("{oops")
    entries = Entries(Catalogue.open([tmp_path]))
    broken = entries["case-1"]
    assert broken.problem
    assert entries["case-1"] is broken, "it is not read anew each time"
    if mend == "removed":
        paper.unlink()
    else:
        paper.write_text(json.dumps({"case_id": "case-1", "title": "Mended"}) if mend == "written" else "[1]")
        os.utime(paper, (1, 1))
    again = entries["case-1"]
    assert (again.problem is None) == (mend != "broken otherwise")
    assert (again.words > 0) == (again.problem is None)
    assert list(entries) == ["case-1"]
    assert "case-2" not in entries


def test_a_paper_that_can_not_be_read_is_refused_with_its_mend(tmp_path: Path) -> None:
    case(tmp_path)
    (tmp_path / "case-1.paper.json").write_text("{oops")
    with pytest.raises(TraceUnreadable, match="mend or remove it"):
        Catalogue.open([tmp_path]).paper("case-1")


def test_the_cases_that_come_with_the_program_can_be_played() -> None:
    catalogue = Catalogue.open([default_cases()])
    assert catalogue.ids()
    for entry in catalogue.cases():
        assert entry.problem is None
        assert entry.title != entry.case_id
        assert entry.duration_s > 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ""),
        (
            {"labs": [{"analyte": "lactate", "value": 4.1, "time": "02:00"}]},
            "labs.0: the field after value is",
        ),
        ({"allergies": ["penicillin"]}, "allergies.0: an entry is written as"),
        ({"ward": 7}, "the field after notes is unknown here"),
        ({"age": "old"}, "age: "),
    ],
)
def test_a_source_whose_paper_would_be_refused_writes_nothing(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    source = shipped()
    source["paper"] |= change
    ran = built(tmp_path, source)
    assert told in ran.stderr
    assert (ran.returncode, (tmp_path / "out").exists()) == ((1, False) if told else (0, True))


def test_a_source_whose_trace_would_be_wrong_writes_nothing(tmp_path: Path) -> None:
    ran = built(tmp_path, shipped() | {"duration_s": [1, 2]})
    assert "the stream lasts" in ran.stderr
    assert (ran.returncode, (tmp_path / "out").exists()) == (1, False)


def test_a_line_separator_in_a_turn_ends_no_record(tmp_path: Path) -> None:
    source = shipped()
    source["turns"][1]["text"] = source["turns"][1]["text"].replace(" ", "\u2028", 1)
    ran = built(tmp_path, source)
    assert (ran.returncode, ran.stderr) == (0, "")


def shipped() -> dict[str, Any]:
    text = (default_cases() / "sources" / "sudden-chest-pain.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def built(folder: Path, source: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    (folder / "source.yaml").write_text(yaml.safe_dump(source, sort_keys=False), "utf-8")
    build = default_cases() / "build_case.py"
    argv = [sys.executable, *map(str, (build, folder / "source.yaml", folder / "out"))]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, cwd=folder)
