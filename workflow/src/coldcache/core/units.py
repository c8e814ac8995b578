"""Quantities: parsed from ``1 MiB`` or ``1.2 s``, stored in B, s and 1, and shown with units."""

import re
from collections.abc import Iterable

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import nearest

#: Bytes in a KiB and a MiB.
KIB, MIB = 2**10, 2**20

#: The value of each unit in the stored unit. MB and GB are powers of ten, MiB and GiB powers of two.
UNITS: dict[str, dict[str, float]] = {
    "B": {
        "B": 1,
        **{f"{prefix}B": 1000**power for power, prefix in enumerate(("k", "M", "G", "T", "P"), start=1)},
        **{f"{prefix}iB": 1024**power for power, prefix in enumerate(("K", "M", "G", "T", "P"), start=1)},
    },
    "B/s": {
        **{f"{prefix}B/s": 1000**power for power, prefix in enumerate(("", "k", "M", "G", "T"))},
        **{f"{prefix}iB/s": 1024**power for power, prefix in enumerate(("K", "M", "G", "T"), start=1)},
        **{f"{prefix}bit/s": 1000**power / 8 for power, prefix in enumerate(("M", "G", "T"), start=2)},
    },
    "s": {"ms": 0.001, "s": 1, "min": 60, "h": 3600},
    "1": {"": 1},
}

#: What people write who mean powers of two, as fio, IOR and IOzone read it, by the letter that it begins with.
_SHORT_SIZE = re.compile(r"([kmgtp])b?", re.IGNORECASE)

#: Other names of units, by the stored unit.
_OTHER_NAMES = {
    "s": {
        "sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "min", "mins": "min", "minute": "min",
        "minutes": "min", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    },
    "B": {"byte": "B", "bytes": "B", "b": "B"},
}  # fmt: skip

