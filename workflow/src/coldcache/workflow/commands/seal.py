"""`python -m coldcache seal`: write a campaign's checksums, or compare its files with them."""

import sys

from coldcache.campaign.campaign import RAW
from coldcache.campaign.seal import check_seal, seal


def print_seal(campaign: str, check: bool) -> int:
    """Seal a campaign, or print where it differs from its seal, and return the exit status.

    Parameters
    ----------
    campaign : str
        Its name, a folder of `raw/`.
    check : bool
        Whether to compare only.

    Returns
    -------
    int
        1 where a file differs, else 0.

    Raises
    ------
    CampaignError
        As `seal` and `check_seal`.
    """
    folder = RAW / campaign
    if not check:
        print(f"{folder} is sealed: {seal(folder)} files")
        return 0
    differences = check_seal(folder)
    for difference in differences:
        print(f"coldcache: {folder}/{difference}", file=sys.stderr)
    return 1 if differences else 0
