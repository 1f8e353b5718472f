"""Models on the workers of Spark and Ray: a function from frames to frames, as the page on large data shows it."""

import cloudpickle
import numpy as np
import pytest

from plait import recipes
from plait.data.synthetic import make_label_network

pd = pytest.importorskip("pandas")

DATA = make_label_network(80, 3, 4, random_state=0).dataset
FRAME = pd.DataFrame(DATA.X, columns=list("abc"))


def asking(model):
    """Return the function that `mapInPandas` takes."""
    features = list(model.feature_names_in_)

    def answers(frames):
        for frame in frames:
            yield pd.DataFrame(model.predict_proba(frame[features]), columns=model.label_names_)

    return answers


@pytest.fixture(scope="module")
def model():
    """A fitted tree of labels."""
    return recipes.bcc(random_state=0).fit(FRAME, DATA.Y)


def test_the_function_goes_to_workers(model):
    """It survives pickling, takes other columns beside, and answers as the model does here."""
    answers = cloudpickle.loads(cloudpickle.dumps(asking(model)))
    table = FRAME.assign(id=range(80))
    found = pd.concat(answers(iter([table[:50], table[50:]])))
    assert np.allclose(found.to_numpy(), model.predict_proba(FRAME), rtol=1e-12, atol=0)
    assert found.columns.tolist() == model.label_names_.tolist()


@pytest.mark.slow
def test_spark(model):
    """The same on a Spark session of this machine, where there is one."""
    sql = pytest.importorskip("pyspark.sql")
    session = sql.SparkSession.builder.master("local[1]").getOrCreate()
    try:
        schema = ", ".join(f"`{name}` double" for name in model.label_names_)
        found = session.createDataFrame(FRAME).mapInPandas(asking(model), schema).toPandas()
        assert np.allclose(found.to_numpy(), model.predict_proba(FRAME), rtol=1e-9, atol=0)
    finally:
        session.stop()
