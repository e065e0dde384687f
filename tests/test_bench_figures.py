"""Figures are judged by what they say, and land where people read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.document import MARK, PAGE, filled, main
from lab.bench.figures import Spread, count, figure, read, table, write


def test_a_figure_is_met_by_the_percentile_that_its_aim_names() -> None:
    values = [100.0] * 19 + [400.0]
    assert figure("x", "ms", values, most=150.0, aim="p50 ≤ 150 ms").met is True
    assert figure("x", "ms", values, most=150.0, at="max").met is False
    assert figure("x", "ms", values).met is None
    assert (figure("x", "ms", values).n, figure("x", "ms", values).p50) == (20, 100.0)


def test_nothing_measured_is_no_figure() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        figure("x", "ms", [])


def test_figures_survive_the_file_and_keep_their_order(tmp_path: Path) -> None:
    first = [figure("a", "ms", [1.0], floor=0.5, most=2.0), figure("b", "ms", [3.0], most=2.0)]
    write(tmp_path, "1-first", first)
    write(tmp_path, "2-second", [figure("c", "s", [4.0])])
    assert read(tmp_path)[:2] == first
    rows = table(read(tmp_path)).splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == ["a", "b", "c"]
    assert "**no**" in rows[1]


def test_a_peers_values_and_counts_survive_the_file_and_stand_in_the_row(tmp_path: Path) -> None:
    beside = figure("a", "ms", [1.0, 3.0], most=2.0, peer=[500.0, 700.0])
    lost = count("words lost", "words", 0, 30, most=0, peer=Spread(15, 240, None))
    write(tmp_path, "1-first", [beside, lost])
    assert read(tmp_path) == [beside, lost]
    first, second = (
        [cell.strip() for cell in row.split("|")] for row in table([beside, lost]).splitlines()[2:]
    )
    assert first[6] == "2: 600 ms, 690 ms"
    assert (second[3], second[4], second[6], second[8]) == ("0 words", "", "15: 240 words", "yes")
    assert count("words lost", "words", 1, 30, most=0).met is False


def test_a_documents_figures_are_replaced_and_nothing_else() -> None:
    text = f"# T\n\nBefore.\n\n{MARK}\n| old |\n\n## After\n\nKept.\n"
    once = filled(text, "| new |")
    assert once == f"# T\n\nBefore.\n\n{MARK}\n| new |\n\n## After\n\nKept.\n"
    assert filled(once, "| new |") == once
    with pytest.raises(ValueError, match="a document for figures"):
        filled("# T\n", "| new |")


def test_a_folder_without_figures_leaves_the_documents_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = f"{MARK}\n| a | 1 |\n\n## More\n"
    (tmp_path / PAGE).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="no figures"):
        main(tmp_path / "nothing", tmp_path)
    assert (tmp_path / PAGE).read_text(encoding="utf-8") == text


def test_the_readme_shows_the_figures_of_the_page() -> None:
    root = Path(__file__).parents[1]
    texts = [(root / name).read_text(encoding="utf-8") for name in (PAGE, "README.md")]
    page, readme = (
        [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()] for text in texts
    )
    measured = {
        row[0]: [row[2], row[1], row[6], row[7]] for row in page if len(row) == 8 and row[1].isdigit()
    }
    shown = {row[0]: row[1:] for row in readme if row and row[0] in measured}
    assert len(shown) == 6
    assert shown == {name: measured[name] for name in shown}
