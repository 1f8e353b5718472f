"""What a header declares as arrays: where each attribute goes, and the declared values in a hash table."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.data.attributes import AttributeTable, value_codes
from plait.data.readers._kernels import FREE, NUMBER, OTHER, STRING, fill_table

__all__ = ["KernelWords", "column_spec", "kernel_words"]

_ZERO_ONE = ("0", "1")
_KINDS = {"numeric": NUMBER, "string": STRING, "date": OTHER}


class KernelWords(NamedTuple):
    """The declared values, in the notation of `_kernels`."""

    table: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint8]


def _domains(table: AttributeTable) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the different sets of values, that of labels declared as numbers first, and which one each type has."""
    domains: dict[tuple[str, ...], int] = {_ZERO_ONE: 0}
    which = [
        domains.setdefault(kind.values, len(domains)) if kind.values else _KINDS[kind.kind] for kind in table.types
    ]
    return list(domains), which


def column_spec(table: AttributeTable, is_label: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return `spec` in the notation of `_kernels`: column, domain and default of each attribute."""
    slot = np.where(is_label, 0 - np.cumsum(is_label), np.cumsum(~is_label) - 1)
    _, domains = _domains(table)
    domain = np.array(domains, dtype=np.int32)[table.which]
    # A label that is declared a number is read as one of the words 0 and 1.
    domain[is_label & (domain == NUMBER)] = 0
    default = np.array([(*value_codes(kind.values), 0)[0] for kind in table.types])[table.which]
    return np.column_stack((slot, domain, default)).astype(np.int32)


def kernel_words(table: AttributeTable) -> KernelWords | None:
    """Return the hash table, or None if the declared values collide so much that looking up would be slow."""
    domains, _ = _domains(table)
    texts = [value.encode("utf-8", "surrogatepass") for values in domains for value in values]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    entries = np.empty((len(texts), 4), dtype=np.int64)
    entries[:, 0] = np.repeat(np.arange(len(domains)), [len(values) for values in domains])
    entries[:, 1] = np.cumsum(lengths) - lengths
    entries[:, 2] = lengths
    entries[:, 3] = [code for values in domains for code in value_codes(values)]
    # A power of two with at least half of the places free.
    places = np.full((1 << (2 * len(texts) + 1).bit_length(), 4), FREE, dtype=np.int64)
    words = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return KernelWords(places, words) if fill_table(places, words, entries) else None
