"""Write a file whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from plait.data.errors import DataError

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; what was written there takes the place of `path` if no error came.

    The path lies in a folder of its own beside the goal and has the goal's name: a packed file, which holds its name,
    gets the same bytes every time.

    Examples
    --------
    >>> import tempfile
    >>> goal = Path(tempfile.mkdtemp(), "a.txt")
    >>> with replacing(goal) as draft:
    ...     size = draft.write_text("new")
    >>> goal.read_text(), len(list(goal.parent.iterdir()))
    ('new', 1)
    """
    goal = Path(path)
    try:
        folder = Path(mkdtemp(prefix=".plait-", dir=goal.parent))
    except OSError as problem:
        raise DataError.at(goal, None, "a folder that can be written to", problem.strerror or str(problem)) from None
    try:
        yield folder / goal.name
        os.replace(folder / goal.name, goal)
    except OSError as problem:
        raise DataError.at(goal, None, "a file that can be written", problem.strerror or str(problem)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
