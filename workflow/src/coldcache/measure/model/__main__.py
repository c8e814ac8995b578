"""The model from a command line: ``python -m coldcache.measure.model up``."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coldcache.core.errors import ColdCacheError
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_models import explain
from coldcache.design.model.predict import predict_throughput
from coldcache.design.model.specification import Specification, show_value
from coldcache.design.model.stripes import Layout
from coldcache.design.site import SITES, read_site
from coldcache.measure.model import faults
from coldcache.measure.model.clients import remount_clients
from coldcache.measure.model.counters import is_saturated, read_model_counters, share_of_cores, subtract
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.groups import list_members
from coldcache.measure.model.layout import find_targets, forget_stripes, make_files, read_layout
from coldcache.measure.model.limits import read_model_limits, set_limit
from coldcache.measure.model.place import Place, claim, find_daemons, list_expected, open_place, read_specification
from coldcache.measure.model.start import is_up, start_model
from coldcache.measure.model.stop import stop
from coldcache.measure.model.storage import place_of

FAULTS: dict[str, Callable[[Place, Any], None]] = {
    name.replace("_", "-"): getattr(faults, name)
    for name in (
        "lose_target",
        "return_target",
        "lose_metadata_server",
        "return_metadata_server",
        "lose_client",
        "return_client",
        "cut_link",
        "mend_link",
    )
}


def main() -> int:
    """Run one command; return the status of the process."""
    options = _parse(sys.argv[1:])
    try:
        options.of_site = read_site(SITES, options.site)
        place = open_place(options.folder) if options.folder else place_of(options.of_site)
        if place is None:
            raise ModelError(f"{SITES / options.site}.yaml has no key model: choose a site that has one")
        options.run(place, options)
    except ColdCacheError as error:
        print(f"coldcache: {error}", file=sys.stderr)
        return 1
    return 0


def parse_argument(key: str, text: str) -> object:
    """Return a value of the specification as a command line gives it: ``none``, true or false, a number, or a quantity.

    Raises
    ------
    ModelError
        If there is no such key.
    """
    if key not in Specification.model_fields:
        raise ModelError(f'unknown key "{key}"; {nearest(key, list(Specification.model_fields))}')
    words: dict[str, object] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m coldcache.measure.model", description=__doc__)
    parser.add_argument("--site", default="model", help="the site that states its parts and limits")
    parser.add_argument("--folder", help="where everything of it lies, if not where the site says")
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, run: Callable[[Place, argparse.Namespace], None], about: str, *names: str) -> None:
        command = commands.add_parser(name, help=about)
        command.set_defaults(run=run)
        for word in names:
            command.add_argument(word.rstrip("*"), **({"nargs": "*"} if word.endswith("*") else {}))  # type: ignore[arg-type]

    add("check", _check, "what this machine lacks, and the command that cures it")
    add("up", _up, "start it; key=value ... for what is not as the site states", "values*")
    add("down", _down, "end it; nothing is left")
    add("show", _show, "what it is made of, which limits are in force, and what they let expect")
    add("set", _set, "put a limit in force, and read it back", "key", "value")
    add("files", _files, "folder targets stripe_count stripe_size size name ...: make striped files", "given*")
    add("where", _where, "the targets of a file's stripes", "path")
    add("forget", lambda place, _: forget_stripes(place), "after removing striped files: free their places")
    add("cold", lambda place, _: remount_clients(place), "remount every client, so that it keeps nothing")
    add("counters", _counters, "bytes and requests as JSON; with a command after --: what it moved", "program*")
    add("fault", _fault, f"stage a fault or its end: {', '.join(FAULTS)}", "fault", "part")
    return parser.parse_args(words)


def _check(place: Place, options: argparse.Namespace) -> None:
    obstacles = list_obstacles()
    if obstacles:
        raise ModelError("; ".join(obstacles))
    print("a model can be started here")


def _up(place: Place, options: argparse.Namespace) -> None:
    values: dict[str, object] = {}
    for word in options.values:
        key, equals, text = word.partition("=")
        if not equals:
            raise ModelError(f"{word}: write key=value")
        values[key] = parse_argument(key, text)
    try:
        specification = (options.of_site.model or Specification()).change(**values)
    except ValidationError as error:
        raise ModelError(explain(error, values)) from error
    with claim(place):
        if not start_model(place, specification, tell=print):
            print("it is up already")
    _show(place, options)


def _down(place: Place, options: argparse.Namespace) -> None:
    was_there = place.folder.exists()
    stop(place)
    print(f"{place.folder}: {'ended; nothing is left' if was_there else 'no model is there'}")


def _show(place: Place, options: argparse.Namespace) -> None:
    specification = read_specification(place)
    if not is_up(place):
        missing = sorted(list_expected(specification) - set(find_daemons(place))) or ["a mount"]
        raise ModelError(f"{place.folder}: not up: {', '.join(missing)} is missing; up restarts it")
    members = list_members(place.name)
    memory = sum(_memory_of(member) for member in members)
    print(f"{place.folder}: {len(members)} processes, {memory / 2**20:.0f} MiB of memory")
    print(
        f"{specification.targets} targets on {specification.storage_nodes} nodes, {specification.metadata_servers} "
        f"metadata servers and {specification.standby_servers} in reserve, {specification.clients} clients"
    )
    for key, value in read_model_limits(place).items():
        print(f"{key}: {show_value(key, value)}")
    for direction in ("read", "write"):
        layout = Layout(specification.targets)
        told = predict_throughput(specification, specification.targets, layout, direction)  # type: ignore[arg-type]
        rate = "no limit" if told.rate is None else f"{told.rate / 1e6:g} MB/s"
        print(f"{direction} by as many threads as targets: {rate}, bounded by {told.bound}")


def _memory_of(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0


def _set(place: Place, options: argparse.Namespace) -> None:
    print(f"{options.key}: {set_limit(place, options.key, parse_argument(options.key, options.value))}")


def _files(place: Place, options: argparse.Namespace) -> None:
    if len(options.given) < 6:
        raise ModelError("files: folder, targets, stripe_count, stripe_size in B, size in B, and at least one name")
    folder, targets, count, stripe, size, *names = options.given
    layout = Layout(int(targets), int(count), int(stripe))
    print(json.dumps(make_files(place, Path(folder).resolve(), names, int(size), layout)))


def _where(place: Place, options: argparse.Namespace) -> None:
    path = Path(options.path)
    print(json.dumps({**read_layout(path), "targets": find_targets(place, path)}))


def _counters(place: Place, options: argparse.Namespace) -> None:
    before = read_model_counters(place)
    if not options.program:
        print(json.dumps(before.to_dict(), indent=1))
        return
    status = subprocess.run(options.program, stdout=sys.stderr).returncode
    moved = subtract(read_model_counters(place), before)
    answer = {"status": status, "share_of_cores": share_of_cores(moved), "saturated": is_saturated(moved)}
    print(json.dumps({**answer, **moved.to_dict()}, indent=1))


def _fault(place: Place, options: argparse.Namespace) -> None:
    if options.fault not in FAULTS:
        raise ModelError(f"{options.fault}: choose one of {', '.join(FAULTS)}")
    FAULTS[options.fault](place, options.part if "link" in options.fault else int(options.part))


if __name__ == "__main__":
    sys.exit(main())
