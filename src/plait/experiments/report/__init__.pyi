from .outcomes import Outcomes, collect_outcomes, outcomes_of
from .report_files import report_dict, report_text, write_figures, write_report, write_tables
from .report_page import report_html
from .tables import Contents, report_contents
from .verdicts import verdict

__all__ = [
    "Contents",
    "Outcomes",
    "collect_outcomes",
    "outcomes_of",
    "report_contents",
    "report_dict",
    "report_html",
    "report_text",
    "verdict",
    "write_figures",
    "write_report",
    "write_tables",
]
