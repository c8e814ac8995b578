"""`python -m coldcache import`: turn a folder of logs into a campaign, and print what was read and what to run next."""

import sys
from pathlib import Path

from coldcache.campaign.importing.import_logs import import_logs


def print_import(folder: Path, campaign: str) -> None:
    """Import a folder of logs, and print how many were read; the reason why others were not goes to standard error.

    Parameters
    ----------
    folder : Path
        The logs, with or without notes.
    campaign : str
        The campaign's name.

    Raises
    ------
    ColdCacheError
        As `import_logs`.
    """
    imported = import_logs(folder, campaign)
    found = imported.found
    for file, reason in [*found.unread, *((log.file, log.refusal) for log in found.logs if log.refusal)]:
        print(f"coldcache: {folder / file}: {reason}", file=sys.stderr)
    refused = sum(bool(log.refusal) for log in found.logs)
    logs = f"{len(found.logs)} logs, {refused} of them refused" if refused else f"{len(found.logs)} logs"
    print(f"{imported.folder}: {len(imported.trials)} trials from {logs}, {len(found.unread)} files were not read")
    if not imported.is_sealed:
        print(f"python -m coldcache seal {campaign}")
    print(f"snakemake --cores 1 --config campaign={campaign}")
