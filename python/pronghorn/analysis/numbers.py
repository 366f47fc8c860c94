"""Numbers for people: times, ratios and intervals with a unit and an honest number of digits."""

import math


def seconds(value: float | None) -> str:
    """A time to three significant digits: `3.21 s`, `412 ms`, `0.52 ms`; `–` for none."""
    if value is None:
        return "–"
    return f"{_digits(value)} s" if abs(value) >= 0.9995 else f"{_digits(value * 1000)} ms"


def _digits(value: float) -> str:
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    rounded = round(value, decimals)
    decimals = max(0, min(decimals, 2 - math.floor(math.log10(abs(rounded)))) if rounded else decimals)
    return f"{rounded:.{decimals}f}"


def rate(value: float | None) -> str:
    """A rate to three significant digits: `24 600`, `297`, `0.52`; `–` for none."""
    if value is None:
        return "–"
    digits = _digits(value)
    return f"{float(digits):,.0f}".replace(",", " ") if abs(value) >= 1000 else digits


def size(value: float | None) -> str:
    """A number of bytes to three significant digits: `612 B`, `600 kB`, `1.04 MB`; `–` for none."""
    if value is None:
        return "–"
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= 0.9995 * scale:
            return f"{value / scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{value:.0f} B"


def ratio(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A ratio to two decimals, to three where its interval is narrower than 0.1, to four below 0.005; 0
    itself is `0`."""
    return "–" if value is None else _of_ratio(value, _decimals(low, high))


def interval(low: float | None, high: float | None) -> str:
    """`0.38 to 0.61`; an end that isn't finite reads `∞`, one beyond 1000 `over 1000`; `–` for none at
    all."""
    if low is None and high is None:
        return "–"
    places = _decimals(low, high)
    return " to ".join(_end(end, places) for end in (low, high))


def difference(value: float | None, low: float | None, high: float | None, *, is_time: bool) -> str:
    """A signed difference and its interval in one unit: `-503 ms [-512, -488]`, `+1.2 s [+0.9, ∞]`; of
    rates without a unit; `–` for none."""
    if value is None:
        return "–"
    ends = [end for end in (value, low, high) if end is not None]
    largest = max(abs(end) for end in ends)
    scale, unit = (1000, " ms") if is_time and largest < 0.9995 else (1, " s" if is_time else "")
    places = max(0, min(3, 2 - math.floor(math.log10(largest * scale)))) if largest else 0
    least, most = _signed(low, scale, places), _signed(high, scale, places)
    return f"{_signed(value, scale, places)}{unit} [{least or '-∞'}, {most or '∞'}]"


def _signed(value: float | None, scale: int, places: int) -> str:
    if value is None:
        return ""
    rounded = round(value * scale, places) + 0.0
    return f"{rounded:{'+' if rounded else ''},.{places}f}".replace(",", " ")


def percent(fraction: float) -> str:
    """A fraction in per cent without needless zeros: `3 %`, `2.5 %`."""
    return f"{fraction * 100:.3g} %"


def count(n: int, noun: str) -> str:
    """`1 block`, `12 blocks`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def _end(value: float | None, places: int) -> str:
    if value is None:
        return "∞"
    return _of_ratio(value, places) if value <= 1000 else "over 1000"


def _of_ratio(value: float, places: int) -> str:
    return f"{value:.{places}f}" if value else "0"


def _decimals(low: float | None, high: float | None) -> int:
    if low is None or high is None or high - low >= 0.1:
        return 2
    return 4 if 0 < high - low < 0.005 else 3
