"""An NFS client and server of a kernel of their own: a User-Mode-Linux guest that runs one trial on its own mount.

`run.sh` starts the guest, whose first process is `init.sh`; both run without root. The guest has one processor and
keeps what it serves in memory: calls and transports are counted as on any client, times hold for this guest alone.
"""
