"""`Plan`: what an experiment runs, as plain values. `plan_file.read_plan` makes it from a TOML file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PROTOCOL_KINDS", "DatasetPlan", "MethodPlan", "Plan", "Protocol", "MethodSetup", "Tuning"]

PROTOCOL_KINDS = ("kfold", "stratified_kfold", "holdout", "stratified_holdout", "split", "replicates")


@dataclass(frozen=True)
class Protocol:
    """How rows are divided into training and test parts.

    Parameters
    ----------
    kind : {"kfold", "stratified_kfold", "holdout", "stratified_holdout", "split", "replicates"}
        Folds (by default stratified ones), random parts, the parts that the data set comes with, or those of data that
        are made anew each time, see `DatasetPlan.made_by`.
    folds : int, default=5
        Number of folds of the two k-fold kinds.
    repeats : int, default=10
        Number of random divisions of the two hold-out kinds, and of replicates.
    test_size : float, default=0.2
        Share of the rows in the test part of the two hold-out kinds.
    """

    kind: str = "stratified_kfold"
    folds: int = 5
    repeats: int = 10
    test_size: float = 0.2

    @property
    def n_parts(self) -> int:
        """How many pairs of a training and a test part one seed gives.

        Examples
        --------
        >>> Protocol("holdout", repeats=3).n_parts, Protocol("split").n_parts
        (3, 1)
        """
        if self.kind == "split":
            return 1
        return self.folds if self.kind.endswith("kfold") else self.repeats

    def as_dict(self) -> dict[str, Any]:
        """Return what the kind makes use of, and nothing else.

        Examples
        --------
        >>> Protocol("kfold", 3).as_dict()
        {'kind': 'kfold', 'folds': 3}
        """
        if self.kind == "split":
            return {"kind": self.kind}
        if self.kind.endswith("kfold"):
            return {"kind": self.kind, "folds": self.folds}
        if self.kind == "replicates":
            return {"kind": self.kind, "repeats": self.repeats}
        return {"kind": self.kind, "repeats": self.repeats, "test_size": self.test_size}


@dataclass(frozen=True)
class DatasetPlan:
    """A data set and what to keep of it.

    Parameters
    ----------
    name : str
        What it is called in the results.
    source : str
        Name or path for `plait.data.load_dataset`.
    labels : int, str or list of str, optional
        Which columns are labels, where the file does not say.
    nominal : {"onehot", "codes"}, default="onehot"
        What a nominal attribute of an ARFF file with more than two values becomes.
    tags, sep, positive : str, optional
        Of tables: the column of joined labels, what joins them, and the word that means 1.
    keep_labels, keep_features : tuple of str, optional
        Names of those to keep.
    top_labels : int, optional
        Keep this many labels, those with the most rows.
    top_features : int or float, optional
        Keep this many features (or this share of them, rounded up), those that are not zero in the most rows.
    least_rows : int, optional
        Keep the features that are not zero in at least so many rows.
    on_all_rows : dict, optional
        A transformer, with its parameters, that is fitted to all rows and their labels before these are divided. Test
        labels leak through it: only to repeat what others did.
    made_by : dict, optional
        `use`, a function of `plait.data.synthetic`, and its parameters: the data are made, and `source` is not read.
        With the protocol "replicates" they are made anew for every part, whose number is the seed.
    protocol : Protocol, optional
        Its own protocol, instead of the plan's.
    """

    name: str
    source: str
    labels: Any = None
    nominal: str = "onehot"
    keep_labels: tuple[str, ...] | None = None
    keep_features: tuple[str, ...] | None = None
    top_labels: int | None = None
    top_features: float | None = None
    least_rows: int | None = None
    on_all_rows: Mapping[str, Any] | None = None
    protocol: Protocol | None = None
    tags: str | None = None
    sep: str | None = None
    positive: str | None = None
    made_by: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Tuning:
    """A grid of parameters, tried inside the training part.

    Parameters
    ----------
    grid : dict of str to list
        Path of a parameter (`n_features`, `learner.C`) -> values to try.
    metric : str, default="exact_match"
        By which the best is chosen.
    protocol : Protocol
        How the training part is divided again.
    """

    grid: Mapping[str, list[Any]]
    metric: str = "exact_match"
    protocol: Protocol = field(default_factory=lambda: Protocol("stratified_kfold", 3))


@dataclass(frozen=True)
class MethodSetup:
    """What a method is on one data set.

    Parameters
    ----------
    definition : dict
        Table of the plan: `use` and parameters, or `steps` of such tables.
    tuning : Tuning, optional
        What is tuned.
    """

    definition: Mapping[str, Any]
    tuning: Tuning | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return all that determines what the method does, as plain values."""
        tuned = {}
        if self.tuning is not None:
            inner = self.tuning.protocol.as_dict()
            tuned = {"tune": {"grid": dict(self.tuning.grid), "metric": self.tuning.metric, "protocol": inner}}
        return {**self.definition, **tuned}


@dataclass(frozen=True)
class MethodPlan:
    """A method, with what is different on some data sets.

    Parameters
    ----------
    name : str
        What it is called in the results.
    setup : MethodSetup
        What it is.
    on : dict of str to MethodSetup
        Name of a data set -> what the method is there.
    skip : tuple of str
        Names of data sets on which it does not run.
    """

    name: str
    setup: MethodSetup
    on: Mapping[str, MethodSetup] = field(default_factory=dict)
    skip: tuple[str, ...] = ()

    def setup_on(self, dataset: str) -> MethodSetup:
        """Return what the method is on a data set."""
        return self.on.get(dataset, self.setup)


@dataclass(frozen=True)
class Plan:
    r"""What an experiment runs: every method on every part of every data set, once for every seed.

    Parameters
    ----------
    name : str
        What the plan is called; a store holds one plan of a name, the last one run.
    datasets : tuple of DatasetPlan
        The data sets.
    methods : tuple of MethodPlan
        The methods.
    protocol : Protocol
        How rows are divided, unless a data set says otherwise.
    metrics : tuple of str
        What is measured, in the order in which reports show it.
    seeds : tuple of int
        Seeds of divisions and of methods.
    text : str
        The file.
    folder : str
        Where modules beside the file are imported from; empty where the plan may not import.
    keep : bool, default=False
        Whether the store keeps predictions, so that another metric can be taken later without running anything again.

    Examples
    --------
    >>> from plait.experiments import plan_from_text
    >>> plan = plan_from_text('datasets = ["emotions"]\nmethods = ["br", "pcc"]')
    >>> [method.name for method in plan.methods]
    ['br', 'pcc']
    """

    name: str
    datasets: tuple[DatasetPlan, ...]
    methods: tuple[MethodPlan, ...]
    protocol: Protocol
    metrics: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)
    text: str = ""
    folder: str = ""
    keep: bool = False

    def protocol_on(self, dataset: DatasetPlan) -> Protocol:
        """Return how the rows of a data set are divided.

        Parameters
        ----------
        dataset : DatasetPlan
            One of the plan's.
        """
        return self.protocol if dataset.protocol is None else dataset.protocol
