"""`python -m coldcache`: one subcommand per step of the study, named like the rule that calls it."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from coldcache.core.errors import ColdCacheError
from coldcache.core.record_formats import FORMATS
from coldcache.workflow.command_line import Parser, add_overrides, version_line, write_completion


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand and return its exit status: 0, 2 for a log that was refused, 1 for every other error."""
    parser = _make_parser()
    chosen = parser.parse_args(arguments)
    try:
        os.chdir(chosen.directory)
        status = _run_forked(chosen, arguments)
        if status is None:
            status = chosen.run(chosen) or 0
        # Flush here, where a closed pipe is handled; at interpreter exit Python would print a traceback.
        sys.stdout.flush()
        return status
    except ColdCacheError as error:
        print(f"coldcache: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("coldcache: interrupted; the next start resumes with the missing trials", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader closed the pipe; without this Python prints a traceback at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as error:
        if not error.name or error.name.split(".")[0] == "coldcache":
            raise
        print(
            f"coldcache: {chosen.command} needs {error.name}, which is not installed: pip install 'coldcache[study]'",
            file=sys.stderr,
        )
        return 1
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        print(f"coldcache: {where}{error.strerror or error}", file=sys.stderr)
        return 1


def _run_forked(chosen: argparse.Namespace, arguments: list[str] | None) -> int | None:
    """Run a step in a fork of Snakemake's server, if there is one, and return its exit status."""
    if not chosen.forked or chosen.directory != Path():
        return None
    from coldcache.workflow import fork_server

    return fork_server.run(sys.argv[1:] if arguments is None else arguments)


def _make_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="coldcache", description="A reproducible study of storage performance.")
    parser.add_argument("--version", action="version", version=version_line(), help="print the version")
    parser.set_defaults(forked=False)
    parser.add_argument("-d", "--directory", type=Path, default=Path(), metavar="DIR", help="work in this folder")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    _add_plans(commands)
    _add_steps(commands)
    _add_logs(commands)
    _add_results(commands)
    return parser


def _add_plans(commands: Any) -> None:
    """Add the subcommands that come before measuring."""
    new = commands.add_parser("new", help="make a folder of your own for studies, sites, notebooks, logs and results")
    new.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder; its name is that of the study")
    new.set_defaults(run=_new)

    plan = commands.add_parser("plan", help="print the trials and command lines of studies without touching anything")
    plan.epilog = "What is left out is as config/config.yaml has it, as for snakemake."
    plan.add_argument("--study", help="ids, separated by commas")
    plan.add_argument("--site", help="an id of config/sites/")
    add_overrides(plan)
    plan.add_argument("--format", choices=("text", "jsonl"), default="text", help="text, or JSON lines")
    plan.add_argument("--full", action="store_true", help="plan at full scale, ignoring the site's limits")
    plan.add_argument("--noise", metavar="CAMPAIGN", help="the campaign whose noise and times the plan states")
    plan.set_defaults(run=_plan)

    check = commands.add_parser("check", help="print what is possible on a site, and why the rest is not")
    check.epilog = plan.epilog
    check.add_argument("site", metavar="SITE", nargs="?", help="an id of config/sites/")
    check.add_argument("--target", help="a folder to check instead of the site's")
    check.set_defaults(run=_check)


