"""How good is what is told? One ruler for the engine, its public ancestor, and lists made by hand."""
