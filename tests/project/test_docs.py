"""Every command, Python block, link and list of the pages at the root, config/README.md and docs/ holds in a clone."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from statistics import median

import pytest
import yaml

from coldcache import __main__ as program
from coldcache.core.errors import CampaignError
from coldcache.core.vocabulary import COLD_VERDICTS, FACTORS, OPERATIONS, SETTINGS, VERDICTS
from coldcache.design.claim_tests import TEST_KINDS
from coldcache.design.levels import Doubling, Lookup, Share
from coldcache.design.site import Site, Target
from coldcache.design.study import Study, Sweep
from coldcache.statistics.widening import reach_of_order
from coldcache.verdicts.judge import RULES
from coldcache.workflow.configuration import read_design

ROOT = Path(__file__).resolve().parents[2]

#: The pages at the root that users read.
ROOT_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")

PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in [*(ROOT / name for name in ROOT_PAGES), ROOT / "config/README.md", *ROOT.glob("docs/**/*.md")]
)

#: Targets of make that measure or check for minutes, or need a network: make prints what they would run.
PRINTED = ("study", "reference", "test", "lint", "bench", "break", "fuzz", "notebooks", "hooks", "lock")

#: The folder on another file system that the pages measure.
FAST = "/mnt/fast"


@cache
def read_page(page: str) -> str:
    return (ROOT / page).read_text()


def fenced(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", read_page(page), re.MULTILINE | re.DOTALL)


def prose(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", read_page(page), flags=re.MULTILINE | re.DOTALL)


def heads(page: str, heading: str) -> list[str]:
    """Return the first cells of the tables below a heading, without the head of each table."""
    section = prose(page).split(f"\n{heading}\n")[1].split("\n#")[0]
    return [row for row in re.findall(r"^\| (.+?) \|", section, re.MULTILINE) if "`" in row]


def names(cells: list[str]) -> list[str]:
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project in which campaign `local` of a tiny study `quick` is measured and collected."""
    clone = tmp_path_factory.mktemp("docs") / "measured"
    shutil.copytree(ROOT, clone, ignore=leave_out_what_git_ignores)
    study = yaml.safe_load((clone / "config/studies/quick.yaml").read_text())
    study["repetitions"] = 2
    del study["claims"], study["sentinel"]
    study["sweeps"] = {name: study["sweeps"][name] for name in ("sequential", "random")}
    for sweep in study["sweeps"].values():
        sweep |= {"tools": ["fio"]}
        sweep["factors"] |= {"threads": [1], "file_size": ["4 MiB"]}
    (clone / "config/studies/quick.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    config = clone / "config/config.yaml"
    config.write_text(config.read_text().replace('\nseconds: ""', '\nseconds: "0.2 s"'))
    link_environment(clone)
    wanted = ["results/local/verdicts.csv", "results/local/claims.csv"]
    run(["snakemake", "--quiet", "--cores", "2", "--", *wanted], clone, Path(sys.prefix, "bin"))
    return clone


def leave_out_what_git_ignores(folder: str, entries: list[str]) -> set[str]:
    lines = [".git/", *(ROOT / ".gitignore").read_text().splitlines()]
    if Path(folder) == ROOT / "raw":
        return {entry for entry in entries if f"!/raw/{entry}/" not in lines}
    # A pattern that begins with a slash is meant for the root alone.
    patterns = [line.strip("/") for line in lines if "raw/" not in line and (line[0] != "/" or Path(folder) == ROOT)]
    return {entry for entry in entries if any(Path(entry).match(pattern) for pattern in patterns)}


def link_environment(clone: Path) -> None:
    """Use the environment of this test as the clone's .venv, which the set-up takes for complete."""
    target = clone / ".venv"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for entry in Path(sys.prefix).iterdir():
        if not entry.name.startswith(".coldcache"):
            (target / entry.name).symlink_to(entry)
    locks = b"".join(
        (clone / name).read_bytes() for name in ("envs/uv.lock", "envs/requirements.lock", "pyproject.toml")
    )
    (target / ".coldcache").write_text(f"{clone}\n{hashlib.sha256(locks).hexdigest()}  -\n")
    # An incomplete one would be built again, through the links.
    run(["bash", "envs/venv.sh", "present"], clone)


@pytest.fixture
def clone(measured: Path, tmp_path: Path) -> Path:
    """Return a copy of the measured project for one page, beside an empty folder that replaces `/mnt/fast`."""
    folder = tmp_path / "clone"

    # Nothing ever writes to a raw file: another name for it is as good as a copy.
    folder.mkdir()
    run(["cp", "--archive", "--link", str(measured / "raw"), str(folder)], measured)
    ignore = shutil.ignore_patterns(".venv", "raw")
    shutil.copytree(measured, folder, symlinks=True, ignore=ignore, dirs_exist_ok=True)
    link_environment(folder)
    (tmp_path / "fast").mkdir()
    return folder


def run(command: list[str], folder: Path, *path: Path) -> str:
    """Run a command with nothing of this test's environment on PATH, and return what it prints."""
    inherited = [part for part in os.environ["PATH"].split(os.pathsep) if not part.startswith(sys.prefix)]
    known = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TMPDIR", "USER")}
    done = subprocess.run(
        command, cwd=folder, env={**known, "PATH": os.pathsep.join([*map(str, path), *inherited])}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command)[:2000]}\n{done.stdout[-4000:]}"
    return done.stdout


