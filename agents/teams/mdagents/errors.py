"""The errors of MDAgents. No message holds the text of a case.

MDAgentsError (a TeamError)
├── SettingsWrong      a setting is out of its range or unknown
├── NobodyLeft         every agent that could have answered has failed
├── DatasetError       a data set can't be read at all
│   ├── NoDataset     there is none of that name
│   └── RowError       one row can't be used; the others can
├── RunExists          a run of that name is there already
├── RunDiffers         what is to be gone on with, or merged, was made with other settings
└── SaveFailed         a result could not be written; nothing of it is left half-written
"""

from __future__ import annotations

from pathlib import Path

from agents.teams.errors import TeamError


class MDAgentsError(TeamError):
    """Any of the errors in this module."""


class SettingsWrong(MDAgentsError, ValueError):
    """A setting is out of its range, or names what there is not; the message says what there is."""


class NobodyLeft(MDAgentsError):
    """Every agent that could have answered has failed; `reasons` by agent, one word each."""

    def __init__(self, reasons: dict[str, str]) -> None:
        told = ", ".join(f"{agent}: {reason}" for agent, reason in reasons.items())
        super().__init__(f"no agent is left that could answer ({told})")
        self.reasons = reasons


class DatasetError(MDAgentsError):
    """A data set can't be read; the message says what to do."""


class NoDataset(DatasetError):
    """There is no data set of that name."""


class RowError(DatasetError):
    """One row can't be used. `row` counts from 1, as lines in an editor; `field` "": the whole row."""

    def __init__(self, row: int, field: str, problem: str) -> None:
        where = f"row {row}, field {field!r}" if field else f"row {row}"
        super().__init__(f"{where}: {problem}")
        self.row, self.field, self.problem = row, field, problem


class RunExists(MDAgentsError):
    """A run of that name is there."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there: --resume goes on with it, --fresh begins anew")
        self.path = path


class RunDiffers(MDAgentsError):
    """Parts of a run were made with other settings, or are not all there."""


class SaveFailed(MDAgentsError):
    """A result could not be written. What was written before it is whole; `--resume` goes on from there."""

    def __init__(self, path: Path, error: OSError) -> None:
        why = error.strerror or type(error).__name__
        super().__init__(f"{path} could not be written: {why}. Make room, then go on by --resume")
        self.path = path
