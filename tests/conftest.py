"""What several test files share: a project in a temporary folder, the program run in it, and a campaign measured there.

The tiny study needs seconds: its trials last 0.2 s and its files a few MiB. Whatever the tests hold to be true of a
trial was written by the real runner around real fio and qemu-nbd.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from shared import find_shared, make_once

from coldcache.campaign.campaign import read_campaign
from coldcache.core.forks import serve_forks
from coldcache.design.notebooks import list_notebooks

pytest_plugins = ["invented", "switched"]

# A shell that starts the tests in the background lets them ignore interrupts, and nohup lets them ignore a closing
# terminal; what they start does, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

STUDY = """\
study: tiny
title: A study of seconds
question: Does every step of the way hold?
repetitions: 2
notebooks: []

sweeps:
  transfers:
    title: Transfers of 64 KiB
    tools: [fio]
    operations: [write, read]
    seconds: 0.2 s
    factors:
      threads: [1, 2]
      transfer_size: [64 KiB]
      file_layout: [file-per-thread]
      file_size: [16 MiB]
      direct_io: [where-possible]

  files:
    title: Operations on empty files
    tools: [fio]
    operations: [file-create, file-stat, file-remove]
    seconds: 0.2 s
    # Without a pause, 4,000 files are removed within 13 ms, and fio counts in whole milliseconds.
    options: {fio: [--thinktime=150]}
    factors:
      threads: [2]
      files: [2000]

  cache:
    title: A write cache on and off
    tools: [fio]
    operations: [random-write]
    settings: {write_cache: qemu-nbd}
    seconds: 0.2 s
    factors:
      threads: [1]
      transfer_size: [4 KiB]
      file_size: [4 MiB]
      queue_depth: [4]
      write_cache: [writeback, unsafe]
"""

SITE = """\
site: here
title: This machine
targets:
  scratch: {path: scratch, make: true}
limits:
  bytes: 64 MiB
  seconds: 20 s
thresholds:
  shortest_run: 1 ms
  # The tests share their disk and their cores with each other and with whatever else runs.
  foreign_share: 1000000
  load_per_core: 1000000
  foreign_cpu: 2
  least_free: 0
  fill_drift: 1
  modes: 1000000
  gap: 1000000
# They would take two seconds of each campaign.
measures_ceilings: false
"""

# The program, Snakemake and what they call are those of the interpreter that runs the tests.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

BLOCKS = ("tiny.transfers", "tiny.files", "tiny.cache")


def _make_project(folder: Path) -> Path:
    (folder / "config/studies").mkdir(parents=True)
    (folder / "config/sites").mkdir()
    (folder / "config/studies/tiny.yaml").write_text(STUDY)
    (folder / "config/sites/here.yaml").write_text(SITE)
    return folder


def _measure_arguments(block: str, campaign: str = "tiny", *more: str) -> list[str]:
    return [
        "measure", f"--campaign={campaign}", "--studies=tiny", "--site=here", f"--block={block}",
        f"--manifest=results/{campaign}/blocks/{block}.json", f"--log=logs/{block}.log", *more,
    ]  # fmt: skip


def _run(arguments: list[str], folder: Path, **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "coldcache", *arguments], cwd=folder, capture_output=True, text=True, timeout=280,
        check=False, **more,
    )  # fmt: skip


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of this repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A folder with the tiny study and the site `here`; tests run in it."""
    monkeypatch.chdir(_make_project(tmp_path / "project"))
    return Path.cwd()


@pytest.fixture
def coldcache(project) -> Callable[..., subprocess.CompletedProcess]:
    """Run `python -m coldcache` with some arguments in the project."""

    def run(*arguments: str, **more) -> subprocess.CompletedProcess:
        return _run(list(arguments), project, **more)

    return run


@pytest.fixture
def measure_arguments() -> Callable[..., list[str]]:
    """Return the arguments that measure a block of the tiny study."""
    return _measure_arguments


