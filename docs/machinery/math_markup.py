"""Formulas as MathML, written when the pages are built: no script, no font and no network when they are read."""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

__all__ = ["add_to"]

_LOG = logging.getLogger(__name__)


def add_to(app: Any) -> None:
    """Make the renderer known under the name `mathml`."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(_markup(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="formula">{_markup(node, as_block=True)}</div>')
    raise nodes.SkipNode


def _markup(node: Any, as_block: bool) -> str:
    try:
        markup = str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as problem:
        _LOG.warning("formula %r: %s", node.astext(), problem, location=node)
        return ""
    # Bars around the size of a set stand as close as brackets do.
    markup = markup.replace('<mo class="mathopen">|</mo>', '<mo form="prefix" stretchy="false">|</mo>')
    return markup.replace("<mo>|</mo>", '<mo form="postfix" stretchy="false">|</mo>')
