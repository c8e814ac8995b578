"""Where the stripes of files lie: dealt out in turns over the first targets."""

from dataclasses import dataclass

from coldcache.core.units import MIB


@dataclass(frozen=True, slots=True)
class Layout:
    """How files are striped: over how many of the first targets, in how many stripes of how many B."""

    targets: int
    stripe_count: int = 1
    stripe_size: int = MIB


def deal_stripes(files: int, layout: Layout) -> list[list[int]]:
    """Return the targets of each file's stripes, dealt out in turns; targets count from 1."""
    count = layout.stripe_count
    return [[1 + (file * count + stripe) % layout.targets for stripe in range(count)] for file in range(files)]
