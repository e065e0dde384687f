"""The team: what it is at, what it was asked, and the way to it."""
