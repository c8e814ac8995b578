"""Run one trial in a User-Mode-Linux guest that is both NFS client and server.

`run.sh` starts the guest, whose first process is `init.sh`; both run without root. The guest has one processor and
serves files from memory: calls and transports are counted as on any client, but times hold only for this guest.
"""
