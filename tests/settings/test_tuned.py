"""A profile of tuned is chosen, read back, and put back; none before is none afterwards."""

import pytest

from coldcache.setting_kinds import TunedSetting
from coldcache.settings.addresses import locate, module_of

#: tuned-adm as it answers; it keeps the profile in a file.
TUNED = """\
#!/bin/bash
echo "$@" >>{folder}/calls
case $1 in
profile) shift; echo "$@" >{folder}/profile ;;
off) rm -f {folder}/profile ;;
active)
    if [ -s {folder}/profile ]; then echo "Current active profile: $(cat {folder}/profile)"
    else echo "No current active profile."; fi ;;
esac
"""


@pytest.fixture
def tuned(stand_in, tmp_path):
    folder = stand_in("tuned-adm", TUNED)
    return folder, locate(TunedSetting(kind="tuned"), tmp_path)


def test_a_profile_is_chosen_read_and_put_back(tuned):
    folder, address = tuned
    (folder / "profile").write_text("balanced\n")
    module = module_of(address)
    assert module.why_not(address) == ""
    assert module.read(address, 0) == "balanced"
    module.apply(address, "latency-performance", 0)
    assert module.read(address, 0) == "latency-performance"
    module.restore(address, "balanced", 0)
    assert module.read(address, 0) == "balanced"


def test_where_none_was_active_tuned_is_switched_off_again(tuned):
    folder, address = tuned
    module = module_of(address)
    assert module.read(address, 0) == "none"
    module.apply(address, "virtual-guest powersave", 0)
    assert module.read(address, 0) == "virtual-guest powersave"
    module.restore(address, "none", 0)
    assert module.read(address, 0) == "none"
    assert [line for line in (folder / "calls").read_text().splitlines() if line != "active"] == [
        "profile virtual-guest powersave", "off",
    ]  # fmt: skip


def test_a_system_without_tuned_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    address = locate(TunedSetting(kind="tuned"), tmp_path)
    assert module_of(address).why_not(address) == "tuned-adm is not on PATH"
