"""The error by which a failed run is reported to the process of the teams."""

from __future__ import annotations


class RunFailed(Exception):
    """A run can't go on now; begun again it may. The message holds nothing of a case."""
