"""Find data sets by name in folders: `<folder>/<name>/<name>.arff.gz`, `<folder>/<name>.csv` and the like."""

from collections.abc import Iterator
from pathlib import Path

from plait.data.file_names import DATA_SUFFIXES, plain_stem
from plait.data.files import PACKED_SUFFIXES, plain_suffix

__all__ = ["find_data_file", "known_names", "part_beside"]

_PARTS = ("-train", "-test")


def find_data_file(folder: Path, name: str, split: str | None = None) -> Path | None:
    """Return the file of a data set, or of its part `split`, in a folder or in its own folder there."""
    stem = name if split is None else f"{name}-{split}"
    return next((file for place in (folder / name, folder) for file in _files(place, stem)), None)


def part_beside(path: Path, split: str) -> Path | None:
    """Return the file of a part beside the file of the whole, of the same kind where there is one."""
    stem = f"{plain_stem(path)}-{split}"
    files = list(_files(path.parent, stem))
    return next((file for file in files if plain_suffix(file) == plain_suffix(path)), files[0] if files else None)


def known_names(folder: Path) -> list[str]:
    """Return the names of the data sets in a folder, sorted."""
    names = set()
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    for entry in entries:
        if entry.is_dir():
            if any(find_data_file(folder, entry.name, split) for split in (None, "train", "test")):
                names.add(entry.name)
        elif plain_suffix(entry) in DATA_SUFFIXES:
            stem = plain_stem(entry)
            names.add(next((stem.removesuffix(part) for part in _PARTS if stem.endswith(part)), stem))
    return sorted(names)


def _files(folder: Path, stem: str) -> Iterator[Path]:
    for suffix in DATA_SUFFIXES:
        for packing in ("", *PACKED_SUFFIXES):
            file = folder / f"{stem}{suffix}{packing}"
            if file.is_file():
                yield file
