"""Published methods, each composed from the rooms in a line or two, with its paper's defaults.

Every recipe takes `learner`, `inference` and `loss` to replace a part (None keeps the recipe's own), `random_state` and
`n_jobs`. The learner is `LogisticLearner(C=1.0)` unless a recipe says otherwise; `learner=LogisticLearner(C="cv")` is
the tuned setting of the papers. What comes back is an unfitted classifier, whose parts can be set as usual.

>>> from plait import recipes
>>> recipes.kcc(k=3)
JointClassifier(inference=Greedy(), structure=KDependence(k=3))
"""

from typing import Any

from plait.counts import MeanStdDiscretizer
from plait.estimators.ensemble_classifier import EnsembleClassifier
from plait.estimators.joint_classifier import JointClassifier
from plait.estimators.tree_mixture.tree_mixture_classifier import TreeMixtureClassifier
from plait.features import MLFS, LabelDependentFeatures
from plait.inference import Greedy
from plait.learners import LinearSVMLearner
from plait.structure import ConditionalTree, FullChain, Independent, InformationOrder, KDependence, LabelTree, Polytree

__all__ = [
    "bcc",
    "bcc_ldf",
    "br",
    "br_ldf",
    "cc",
    "cc_ldf",
    "ctbn",
    "ebcc",
    "ecc",
    "eocc",
    "epcc",
    "kcc",
    "mc",
    "occ",
    "pacc",
    "pacc_ldf",
    "pcc",
]


