import re

import pytest

from plait.commands.bench import ready_plan
from plait.core.sentences import ParameterError
from plait.data import DataError
from plait.experiments.planning.plan import Protocol
from plait.experiments.planning.plan_file import plan_from_text, read_plan
from plait.experiments.planning.plan_problems import PlanError

GOOD = """
name = "chains"
seeds = [3, 4]
metrics = ["micro_f1", "cll_loss"]
[protocol]
kind = "kfold"
folds = 7
[[datasets]]
name = "emotions"
[[datasets]]
name = "small"
source = "data/small.arff"
labels = -3
top_labels = 2
top_features = 0.5
keep_features = ["a", "b"]
protocol = {folds = 2}
[[datasets]]
name = "fixed"
protocol = {kind = "split"}
[methods.br]
[methods."pcc, exact"]
use = "PCC"
inference = {use = "best_first", epsilon = 0.0}
learner.use = "LogisticLearner"
learner.C = "cv"
skip = ["fixed"]
[methods.selected]
steps = ["StandardScaler", {use = "scls", n_features = 3}, "MLkNN"]
[methods.occ]
tune = {grid = {k = [1, 2], learner.C = [0.1]}, metric = "hamming_loss", kind = "holdout", repeats = 1}
learner = {use = "LinearSVMLearner"}
[methods.occ.on.small]
k = 1
learner = {C = 2.0}
tune = {grid = {k = [1]}}
"""


def test_a_plan_is_read(tmp_path):
    plan = plan_from_text(GOOD, "some/plan.toml", tmp_path)
    assert (plan.name, plan.seeds, plan.metrics) == ("chains", (3, 4), ("micro_f1", "cll_loss"))
    emotions, small, fixed = plan.datasets
    assert (emotions.source, small.source) == ("emotions", str(tmp_path / "data/small.arff"))
    assert (small.labels, small.top_labels, small.top_features, small.keep_features) == (-3, 2, 0.5, ("a", "b"))
    assert plan.protocol_on(emotions) == Protocol("kfold", 7)
    assert plan.protocol_on(small) == Protocol("kfold", 2)
    assert plan.protocol_on(fixed).n_parts == 1
    br, pcc, selected, occ = plan.methods
    assert br.setup.as_dict() == {"use": "br"}
    assert pcc.setup.as_dict() == {
        "use": "pcc",
        "inference": {"use": "BestFirst", "epsilon": 0.0},
        "learner": {"use": "LogisticLearner", "C": "cv"},
    }
    assert pcc.skip == ("fixed",)
    assert selected.setup.definition == {
        "steps": [{"use": "StandardScaler"}, {"use": "SCLS", "n_features": 3}, {"use": "MLkNN"}]
    }
    tuning = occ.setup.tuning
    assert tuning.grid == {"k": [1, 2], "learner.C": [0.1]}
    assert (tuning.metric, tuning.protocol) == ("hamming_loss", Protocol("holdout", 3, 1))
    assert occ.setup_on("emotions") is occ.setup
    assert occ.setup_on("small").definition == {"use": "occ", "k": 1, "learner": {"use": "LinearSVMLearner", "C": 2.0}}
    assert occ.setup_on("small").tuning.grid == {"k": [1], "learner.C": [0.1]}


def test_defaults():
    plan = plan_from_text('datasets = ["emotions"]\nmethods = ["br", "MLkNN"]', "a/b.toml")
    assert (plan.name, plan.seeds, plan.protocol) == ("b", (0,), Protocol("stratified_kfold", 5))
    assert {"exact_match", "ranking_loss", "cll_loss"} <= set(plan.metrics)


BAD = """seeds = [0, -1, 0]
sedes = 1
metrics = ["exact_match", "hamming", 3]
datasets = [
    "emotions",
    "emotions",
    {name = "b", top_labels = 0, split = "train"},
    {name = "c", protocol = {kind = "kfolds", folds = 1}},
    7,
]
[protocol]
kind = "holdout"
folds = 3
test_size = 1.5
[methods.pxc]
[methods.kcc]
k = -1
order = "sideways"
learner = {use = "LogisticLearner", C = "dv", toll = 1}
[methods.pcc]
inference = "greedi"
widht = 3
[methods.knn]
use = "MLkNN"
n_neighbors = 0
s = -1.0
[methods.stranger]
use = "no.such.module.Model"
[methods.forest]
use = "sklearn.ensemble.RandomForestClassifier"
n_estimators = "many"
[methods.scaler]
use = "StandardScaler"
[methods.steps]
steps = ["StandardScaler", {use = "SCLS", n_feature = 3}, "MLkNN"]
[methods.both]
use = "br"
steps = ["br"]
[methods.tuned]
use = "kcc"
tune = {grid = {k = [1, -2], learner.C = [1.0], j = [1]}, metric = "f1"}
[methods.tuned2]
use = "kcc"
[methods.tuned2.tune]
grid = {k = [1, -2], j = [1], learner.C = [1.0]}
[methods.elsewhere]
use = "br"
skip = ["nowhere"]
on = {nirgends = {loss = "hamming"}}
[methods.word]
use = 3
"""

