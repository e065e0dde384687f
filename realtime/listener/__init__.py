"""The listener: is somebody there, how far have they heard, and what follows from their going and coming."""
