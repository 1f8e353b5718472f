"""The demonstration: data with a known P(Y | x), described, split and scored, with a picture of all three."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from plait import metrics
from plait.core.extras import installed
from plait.data import Dataset, save_dataset
from plait.data.description import describe_text
from plait.data.folds import MultilabelStratifiedKFold
from plait.data.synthetic import make_label_network
from plait.experiments.demo_picture import Panels, draw_panels

__all__ = ["run_demonstration"]

_LABELS = ("amber", "birch", "coral", "dune", "elm", "fern")
_MEASURES = ("exact_match", "hamming_score", "jaccard_accuracy", "macro_f1", "micro_f1")
_TRAIN, _TEST, _FEATURES, _FOLDS = 1500, 1500, 12, 10


def run_demonstration(output: Path, random_state: int = 0) -> Iterator[str]:
    """Make data up, describe, split and score them, write data and picture to a folder; yield lines to show.

    Parameters
    ----------
    output : Path
        Folder for `demo.arff`, `demo.xml` and `demo.png`; made where missing.
    random_state : int, default=0
        Another number makes other data.
    """
    network = make_label_network(
        _TRAIN + _TEST, _FEATURES, len(_LABELS), structure="chain", strength=4.0, random_state=random_state
    )
    whole = network.dataset
    data = Dataset(whole.X, whole.Y, whole.feature_names, _LABELS, "demo")
    train, test = data.rows(np.arange(_TRAIN)), data.rows(np.arange(_TRAIN, _TRAIN + _TEST))
    yield "1. Data with labels that depend on each other, made up so that the true P(Y | x) is known.\n"
    yield describe_text(data)

    yield f"\n2. {_FOLDS} folds: how far a label's share in a fold is from its share in all rows (mean and worst).\n"
    shares = _fold_shares(train, random_state)
    overall = train.Y.mean(axis=0)
    for name, share in shares.items():
        gap = np.abs(share - overall)
        yield f"  {name:<28}{gap.mean():>8.2%}{gap.max():>8.2%}"

    yield "\n3. Scores on rows kept aside: two of scikit-learn's classifiers, and the true P(Y | x).\n"
    scores = _scores(train, test, network)
    yield "  " + " " * 28 + "".join(f"{name:>18}" for name in _MEASURES)
    for name, row in scores.items():
        yield f"  {name:<28}" + "".join(f"{row[measure]:>18.3f}" for measure in _MEASURES)

    output.mkdir(parents=True, exist_ok=True)
    save_dataset(data, output / "demo.arff")
    yield f"\nData: {output / 'demo.arff'}  (try: plait describe {output / 'demo.arff'})"
    if installed("matplotlib"):
        draw_panels(Panels(data, shares, overall, scores), output / "demo.png")
        yield f"Picture: {output / 'demo.png'}"
    else:
        yield 'No picture: matplotlib is not installed. Run: pip install "plait[plots]"'


def _fold_shares(train: Dataset, random_state: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return, for each way to split, every label's share in every fold."""
    splitters: dict[str, Any] = {
        "plain folds": KFold(_FOLDS, shuffle=True, random_state=random_state),
        "plait's stratified folds": MultilabelStratifiedKFold(_FOLDS, shuffle=True, random_state=random_state),
    }
    return {
        name: np.array([train.Y[rows].mean(axis=0) for _, rows in splitter.split(train.X, train.Y)])
        for name, splitter in splitters.items()
    }


def _scores(train: Dataset, test: Dataset, network: Any) -> dict[str, dict[str, float]]:
    models = {
        "each label alone": MultiOutputClassifier(LogisticRegression()),
        "scikit-learn's chain": ClassifierChain(LogisticRegression()),
    }
    answers = {name: model.fit(train.X, train.Y).predict(test.X) for name, model in models.items()}
    answers["most probable set, true P"] = network.mode(test.X)
    return {
        name: {measure: float(getattr(metrics, measure)(test.Y, answer)) for measure in _MEASURES}
        for name, answer in answers.items()
    }
