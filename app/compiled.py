"""Compile the patterns of all that is imported by now: a module, as a fork server is given names of modules alone.

The patterns of the engine are compiled at their first use. Who is forked for a session has them from its template, or
its first words would wait for them.
"""

from __future__ import annotations

from exaim_core.text.patterns import compile_all

compile_all()
