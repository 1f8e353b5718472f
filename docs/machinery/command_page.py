"""The page of the command line, written from the parsers themselves."""

import argparse

from plait.cli.parsers import make_parser

__all__ = ["page"]


def page() -> str:
    """Return the page, in reStructuredText: one section a command."""
    parser = make_parser()
    found = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {action.dest: action.help or "" for action in found._choices_actions}
    rows = "\n".join(
        f"   * - :ref:`plait {name} <command-{name}>`\n     - {_text(words)}" for name, words in summaries.items()
    )
    head = "Command line\n============\n\nEvery command prints one clear line and ends with code 2 "
    head += (
        "where it is given something wrong; ``--debug`` shows the traceback.\n\n.. list-table::\n   :widths: 30 70\n\n"
        + rows
    )
    return "\n\n".join([head, *(_section(name, found.choices[name]) for name in summaries)]) + "\n"


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    title = f"plait {name}"
    parts = [f".. _command-{name}:\n\n{title}\n{'-' * len(title)}", _text(parser.description or "")]
    parts += [_block(parser.format_usage().removeprefix("usage: "))]
    items = [_item(action) for action in parser._actions if action.help != argparse.SUPPRESS and action.dest != "help"]
    parts += items
    if parser.epilog:
        parts += [_block(parser.epilog)]
    return "\n\n".join(parts)


def _item(action: argparse.Action) -> str:
    value = (
        ""
        if action.nargs == 0
        else f" {action.metavar or '|'.join(map(str, action.choices or [])) or action.dest.upper()}"
    )
    called = ", ".join(f"``{word}{value}``" for word in action.option_strings) or f"``{value.strip()}``"
    said = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    shown = (
        action.option_strings
        and action.default not in (None, False, (), argparse.SUPPRESS)
        and "%(default)" not in (action.help or "")
    )
    return f"{called}\n   {_text(said)}" + (_text(f" (default: {action.default})") if shown else "")


def _text(words: str) -> str:
    """Return words as one line in which nothing is markup."""
    line = " ".join(words.replace("%%", "%").split())
    line = f" {line}" if words.startswith(" ") else line
    return "".join(f"\\{sign}" if sign in "*`|_" else sign for sign in line)


def _block(text: str) -> str:
    lines = "\n".join(f"   {line}" for line in text.rstrip().splitlines())
    return f".. code-block:: text\n\n{lines}"
