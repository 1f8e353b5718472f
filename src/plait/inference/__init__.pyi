from .annealing import Annealing
from .auto import Auto
from .beam import Beam
from .best_first import BestFirst, SearchWarning
from .exhaustive import Exhaustive, enumerated_marginals
from .greedy import Greedy
from .inference import Inference
from .label_support import LabelSupport
from .max_product import MaxProduct
from .monte_carlo import MonteCarlo
from .polytree_entropy import all_family_marginals, entropy, family_marginals
from .polytree_sampling import sample_given
from .sum_product import SumProduct, exact_marginals

__all__ = [
    "all_family_marginals",
    "Annealing",
    "Auto",
    "Beam",
    "BestFirst",
    "Exhaustive",
    "Greedy",
    "Inference",
    "LabelSupport",
    "MaxProduct",
    "MonteCarlo",
    "SearchWarning",
    "SumProduct",
    "entropy",
    "enumerated_marginals",
    "exact_marginals",
    "family_marginals",
    "sample_given",
]
