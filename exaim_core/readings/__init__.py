"""What a model reads in the agents' words: asked by segment, checked slot by slot, entered beside the rules."""
