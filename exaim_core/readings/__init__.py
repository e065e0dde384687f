"""A model's reading of agents' words: asked by segment, checked slot by slot, entered on the board."""
