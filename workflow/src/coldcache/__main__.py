"""`python -m coldcache`: one subcommand per step of the study, named like the rule that calls it."""

import argparse
import os
import sys
from pathlib import Path

from coldcache.errors import ColdCacheError


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand and return its exit status: 0, 2 for a log that was refused, 1 for every other error."""
    parser = _make_parser()
    chosen = parser.parse_args(arguments)
    try:
        status = chosen.run(chosen) or 0
        # Here, where a reader that has gone is told from a failure; at Python's own end it would be a complaint.
        sys.stdout.flush()
        return status
    except ColdCacheError as error:
        print(f"coldcache: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("coldcache: interrupted; what is missing is measured at the next start", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of a pipe has seen enough; without this Python complains once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        print(f"coldcache: {where}{error.strerror or error}", file=sys.stderr)
        return 1


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="coldcache", description="A reproducible study of storage performance.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    parse = commands.add_parser("parse", help="print what logs state, one JSON object per value")
    parse.add_argument("logs", nargs="+", type=Path, metavar="LOG")
    parse.set_defaults(run=_parse)

    plan = commands.add_parser("plan", help="print a study's trials and command lines; touches nothing")
    plan.add_argument("--study", default="quick", help="ids, separated by commas")
    plan.add_argument("--site", default="local")
    plan.add_argument("--target", help="a folder to measure instead of the site's")
    plan.add_argument("--format", choices=("text", "jsonl"), default="text")
    plan.add_argument("--full", action="store_true", help="at the studies' full scale, whatever the site's limits")
    plan.set_defaults(run=_plan)

    check = commands.add_parser("check", help="print what is possible on a site, and why the rest is not")
    check.add_argument("site", metavar="SITE", help="an id of config/sites/")
    check.add_argument("--target", help="a folder to check instead of the site's")
    check.set_defaults(run=_check)

    measure = commands.add_parser("measure", help="run the missing trials of one block of a campaign")
    measure.add_argument("--block", required=True)
    measure.add_argument("--manifest", required=True, type=Path)
    measure.add_argument("--log", type=Path, help="a file to note each trial in")
    measure.set_defaults(run=_measure)

    foreign = commands.add_parser("import", help="make a campaign of logs that were made elsewhere")
    foreign.add_argument("folder", type=Path, metavar="DIR")
    foreign.add_argument("--campaign", required=True, metavar="NAME")
    foreign.set_defaults(run=_import)

    collect = commands.add_parser("collect", help="read and judge a campaign's logs; write its dataset")
    collect.add_argument("--results", required=True, type=Path)
    collect.set_defaults(run=_collect)

    notebook = commands.add_parser("notebook", help="execute one notebook on a campaign's dataset")
    notebook.add_argument("--notebook", required=True, type=Path)
    notebook.add_argument("--dataset", type=Path, help="instead of the one that the notebook names")
    notebook.add_argument("--study", help="instead of the one that the notebook names")
    notebook.add_argument("--output", required=True, type=Path)
    notebook.add_argument("--log", required=True, type=Path, help="where it stands while it is being executed")
    notebook.set_defaults(run=_notebook)

    report = commands.add_parser("report", help="render a campaign's executed notebooks as a site")
    report.add_argument("--results", required=True, type=Path)
    report.add_argument("--log", required=True, type=Path, help="what Sphinx says")
    report.set_defaults(run=_report)

    for command in (measure, collect, report):
        command.add_argument("--campaign", required=True)
    measure.add_argument("--studies", default="quick", help="ids, separated by commas")
    measure.add_argument("--site", default="local")
    measure.add_argument("--target", default="", help="a folder to measure instead of the site's")

    seal = commands.add_parser("seal", help="write the checksums of a campaign, after which it is never measured again")
    seal.add_argument("campaign")
    seal.add_argument("--check", action="store_true", help="compare the files with the checksums instead")
    seal.set_defaults(run=_seal)

    schema = commands.add_parser("schema", help="write the JSON Schemas of studies and sites for editors")
    schema.add_argument("--output", type=Path, default=Path("config/schema"))
    schema.set_defaults(run=_schema)
    return parser


def _parse(chosen: argparse.Namespace) -> int:
    from coldcache.parsing import print_records

    return print_records(chosen.logs)


def _check(chosen: argparse.Namespace) -> int:
    from coldcache.checking import print_check

    return print_check(chosen.site, chosen.target)


def _plan(chosen: argparse.Namespace) -> None:
    from coldcache.planning import print_plan

    print_plan(chosen.study, chosen.site, chosen.target, chosen.format, chosen.full)


def _measure(chosen: argparse.Namespace) -> None:
    from coldcache.design import KEYS, read_design
    from coldcache.runner import measure_block

    design = read_design({key: getattr(chosen, key) for key in KEYS})
    measure_block(design, chosen.block, chosen.manifest, chosen.log)


def _import(chosen: argparse.Namespace) -> None:
    from coldcache.importing import import_logs

    imported = import_logs(chosen.folder, chosen.campaign)
    found = imported.found
    for file, reason in [*found.unread, *((log.file, log.refusal) for log in found.logs if log.refusal)]:
        print(f"coldcache: {chosen.folder / file}: {reason}", file=sys.stderr)
    read = sum(not log.refusal for log in found.logs)
    print(f"{imported.folder}: {len(imported.trials)} trials from {read} logs, {len(found.unread)} files were not read")
    print(f"snakemake --cores 1 --config campaign={chosen.campaign}")


def _collect(chosen: argparse.Namespace) -> None:
    from coldcache.collect import collect

    collect(chosen.campaign, chosen.results)


def _notebook(chosen: argparse.Namespace) -> None:
    from coldcache.notebook import execute

    execute(chosen.notebook, chosen.output, chosen.log, chosen.dataset, chosen.study)


def _report(chosen: argparse.Namespace) -> None:
    from coldcache.report import render

    render(chosen.campaign, chosen.results, chosen.log)


def _seal(chosen: argparse.Namespace) -> int:
    from coldcache.campaign import RAW, check_seal, seal

    folder = RAW / chosen.campaign
    if not chosen.check:
        print(f"{folder} is sealed: {seal(folder)} files")
        return 0
    differences = check_seal(folder)
    for difference in differences:
        print(f"coldcache: {folder}/{difference}", file=sys.stderr)
    return 1 if differences else 0


def _schema(chosen: argparse.Namespace) -> None:
    from coldcache.schema import write_schemas

    write_schemas(chosen.output)


if __name__ == "__main__":
    sys.exit(main())
