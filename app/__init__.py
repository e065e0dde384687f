"""Composition roots: each process of EXAIM Voice is put together and started here."""
