"""What new users tried first, and what once failed or had friction: each by the number of its trial.

People at a shell with a table of words, gaps, dates, texts, tags and names of rows.
"""

import io
import json
from types import SimpleNamespace

import pandas as pd
import pytest

from plait import load_dataset, load_model, recipes, save_model
from plait.cli import main
from plait.data import TableEncoder
from plait.estimators import JointPipeline

pytestmark = pytest.mark.filterwarnings("ignore::plait.data.DataWarning")
LABELS = ["calm", "sad", "loud"]


@pytest.fixture(scope="module")
def at(tmp_path_factory, songs):
    """A folder with files as people have them, and a model that the shell has made of one."""
    folder = tmp_path_factory.mktemp("newcomer")
    table = songs()
    table[:60].to_csv(folder / "tr.csv", index=False)
    table[60:].to_csv(folder / "te.csv", index=False)
    table[:60].to_csv(folder / "songs-train.csv", index=False)
    table[60:].to_csv(folder / "songs-test.csv", index=False)
    new = table[60:].drop(columns=[*LABELS, "genre"])
    new.to_csv(folder / "new.csv", index=False)
    fit = ["fit", str(folder / "tr.csv"), "--labels", "calm,sad,loud", "--drop", "genre", "--id", "song"]
    assert main([*fit, "--method", "br", "-o", str(folder / "m.plait")]) == 0
    return SimpleNamespace(folder=folder, table=table, new=new, fit=fit)


@pytest.fixture
def shell(at, capsys, monkeypatch):
    """Run words in the folder; return the exit code, standard output and standard error."""
    monkeypatch.chdir(at.folder)
    capsys.readouterr()

    def run(line, stdin=None):
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(stdin.encode())))
        try:
            code = main([word.replace("~", " ") for word in line.split()])
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return run


def rows(text):
    return pd.read_csv(io.StringIO(text))


# 144, 178, 179, 2: the encoding belongs to the model.


def test_178_a_file_that_holds_only_nein_gives_the_same_answers(at, shell):
    whole = rows(shell("predict m.plait new.csv")[1])
    for word in ("ja", "nein"):
        part = at.new[at.new.live == word]
        part.to_csv("part.csv", index=False)
        code, out, _ = shell("predict m.plait part.csv")
        assert code == 0
        expected = whole[whole.song.isin(part.song)].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows(out), expected)
        assert (expected.loud == (word == "ja")).all()


@pytest.mark.parametrize("n", [1, 2, 7])
def test_178_a_file_with_fewer_values_or_one_row(at, shell, n):
    at.new[:n].to_csv("few.csv", index=False)
    assert rows(shell("predict m.plait few.csv")[1]).shape == (n, 4)


def test_178_a_new_value_is_all_zeros_with_a_count(at, shell):
    at.new.assign(key="moon").to_csv("moon.csv", index=False)
    code, _, err = shell("predict m.plait moon.csv")
    assert code == 0
    assert "takes 30 cells of 'key' for no known word, such as 'moon'" in err


def test_178_an_extra_column_is_ignored_with_a_note(at, shell):
    at.new.assign(extra=1).to_csv("extra.csv", index=False)
    code, out, err = shell("predict m.plait extra.csv")
    assert code == 0
    assert "ignores 'extra'" in err
    assert out == shell("predict m.plait new.csv")[1]


def test_178_a_missing_column_is_refused_by_name(at, shell):
    at.new.drop(columns="tempo").to_csv("less.csv", index=False)
    code, _, err = shell("predict m.plait less.csv")
    assert code == 2
    assert "'tempo'" in err


def test_178_another_order_is_fine(at, shell):
    at.new[at.new.columns[::-1]].to_csv("turned.csv", index=False)
    assert shell("predict m.plait turned.csv")[1] == shell("predict m.plait new.csv")[1]


def test_179_label_columns_in_new_data(shell):
    assert shell("predict m.plait te.csv")[1] == shell("predict m.plait new.csv")[1]


