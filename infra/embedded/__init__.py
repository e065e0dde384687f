"""Embedded servers for a machine without any: the SFU on loopback, the store on a Unix socket.

`locate` finds the SFU's binary (standard library only: the set-up uses it before anything is installed),
`ports` picks free ports and keeps them, `livekit` and `valkey` say how each server is started, `child`
starts a process that does not outlive the one that started it.
"""
