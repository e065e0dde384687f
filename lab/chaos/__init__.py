"""Faults on purpose: a bad network before the SFU, parts that are killed, and what that costs who listens."""
