from .pairwise_crf import PairwiseCRF
from .pairwise_distribution import PairwiseDistribution

__all__ = [
    "PairwiseCRF",
    "PairwiseDistribution",
]
