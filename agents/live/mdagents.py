"""`exaim_live.mdagents` by its first name."""

from exaim_live.mdagents import Hears, Roles, ToldAs, hearing

__all__ = ["Hears", "Roles", "ToldAs", "hearing"]
