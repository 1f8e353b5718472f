from .header import Header
from .reader import read_arff
from .rows import RowParser

__all__ = ["Header", "RowParser", "read_arff"]
