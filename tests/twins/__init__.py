"""Strict local stand-ins for the services that serve chat models, spoken to over real sockets on loopback."""
