"""What Ceph's daemons and clients are told: one file, made from the specification."""

import uuid

from coldcache.design.model.specification import Specification
from coldcache.measure.model.place import Place

#: The model's network is its own, so that every model may have the same.
HUB = "10.78.0.1"

_TEXT = """\
[global]
fsid = {identity}
mon host = {hub}
auth cluster required = none
auth service required = none
auth client required = none
keyring = {folder}/etc/keyring
run dir = {folder}/run
admin socket = {folder}/run/$name.asok
pid file = {folder}/run/$name.pid
log file = {folder}/log/$name.log
crash dir = {folder}/run/crash
setuser match path =
log to stderr = false
# Once in the background, ceph-fuse has a pipe to the kernel in the place of its standard error: a message there is the
# end of it.
err to stderr = false
ms async op threads = 1
# One copy of everything: what counts is the rate of the targets.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg autoscale mode = off
osd crush update on start = false
osd max object size = 1073741824
# A server that waits for its turn on the processor is not dead.
osd heartbeat grace = {grace}
osd heartbeat interval = {interval}
mon osd down out interval = 0
mon osd report timeout = 86400
mon osd min down reporters = 1
mon osd reporter subtree level = osd
mds beacon grace = {grace}
mds beacon interval = {beacon}
mds session timeout = {session}
[mon]
mon data = {folder}/mon
mon cluster log file = {folder}/log/cluster.log
mon allow pool size one = true
mon allow pool delete = true
mon max pg per osd = 10000
mon data avail warn = 1
mon data avail crit = 0
auth allow insecure global id reclaim = false
# As if upgraded from Nautilus, which has no read leases: in a pool with one copy, a group of objects whose lease ran
# out once stays unreadable for ever (ceph/ceph#52021).
mon debug no require pacific = true
mon debug no require octopus = true
paxos propose interval = 0.02
paxos min wait = 0.01
[osd]
osd data = {folder}/osd/$id
bluestore block create = false
# What is read comes from the device: the servers keep no data in memory.
bluestore cache autotune = false
bluestore cache size = 16777216
bluestore default buffered read = false
bluestore default buffered write = false
# A write of up to 1 MiB is one request to the device: else a limit on their number would bound large writes, too.
bluestore max blob size = 1048576
# What is written later is kept in memory until then; clients.settle_targets sees to the last of it.
bluestore prefer deferred size hdd = 0
bluestore prefer deferred size ssd = 0
bluestore deferred batch ops = 1
bluestore fsck quick fix on mount = false
osd op num shards = 1
osd op num threads per shard = 2
osd op thread timeout = 600
osd op thread suicide timeout = 0
osd max scrubs = 0
# Many targets would use up what the host allows of asynchronous requests (fs.aio-max-nr).
bdev aio max queue depth = 128
osd scrub begin hour = 0
osd scrub end hour = 0
osd class update on start = false
[mds]
mds data = {folder}/mds/$id
mds bal interval = 0
mds tick interval = 1
[client]
admin socket = {folder}/run/$name.asok
# Through the kernel's cache, requests of 128 KiB reach ceph-fuse out of their order, and each such request makes it
# begin to read ahead again.
fuse disable pagecache = {uncached}
# Processes outside the model have no number in it, by which their groups could be looked up.
fuse set user groups = false
"""


def write_configuration(place: Place, specification: Specification) -> str:
    """Write the file, with a new identity; return that identity."""
    identity = str(uuid.uuid4())
    grace = specification.failure_grace
    text = _TEXT.format(
        identity=identity,
        hub=HUB,
        folder=place.folder,
        grace=f"{grace:g}",
        interval=f"{max(1, min(60, grace / 4)):.0f}",
        beacon=f"{max(1, min(4, grace / 4)):.0f}",
        session=f"{max(60, grace):.0f}",
        uncached=str(not specification.kernel_cache).lower(),
    )
    if specification.io_timeout is not None:
        text += f"rados osd op timeout = {specification.io_timeout:g}\n"
    place.configuration.write_text(text)
    (place.folder / "etc/keyring").write_text("")
    return identity


def list_client_options(specification: Specification) -> list[str]:
    """Return the options of ceph-fuse that stand for the specification's values of a client."""
    return [
        f"--client_oc={str(specification.client_cache).lower()}",
        f"--client_oc_size={specification.client_cache_size}",
        f"--client_oc_max_dirty={specification.unwritten}",
        f"--client_oc_target_dirty={specification.unwritten // 64}",
        f"--client_readahead_max_bytes={specification.read_ahead}",
        # By default a reader starts with 128 KiB, which keeps most stripes idle until it has doubled often enough.
        f"--client_readahead_min={specification.read_ahead}",
    ]
