"""Making a table again from its manifest."""

import json
import shlex
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bertattn import again, corpora, export
from bertattn.cli import commands
from bertattn.cli.running import say
from bertattn.cli.treebanks import opened
from bertattn.corpora import CorefCorpus, Corpus, Treebank
from bertattn.model import load

WITH_TREES = ("score", "probe")
REMEDY = "--anyway goes on in spite of it"


def run(asked: Namespace) -> None:
    """Print the command that makes a table again, or run it where a folder is given."""
    said = _read(asked.manifest)
    arguments = _arguments(said["run"]["command"])
    parsed = commands.parser().parse_args(arguments)
    changed = list(_changed(said, parsed))
    if changed and not asked.anyway:
        raise ValueError(f"{asked.manifest}: {'; '.join(changed)}; {REMEDY}")
    for change in [*changed, *again.versions(said["manifest"])]:
        say(change)
    if asked.out is None:
        print(shlex.join(["bertattn", *arguments]))
        return
    parsed.given, parsed.debug = arguments, asked.debug
    parsed.out, parsed.force = asked.out, asked.force
    import_module(f"bertattn.cli.{parsed.command}").run(parsed)


def _read(path: Path) -> dict[str, Any]:
    """The JSON beside a table.

    Raises:
        ValueError: If it is none, or a notebook's, which has no command.
    """
    try:
        said = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: no JSON; wanted the file beside a table's CSV") from error
    if not isinstance(said, dict) or not isinstance(said.get("manifest"), dict):
        raise ValueError(f"{path}: no manifest in it; wanted the file beside a table's CSV")
    if "run" not in said:
        raise ValueError(
            f"{path}: the table was made in Python, not by a command; bertattn.again.opened, given "
            "the manifest, opens its model, corpus and inputs again"
        )
    return said


def _arguments(command: str) -> list[str]:
    """A command's arguments, but for where its results went."""
    _, *arguments = shlex.split(command)
    return list(_kept(arguments))


def _kept(arguments: Sequence[str]) -> Iterator[str]:
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == "--out":
            skip = True
        elif argument not in ("--force", "--dry-run") and not argument.startswith("--out="):
            yield argument


def _changed(said: dict[str, Any], parsed: Namespace) -> Iterator[str]:
    """What is no longer as it was: code, corpus, weights, tokenizer."""
    made = said["manifest"]
    if said["run"]["code_sha256"] != export.code_sha256():
        yield f"the code is not what it was (bertattn {made.get('bertattn', 'unknown')} then)"
    if "corpus_sha256" not in made:
        return  # a comparison of tables, which needs neither model nor corpus
    model = load(parsed.model, device=parsed.device)
    yield from again.changed(made, model, _corpus(parsed))


def _corpus(parsed: Namespace) -> Corpus | Treebank | CorefCorpus:
    if parsed.command == "coref":
        return corpora.coreference(parsed.coref, skip=not parsed.strict)
    return (
        opened(parsed)
        if parsed.command in WITH_TREES
        else corpora.load(parsed.corpus, parsed.layout)
    )