def test_144_parts_of_a_plan_are_read_by_one_encoder(at, shell, tmp_path):
    (tmp_path / "plan.toml").write_text(
        'name = "p"\nmethods = ["br"]\nmetrics = ["exact_match"]\nprotocol = {kind = "split"}\n'
        f'datasets = [{{source = "{at.folder}/songs.csv", labels = ["loud"], keep_features = ["live", "key"]}}]\n'
    )
    nein = at.table[60:][at.table[60:].live == "nein"]
    nein.to_csv(at.folder / "songs-test.csv", index=False)
    code, _, err = shell(f"bench {tmp_path}/plan.toml --store {tmp_path}/r.sqlite")
    assert code == 0, err
    # 133: names that programs can use.
    assert json.loads(shell(f"report {tmp_path}/r.sqlite --json")[1])["tables"]["glance"][0]["exact_match"] == 1.0


def test_144_the_test_part_in_python(at):
    train = load_dataset(at.folder / "songs.csv", labels=LABELS, split="train")
    test = load_dataset(at.folder / "songs.csv", labels=LABELS, split="test")
    model = JointPipeline([("table", TableEncoder(drop=["genre"])), ("model", recipes.br())]).fit(train.X, train.Y)
    assert (model.predict(test.X) == test.Y).mean() > 0.9


def test_145_gaps_in_a_plan_need_no_path_of_an_imputer(at, shell, tmp_path):
    table = at.table[["tempo", *LABELS]].assign(loud=(at.table.loud == "ja").astype(int))
    table.to_csv(tmp_path / "gaps.csv", index=False)
    (tmp_path / "plan.toml").write_text(
        f'name = "p"\nmethods = ["br"]\nprotocol = {{kind = "kfold", folds = 2}}\n'
        f'datasets = [{{source = "{tmp_path}/gaps.csv", labels = -3}}]\n'
    )
    assert shell(f"bench {tmp_path}/plan.toml --store {tmp_path}/r.sqlite")[0] == 0


# 152 to 171: tables at the shell.


def test_154_names_with_a_space(at, shell):
    at.table.rename(columns={"sad": "so sad"})[:60].to_csv("space.csv", index=False)
    assert shell("describe space.csv --labels calm,so~sad")[0] == 0


def test_157_label_words_mean_what_they_say(at, shell):
    code, out, err = shell("describe tr.csv --labels loud")
    assert code == 0
    assert "'ja' is taken for 1 in 'loud'" in err
    assert str((at.table[:60].loud == "ja").sum()) in out


def test_157_other_words_are_refused_until_one_is_said_to_be_1(at, shell):
    at.table[:60].replace({"loud": {"ja": "LOUD", "nein": "quiet"}}).to_csv("odd.csv", index=False)
    code, _, err = shell("describe odd.csv --labels loud")
    assert code == 2
    assert "--positive" in err
    assert shell("describe odd.csv --labels loud --positive LOUD")[0] == 0
    assert shell("describe odd.csv --labels loud --positive loud=quiet")[0] == 0


@pytest.mark.parametrize("pair", [("x", ""), ("1", "0"), ("true", "false"), ("yes", "no"), ("oui", "non")])
def test_157_other_ways_to_say_yes(at, shell, pair):
    at.table[:60].replace({"loud": dict(zip(["ja", "nein"], pair, strict=True))}).to_csv("yes.csv", index=False)
    out = shell("describe yes.csv --labels loud --json")[1]
    assert json.loads(out)["labels"][0]["positives"] == (at.table[:60].loud == "ja").sum()


def test_158_159_labels_of_other_numbers_and_with_gaps(at, shell):
    at.table[:60].replace({"loud": {"ja": "1", "nein": "2"}}).to_csv("two.csv", index=False)
    assert shell("describe two.csv --labels loud")[0] == 2
    table = at.table[:60].copy()
    table.loc[7, "loud"] = None
    table.to_csv("hole.csv", index=False)
    code, out, _ = shell("describe hole.csv --labels loud")
    assert code == 0
    assert "1.7% unknown" in out  # one of 60


def test_160_semicolons_and_decimal_commas(at, shell):
    at.table[:60].to_csv("eu.csv", index=False, sep=";", decimal=",")
    data = load_dataset("eu.csv", labels=LABELS)
    assert data.feature_kinds[1] == "numeric"
    assert shell("fit eu.csv --labels calm,sad,loud --drop genre --method br -o eu.plait")[0] == 0
    assert rows(shell("predict eu.plait eu.csv")[1]).calm.mean() > 0.2


def test_164_excel(at, shell):
    at.table[:60].to_excel("tr.xlsx", index=False)
    assert shell("fit tr.xlsx --labels calm,sad,loud --drop genre --id song --method br -o x.plait")[0] == 0
    assert rows(shell("predict x.plait new.csv")[1]).shape == (30, 4)
    (at.folder / "a.ods").write_bytes(b"PK")
    code, _, err = shell("describe a.ods --labels 1")
    assert code == 2
    assert "a suffix among" in err


