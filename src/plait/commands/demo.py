"""`plait demo`: images of digits with tags that depend on each other: learned, compared, asked, shown on a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from plait import losses as losses_room
from plait import metrics
from plait.core.extras import installed
from plait.core.naming import registry
from plait.core.randomness import generator
from plait.data import Dataset, save_dataset
from plait.data.conversion.files import replacing
from plait.estimators import recipes
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
    draw_graph,
    headed,
    layout_of,
    page_html,
    panels,
    picture,
    rectangle,
    saved,
    text,
)
from plait.posterior import Posterior
from plait.structure import LabelGraph

__all__ = ["TAGS", "Demonstration", "digits_with_tags", "draw_demonstration", "run_demonstration", "show_demonstration"]

# Which digits have a tag. All ten have different ones: of 64 sets ten are possible.
TAGS = {
    "even": (0, 2, 4, 6, 8),
    "prime": (2, 3, 5, 7),
    "at least five": (5, 6, 7, 8, 9),
    "has a loop": (0, 6, 8, 9),
    "straight": (1, 4, 7),
    "multiple of three": (0, 3, 6, 9),
}
_TRAIN, _SIDE = 900, 8
_METHODS = {
    "br": "every tag alone",
    "cc": "a chain, greedily",
    "pcc": "the chain, exactly",
    "ctbn": "a tree that was learned",
    "auto": "AutoJoint, nothing to choose",
}
# Each is decided for its own loss.
_MEASURES = {
    "exact match ↑": ("subset", metrics.exact_match),
    "Hamming score ↑": ("hamming", metrics.hamming_score),
    "F1 ↑": ("f1", metrics.sample_f1),
    "Jaccard ↑": ("jaccard", metrics.jaccard_accuracy),
}
_LOSSES = tuple(
    word
    for word, kind in registry(losses_room, Loss).items()
    if kind().answer == "labels" and not kind.needs_thresholds
)


@dataclass(frozen=True, eq=False)
class Demonstration:
    """What the demonstration found: all that its text, picture and page show.

    Parameters
    ----------
    test : Dataset
        The rows that were kept aside.
    scores : dict of str to dict of str to float
        Method -> measure -> value on them, every measure decided for its own loss.
    graph : LabelGraph
        Which tags depend on which, as ctbn learned it.
    row : int
        The image that is asked about.
    answers : tuple of Posterior
        Of that image: before and after one tag is known.
    known : tuple of (str, int)
        That tag, and whether it is there.
    questions : list of str
        Questions to that image, with answers.

    Examples
    --------
    >>> from inspect import signature
    >>> list(signature(Demonstration).parameters)[:4]  # what `plait demo` shows
    ['test', 'scores', 'graph', 'row']
    """

    test: Dataset
    scores: dict[str, dict[str, float]]
    graph: LabelGraph
    row: int
    answers: tuple[Posterior, Posterior]
    known: tuple[str, int]
    questions: list[str]


def digits_with_tags() -> Dataset:
    """Return scikit-learn's own images of handwritten digits, with the tags that follow from the digit.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> data = digits_with_tags()
    >>> data.n_samples, data.n_features, data.label_names[:3]
    (1797, 64, ('even', 'prime', 'at least five'))
    >>> len(np.unique(data.Y, axis=0))
    10
    """
    digits = load_digits()
    Y = np.column_stack([np.isin(digits.target, those) for those in TAGS.values()]).astype(np.uint8)
    names = [f"pixel_{r}_{c}" for r in range(_SIDE) for c in range(_SIDE)]
    return Dataset(digits.data, Y, names, tuple(TAGS), "digits")


def show_demonstration(output: Path, *, seed: int = 0) -> None:
    """Run the demonstration and print what it finds, as it goes along.

    Parameters
    ----------
    output : Path
        Folder for data, picture and page.
    seed : int, default=0
        Another number keeps other images aside.

    Examples
    --------
    >>> show_demonstration(Path("demo-output"))  # doctest: +SKIP
    1. 1797 images of handwritten digits, ...
    """
    for line in run_demonstration(output, random_state=seed):
        print(line, flush=True)


def run_demonstration(output: Path, random_state: int = 0) -> Iterator[str]:
    """Learn tagged digits, compare methods, ask questions; write data, picture and page; yield lines to show.

    Parameters
    ----------
    output : Path
        Folder for `digits.arff`, `digits.xml`, `demo.svg` and `demo.html`; made where missing.
    random_state : int, default=0
        Another number keeps other images aside.

    Yields
    ------
    str

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(next(run_demonstration(Path(folder))).splitlines()[0][:46])
    1. 1797 images of handwritten digits, 8 x 8 pi
    """
    data = digits_with_tags()
    order = generator(random_state).permutation(data.n_samples)
    train, test = data.rows(order[:_TRAIN]), data.rows(order[_TRAIN:])
    possible = {tuple(row) for row in data.Y.tolist()}
    yield (
        f"1. {data.n_samples} images of handwritten digits, 8 x 8 pixels, each with tags: {', '.join(TAGS)}.\n"
        f"   The tags follow from the digit, which nobody tells the models: {len(possible)} of {2 ** len(TAGS)} sets "
        f"are possible.\n\n2. Learning from {_TRAIN} images."
    )
    models: dict[str, Any] = {}
    for name, words in _METHODS.items():
        yield f"   {name}: {words} ..."
        models[name] = getattr(recipes, name)(random_state=random_state).fit(train.X, train.Y)
    yield f"\n3. The other {test.n_samples} images. Each column is decided for its own loss; * marks the best."
    scores = {name: _scores(model, test, possible) for name, model in models.items()}
    found = _asked(models, test, scores)
    yield as_text(_score_table(found), indent="   ")
    yield "\n4. Questions to one image, answered by AutoJoint."
    yield from (f"   {line}" for line in found.questions)
    yield "\n5. Writing the data, a picture and a page ..."
    output.mkdir(parents=True, exist_ok=True)
    save_dataset(data, output / "digits.arff")
    for name, content in (("demo.svg", saved(draw_demonstration(found))), ("demo.html", _page(found))):
        with replacing(output / name) as draft:
            draft.write_text(content, encoding="utf8")
    yield (
        f"   {output / 'demo.html'}: open it in a browser; {output / 'demo.svg'}: the picture alone\n"
        f"   {output / 'digits.arff'}: go on with\n"
        f"     plait fit {output / 'digits.arff'} -o digits.plait\n"
        f"     plait explore digits.plait {output / 'digits.arff'}"
        + (
            ""
            if installed("skops") and installed("waitress")
            else '\n   (these need: pip install "plait[explore,models]")'
        )
    )


def _scores(model: Any, test: Dataset, possible: set[tuple[int, ...]]) -> dict[str, float]:
    answer = model.joint(test.X)
    decided = {name: answer.decide(loss) for name, (loss, _) in _MEASURES.items()}
    values = {name: float(measure(test.Y, decided[name])) for name, (_, measure) in _MEASURES.items()}
    values["joint log-loss ↓"] = float(-answer.log_prob(test.Y).mean())
    sets = decided["exact match ↑"].tolist()
    values["impossible sets ↓"] = float(np.mean([tuple(row) not in possible for row in sets]))
    return values


def _asked(models: dict[str, Any], test: Dataset, scores: dict[str, dict[str, float]]) -> Demonstration:
    answers = models["auto"].joint(test.X)
    answers.label_names = tuple(TAGS)
    row = int(np.argmax(answers.entropy()))
    before = answers[[row]]
    asked = int(before.ask(1).labels[0, 0])
    known = list(TAGS)[asked], int(test.Y[row, asked])
    after = before.given({known[0]: known[1]})
    questions = _questions(before, after, known, row)
    return Demonstration(test, scores, models["ctbn"].graph_, row, (before, after), known, questions)


def _questions(before: Posterior, after: Posterior, known: tuple[str, int], row: int) -> list[str]:
    tag, value = known
    lines = [f"Image {row} is the least certain one. Its most probable sets:", *_set_lines(before)]
    lines += ["The best answer depends on what a mistake costs:"]
    lines += [f"  decided for {loss + ':':9}{_named(before.decide(loss)[0])}" for loss in _LOSSES]
    lines += [f"Which tag would tell most? {tag!r}.", f"It {'is' if value else 'is not'} there, somebody says:"]
    lines += _set_lines(after)
    moves = [
        f"P({name}) {old:.0%} to {new:.0%}"
        for name, old, new in zip(TAGS, before.marginals()[0], after.marginals()[0], strict=True)
        if name != tag
    ]
    return [*lines, f"Every other probability has moved: {', '.join(moves)}."]


def _set_lines(answer: Posterior) -> list[str]:
    top = answer.top(3)
    pairs = zip(top.names[0], top.probabilities[0], strict=True)
    return [f"  {probability:6.1%}  {', '.join(names) or '(no tag)'}" for names, probability in pairs]


def _named(vector: Any) -> str:
    return ", ".join(name for name, there in zip(TAGS, vector, strict=True) if there) or "(no tag)"


def _score_table(found: Demonstration) -> Table:
    columns = list(next(iter(found.scores.values())))
    best = {}
    for column in columns:
        values = [row[column] for row in found.scores.values()]
        best[column] = min(values) if "↓" in column else max(values)
    rows = [
        (Entry(name), *(Entry(row[column], best=row[column] == best[column]) for column in columns))
        for name, row in found.scores.items()
    ]
    return Table("scores", "", (Heading("method", is_text=True), *map(Heading, columns)), tuple(rows))


def draw_demonstration(found: Demonstration) -> str:
    """Return the picture: one image, its tags and sets before and after one tag is known, the learned graph."""
    words = "An image, its tags before and after one is known, and which tag depends on which"
    return panels(_drawings(found), words)


def _drawings(found: Demonstration) -> list[list[str]]:
    tag, value = found.known
    before, after = found.answers
    said = f"Somebody says: {'' if value else 'not '}{tag}"
    layout = layout_of(found.graph.parents, found.graph.children, found.graph.order, found.graph.is_polytree)
    graph = draw_graph(layout, found.graph.edges, list(TAGS), "The graph of the tags that ctbn learned")
    return [
        [_image(found.test.X[found.row]), _bars(before, "P(tag | image)"), _bars(after, said, tag)],
        [headed(graph, "Which tag depends on which"), _sets(before, "Most probable sets"), _sets(after, "After that")],
    ]


def _image(pixels: Any, size: float = 19.0) -> str:
    ink = np.asarray(pixels, dtype=np.float64).reshape(_SIDE, _SIDE) / 16
    dots = [
        rectangle(size * c, 26 + size * r, size, size, fill="currentColor", opacity=float(ink[r, c]))
        for r, c in zip(*np.nonzero(ink), strict=True)
    ]
    return picture(_SIDE * size, 26 + _SIDE * size, [text(0, 13, "One image", bold=True), *dots], "The image")


def _bars(answer: Posterior, words: str, known: str = "") -> str:
    """Return the probabilities of all tags as bars; the one that is known in another colour."""
    inside = [text(0, 13, words, bold=True)]
    for place, (name, share) in enumerate(zip(TAGS, answer.marginals()[0], strict=True)):
        top, ink = 28 + 25 * place, ORANGE if name == known else BLUE
        inside += [
            text(118, top + 13, name, anchor="end"),
            rectangle(126, top, 150, 18, fill=GREY, opacity=0.18, radius=3),
            rectangle(126, top, max(150 * float(share), 1), 18, fill=ink, radius=3),
            text(283, top + 13, f"{share:.0%}"),
        ]
    return picture(330, 34 + 25 * len(TAGS), inside, words)


def _sets(answer: Posterior, words: str) -> str:
    """Return the three most probable sets as bars with their names."""
    top, inside = answer.top(3), [text(0, 13, words, bold=True)]
    for place, (names, share) in enumerate(zip(top.names[0], top.probabilities[0], strict=True)):
        y = 28 + 25 * place
        inside += [
            rectangle(0, y, 60, 18, fill=GREY, opacity=0.18, radius=3),
            rectangle(0, y, max(60 * float(share), 1), 18, fill=BLUE, radius=3),
            text(67, y + 13, f"{share:.0%}  {', '.join(names) or '(no tag)'}"),
        ]
    return picture(330, 110, inside, words)


# A phone has the panels one below the other, and all columns of the table.
_STYLE = """
.panels{display:grid;grid-template-columns:minmax(0,200fr) minmax(0,330fr) minmax(0,330fr);gap:1.5rem;margin:1rem 0}
@media(max-width:40rem){.panels{display:block}.panels svg{display:block;margin-bottom:1.2rem}
#table-scores{font-size:.7rem;width:100%}#table-scores th,#table-scores td{padding:.25rem .12rem}
#table-scores thead th{font-size:.58rem;vertical-align:bottom}}
"""


def _page(found: Demonstration) -> str:
    """Return one self-contained page that opens by double click."""
    drawn = "".join(part for row in _drawings(found) for part in row)
    parts: Sequence[str] = [
        "<h1>plait: one joint model, any question</h1>",
        f"<p>{found.test.n_samples} images of handwritten digits that no model has seen, and their tags. Nobody told "
        f"the models the digit; 10 of {2 ** len(TAGS)} tag sets are possible, and a joint model knows it.</p>",
        f"<div class='panels'>{drawn}</div>",
        f"<h2>Each column decided for its own loss</h2>{as_html(_score_table(found), sortable=False)}",
        f"<p>{escape('; '.join(f'{name}: {words}' for name, words in _METHODS.items()))}.</p>",
        f"<h2>Questions to one image</h2><pre>{escape(chr(10).join(found.questions))}</pre>",
    ]
    return page_html("plait: a demonstration", "\n".join(parts), style=_STYLE)
