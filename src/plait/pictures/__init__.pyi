from .arrangements import headed, panels, saved
from .axes import even_ticks, log_ticks, place_names, tick_text
from .bars import draw_bars, draw_signed_bars
from .critical_differences import CriticalDifferences
from .displays import BarDisplay, BarPanel, Display, new_axes
from .dots import draw_dots
from .graph_axes import plot_graph
from .graph_layouts import GraphLayout, layout_of, level_layout
from .graphs import draw_graph, graph_html
from .heat_map import draw_heat_map, draw_number_map
from .lines import draw_lines
from .pages import page_html
from .reliability import draw_reliability
from .scatter import draw_scatter, unbeaten
from .svg import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    circle,
    cut_to,
    ground,
    line,
    path,
    picture,
    rectangle,
    text,
    text_width,
)
from .table_markup import as_html, as_latex, as_markdown, latex_text
from .tables import Entry, Heading, Table, as_csv, as_records, as_text, decimals_for, number_text
from .text_bars import LONGEST_NAME, bar, bar_lines, shortened

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "LONGEST_NAME",
    "ORANGE",
    "BarDisplay",
    "BarPanel",
    "CriticalDifferences",
    "Display",
    "Entry",
    "GraphLayout",
    "Heading",
    "Table",
    "as_csv",
    "as_html",
    "as_latex",
    "as_markdown",
    "as_records",
    "as_text",
    "bar",
    "bar_lines",
    "circle",
    "cut_to",
    "decimals_for",
    "draw_bars",
    "draw_dots",
    "draw_graph",
    "draw_heat_map",
    "draw_lines",
    "draw_number_map",
    "draw_reliability",
    "draw_scatter",
    "draw_signed_bars",
    "even_ticks",
    "graph_html",
    "ground",
    "headed",
    "latex_text",
    "layout_of",
    "level_layout",
    "line",
    "log_ticks",
    "new_axes",
    "number_text",
    "page_html",
    "panels",
    "path",
    "picture",
    "place_names",
    "plot_graph",
    "rectangle",
    "saved",
    "shortened",
    "text",
    "text_width",
    "tick_text",
    "unbeaten",
]
