"""Print lines whose parts have colours on a terminal; in a pipe, or with NO_COLOR, lines are plain text."""

import os
import sys


def print_line(line: str, *parts: tuple[str, str]) -> None:
    """Print a line.

    Parameters
    ----------
    line : str
        The whole line, which is never wrapped.
    *parts : (str, str)
        A regular expression, and the style of `rich` that what matches has on a terminal.
    """
    # With NO_COLOR rich would still print bold.
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        print(line)
        return
    # Imported here because no pipe needs it.
    from rich.console import Console
    from rich.text import Text

    text = Text(line)
    for pattern, style in parts:
        text.highlight_regex(pattern, style)
    Console(highlight=False).print(text, soft_wrap=True)
