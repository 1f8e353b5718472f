"""The one exception of this room: a file or a table that cannot be used, and why."""

import os

__all__ = ["DataError", "DataWarning"]


class DataError(ValueError):
    """Data cannot be used: which file, which line, what was expected and what is there."""

    @classmethod
    def at(
        cls, file: str | os.PathLike[str], line: int | None, expected: str, found: str, todo: str = ""
    ) -> "DataError":
        """Return the error in the house form.

        Examples
        --------
        >>> print(DataError.at("a.arff", 7, "3 values", "2", "Restore the row."))
        a.arff, line 7: expected 3 values, but found 2. Restore the row.
        """
        found = " ".join(found.splitlines()).strip()  # libraries say what is wrong in several lines
        name = str(file).replace("\0", "\\0")
        place = name if line is None else f"{name}, line {line}"
        way_out = f" {todo}" if todo else ""
        return cls(f"{place}: expected {expected}, but found {found}.{way_out}")


class DataWarning(UserWarning):
    """Something in the data was left out or changed on the way in."""
