"""Reports of stored results: a page, LaTeX, CSV and text for the terminal.

Takes a store of results; hands on one self-contained page with tables, rank tests and pictures, and every table as a
file. Everything is drawn by functions that write SVG; names of any kind are escaped.
"""

from plait.experiments.report.contents import Contents, report_contents
from plait.experiments.report.outcomes import Outcomes, collect_outcomes, outcomes_of
from plait.experiments.report.report_files import report_dict, report_text, write_report, write_tables
from plait.experiments.report.report_page import report_html

__all__ = [
    "Contents",
    "Outcomes",
    "collect_outcomes",
    "outcomes_of",
    "report_contents",
    "report_dict",
    "report_html",
    "report_text",
    "write_report",
    "write_tables",
]
