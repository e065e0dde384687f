"""Claims: who says what about which thing, read from units. Each agent has one reader."""