@pytest.mark.parametrize("sep", ["|", ",", ";"])
def test_165_a_column_of_tags(at, shell, sep):
    table = at.table.assign(genre=at.table.genre.str.replace("|", f" {sep} ")).drop(columns=LABELS)
    table[:60].to_csv("tags.csv", index=False)
    assert shell(f"fit tags.csv --tags genre --sep {sep} --id song --method br -o t.plait")[0] == 0
    found = rows(shell(f"predict t.plait new.csv --form tags --sep {sep}")[1])
    assert found.columns.tolist() == ["song", "labels"]
    assert any(sep in str(cell) for cell in found["labels"])
    table[60:].to_csv("others.csv", index=False)
    alone = shell("evaluate others.csv --model t.plait --metrics exact_match --json")
    said = shell(f"evaluate others.csv --model t.plait --tags genre --sep {sep} --metrics exact_match --json")
    assert alone[0] == said[0] == 0
    scores = [json.loads(out)["methods"][0]["exact_match"] for _, out, _ in (alone, said)]
    assert scores[0] == scores[1]


def test_166_words_come_back_as_they_are(at, shell):
    assert shell("convert tr.csv back.parquet --labels calm,sad,loud")[0] == 0
    assert load_dataset("back.parquet", labels=LABELS).X["key"].tolist()[0] == at.table.key[0]
    assert shell("convert tr.csv back.svm --labels calm,sad,loud --drop song")[0] == 0


def test_167_standard_input_and_output(at, shell):
    code, out, err = shell("predict m.plait - -o -", stdin=at.new.to_csv(index=False))
    assert code == 0
    assert out == shell("predict m.plait new.csv")[1]
    assert "30 rows" in err
    assert not (at.folder / "-").exists()


def test_168_a_mask_of_select_serves_fit(shell):
    assert shell("select tr.csv --labels calm,sad,loud --drop genre,song --method mlig -n 3 -o mask.csv")[0] == 0
    words = "fit tr.csv --labels calm,sad,loud --drop genre,song --method br --features mask.csv -o f.plait"
    assert shell(words)[0] == 0
    chosen = load_model("f.plait").steps[-1][1].mask_.support
    assert (chosen.sum(axis=1) == 3).all()
    assert shell("predict f.plait new.csv")[0] == 0
    assert "plait fit needs a method" in shell(words.replace("--method br", "--method MLkNN"))[2]


def test_171_a_gap_is_filled_and_told_by_line_and_column(at, shell):
    code, _, err = shell("fit tr.csv --labels calm,sad,loud --drop genre --id song --method br -o g.plait")
    assert code == 0
    assert "tr, line 5, column 'tempo' (2 gaps in all)" in err


def test_171_gaps_can_be_refused(shell):
    code, _, err = shell("fit tr.csv --labels calm,sad,loud --drop genre --method br --fill none -o g.plait")
    assert code == 2
    assert "line 5, column 'tempo'" in err
    assert "--fill none" in err


def test_172_173_settings_of_parts(shell):
    words = "fit tr.csv --labels calm,sad,loud --drop genre --method br -o s.plait --set "
    assert shell(words + "learner__C=3")[0] == 0
    code, _, err = shell(words + "Q=3")
    assert code == 2
    assert "has no parameter 'Q'" in err


def test_174_a_part_that_cannot_be_made_alone_is_one_sentence(shell):
    code, _, err = shell("fit tr.csv --labels calm,sad --drop genre --set learner=sklearn_learner -o s.plait")
    assert (code, err.count("\n") <= 3) == (2, True)


@pytest.mark.parametrize("method", ["MLkNN", "ml_knn", "RAkEL", "LabelPowerset"])
def test_175_baselines(shell, method):
    assert shell(f"fit tr.csv --labels calm,sad,loud --drop genre --id song --method {method} -o b.plait")[0] == 0
    assert rows(shell("predict b.plait new.csv")[1]).shape == (30, 4)


def test_labels_alone_are_one_sentence(at, shell):
    at.table[LABELS].to_csv("only.csv", index=False)
    code, _, err = shell("fit only.csv --labels calm,sad,loud -o o.plait")
    assert code == 2
    assert "labels only" in err


