from .automatic import auto
from .chains import br, cc, kcc, occ, pcc
from .ensembles import ebcc, ecc, eocc, epcc
from .label_features import bcc_ldf, br_ldf, cc_ldf, pacc_ldf
from .trees import bcc, ctbn, mc, pacc, plt

__all__ = [
    "auto",
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
    "plt",
]
