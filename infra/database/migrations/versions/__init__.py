"""One module a step, in the order that `down_revision` gives."""
