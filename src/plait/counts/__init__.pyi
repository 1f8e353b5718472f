from .codes import Codes, PackedCodes, SparseCodes
from .counting import checked_weights, count_columns, count_pairs, joint_counts
from .discretizers import LAIMDiscretizer, MeanStdDiscretizer, QuantileDiscretizer
from .encoding import encode
from .pairs import PairCounts
from .streams import is_streamed
from .triples import TripleCounts, count_triples
from .vocabulary import Vocabulary

__all__ = [
    "Codes",
    "LAIMDiscretizer",
    "MeanStdDiscretizer",
    "PackedCodes",
    "PairCounts",
    "QuantileDiscretizer",
    "SparseCodes",
    "TripleCounts",
    "Vocabulary",
    "checked_weights",
    "count_columns",
    "count_pairs",
    "count_triples",
    "encode",
    "is_streamed",
    "joint_counts",
]
