"""Read claims from `config/claims/*.yaml` and from the studies of a campaign."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from coldcache.core.errors import DesignError
from coldcache.core.program_files import list_files
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_mistakes import name_place
from coldcache.core.yaml_models import Strict, read_model
from coldcache.dataset.published import PublishedValue
from coldcache.design.claim import CLAIMS, STUDIES, Claim, Claims, list_claim_files
from coldcache.design.claim_tests import FigureTest, Selection
from coldcache.design.study import Study, read_study

#: The file among the claims that holds contradictions.
CONTRADICTIONS = "contradictions.yaml"


class SourcedClaim(NamedTuple):
    """A claim and the source that states it."""

    source: str
    claim: Claim


def read_claims(own: Iterable[str] = ()) -> list[SourcedClaim]:
    """Return the claims of the sources, then those that the studies of a campaign add.

    Parameters
    ----------
    own : iterable of str
        The studies of the campaign; those without a file, such as imported ones, add none.

    Raises
    ------
    DesignError
        If a file is not valid, a claim names an unknown study, sweep or column, or an id is used twice.
    """
    found: list[SourcedClaim] = []
    find_study = cache(partial(read_study, STUDIES))
    for path in list_claim_files(own):
        if path.parent.name == STUDIES.name:
            stated = find_study(path.stem).claims
            found += _checked(STUDIES / path.name, path.stem, stated, find_study)
        elif path.name != CONTRADICTIONS:
            claims = read_model(path, Claims)
            if claims.source != path.stem:
                wrong = f'source: "{claims.source}" is not the name of the file; write "{path.stem}"'
                raise DesignError(name_place(path, wrong))
            found += _checked(path, claims.source, claims.claims, find_study)
    ids = [one.claim.id for one in found]
    for one in found:
        if ids.count(one.claim.id) > 1:
            raise DesignError(f'{CLAIMS}: the claim "{one.claim.id}" of {one.source} is used twice')
    return found


def _checked(
    path: Path, source: str, claims: list[Claim], find_study: Callable[[str], Study]
) -> Iterator[SourcedClaim]:
    for claim in claims:
        for test in claim.tests:
            for selection in _list_sides(test):
                name = selection.study or getattr(test, "study", None) or source
                if selection.sweep is not None or selection.study is not None:
                    _refuse_unknown(f"{path}, {claim.id}", name, selection.sweep, find_study)
        named = [*claim.published, *(test.near for test in claim.tests if isinstance(test, FigureTest))]
        for column in (column for columns in named for column in columns):
            if column not in PublishedValue._fields:
                hint = nearest(column, PublishedValue._fields)
                raise DesignError(f'{path}, {claim.id}: unknown column "{column}"; {hint}')
        yield SourcedClaim(source, claim)


def _refuse_unknown(where: str, study: str, sweep: str | None, find_study: Callable[[str], Study]) -> None:
    known = [path.stem for path in list_files(STUDIES, "*.yaml")]
    if study not in known:
        raise DesignError(f'{where}: unknown study "{study}"; {nearest(study, known)}')
    if sweep is not None and sweep not in (sweeps := list(find_study(study).sweeps)):
        raise DesignError(f'{where}: unknown sweep "{sweep}"; {nearest(sweep, sweeps)}')


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
