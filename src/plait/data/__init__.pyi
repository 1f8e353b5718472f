from . import folds, readers, synthetic
from .cooccurrence_display import CooccurrenceDisplay
from .dataset import Dataset
from .description import describe_text
from .errors import DataError, DataWarning
from .file_chunks import FileChunks, chunks
from .frames import from_frame
from .joined_tags import split_tags
from .label_statistics import Statistics, statistics
from .loading import load_dataset, save_dataset
from .readers.delimited import read_csv
from .readers.excel import read_excel
from .readers.libsvm import read_libsvm
from .readers.meka import read_meka
from .readers.mulan import read_mulan
from .readers.parquet import read_parquet
from .readers.xc import read_xc
from .table_encoder import TableEncoder
from .writers.delimited import write_csv
from .writers.libsvm import write_libsvm
from .writers.mulan import write_mulan
from .writers.parquet import write_parquet
from .writers.xc import write_xc

__all__ = [
    "CooccurrenceDisplay",
    "DataError",
    "DataWarning",
    "Dataset",
    "FileChunks",
    "Statistics",
    "TableEncoder",
    "chunks",
    "describe_text",
    "folds",
    "from_frame",
    "load_dataset",
    "read_csv",
    "read_excel",
    "read_libsvm",
    "read_meka",
    "read_mulan",
    "read_parquet",
    "read_xc",
    "save_dataset",
    "split_tags",
    "statistics",
    "synthetic",
    "write_csv",
    "write_libsvm",
    "write_mulan",
    "write_parquet",
    "write_xc",
    "readers",
]
