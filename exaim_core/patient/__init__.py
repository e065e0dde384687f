"""The patient: case paper, allergies, treatments, and what must not be given."""
