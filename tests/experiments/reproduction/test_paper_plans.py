import pytest

from plait.core.sentences import ParameterError
from plait.experiments.planning.plan_objects import build
from plait.experiments.published import FOOTERS, PAPERS, published_results
from plait.experiments.reproduction.facts import COLUMNS, SPREADS, paper_facts
from plait.experiments.reproduction.paper_methods import CardinalityThreshold
from plait.experiments.reproduction.paper_plans import available_datasets, paper_plan, part_of_plan, plan_names
from plait.features import MIM, MRMR
from plait.inference import BestFirst

# Quoted by a paper from others, or without data to run on: the notes say why.
NOT_RUN = {"pcc": ({"SSVM best"}, {"synth1"})}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("paper", PAPERS)
def test_plans_have_the_names_of_the_paper_and_leave_nothing_out(paper, column):
    plan = paper_plan(paper, column)
    scores = [s for s in published_results(paper) if s.dataset not in FOOTERS]
    methods, datasets = NOT_RUN.get(paper, (set(), set()))
    assert plan.name == (paper if column == "clean" else f"{paper}/{column}")
    tested = {name for pair in paper_facts(paper).pairs.get("methods", ()) for name in pair}
    assert {method.name for method in plan.methods} == {s.method for s in scores} - methods | tested
    aliases = paper_facts(paper).aliases
    assert {aliases.get(data.name, data.name) for data in plan.datasets} == {s.dataset for s in scores} - datasets
    printed = {s.metric for s in scores} - {"fit_seconds", "predict_seconds"}
    names = paper_facts(paper).measures.get(column, {})
    assert {names.get(metric, metric) for metric in printed} <= set(plan.metrics)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("paper", PAPERS)
def test_the_protocol_is_the_papers(paper, column):
    plan = paper_plan(paper, column)
    by_name = {data.name: plan.protocol_on(data) for data in plan.datasets}
    for score in published_results(paper):
        if score.dataset in by_name:
            words = score.protocol
            protocol = by_name[score.dataset]
            said = {"kfold": f"{protocol.folds}-fold CV", "holdout": "10 x random 80/20 holdout"}
            assert words == said.get(protocol.kind, "fixed train/test split")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_method_of_every_data_set_can_be_made(paper):
    for name in plan_names(paper):
        for method in paper_plan(paper, name).methods:
            for setup in (method.setup, *method.on.values()):
                assert hasattr(build(setup.definition), "predict")


def test_settings_are_those_of_the_papers():
    occ = {method.name: build(method.setup.definition) for method in paper_plan("occ").methods}
    assert (occ["oCC"].structure.k, occ["EoCC"].n_estimators, occ["ECC"].n_estimators) == (0.8, 10, 10)
    tuned = {m.name: m.setup.tuning.grid for m in paper_plan("occ").methods if m.setup.tuning}
    assert tuned["oCC"] == tuned["EoCC"] == {"n_features": [0.1, 0.3, 0.5, 0.7, 0.9]}
    assert tuned["LLSF"] == {"selector.beta": [0.001, 0.01, 0.1, 1.0, 10.0]}
    pacc = {method.name: method for method in paper_plan("pacc").methods}
    # lambda = 0.1 in `sum log P - lambda ||w||^2` is C = 1 / (2 lambda) [PACC 16].
    assert build(pacc["PACC"].setup.definition).learner.C == 1 / (2 * 0.1)
    assert [build(pacc["PACC-LDF"].setup_on(d).definition).selector.r for d in ("scene", "bibtex")] == [0.15, 0.05]
    for data, base in (("scene", "OneAgainstRest"), ("bibtex", "DecisionTreeClassifier")):
        rakel = build(pacc["RAkEL"].setup_on(data).definition)
        assert (rakel.labelset_size, rakel.n_models, type(rakel.estimator).__name__) == (3, "2q", base)
    run = {method.name: build(method.setup.definition) for method in paper_plan("pacc", "as_run").methods}
    assert (run["PACC"].learner.standardize, run["PACC"].learner.scale_parents) == (True, True)
    assert (run["PACC-LDF"].structure.earlier, type(run["PACC-LDF"].inference)) == (0.0005, BestFirst)
    assert {name for name, model in run.items() if isinstance(model, CardinalityThreshold)} == {
        *("BR", "BR-LDF", "MLkNN", "RAkEL")
    }
    scls = {method.name: build(method.setup.definition) for method in paper_plan("scls").methods}
    assert {model[1].n_features for model in scls.values()} == {"sqrt"}
    as_run = {method.name: build(method.setup.definition) for method in paper_plan("scls", "as_run").methods}
    assert (type(as_run["SCLS"].selector), type(as_run["AMI"].selector)) == (MRMR, MIM)
    svm = build(paper_plan("occ", "as_run").methods[0].setup.definition).learner.estimator
    assert (svm.dual, svm.tol) == (False, 0.01)
    skipped = {(m.name, name) for m in paper_plan("mc").methods for name in m.skip}
    assert skipped == {(s.method, s.dataset) for s in published_results("mc") if s.marker == "not-run"}
    mc = {method.name: build(method.setup.definition) for method in paper_plan("mc").methods}
    assert mc["MLKNN"][-1].n_neighbors == mc["IBLR"][-1].n_neighbors == 10
    # Algorithm 1 and 5.3.2 as printed: the first worse mixture ends it, w_k, EM to convergence.
    assert (mc["MC"].patience, mc["MC"].weighting, mc["MC"].steps_between, mc["MC"].n_mixtures) == (
        1,
        "normalized",
        None,
        1,
    )
    pcc = {method.name: method for method in paper_plan("pcc", "as_run").methods}
    assert build(pcc["BR"].setup_on("medical").definition).learner.C == 1 / 2  # lambda = 1
    assert build(pcc["BR"].setup_on("yeast").definition).learner.C == "cv"


