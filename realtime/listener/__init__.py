"""The listener: whether one is there, how far it has heard, and what its leaving and return cause."""
