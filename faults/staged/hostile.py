"""Input that means harm: designs, archives, trees of logs, and texts of logs and hosts."""

import csv
import io
import os
import random
import re
import shutil
import stat
import tarfile
import warnings
import zipfile
from html.parser import HTMLParser
from pathlib import Path

from scene import ROOT, SHORT, SITE, Scene, tell

from coldcache.campaign.seal import check_seal
from staged.kills import add_workflow, make

#: Seconds of processor time after which a refusal counts as hanging, however busy the machine is.
_LONGEST = 30

#: Text that a page must show literally: markup that would run, and beginnings that a spreadsheet takes for a formula.
_MARKUP = "<script>trap()</script><img src=x onerror=trap()>"
_FORMULA = "=HYPERLINK(trap)"

_NUMBER = re.compile(r"[+-]?(\d[\d,]*\.?\d*|\.\d+|inf|nan)(e[+-]?\d+)?", re.IGNORECASE)


def hostile_design(scene: Scene, moments: random.Random, times: int) -> str:
    """YAML bombs, escaping names, shell characters in paths and levels, HTML in titles: refused or inert."""
    scene.design(SHORT)
    study, site = (scene.folder / f"config/{kind}/break.yaml" for kind in ("studies", "sites"))
    for path, text in _designs(study, site, scene.folder / "trap"):
        shutil.rmtree(scene.folder / "raw", ignore_errors=True)
        scene.design(SHORT)
        path.write_text(text.replace("TARGET", "scratch"))
        if reason := _find_harm(scene, repr(text[:60]), scene.words()):
            return reason
    return ""


def hostile_names(scene: Scene, moments: random.Random, times: int) -> str:
    """Names that escape the folder or hold shell characters, given to each step and to Snakemake: refused or inert."""
    trap = scene.folder / "trap"
    add_workflow(scene)
    scene.design(SHORT)
    shell = (f"x;touch {trap}", f"$(touch {trap})", f"`touch {trap}`", f"x' ; touch {trap} ; '", f"x\ntouch {trap}")
    program = scene.words()[:3]
    for name in ("../escaped", "/tmp/escaped-break", "..", "", "x/../../escaped", "-x", "x" * 5000, *shell):
        steps = (
            ["measure", "--studies=break", "--site=break", "--block=b", "--manifest=m", f"--campaign={name}"],
            ["plan", f"--study={name}", "--site=break"], ["plan", "--study=break", f"--site={name}"],
            ["collect", f"--campaign={name}", "--results=results/x"], ["seal", "--", name], ["check", "--", name],
        )  # fmt: skip
        for step in moments.sample(steps, 2):
            if reason := _find_harm(scene, f"{step[0]} {name[:60]!r}", [*program, *step], refused=True):
                return reason
    given = [f"CAMPAIGN={moments.choice(shell)}", f"TARGET={moments.choice(shell)}", f"TARGET=../{shell[0]}"]
    for word in given:
        # `make` itself expands what its user writes on its command line; from the environment it takes texts.
        scene.environment |= {"CAMPAIGN": "break", "TARGET": "", **dict([word.split("=", 1)])}
        asked = make("results/break/verdicts.csv", 'campaign="$$CAMPAIGN" $${TARGET:+target="$$TARGET"}')
        if reason := _find_harm(scene, f"make {word!r}", asked, statuses=(0, 1, 2)):
            return reason
    return ""


def _find_harm(
    scene: Scene, what: str, words: list[str], refused: bool = False, statuses: tuple[int, ...] = (0, 1)
) -> str:
    """Run a command on hostile input, and return what it did that it must not do."""
    scene.staged += 1
    before = _spent()
    found = scene.run(words)
    if found.returncode not in statuses or "Traceback" in found.stderr or (refused and found.returncode == 0):
        return f"{what}: status {found.returncode}, {tell(found.stderr)}"
    if found.returncode and "coldcache: " not in found.stderr:
        return f"{what}: {tell(found.stderr)}"
    if (scene.folder / "trap").exists():
        return f"{what} was run"
    if _spent() - before > _LONGEST:
        return f"{what} took {_spent() - before:.0f} s of a processor"
    outside = [*(path for path in scene.folder.parent.iterdir() if path != scene.folder), *_escaped()]
    return f"{what}: {outside[0]} was written" if outside else ""


def _spent() -> float:
    """Return the processor time of all processes that have ended below this one, in s."""
    return os.times().children_user + os.times().children_system


def _alter(design: str, old: str, new: str) -> str:
    """Return a design with one text in place of another; raises `ValueError` where it lacks that."""
    if old not in design:
        raise ValueError(f"the design has no {old!r}")
    return design.replace(old, new)


