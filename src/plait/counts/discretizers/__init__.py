"""Numbers to few symbols, learnt from training rows: three scikit-learn transformers."""

from plait.counts.discretizers.laim import LAIMDiscretizer
from plait.counts.discretizers.mean_std import MeanStdDiscretizer
from plait.counts.discretizers.quantile import QuantileDiscretizer

__all__ = ["LAIMDiscretizer", "MeanStdDiscretizer", "QuantileDiscretizer"]
