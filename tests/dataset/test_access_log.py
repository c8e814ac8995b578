"""What a process does is noted while somebody watches, by those that it starts, too."""

import subprocess
import sys

from coldcache.dataset.access_log import note, watch

VARIABLE = "COLDCACHE_TEST"


def test_lines_are_noted_in_order_while_somebody_watches():
    note(VARIABLE, "before")
    with watch(VARIABLE) as notes:
        note(VARIABLE, "one")
        started = f"from coldcache.dataset.access_log import note; note({VARIABLE!r}, 'two')"
        subprocess.run([sys.executable, "-c", started], check=True)
        note(VARIABLE, "one")
        assert notes.read_text().splitlines() == ["one", "two", "one"]
    note(VARIABLE, "after")
    assert not notes.exists()
