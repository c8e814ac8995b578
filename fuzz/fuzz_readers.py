"""Fuzz every reader of logs: any bytes give records that an oracle confirms, or a refusal of one line.

`make fuzz` runs this guided by coverage, with atheris, for ``RUNS`` executions. New inputs are kept in ``logs/fuzz``;
``fuzz/corpus`` holds the smallest set of inputs with the full coverage, and every finding::

    python fuzz/fuzz_readers.py -runs=100000 -dict=fuzz/words.dict logs/fuzz fuzz/corpus

Without atheris, `mutate` changes inputs of the corpus at random.
"""

import math
import random
import sys
from contextlib import nullcontext
from pathlib import Path

try:
    import atheris
except ModuleNotFoundError:
    atheris = None

sys.path.insert(0, str(Path(__file__).parent))
is_guided = atheris is not None and __name__ == "__main__"
with atheris.instrument_imports(include=["coldcache"]) if is_guided else nullcontext():
    from oracle import find_contradiction

    from coldcache.core.errors import LogError
    from coldcache.tools import find_readers, read_log


#: The series of fio need a name.
NAME = "fuzz_bw.1.log"


def read_any_bytes(log: bytes) -> None:
    """Read a log; anything but a refusal of one line, or ordered records that point to their digits, is a finding.

    So is a record that the slow reading of `oracle` contradicts.
    """
    try:
        records = read_log(log, NAME)
    except LogError as cause:
        assert str(cause) and "\n" not in str(cause), repr(cause)
        return
    assert records, find_readers(log)
    assert not (why := find_contradiction(records, log)), why
    last = 0
    for record in records:
        assert math.isfinite(record.value) and record.value >= 0.0, record
        assert last <= record.offset, record
        text = log[record.offset : record.offset + record.length]
        assert any(byte in b"0123456789" for byte in text), record
        assert record.printed.startswith(text.decode("utf-8", "replace")), record
        last = record.offset


def mutate(corpus: list[bytes], words: list[bytes], source: random.Random) -> bytes:
    """Return an input of the corpus after up to five changes, as libFuzzer makes them."""
    log = bytearray(source.choice(corpus))
    for _ in range(source.randrange(1, 6)):
        start = source.randrange(len(log) + 1)
        end = min(len(log), start + source.choice((0, 1, 2, 4, 30, 200)))
        other = source.choice(corpus)
        at = source.randrange(len(other) + 1)
        log[start:end] = source.choice(
            (
                b"",
                source.choice(words),
                source.randbytes(source.randrange(1, 4)),
                b"%d" % source.choice((0, 1, 9, 255, 2**31, 2**64, 10**400)),
                bytes(log[start:end]) * 2,
                other[at : at + source.choice((10, 100, 1000))],
            )
        )
    return bytes(log[:6144])


def main() -> None:
    """Run until the number of executions that the command line asks for, or the first finding."""
    if atheris is None:
        sys.exit("fuzz_readers.py: atheris is not installed: make fuzz")
    atheris.Setup(sys.argv, read_any_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
