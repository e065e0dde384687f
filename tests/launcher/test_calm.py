"""Whether the machine has room, as /proc/stat tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.calm import is_calm


def tell(stat: Path, *, busy: int, idle: int, disk: int = 0) -> None:
    stat.write_text(f"cpu  {busy} 0 0 {idle} {disk} 0 0 0 0 0\ncpu0 1 2 3 4\n", encoding="ascii")


@pytest.mark.parametrize(
    ("busy", "idle", "disk", "calm"),
    [(75, 25, 0, True), (76, 24, 0, False), (75, 5, 20, True), (0, 0, 0, False), (0, 100, 0, True)],
)
async def test_the_time_between_two_looks_counts(
    tmp_path: Path, busy: int, idle: int, disk: int, calm: bool
) -> None:
    stat = tmp_path / "stat"
    tell(stat, busy=1_000, idle=9_000)
    look = is_calm(stat)
    assert not await look()
    tell(stat, busy=1_000 + busy, idle=9_000 + idle, disk=disk)
    assert await look() is calm


async def test_a_system_that_does_not_tell_is_taken_for_calm(tmp_path: Path) -> None:
    assert await is_calm(tmp_path / "none")()
    (tmp_path / "other").write_text("intr 7\n", encoding="ascii")
    assert await is_calm(tmp_path / "other")()
