from .bayesian import PracticalComparison, bayesian_signed_ranks, correlated_t_posterior
from .critical_difference import rank_difference, rank_quantile, undecided_groups
from .friedman import Friedman, friedman_from_ranks, friedman_test, method_ranks
from .holm import holm_correction
from .paired_t import PairedT, paired_t_test, wins_ties_losses
from .rank_comparison import RankComparison, cd_svg, cd_text, cd_tikz, compare_methods, rank_statement
from .signed_ranks import SignedRanks, wilcoxon_test

__all__ = [
    "Friedman",
    "PairedT",
    "PracticalComparison",
    "RankComparison",
    "SignedRanks",
    "bayesian_signed_ranks",
    "cd_svg",
    "cd_text",
    "cd_tikz",
    "compare_methods",
    "correlated_t_posterior",
    "friedman_from_ranks",
    "friedman_test",
    "holm_correction",
    "method_ranks",
    "paired_t_test",
    "rank_difference",
    "rank_quantile",
    "rank_statement",
    "undecided_groups",
    "wilcoxon_test",
    "wins_ties_losses",
]
