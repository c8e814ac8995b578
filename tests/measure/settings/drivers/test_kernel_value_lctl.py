"""Parameters of the Lustre client are applied by lctl, read from every instance, and put back."""

import pytest

from coldcache.design.settings.commands import LctlSetting
from coldcache.design.study import read_study
from coldcache.measure.settings.registry import driver_of, locate

#: lctl as it answers for two OSTs; it keeps their values in a folder.
LCTL = """\
#!/bin/bash
echo "$@" >>{folder}/calls
case $1 in
set_param) value=${{2#*=}}; for ost in 0 1; do [ -e {folder}/stuck$ost ] || echo "$value" >{folder}/value$ost; done ;;
get_param) cat {folder}/value0 {folder}/value1 ;;
esac
"""

NAME = "osc.*OST*.max_rpcs_in_flight"


@pytest.fixture
def lustre(stand_in, tmp_path):
    """Return the folder of a client that has two OSTs, and the address of the parameter."""
    folder = stand_in("lctl", LCTL)
    for ost in (0, 1):
        (folder / f"value{ost}").write_text("8\n")
    return folder, locate(LctlSetting(kind="lctl", name=NAME), tmp_path)


def test_a_parameter_is_set_read_from_every_instance_and_put_back(lustre, tmp_path):
    folder, address = lustre
    module = driver_of(address)
    with (tmp_path / "lock").open("w") as lock:
        assert module.why_not(address) is None
        assert module.read(address, lock.fileno()) == "8"
        module.apply(address, "32", lock.fileno())
        assert module.read(address, lock.fileno()) == "32"
        module.restore(address, "8", lock.fileno())
        assert module.read(address, lock.fileno()) == "8"
    assert (folder / "calls").read_text().splitlines()[1] == f"set_param {NAME}=32"


def test_an_instance_that_keeps_its_value_is_seen(lustre, tmp_path):
    folder, address = lustre
    (folder / "stuck1").touch()
    with (tmp_path / "lock").open("w") as lock:
        driver_of(address).apply(address, "32", lock.fileno())
        assert driver_of(address).read(address, lock.fileno()) == "32 8"


def test_the_study_sets_what_the_document_sets(root):
    sweep = read_study(root / "config/studies", "fsx-metadata").sweeps["metadata-iops"]
    names = {name: kind.name for name, kind in sweep.settings.items() if isinstance(kind, LctlSetting)}
    assert [f"lctl set_param {names[name]}={sweep.factors[name][0]}" for name in names] == [
        "lctl set_param osc.*OST*.max_rpcs_in_flight=32", "lctl set_param mdc.*.max_rpcs_in_flight=64",
        "lctl set_param mdc.*.max_mod_rpcs_in_flight=50", "lctl set_param osc.*.max_dirty_mb=64",
    ]  # fmt: skip
