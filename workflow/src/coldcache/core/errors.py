"""What a user can be told: each error is one line that says what, where, why and what to do."""


class ColdCacheError(Exception):
    """Base of every error that ends a command with one line instead of a traceback."""

    def __str__(self) -> str:
        # What the user wrote, and the message quotes, may hold line ends.
        return " ".join(super().__str__().splitlines())


class DesignError(ColdCacheError, ValueError):
    """A study, a site or a plan that cannot be carried out as written."""


class LogError(ColdCacheError):
    """A log that is broken, cut short, or of no known tool or version."""


class SettingError(ColdCacheError):
    """A setting that could not be applied, read back or restored."""


class TargetError(ColdCacheError):
    """A target that must not, or cannot, be measured."""


class ToolError(ColdCacheError):
    """A benchmark tool that is missing or does not answer."""


class CampaignError(ColdCacheError):
    """A campaign whose files do not fit together, or do not fit what is asked of it."""


class DatasetError(ColdCacheError, LookupError):
    """A `dataset.nc` that cannot be read, or has not what is asked of it."""


class ClusterError(ColdCacheError):
    """Nodes that a job did not get, that do not answer, or that do not see the target."""


class NoData(ColdCacheError):  # noqa: N818
    """A campaign in which nothing was measured that the question needs."""
