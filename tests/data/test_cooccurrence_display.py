import matplotlib as mpl
import numpy as np

from plait import recipes
from plait.data import CooccurrenceDisplay


def test_shares_are_counted_of_the_most_frequent_labels():
    mpl.use("Agg")
    rng = np.random.default_rng(0)
    Y = (rng.random((60, 5)) < [0.5, 0.3, 0.0, 0.4, 0.2]).astype(int)
    display = CooccurrenceDisplay.from_predictions(Y, most=3)
    assert display.label_names == ("y0", "y1", "y3")
    for r, row in enumerate((0, 1, 3)):
        for c, column in enumerate((0, 1, 3)):
            share = 0.0 if r == c else Y[Y[:, row] == 1, column].mean()
            np.testing.assert_allclose(display.shares[r, c], share, rtol=1e-12)
    assert "NaN" not in CooccurrenceDisplay.from_predictions(Y).to_svg()  # no row has y2
    ax = display.plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["y0", "y1", "y3"]
    np.testing.assert_array_equal(ax.images[0].get_array(), display.shares)
    mpl.pyplot.close("all")
    X = rng.normal(size=(60, 2))
    model = recipes.br(learner="logistic").fit(X, [{"sea"} if x > 0 else {"sun", "sea"} for x in X[:, 0]])
    predicted = CooccurrenceDisplay.from_estimator(model, X)
    assert predicted.label_names == ("sea", "sun")
    assert predicted.shares[1, 0] == 1.0