def _add_steps(commands: Any) -> None:
    """Add the subcommands that the rules call, in the order of the rules."""
    measure = commands.add_parser("measure", help="run the missing trials of one block of a campaign")
    measure.add_argument("--block", required=True, help="name of a job, such as rounds-1-to-6, or study.sweep")
    measure.add_argument(
        "--manifest", required=True, type=Path, help="the file that lists the block's trials at the end"
    )
    measure.add_argument("--log", type=Path, help="log each trial to this file")
    measure.set_defaults(run=_measure)

    status = commands.add_parser("status", help="print the progress of a campaign, on any machine that sees its files")
    status.add_argument("campaign", help="its name, a folder of raw/")
    status.set_defaults(run=_status)

    left = commands.add_parser("wait", help="wait for runners that an earlier start of a campaign left running")
    left.add_argument("campaign", help="its name, a folder of raw/")
    left.set_defaults(run=_wait)

    collect = commands.add_parser("collect", help="read and judge a campaign's logs; write its dataset")
    collect.add_argument("--results", required=True, type=Path, help="the folder to write to")
    collect.set_defaults(run=_collect, forked=True)

    claims = commands.add_parser("claims", help="judge the claims of the source documents by a campaign's dataset")
    claims.add_argument("--results", required=True, type=Path, help="the folder with dataset.nc")
    claims.set_defaults(run=_claims, forked=True)

    notebook = commands.add_parser("notebook", help="execute one notebook on a campaign's dataset")
    notebook.add_argument("--notebook", required=True, type=Path, help="the notebook")
    notebook.add_argument(
        "--dataset", type=Path, help="the dataset to read; by default the one that the notebook names"
    )
    notebook.add_argument("--study", help="the study to read; by default the one that the notebook names")
    notebook.add_argument("--output", required=True, type=Path, help="the executed notebook")
    notebook.add_argument("--log", required=True, type=Path, help="the notebook while it runs")
    notebook.add_argument("--reads", type=Path, help="list the slices of the dataset that it reads in this file")
    notebook.set_defaults(run=_notebook, forked=True)

    server = commands.add_parser("fork-server", help="run steps in forks of one process; Snakemake starts it")
    server.add_argument("name", help="of its socket")
    server.add_argument("--at-once", action="store_true", help="import the libraries of the steps at once")
    server.set_defaults(run=_fork_server)

    report = commands.add_parser("report", help="render a campaign's executed notebooks as a site")
    report.add_argument("--results", required=True, type=Path, help="the folder with the executed notebooks")
    report.add_argument("--log", required=True, type=Path, help="the output of Sphinx")
    report.set_defaults(run=_report, forked=True)

    for command in (measure, collect, claims, report):
        command.add_argument("--campaign", required=True, help="its name, a folder of raw/")
    measure.add_argument("--studies", default="quick", help="ids, separated by commas")
    measure.add_argument("--site", default="local", help="an id of config/sites/")
    add_overrides(measure)


def _add_logs(commands: Any) -> None:
    """Add the subcommands that read, import and seal logs."""
    parse = commands.add_parser("parse", help="print the values in logs")
    parse.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="logs of any tool that is known")
    parse.add_argument("--format", choices=FORMATS, default="jsonl", help="JSON lines, CSV, or a table for people")
    parse.set_defaults(run=_parse)

    foreign = commands.add_parser("import", help="import logs from elsewhere as a campaign, or as a study of one")
    foreign.add_argument("folder", type=Path, metavar="DIR", help="the folder of logs; it is not changed")
    foreign.add_argument("--campaign", required=True, metavar="NAME", help="a new one, or one that is not sealed")
    foreign.set_defaults(run=_import)

    series = commands.add_parser("cloudwatch", help="fetch the CloudWatch metrics for the time of a campaign")
    series.add_argument("--campaign", required=True, help="its name, a folder of raw/")
    series.add_argument("--file-system", required=True, metavar="ID", help="id in FSx, such as fs-0123456789abcdef0")
    series.add_argument("--region", help="AWS region; by default the one that boto3 is configured for")
    series.add_argument("--metrics", default="", help="names, separated by commas")
    series.set_defaults(run=_cloudwatch)

    seal = commands.add_parser("seal", help="write the checksums of a campaign, which is then never measured again")
    seal.add_argument("campaign", help="its name, a folder of raw/")
    seal.add_argument("--check", action="store_true", help="compare the files with the checksums instead")
    seal.set_defaults(run=_seal)

    simulate = commands.add_parser("simulate", help="simulate again how often the statistics are right; takes minutes")
    simulate.set_defaults(run=_simulate)

    schema = commands.add_parser("schema", help="write the JSON Schemas of studies, sites and claims for editors")
    schema.add_argument("--output", type=Path, default=Path("config/schema"), help="the folder to write to")
    schema.set_defaults(run=_schema)


