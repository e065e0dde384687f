"""One session in one room: the room adapter, the narrator, positions, captions."""
