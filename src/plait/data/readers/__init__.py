"""One reader a format, each from a file (or OpenML's name) to a `Dataset`.

`read_mulan` and `read_meka` read ARFF, `read_libsvm` and `read_xc` lines of `labels index:value ...`, `read_csv` and
`read_parquet` tables.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
