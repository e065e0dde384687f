"""Reasoning systems, and the one way by which their words come in: `agents.stream`."""
