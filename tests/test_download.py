"""Fetching, from a server on this machine that can fail."""

import hashlib
import http.server
import threading
from typing import ClassVar

import pytest

from bertattn import corpora
from bertattn.corpora import CorpusError, download
from bertattn.corpora.download import Source, fetch

CONTENT = b" = Dogs = \n \n Dogs bark at the @-@ moon . \n"
TREES = b"1\tGo\t_\tV\tVB\t_\t0\troot\t_\t_\n"


class Server(http.server.BaseHTTPRequestHandler):
    files: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []
    faults: ClassVar[list[str | None]] = []

    def do_GET(self):
        self.asked.append(self.path)
        fault = self.faults.pop(0) if self.faults else None
        content = b"something else" if fault == "wrong" else self.files.get(self.path)
        if content is None or fault == "gone":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Two files in two corpora, fetched to a folder of the test's."""
    files = {"/a/wiki.valid.raw": CONTENT, "/b/one.conll10": TREES, "/b/two.conll10": TREES + b"\n"}
    Server.files, Server.asked, Server.faults = files, [], []
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{running.server_port}"
    names = {"/a": "wikitext2-valid", "/b": "gum-sd"}
    table = tuple(
        Source(names[p[:2]], base + p, len(c), hashlib.sha256(c).hexdigest(), f"licence of {p}")
        for p, c in files.items()
    )
    monkeypatch.setattr(download, "sources", lambda: table)
    monkeypatch.setenv("BERTATTN_DATA", str(tmp_path))
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def test_fetched_corpora_are_opened_by_name(server, capsys):
    download.main([])
    shown = capsys.readouterr().out
    assert "gum-sd: 2 files in" in shown
    assert "licence: licence of /b/one.conll10; or licence of /b/two.conll10" in shown
    [article] = corpora.load("wikitext2-valid")
    assert (article.title, list(article.sentences)) == ("Dogs", ["Dogs bark at the-moon."])
    assert [s.words for s in corpora.treebank("gum-sd")] == [("Go",), ("Go",)]
    assert corpora.treebank("gum-sd").drawn == "gold"
    assert [list(a.sentences) for a in corpora.load("gum-sd")] == [["Go"], ["Go"]]


def test_nothing_is_fetched_twice(server):
    fetch("gum-sd")
    fetch("gum-sd")
    assert Server.asked == ["/b/one.conll10", "/b/two.conll10"]


def test_a_file_that_was_spoilt_is_fetched_again(server, tmp_path):
    [_, path] = fetch("gum-sd")
    path.write_bytes(b"spoilt")
    with pytest.raises(CorpusError, match="the file is not what was published; delete it"):
        corpora.treebank("gum-sd")
    fetch("gum-sd")
    assert Server.asked == ["/b/one.conll10", "/b/two.conll10", "/b/two.conll10"]
    assert len(corpora.treebank("gum-sd").paths) == 2


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("gone", r"one\.conll10: the server says 404; was it moved\?"),
        ("cut", r"one\.conll10: cut off or not reached: .*run the command again"),
        ("wrong", r"one\.conll10: what came is not what was published \(checksum\)"),
    ],
)
def test_what_fails_is_told_and_nothing_is_left(server, tmp_path, fault, said):
    Server.faults = [fault] * 3
    with pytest.raises(CorpusError, match=said):
        fetch("gum-sd")
    assert len(Server.asked) == 3  # tried again, twice
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    with pytest.raises(CorpusError, match="'gum-sd' is not here; fetch it"):
        corpora.treebank("gum-sd")


@pytest.mark.parametrize("fault", ["gone", "cut", "wrong"])
def test_a_passing_fault_is_got_over(server, fault):
    Server.faults = [fault]
    assert len(fetch("gum-sd")) == 2


def test_after_an_interruption_only_the_rest_is_fetched(server):
    Server.faults = [None, "gone", "gone", "gone"]
    with pytest.raises(CorpusError):
        fetch("gum-sd")
    Server.asked.clear()
    fetch("gum-sd")
    assert Server.asked == ["/b/two.conll10"]


def test_without_a_network_the_remedy_is_said(server, capsys):
    server.shutdown()
    server.server_close()
    with pytest.raises(SystemExit, match=r"cut off or not reached: is there a network\?"):
        download.main(["gum-sd"])


def test_an_unknown_corpus_is_told(server):
    with pytest.raises(SystemExit, match="ptb: no such corpus; there are: wikitext2-valid, gum-sd"):
        download.main(["ptb"])


def test_the_folder_is_the_users_cache_by_default(monkeypatch):
    monkeypatch.delenv("BERTATTN_DATA", raising=False)
    assert download.folder().name == "bertattn"
