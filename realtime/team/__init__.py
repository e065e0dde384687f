"""The team: its steps, the questions to it, and the way to it."""
