"""Adapters to text-to-speech and speech-to-text engines; each imports its vendor itself."""
