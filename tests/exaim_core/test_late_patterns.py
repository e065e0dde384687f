"""A late pattern is compiled at its first use, once, and is then as good as the pattern itself."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

from exaim_core.text.patterns import compile_all, late


class Made:
    """Makes a pattern, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> re.Pattern[str]:
        self.times += 1
        return re.compile(r"(?P<what>gout)", re.IGNORECASE)


def test_it_is_compiled_at_its_first_use_and_once() -> None:
    made = Made()
    gout = late(made)
    assert made.times == 0
    assert [gout.search("Gout") is not None, gout.sub("", "gout"), gout.findall("gout")] == [
        True,
        "",
        ["gout"],
    ]
    assert made.times == 1


@pytest.mark.parametrize("name", ["pattern", "flags", "groups", "groupindex"])
def test_it_says_of_itself_what_the_pattern_does(name: str) -> None:
    assert getattr(late(Made()), name) == getattr(Made()(), name)


def test_what_no_pattern_has_it_has_not_and_does_not_compile_for() -> None:
    made = Made()
    assert not hasattr(late(made), "__wrapped__")
    assert not hasattr(late(made), "title")
    assert made.times == 0


def test_all_are_compiled_where_it_is_asked_for() -> None:
    made = Made()
    gout = late(made)
    compile_all()
    compile_all()
    assert gout.search("gout") is not None
    assert made.times == 1


def test_the_board_is_imported_without_its_patterns() -> None:
    code = """
import sys
from exaim_core.board import board
from exaim_core.text.rows import Lexicon
owned = [each for module in [*sys.modules.values()] for each in vars(module).values()]
sys.exit(" ".join(each.file for each in owned if isinstance(each, Lexicon) and each) or 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, timeout=60, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, ""), "these have compiled forms"


def _cached() -> list[tuple[str, Any]]:
    """Return the functions of the engine and of the interruptions that keep patterns which they made."""
    import_module("exaim_core.exaim")
    import_module("realtime.interruption.words")
    found = []
    for module in [*sys.modules.values()]:
        name = getattr(module, "__name__", "")
        if name.startswith(("exaim_core", "realtime.interruption")):
            for each in vars(module).values():
                if hasattr(each, "cache_info") and each.__module__ == name:
                    returned = str(inspect.signature(each).return_annotation)
                    if any(kind in returned for kind in ("Pattern", "Hints", "Lexicon", "Grammar")):
                        found.append((f"{name}.{each.__name__}", each))
    return found


def test_what_is_made_at_its_first_use_is_made_by_then_too() -> None:
    """An alarm's first word waits for no pattern, nor do a clinician's first words."""
    kept = dict(_cached())
    assert {"exaim_core.claims.emergencies._any", "realtime.interruption.words.lexicon"} <= kept.keys()
    for each in kept.values():
        each.cache_clear()
    compile_all()
    assert [name for name, each in kept.items() if not each.cache_info().currsize] == []
