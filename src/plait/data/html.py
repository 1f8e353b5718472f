"""A data set as a small HTML table for notebooks."""

from html import escape
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["dataset_html"]

_MOST_LABELS = 10

# Colours come from the notebook, so that the table fits light and dark themes.
_STYLE = (
    ".plait-dataset td,.plait-dataset th{text-align:left;padding:2px 10px}"
    ".plait-dataset caption{caption-side:bottom;text-align:left;padding:2px 10px}"
    ".plait-dataset .bar{background:#5b8def;height:.7em;display:inline-block;border-radius:2px}"
)


def dataset_html(dataset: Any) -> str:
    """Return a heading, the sizes and the most frequent labels with their shares as bars."""
    form = "sparse" if sparse.issparse(dataset.X) else "dense"
    positives = np.asarray(dataset.Y.sum(axis=0, dtype=np.int64)).ravel()
    top = np.argsort(-positives, kind="stable")[:_MOST_LABELS]
    share = positives / max(dataset.n_samples, 1)
    rows = "".join(
        f"<tr><td>{escape(dataset.label_names[j])}</td><td>{positives[j]}</td><td>{share[j]:.1%}</td>"
        f'<td><span class="bar" style="width:{120 * share[j]:.1f}px"></span></td></tr>'
        for j in top
    )
    more = dataset.n_labels - len(top)
    note = f"<caption>and {more} more labels</caption>" if more > 0 else ""
    return (
        f'<div class="plait-dataset"><style>{_STYLE}</style><p><b>{escape(dataset.name)}</b>: '
        f"{dataset.n_samples} rows, "
        f"{dataset.n_features} features ({form}), {dataset.n_labels} labels, "
        f"{positives.sum() / max(dataset.n_samples, 1):.2f} labels a row</p>"
        f"<table>{note}<thead><tr><th>label</th><th>rows</th><th>share</th><th></th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
