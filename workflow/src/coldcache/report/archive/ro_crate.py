"""Describe an archive and its workflow as RO-Crate metadata, profile Workflow Run Crate.

The profile: https://w3id.org/ro/wfrun/workflow/0.5
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rocrate.model.computationalworkflow import ComputationalWorkflow
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from coldcache.campaign.campaign import Campaign
from coldcache.report.archive.program_copy import name_version
from coldcache.report.site.recorded_system import RecordedSystem

#: Profiles that the archive follows, with their versions; the last one extends the others.
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}

#: The version of RO-Crate that the profiles extend.
_RO_CRATE = "1.1"

#: Time of campaigns without trials: the first moment that a zip file can state.
_UNKNOWN_TIME = "1980-01-01T00:00:00+00:00"

_LICENCE = "https://spdx.org/licenses/Apache-2.0"

#: Files of results with a description and their media type.
_DESCRIBED = {
    "dataset.nc": ("Every record, and one cube for each sweep", "application/x-netcdf"),
    "verdicts.csv": ("The verdict on each trial", "text/csv"),
    "coverage.csv": ("Which tables and figures of the sources were measured", "text/csv"),
}


def write_metadata(
    folder: Path, campaign: Campaign, system: RecordedSystem, licence: str = "", author: str = ""
) -> None:
    """Write ``ro-crate-metadata.json`` into the folder of an archive's files.

    Parameters
    ----------
    folder : Path
        With ``raw/``, ``results/`` and ``code/``.
    campaign : Campaign
        The archived campaign.
    system : RecordedSystem
        The system that its trials recorded.
    licence : str
        URL of the archive's licence; by default the program's.
    author : str
        Who measured; by default the campaign's site.
    """
    crate: Any = ROCrate(version=_RO_CRATE)
    begin, end = (moment.isoformat(timespec="seconds") if moment else _UNKNOWN_TIME for moment in system[4:6])
    root = crate.root_dataset
    crate.name = f"Cold Cache: campaign {campaign.name}"
    crate.description = " ".join(f"{study.title}: {study.question}" for study in campaign.studies)
    crate.datePublished = end
    root["keywords"] = "storage performance, benchmark, reproducibility"
    root["license"] = _add(crate, licence or _LICENCE, "CreativeWork", name=licence or "Apache License 2.0")
    root["conformsTo"] = [
        _add(crate, address, "CreativeWork", name=name, version=number) for address, (name, number) in _PROFILES.items()
    ]
    workflow = _add_workflow(crate, campaign)
    agent = _add(crate, "#agent", "Organization", name=author or campaign.site.title)
    root["author"], root["publisher"] = agent, agent
    outputs = _add_files(crate, folder, campaign)
    design = crate.add_file(dest_path=f"raw/{campaign.name}/campaign.json")
    _describe(design, name="Design of the campaign", encodingFormat="application/json")
    design["exampleOfWork"] = {"@id": "#campaign"}
    action = _add(
        crate, "#run", "CreateAction", name=f"Campaign {campaign.name}: measured, collected and reported",
        description="raw/*/…/trial.json describes the tools, their versions, the machine and each trial.",
        instrument=workflow, agent=agent, object=design, result=outputs, endTime=end,
        startTime=begin,
        actionStatus="http://schema.org/CompletedActionStatus",
    )  # fmt: skip
    root["mentions"] = action
    described = json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False, sort_keys=True)
    (folder / "ro-crate-metadata.json").write_text(described + "\n", encoding="utf-8")


def read_version(folder: Path) -> str | None:
    """Return the version of the program that wrote an unpacked archive; None if the archive does not state it."""
    try:
        graph = json.loads((folder / "ro-crate-metadata.json").read_bytes())["@graph"]
        return next(str(entity["version"]) for entity in graph if entity["@id"] == "code/Snakefile")
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None


def _add_workflow(crate: Any, campaign: Campaign) -> Any:
    """Add the workflow with its inputs, outputs, version and software environment."""
    crate.add_dataset(dest_path="code/")
    lock = crate.add_file(dest_path="code/envs/requirements.lock")
    _describe(lock, name="Every Python package, pinned by hash", encodingFormat="text/plain")
    workflow = crate.add(ComputationalWorkflow(crate, dest_path="code/Snakefile"))
    language = _add(
        crate, "https://w3id.org/workflowhub/workflow-ro-crate#snakemake", "ComputerLanguage", name="Snakemake",
        url="https://snakemake.readthedocs.io", identifier="https://snakemake.readthedocs.io",
    )  # fmt: skip
    given = _add(
        crate, "#campaign", "FormalParameter", name="campaign", additionalType="File", valueRequired=True,
        description="The design: studies, site and environment", encodingFormat="application/json",
    )  # fmt: skip
    made = _add(
        crate,
        "#dataset",
        "FormalParameter",
        name="dataset",
        additionalType="File",
        encodingFormat="application/x-netcdf",
    )
    for parameter in (given, made):
        parameter["conformsTo"] = {"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"}
    _describe(
        workflow, name="Cold Cache", version=name_version(), programmingLanguage=language, input=given,
        output=made, license=_LICENCE, softwareRequirements=lock, encodingFormat="text/plain",
        conformsTo={"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"},
        description="Benchmark sweeps, their raw logs, and every table, figure and page that follows from them",
    )  # fmt: skip
    crate.mainEntity = workflow
    crate.metadata["conformsTo"] = [{"@id": f"https://w3id.org/ro/crate/{_RO_CRATE}"}, {"@id": list(_PROFILES)[-1]}]
    return workflow


def _add_files(crate: Any, folder: Path, campaign: Campaign) -> list[Any]:
    """Add raw logs and results, and the files that readers open first."""
    raw, results = f"raw/{campaign.name}/", f"results/{campaign.name}/"
    entities = [
        _describe(
            crate.add_dataset(dest_path=raw), name="Raw logs", description="The logs and the record of each trial"
        )
    ]
    for name, (words, kind) in _DESCRIBED.items():
        if (folder / results / name).is_file():
            file = _describe(crate.add_file(dest_path=results + name), name=words, encodingFormat=kind)
            if name == "dataset.nc":
                file["exampleOfWork"] = {"@id": "#dataset"}
            entities.append(file)
    for name, words in (("tables", "Tables"), ("figures", "Figures"), ("notebooks", "Executed notebooks")):
        if (folder / results / name).is_dir():
            entities.append(_describe(crate.add_dataset(dest_path=f"{results}{name}/"), name=words))
    report = _describe(crate.add_dataset(dest_path=f"{results}report/"), name="Report: open index.html")
    readme = crate.add_file(dest_path="README.md")
    _describe(readme, name="What is where", encodingFormat="text/markdown", about={"@id": "./"})
    sums = crate.add_file(dest_path="SHA256SUMS")
    _describe(sums, name="Checksums of every file", encodingFormat="text/plain")
    return [*entities, report]


def _add(crate: Any, place: str, kind: str, /, **properties: Any) -> Any:
    return crate.add(ContextEntity(crate, place, properties={"@type": kind, **_plain(properties)}))


def _describe(entity: Any, **properties: Any) -> Any:
    for name, value in properties.items():
        entity[name] = value
    return entity


def _plain(properties: dict[str, Any]) -> dict[str, Any]:
    """Return properties with entities replaced by references."""

    def refer(value: Any) -> Any:
        if isinstance(value, Iterable) and not isinstance(value, str | dict) and not hasattr(value, "id"):
            return [refer(each) for each in value]
        return {"@id": value.id} if hasattr(value, "id") else value

    return {name: refer(value) for name, value in properties.items()}
