"""One session in one room. Each room of this package knows those below it only (docs/decisions/059)."""
