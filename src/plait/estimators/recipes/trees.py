"""Recipes over trees and polytrees of labels, and mixtures of trees."""

from typing import Any

from plait.estimators.joint_classifier import JointClassifier
from plait.estimators.label_tree_classifier import LabelTreeClassifier
from plait.estimators.recipes.recipe_parts import exact, greedy, learner_for, pacc_graph
from plait.estimators.tree_mixture import TreeMixtureClassifier
from plait.structure import ConditionalTree, LabelTree

__all__ = ["bcc", "ctbn", "mc", "pacc", "plt"]


def bcc(
    *,
    root: int | str | None = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Bayesian chain: a maximum spanning tree of normalised mutual information, away from a root [PACC 25].

    Prediction is greedy from the root; `inference=MaxProduct()` finds the most probable set.

    Parameters
    ----------
    root : int or str, optional
        The label that the tree hangs from, by number or name; None draws it.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C=5.0)`, as in [PACC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Greedy()`, label after label along the order.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of. Greedy inference answers for "subset", `Auto` for other losses.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    ctbn : tree by held-out likelihood.
    pacc : polytree.
    ebcc : ensemble of trees.
    bcc_ldf : with features of each label.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.bcc(root=0).fit(data.X, data.Y)
    >>> model.graph_.order[0], len(model.graph_.edges)
    (0, 3)
    """
    parts = LabelTree(root=root), None, learner_for(learner, "PACC"), greedy(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def ctbn(
    *,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Conditional tree network: the branching of largest held-out likelihood, exact inference [MC 11].

    Every label has at most one parent: of all such graphs, the one under which rows held out are most likely. Modes and
    marginals are exact for any number of labels.

    Parameters
    ----------
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published", for [MC], is the same.
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Auto()`, the cheapest exact way, else the best approximate one.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, or its word.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    mc : mixture of trees.
    bcc : tree of mutual information between labels.
    pacc : polytree.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.ctbn(random_state=0).fit(data.X, data.Y)
    >>> max(len(parents) for parents in model.graph_.parents)
    1
    >>> answer = model.joint(data.X)
    >>> answer.marginals().shape, bool(answer.exact.all())
    ((200, 4), True)
    """
    parts = ConditionalTree(), None, learner_for(learner, "MC"), exact(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def pacc(
    *,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
    released: bool = False,
) -> JointClassifier:
    """Polytree-augmented classifier chain: several causes of a label, exact inference [PACC 5.1].

    A spanning tree of the strongest conditional dependence between labels, directed so that independent neighbours of a
    label are its parents together.

    Parameters
    ----------
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C=5.0)`, as in [PACC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Auto()`, the cheapest exact way, else the best approximate one;
        `Greedy()` where `released`.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, or its word.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.
    released : bool, default=False
        Whether to build the graph of the program that the authors released: the polytree of the labels' normalised
        mutual information, and beside it every earlier label that shares more than 0.0005 of it as a parent, where
        the printed numbers come from; predicted greedily, `inference=BestFirst()` for the most probable set, as their
        other program does. `LogisticLearner(5.0, standardize=True, scale_parents=True)` scales as their toolkit.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    pacc_ldf : with features of each label.
    ctbn : tree by held-out likelihood.
    bcc : tree of mutual information between labels.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.pacc(random_state=0).fit(data.X, data.Y)
    >>> model.graph_.is_polytree
    True
    """
    structure, answers = pacc_graph(released=released), greedy(inference) if released else exact(inference)
    parts = structure, None, learner_for(learner, "PACC"), answers
    return JointClassifier(*parts, loss, random_state, n_jobs)


def mc(
    *,
    max_components: int = 20,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
    n_mixtures: int | None = None,
    start: str = "growth",
    printed: bool = False,
    min_components: int = 1,
) -> TreeMixtureClassifier:
    """Mixture of conditional tree networks; the regularisation by cross-validation [MC 4-5].

    Trees are added one after another, each on the rows that the mixture explains worst, and trained together by EM.
    They come as two mixtures whose mean is the model. That, a patience of five trees, a penalty that falls with their
    number and EM stopped by rows held out are departures from the paper, whose own algorithm is `printed=True`.

    Parameters
    ----------
    max_components : int, default=20
        Most trees; rows held out say how many there are.
    learner : Learner or str, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`.
    inference : Inference or str, optional
        How questions are answered; None is `Auto()`, the cheapest exact way, else the best approximate one.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, or its word.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows, and over components that are trained one by one.
    n_mixtures : int, optional
        Mixtures that are learned, each with its share of the trees, and averaged; None is 2, and 1 where `printed`.
    start : {"growth", "trees"}, default="growth"
        Where trees come from; with "trees" all start together from the best of many random ones, which tells apart
        trees that growth cannot, and about as good on emotions, image and foodtruck with 8 as growth is with 20.
    printed : bool, default=False
        Algorithm 1 and section 5.3.2 of the paper as they are printed: one mixture, to which trees are added until the
        first that makes rows held out less likely, EM until convergence after each, rows of a component weighted by
        w_k, the same penalty for all.
    min_components : int, default=1
        Fewest trees, whatever rows held out say; with the same `max_components` their number is given, as in figure 3
        of the paper.

    Returns
    -------
    TreeMixtureClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    ctbn : tree by held-out likelihood.
    plait.TreeMixtureClassifier : what it is made of, with all parameters.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.mc(max_components=2, n_mixtures=1, random_state=0).fit(data.X, data.Y)
    >>> model.n_components_ <= 2, len(model.graphs_) == len(model.weights_)
    (True, True)
    """
    words: dict[str, Any] = {}
    if printed:
        words = {"patience": 1, "slack": 0.0, "relaxation": None, "steps_between": None}
        words |= {"early_stopping": False, "weighting": "normalized"}
    return TreeMixtureClassifier(
        max_components,
        learner=learner_for("published" if learner is None else learner, "MC"),
        inference=exact(inference),
        loss=loss,
        random_state=random_state,
        n_jobs=n_jobs,
        n_mixtures=n_mixtures or (1 if printed else 2),
        start="growth" if printed else start,
        min_components=min_components,
        **words,
    )


def plt(
    *,
    arity: int = 100,
    max_leaves: int = 100,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> LabelTreeClassifier:
    """Probabilistic label tree: groups of labels above the labels, for ten thousand of them and more [PLT].

    Every node is learned from the rows in which its parent is there; labels whose rows are alike share a group.

    Parameters
    ----------
    arity : int, default=100
        Most groups below a node.
    max_leaves : int, default=100
        Most labels of a group that is not divided.
    learner : Learner or str, optional
        How nodes are trained; None is `LogisticLearner()`.
    inference : Inference or str, optional
        How questions are answered; None is `Auto()`, which is exact here for labels, sets and marginals.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, or its word.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over nodes in `fit` and over blocks of rows when predicting.

    Returns
    -------
    LabelTreeClassifier
        Not fitted; every part can be set as usual.

    References
    ----------
    [PLT] Jasinska, Dembczynski, Busa-Fekete, Pfannschmidt, Klerx and Huellermeier: Extreme F-measure maximization using
    sparse probability estimates, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_tagged_text
    >>> data = make_tagged_text(500, 300, 40, random_state=0)
    >>> model = recipes.plt(max_leaves=10, random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X).shape
    (500, 40)
    """
    learner = "logistic" if learner is None else learner
    parts = learner, exact(inference), loss, random_state, n_jobs
    return LabelTreeClassifier(arity, max_leaves, *parts)
