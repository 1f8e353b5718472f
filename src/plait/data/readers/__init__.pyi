from .arff import read_arff
from .delimited import read_csv
from .excel import read_excel
from .libsvm import read_libsvm
from .meka import read_meka
from .mulan import read_mulan
from .openml import load_openml
from .parquet import read_parquet
from .xc import read_xc

__all__ = [
    "load_openml",
    "read_arff",
    "read_csv",
    "read_excel",
    "read_libsvm",
    "read_meka",
    "read_mulan",
    "read_parquet",
    "read_xc",
]
