"""Errors for users: each is one line that says what failed, where, why, and what to do."""


class ColdCacheError(Exception):
    """Base of every error that ends a command with one line instead of a traceback."""

    def __str__(self) -> str:
        # Quoted user input may contain line ends.
        return " ".join(super().__str__().splitlines())


class DesignError(ColdCacheError, ValueError):
    """A study, site or plan cannot be carried out as written."""


class LogError(ColdCacheError):
    """A log is broken, cut short, or from an unknown tool or version."""


class SettingError(ColdCacheError):
    """A setting could not be applied, read back or restored."""


class TargetError(ColdCacheError):
    """A target must not, or cannot, be measured."""


class ToolError(ColdCacheError):
    """A benchmark tool is missing or does not answer."""


class CampaignError(ColdCacheError):
    """A campaign's files contradict each other or the request."""


class DatasetError(ColdCacheError, LookupError):
    """A `dataset.nc` cannot be read, or lacks what was requested."""


class ClusterError(ColdCacheError):
    """Nodes were not granted, do not answer, or do not see the target."""


class NoData(ColdCacheError):  # noqa: N818
    """A campaign has no measurements that answer the question."""
