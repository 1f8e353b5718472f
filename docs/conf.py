# Settings of the documentation: `make docs` builds it with warnings as errors, and no page needs the network.
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import api_pages
import math_markup
import plain_docstrings

import plait

project = "plait"
author = "The plait developers"
copyright = "The plait developers"
version = release = plait.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

# Docstrings put names in single backquotes, which stand for code.
default_role = "code"
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"plait {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["plait.css"]
html_math_renderer = "mathml"


def setup(app):
    """Write the reference pages and make formulas known before anything is read."""
    api_pages.write(Path(app.srcdir) / "api")
    math_markup.add_to(app)
    app.connect("autodoc-skip-member", api_pages.skip_requests)
    # After numpydoc, which is at 500 and turns sections into markup.
    app.connect("autodoc-process-docstring", plain_docstrings.escape_marks, priority=900)
