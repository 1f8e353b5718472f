"""`plait demo`: labels drawn from a known P(Y | x), learned back, asked, and shown beside the truth."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from plait import losses as losses_room
from plait import metrics
from plait.core.arrays import Floats
from plait.core.naming import registry
from plait.data import Dataset, save_dataset
from plait.data.conversion.files import replacing
from plait.data.description import describe_text
from plait.data.synthetic import LabelNetwork, make_label_network
from plait.estimators import JointClassifier, recipes
from plait.inference import Beam, BestFirst, Greedy, MonteCarlo
from plait.losses import Loss
from plait.pictures import (
    BLUE,
    GREY,
    ORANGE,
    Entry,
    Heading,
    Table,
    as_html,
    as_text,
    draw_bars,
    draw_graph,
    draw_number_map,
    headed,
    layout_of,
    page_html,
    panels,
    saved,
)
from plait.structure import LabelGraph

__all__ = ["Demonstration", "draw_demonstration", "run_demonstration", "show_demonstration"]

_LABELS = ("amber", "birch", "coral", "dune", "elm", "fern", "gorse", "heath")
_TRAIN, _TEST, _FEATURES, _STRENGTH = 2000, 2000, 12, 3.0
_METHODS = ("br", "cc", "pcc", "ctbn")
_MEASURES = ("exact_match", "hamming_score", "jaccard_accuracy", "macro_f1", "micro_f1")
_LOSSES = tuple(
    word
    for word, kind in registry(losses_room, Loss).items()
    if kind().answer == "labels" and not kind.needs_thresholds
)
_TRUTH = "the true P(Y | x)"
_NO_SCORES = ("proved", "seconds")


def show_demonstration(output: Path, *, seed: int = 0) -> None:
    """Run the demonstration and print what it finds, as it goes along."""
    for line in run_demonstration(output, random_state=seed):
        print(line, flush=True)


@dataclass(frozen=True, eq=False)
class Demonstration:
    """What the demonstration found: all that its text, picture and page show.

    Parameters
    ----------
    data : Dataset
        The rows that were made.
    truth, learned : LabelGraph
        Which labels depend on which: as made, and as the conditional tree found it.
    scores : dict of str to dict of str to float
        Method -> measure -> value, on rows kept aside.
    inferences : dict of str to dict of str to float
        Inference -> "exact_match", "proved" (share of rows) and "seconds".
    losses : ndarray of shape (n_losses, n_losses)
        Mean loss j of the answers that minimise loss i.
    questions : list of str
        Questions to one row, with answers.
    """

    data: Dataset
    truth: LabelGraph
    learned: LabelGraph
    scores: dict[str, dict[str, float]]
    inferences: dict[str, dict[str, float]]
    losses: Floats
    questions: list[str]


def run_demonstration(output: Path, random_state: int = 0) -> Iterator[str]:
    """Make data up, learn them, ask questions; write data, picture and page to a folder; yield lines to show.

    Parameters
    ----------
    output : Path
        Folder for `demo.arff`, `demo.xml`, `demo.svg` and `demo.html`; made where missing.
    random_state : int, default=0
        Another number makes other data.
    """
    network = make_label_network(
        _TRAIN + _TEST, _FEATURES, len(_LABELS), structure="tree", strength=_STRENGTH, random_state=random_state
    )
    whole = network.dataset
    data = Dataset(whole.X, whole.Y, whole.feature_names, _LABELS, "demo")
    yield "1. Data with labels that depend on each other, made up so that the true P(Y | x) is known.\n"
    yield describe_text(data)
    found = _demonstration(data, network, random_state)
    scores, inferences, losses = _tables(found)
    yield "\n2. Scores on rows kept aside: each label alone, chains, a learned tree, and the truth.\n"
    yield as_text(scores, indent="  ")
    yield f"\n3. The graph that was learned: {_agreement(found)}.\n"
    yield "4. One fitted chain (pcc), four ways to find the most probable label set.\n"
    yield as_text(inferences, indent="  ")
    yield "\n5. The same chain, the best answer for each loss (rows), scored by each loss (columns).\n"
    yield as_text(losses, indent="  ")
    yield "\n6. Questions to one row.\n"
    yield from (f"  {line}" for line in found.questions)
    output.mkdir(parents=True, exist_ok=True)
    save_dataset(data, output / "demo.arff")
    picture = draw_demonstration(found)
    for name, text in (("demo.svg", saved(picture)), ("demo.html", _page(found, picture))):
        with replacing(output / name) as temporary:
            temporary.write_text(text, encoding="utf8")
    yield f"\nData: {output / 'demo.arff'}  (try: plait evaluate {output / 'demo.arff'} --methods br,cc,pcc)"
    yield f"Picture: {output / 'demo.svg'}\nPage: {output / 'demo.html'}"


def _demonstration(data: Dataset, network: LabelNetwork, random_state: int) -> Demonstration:
    train, test = data.rows(np.arange(_TRAIN)), data.rows(np.arange(_TRAIN, _TRAIN + _TEST))
    models = {name: getattr(recipes, name)(random_state=random_state).fit(train.X, train.Y) for name in _METHODS}
    answers = {name: model.predict(test.X) for name, model in models.items()}
    answers[_TRUTH] = network.mode(test.X)
    scores = {
        name: {measure: float(getattr(metrics, measure)(test.Y, answer)) for measure in _MEASURES}
        for name, answer in answers.items()
    }
    return Demonstration(
        data,
        LabelGraph(network.parents),
        models["ctbn"].graph_,
        scores,
        _by_inference(models["pcc"], test),
        _by_loss(models["pcc"], test),
        _questions(models["pcc"], test),
    )


def _by_inference(model: JointClassifier, test: Dataset) -> dict[str, dict[str, float]]:
    found = {}
    ways = {"greedy": Greedy(), "beam of 5": Beam(5), "exact search": BestFirst(), "1000 samples": MonteCarlo(1000)}
    for name, way in ways.items():
        posterior = model.set_params(inference=way).joint(test.X)
        posterior[:2].mode()  # compile kernels before the clock starts
        start = time.perf_counter()
        answer = posterior.mode()
        seconds = time.perf_counter() - start
        exact = float(metrics.exact_match(test.Y, answer))
        found[name] = {"exact_match": exact, "proved": float(posterior.exact.mean()), "seconds": seconds}
    model.set_params(inference=None)
    return found


def _by_loss(model: JointClassifier, test: Dataset) -> Floats:
    posterior = model.joint(test.X)
    answers = [posterior.decide(loss) for loss in _LOSSES]
    return np.array([[metrics.loss_metric(loss)(test.Y, answer) for loss in _LOSSES] for answer in answers])


def _questions(model: JointClassifier, test: Dataset) -> list[str]:
    posterior = model.joint(test.X)
    row = int(np.argmax(posterior.entropy()))
    one = posterior[row]
    one.label_names = _LABELS
    top = one.top(3)
    lines = [f"The row with the most uncertain labels is number {row}. Its most probable label sets:"]
    for vector, probability in zip(top.vectors[0], top.probabilities[0], strict=True):
        names = [name for name, has in zip(_LABELS, vector, strict=True) if has]
        lines.append(f"  {probability:6.1%}  {', '.join(names) or '(none)'}")
    before = one.marginals()[0]
    label = int(np.argmin(np.abs(before - 0.5)))
    after = one.given({_LABELS[label]: 1}).marginals()[0]
    moved = int(np.argmax(np.abs(np.where(np.arange(len(before)) == label, 0.0, after - before))))
    lines.append(
        f"Once {_LABELS[label]} is known to be there, P({_LABELS[moved]}) goes from {before[moved]:.1%} to "
        f"{after[moved]:.1%}."
    )
    return lines


def _agreement(found: Demonstration) -> str:
    true = {frozenset(edge) for edge in found.truth.edges}
    learned = {frozenset(edge) for edge in found.learned.edges}
    return f"{len(true & learned)} of the {len(true)} true edges, and {len(learned - true)} others"


def _tables(found: Demonstration) -> list[Table]:
    losses = {
        f"decide for {name}": dict(zip(_LOSSES, row, strict=True))
        for name, row in zip(_LOSSES, found.losses.tolist(), strict=True)
    }
    return [
        _table("scores", found.scores),
        _table("inferences", found.inferences),
        _table("losses", losses, lowest=True),
    ]


def _table(name: str, rows: dict[str, dict[str, float]], *, lowest: bool = False) -> Table:
    """Return a table of numbers, the best of each score marked."""
    columns = list(next(iter(rows.values())))
    pick = min if lowest else max
    best = {column: pick(row[column] for row in rows.values()) for column in columns if column not in _NO_SCORES}
    lines = [
        (Entry(words), *(Entry(row[column], best=row[column] == best.get(column)) for column in columns))
        for words, row in rows.items()
    ]
    head = (Heading(name, is_text=True), *(Heading(column.replace("_", " ")) for column in columns))
    return Table(name, "", head, tuple(lines))


def draw_demonstration(found: Demonstration) -> str:
    """Return the picture: the true and the learned graph, scores, and what each loss costs under each decision."""
    names = list(found.data.label_names or ())
    true, learned = (
        _draw_graph(graph, names, words)
        for graph, words in (
            (found.truth, "The true graph of the labels"),
            (found.learned, "The graph that was learned (ctbn)"),
        )
    )
    excess = found.losses / found.losses.min(axis=0) - 1
    losses = draw_number_map(
        excess / (excess.max() or 1.0),
        [[f"{value:.3f}" for value in row] for row in found.losses],
        [f"decided for {name}" for name in _LOSSES],
        [f"by {name}" for name in _LOSSES],
        note=f"colour: above the best of the column, at most {excess.max():.0%}",
        title="What each loss costs under each decision",
        ink=ORANGE,
    )
    rows = [[true, learned], [_draw_scores(found), headed(losses, "The best answer depends on the loss")]]
    return panels(rows, "True and learned graph, scores and losses")


def _draw_graph(graph: LabelGraph, names: Sequence[str], words: str) -> str:
    layout = layout_of(graph.parents, graph.children, graph.order, graph.is_polytree)
    return headed(draw_graph(layout, graph.edges, names, words), words)


def _draw_scores(found: Demonstration) -> str:
    rows = [(name, values["exact_match"]) for name, values in found.scores.items()]
    rows[3:3] = [(f"pcc, {name}", values["exact_match"]) for name, values in found.inferences.items()]
    names, values = zip(*rows, strict=True)
    inks = [ORANGE if name == _TRUTH else BLUE if "pcc" in name else GREY for name in names]
    words = "One model, several ways to ask it: rows with every label right"
    return headed(draw_bars(names, values, title=words, inks=inks), words)


def _page(found: Demonstration, picture: str) -> str:
    """Return one self-contained page that opens by double click."""
    data = found.data
    scores, inferences, losses = (as_html(table, sortable=False) for table in _tables(found))
    parts = [
        "<h1>plait: one joint model, any question</h1>",
        f"<p>{data.n_samples} rows, {data.n_features} features and {data.n_labels} labels, drawn from a known "
        "P(Y | x).</p>",
        f"<div class='wide'>{picture}</div>",
        f"<h2>Scores on rows kept aside</h2>{scores}",
        f"<h2>One fitted chain, four ways to find the most probable label set</h2>{inferences}",
        f"<h2>The best answer for each loss, scored by each loss</h2>{losses}",
        f"<h2>Questions to one row</h2><pre>{escape(chr(10).join(found.questions))}</pre>",
    ]
    return page_html("plait: a demonstration", "\n".join(parts))
