"""Models on the workers of Spark and Ray: the code of the page on large data is run as it stands there."""

import os
import re
import sys
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

from plait import recipes
from plait.data.synthetic import make_label_network

pd = pytest.importorskip("pandas")

PAGE = Path(__file__).parents[2] / "docs" / "large-data.md"
DATA = make_label_network(80, 3, 4, random_state=0).dataset
FRAME = pd.DataFrame(DATA.X, columns=list("abc"))
TABLE = FRAME.assign(id=range(80))


@pytest.fixture(scope="module")
def model():
    """A fitted tree of labels."""
    return recipes.bcc(random_state=0).fit(FRAME, DATA.Y)


@pytest.fixture
def at_hand(monkeypatch):
    """Let workers import what this process imports, by the same interpreter."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)


class Rows:
    """Stands for a table of Spark and for a data set of Ray: pickles the function, and asks it in this process."""

    def mapInPandas(self, function, schema):  # noqa: N802
        return pd.concat(cloudpickle.loads(cloudpickle.dumps(function))(iter([TABLE[:50], TABLE[50:]])))

    def map_batches(self, function, batch_format):
        asked = cloudpickle.loads(cloudpickle.dumps(function))
        return pd.concat([asked(TABLE[:50]), asked(TABLE[50:])])


def ran(name, **given):
    """Return what the code of the page that holds a word finds for a model."""
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S) if name in block]
    room = dict(given)
    exec(code, room)  # noqa: S102
    return room["found"]


def agrees(found, model):
    """Compare a frame of answers, rows in any order, with the model here."""
    found = found.sort_values("id")
    assert found["id"].tolist() == list(range(80))
    assert np.allclose(found[list(model.label_names_)], model.predict_proba(FRAME), rtol=1e-12, atol=0)


@pytest.mark.parametrize(("word", "name"), [("mapInPandas", "table"), ("map_batches", "rows")])
def test_the_function_goes_to_workers(model, word, name):
    """It survives pickling, takes other columns beside, and answers as the model does here."""
    agrees(ran(word, model=model, **{name: Rows()}), model)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PySpark's, of pandas 3 and of threads that it leaves
def test_spark(model, at_hand):
    """The same on a Spark session of this machine, where there is one."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        found = ran("mapInPandas", model=model, table=session.createDataFrame(TABLE).repartition(3))
        agrees(found.toPandas(), model)
    finally:
        session.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray(model, at_hand):
    """The same on the workers of Ray."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray_data = pytest.importorskip("ray.data", reason="Ray's data sets are not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        found = ran("map_batches", model=model, rows=ray_data.from_pandas(TABLE).repartition(3))
        agrees(found.to_pandas(), model)
    finally:
        ray.shutdown()
