"""Draw `docs/pictures/joint.svg`, the picture of the landing page and the README: one digit, its tags, and one answer.

python docs/machinery/front_picture.py
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from plait import AutoJoint
from plait.pictures import BLUE, GREY, ORANGE, panels, picture, rectangle, saved, text

TAGS = {
    "even": [0, 2, 4, 6, 8],
    "prime": [2, 3, 5, 7],
    "at least five": [5, 6, 7, 8, 9],
    "has a loop": [0, 6, 8, 9],
}


def _image(pixels, words, size=19.0):
    dots = [
        rectangle(size * c, 26 + size * r, size, size, fill="#1b2733", opacity=ink / 16)
        for r, row in enumerate(pixels)
        for c, ink in enumerate(row)
        if ink
    ]
    return picture(8 * size, 26 + 8 * size, [text(0, 13, words, bold=True), *dots], words)


def _bars(names, shares, words, ink, known=None, width=330.0):
    inside = [text(0, 13, words, bold=True)]
    for place, (name, share) in enumerate(zip(names, shares, strict=True)):
        top, fill = 30 + 27 * place, ORANGE if name == known else ink
        inside += [
            text(118, top + 13, name, anchor="end"),
            rectangle(126, top, 150, 18, fill=GREY, opacity=0.18, radius=3),
            rectangle(126, top, max(150 * share, 1), 18, fill=fill, radius=3),
            text(283, top + 13, f"{share:.0%}"),
        ]
    return picture(width, 40 + 27 * len(names), inside, words)


def _sets(likely, row, words, ink):
    names = [", ".join(found) or "(no tag)" for found in likely.names[row]]
    pairs = list(zip(names, likely.probabilities[row], strict=True))[:3]
    inside = [text(0, 13, words, bold=True)]
    for place, (name, share) in enumerate(pairs):
        top = 30 + 27 * place
        inside += [
            rectangle(0, top, 60, 18, fill=GREY, opacity=0.18, radius=3),
            rectangle(0, top, max(60 * share, 1), 18, fill=ink, radius=3),
            text(67, top + 13, f"{share:.0%}  {name}"),
        ]
    return picture(290, 120, inside, words)


def _column(answer, names, above, below, known=None):
    upper = _bars(names, answer.marginals()[0], above, BLUE, known)
    return panels([[upper], [_sets(answer.top(3), 0, below, BLUE)]], above, gap=14)


def _most_telling(answer, names):
    """Return row, tag and value: an answer that settles what was open, and moves the other tags most."""
    marginals, best = answer.marginals(), (0.0, 0, "", 0)
    for place, name in enumerate(names):
        for value in (0, 1):
            after = answer.given({name: value})
            others = np.delete(np.abs(after.marginals() - marginals), place, axis=1).sum(axis=1)
            # An answer that the model did not think possible tells nothing about the model.
            likely = np.abs(marginals[:, place] - value) < 0.8
            settled = after.top(1).probabilities[:, 0] > 0.85
            row = int((others * likely * settled).argmax())
            best = max(best, (float(others[row] * likely[row] * settled[row]), row, name, value))
    return best[1:]


def main() -> None:
    """Train on half of scikit-learn's digits and draw the image on which one answer changes most."""
    digits = load_digits()
    tags = pd.DataFrame({name: np.isin(digits.target, those).astype(int) for name, those in TAGS.items()})
    X, X_test, Y, _ = train_test_split(digits.data, tags, test_size=0.5, random_state=0)
    answer = AutoJoint(random_state=0).fit(X, Y).joint(X_test)
    row, name, value = _most_telling(answer, list(tags.columns))
    before = answer[[row]]
    after = before.given({name: value})
    said = f"Somebody says: {'' if value else 'not '}{name}"
    columns = [
        _image(X_test[row].reshape(8, 8), "One image"),
        _column(before, tags.columns, "P(tag | image)", "Most probable tag sets"),
        _column(after, tags.columns, said, "All else moves with it", known=name),
    ]
    drawn = panels(
        [columns], "A handwritten digit, the probabilities of its tags, and how they move once one tag is known"
    )
    (Path(__file__).parents[1] / "pictures" / "joint.svg").write_text(saved(drawn), encoding="utf8")


if __name__ == "__main__":
    main()
