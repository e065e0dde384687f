"""The board: what stands at this moment, and which changes of it are to be told."""