def br(
    *,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Binary relevance: every label by itself, P(y | x) = prod_k P(y_k | x) [OCC 4.1]."""
    return JointClassifier(Independent(), None, learner, inference, loss, random_state, n_jobs)


def cc(
    *,
    order: Any = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Classifier chain: every label depends on all before it; greedy prediction [PCC 8, algorithm 1].

    `order` is None for the order of the columns, "random", "frequency", a permutation or an order object.
    """
    return JointClassifier(
        FullChain(order), None, learner, Greedy() if inference is None else inference, loss, random_state, n_jobs
    )


def pcc(
    *,
    order: Any = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Probabilistic classifier chain: the chain of `cc` with exact inference for any loss [PCC 8-11].

    The most probable label set comes from best-first search; marginals and other losses from enumeration where there
    are few labels, else from a sample.
    """
    return JointClassifier(FullChain(order), None, learner, inference, loss, random_state, n_jobs)


def kcc(
    *,
    k: Any = 0.8,
    order: Any = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Chain in which a label keeps its k best parents among those before it [OCC 33]; greedy prediction.

    `k` is a number of parents or a share of the labels.
    """
    return JointClassifier(
        KDependence(k, order), None, learner, Greedy() if inference is None else inference, loss, random_state, n_jobs
    )


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

    `k` is the number of parents and `n_features` the number of features of a label, or their shares; `order` None is
    OCC's algorithm 2. `released=True`
    makes the choices of the program that the authors released: its bins, rounding and ties, and features among the
    100 most relevant only.
    """
    bins = MeanStdDiscretizer(0.5, decimals=3, closed="left") if released else None
    order = InformationOrder(discretizer=bins) if order is None else order
    if released:
        structure = KDependence(k, order, rounding="nearest", ties="dependence", max_candidates=100)
        selector = MLFS(n_features, "label", first="relevance", max_candidates=100, discretizer=bins)
    else:
        structure, selector = KDependence(k, order), MLFS(n_features, "label")
    learner = LinearSVMLearner() if learner is None else learner
    inference = Greedy() if inference is None else inference
    return JointClassifier(structure, selector, learner, inference, loss, random_state, n_jobs)


def bcc(
    *,
    root: int | None = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Bayesian chain: a maximum spanning tree of normalised mutual information, away from a root [PACC 25].

    `root` None draws it. Prediction is greedy from the root; `inference=MaxProduct()` finds the most probable set.
    """
    return JointClassifier(
        LabelTree(root=root), None, learner, Greedy() if inference is None else inference, loss, random_state, n_jobs
    )


def ctbn(
    *,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Conditional tree network: the branching of largest held-out likelihood, exact inference [MC 11]."""
    return JointClassifier(ConditionalTree(), None, learner, inference, loss, random_state, n_jobs)


def pacc(
    *,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """Polytree-augmented classifier chain: several causes of a label, exact inference [PACC 5.1]."""
    return JointClassifier(Polytree(), None, learner, inference, loss, random_state, n_jobs)


def br_ldf(
    *,
    r: float = 0.15,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`br` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    `r` is the smallest share of the features a label keeps in the first stage (0.05 for large data).
    """
    return JointClassifier(Independent(), LabelDependentFeatures(r), learner, inference, loss, random_state, n_jobs)


def cc_ldf(
    *,
    r: float = 0.15,
    order: Any = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`cc` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    `r` is the smallest share of the features a label keeps in the first stage (0.05 for large data).
    """
    return JointClassifier(
        FullChain(order),
        LabelDependentFeatures(r),
        learner,
        Greedy() if inference is None else inference,
        loss,
        random_state,
        n_jobs,
    )


def bcc_ldf(
    *,
    r: float = 0.15,
    root: int | None = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`bcc` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    `r` is the smallest share of the features a label keeps in the first stage (0.05 for large data).
    """
    return JointClassifier(
        LabelTree(root=root),
        LabelDependentFeatures(r),
        learner,
        Greedy() if inference is None else inference,
        loss,
        random_state,
        n_jobs,
    )


def pacc_ldf(
    *,
    r: float = 0.15,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`pacc` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    `r` is the smallest share of the features a label keeps in the first stage (0.05 for large data).
    The seven steps: information gain (1-2), the reduced features (3-4), the polytree on them (5), features without
    what the parents say (6), the conditionals (7).
    """
    return JointClassifier(Polytree(), LabelDependentFeatures(r), learner, inference, loss, random_state, n_jobs)


def ecc(
    *,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 0.5,
    combine: str = "votes",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of classifier chains in random orders, on 75% of the rows and half of the features [OCC 8.2]."""
    member = cc(order="random", learner=learner, inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, loss=loss, random_state=random_state, n_jobs=n_jobs)


def epcc(
    *,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 0.5,
    combine: str = "votes",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of probabilistic chains in random orders, members with exact inference [MC 6.1]."""
    member = pcc(order="random", learner=learner, inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, loss=loss, random_state=random_state, n_jobs=n_jobs)


def ebcc(
    *,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 0.5,
    combine: str = "votes",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of Bayesian chains, each with a random root [OCC 8.2]."""
    member = bcc(learner=learner, inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, loss=loss, random_state=random_state, n_jobs=n_jobs)


def eocc(
    *,
    k: Any = 0.8,
    n_features: Any = 0.3,
    n_estimators: int = 10,
    max_samples: float = 0.75,
    max_features: float = 0.5,
    combine: str = "votes",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnsembleClassifier:
    """Ensemble of optimised chains in random orders; parents and features are chosen in each member [OCC 8.2]."""
    member = occ(k=k, n_features=n_features, order="random", learner=learner, inference=inference)
    sizes = n_estimators, max_samples, max_features, combine
    return EnsembleClassifier(member, *sizes, loss=loss, random_state=random_state, n_jobs=n_jobs)


def mc(
    *,
    max_components: int = 20,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
    n_mixtures: int = 2,
) -> TreeMixtureClassifier:
    """Mixture of conditional tree networks; strengths of the penalty by cross-validation [MC 4-5].

    `max_components` is the largest number of trees; rows held out say how many there are. They come as two mixtures
    whose mean is the model; `n_mixtures=1` is the paper's single one.
    """
    return TreeMixtureClassifier(
        max_components,
        learner=learner,
        inference=inference,
        loss=loss,
        random_state=random_state,
        n_jobs=n_jobs,
        n_mixtures=n_mixtures,
    )
