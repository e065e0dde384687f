"""A strict scripted database: it answers by its script, in order, and fails on anything else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from infra.database.errors import RecordError
from infra.database.port import Records, RowFate, StoredSession


class UnexpectedRecordsCall(BaseException):  # which no loop's last resort catches
    """A call came that the script does not have at this place."""


@dataclass(frozen=True, slots=True)
class Expect:
    """One call: its name, and what it answers or raises."""

    call: str
    answer: Any = None
    fails: RecordError | None = None


@dataclass(slots=True)
class ScriptedRecords(Records):
    """`Records` by script. `made` lists the calls that came: (name, argument)."""

    script: list[Expect] = field(default_factory=list)
    made: list[tuple[str, Any]] = field(default_factory=list)

    def assert_finished(self) -> None:
        """Raise AssertionError if a step of the script is left."""
        assert not self.script, f"never called: {[step.call for step in self.script]}"

    async def write(self, stored: StoredSession) -> RowFate:
        """As the port; written unless the script says otherwise."""
        return RowFate(self._next("write", stored) or RowFate.WRITTEN)

    async def get(self, session_id: str) -> StoredSession | None:
        """As the port; the script's answer is the row."""
        found: StoredSession | None = self._next("get", session_id)
        return found

    async def revoke(self, session_id: str) -> None:
        """As the port."""
        self._next("revoke", session_id)

    async def forget(self, ended_before_ms: int) -> int:
        """As the port; the script's answer is the number."""
        return int(self._next("forget", ended_before_ms) or 0)

    async def check(self) -> None:
        """As the port."""
        self._next("check", None)

    async def aclose(self) -> None:
        """Close. Needs no step."""

    def _next(self, call: str, argument: Any) -> Any:
        step = self.script.pop(0) if self.script else None
        if step is None or step.call != call:
            raise UnexpectedRecordsCall(f"{call} came, where the script has {step}")
        self.made.append((call, argument))
        if step.fails is not None:
            raise step.fails
        return step.answer