def tiny(text: str, folder: Path) -> str:
    """Return a block of a page in the test's folder, with short trials of one repetition."""
    text = re.sub(
        r"^(python -m coldcache new (\S+))$",
        r"\1\nsed -i 's/^repetitions: .*/repetitions: 1/' \2/config/studies/*\n"
        r"sed -i 's/^seconds: \"\"/seconds: 0.2 s/' \2/config/config.yaml", text, flags=re.MULTILINE,
    )  # fmt: skip
    return re.sub(r"\brepetitions: \d+", "repetitions: 1", text.replace(FAST, str(folder.parent / "fast")))


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows: the first line of each block is its path."""
    for block in fenced(page, "yaml"):
        path = folder / block.splitlines()[0].removeprefix("# ")
        path.parent.mkdir(exist_ok=True)
        path.write_text(tiny(block, folder))


@pytest.mark.parametrize("page", [page for page in PAGES if fenced(page, "sh")])
def test_commands_run_in_the_order_of_the_page(page: str, clone: Path) -> None:
    write_files(page, clone)
    script = tiny("".join(fenced(page, "sh")), clone)
    script = re.sub(rf"^make ({'|'.join(PRINTED)})\b", r"make --dry-run \1", script, flags=re.MULTILINE)
    run(["bash", "-eux", "-o", "pipefail", "-c", script], clone)


@pytest.mark.parametrize("page", [page for page in PAGES if fenced(page, "python")])
def test_python_runs_in_the_order_of_the_page(page: str, clone: Path) -> None:
    run([".venv/bin/python", "-W", "error::FutureWarning", "-c", "\n".join(fenced(page, "python"))], clone)


def test_a_record_leads_to_the_bytes_that_state_it(clone: Path) -> None:
    said = run([".venv/bin/python", "-c", fenced("docs/read-the-report.md", "python")[1]], clone)
    value, printed = re.fullmatch(r"(\S+) B/s is printed as (\d+)\n", said).groups()
    assert float(value) == float(printed)


def test_the_median_of_each_case_is_one_line_of_pandas(clone: Path) -> None:
    said = run([".venv/bin/python", "-c", fenced("docs/read-the-report.md", "python")[0]], clone)
    figures: dict[tuple[str, str, int], list[float]] = {}
    with (clone / "results/local/trials.csv").open(newline="") as file:
        # Trials of a fraction of a second may be void; the line leaves them out.
        for row in (row for row in csv.DictReader(file) if row["verdict"] != "void"):
            case = (row["sweep"], row["operation"], int(row["threads"]))
            figures.setdefault(case, []).append(float(row["value"]))
    printed = re.findall(r"(\d+\.\d+(?:e[+]\d+)?)$", said, re.MULTILINE)
    assert len(printed) > 0
    medians = [median(figures[case]) for case in sorted(figures)]
    assert [float(value) for value in printed] == pytest.approx(medians, rel=1e-6)


def test_a_trial_that_is_removed_is_measured_again_and_no_other(clone: Path) -> None:
    written = {path: path.stat().st_mtime_ns for path in clone.glob("raw/local/*/*/*/*/trial.json")}
    removal = next(block for block in fenced("docs/measure-again.md", "sh") if "/r0" in block).splitlines()[:2]
    run(["bash", "-euc", "\n".join(removal)], clone)
    run(["snakemake", "--quiet", "--cores", "2", "--", "results/local/verdicts.csv"], clone, clone / ".venv/bin")
    again = [str(path.relative_to(clone)) for path in written if path.stat().st_mtime_ns != written[path]]
    assert again == ["raw/local/quick/random/operation=random-read/r0/trial.json"]


def test_the_designs_of_two_campaigns_differ_as_the_page_says(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    with pytest.raises(CampaignError) as refusal:
        read_design({"campaign": "local", "studies": "quick", "site": "local", "target": "", "seconds": "5 s"})
    message = f"coldcache: {refusal.value}".replace('"0.2 s"', '""')
    assert message in " ".join(read_page("docs/measure-again.md").split())


def test_targets_are_refused_in_the_words_of_the_page(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (clone.parent / "fast" / "target").mkdir()
    monkeypatch.chdir(clone)
    rows = re.findall(r"^\| .+ \| `(.+)` \|$", read_page("docs/measure-a-file-system.md"), re.MULTILINE)
    assert len(rows) == 4
    for row in rows:
        message = tiny(row, clone)
        assert program.main(["plan", "--target", message.split(" ")[0]]) == 1
        assert capsys.readouterr().err == f"coldcache: target: {message}\n"


def slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert "://" not in link, f"{link}: the pages work without a network"
        assert target.exists(), f"{page}: {link} leads nowhere"
        if anchor:
            assert anchor in [slug(heading) for heading in re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES)
def test_targets_and_subcommands_that_the_text_names_exist(page: str) -> None:
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    checks = (ROOT / "Makefile").read_text().split("checks := ")[1].splitlines()[0].split()
    known = {*targets, *checks, "venv"}
    assert set(re.findall(r"`make ([a-z-]+)", read_page(page))) <= known
    assert set(re.findall(r"python -m coldcache ([a-z]+)", read_page(page))) <= set(subcommands())


def test_make_takes_every_variable_that_a_page_or_the_help_names_and_no_other() -> None:
    makefile = read_page("Makefile")
    known = set(re.search(r"^variables := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)[1].replace("\\", "").split())
    for page in (*PAGES, "Makefile"):
        named = {
            one
            for call in re.findall(r"\bmake [a-z-]+ ([A-Z]+=[^`\n]*)", read_page(page))
            for one in re.findall(r"\b([A-Z]+)=", call)
        }
        assert named <= known, page
    targets = re.findall(r"^[a-z-]+:.*## .*?\((.*)\)", makefile, re.MULTILINE)
    assert {name for named in targets for name in re.findall(r"\b([A-Z]+)=", named)} <= known


@pytest.mark.parametrize("page", PAGES)
def test_names_are_defined_in_the_modules_that_the_text_names(page: str) -> None:
    for name, module in re.findall(r"`(\w+)` in `((?:\w+/)+\w+\.py)`", read_page(page)):
        code = (ROOT / "workflow/src/coldcache" / module.removeprefix("workflow/src/coldcache/")).read_text()
        assert re.search(rf"^ *(?:def |class )?{name}\b", code, re.MULTILINE), f"{page}: {name} is not in {module}"


def subcommands() -> list[str]:
    actions = program._make_parser()._subparsers._group_actions
    return list(actions[0].choices)


def test_every_subcommand_is_explained() -> None:
    assert sorted(names(heads("docs/develop.md", "## The steps"))) == sorted(subcommands())


def test_every_key_of_the_configuration_is_explained() -> None:
    assert names(heads("config/README.md", "## config.yaml")) == list(
        yaml.safe_load((ROOT / "config/config.yaml").read_text())
    )
    assert set(names(heads("config/README.md", "## studies/"))) == set(Study.model_fields)
    assert set(names(heads("config/README.md", "### A sweep"))) == set(Sweep.model_fields)
    sites = names(heads("config/README.md", "## sites/"))
    parts = map(model_of_field, ("clients", "limits", "expected", "thresholds", "cold"))
    inner = set(Target.model_fields).union(*(part.model_fields for part in parts))
    assert set(sites) == {*Site.model_fields, *inner}


def model_of_field(name: str):
    return Site.model_fields[name].annotation


def test_every_factor_operation_and_rule_is_explained() -> None:
    factors = heads("config/README.md", "### Factors")
    rules = [cell for cell in factors if cell.startswith("`{")]
    assert set(names(factors)) - set(names(rules)) == set(FACTORS)
    written = {key for rule in rules for key in yaml.safe_load(rule.strip("`"))}
    assert written == {*Doubling.model_fields, *Share.model_fields, *Lookup.model_fields}
    levels = {level for setting in SETTINGS.values() for level in setting.levels}
    assert {*OPERATIONS, *levels} <= set(names([read_page("config/README.md")]))


def test_every_kind_of_test_of_a_claim_is_explained() -> None:
    assert names(heads("docs/judge-claims.md", "### Kinds of tests")) == list(TEST_KINDS)
    example = yaml.safe_load(fenced("docs/judge-claims.md", "yaml")[0])["claims"][0]
    assert example in yaml.safe_load((ROOT / "config/studies/quick.yaml").read_text())["claims"]


def test_every_verdict_code_and_kind_of_cold_is_explained() -> None:
    verdicts = names(heads("docs/read-the-report.md", "## A verdict"))
    assert verdicts == [*VERDICTS, *(code for code, _, _ in RULES), "not-run"]
    assert set(names(heads("docs/read-the-report.md", "## Cold"))) == set(COLD_VERDICTS)
    for code, verdict, _ in RULES:
        assert f"| `{code}` | {verdict} |" in read_page("docs/read-the-report.md")


def test_the_profile_of_slurm_explains_every_line_and_names_no_path() -> None:
    profile = ROOT / "slurm/profile.yaml"
    settings = yaml.safe_load(profile.read_text())
    for value in settings.values():
        assert not (profile.parent / str(value)).exists()
    for paragraph in profile.read_text().split("\n\n"):
        assert paragraph.startswith("# ")
    assert not (profile.parent / "slurm").exists()
    assert settings["executor"] == "slurm-steady"


def test_the_profile_of_slurm_measures_short_rounds_in_one_job_on_nodes_of_its_own(clone: Path) -> None:
    command = ["snakemake", "--profile", "slurm", "--dry-run", "--config", "campaign=other", "--", "measure_all"]
    said = run(command, clone, clone / ".venv/bin")
    jobs = [job.split("\n[")[0] for job in said.split("\nrule measure_block:\n")[1:]]
    assert len(jobs) == 1
    assert "localrule measure_block" not in said
    for job in jobs:
        resources = set(re.split(r",? ", job.split("resources: ")[1]))
        assert {"nodes=1", "tasks=1", "slurm_extra=--exclusive", "--dependency=singleton"} <= resources


def test_decisions_are_numbered_and_each_has_its_parts() -> None:
    files = sorted(ROOT.glob("docs/decisions/[0-9]*.md"))
    assert [file.name[:4] for file in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    for file in files:
        headings = re.findall(r"^## (.+)$", file.read_text(), re.MULTILINE)
        assert headings == ["Context", "Alternatives", "Decision"], file.name
        assert re.match(rf"# {file.name[:4]}: .+\n\nStatus: accepted[;\n]", file.read_text()), file.name
    index = re.findall(r"\((\d{4}-[a-z0-9-]+\.md)\)", read_page("docs/decisions/README.md"))
    assert index == [file.name for file in files]


def test_the_decision_on_intervals_states_what_the_statistics_hold() -> None:
    text = " ".join(read_page("docs/decisions/0011-median-interval-by-order-statistics.md").split())
    assert f"{100 * reach_of_order(5)} % at five, more than 95 % from six on" in text
    assert reach_of_order(6) > 0.95


def test_every_task_has_a_page_that_the_list_of_pages_names() -> None:
    pages = {page.name for page in ROOT.glob("docs/*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(docs/([a-z-]+\.md)\)", read_page("README.md"))) <= pages
    assert set(re.findall(r"\]\(([a-z-]+\.md)\)", read_page("docs/README.md"))) == pages


def test_readme_is_read_in_one_sitting_and_shows_the_figure_of_the_reference_campaign() -> None:
    assert len(read_page("README.md").splitlines()) <= 120
    (figure,) = re.findall(r"!\[.+\]\((docs/figures/.+\.svg)\)", read_page("README.md"))
    notebook = json.loads((ROOT / f"notebooks/{Path(figure).stem}.ipynb").read_text())
    shown = [
        "".join(out.get("data", {}).get("text/html", ""))
        for cell in notebook["cells"]
        for out in cell.get("outputs", [])
    ]
    # Ids and links differ: the notebook's drawing leads to its trials. What is drawn is the same.
    paths = [re.findall(r'\bd="([^"]+)"', text) for text in ((ROOT / figure).read_text(), *shown)]
    assert len(paths[0]) > 20
    assert paths[0] in paths[1:], f"{figure}: copy it again from results/reference/figures/, as README.md says"


def test_the_pages_build_as_a_site_that_lists_every_one_of_them(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", "docs", "-d"]
    run([*build, str(tmp_path / "doctrees"), ".", str(tmp_path / "site")], ROOT)
    home = (tmp_path / "site/README.html").read_text()
    decisions = (tmp_path / "site/docs/decisions/README.html").read_text()
    for page in (Path(page) for page in PAGES if page != "README.md"):
        assert (tmp_path / "site" / page.with_suffix(".html")).is_file()
        listed = f'href="{page.with_suffix(".html")}"' in home or f'href="{page.stem}.html"' in decisions
        assert listed, f"docs/conf.py lists {page} nowhere"


def test_the_lines_for_slurm_are_those_of_its_page() -> None:
    lines = next(block for block in fenced("README.md", "text") if "slurm" in block).splitlines()
    assert len(lines) == 3
    assert [line for line in lines if line not in read_page("docs/run-on-slurm.md").replace("--dry-run ", "")] == []
