"""A synthetic clinician: words, hums, coughs and rooms, for demonstrations and measurements."""
