"""Reports of sessions, for people and programs, made by rules from what is stored."""
