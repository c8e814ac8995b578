"""Nodes are asked by the program that reaches them; here each is this machine under another name."""

import os
import platform
from pathlib import Path

import pytest

from coldcache.core.errors import ClusterError, SettingError
from coldcache.measure.cluster import ask_nodes as asking
from coldcache.measure.cluster.ask_nodes import (
    BlockNodes,
    ask_nodes,
    cool_everywhere,
    describe_everywhere,
    find_fault,
    match_host,
    write_mark,
)
from coldcache.measure.host.inventory import describe_machine
from coldcache.measure.host.page_cache import measure_residency

#: ssh -o BatchMode=yes HOST COMMAND...: the command runs here, in a system that has the host's name.
SSH = """\
#!/bin/sh
shift 2
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec "$@"' "$host" "$@"
"""


@pytest.fixture
def nodes(tmp_path, monkeypatch):
    """Two nodes that see one folder."""
    if os.geteuid():
        pytest.skip("a host name of its own needs root")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").write_text(SSH)
    (tmp_path / "bin/ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    work = tmp_path / "work"
    work.mkdir()
    return work, ("alpha", "beta.site.org")


def test_every_node_describes_itself_wholly_and_leaves_nothing(nodes):
    work, hosts = nodes
    told = describe_everywhere("ssh", hosts, work)
    assert list(told) == ["alpha", "beta.site.org"]
    assert told["alpha"] == describe_machine(work)
    assert list(work.iterdir()) == []


def test_every_node_sees_the_mark(nodes):
    work, hosts = nodes
    place = BlockNodes(hosts, write_mark(work))
    assert find_fault("ssh", place, work, 2) is None
    assert ask_nodes("ssh", hosts, [str(work / ".seen")])["alpha"]["mark"] == place.word


@pytest.mark.parametrize(("method", "left"), [("eviction", 0), ("none", 2**20)])
def test_files_are_dropped_on_every_node_by_the_method_that_is_asked_for(nodes, tmp_path, method, left):
    work, hosts = nodes
    path = work / "file"
    path.write_bytes(os.urandom(2**20))
    if measure_residency([path]).resident != 2**20:
        pytest.skip("the page cache does not keep what is written")
    held = cool_everywhere("ssh", hosts, [path], tmp_path / "inputs.txt", method)
    assert held == {"alpha": left, "beta.site.org": left}
    assert not (tmp_path / "inputs.txt").exists()


def test_a_node_that_does_not_drop_them_is_named(nodes, tmp_path):
    _, hosts = nodes
    with pytest.raises(SettingError, match="node alpha did not drop the files from its memory"):
        cool_everywhere("ssh", hosts, [Path("/no/such/file")], tmp_path / "inputs.txt", "eviction")


#: The command runs here, under this machine's own name.
HERE = '#!/bin/sh\nshift 3\nexec sh -c "$*"\n'


def test_a_node_that_answers_under_another_name_is_told_by_both(tmp_path, monkeypatch):
    (tmp_path / "ssh").write_text(HERE)
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    fault = find_fault("ssh", BlockNodes(("10.0.0.5",), write_mark(tmp_path)), tmp_path, 1)
    assert fault == f'node 10.0.0.5 calls itself "{platform.node()}": name it so in clients.hosts'


def test_a_node_that_does_not_answer_is_told_though_another_has_another_name(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "ask_nodes", lambda *_: {"n1": {"asked": "n1"}, "vm": {"asked": ""}})
    with pytest.raises(ClusterError, match=r"^node n2 does not answer within 120 s; another job will try it$"):
        find_fault("srun", BlockNodes(("n1", "n2"), "word"), tmp_path, 2)


@pytest.mark.parametrize(
    ("host", "hosts", "found"),
    [
        ("a.site.org", ("b", "a"), "a"),
        ("a", ("b.site.org", "a.site.org"), "a.site.org"),
        ("a.two", ("a.one", "a.two"), "a.two"),
        ("10.0.0.6", ("10.0.0.5", "10.0.0.6"), "10.0.0.6"),
        ("10.0.0.7", ("10.0.0.5", "10.0.0.6"), "10.0.0.7"),
        ("fe80::1", ("fe80::2",), "fe80::1"),
    ],
)
def test_names_are_matched_without_their_domain_and_addresses_whole(host, hosts, found):
    assert match_host(host, hosts) == found