#: Decimal prefixes with which rates are shown.
_PREFIXES = ((1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"))

#: The largest file offset; no sensible quantity reaches it.
_LARGEST = 2.0**63

# A comma only separates thousands: otherwise "1,5 GiB", as some languages write it, would be read as 15 GiB.
_QUANTITY = re.compile(r"\s*((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]+)*)(?:\.[0-9]+)?)\s*([A-Za-z]*(?:/s)?)\s*")


def parse_quantity(text: str | float, unit: str) -> float:
    """Return a quantity in its stored unit.

    Parameters
    ----------
    text : str or float
        A number with a unit, such as ``"4 KiB"``; a bare number is in the stored unit already.
    unit : {"B", "B/s", "s", "1"}
        The stored unit.

    Returns
    -------
    float
        In `unit`.

    Raises
    ------
    DesignError
        If `text` is not a number with one of the units of `UNITS`, is negative, or is absurdly large. The message
        names the nearest unit, or all.
    """
    if isinstance(text, int | float) and not isinstance(text, bool):
        number, scale = text, 1.0
    else:
        match = _QUANTITY.fullmatch(str(text))
        if match is None:
            meant = f" with a unit of {', '.join(UNITS[unit])}" if unit != "1" else ""
            raise DesignError(f'"{text}" is not a number{meant}')
        number, scale = float(match[1].replace(",", "").replace("_", "")), _scale(str(text), match[2], unit)
    if number < 0:
        raise DesignError(f"{text} is negative")
    if not number < _LARGEST / scale:
        raise DesignError(f"{str(text)[:20]} is no number that can be meant")
    return float(number) * scale


def _scale(text: str, name: str, unit: str) -> float:
    if unit == "1" and name:
        raise DesignError(f'"{text}" has a unit, where a plain number is meant')
    if name and name not in UNITS[unit]:
        raise DesignError(f'"{text}" has an unknown unit "{name}"; {_name_meant(text, name, unit)}')
    return UNITS[unit][name] if name else 1


def _name_meant(text: str, name: str, unit: str) -> str:
    """Return the hint which quantity a text with an unknown unit may mean."""
    number = text.strip().removesuffix(name).strip()
    short = _SHORT_SIZE.fullmatch(name)
    if unit == "B" and short:
        letter = short[1].upper()
        size = float(number.replace(",", "").replace("_", "")) * UNITS["B"][f"{letter}iB"]
        meant = f"did you mean {number} {letter}iB ({size:,.10g} B)"
        decimal = f"{'k' if letter == 'K' else letter}B"
        return f"{meant}?" if len(name) == 1 else f"{meant}, or {number} {decimal} of powers of ten?"
    if unit == "B/s" and short:
        letter = short[1].upper()
        return f"did you mean {number} {'k' if letter == 'K' else letter}B/s?"
    other = _OTHER_NAMES.get(unit, {}).get(name.lower())
    return f"did you mean {number} {other}?" if other else nearest(name, list(UNITS[unit]))


def parse_bytes(text: str | float) -> int:
    """Return a size in bytes; raises `DesignError` as `parse_quantity`, and for a fraction of a byte."""
    size = parse_quantity(text, "B")
    if size != int(size):
        raise DesignError(f'"{text}" is not a whole number of bytes')
    return int(size)


def parse_seconds(text: str | float) -> float:
    """Return a duration in seconds; raises `DesignError` as `parse_quantity`."""
    return parse_quantity(text, "s")


def show_bytes(size: float) -> str:
    """Return a size with the largest binary unit that it fills, whole or with one decimal: ``1 MiB``, ``12.3 GiB``."""
    name, value = "B", float(size)
    for prefix in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if value < 1024:
            break
        name, value = prefix, value / 1024
    return f"{value:.0f} {name}" if value == int(value) else f"{value:.1f} {name}"


def state_bytes(size: int) -> str:
    """Return a size exactly, with the largest binary unit that divides it: ``8 GiB``, ``1500 MiB``, ``10 B``."""
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
    power = next(power for power in reversed(range(len(units))) if size % 1024**power == 0)
    return f"{size // 1024**power} {units[power]}"


def show_seconds(duration: float) -> str:
    """Return a duration in the two largest units that fit: ``1 h 05 min``, ``3 min 20 s``, ``45 s``."""
    whole = round(duration)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def show_rate(rate: float, unit: str) -> str:
    """Return a rate or a duration with three digits and a decimal prefix: ``1.23 GB/s``, ``788/s``, ``120 µs``.

    A count from 1,000 on is whole: ``16,384``.

    Parameters
    ----------
    rate : float
        In `unit`.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit of the metric.
    """
    if unit == "1":
        return show_number(rate)
    divisor, name = scale_of(rate, unit)
    value = rate / divisor
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{digits}f}{'' if name.startswith('/') else ' '}{name}"


def show_number(value: float) -> str:
    """Return a number without a unit with three digits, from 1,000 on whole: ``1.02``, ``16,384``."""
    # From here on three digits would take an exponent.
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def show_span(values: Iterable[float]) -> str:
    """Return the least and the greatest of some numbers without a unit: ``1.02 to 16,384``; once if they look alike."""
    several = list(values)
    return " to ".join(dict.fromkeys(show_number(end) for end in (min(several), max(several))))


def show_percent(share: float, signed: bool = False) -> str:
    """Return a share in whole per cent: ``95 %``; a change with its sign: ``+61 %``, ``\N{MINUS SIGN}4 %``."""
    shown = f"{100 * share:+,.0f}" if signed else f"{100 * share:.0f}"
    return f"{shown} %".replace("-", "\N{MINUS SIGN}")


def show_range(low: float, high: float, unit: str) -> str:
    """Return two rates or durations as `show_rate` does, with a shared unit only once: ``1.12 to 1.20 GB/s``.

    Parameters
    ----------
    low, high : float
        In `unit`.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit of the metric.
    """
    first, last = show_rate(low, unit), show_rate(high, unit)
    if unit == "1":
        return f"{first} to {last}"
    split = re.fullmatch(r"([-\d.]+)(.*)", first)
    is_same = split is not None and re.sub(r"^[-\d.]+", "", last) == split[2]
    return f"{split[1] if split and is_same else first} to {last}"


def scale_of(rate: float, unit: str) -> tuple[float, str]:
    """Return the divisor that leaves one to three digits before the point of a rate or duration, and its unit.

    Parameters
    ----------
    rate : float
        In `unit`.
    unit : {"B/s", "1/s", "s"}
        The stored unit of the metric.

    Returns
    -------
    divisor : float
    name : str
        The unit after division, such as ``GB/s``, ``k/s`` or ``ms``.
    """
    prefixes = ((1e-6, "µ"), (1e-3, "m"), (1.0, "")) if unit == "s" else _PREFIXES
    size, prefix = prefixes[0]
    for larger, letter in prefixes:
        if abs(rate) >= 0.9995 * larger:
            size, prefix = larger, letter
    return size, f"{prefix}{unit.removeprefix('1')}"