def _designs(study: Path, site: Path, trap: Path) -> list[tuple[Path, str]]:
    both = [_bomb(), f"a: !!python/object/apply:os.system ['touch {trap}']\n", "[" * 100_000, "a: 1\0", "? [a]\n: b\n"]
    return [
        *((path, text) for path in (study, site) for text in both),
        (study, _alter(SHORT, "study: break", "study: ../break")),
        (study, _alter(SHORT, "  transfers:", "  ../transfers:")),
        (study, _alter(SHORT, "--rate=20m", f"--rate=20m; touch {trap}")),
        (study, _alter(SHORT, "--rate=20m", f"--exec_prerun=$(touch {trap})")),
        (study, _alter(SHORT, "[fio]", f"['fio; touch {trap}']")),
        (study, _alter(SHORT, "[64 KiB]", f"['$(touch {trap})']")),
        (study, _alter(SHORT, "[64 KiB]", "[1e999999999 KiB]")),
        (study, _alter(SHORT, "repetitions: 1", "repetitions: 99999999999999999999")),
        (study, _alter(SHORT, "title: Transfers", f"title: '{_MARKUP}'")),
        (site, _alter(SITE, "TARGET", "/etc/x")),
        (site, _alter(SITE, "TARGET", "../../../../../etc/x")),
        (site, _alter(SITE, "TARGET", f"'$(touch {trap})'")),
        (site, _alter(SITE, "TARGET", f"'; touch {trap} #'")),
        (site, _alter(SITE, "title: A folder", f"title: '{_FORMULA}'")),
    ]


def _bomb() -> str:
    """Return YAML of some hundred bytes that stands for 9**10 items."""
    return "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    )


def hostile_archives(scene: Scene, moments: random.Random, times: int) -> str:
    """Archives with escaping names, links, devices, bombs and tar files, rebuilt and imported: nothing is written."""
    private = scene.folder / "one/two/temporary"
    private.mkdir(parents=True)
    scene.environment["TMPDIR"] = str(private)
    for name, content in _archives():
        archive = scene.folder / name
        archive.write_bytes(content)
        before = _list(scene.folder.parent)
        # No archive is a folder of logs, so that `import` takes none, whatever it holds.
        steps = [["rebuild", name], *([["import", name, "--campaign=taken"]] if name.startswith("escape") else [])]
        for step in steps:
            scene.staged += 1
            spent = _spent()
            found = scene.coldcache(*step)
            if found.returncode != 1 or not found.stderr.startswith("coldcache: ") or "\n" in found.stderr.strip():
                return f"{step[0]} {name}: status {found.returncode}, {tell(found.stderr)}"
            if _spent() - spent > _LONGEST:
                return f"{step[0]} {name} took {_spent() - spent:.0f} s of a processor"
            if _list(scene.folder.parent) != before:
                return f"{step[0]} {name} wrote {min(_list(scene.folder.parent) ^ before)}"
    return ""


