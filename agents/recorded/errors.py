"""The reasons why a trace can't be played; each message says what to do.

TraceError
├── TraceNotFound         no such file
├── TraceUnreadable       not gzip, cut short, not text, or a line that is no record
├── TraceSchemaError      not a trace, or one of another schema version
├── TraceEmpty            no delta in it
├── TraceValidationError  records contradict each other
├── StubTraceError        made of placeholder text
└── UnknownCase           no case has this id
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.recorded.validation import Issue

SHOWN_ISSUES = 3


class TraceError(Exception):
    """Base of all reasons why a trace can't be played."""


class TraceNotFound(TraceError):
    """There is no file at the path."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"there is no trace at {path}: check the path given as CASES")
        self.path = path


class TraceUnreadable(TraceError):
    """The file's bytes or one of its lines can't be read; `line` counts from 1 and may be None."""

    def __init__(self, path: Path, what: str, mend: str, line: int | None = None) -> None:
        where = f"{path.name}, line {line}" if line else path.name
        super().__init__(f"{where}: {what}; {mend}")
        self.path, self.line = path, line


class TraceSchemaError(TraceError):
    """The file is not a trace of the schema that is read here."""

    def __init__(self, path: Path, what: str, mend: str) -> None:
        super().__init__(f"{path.name}: {what}; {mend}")
        self.path = path


class TraceEmpty(TraceError):
    """The trace holds nothing to hear."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name}: the trace holds no text; record it again")
        self.path = path


class TraceValidationError(TraceError):
    """Records of the trace contradict each other; `issues` are all errors that were found."""

    def __init__(self, path: Path, issues: Sequence[Issue]) -> None:
        shown = "; ".join(str(issue) for issue in issues[:SHOWN_ISSUES])
        more = f"; and {len(issues) - SHOWN_ISSUES} more" if len(issues) > SHOWN_ISSUES else ""
        super().__init__(
            f"{path.name}: {shown}{more}; record it again, or open it with strict_validation=False"
        )
        self.path, self.issues = path, tuple(issues)


class StubTraceError(TraceError):
    """The trace says that its text is placeholder text."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path.name}: stub_mode is set, so this is placeholder text and no reasoning; "
            "record it with real models, or open it with strict_stub_guard=False"
        )
        self.path = path


class UnknownCase(TraceError):
    """No case of the catalogue has this id."""

    def __init__(self, case_id: str, known: Sequence[str]) -> None:
        names = ", ".join(known) if known else "none"
        super().__init__(f"there is no case {case_id!r}; known cases: {names}")
        self.case_id, self.known = case_id, tuple(known)
