"""A parallel file system on one machine, as a scale model: CephFS with targets, servers, clients and links of its own.

In the order in which they build on each other: `errors`, `specification`, `calls`, `groups`, `place`, `monitor`,
`configuration`, `pools`, `network`, `limits`, `clients`, `start` and `stop`; then `layout`, `counters` and `faults`,
which use a model that is up, and `predict` and `feasibility`, which need none.
"""
