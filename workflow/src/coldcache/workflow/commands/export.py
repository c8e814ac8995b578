"""`python -m coldcache export`: write the tables of figures in another format."""

from pathlib import Path

import pandas as pd

from coldcache.analysis.outputs import EXPORTED
from coldcache.core.errors import CampaignError, ToolError
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS

#: The tables with a row per trial and per figure.
EXPORTED_TABLES = ("trials", "records")

#: Factors that are true or false.
_YES_OR_NO = ("direct_io", "fsync")

#: Columns of words, some of which look like numbers: the version 3.40 is not 3.4.
_WORDS = {
    *("study", "sweep", "case", "operation", "metric", "statistic", "unit", "definition", "caveats", "verdict"),
    *("codes", "cold", "reached", "tool", "tool_version", "log", "printed", "share"),
    *(name for name, factor in {**FACTORS, **LEARNT_FACTORS}.items() if factor.unit is None and name not in _YES_OR_NO),
}


def export_tables(campaign: str, folder: Path | None = None) -> list[Path]:
    """Write the trials and the figures of a campaign as Parquet, with the columns and rows of the CSV files.

    Parameters
    ----------
    campaign : str
        Its name. Numbers stay numbers, words words and missing levels null, so nothing has to be parsed again.
    folder : Path, optional
        Where to write; by default beside the CSV files.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    CampaignError
        If the campaign is not collected.
    ToolError
        If pyarrow is not installed.
    """
    results = Path("results", campaign)
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ToolError('Parquet needs pyarrow: uv pip install pyarrow, or pip install "coldcache[parquet]"') from error
    written = []
    for name in EXPORTED_TABLES:
        source = results / f"{name}.csv"
        if not source.is_file():
            raise CampaignError(
                f"{source}: there is no such file; snakemake --cores all --config campaign={campaign} writes it"
            )
        words = dict.fromkeys(_WORDS.intersection(pd.read_csv(source, nrows=0).columns), "string")
        # An empty cell is a missing level or figure; the word "none" is a name. Read in parts, a column of other levels
        # could be numbers in one part and words in the next.
        table = pd.read_csv(
            source, dtype=words, dtype_backend="numpy_nullable", keep_default_na=False, na_values=[""], low_memory=False
        )
        target = (folder or results) / f"{name}{EXPORTED}"
        target.parent.mkdir(parents=True, exist_ok=True)
        table.to_parquet(target, engine="pyarrow", index=False)
        written.append(target)
    return written
