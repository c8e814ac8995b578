"""Where a byte lies in a log, in words for a message."""


def name_line(text: bytes | str, offset: int) -> str:
    """Return the line that holds a byte or a character, such as ``line 7``."""
    ends = text.count("\n", 0, offset) if isinstance(text, str) else text.count(b"\n", 0, offset)
    return f"line {ends + 1}"
