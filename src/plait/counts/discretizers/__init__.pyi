from .laim import LAIMDiscretizer
from .mean_std import MeanStdDiscretizer
from .quantile import QuantileDiscretizer

__all__ = [
    "LAIMDiscretizer",
    "MeanStdDiscretizer",
    "QuantileDiscretizer",
]
