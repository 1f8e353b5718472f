"""Recipes over chains of labels: binary relevance, and chains with all parents, few parents, or chosen ones."""

from typing import Any

from plait.counts import MeanStdDiscretizer
from plait.estimators.joint_classifier import JointClassifier
from plait.estimators.recipes.recipe_parts import exact, greedy, learner_for
from plait.features import MLFS
from plait.structure import FullChain, Independent, InformationOrder, KDependence

__all__ = ["br", "cc", "kcc", "occ", "pcc"]


def br(
    *,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Binary relevance: every label by itself, P(y | x) = prod_k P(y_k | x) [OCC 4.1].

    The baseline that ignores dependence between labels. Its best answers for Hamming and subset loss are the same.

    Parameters
    ----------
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C="cv", standardize=False)`, as in [PCC].
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
    pcc : chain with exact inference.
    br_ldf : with features of each label.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.br().fit(data.X, data.Y)
    >>> model.graph_.parents  # nobody depends on anybody
    ((), (), (), ())
    >>> bool((model.predict(data.X) == (model.predict_proba(data.X) > 0.5)).all())
    True
    """
    parts = Independent(), None, learner_for(learner, "PCC"), exact(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def cc(
    *,
    order: Any = "information",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Classifier chain: every label depends on all before it; greedy prediction [PCC 8, algorithm 1].

    Each label is predicted from the features and the labels predicted before it, so that an early error is passed on.
    The same model with exact inference is `pcc`.

    Parameters
    ----------
    order : str, Order or sequence of labels, default="information"
        "information" (each label shares much with those before it, see `InformationOrder`), "given" (that of the
        columns of Y), "random", "frequency", an `Order`, or all labels by number or name.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C="cv", standardize=False)`, as in [PCC].
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
    pcc : chain with exact inference.
    ecc : ensemble of chains.
    cc_ldf : with features of each label.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.cc(order=[2, 0, 1, 3]).fit(data.X, data.Y)
    >>> model.graph_.parents
    ((2,), (2, 0), (), (2, 0, 1))
    """
    parts = FullChain(order), None, learner_for(learner, "PCC"), greedy(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def pcc(
    *,
    order: Any = "information",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Probabilistic classifier chain: the chain of `cc` with exact inference for any loss [PCC 8-11].

    The most probable label set comes from best-first search; marginals and other losses from enumeration where there
    are few labels, else from a sample.

    Parameters
    ----------
    order : str, Order or sequence of labels, default="information"
        "information" (each label shares much with those before it, see `InformationOrder`), "given" (that of the
        columns of Y), "random", "frequency", an `Order`, or all labels by number or name.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C="cv", standardize=False)`, as in [PCC].
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
    cc : chain with greedy prediction.
    kcc : chain with few parents.
    mc : mixture of trees.
    epcc : ensemble of probabilistic chains.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.pcc().fit(data.X, data.Y)
    >>> answer = model.joint(data.X[:1])
    >>> sets = answer.top(3)
    >>> sets.vectors.shape, bool((sets.probabilities[0, :-1] >= sets.probabilities[0, 1:]).all())
    ((1, 3, 4), True)
    >>> bool(answer.expected_loss(answer.decide("f1"), "f1") <= answer.expected_loss(answer.mode(), "f1"))
    True
    """
    parts = FullChain(order), None, learner_for(learner, "PCC"), exact(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def kcc(
    *,
    k: Any = 0.8,
    order: Any = "information",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Chain in which a label keeps its k best parents among those before it [OCC 33]; greedy prediction.

    Parents are chosen one by one: by the information that they share with the label, and with the parents already
    chosen once the candidate is known.

    Parameters
    ----------
    k : int or float, default=0.8
        Most parents of a label: a number, or a share of the labels.
    order : str, Order or sequence of labels, default="information"
        "information" (each label shares much with those before it, see `InformationOrder`), "given" (that of the
        columns of Y), "random", "frequency", an `Order`, or all labels by number or name.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LinearSVMLearner()`, as in [OCC].
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
    cc : chain with greedy prediction.
    occ : chain whose order, parents and features are chosen by information.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.kcc(k=1).fit(data.X, data.Y)
    >>> sorted(len(parents) for parents in model.graph_.parents)
    [0, 1, 1, 1]
    """
    parts = KDependence(k, order), None, learner_for(learner, "OCC"), greedy(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def occ(
    *,
    k: Any = 0.8,
    n_features: Any = 0.3,
    order: Any = None,
    released: bool = False,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Optimised classifier chain: order, parents and features by information, linear SVM, greedy [OCC algorithm 1].

    Labels are ordered so that each shares much information with those before it; each keeps its best parents and its
    own features.

    Parameters
    ----------
    k : int or float, default=0.8
        Most parents of a label: a number, or a share of the labels.
    n_features : int or float, default=0.3
        Features that each label keeps: a number, or a share of all.
    order : None, str, Order or sequence of labels, default=None
        None is `InformationOrder()`, algorithm 2 of the paper; otherwise as for `pcc`.
    released : bool, default=False
        Whether to choose as the program does that the authors released: its bins, rounding and ties, and features among
        the 100 most relevant only.
    learner : Learner or str, optional
        How conditionals are trained; None is `LinearSVMLearner()`, which decides and has no probabilities. With
        `LogisticLearner()` there are `predict_proba` and `joint` too.
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
    kcc : chain with few parents.
    eocc : ensemble of optimised chains.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.occ(k=2, n_features=3).fit(data.X, data.Y)
    >>> model.mask_.support.sum(axis=1), max(len(parents) for parents in model.graph_.parents)
    (array([3, 3, 3, 3]), 2)
    """
    bins = MeanStdDiscretizer(0.5, decimals=3, closed="left") if released else None
    order = InformationOrder(discretizer=bins) if order is None else order
    if released:
        structure = KDependence(k, order, rounding="nearest", ties="dependence", max_candidates=100)
        selector = MLFS(n_features, "label", first="relevance", max_candidates=100, discretizer=bins)
    else:
        structure, selector = KDependence(k, order), MLFS(n_features, "label")
    learner = learner_for("published" if learner is None else learner, "OCC")
    return JointClassifier(structure, selector, learner, greedy(inference), loss, random_state, n_jobs)