def test_152_what_to_say_of_labels(shell):
    assert "--labels" in shell("describe tr.csv")[2]


# 176 to 185, 192: answers.


def test_176_known_labels_and_top_sets(shell):
    code, out, _ = shell("predict m.plait new.csv --given calm=1 --top 2")
    assert code == 0
    found = rows(out)
    assert found.columns.tolist() == ["song", "row", "rank", "probability", *LABELS]
    assert found.calm.all()
    assert rows(shell("predict m.plait new.csv --top 2 --form tags")[1]).columns.tolist()[-1] == "labels"


@pytest.mark.parametrize(
    "wrong", ["--given calm=2", "--given nope=1", "--loss nope", "--top 0", "--form nope", "--id nope"]
)
def test_177_wrong_questions(shell, wrong):
    code, out, err = shell(f"predict m.plait new.csv {wrong}")
    assert (code, out) == (2, "")
    assert err.startswith("plait")


@pytest.mark.parametrize("words", ["", "--top 2", "--proba", "--joint", "--form tags", "--given sad=1"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_180_181_answers_in_files(at, shell, words, suffix):
    assert shell(f"predict m.plait new.csv {words} -o out{suffix}")[0] == 0
    path = at.folder / f"out{suffix}"
    read = {
        ".csv": pd.read_csv,
        ".tsv": lambda file: pd.read_csv(file, sep="\t"),
        ".jsonl": lambda file: pd.read_json(file, lines=True),
        ".parquet": pd.read_parquet,
    }[suffix]
    assert read(path).columns[0] == "song"
    assert len(read(path)) >= 30


def test_181_an_unknown_suffix_is_refused_before_any_work(shell):
    code, _, err = shell("predict nothing.plait new.csv -o out.docx")
    assert code == 2
    assert ".csv, .tsv, .jsonl, .parquet" in err


def test_184_a_model_from_python(at, shell):
    model = JointPipeline([("table", TableEncoder(drop="song")), ("model", recipes.br())])
    save_model(model.fit(at.table[["song", "tempo", "key", "live"]], at.table[LABELS]), at.folder / "py.plait")
    assert rows(shell("predict py.plait new.csv")[1]).columns.tolist() == LABELS


def test_192_probabilities_of_votes(shell):
    words = "fit tr.csv --labels calm,sad,loud --drop genre --method ecc --set n_estimators=3 -o e.plait"
    assert shell(words)[0] == 0
    found = rows(shell("predict e.plait new.csv --proba")[1])
    assert found.to_numpy().max() <= 1.0


# 188, 189: evaluate.


def test_188_a_test_file_a_saved_model_and_measures(shell):
    words = "evaluate tr.csv --labels calm,sad,loud --drop genre,song --methods br,MLkNN"
    code, out, _ = shell(f"{words} --test te.csv --metrics micro_f1,f1_loss --by-label")
    assert code == 0
    assert out.splitlines()[0].split() == ["method", "micro_f1", "f1_loss", "seconds"]
    assert "F1 of every label" in out
    assert "calm" in out
    code, out, _ = shell("evaluate te.csv --model m.plait --metrics exact_match --json")
    assert code == 0
    assert json.loads(out)["methods"][0]["exact_match"][0] > 0.5
    assert shell(f"{words} --metrics nope")[0] == 2


def test_188_at_80_columns(shell):
    out = shell("evaluate tr.csv --labels calm,sad,loud --drop genre,song --methods br,cc --folds 2")[1]
    out += shell("describe tr.csv --labels calm,sad,loud")[1]
    assert max(map(len, out.splitlines())) <= 80


# 190, 191: words of the shell.


@pytest.mark.parametrize("command", ["fit", "predict", "evaluate", "describe", "select", "bench", "report"])
def test_help_has_defaults_and_examples(shell, command):
    code, out, _ = shell(f"{command} --help")
    assert code == 0
    assert f"plait {command}" in out.split("examples:")[1]


def test_help_spells_out_the_methods(shell):
    out = shell("fit --help")[1]
    assert "(default: auto)" in out
    assert "binary relevance" in out
    assert "classifier chain" in out


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_191_completion(shell, name):
    assert "tags" in shell(f"completion {name}")[1]


def test_debug_shows_the_traceback(at, monkeypatch, capsys):
    monkeypatch.chdir(at.folder)
    assert main(["describe", "tr.csv", "--labels", "nope", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err
