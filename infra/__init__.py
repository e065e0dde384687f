"""The edges that every process shares: settings, store, streams, ledger, leases, embedded servers."""
