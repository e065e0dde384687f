"""A file made of another is made once, whole, and anew where it is broken or its source is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.dialogue.made_once import made_once


class Maker:
    """Writes the source backwards, and counts."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, source: Path, to: Path) -> None:
        self.made += 1
        to.write_bytes(source.read_bytes()[::-1])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"weights")
    return path


def test_it_is_made_once(source: Path, tmp_path: Path) -> None:
    make, folder = Maker(), tmp_path / "kept"
    first = made_once(source, folder, make)
    assert (first.read_bytes(), made_once(source, folder, make), make.made) == (b"sthgiew", first, 1)
    assert list(folder.iterdir()) == [first]


def test_what_is_broken_is_made_anew(source: Path, tmp_path: Path) -> None:
    make, folder = Maker(), tmp_path / "kept"
    kept = made_once(source, folder, make)
    for broken in (b"", b"sthg", b"sthgieW"):
        kept.write_bytes(broken)
        assert made_once(source, folder, make).read_bytes() == b"sthgiew"
    assert make.made == 4


def test_of_another_source_it_is_made_anew_and_the_old_one_goes(source: Path, tmp_path: Path) -> None:
    make, folder = Maker(), tmp_path / "kept"
    made_once(source, folder, make)
    source.write_bytes(b"others")
    kept = made_once(source, folder, make)
    assert kept.read_bytes() == b"srehto"
    assert list(folder.iterdir()) == [kept]


def test_nothing_is_left_of_what_could_not_be_made(source: Path, tmp_path: Path) -> None:
    def fails(_: Path, to: Path) -> None:
        to.write_bytes(b"half")
        raise OSError

    with pytest.raises(OSError):
        made_once(source, tmp_path / "kept", fails)
    assert list((tmp_path / "kept").iterdir()) == []
