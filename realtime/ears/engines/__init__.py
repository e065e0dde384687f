"""The recognisers: each hears a whole turn. Only the engines process, and what measures them, imports these."""
