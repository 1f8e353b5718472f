from .classifier_chain_monte_carlo import ClassifierChainMonteCarlo

__all__ = [
    "ClassifierChainMonteCarlo",
]