# Line -> words that a complaint about it must hold.
EXPECTED = [
    (1, "-1"),
    (1, "0 stands twice"),
    (2, "Did you mean seeds?"),
    (3, "Did you mean hamming_loss?"),
    (3, "no metric 3"),
    (6, "'emotions' stands twice"),
    (7, "top_labels"),
    (7, "no key 'split'"),
    (8, "kind"),
    (8, "folds"),
    (9, "table"),
    (13, "no folds where kind is 'holdout'"),
    (14, "test_size"),
    (15, "'pxc'"),
    (17, "k to be"),
    (18, "order to be"),
    (19, "no parameter 'toll'"),
    (19, "C to be"),
    (21, "inference to be"),
    (22, "no parameter 'widht'"),
    (25, "n_neighbors"),
    (26, "s to be"),
    (28, "outside plait and scikit-learn"),
    (31, "n_estimators"),
    (32, "classifier"),
    (35, "no parameter 'n_feature'. Did you mean n_features?"),
    (37, "no key 'use'"),
    (41, "metric"),
    (41, "k to be"),
    (41, "'j'"),
    (41, "no table at 'C'"),
    (45, "k to be"),
    (45, "'j'"),
    (45, "no table at 'C'"),
    (48, "'nowhere'"),
    (49, "'nirgends'"),
    (51, "use"),
]


def test_all_that_is_wrong_is_said_at_once_with_its_line():
    with pytest.raises(PlanError) as caught:
        plan_from_text(BAD, "bad.toml")
    lines = list(caught.value.lines)
    for line, words in EXPECTED:
        found = [text for text in lines if text.startswith(f"bad.toml, line {line}: ") and words in text]
        assert found, (line, words)
    assert len(lines) == len(EXPECTED)
    assert all("\n" not in text for text in lines)
    assert isinstance(caught.value, ParameterError)


def test_parameters_that_the_rules_forbid_have_their_lines():
    text = """datasets = ["emotions"]
[methods.kcc]
k = -1
learner = {use = "LogisticLearner", C = "dv"}
[methods.pcc]
inference = "greedi"
loss = "f2"
"""
    with pytest.raises(PlanError) as caught:
        plan_from_text(text)
    places = [int(re.search(r"line (\d+):", line).group(1)) for line in caught.value.lines]
    assert places == [3, 4, 6, 7]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["needs datasets", "needs methods"]),
        ('datasets = []\nmethods = ["br"]', ["line 1: plan needs datasets"]),
        ('datasets = ["emotions"]\nmethods = []', ["line 2: plan needs methods"]),
        ('datasets = "emotions"\nmethods = 3', ["line 1: plan needs datasets", "line 2: plan needs methods"]),
        ('datasets = ["a"]\nmethods = ["br", "br"]', ["line 2: method 'br' stands twice"]),
        ('datasets = ["a"]\nmethods = ["br"]\nseeds = []', ["line 3: plan needs seeds"]),
        ('datasets = ["a"]\nmethods = ["br"]\nname = ""', ["line 3: plan needs name"]),
        ('datasets = ["a"]\nmethods = ["br"]\nprotocol = 3', ["line 3: protocol needs a table"]),
        ('datasets = ["a"]\n[methods]\nbr = 3', ["line 3: method br needs a table or a word"]),
        ('datasets = ["a"]\nx = [1,', ["plan.toml: is no TOML"]),
        ('datasets = ["a"]\n[methods.br]\nsteps = []', ["line 3: steps needs a list"]),
        ('datasets = ["a"]\n[methods.br]\ntune = {grid = {}}', ["line 3: tune needs a grid"]),
        ('datasets = ["a"]\n[methods.br]\ntune = 3', ["line 3: tune needs a table"]),
        ('datasets = ["a"]\n[methods.br.tune]\nkind = "split"\ngrid = {loss = ["f1"]}', ["line 3: tune divides"]),
        ('datasets = [{source = "x.csv", keep_labels = ["a", 1]}]\nmethods = ["br"]', ["line 1: dataset needs keep_l"]),
        (
            'datasets = [{name = "a", made_by = {use = "exec"}}]\nmethods = ["br"]',
            ["line 1: made_by needs use to be one"],
        ),
    ],
)
def test_odd_plans(text, words):
    with pytest.raises(PlanError) as caught:
        plan_from_text(text)
    assert len(caught.value.lines) == len(words)
    for line, word in zip(caught.value.lines, words, strict=True):
        assert word in line


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(DataError, match="cannot be read as a plan"):
        read_plan(tmp_path / "nothing.toml")
    (tmp_path / "plan.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read as a plan"):
        read_plan(tmp_path / "plan.toml")


def test_a_module_beside_the_plan_is_found(write_plan):
    path = write_plan('datasets = ["beach.csv"]\n[methods.m]\nuse = "odd_models.Sleeper"\nnumber = 3')
    assert read_plan(path, allow_imports=True).methods[0].setup.definition == {"use": "odd_models.Sleeper", "number": 3}


def test_data_are_checked_with_the_rest_before_anything_runs(write_plan, tmp_path, monkeypatch):
    monkeypatch.setenv("PLAIT_DATA", str(tmp_path))
    path = write_plan("""\
        datasets = [
            {source = "beach.csv", labels = -3},
            {name = "shore", source = "beach.csv", labels = -3, keep_labels = ["sea", "moon"]},
            {name = "gone", source = "gone.csv", labels = -3},
            {name = "many", source = "beach.csv", labels = -3, protocol = {folds = 31}},
            {name = "parts", source = "beach.csv", labels = -3, protocol = {kind = "split"}},
        ]
        methods = ["br", "pcx"]
        """)
    with pytest.raises(PlanError) as caught:
        ready_plan(path)
    lines = [line.removeprefix(str(path)) for line in caught.value.lines]
    words = ["moon", "gone.csv", "31 folds, but there are 30 rows", "parts cannot be used", "'pcx'"]
    assert len(lines) == 5
    for line, number, word in zip(lines, (3, 4, 5, 6, 8), words, strict=True):
        assert line.startswith(f", line {number}: ")
        assert word in line