@pytest.fixture
def change() -> Callable[[Path, str, str], None]:
    """Replace a piece of a file that occurs in it exactly once."""

    def replace(path: Path, old: str, new: str) -> None:
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {path}"
        path.write_text(text.replace(old, new))

    return replace


def list_files(folder: Path) -> dict[str, bytes | None]:
    """Return what lies below a folder: the bytes of each file, None for what is no file."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def refuses(coldcache, project) -> Callable[..., None]:
    """Check that the program refuses in one exact line, prints nothing else and writes nothing."""

    def check(line: str, *arguments: str, **more) -> None:
        before = list_files(project)
        found = coldcache(*arguments, **more)
        assert found.stderr == f"coldcache: {line}\n"
        assert (found.stdout, found.returncode) == ("", 1)
        assert list_files(project) == before

    return check


def _measure(folder: Path) -> None:
    _make_project(folder)
    for block in BLOCKS:
        found = _run(_measure_arguments(block), folder)
        assert found.returncode == 0, found.stderr


@pytest.fixture(scope="session")
def _measured_once(tmp_path_factory) -> Path:
    return make_once(find_shared(tmp_path_factory) / "measured-once", _measure)


def _enter_copy(project: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy a project into a folder, make that the working folder, and return it."""
    shutil.copytree(project, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def measured(_measured_once, tmp_path, monkeypatch) -> Path:
    """A copy of a project whose campaign `tiny` was measured whole; tests run in it."""
    return _enter_copy(_measured_once, tmp_path / "measured", monkeypatch)


def _step(folder: Path, environment: dict[str, str], *arguments: str) -> None:
    found = _run(list(arguments), folder, env=environment)
    assert (found.stderr, found.returncode) == ("", 0)


_OF_TINY = ("--campaign=tiny", "--results=results/tiny")


@pytest.fixture(scope="session")
def _reported_once(_measured_once, tmp_path_factory) -> Path:
    def report(folder: Path) -> None:
        shutil.copytree(_measured_once, folder, symlinks=True)
        with serve_forks(os.environ) as environment:
            for step in (["collect"], ["claims"], ["report", "--log=logs/report.log"]):
                _step(folder, environment, *step, *_OF_TINY)

    return make_once(find_shared(tmp_path_factory) / "reported-once", report)


@pytest.fixture
def reported(_reported_once, tmp_path, monkeypatch) -> Path:
    """A copy of the measured project with its dataset and its report; tests run in it."""
    return _enter_copy(_reported_once, tmp_path / "reported", monkeypatch)


@pytest.fixture(scope="session")
def _complete_once(_reported_once, root, tmp_path_factory) -> Path:
    def complete(folder: Path) -> None:
        shutil.copytree(_reported_once, folder, symlinks=True)
        (study,) = read_campaign(folder / "raw/tiny").studies
        with serve_forks(os.environ) as environment:
            for name in list_notebooks(study, True, "tiny"):
                place = f"notebooks/tiny/{name}.ipynb"
                _step(
                    folder, environment, "notebook", f"--notebook={root}/notebooks/{name}.ipynb", "--study=tiny",
                    "--dataset=results/tiny/dataset.nc", f"--output=results/tiny/{place}", f"--log=logs/{place}",
                )  # fmt: skip
            _step(folder, environment, "report", "--log=logs/report.log", *_OF_TINY)

    return make_once(find_shared(tmp_path_factory) / "complete-once", complete)


@pytest.fixture
def complete(_complete_once, tmp_path, monkeypatch) -> Path:
    """A copy of the measured project with its executed notebooks and its report; tests run in it."""
    return _enter_copy(_complete_once, tmp_path / "complete", monkeypatch)


@pytest.fixture(scope="session")
def reference_report(root) -> Path:
    """The report of the reference campaign as `make reference` builds it; `make test` does so first."""
    report = root / "results/reference/report"
    assert (report / "index.html").is_file(), f"{report} is missing: make reference"
    return report


@pytest.fixture
def mount_namespace() -> Callable[[str, list[str]], list[str]]:
    """Return a command that runs another one where a shell script has mounted things, which end with it."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    able = shutil.which("unshare") and subprocess.run(
        [*unshare, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False
    )
    if not able or able.returncode:
        pytest.skip("this system lets no mount namespace be made")

    def wrap(script: str, command: list[str]) -> list[str]:
        return [*unshare, "sh", "-e", "-c", f'{script}\nexec "$@"', "sh", *command]

    return wrap


def _find_processes(folder: Path) -> dict[int, list[str]]:
    """Return the command lines of the processes that work in a folder, or hold a file of it (as servers do)."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            places = [(entry / "cwd").readlink(), *(link.readlink() for link in (entry / "fd").iterdir())]
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(words) and any(place.is_relative_to(folder) for place in places):
            found[int(entry.name)] = [os.fsdecode(word) for word in words]
    return found


@pytest.fixture
def wait_for_tool(project) -> Callable[..., int]:
    """Wait until a program runs in the project, or another folder, and return its process."""

    def wait(name: str, folder: Path = project) -> int:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            for process, words in _find_processes(folder).items():
                if Path(words[0]).name == name and "--version" not in words:
                    return process
            time.sleep(0.001)
        raise AssertionError(f"no {name} runs in {folder}; there are {_find_processes(folder)}")

    return wait


@pytest.fixture
def start(project) -> Iterator[Callable[..., subprocess.Popen]]:
    """Start `python -m coldcache` in the project, in a session of its own; what is left of it is ended afterwards."""
    started: list[subprocess.Popen] = []

    def begin(*arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", "coldcache", *arguments], cwd=project, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
    for process in _find_processes(project):
        if process != os.getpid():
            os.kill(process, signal.SIGKILL)


@pytest.fixture
def list_processes(project) -> Callable[[], list[str]]:
    """Return the names of the programs that run in the project."""

    def names() -> list[str]:
        own = os.getpid()
        return sorted(Path(words[0]).name for process, words in _find_processes(project).items() if process != own)

    return names


@pytest.fixture
def loop_device(tmp_path) -> Iterator[str]:
    """A loop device of this test's own, as ``/dev/loop7``; skips where none can be had."""
    losetup = shutil.which("losetup")
    if os.geteuid() or not losetup:
        pytest.skip("loop devices need root")
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(192 * 2**20)
    made = subprocess.run(
        [losetup, "--find", "--show", str(image)], capture_output=True, text=True, check=False, timeout=20
    )
    if made.returncode:
        pytest.skip(f"no loop device can be had: {made.stderr.strip()}")
    device = made.stdout.strip()
    # Otherwise what crosses it may come from the page cache of the image.
    subprocess.run([losetup, "--direct-io=on", device], capture_output=True, check=False, timeout=20)
    # The kernel keeps what an earlier one of the same number had: its cache, and its limits.
    block = Path("/sys/block", Path(device).name)
    (block / "queue/write_cache").write_text("write back")
    for limit in Path("/sys/fs/cgroup/blkio").glob("blkio.throttle.*_device"):
        limit.write_text(f"{(block / 'dev').read_text().strip()} 0")
    yield device
    subprocess.run([losetup, "--detach", device], check=False, timeout=20)


@pytest.fixture
def loop_mount(loop_device) -> Iterator[Path]:
    """An ext4 file system on a loop device of this test's own, mounted."""
    # fio's cache needs a socket below it, whose path is bound to 107 characters: pytest's own folders are deep.
    point = Path(tempfile.mkdtemp(prefix="mounted-"))
    # Without lazy initialisation, which would go on in the background and be counted among what crosses the device.
    eager = ["-E", "lazy_itable_init=0,lazy_journal_init=0"]
    subprocess.run(["mkfs.ext4", "-q", *eager, loop_device], check=True, timeout=60)
    mounted = subprocess.run(
        ["mount", loop_device, str(point)], capture_output=True, text=True, check=False, timeout=20
    )
    if mounted.returncode:
        point.rmdir()
        pytest.skip(f"nothing can be mounted: {mounted.stderr.strip()}")
    yield point
    subprocess.run(["umount", "--lazy", str(point)], check=False, timeout=20)
    point.rmdir()
