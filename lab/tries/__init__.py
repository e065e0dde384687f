"""Tries to get in, to act as another, and to silence another, against a stack that runs on this machine."""
