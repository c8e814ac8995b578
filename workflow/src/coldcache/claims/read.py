"""Read claims from `config/claims/*.yaml` and from the studies."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coldcache.core.errors import DesignError
from coldcache.core.program_files import list_files
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_models import Strict, read_model
from coldcache.dataset.published import PublishedValue
from coldcache.design.claim import Claim, Claims
from coldcache.design.claim_tests import Selection
from coldcache.design.study import Study, read_study

#: Folders of claims and studies, and the file among the claims that holds contradictions.
CLAIMS, STUDIES = Path("config/claims"), Path("config/studies")
CONTRADICTIONS = "contradictions.yaml"


class SourcedClaim(NamedTuple):
    """A claim and the source that states it."""

    source: str
    claim: Claim


def read_claims(folder: Path = CLAIMS, studies: Path = STUDIES) -> list[SourcedClaim]:
    """Return every claim: first those of the files in `folder`, then those that the studies add.

    Raises
    ------
    DesignError
        If a file is not valid, a claim names an unknown study, sweep or column, or an id is used twice.
    """
    known = {path.stem: read_study(studies, path.stem) for path in list_files(studies, "*.yaml")}
    found: list[SourcedClaim] = []
    for path in list_files(folder, "*.yaml"):
        if path.name != CONTRADICTIONS:
            claims = read_model(path, Claims)
            if claims.source != path.stem:
                raise DesignError(f'{path}, source: "{claims.source}" is not the name of the file')
            found += _checked(path, claims.source, claims.claims, known)
    for name, study in known.items():
        found += _checked(studies / f"{name}.yaml", name, study.claims, known)
    ids = [stated.claim.id for stated in found]
    for stated in found:
        if ids.count(stated.claim.id) > 1:
            raise DesignError(f'{folder}: the claim "{stated.claim.id}" of {stated.source} is used twice')
    return found


def _checked(path: Path, source: str, claims: list[Claim], known: dict[str, Study]) -> Iterator[SourcedClaim]:
    for claim in claims:
        for test in claim.tests:
            for selection in _list_sides(test):
                name = selection.study or getattr(test, "study", None) or source
                if selection.sweep is not None or selection.study is not None:
                    _refuse_unknown(f"{path}, {claim.id}", name, selection.sweep, known)
        for column in (column for columns in claim.published for column in columns):
            if column not in PublishedValue._fields:
                hint = nearest(column, PublishedValue._fields)
                raise DesignError(f'{path}, {claim.id}: unknown column "{column}"; {hint}')
        yield SourcedClaim(source, claim)


def _refuse_unknown(where: str, study: str, sweep: str | None, known: dict[str, Study]) -> None:
    if study not in known:
        raise DesignError(f'{where}: unknown study "{study}"; {nearest(study, list(known))}')
    if sweep is not None and sweep not in known[study].sweeps:
        raise DesignError(f'{where}: unknown sweep "{sweep}"; {nearest(sweep, list(known[study].sweeps))}')


def list_selections(claim: Claim) -> Iterator[Selection]:
    """Yield every selection of a claim: for each test the test itself, then its sides."""
    for test in claim.tests:
        yield from _list_sides(test)


def _list_sides(test: Strict) -> Iterator[Selection]:
    pending: list[object] = [test]
    while pending:
        value = pending.pop(0)
        if isinstance(value, Selection):
            yield value
        if isinstance(value, Strict):
            pending += [getattr(value, name) for name in type(value).model_fields]
        elif isinstance(value, list):
            pending += value
