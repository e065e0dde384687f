"""The tests. What they compute, and what they start, has as few threads as the launcher gives our processes."""

import os

from app.preloaded import SINGLE

os.environ.update(
    SINGLE
)  # read when numpy and the recogniser are imported, so before anything else of the tests
