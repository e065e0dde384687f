"""Claims: who says what of which thing, read from units. One reader an agent."""
