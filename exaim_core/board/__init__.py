"""The board: what all agents hold at this moment, and which changes of it are to be spoken."""
