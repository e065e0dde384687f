"""Grounding: may this sentence be said on these sources? Looks at finished sentences only."""
