"""Numbers as the shortest words that read back as the same number."""

__all__ = ["number_text"]


def number_text(value: float) -> str:
    """Return the shortest decimal word of a double, without a needless `.0`.

    Examples
    --------
    >>> [number_text(value) for value in (0.1, 3.0, -0.0, 1e22, float("nan"))]
    ['0.1', '3', '-0', '1e+22', 'nan']
    """
    return repr(value).removesuffix(".0")
