"""Draw numbers: SVG text for notebooks, reports and pages, plain characters for the terminal.

Takes numbers, names and arrays; hands on text: bars, dots, scatters, reliability diagrams, heat maps, layered graphs,
critical differences, tables in six forms, and the frame of a page. It knows nothing of labels, models or files. Ink
has the colour of the page around it, light or dark; names of any kind are escaped; nothing is loaded from outside.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
