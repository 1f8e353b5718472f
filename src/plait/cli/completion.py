"""Scripts by which bash, zsh and fish complete the words of `plait`, made from its parsers."""

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SHELLS", "completion_script"]

SHELLS = ("bash", "zsh", "fish")

# How the parsers name words that are files or folders.
_FILES = {"DATA", "DIR", "FILE", "FOLDER", "MASK.csv", "MODEL", "OUT", "PAGE.html", "PLAN", "STORE"}


@dataclass(frozen=True)
class _Argument:
    """An option, or a word without one (then `flags` is empty): what follows it, and what it is for."""

    flags: tuple[str, ...]
    takes_value: bool
    value: str
    names: tuple[str, ...]
    is_file: bool
    words: str


@dataclass(frozen=True)
class _Command:
    """A command with its arguments."""

    name: str
    words: str
    arguments: tuple[_Argument, ...]

    @property
    def options(self) -> list[_Argument]:
        return [argument for argument in self.arguments if argument.flags]

    @property
    def places(self) -> list[_Argument]:
        return [argument for argument in self.arguments if not argument.flags]


def completion_script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for a shell.

    Parameters
    ----------
    shell : {"bash", "zsh", "fish"}
        Which shell.
    parser : ArgumentParser
        The parser of all words.
    """
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](list(_commands(parser)), _arguments(parser))
    return "\n".join(lines) + "\n"


def _commands(parser: argparse.ArgumentParser) -> Iterator[_Command]:
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    words = {choice.dest: choice.help or "" for choice in group._choices_actions}
    for name, inner in group.choices.items():
        yield _Command(name, words[name], _arguments(inner))


def _arguments(parser: argparse.ArgumentParser) -> tuple[_Argument, ...]:
    actions = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    return tuple(_argument(action) for action in actions)


def _argument(action: argparse.Action) -> _Argument:
    names = getattr(action, "names", None) or action.choices or ()
    value = str(action.metavar or action.dest.upper())
    is_file = not names and (action.type is Path or value in _FILES)
    return _Argument(
        tuple(action.option_strings), action.nargs != 0, value, tuple(map(str, names)), is_file, action.help or ""
    )


def _bash(commands: list[_Command], own: tuple[_Argument, ...]) -> list[str]:
    firsts = [*(command.name for command in commands), *_flags(own)]
    lines = [
        "# bash completion of plait; where nothing is known, files are offered.",
        "_plait() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" words=""',
        '    case "$COMP_CWORD ${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]} $current" in',
        f'        "1 "*) words={shlex.quote(" ".join(firsts))} ;;',
    ]
    for command in commands:
        for option in command.options:
            if option.takes_value:
                words = shlex.quote(" ".join(option.names))
                lines += [f'        *" {command.name} {flag} "*) words={words} ;;' for flag in option.flags]
        lines.append(f'        *" {command.name} "*" -"*) words={shlex.quote(" ".join(_flags(command.options)))} ;;')
        known = [name for place in command.places for name in place.names]
        lines.append(f'        *" {command.name} "*) words={shlex.quote(" ".join(known))} ;;')
    return [
        *lines,
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o bashdefault -o default -F _plait plait",
    ]


def _flags(arguments: list[_Argument] | tuple[_Argument, ...]) -> list[str]:
    return [flag for argument in arguments for flag in argument.flags]


def _zsh(commands: list[_Command], own: tuple[_Argument, ...]) -> list[str]:
    listed = [_zsh_quoted(f"{command.name}:{command.words}") for command in commands]
    lines = [
        "#compdef plait",
        "_plait() {",
        "    local context state state_descr line",
        "    typeset -A opt_args",
        f"    _arguments -C {' '.join(_zsh_specs(own))} '1:command:->command' '*::argument:->arguments'",
        '    case "$state" in',
        f"        command) local -a commands; commands=({' '.join(listed)}); _describe command commands ;;",
        '        arguments) case "$words[1]" in',
    ]
    for command in commands:
        places = [
            _zsh_quoted(f"{number}:{_zsh_words(place.value)}:{_zsh_action(place)}")
            for number, place in enumerate(command.places, start=1)
        ]
        lines.append(f"            {command.name}) _arguments {' '.join([*_zsh_specs(command.options), *places])} ;;")
    return [
        *lines,
        "        esac ;;",
        "    esac",
        "}",
        'if [[ "${funcstack[1]}" == _plait ]]; then _plait "$@"; else compdef _plait plait; fi',
    ]


def _zsh_specs(arguments: list[_Argument] | tuple[_Argument, ...]) -> list[str]:
    specs = []
    for argument in arguments:
        for flag in argument.flags:
            value = f":{_zsh_words(argument.value)}:{_zsh_action(argument)}" if argument.takes_value else ""
            specs.append(_zsh_quoted(f"{flag}[{_zsh_words(argument.words)}]{value}"))
    return specs


def _zsh_action(argument: _Argument) -> str:
    if argument.names:
        return f"({' '.join(argument.names)})"
    return "_files" if argument.is_file else " "


def _zsh_words(words: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in words)


def _zsh_quoted(words: str) -> str:
    return "'" + words.replace("'", "'\\''") + "'"


def _fish(commands: list[_Command], own: tuple[_Argument, ...]) -> list[str]:
    lines = ["# fish completion of plait"]
    lines += [_fish_line("__fish_use_subcommand", argument) for argument in own]
    for command in commands:
        name, words = _fish_quoted(command.name), _fish_quoted(command.words)
        lines.append(f"complete -c plait -n __fish_use_subcommand -xa {name} -d {words}")
        here = f"__fish_seen_subcommand_from {command.name}"
        lines += [_fish_line(here, argument) for argument in command.arguments if argument.flags or argument.names]
    return lines


def _fish_line(where: str, argument: _Argument) -> str:
    flags = [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in argument.flags]
    parts = [f"complete -c plait -n {_fish_quoted(where)}", *flags]
    if argument.takes_value:
        parts.append("-rF" if argument.is_file else "-x")
    if argument.names:
        parts.append(f"-a {_fish_quoted(' '.join(argument.names))}")
    return " ".join([*parts, f"-d {_fish_quoted(argument.words)}"])


def _fish_quoted(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
