"""What goes wrong with the model: one line that says what, where, why and what to do."""

from coldcache.core.errors import SettingError


class ModelError(SettingError):
    """A model that could not be started, changed, read or ended."""
