"""The matrix of voices, phrasings and rooms on which recognisers are chosen: docs/ears.md."""
