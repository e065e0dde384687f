"""The edges that all parts share: settings, store, streams, ledger, leases, embedded servers."""
