"""What is missing is one line with the command that cures it."""

import os
import shutil

from coldcache.measure.model import feasibility


def test_missing_packages_are_named_with_their_command(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None if program in ("ceph-osd", "tc") else program)
    (line,) = [line for line in feasibility.list_obstacles() if line.startswith("missing")]
    assert line == "missing: ceph-osd, iproute2: apt-get install --no-install-recommends ceph-osd iproute2"


def test_root_is_asked_for(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "the model needs root: run it by sudo" in feasibility.list_obstacles()


def test_devices_are_asked_for(monkeypatch):
    monkeypatch.setattr(feasibility, "_is_device", lambda path: False)
    lines = feasibility.list_obstacles()
    assert any(line.startswith("/dev/fuse is missing: modprobe fuse") for line in lines)
    assert any(line.startswith("/dev/loop-control is missing: modprobe loop") for line in lines)
