"""The vocabulary: one name per concept in YAML, Python, xarray, file names and axes."""

from difflib import get_close_matches
from typing import NamedTuple

from coldcache.core.foreign_words import name_ours


class Factor(NamedTuple):
    """A quantity that a sweep varies: its stored unit (None for names) and the label of its axis."""

    unit: str | None
    label: str


#: Every factor that a sweep may vary. ``threads`` counts concurrent I/O streams over all clients.
FACTORS = {
    "threads": Factor("1", "threads"),
    "nodes": Factor("1", "client nodes"),
    "transfer_size": Factor("B", "transfer size"),
    "file_size": Factor("B", "file size per thread"),
    "file_layout": Factor(None, "file layout"),
    "queue_depth": Factor("1", "queue depth"),
    "direct_io": Factor(None, "direct I/O"),
    "writes_per_flush": Factor("1", "writes per flush"),
    "files": Factor("1", "files per thread"),
    "directories_per_thread": Factor("1", "directories per thread"),
    "items_per_directory": Factor("1", "items per directory"),
    "file_body": Factor("B", "bytes in each file"),
    "file_sync": Factor(None, "synced"),
    "write_cache": Factor(None, "write cache"),
    "write_barrier": Factor(None, "write barrier"),
    "write_behind": Factor(None, "write-behind"),
    "io_scheduler": Factor(None, "I/O scheduler"),
    "targets": Factor("1", "storage targets"),
    "stripe_count": Factor("1", "stripe count"),
    "stripe_size": Factor("B", "stripe size"),
    "mdts": Factor("1", "metadata targets"),
    "sas_driver": Factor(None, "SAS driver"),
    "max_sgl_entries": Factor("1", "entries of a scatter-gather list"),
    "node_pairs": Factor("1", "pairs of NVMe nodes"),
    "metadata_iops": Factor("1", "provisioned metadata IOPS"),
    "device_iops": Factor("1", "limit of the device's IOPS"),
    "throughput_tier": Factor("B/s", "provisioned throughput per TiB"),
    "target_rate": Factor("B/s", "limit of a storage target"),
    "target_limit": Factor(None, "limits of the storage targets"),
    "node_rate": Factor("B/s", "link of a storage node"),
    "client_rate": Factor("B/s", "link of a client"),
    "client_cache": Factor(None, "cache of the clients"),
    "client_memory": Factor("B", "cache of each client"),
    "target_outage": Factor("s", "outage of a storage target"),
    "metadata_cpu": Factor("1", "share of a core of a metadata server, %"),
    "osc_rpcs_in_flight": Factor("1", "calls in flight per OST"),
    "mdc_rpcs_in_flight": Factor("1", "calls in flight per MDT"),
    "mdc_mod_rpcs_in_flight": Factor("1", "changing calls in flight per MDT"),
    "osc_dirty_mb": Factor("1", "dirty MiB per OST"),
    "instance_type": Factor(None, "instance type"),
    "instance_link": Factor(None, "instance link"),
    "write_mode": Factor(None, "write mode of the mount"),
    "nfs_version": Factor(None, "NFS version"),
    "io_size": Factor("B", "rsize and wsize"),
    "nconnect": Factor("1", "connections per mount"),
    "mount_option": Factor(None, "mount option"),
    "outage_option": Factor(None, "mount option against outages"),
    "network_delay": Factor("s", "network delay each way"),
    "slot_table_entries": Factor("1", "slot table entries per connection"),
    "server_rate": Factor("B/s", "link of the server"),
    "disk_rate": Factor("B/s", "disks behind the write cache"),
    "server_cache": Factor(None, "write cache of the server's disk"),
    "sysctl": Factor(None, "kernel parameters"),
    "tuned_profile": Factor(None, "tuned profile"),
}