def _archives() -> list[tuple[str, bytes]]:
    """Return archives by name, none of which is one of this program's."""
    names = ["../escaped", "/tmp/escaped-break", "raw/../../escaped", "raw/x/../../../escaped", "..\\escaped", "C:/x"]
    found = [(f"name-{number}.zip", _zip([(name, 0, b"x")])) for number, name in enumerate(names)]
    link, device = stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o666
    found += [
        ("link.zip", _zip([("raw/x", link, b"../../../.."), ("raw/x/escaped", 0, b"x")])),
        ("device.zip", _zip([("raw/x", device, b"")])),
        ("twice.zip", _zip([("raw/x/campaign.json", 0, b"{}"), ("raw/x/campaign.json", 0, b"[]")])),
        ("bomb.zip", _zip([(f"raw/x/{number}", 0, bytes(2**26)) for number in range(40)])),
        ("none.zip", _zip([("raw/x/campaign.json", 0, b"{}")])),
        ("cut.zip", _zip([("raw/x/campaign.json", 0, b"{}")])[:-30]),
    ]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, kind in (("../escaped", tarfile.REGTYPE), ("raw", tarfile.SYMTYPE), ("raw/escaped", tarfile.REGTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "../../.."
            tar.addfile(member)
    return [*found, ("escape.tar.gz", packed.getvalue()), ("escape.zip", packed.getvalue())]


def _zip(entries: list[tuple[str, int, bytes]]) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        # The name is there twice on purpose.
        warnings.simplefilter("ignore")
        for name, mode, content in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()


def _list(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")} | set(map(str, _escaped()))


def _escaped() -> list[Path]:
    return list(Path("/tmp").glob("escaped-break*"))


def hostile_tree(scene: Scene, moments: random.Random, times: int) -> str:
    """Links, pipes and shell characters in an imported tree of logs: not followed, opened, imported or run."""
    logs, secret = scene.folder / "logs", scene.folder / "outside"
    (logs / "inside").mkdir(parents=True)
    secret.mkdir()
    specimen = (ROOT / "tests/specimens/fio-3.33-jobs.json").read_bytes()
    (logs / "inside/fio.json").write_bytes(specimen)
    other = ROOT / "tests/specimens/fio-3.19-jobs.json"
    shutil.copy(other, secret / "secret.json")
    (logs / "file").symlink_to(secret / "secret.json")
    (logs / "folder").symlink_to(secret)
    (logs / "loop").symlink_to(logs)
    (logs / "nowhere").symlink_to("/does/not/exist")
    os.mkfifo(logs / "pipe")
    scene.staged = 6
    if reason := _import_named(scene, specimen):
        return reason
    found = scene.coldcache("import", "logs", "--campaign=taken")
    if found.returncode or "Traceback" in found.stderr:
        return f"import: {tell(found.stderr)}"
    taken = scene.folder / "raw/taken"
    files = [path for path in taken.rglob("*") if path.is_file() or path.is_symlink()]
    if any(path.is_symlink() or path.read_bytes() == other.read_bytes() for path in files):
        return "a link was followed"
    if [path.name for path in (taken / "imported/logs").rglob("*") if path.is_file()] != ["fio.json"]:
        return "something else than the plain log was taken"
    # Links in a campaign that somebody handed over lead nowhere either.
    (taken / "imported/logs/inside/fio.json").unlink()
    (taken / "imported/logs/inside/fio.json").symlink_to(secret / "secret.json")
    found = scene.coldcache("collect", "--campaign=taken", "--results=results/taken")
    return "" if found.returncode == 1 and "removed" in found.stderr else "collect follows a link in a sealed campaign"


def _import_named(scene: Scene, specimen: bytes) -> str:
    """Import logs whose own names mean harm, each with notes that do so, too."""
    bomb = _bomb()
    names = [
        "$(touch trap).json",
        ";touch trap;.json",
        "-rf.json",
        f"{_MARKUP[:30].replace('/', '')}.json",
        "a\nb.json",
    ]
    names = [os.fsencode(name) for name in names] + [b"\xff\xfe.json", b"=1+1.json", b"\x1b[2J.json"]
    notes = ["", bomb, "study: ../escaped\n", "sweeps: {x: {logs: ['../../**']}}\n", "sweeps: {../x: {logs: ['*']}}\n"]
    for number, (name, note) in enumerate([*((name, "") for name in names), *((names[0], note) for note in notes)]):
        folder = scene.folder / f"named-{number}"
        folder.mkdir()
        (Path(os.fsdecode(folder)) / os.fsdecode(name)).write_bytes(specimen)
        if note:
            (folder / "coldcache.yaml").write_text(note)
        step = [*scene.words()[:3], "import", folder.name, f"--campaign=named-{number}"]
        if reason := _find_harm(scene, f"import of {name!r} with {note[:40]!r}", step):
            return reason
        sums = scene.folder / f"raw/named-{number}/SHA256SUMS"
        if sums.exists() and check_seal(sums.parent):
            return f"import of {name!r} with {note[:40]!r}: sealed, and not whole"
    return ""


def hostile_text(scene: Scene, moments: random.Random, times: int) -> str:
    """HTML and formulae in log texts and the host name: pages show them as text, no CSV cell is a formula."""
    said = f"{_FORMULA} {_MARKUP}"
    scene.design(SHORT)
    scene.replace_fio(f"echo '{said}'; echo '{said}' >&2; exit 0", at=[moments.randint(1, 4)])
    scene.staged = 2
    # The name of the host is the process's own, in a namespace; 64 bytes at most.
    host = f"=trap(){_MARKUP[23:]}"
    name = 'printf %s "$1" >/proc/sys/kernel/hostname && shift && exec "$@"'
    found = scene.run(["unshare", "--uts", "sh", "-c", name, "sh", host, *scene.words()])
    if found.returncode:
        return f"the block fails: {tell(found.stderr)}"
    for step in ("collect", "claims", "report"):
        log = ["--log=logs/report.log"] if step == "report" else []
        found = scene.coldcache(step, "--campaign=break", "--results=results/break", *log)
        if found.returncode:
            return f"{step}: {tell(found.stderr)}"
    report = scene.folder / "results/break/report"
    pages = {path: _Page(path) for path in report.rglob("*.html")}
    for path, page in pages.items():
        if page.traps:
            return f"{path.relative_to(report)} has {page.traps[0]}"
    shown = "".join(page.text for page in pages.values())
    if said not in shown or host not in shown:
        return "a text of a log or of a host is not shown literally"
    for path in (scene.folder / "results/break").rglob("*.csv"):
        with path.open(newline="") as file:
            for cell in (cell for row in csv.reader(file) for cell in row):
                if cell[:1] in tuple("=+-@\t\r") and cell and not _NUMBER.fullmatch(cell):
                    return f"{path.name} has a cell that begins as a formula: {cell[:40]}"
    return ""


class _Page(HTMLParser):
    """The text of a page, and what in it would run."""

    def __init__(self, path: Path):
        super().__init__(convert_charrefs=True)
        self.traps: list[str] = []
        self.text, self._script = "", False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note an element that the texts would have made, and any attribute that runs them."""
        self._script = tag == "script"
        runs = [name for name, value in attributes if name.startswith("on") and "trap" in str(value)]
        self.traps += [f"<{tag} {name}>" for name in runs]
        self.traps += [f"<{tag} src=x>" for name, value in attributes if (tag, name, value) == ("img", "src", "x")]

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._script = self._script and tag != "script"

    def handle_data(self, data: str) -> None:
        """Take a text, or note a script that the texts have written."""
        if self._script and "trap" in data:
            self.traps.append("a script")
        self.text += data
