"""A clinician made of sound: words, hums, coughs and rooms for demonstrations, measurements and tests."""
