from .reader import read_arff

__all__ = [
    "read_arff",
]