def _add_results(commands: Any) -> None:
    """Add the subcommands for campaigns that are measured."""
    compare = commands.add_parser("compare", help="print what changed between campaigns, and what else differs")
    compare.add_argument("campaigns", nargs="+", metavar="CAMPAIGN", help="the others are compared with the first")
    compare.add_argument(
        "--threshold", type=float, default=5.0, metavar="PERCENT",
        help="the smallest change of speed that matters; a larger regression gives exit status 1 (default: 5)",
    )  # fmt: skip
    compare.add_argument("--metric", default="", help="the figure to compare, such as latency")
    compare.add_argument("--junit", type=Path, metavar="FILE", help="also write JUnit XML")
    compare.add_argument("--markdown", type=Path, metavar="FILE", help="also write Markdown")
    compare.add_argument(
        "--page", action="store_true", help="add a page to the report of the last campaign when it is next rendered"
    )
    compare.set_defaults(run=_compare)

    archive = commands.add_parser("archive", help="write one file to deposit: raw logs, results, report, program")
    archive.add_argument("campaign", help="its name, a folder of raw/")
    archive.add_argument("--output", type=Path, metavar="FILE", help="or a folder; by default results/<campaign>.zip")
    archive.add_argument(
        "--anonymise", action="store_true", help="replace hosts, users, addresses and paths everywhere"
    )
    archive.add_argument(
        "--hide", action="append", default=[], metavar="WORD", help="another name to replace; may be repeated"
    )
    archive.add_argument(
        "--licence", default="", metavar="URL", help="licence of the archive; by default the program's"
    )
    archive.add_argument("--author", default="", help="who measured; by default the site's title")
    archive.set_defaults(run=_archive)

    rebuild = commands.add_parser(
        "rebuild", help="rebuild all results from raw logs, and compare them with the stored ones"
    )
    rebuild.add_argument("named", metavar="ARCHIVE|CAMPAIGN", help="a file that archive wrote, or a folder of raw/")
    rebuild.set_defaults(run=_rebuild)

    show = commands.add_parser("open", help="open a campaign's report in the browser")
    show.add_argument("campaign", nargs="?", default="", help="by default the one rendered last")
    show.add_argument(
        "--summary", action="store_true", help="print the path of the one file to send, and how to mail it"
    )
    show.set_defaults(run=_open)

    export = commands.add_parser("export", help="write the trials and figures of a campaign as Parquet, beside the CSV")
    export.add_argument("campaign", help="its name, a folder of results/")
    export.add_argument("--output", type=Path, help="another folder")
    export.set_defaults(run=_export)

    lab = commands.add_parser("lab", help="copy notebooks that read a campaign's dataset to lab/; make lab opens them")
    lab.add_argument("campaign", help="its name, a folder of raw/")
    lab.set_defaults(run=_lab)

    completion = commands.add_parser("completion", help="print a script that completes the command line of coldcache")
    completion.add_argument("shell", choices=("bash",), help="the shell: source <(coldcache completion bash)")
    completion.set_defaults(run=_completion)