@pytest.mark.parametrize("paper", PAPERS)
def test_facts_fit_the_plans(paper):
    facts = paper_facts(paper)
    assert facts.spread in SPREADS
    for column in COLUMNS:
        plan = paper_plan(paper, column)
        part = part_of_plan(plan, quick=True)
        assert {data.name for data in part.datasets} == set(facts.quick["datasets"])
        methods = facts.quick.get("methods")
        assert not methods or {method.name for method in part.methods} == set(methods)
        names = {method.name for method in plan.methods}
        assert {*facts.ranks.get("methods", ())} <= names
        assert {name for pair in facts.pairs.get("methods", ()) for name in pair} <= names
    assert {figure.plan or name for name, figure in facts.figures.items()} <= set(plan_names(paper))
    for name, figure in facts.figures.items():
        plan = paper_plan(paper, figure.plan or name)
        assert figure.metric in plan.metrics
        assert set(figure.methods) <= {method.name for method in plan.methods}
        if figure.across:
            assert all(float(method.name.rpartition(" @ ")[2]) >= 0 for method in plan.methods)
    named = [*facts.gains.get("pairs", ()), *facts.times.get("pairs", ())]
    assert {name for pair in named for name in pair} <= {method.name for method in paper_plan(paper).methods}


def test_a_plan_that_is_not_there_is_refused_with_the_names_of_those_that_are():
    with pytest.raises(ParameterError, match="--plan to be one of clean, as_run"):
        paper_plan("occ", "figure99")


def test_names_given_go_before_quick_and_strangers_are_refused():
    plan = paper_plan("pacc")
    part = part_of_plan(plan, ["GENBASE"], ["pacc-ldf", "br"], quick=True)
    assert [data.name for data in part.datasets] == ["genbase"]
    assert [method.name for method in part.methods] == ["BR", "PACC-LDF"]
    with pytest.raises(ParameterError, match="--methods to be names of the paper, BR, CC"):
        part_of_plan(plan, methods=["ECC"])
    with pytest.raises(ParameterError, match="--datasets"):
        part_of_plan(plan, datasets=["imdb"])


def test_data_sets_elsewhere_are_not_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAIT_DATA", str(tmp_path))
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path / "none"))
    (tmp_path / "yeast.csv").write_text("a,b\n1,0\n")
    plan, missing = available_datasets(part_of_plan(paper_plan("occ"), ["yeast", "scene"]))
    assert ([data.name for data in plan.datasets], missing) == (["yeast"], ["scene"])
    # A file of the most frequent features alone goes before the whole one.
    (tmp_path / "yahoo_arts.csv").write_text("a,b\n1,0\n")
    arts = part_of_plan(paper_plan("scls"), ["arts"])
    assert available_datasets(arts)[0].datasets[0].source == "yahoo_arts"
    (tmp_path / "yahoo_arts_1157.csv").write_text("a,b\n1,0\n")
    found = available_datasets(arts)[0].datasets[0]
    assert (found.name, found.source, found.top_features) == ("arts", "yahoo_arts_1157", None)
    # A protocol of given parts needs the parts.
    assert available_datasets(part_of_plan(paper_plan("pcc"), ["yeast"]))[1] == ["yeast"]
