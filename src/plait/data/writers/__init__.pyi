from .delimited import write_csv
from .libsvm import write_libsvm
from .mulan import write_mulan
from .parquet import write_parquet
from .xc import write_xc

__all__ = [
    "write_csv",
    "write_libsvm",
    "write_mulan",
    "write_parquet",
    "write_xc",
]