def _new(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.new import make_folder

    make_folder(chosen.folder)


def _parse(chosen: argparse.Namespace) -> int:
    from coldcache.workflow.commands.parse import print_records

    return print_records(chosen.logs, chosen.format)


def _check(chosen: argparse.Namespace) -> int:
    from coldcache.workflow.commands.check import print_check

    return print_check(chosen.site, chosen.target)


def _plan(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.plan import print_plan
    from coldcache.workflow.configuration import OVERRIDES

    stated = {key: getattr(chosen, key) for key in ("site", "target", "full", "noise", *OVERRIDES)}
    print_plan(chosen.study, form=chosen.format, **stated)


def _measure(chosen: argparse.Namespace) -> None:
    from coldcache.measure.runner import measure_block
    from coldcache.workflow.configuration import KEYS, read_design

    design = read_design({key: getattr(chosen, key) for key in KEYS})
    measure_block(design, chosen.block, chosen.manifest, chosen.log)


def _status(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.status import print_status

    print_status(chosen.campaign)


def _wait(chosen: argparse.Namespace) -> None:
    from coldcache.measure.cluster.leftover_runners import wait_for_jobs, wait_for_runners

    wait_for_runners(chosen.campaign)
    wait_for_jobs(chosen.campaign)


def _import(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.import_folder import print_import

    print_import(chosen.folder, chosen.campaign)


def _collect(chosen: argparse.Namespace) -> None:
    from coldcache.dataset.collect import collect
    from coldcache.report.site.first_results import write_first_results

    collect(chosen.campaign, chosen.results)
    write_first_results(chosen.campaign, chosen.results)


def _claims(chosen: argparse.Namespace) -> None:
    from coldcache.claims.judge import write_claims

    write_claims(chosen.campaign, chosen.results)


def _notebook(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.execute_notebook import execute_notebook

    execute_notebook(chosen.notebook, chosen.output, chosen.log, chosen.dataset, chosen.study, chosen.reads)


def _fork_server(chosen: argparse.Namespace) -> None:
    from coldcache.workflow import fork_server

    fork_server.serve(chosen.name, main, chosen.at_once)


def _report(chosen: argparse.Namespace) -> None:
    from coldcache.report.comparison.earlier import compare_with_earlier
    from coldcache.report.site.render import render

    compare_with_earlier(chosen.campaign, chosen.results)
    render(chosen.campaign, chosen.results, chosen.log)


def _cloudwatch(chosen: argparse.Namespace) -> None:
    from coldcache.campaign.campaign import RAW, read_campaign
    from coldcache.dataset.cloudwatch import FETCHED_METRICS, fetch_series

    metrics = chosen.metrics.split(",") if chosen.metrics else FETCHED_METRICS
    campaign = read_campaign(RAW / chosen.campaign)
    for path in fetch_series(campaign, chosen.file_system, metrics, region=chosen.region):
        print(path)


def _seal(chosen: argparse.Namespace) -> int:
    from coldcache.workflow.commands.seal import print_seal

    return print_seal(chosen.campaign, chosen.check)


def _compare(chosen: argparse.Namespace) -> int:
    from coldcache.report.comparison.terminal import print_comparison

    threshold = chosen.threshold / 100
    return print_comparison(chosen.campaigns, threshold, chosen.metric, chosen.junit, chosen.markdown, chosen.page)


def _archive(chosen: argparse.Namespace) -> None:
    from coldcache.report.archive.archive import archive

    archive(chosen.campaign, chosen.output, chosen.anonymise, chosen.hide, chosen.licence, chosen.author)


def _rebuild(chosen: argparse.Namespace) -> int:
    from coldcache.workflow.commands.rebuild import print_rebuild

    return print_rebuild(chosen.named)


def _open(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.open import open_report

    open_report(chosen.campaign, chosen.summary)


def _export(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.export import export_tables

    for path in export_tables(chosen.campaign, chosen.output):
        print(path)


def _lab(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.open import lay_out_notebooks

    print(lay_out_notebooks(chosen.campaign))


def _simulate(_: argparse.Namespace) -> None:
    from coldcache.statistics.simulation.stored_tables import measure_tables

    print(measure_tables().to_string(index=False))


def _schema(chosen: argparse.Namespace) -> None:
    from coldcache.workflow.commands.schema import write_schemas

    write_schemas(chosen.output)


def _completion(_: argparse.Namespace) -> None:
    print(write_completion(_make_parser()), end="")


if __name__ == "__main__":
    sys.exit(main())
