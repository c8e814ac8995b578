"""A file under its own name is whole, whenever the writer is killed."""

import signal
import subprocess
import sys
import time

import pytest

from coldcache.core.files import write_whole

WRITE = """
import pathlib, sys
from coldcache.core.files import write_whole
print("go", flush=True)
for letter in "ab" * 100_000:
    write_whole(pathlib.Path(sys.argv[1]), letter * 3_000_000)
"""


def test_a_file_and_its_folders_are_made_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "one/two/ä.txt"
    write_whole(path, "größe\n")
    write_whole(path, "last\n")
    assert path.read_bytes() == b"last\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text() == "before"


def test_writers_of_one_file_take_turns(tmp_path):
    path = tmp_path / "a.txt"
    writers = [subprocess.Popen([sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE) for _ in range(3)]
    for writer in writers:
        writer.stdout.readline()
    end = time.monotonic() + 2
    while time.monotonic() < end:
        if path.exists():
            assert path.read_text() in ("a" * 3_000_000, "b" * 3_000_000)
    assert [writer.poll() for writer in writers] == [None] * 3
    for writer in writers:
        writer.kill()
        writer.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [3, 17, 40, 90])
def test_a_killed_writer_leaves_one_of_its_texts_and_no_half_of_one(tmp_path, milliseconds):
    path = tmp_path / "a.txt"
    write_whole(path, "before")
    writer = subprocess.Popen([sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE)
    writer.stdout.readline()
    time.sleep(milliseconds / 1000)
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert path.read_text() in ("before", "a" * 3_000_000, "b" * 3_000_000)
