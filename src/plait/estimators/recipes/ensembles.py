"""Recipes of ensembles: chains and trees on random rows and features, by votes or as one mixture."""

from typing import Any

from plait.estimators.ensemble_classifier import EnsembleClassifier
from plait.estimators.recipes.chains import cc, occ, pcc
from plait.estimators.recipes.recipe_parts import learner_for
from plait.estimators.recipes.trees import bcc
from plait.inference import Auto

__all__ = ["ebcc", "ecc", "eocc", "epcc"]


def ecc(
    *,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 1.0,
    combine: str = "auto",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of classifier chains in random orders, each on 75% of the rows [OCC 8.2].

    Chains in different orders make different errors. They are one joint distribution; by votes, as in the paper, a
    label is given if at least half of them give it, and `max_features=0.5` is the paper's.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of members.
    max_samples, max_features : float or int, default=0.75 and 1.0
        How many rows and features a member sees, drawn without replacement: a share as a float, a number as an int.
    combine : {"auto", "mixture", "votes", "marginals"}, default="auto"
        How answers of members become one, see `EnsembleClassifier`: as one joint distribution where members have one,
        else by votes.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LinearSVMLearner()`, as in [OCC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How members answer; None is that of the recipe they are made by. Of a mixture, set it on the ensemble.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of; votes and mean marginals are cut at a threshold.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Workers over members; the result is the same for any number.

    Returns
    -------
    EnsembleClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    cc : chain with greedy prediction.
    epcc : ensemble of probabilistic chains.
    plait.EnsembleClassifier : what it is made of, with all parameters.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.
    [Read2011] Read, Pfahringer, Holmes and Frank: Classifier chains for multi-label classification, 2011.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.ecc(n_estimators=4, combine="votes", random_state=0).fit(data.X, data.Y)
    >>> sorted({float(share) for share in model.predict_proba(data.X).ravel()} - {0.0, 0.25, 0.5, 0.75, 1.0})
    []
    """
    member = cc(order="random", learner=learner_for(learner, "OCC"), inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, inference=Auto(), loss=loss, random_state=random_state, n_jobs=n_jobs)


def epcc(
    *,
    n_estimators: int = 10,
    max_samples: float = 1.0,
    max_features: float = 1.0,
    combine: str = "auto",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of probabilistic chains in random orders, as one joint distribution [MC 6.1].

    The equal mixture of ten chains on all rows and features. No order of a chain is the right one, and what one makes
    of its first labels others make good; the mixture answers every question.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of members.
    max_samples, max_features : float or int, default=1.0
        How many rows and features a member sees, drawn without replacement: a share as a float, a number as an int.
    combine : {"auto", "mixture", "votes", "marginals"}, default="auto"
        How answers of members become one, see `EnsembleClassifier`: as one joint distribution where members have one,
        else by votes.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published", for [MC], is the same.
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How members answer; None is that of the recipe they are made by. Of a mixture, set it on the ensemble.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of; votes and mean marginals are cut at a threshold.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Workers over members; the result is the same for any number.

    Returns
    -------
    EnsembleClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    pcc : chain with exact inference.
    ecc : ensemble of chains.
    plait.EnsembleClassifier : what it is made of, with all parameters.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.epcc(n_estimators=3, random_state=0).fit(data.X, data.Y)
    >>> model.joint(data.X).mode().shape
    (200, 4)
    """
    member = pcc(order="random", learner=learner_for(learner, "MC"), inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, inference=Auto(), loss=loss, random_state=random_state, n_jobs=n_jobs)


def ebcc(
    *,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 1.0,
    combine: str = "auto",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of Bayesian chains, each with a random root [OCC 8.2].

    Members differ in their root, their rows and their features.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of members.
    max_samples, max_features : float or int, default=0.75 and 1.0
        How many rows and features a member sees, drawn without replacement: a share as a float, a number as an int.
    combine : {"auto", "mixture", "votes", "marginals"}, default="auto"
        How answers of members become one, see `EnsembleClassifier`: as one joint distribution where members have one,
        else by votes.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LinearSVMLearner()`, as in [OCC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How members answer; None is that of the recipe they are made by. Of a mixture, set it on the ensemble.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of; votes and mean marginals are cut at a threshold.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Workers over members; the result is the same for any number.

    Returns
    -------
    EnsembleClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    bcc : tree of mutual information between labels.
    ecc : ensemble of chains.
    plait.EnsembleClassifier : what it is made of, with all parameters.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.ebcc(n_estimators=3, random_state=0).fit(data.X, data.Y)
    >>> len(model.members_)
    3
    """
    member = bcc(learner=learner_for(learner, "OCC"), inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, inference=Auto(), loss=loss, random_state=random_state, n_jobs=n_jobs)


def eocc(
    *,
    k: Any = 0.8,
    n_features: Any = 0.3,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 1.0,
    released: bool = False,
    combine: str = "auto",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of optimised chains in random orders; parents and features are chosen in each member [OCC 8.2].

    Members are linear SVMs unless a learner is given, so that there are votes only.

    Parameters
    ----------
    k : int or float, default=0.8
        Most parents of a label: a number, or a share of the labels.
    n_features : int or float, default=0.3
        Features that each label keeps: a number, or a share of all.
    n_estimators : int, default=10
        Number of members.
    max_samples, max_features : float or int, default=0.75 and 1.0
        How many rows and features a member sees, drawn without replacement: a share as a float, a number as an int.
    released : bool, default=False
        Whether parents and features are chosen as in the program that the authors released, see `occ`. Its members see
        half of the rows and three quarters of the features (`max_samples=0.5, max_features=0.75`); the text of the
        paper has it the other way round.
    combine : {"auto", "mixture", "votes", "marginals"}, default="auto"
        How answers of members become one, see `EnsembleClassifier`: as one joint distribution where members have one,
        else by votes.
    learner : Learner or str, optional
        How conditionals are trained; None is `LinearSVMLearner()`, which decides and has no probabilities. With
        `LogisticLearner()` there are `predict_proba` and `joint` too.
    inference : Inference or str, optional
        How members answer; None is that of the recipe they are made by. Of a mixture, set it on the ensemble.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of; votes and mean marginals are cut at a threshold.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Workers over members; the result is the same for any number.

    Returns
    -------
    EnsembleClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    occ : chain whose order, parents and features are chosen by information.
    ecc : ensemble of chains.
    plait.EnsembleClassifier : what it is made of, with all parameters.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.eocc(n_estimators=3, n_features=2, random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X).shape
    (200, 4)
    """
    member = occ(k=k, n_features=n_features, order="random", released=released, learner=learner, inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, inference=Auto(), loss=loss, random_state=random_state, n_jobs=n_jobs)
