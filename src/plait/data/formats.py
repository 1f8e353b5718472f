"""Which reader and which writer a file's suffix asks for."""

import os

from plait.core.sentences import ParameterError, complaint, shown
from plait.data.dataset import Dataset
from plait.data.errors import DataError
from plait.data.file_names import DATA_SUFFIXES
from plait.data.files import blocks_of_lines, plain_suffix
from plait.data.label_columns import LabelChoice, label_positions
from plait.data.readers.arff import read_arff
from plait.data.readers.arff_header import Header
from plait.data.readers.delimited import read_csv
from plait.data.readers.libsvm import read_libsvm
from plait.data.readers.meka import meka_label_count, read_meka
from plait.data.readers.mulan import find_label_xml, read_mulan
from plait.data.readers.parquet import read_parquet
from plait.data.readers.xc import is_xc_head, read_xc
from plait.data.writers.delimited import write_csv
from plait.data.writers.libsvm import write_libsvm
from plait.data.writers.mulan import write_mulan
from plait.data.writers.parquet import write_parquet
from plait.data.writers.xc import write_xc

__all__ = ["read_file", "write_file"]


def read_file(path: str | os.PathLike[str], labels: LabelChoice, nominal: str) -> Dataset:
    """Read a data file by its suffix below the packing.

    An ARFF file's labels are those of `labels`; else those of the XML file beside it (Mulan); else those that `-C n`
    in its relation name tells (MEKA). A .txt file is of the XC format if it starts with three numbers, else LIBSVM.
    """
    suffix = plain_suffix(path)
    if suffix == ".arff":
        return _read_arff(path, labels, nominal)
    if suffix in (".csv", ".tsv"):
        return read_csv(path, labels, nominal=nominal)
    if suffix == ".parquet":
        return read_parquet(path, labels, nominal=nominal)
    if suffix == ".txt" and is_xc_head(next(blocks_of_lines(path), b"").partition(b"\n")[0]):
        return _read_xc(path, labels)
    if suffix in (".svm", ".libsvm", ".txt"):
        return read_libsvm(path, labels=labels)  # type: ignore[arg-type]
    raise DataError.at(path, None, f"a suffix among {', '.join(DATA_SUFFIXES)}", shown(suffix))


def write_file(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a data file by its suffix below the packing."""
    writers = {
        ".arff": write_mulan,
        ".csv": write_csv,
        ".tsv": write_csv,
        ".parquet": write_parquet,
        ".svm": write_libsvm,
        ".libsvm": write_libsvm,
        ".txt": write_xc,
    }
    writer = writers.get(plain_suffix(path))
    if writer is None:
        raise DataError.at(path, None, f"a suffix among {', '.join(writers)}", shown(plain_suffix(path)))
    writer(dataset, path)


def _read_arff(path: str | os.PathLike[str], labels: LabelChoice, nominal: str) -> Dataset:
    file = os.fspath(path)
    if labels is not None:

        def chosen(header: Header) -> list[int]:
            return label_positions([attribute.name for attribute in header.attributes], labels, file)

        return read_arff(path, chosen, nominal)
    try:
        xml = find_label_xml(path)
    except DataError:
        if meka_label_count(path) is not None:
            return read_meka(path, nominal=nominal)
        raise DataError.at(
            path,
            None,
            "to be told the labels by labels=, by an XML file beside it, or by -C and their number in its relation",
            "none of these",
        ) from None
    return read_mulan(path, xml, nominal=nominal)


def _read_xc(path: str | os.PathLike[str], labels: LabelChoice) -> Dataset:
    if labels is not None:
        must = "None for a file of the XC format, whose labels are known"
        raise ParameterError(complaint("load_dataset", "labels", must, labels))
    return read_xc(path)
