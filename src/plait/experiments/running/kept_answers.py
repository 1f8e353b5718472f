"""Predictions that a plan keeps: the true labels of a test part and all that a model answered for it, packed."""

import io
import zipfile
from typing import Any

import numpy as np

from plait.experiments.running.answers import Answers

__all__ = ["packed_answers", "unpacked_answers"]

# A store may come from anywhere: kept predictions may unpack to so many times their size, and always to the floor.
_GROWTH, _FLOOR = 1000, 1 << 28


def packed_answers(answers: Answers, Y: Any) -> bytes:
    """Return true labels and answers as bytes; scores and log-likelihoods to the last bit.

    Examples
    --------
    >>> Y = np.array([[1, 0, 1]])
    >>> truth, again = unpacked_answers(packed_answers(Answers(np.array([[1, 1, 0]]), np.array([[0.9, 0.6, 0.2]])), Y))
    >>> truth, again.labels, again.scores, again.joint
    (array([[1, 0, 1]], dtype=uint8), array([[1, 1, 0]], dtype=uint8), array([[0.9, 0.6, 0.2]]), None)
    """
    truth = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    parts = {
        name: np.packbits(table.astype(np.uint8)) for name, table in (("truth", truth), ("labels", answers.labels))
    }
    parts |= {"shape": np.array(truth.shape), "are_probabilities": np.array(answers.are_probabilities)}
    for name, part in (("scores", answers.scores), ("joint", answers.joint)):
        if part is not None:
            parts[name] = np.asarray(part, dtype=np.float64)
    stream = io.BytesIO()
    np.savez_compressed(stream, **parts)  # type: ignore[arg-type]
    return stream.getvalue()


def unpacked_answers(content: bytes) -> tuple[Any, Answers]:
    """Return true labels and answers.

    Raises
    ------
    ValueError
        If the bytes are none of these.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > max(_FLOOR, _GROWTH * len(content)):
            raise ValueError(f"{len(content)} bytes that grow to {size}")
        with np.load(io.BytesIO(content), allow_pickle=False) as parts:
            found = dict(parts)
        shape = tuple(int(size) for size in found["shape"])
        truth, labels = (
            np.unpackbits(found[name], count=shape[0] * shape[1]).reshape(shape) for name in ("truth", "labels")
        )
        return truth, Answers(labels, found.get("scores"), bool(found["are_probabilities"]), found.get("joint"))
    except Exception as problem:  # what a damaged file does in a library is anybody's guess
        raise ValueError(f"no predictions ({problem})") from None
