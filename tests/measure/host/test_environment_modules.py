"""Environment modules are loaded as a login shell does, read back, and recorded."""

import os
import shutil
from pathlib import Path

import pytest

from coldcache.core.errors import DesignError
from coldcache.measure.host.environment_modules import LOADED, list_loaded, load_modules
from coldcache.measure.host.inventory import describe_machine
from coldcache.workflow.configuration import read_design

#: What Lmod and Environment Modules define, and a profile that replaces PATH.
PROFILE = """\
export PATH=/usr/bin:/bin SET_BY_PROFILE=1
module() {
    [ "$1" = load ] || return 1
    shift
    for name; do
        if [ ! -d "$HOME/modules/$name" ]; then
            echo "Lmod has detected the following error: $name is unknown" >&2
            return 1
        fi
        export PATH="$HOME/modules/$name/bin:$PATH" LOADEDMODULES="${LOADEDMODULES:+$LOADEDMODULES:}$name"
        export LINES_OF="$(printf 'two\\nlines')"
    done
}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home whose login shell has the command module, with one module: tools/1.0, which has fio."""
    (tmp_path / ".bash_profile").write_text(PROFILE)
    folder = tmp_path / "modules/tools/1.0/bin"
    folder.mkdir(parents=True)
    (folder / "fio").symlink_to(shutil.which("fio"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for name in ("BASH_ENV", LOADED, "LINES_OF", "SET_BY_PROFILE"):
        os.environ.pop(name, None)
    return tmp_path


def test_what_a_module_sets_holds_for_this_process_and_path_keeps_the_rest(home):
    before = os.environ["PATH"]
    load_modules(["tools/1.0"])
    assert os.environ["PATH"] == f"{home}/modules/tools/1.0/bin:{before}"
    assert os.environ["LINES_OF"] == "two\nlines"
    # What the profile sets is the shell's own matter.
    assert not {"SET_BY_PROFILE", "COLDCACHE_PATH"} & set(os.environ)
    assert list_loaded() == ["tools/1.0"]
    load_modules(["tools", "tools/1.0"])
    assert os.environ["PATH"].count("tools/1.0") == 1


def test_a_module_that_is_unknown_is_refused_with_what_was_said(home):
    with pytest.raises(DesignError) as refused:
        load_modules(["other/2"])
    said = "Lmod has detected the following error: other/2 is unknown"
    assert str(refused.value) == f'"other/2" was not loaded: {said}; see module avail'


def test_a_machine_without_the_command_is_refused_in_one_line(home):
    (home / ".bash_profile").write_text("")
    with pytest.raises(DesignError) as refused:
        load_modules(["tools/1.0"])
    assert str(refused.value) == (
        "this machine has no command module, which would load tools/1.0; install Lmod or Environment Modules, or "
        "remove the key"
    )


def test_a_campaign_loads_the_modules_of_its_site_and_records_them(home, project, change, monkeypatch):
    site = project / "config/sites/here.yaml"
    change(site, "limits:", "clients: {modules: [tools/1.0]}\nlimits:")
    bare = [folder for folder in os.environ["PATH"].split(":") if not (Path(folder) / "fio").exists()]
    (home / "bin").mkdir()
    for program in ("bash", "env", "id", "qemu-nbd"):
        (home / "bin" / program).symlink_to(shutil.which(program))
    os.environ["PATH"] = ":".join([str(home / "bin"), *bare])
    (home / ".bash_profile").write_text(PROFILE.replace("PATH=/usr/bin:/bin ", f"PATH={home}/bin "))
    design = read_design({"campaign": "x", "studies": "tiny", "site": "here"})
    assert shutil.which("fio") == f"{home}/modules/tools/1.0/bin/fio"
    assert design.site.clients.modules == ["tools/1.0"]
    described = describe_machine(project)
    assert described["environment_modules"] == ["tools/1.0"]
    assert "fio" in described["programs"]
    change(site, "[tools/1.0]", "[tools/1.0,\n  gone/1]")
    with pytest.raises(DesignError, match=r'config/sites/here.yaml, line 6, clients.modules: "gone/1" was not loaded'):
        read_design({"campaign": "x", "studies": "tiny", "site": "here"})


def test_ssh_passes_no_modules_on(project, change):
    site = project / "config/sites/here.yaml"
    change(site, "path: scratch", f"path: {project}/scratch")
    change(site, "limits:", "clients: {modules: [a], launcher: ssh, mpi: mpirun}\nlimits:")
    with pytest.raises(DesignError, match=r"clients: modules: ssh passes no environment on; load them in ~/.bashrc"):
        read_design({"campaign": "x", "studies": "tiny", "site": "here"})
