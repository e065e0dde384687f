"""Patterns that are compiled when they are first used, not when their module is imported.

All of the engine's take a process two seconds, and most processes that import a piece of it use few. A process that
will speak has them compiled before it is ready: `compile_all`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar, cast

_NAMES: Final = frozenset(name for name in dir(re.Pattern) if not name.startswith("_"))
_MADE: Final = list[Callable[[], object]]()
_Made = TypeVar("_Made", bound=Callable[[], object])


class _Late:
    """Stands for a pattern; once compiled it holds the pattern's own methods, so that a use costs no call more."""

    def __init__(self, make: Callable[[], re.Pattern[str]]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        if name not in _NAMES:
            raise AttributeError(name)
        self.compile()
        return vars(self)[name]

    def compile(self) -> None:
        if "search" not in vars(self):
            compiled = self._make()
            vars(self).update({name: getattr(compiled, name) for name in _NAMES})


def late(make: Callable[[], re.Pattern[str]]) -> re.Pattern[str]:
    """Return what stands for the pattern that `make` compiles, and makes it at its first use.

    It has the methods and attributes of the pattern, and is equal to itself alone. Two threads may each compile it,
    which does no harm. Raises, at the first use: what `make` raises.
    """
    standing = _Late(make)
    compiled_by_all(standing.compile)
    return cast("re.Pattern[str]", standing)


def compiled_by_all(compile_it: _Made) -> _Made:
    """Have `compile_all` call this too, and return it: a decorator of what is cached, and is slow to make."""
    _MADE.append(compile_it)
    return compile_it


def compile_all() -> None:
    """Compile whatever modules that are imported by now left for later; what is compiled takes no time again.

    For a process that is about to speak, and for one that is to be forked: its forks share what it has.
    """
    for compile_it in _MADE:
        compile_it()
