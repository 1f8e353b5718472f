"""Completion scripts, run by the shells that are installed."""

import os
import pty
import select
import shutil
import subprocess
import time

import pytest

from plait.cli import main
from plait.cli.words import method_words, paper_words, selector_words
from plait.commands.methods import method_names
from plait.commands.select import selector_names
from plait.experiments.published import PAPERS

LINES = [
    ("plait sel", {"select"}),
    ("plait --v", {"--version"}),
    ("plait fit --me", {"--method"}),
    ("plait fit --method pac", {"pacc", "pacc_ldf"}),
    ("plait evaluate data.csv --methods ebc", {"ebcc"}),
    ("plait select --method scl", {"scls"}),
    ("plait describe data.csv --split t", {"train", "test"}),
    ("plait reproduce p", {"pacc", "pcc"}),
    ("plait completion z", {"zsh"}),
    ("plait predict model.plait bea", {"beach.csv"}),
    ("plait fit beach.csv -o bea", {"beach.csv"}),
]


def test_words_are_those_of_the_rooms():
    assert method_words() == method_names()
    assert set(selector_names()) <= set(selector_words())
    assert set(paper_words()) == set(PAPERS)


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def asked_bash(text, line, folder):
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    # Where a function offers nothing, bash offers files: `complete -o default`.
    ask = f"""{text}
COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _plait
if [ ${{#COMPREPLY[@]}} -eq 0 ]; then compgen -f -- '{words[-1]}'; else printf '%s\\n' "${{COMPREPLY[@]}}"; fi"""
    answer = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True, cwd=folder)
    return set(answer.stdout.split())


def asked_fish(text, line, folder):
    ask = f"{text}\ncomplete -C '{line}'"
    settings = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
    answer = subprocess.run(
        ["fish", "--no-config", "-c", ask], capture_output=True, text=True, check=True, cwd=folder, env=settings
    )
    return {words.split("\t")[0] for words in answer.stdout.splitlines()}


@pytest.mark.parametrize(("shell", "asked"), [("bash", asked_bash), ("fish", asked_fish)])
def test_a_shell_completes_commands_options_names_and_files(shell, asked, tmp_path, capsys):
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    (tmp_path / "beach.csv").touch()
    text = script(shell, capsys)
    for line, expected in LINES:
        assert asked(text, line, tmp_path) == expected, line


class Zsh:
    """A zsh in a pseudo terminal, to type into."""

    def __init__(self, folder):
        self.terminal, inner = pty.openpty()
        settings = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "TERM": "dumb", "PS1": "> "}
        words = {"stdin": inner, "stdout": inner, "stderr": inner, "start_new_session": True}
        self.process = subprocess.Popen(["zsh", "-f", "-i"], env=settings, cwd=folder, **words)
        os.close(inner)

    def typed(self, keys, awaited, seconds=20.0):
        """Type, wait until some words are on the screen, and say whether they came."""
        os.write(self.terminal, keys.encode())
        seen, end = "", time.monotonic() + seconds
        while awaited not in seen and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                read = os.read(self.terminal, 4096).decode(errors="replace")
                seen += "".join(letter for letter in read if letter.isprintable())
        return awaited in seen, seen

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


def test_zsh_completes_commands_options_names_and_files(tmp_path, capsys):
    """On the tab key it inserts what is the only match."""
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh")
    (tmp_path / "_plait").write_text(script("zsh", capsys), encoding="utf8")
    (tmp_path / "beach.csv").touch()
    zsh = Zsh(tmp_path)
    try:
        zsh.typed(f"bindkey -e; fpath=({tmp_path} $fpath)\n", "")
        assert zsh.typed("autoload -Uz compinit; compinit -u -D; echo rea''dy\n", "ready")[0]
        for line, expected in LINES:
            if len(expected) == 1:
                ended, seen = zsh.typed(f"{line}\t", f"{line.rpartition(' ')[0]} {next(iter(expected))}")
                assert ended, seen
                zsh.typed("\x15", "")  # Ctrl-U empties the line
    finally:
        zsh.close()
