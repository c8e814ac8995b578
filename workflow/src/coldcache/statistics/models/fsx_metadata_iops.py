"""Metadata IOPS of FSx for Lustre: those of automatic mode, those that users may provision, and the expected rates.

Source: the document fsx-metadata (sections on metadata performance and its set-up, figures 3a, 3b and 4b). Its
text states 1,500 at 1,200 GiB, 12,000 from 12,000 GiB on, and 12,000 per 24 TiB. The steps between the first two, and
48,000 GiB as the capacity from which the third holds, are this module's reading: figure 3a is a picture.
"""

from coldcache.core.errors import DesignError

#: Values that a user may provision below the step; above it, its multiples up to the last.
_SMALL = (1_500, 3_000, 6_000)
_STEP, _LAST = 12_000, 192_000

#: Automatic mode: from this capacity in GiB on, these metadata IOPS.
_AUTOMATIC = ((12_000, 12_000), (4_800, 6_000), (2_400, 3_000), (1_200, 1_500))

#: Capacity above which each 24,000 GiB add another step.
_LARGE, _PER_STEP = 48_000, 24_000

#: Operations per second for each provisioned IOPS.
OPERATIONS_PER_IOPS = {"file-create": 2, "file-open": 2, "file-remove": 1}


def automatic_iops(capacity: int) -> int:
    """Return the metadata IOPS of automatic mode.

    Parameters
    ----------
    capacity : int
        Storage capacity in GiB.

    Raises
    ------
    DesignError
        If no file system has that size: 1,200 GiB or a multiple of 2,400 GiB.
    """
    if capacity != 1_200 and (capacity < 1_200 or capacity % 2_400):
        raise DesignError(f"no file system has {capacity:,} GiB: choose 1,200 or a multiple of 2,400")
    if capacity >= _LARGE:
        return capacity // _PER_STEP * _STEP
    return next(iops for least, iops in _AUTOMATIC if capacity >= least)


def check_provisioned(iops: int) -> int:
    """Return `iops` if a user may provision them.

    Raises
    ------
    DesignError
        If they are not 1,500, 3,000, 6,000 or a multiple of 12,000 up to 192,000; the message names the nearest.
    """
    allowed = (*_SMALL, *range(_STEP, _LAST + 1, _STEP))
    if iops in allowed:
        return iops
    nearest = min(allowed, key=lambda value: abs(value - iops))
    raise DesignError(
        f"{iops:,} metadata IOPS cannot be provisioned: choose 1,500, 3,000, 6,000 or a multiple of 12,000 up to "
        f"192,000; the nearest is {nearest:,}"
    )


def expected_rate(operation: str, iops: int) -> int:
    """Return the operations per second that provisioned metadata IOPS allow.

    Raises
    ------
    DesignError
        If the IOPS cannot be provisioned, or the document gives no factor for the operation.
    """
    if operation not in OPERATIONS_PER_IOPS:
        raise DesignError(f"no rate is given for {operation}; known are {', '.join(OPERATIONS_PER_IOPS)}")
    return OPERATIONS_PER_IOPS[operation] * check_provisioned(iops)


def largest_increase(capacity: int) -> float:
    """Return the largest ratio of provisioned to automatic IOPS at one capacity.

    The document says "up to 15 times"; at the 12,000 GiB that it measures this is 16.
    """
    return _LAST / automatic_iops(capacity)
