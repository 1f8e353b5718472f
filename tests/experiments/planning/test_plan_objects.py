"""A plan runs nothing foreign: not while it is checked, and never a function."""

import pytest

from plait.cli import main
from plait.core.sentences import ParameterError
from plait.experiments import PlanError, plan_from_text, read_plan
from plait.experiments.planning.plan_objects import build, find_maker

HEAD = 'datasets = [{source = "beach.csv", labels = -3}]\nprotocol = {kind = "holdout", repeats = 1}\n'
# Where a plan may name what is to be called; FOREIGN is the path, and the other words are its arguments.
PLACES = {
    "use": '[methods.x]\nuse = "FOREIGN"\ncommand = "touch made"',
    "colon": '[methods.x]\nuse = "os:system"\ncommand = "touch made"',
    "part": '[methods.x]\nuse = "pcc"\nlearner = {use = "FOREIGN", command = "touch made"}',
    "deep part": '[methods.x]\nuse = "ecc"\n[methods.x.estimator]\nuse = "pcc"\n'
    'learner = {use = "FOREIGN", command = "touch made"}',
    "step": '[methods.x]\nsteps = [{use = "FOREIGN", command = "touch made"}, "br"]',
    "word": '[methods.x]\nsteps = ["FOREIGN", "br"]',
    "grid": '[methods.x]\nuse = "pcc"\ntune = {grid = {learner = [{use = "FOREIGN", command = "touch made"}]}}',
    "grid of use": '[methods.x]\nuse = "br"\ntune = {grid = {use = ["FOREIGN"]}}',
    "one data set": '[methods.x]\nuse = "br"\non.beach = {use = "FOREIGN", command = "touch made"}',
    "name": '[methods."FOREIGN"]\ncommand = "touch made"',
    "in scikit-learn": '[methods.x]\nuse = "sklearn.multioutput.MultiOutputClassifier"\n'
    'estimator = {use = "FOREIGN", command = "touch made"}',
}
# Reachable through plait or scikit-learn, but not theirs, not public, or no class of a model.
NOT_MODELS = [
    "sklearn.os.system",
    "sklearn.utils.os.system",
    "sklearn.utils.warnings.warn",
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.datasets.fetch_openml",
    "sklearn.datasets.load_svmlight_file",
    "sklearn.base.clone",
    "plait.cli.main",
    "plait.__main__.main",
    "plait.data.load_dataset",
    "plait.data.conversion.files.replacing",
    "plait.core.extras.optional",
    "plait.experiments.running.store.Path",
    "sklearn.pipeline.make_pipeline",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("flags", [["--dry-run"], [], ["--dry-run", "--allow-imports"], ["--allow-imports"]])
def test_a_plan_never_runs_a_shell_command(write_plan, tmp_path, monkeypatch, capsys, place, flags):
    monkeypatch.chdir(tmp_path)
    path = write_plan(HEAD + PLACES[place].replace("FOREIGN", "os.system"))
    code = main(["bench", str(path), "--store", str(tmp_path / "r.sqlite"), *flags])
    output = capsys.readouterr()
    assert not (tmp_path / "made").exists()
    assert "Traceback" not in output.err
    if "--allow-imports" not in flags:
        assert code == 2
        assert "outside plait and scikit-learn" in output.err
    elif flags == ["--allow-imports"]:
        assert code in (1, 2)
        assert "is no class with fit" in output.err or "no parameter" in output.err


@pytest.mark.parametrize("path", NOT_MODELS)
def test_functions_and_what_rooms_import_are_no_models(path):
    for allowed in (False, True):
        with pytest.raises(ParameterError):
            find_maker(path, allow_imports=allowed)


def test_checking_imports_nothing_foreign_and_running_does(write_plan, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loud_models.py").write_text(
        "open('made', 'w').close()\nfrom sklearn.dummy import DummyClassifier as Loud\n", encoding="utf8"
    )
    path = write_plan(HEAD + '[methods.x]\nuse = "loud_models.Loud"\nstrategy = "uniform"')
    with pytest.raises(PlanError, match="outside plait and scikit-learn"):
        read_plan(path)
    assert read_plan(path, allow_imports=True).methods[0].setup.definition["use"] == "loud_models.Loud"
    words = ["bench", str(path), "--store", str(tmp_path / "r.sqlite"), "--allow-imports"]
    assert main([*words, "--dry-run"]) == 0
    assert not (tmp_path / "made").exists()
    assert main(words) == 0
    assert (tmp_path / "made").exists()


def test_the_folder_of_a_plan_is_searched_only_where_imports_are_allowed(write_plan, tmp_path):
    path = write_plan(HEAD + 'methods = ["br"]')
    assert read_plan(path).folder == ""
    assert read_plan(path, allow_imports=True).folder == str(tmp_path)


def test_a_path_that_cannot_be_imported_stops_before_any_cell(write_plan, tmp_path, capsys):
    path = write_plan(HEAD + '[methods.br]\n[methods.x]\nuse = "no.such.module.Model"')
    assert main(["bench", str(path), "--store", str(tmp_path / "r.sqlite"), "--allow-imports"]) == 2
    assert "cannot be imported" in capsys.readouterr().err
    assert not (tmp_path / "r.sqlite").exists()


PIPE = '{steps = ["StandardScaler", "sklearn.neighbors.KNeighborsClassifier"]}'
CACHES = {
    "part": 'steps = [{use = "sklearn.cluster.FeatureAgglomeration", memory = "cache"}, "br"]',
    "of a part": f'use = "sklearn.multioutput.MultiOutputClassifier"\nestimator = {PIPE}\nestimator__memory = "cache"',
    "grid of scikit-learn": f'use = "sklearn.model_selection.GridSearchCV"\nestimator = {PIPE}\n'
    'param_grid = [{memory = ["cache"]}]',
    "grid": f'use = "sklearn.multioutput.MultiOutputClassifier"\nestimator = {PIPE}\n'
    'tune = {grid = {estimator__memory = ["cache"]}}',
}


@pytest.mark.parametrize("place", CACHES)
def test_no_cache_on_disk(place):
    """A cache of joblib is a folder of pickles."""
    with pytest.raises(PlanError, match="no memory on disk"):
        plan_from_text(f"{HEAD}[methods.x]\n{CACHES[place]}")


@pytest.mark.parametrize(
    "method",
    [
        'steps = ["StandardScaler", "br"]\nk = 3',
        'steps = ["StandardScaler", "br"]\ntune = {grid = {k = [1, 2]}}',
        'use = "sklearn.multioutput.MultiOutputClassifier"\nestimator = {steps = ["sklearn.svm.SVC"], k = 3}',
    ],
)
def test_nothing_beside_steps_is_left_aside_in_silence(method):
    with pytest.raises(PlanError, match="a method of steps has no key 'k'"):
        plan_from_text(f"{HEAD}[methods.x]\n{method}")


def test_repeats_that_nobody_could_name_one_by_one():
    with pytest.raises(PlanError, match="repeats to be an integer of at least 1 and at most 100000"):
        plan_from_text(HEAD.replace("repeats = 1", "repeats = 100000000000") + 'methods = ["br"]')


def test_own_paths_are_classes_and_recipes():
    assert build({"use": "plait.estimators.recipes.kcc", "k": 2}).structure.k == 2
    assert type(build({"use": "plait.losses.F1"})).__name__ == "F1"
    assert build({"use": "sklearn.dummy:DummyClassifier", "strategy": "uniform"}).strategy == "uniform"
