"""The patient: case paper, allergies, treatments, and what may not be given to them."""
