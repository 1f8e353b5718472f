from .correction_log import Correction, CorrectionLog
from .explorer import Explorer
from .row_ranking import RowRanking
from .server import explore_app, serve
from .static_page import forest_tables, write_static_page

__all__ = [
    "Correction",
    "CorrectionLog",
    "Explorer",
    "RowRanking",
    "explore_app",
    "forest_tables",
    "serve",
    "write_static_page",
]
