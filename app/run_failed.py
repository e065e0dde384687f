"""What the process of the teams is told of a run that failed. It knows no more of what a run needs."""

from __future__ import annotations


class RunFailed(Exception):
    """A run can't go on now; begun again it may. The message holds nothing of a case."""
