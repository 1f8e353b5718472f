from .max_margin_output_coding import MaxMarginOutputCoding

__all__ = [
    "MaxMarginOutputCoding",
]
