"""Measures at the listener's ear, in a real room, beside the floor of the same run (`exaim bench`)."""
