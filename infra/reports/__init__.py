"""What became of a session, for people and programs: made by rules from what is stored, without a model."""
