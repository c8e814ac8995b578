"""Words of fio, IOR, IOzone, mdtest and launchers, and what they are called here."""

from collections.abc import Collection
from typing import NamedTuple


class Meaning(NamedTuple):
    """Whose word it is, and ours: a factor, or a key of a sweep."""

    tool: str
    ours: str


def _spread(tool: str, ours: dict[str, str]) -> list[tuple[str, Meaning]]:
    return [(word, Meaning(tool, name)) for name, words in ours.items() for word in words.split()]


_ALL = [
    *_spread("fio", {
        "queue_depth": "iodepth", "transfer_size": "bs blocksize block_size", "threads": "numjobs jobs",
        "file_size": "size filesize", "operations": "rw readwrite", "direct_io": "direct buffered",
        "seconds": "runtime time_based", "files": "nrfiles", "repetitions": "loops", "file_layout": "filename",
        "writes_per_flush": "fsync", "options": "ioengine end_fsync",
    }),
    *_spread("IOR", {
        "transfer_size": "-t transferSize", "file_size": "-b blockSize", "threads": "-N numTasks",
        "file_layout": "-F filePerProc", "repetitions": "-i repetitions", "direct_io": "-B --posix.odirect",
        "operations": "-w -r -z", "options": "-a -e -C",
    }),
    *_spread("IOzone", {
        "threads": "-t", "file_size": "-s", "transfer_size": "-r reclen record_size", "operations": "-i",
        "direct_io": "-I", "file_layout": "-F", "options": "-+n",
    }),
    *_spread("mdtest", {
        "files": "-n num_items", "items_per_directory": "-I", "repetitions": "-i", "operations": "-D",
    }),
    *_spread("MPI", {"threads": "-np np ranks processes procs", "nodes": "hosts"}),
    *_spread("Slurm", {"threads": "ntasks -n --ntasks", "nodes": "--nodes"}),
]  # fmt: skip

#: The meanings of each word, of one tool or several.
MEANINGS: dict[str, list[Meaning]] = {word: [] for word, _ in _ALL}
for _word, _meaning in _ALL:
    MEANINGS[_word].append(_meaning)

#: Keys of a sweep to which a tool's word may lead, besides factors.
_KEYS = frozenset(("operations", "seconds", "repetitions", "options"))


def name_ours(word: str, known: Collection[str]) -> str | None:
    """Return a hint from a tool's word to the word of this program; None if no word of `known` has its meaning.

    Parameters
    ----------
    word : str
        What the user wrote.
    known : collection of str
        The words that may be there: names of factors, or the keys of a sweep or a study.
    """
    parts = []
    for tool, ours in MEANINGS.get(word, []):
        if ours in known:
            parts.append(f"{tool}'s {word} is {ours} here")
        elif "factors" in known and ours not in _KEYS:
            parts.append(f"{tool}'s {word} is {ours} here, under factors")
        elif "threads" in known and ours in _KEYS:
            parts.append(f"{tool}'s {word} is {ours} here, a key of the sweep")
        elif "sweeps" in known:
            parts.append(f"{tool}'s {word} is {ours} here, {'a key' if ours in _KEYS else 'under factors'} of a sweep")
    return "; ".join(parts) or None
