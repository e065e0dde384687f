"""HTTP: one module a resource, thin over `infra`. The wiring is in `api.py`."""
