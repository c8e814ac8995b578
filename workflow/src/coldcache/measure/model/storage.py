"""The model as the storage of a site: started before its target is used, and ended with the campaign."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from coldcache.core.errors import TargetError
from coldcache.design.site import Site
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.place import Place, claim, open_place
from coldcache.measure.model.start import start_model
from coldcache.measure.model.stop import stop


def place_of(site: Site) -> Place | None:
    """Return where a site's model lies, by the path of its target; None for a site on other storage.

    Raises
    ------
    TargetError
        If the path is not on the model's first client.
    """
    if site.model is None:
        return None
    path = Path(site.target.path)
    if path.parent.name != "c1":
        raise TargetError(f"{path} is not on the model's first client; name a folder such as /var/tmp/model/c1/data")
    return open_place(path.parents[1])


def refuse_storage(site: Site) -> None:
    """Raise `TargetError` if the model of a site cannot be started here: what is missing, and what cures it."""
    place_of(site)
    obstacles = list_obstacles()
    if obstacles:
        raise TargetError(f"config/sites/{site.site}.yaml, model: {'; '.join(obstacles)}")


@contextmanager
def storage(site: Site) -> Iterator[None]:
    """Have the storage of a site for a while: its model is started, or gets the site's limits, and no other may use it.

    It is left running for the next block; `end_storage` ends it.

    Raises
    ------
    TargetError
        If the model cannot be started here, or another campaign measures on it.
    """
    place = place_of(site)
    if place is None or site.model is None:
        yield
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(claim(place))
            start_model(place, site.model)
        except ModelError as error:
            raise TargetError(f"config/sites/{site.site}.yaml, model: {error}") from error
        yield


def end_storage(site: Site) -> None:
    """End the model of a site, whatever is left of it; one on which a campaign measures stays.

    Raises
    ------
    TargetError
        If something of it stays.
    """
    place = place_of(site)
    if place is None or not place.folder.exists():
        return
    try:
        with claim(place):
            pass
    except ModelError:
        return
    try:
        stop(place)
    except ModelError as error:
        raise TargetError(f"config/sites/{site.site}.yaml, model: {error}") from error
