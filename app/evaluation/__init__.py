"""How good is what is told? One ruler for the engine, for its public ancestor, and for the lists made by hand."""
