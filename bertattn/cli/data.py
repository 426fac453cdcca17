"""Corpora that others made."""

from argparse import Namespace

from bertattn.corpora import CorpusError, download


def run(asked: Namespace) -> None:
    """Fetch corpora, or say what there is."""
    names = asked.only or download.names()
    if unknown := set(names) - set(download.names()):
        known = ", ".join(download.names())
        raise CorpusError(", ".join(sorted(unknown)), 0, f"no such corpus; there are: {known}")
    for name in names:
        print(_there_is(name) if asked.dry_run else download.told(name))


def _there_is(name: str) -> str:
    files = [source for source in download.sources() if source.dataset == name]
    size = sum(source.bytes for source in files) / 1e6
    return f"{name}: {len(files)} files, {size:.1f} MB\n  licence: {download.licences(name)}"