#: Factors of the system, not of a tool's command line: without a setting their levels would be mere labels.
SET_FACTORS = (
    "write_cache", "write_barrier", "write_behind", "io_scheduler", "targets", "stripe_count", "stripe_size",
    "mdts", "sas_driver", "max_sgl_entries", "node_pairs", "metadata_iops", "device_iops", "throughput_tier",
    "osc_rpcs_in_flight", "mdc_rpcs_in_flight", "mdc_mod_rpcs_in_flight", "osc_dirty_mb", "instance_type",
    "instance_link", "write_mode", "nfs_version", "target_rate", "target_limit", "node_rate", "client_rate",
    "client_cache", "client_memory", "target_outage", "metadata_cpu", "io_size", "nconnect", "mount_option",
    "outage_option", "network_delay", "slot_table_entries", "server_rate", "disk_rate", "server_cache", "sysctl",
    "tuned_profile",
)  # fmt: skip


class ServedSetting(NamedTuple):
    """A setting that a program serves during a trial: its factor and the known levels."""

    factor: str
    levels: tuple[str, ...]


#: Settings that last for one trial, by the program that serves them.
SETTINGS = {"qemu-nbd": ServedSetting("write_cache", ("writeback", "writethrough", "none", "directsync", "unsafe"))}

#: The level of a write cache that acknowledges flushes without one.
IGNORES_FLUSHES = "unsafe"

#: Factors that imported logs state besides `FACTORS`; no sweep varies them, and cases that differ in one stay separate.
LEARNT_FACTORS = {
    "depth": Factor("1", "depth of the directory tree"),
    "branching_factor": Factor("1", "directories per directory"),
    "fsync": Factor(None, "fsync"),
    "clients": Factor("1", "client processes"),
    "phase": Factor(None, "IO500 phase"),
    "mount": Factor(None, "mount point"),
    "series": Factor(None, "series"),
    "mix": Factor("1", "reads in the mix, in per cent"),
}

FILE_LAYOUTS = ("file-per-thread", "shared-file")

#: Operations on data, and on files and directories themselves.
DATA_OPERATIONS = ("write", "read", "random-write", "random-read")
METADATA_OPERATIONS = (
    "file-create", "file-stat", "file-read", "file-remove", "directory-create", "directory-stat", "directory-remove",
)  # fmt: skip
OPERATIONS = DATA_OPERATIONS + METADATA_OPERATIONS

#: Operations on names that the kernel's dentries and inodes answer, where it has kept them.
LOOK_UPS = ("file-stat", "file-read", "directory-stat")

#: Factors of files and directories themselves, and all those that metadata operations have besides `SET_FACTORS`.
NAME_FACTORS = ("files", "directories_per_thread", "items_per_directory")
BODY_FACTORS = ("file_body", "file_sync")
METADATA_FACTORS = ("threads", "nodes", *NAME_FACTORS, *BODY_FACTORS)

#: When new files are brought to stable storage: never by the tool, each before the next, or all after their phase.
FILE_SYNCS = ("none", "each", "phase")

#: Metric by which an operation is judged first.
METRIC_OF_OPERATION = {
    "write": "throughput",
    "read": "throughput",
    "random-write": "rate",
    "random-read": "rate",
    **dict.fromkeys(METADATA_OPERATIONS, "rate"),
}

#: Tag of the cell of a notebook that says why it failed.
FAILED = "failed"

VERDICTS = ("valid", "suspect", "void", "missing")

COLD_VERDICTS = ("cold", "warm", "mixed", "unproved", "not applicable")


def nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    """Return the hint that ends a message about an unknown word: ours for a tool's, the nearest known one, or all.

    Parameters
    ----------
    word : str
        What the user wrote.
    known : sequence of str
        The words that are allowed.
    """
    ours = name_ours(word, known)
    if ours:
        return ours
    by_lower_case = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), by_lower_case, n=1, cutoff=0.6)
    return f'did you mean "{by_lower_case[near[0]]}"?' if near else f"known are {', '.join(known)}"


#: States of an item, the best first.
STATES = ("measured", "imported", "published only", "not run")

#: Verdicts on a claim.
CLAIM_VERDICTS = ("borne out", "refuted", "open", "not testable here")

#: Scopes of a claim: what can decide it.
CLAIM_SCOPES = {
    "document": "arithmetic with the source's own numbers",
    "protocol": "true of any implementation, so any system can decide it",
    "model": "a shape, an order or a ratio that follows from a topology, so a system with that topology can decide it",
    "system": "a value or behaviour of one product, so only that product can decide it",
}
