"""Cores that are kept awake for a measurement."""

from __future__ import annotations

import os
import sys

import pytest

from lab.bench import awake

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="does nothing elsewhere")


def test_idle_work_that_ended_early_spoils_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awake, "_IDLE_WORK", "raise SystemExit({parent})")
    with pytest.raises(RuntimeError, match="ended early"), awake.awake():
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # until one is gone; it stays to be seen


def test_idle_work_lasts_as_long_as_the_measurement() -> None:
    with awake.awake():
        pass
