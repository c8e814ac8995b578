"""Fuzz every reader of logs, guided by coverage: any bytes give records that point to their digits, or one line.

Run for a number of executions over a folder of seeds; what it finds is kept beside it::

    mkdir -p logs/fuzz && cp tests/specimens/*.* logs/fuzz
    python tests/fuzz/fuzz_readers.py -runs=100000 -max_len=20000 -dict=tests/fuzz/words.dict logs/fuzz
"""

import math
import sys

import atheris

with atheris.instrument_imports(include=["coldcache"]):
    from coldcache.errors import LogError
    from coldcache.tools import READERS, find_reader, read_log

    for reader in READERS:
        __import__(f"coldcache.tools.{reader}")


def read_any_bytes(log: bytes) -> None:
    """Read a log; anything but records in order, each pointing to digits, or a refusal of one line is a finding."""
    try:
        records = read_log(log, "fuzz_bw.1.log")
    except LogError as cause:
        assert str(cause) and "\n" not in str(cause), repr(cause)
        return
    assert records, find_reader(log)
    last = 0
    for record in records:
        assert math.isfinite(record.value) and record.value >= 0.0, record
        assert last <= record.offset, record
        assert any(byte in b"0123456789" for byte in log[record.offset : record.offset + record.length]), record
        last = record.offset


def main() -> None:
    """Run until the number of executions that the command line asks for, or the first finding."""
    atheris.Setup(sys.argv, read_any_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
