# Settings of the documentation: `make docs` builds it with warnings as errors, and no page needs the network.
import os
import sys
import textwrap
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "machinery"))

import api_pages
import bibliography
import command_page
import inherited_sections
import line_breaks
import links
import math_markup
import plain_docstrings
import sklearn_names

import plait

project = "plait"
author = "The plait developers"
copyright = "The plait developers"
version = release = plait.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = [
    "_build",
    "examples",
    "machinery",
    "reproduction/made",
    "**/*.ipynb",
]

# Docstrings put names in single backquotes, which stand for code; `links` makes links of those that are known.
default_role = "code"
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

# Names of scikit-learn are taken from the installed package, so that nothing is fetched when the pages are built.
sklearn_names.write_inventory(HERE / "api" / "sklearn.inv")
intersphinx_mapping = {
    "sklearn": (sklearn_names.ADDRESS, str(HERE / "api" / "sklearn.inv"))
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    # Of examples that draw nothing.
    "default_thumb_file": str(HERE / "pictures" / "structures.png"),
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_memory": False,
    # The page of times would load scripts from the network.
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 5,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "abort_on_example_error": True,
    "plot_gallery": "True",
}
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
# Examples show what a warning says, not where files lie on the machine that built the pages; nor bars of progress.
warnings.formatwarning = lambda message, category, *_: (
    textwrap.fill(f"{category.__name__}: {message}", 88) + "\n"
)
os.environ["PLAIT_PROGRESS"] = "never"

html_theme = "furo"
html_title = f"plait {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["plait.css"]
html_math_renderer = "mathml"


def setup(app):
    """Write the pages that are made, and make formulas and links known, before anything is read."""
    folder = Path(app.srcdir) / "api"
    api_pages.write(folder)
    api_pages.write_where_new(folder / "made" / "commands.rst", command_page.page())
    api_pages.write_where_new(folder / "made" / "references.rst", bibliography.page())
    math_markup.add_to(app)
    links.add_to(app)
    line_breaks.add_to(app)
    app.connect("autodoc-skip-member", api_pages.skip_members)
    app.connect(
        "autodoc-process-docstring", api_pages.cut_foreign_docstrings, priority=100
    )
    app.connect("autodoc-process-docstring", inherited_sections.complete, priority=200)
    # After numpydoc, which is at 500 and turns sections into markup.
    app.connect(
        "autodoc-process-docstring", plain_docstrings.escape_marks, priority=900
    )
