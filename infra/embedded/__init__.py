"""Servers that a machine without any runs for itself: the SFU and the store, on loopback and a Unix socket.

`locate` finds the SFU's binary (standard library only: the set-up uses it before anything is installed),
`ports` picks free ports and keeps them, `livekit` and `valkey` say how each server is started, `child`
starts a process that does not outlive the one that started it.
"""
