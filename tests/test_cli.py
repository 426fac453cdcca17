"""The command line: what it says where, what it keeps, how it ends."""

import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from itertools import islice
from typing import get_args

import pandas as pd
import pytest

from bertattn import clusters, coref, corpora, export, measure, plots, surface, syntax, tables
from bertattn.cli import commands, options, running
from bertattn.cli.commands import COMMANDS
from bertattn.cli.running import main
from bertattn.corpora import conllx
from bertattn.heads import AttentionHead
from bertattn.model.capture import Device
from bertattn.segments import Segments, Trees
from bertattn.syntax.questions import MIN_COUNT
from bertattn.views.attention import Form, HeadView, Level
from tests import tiny
from tests.conftest import ROOT
from tests.test_coref_readers import CONLL, ENTITIES
from tests.test_download import server

__all__ = ["server"]
TEXT = """\
# The Keeper

The keeper fed the octopus. It squirted her, and she left the shell.

# The River

A river ends in a mouth. Its source lies in the hills, and rain fills it.

# The Shell

An animal made that shell. Another one stole it, and nobody knew.
"""


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def trees(tmp_path):
    """Sentences of the sample, in their documents."""
    path = tmp_path / "mine.conll"
    path.write_text(conllx.written(islice(corpora.treebank("sample"), 60)))
    return path


@pytest.fixture
def mentions(tmp_path):
    """Four documents, each with a name and a pronoun that means it."""
    path = tmp_path / "mine.conllu"
    named = (ENTITIES.replace("= d", f"= d{i}").replace("fed", f"fed{i}") for i in range(4))
    path.write_text("\n".join(named))
    return path


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """A model that loads at once."""
    folder = tmp_path_factory.mktemp("model")
    module, tokenizer = tiny.module("Bert", max_position_embeddings=512)
    tokenizer.model_max_length = 512
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def run(capsys):
    """Run a command that succeeds; what it said on stdout and stderr."""

    def ran(*arguments):
        assert main([str(a) for a in arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr()

    return ran


@pytest.fixture
def error(capsys):
    """Run a command that fails; the sentence that it ends with."""

    def failed(*arguments):
        assert main([str(a) for a in arguments]) == 1
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert said.err.endswith("\n")
        return said.err.splitlines()[-1].removeprefix("bertattn: error: ")

    return failed


@pytest.fixture
def usage(capsys):
    """Run a command that is used wrongly; what it says."""

    def refused(*arguments):
        with pytest.raises(SystemExit) as caught:
            main([str(a) for a in arguments])
        assert caught.value.code == 2
        return capsys.readouterr().err

    return refused


def module(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bertattn", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


# how it starts and ends


def test_help_imports_nothing_heavy():
    code = """
import runpy, sys
sys.argv = ["bertattn", "--help"]
try:
    runpy.run_module("bertattn", run_name="__main__")
except SystemExit as end:
    heavy = {"torch", "transformers", "pandas", "numpy", "matplotlib", "tqdm"} & set(sys.modules)
    print("ended with", end.code, sorted(heavy))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.splitlines()[-1] == "ended with 0 []"
    assert all(name in done.stdout for name in COMMANDS)


def test_exit_codes_of_the_process():
    done, unknown, wrong = module("--version"), module("data", "no-such"), module("dance")
    assert (done.returncode, unknown.returncode, wrong.returncode) == (0, 1, 2)
    [line] = unknown.stderr.splitlines()
    assert line.startswith("bertattn: error: no-such: no such corpus; there are: gum-sd, ")
    assert "invalid choice: 'dance'" in wrong.stderr


def test_the_installed_command_is_this_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert pkgutil.resolve_name(project["scripts"]["bertattn"]) is main


def test_a_command_is_wanted(usage):
    assert "COMMAND" in usage()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_shows_defaults_and_an_example(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    said = capsys.readouterr().out
    example = COMMANDS[name].example
    assert f"example:\n  {example}" in said
    for described in re.findall(r"^  --\S+ [A-Z{].*", re.sub(r"\n {9,}", " ", said), re.M):
        required = name == "view" and described.split()[0] in ("--text", "--out")
        assert required != ("(default: " in described), described


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_understood(name):
    program, *arguments = shlex.split(COMMANDS[name].example)
    assert program == "bertattn"
    assert commands.parser().parse_args(arguments).command == name


def test_choices_and_defaults_are_the_packages():
    assert get_args(corpora.Layout) == options.LAYOUTS
    assert set(options.SINKS) == set(get_args(clusters.sums.Sink)) - {"none"}
    assert options.CUTS == ("first", "tiled")
    assert get_args(Level) == options.LEVELS
    assert get_args(Form) == options.FORMS
    assert get_args(Device) == options.DEVICES
    asked = commands.parser().parse_args(["score"])
    assert (asked.min_count, asked.swaps) == (MIN_COUNT, syntax.null.N_SWAPS)
    assert commands.parser().parse_args(["coref"]).shuffles == coref.null.N_SWAPS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["measure", "--segments", "0"], "wanted a whole number of at least 1, got '0'"),
        (["probe", "--seeds", "-1"], "wanted a whole number of at least 0, got '-1'"),
        (["measure", "--rows", "1.5"], "wanted a share above 0 and up to 1, got '1.5'"),
        (["measure", "--rows", "much"], "wanted a share above 0 and up to 1, got 'much'"),
        (["measure", "--seg", "3"], "unrecognized arguments: --seg 3"),
        (["view", "--text", "a", "--out", "a.pdf"], "one of .html, .png, .svg, got 'a.pdf'"),
        (["view", "--text", "a", "--out", "a.png", "--heads", "0-1"], "such as '8-10'"),
        (["view", "--out", "a.png"], "required: --text"),
    ],
)
def test_wrong_usage(usage, arguments, said):
    assert said in usage(*arguments)


def test_ctrl_c_is_one_sentence(monkeypatch, capsys):
    from bertattn.cli import data

    def stop(asked):
        raise KeyboardInterrupt

    monkeypatch.setattr(data, "run", stop)
    assert main(["data"]) == 130
    assert capsys.readouterr().err == "bertattn: stopped; no result was written\n"


def test_an_error_that_nobody_foresaw_is_named(monkeypatch, error):
    from bertattn.cli import data

    monkeypatch.setattr(data, "run", lambda asked: {}["lost"])
    monkeypatch.setitem(data.run.__globals__, "__name__", "tests.test_cli")
    assert error("data") == "KeyError: 'lost' (not foreseen; --debug shows where)"


def test_debug_shows_where():
    with pytest.raises(corpora.CorpusError, match="no such corpus"):
        main(["data", "no-such", "--debug"])


def test_a_warning_is_said_once(run, text, model_folder):
    said = run("measure", "--model", model_folder, "--corpus", text, "--segments", 9)
    assert said.err.count("bertattn: asked for 9 segments, the corpus has 3\n") == 1


def documented():
    for name in ("README.md", "docs/CLI.md"):
        lines = (ROOT / name).read_text().splitlines()
        yield from (line for line in lines if re.match(r"(\.venv/bin/)?bertattn [a-z]+ ", line))


@pytest.mark.parametrize("line", list(documented()))
def test_documented_commands_are_understood(line):
    _, *arguments = shlex.split(line, comments=True)
    assert commands.parser().parse_args(arguments).command == arguments[0]


def test_code_of_the_documentation_reads_results(run, text, tmp_path, model_folder, monkeypatch):
    block, again = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "CLI.md").read_text(), re.S)
    monkeypatch.chdir(tmp_path)
    run("measure", "--model", model_folder, "--corpus", text, "--out", "build/surface")
    names = {}
    exec(compile(block, "CLI.md", "exec"), names)
    assert names["kept"]["surface"].attrs["signature"]
    exec(compile(again, "CLI.md", "exec"), names)
    assert names["inputs"].n == 200


# models and files that are not there


def test_an_unknown_model(error, text, tmp_path):
    said = error("measure", "--corpus", text, "--model", tmp_path / "none")
    assert said.startswith(f"cannot load the model '{tmp_path / 'none'}': no such folder here")


def test_a_corpus_that_is_not_there(error, tmp_path):
    said = error("measure", "--corpus", tmp_path / "none.txt")
    assert said.startswith(f"{tmp_path / 'none.txt'}: no such corpus; wanted a file")


def test_text_that_is_not_utf_8(error, tmp_path, model_folder):
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"# One\n\nIt is so.\nIt is \xff.\n")
    said = error("measure", "--corpus", broken, "--model", model_folder)
    assert said.startswith(f"{broken}:4: ")


def test_a_device_that_is_not_there(error, text, model_folder):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    said = error("measure", "--corpus", text, "--model", model_folder, "--device", "cuda")
    assert "CUDA" in said


# results


def test_measure_keeps_what_the_package_computes(run, text, tmp_path, minilm):
    out = tmp_path / "out"
    said = run("measure", "--corpus", text, "--device", "cpu", "--rows", 1, "--out", out)
    kept = export.read(out)
    assert sorted(kept) == ["head_pairs", "head_pairs.units", "surface", "surface.units"]

    segments = Segments(corpora.load(text), minilm.encoder, n=200)
    sums = surface.SurfaceSums.empty(*minilm.shape)
    far = clusters.DistanceSums.empty(*minilm.shape)
    measure.measure(segments, minilm, sums, far)
    made = tables.manifest(minilm, corpora.load(text), segments)
    table = tables.surface(sums.result(), made)
    pd.testing.assert_frame_equal(kept["surface"], table)
    assert kept["surface"].attrs == table.attrs
    assert kept["surface.units"].attrs["signature"] == table.attrs["signature"]
    pd.testing.assert_frame_equal(kept["surface.units"], tables.by_group(sums), check_names=False)
    by_group = tables.distances_by_group(far)
    pd.testing.assert_frame_equal(kept["head_pairs.units"], by_group, check_names=False)
    pairs = tables.head_pairs(far.result(), made)
    pd.testing.assert_frame_equal(kept["head_pairs"], pairs)
    assert kept["head_pairs"].attrs["manifest"]["options"]["rows"] == 1.0

    first, left, *findings, last = said.out.splitlines()
    assert first == table.attrs["signature"]
    assert left.startswith("Left out: ")
    assert findings[0].startswith("Of 72 heads, ")
    assert last == f"11 files in {out}: surface, head_pairs"
    assert "3 inputs: less than a minute" in said.err


def test_csv_and_parquet_agree_and_the_run_is_kept(run, text, tmp_path, model_folder):
    out = tmp_path / "new" / "out"
    run("measure", "--model", model_folder, "--corpus", text, "--out", out)
    csv = pd.read_csv(out / "surface.csv")
    pd.testing.assert_frame_equal(csv, export.read(out)["surface"], check_dtype=False)
    ran = json.loads((out / "run.json").read_text())
    assert ran["command"].startswith("bertattn measure --model ")
    assert {*ran["files"], "run.json"} == {path.name for path in out.iterdir()}
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_without_out_there_is_a_summary_only(run, text, tmp_path, model_folder, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    said = run("measure", "--model", model_folder, "--corpus", text)
    assert "Of 6 heads" in said.out
    assert said.err.endswith("bertattn: no table is kept; --out DIR keeps them\n")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["measure", "score", "probe", "cluster"])
def test_a_dry_run_tells_the_cost_alone(run, command, trees, tmp_path, model_folder):
    out = tmp_path / "out"
    arguments = [command, "--model", model_folder, "--corpus", trees, "--dry-run", "--out", out]
    said = run(*arguments)
    assert said.out == ""
    assert re.search(r"^bertattn: \d+ inputs: less than a minute, up to \d+ GB", said.err, re.M)
    assert not out.exists()


def test_a_dry_run_of_coref(run, mentions, model_folder):
    said = run("coref", "--model", model_folder, "--coref", mentions, "--dry-run")
    assert said.out == ""
    assert said.err.startswith("bertattn: 4 inputs: less than a minute")


def test_a_folder_with_something_in_it_is_refused_before_anything_is_done(error, tmp_path):
    (tmp_path / "letters.txt").write_text("mine")
    said = error("measure", "--model", "no-such-model", "--out", tmp_path)
    assert said == (
        f"--out {tmp_path}: the folder is not empty; give another one, or --force to replace the "
        "results that lie there (the rest stays)"
    )
    assert (tmp_path / "letters.txt").read_text() == "mine"


def test_a_file_is_no_folder(error, text):
    said = error("measure", "--out", text, "--force")
    assert said == f"--out {text}: wanted a folder, this is a file; give another name"


def test_an_empty_folder_will_do(run, text, tmp_path, model_folder):
    out = tmp_path / "out"
    out.mkdir()
    run("measure", "--model", model_folder, "--corpus", text, "--out", out)
    assert "surface" in export.read(out)


def test_force_replaces_results_and_nothing_else(run, text, tmp_path, model_folder):
    out = tmp_path / "out"
    arguments = ["--model", model_folder, "--corpus", text, "--out", out]
    run("cluster", *arguments)
    (out / "letters.txt").write_text("mine")
    run("measure", *arguments, "--force")
    assert sorted(export.read(out)) == [
        "head_pairs",
        "head_pairs.units",
        "surface",
        "surface.units",
    ]
    assert not (out / "figure_6.pdf").exists()
    assert (out / "letters.txt").read_text() == "mine"


def test_a_run_that_names_files_elsewhere_deletes_none(run, text, tmp_path, model_folder):
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.json").write_text(json.dumps({"files": ["../mine.txt"]}))
    run("measure", "--model", model_folder, "--corpus", text, "--out", out, "--force")
    assert text.exists()


def test_a_run_json_of_something_else_is_left_alone(error, text, tmp_path, model_folder):
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.json").write_text("[1]")
    arguments = ["--model", model_folder, "--corpus", text, "--out", out, "--force"]
    assert error("measure", *arguments).endswith("run.json: not written by bertattn; delete it")
    assert [path.name for path in out.iterdir()] == ["run.json"]


def test_all_is_written_or_nothing(error, text, tmp_path, model_folder, monkeypatch):
    def full(axes, path):
        raise OSError("no space left on the disk")

    monkeypatch.setattr(plots, "save", full)
    before = sorted(tmp_path.iterdir())
    arguments = ["--model", model_folder, "--corpus", text, "--out", tmp_path / "out"]
    assert error("measure", *arguments) == "no space left on the disk"
    assert sorted(tmp_path.iterdir()) == before


def test_reading_a_folder_without_tables(tmp_path):
    with pytest.raises(ValueError, match="no such folder; wanted one that tables were written to"):
        export.read(tmp_path / "none")
    with pytest.raises(ValueError, match="no table here; wanted Parquet files with JSON beside"):
        export.read(tmp_path)
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "alone.parquet")
    with pytest.raises(ValueError, match=r"no manifest; alone\.json, which was written with it"):
        export.read(tmp_path)


# syntax


def test_score_keeps_table_1(run, trees, tmp_path, minilm):
    out = tmp_path / "out"
    arguments = ["--corpus", trees, "--device", "cpu", "--min-count", 30, "--swaps", 19]
    said = run("score", *arguments, "--out", out)
    kept = export.read(out)
    assert sorted(kept) == ["every_head", "table_1", "table_1.units"]

    treebank = corpora.treebank(trees)
    counts = syntax.SyntaxCounts.empty(*minilm.shape, treebank.relations, keep=60)
    measure.measure(Trees(treebank, minilm.encoder), minilm, counts)
    scores = list(syntax.scores(counts, min_count=30))
    assert kept["table_1"]["relation"].tolist() == [s.questions.relation for s in scores]
    assert kept["table_1"]["head"].tolist() == [str(s.attn_head) for s in scores]
    assert kept["table_1"]["accuracy"].tolist() == [s.accuracy for s in scores]
    assert kept["table_1"]["random"].between(0, 1).all()
    null = syntax.swap_maps(counts.guesses, [s.questions.relation for s in scores[1:]], n_swaps=19)
    assert dict(zip(kept["table_1"]["relation"][1:], kept["table_1"]["p"][1:], strict=True)) == (
        pytest.approx(dict(null.adjusted))
    )
    assert kept["every_head"]["accuracy"].max() == max(s.accuracy for s in scores)
    assert kept["table_1"].attrs["manifest"]["options"]["swaps"] == 19
    assert "have a head that beats the best fixed offset" in said.out
    assert "The trees are taken as they are given" in said.out
    assert (out / "table_1.tex").exists()
    assert not (out / "every_head.tex").exists()


def test_score_without_control_and_swaps(run, trees, tmp_path, model_folder):
    arguments = ["--model", model_folder, "--corpus", trees, "--out", tmp_path / "out"]
    said = run("score", *arguments, "--no-control", "--swaps", 0, "--sentences", 40)
    table = export.read(tmp_path / "out")["table_1"]
    assert table["random"].isna().all()
    assert table["p"].isna().all()
    assert "Maps were not swapped." in said.out
    assert "|40 parsed sentences|" in said.out


def test_too_few_arcs(error, trees, model_folder):
    said = error("score", "--model", model_folder, "--corpus", trees, "--min-count", 5000)
    assert re.fullmatch(
        r"no relation has 5000 arcs \(\w+ has most, \d+\); give more sentences, or a lower "
        "--min-count",
        said,
    )


def test_no_arcs_at_all(error, tmp_path, model_folder):
    one = tmp_path / "one.conll"
    one.write_text("1\tgo\t_\tVB\tVB\t_\t0\troot\t_\t_\n")
    said = error("score", "--model", model_folder, "--corpus", one)
    assert said.startswith("no relation has 50 arcs (there are none at all); give more")


def test_sentences_that_are_all_too_long(error, tmp_path, model_folder):
    rows = (f"{i}\tw\t_\tNN\tNN\t_\t{i - 1}\tdep\t_\t_" for i in range(1, 600))
    (tmp_path / "long.conll").write_text("\n".join(rows) + "\n")
    for command in ("score", "probe"):
        said = error(command, "--model", model_folder, "--corpus", tmp_path / "long.conll")
        assert said == "the corpus gave no input; is it empty, or is every sentence too long?"


def test_no_two_sentences_of_one_length(error, tmp_path, model_folder):
    one = tmp_path / "one.conll"
    one.write_text("1\tit\t_\tPRP\tPRP\t_\t2\tnsubj\t_\t_\n2\tfed\t_\tVB\tVB\t_\t0\troot\t_\t_\n")
    arguments = ["--model", model_folder, "--corpus", one, "--min-count", 1]
    assert error("score", *arguments) == (
        "no two sentences have the same number of words; give more sentences, or --swaps 0 to "
        "leave the test out"
    )


BROKEN = """\
1\tit\t_\tPRP\tPRP\t_\t2\tnsubj\t_\t_
2\tfed\t_\tVB\tVB\t_\t1\tdep\t_\t_

"""


def test_a_sentence_that_is_no_tree(run, error, trees, model_folder):
    whole = trees.read_text()
    trees.write_text(f"{BROKEN}{whole}")
    arguments = ["score", "--model", model_folder, "--corpus", trees, "--swaps", 0, "--no-control"]
    assert "1 sentences that are no tree" in run(*arguments).out
    assert error(*arguments, "--strict").startswith(f"{trees}:1: sentence 'mine-1' is no tree")


def test_nothing_but_broken_trees(error, tmp_path, model_folder):
    path = tmp_path / "broken.conll"
    path.write_text(BROKEN)
    for command in ("score", "probe"):
        said = error(command, "--model", model_folder, "--corpus", path)
        assert said.startswith(f"{path}:1: sentence 'broken-1' is no tree: ")


def test_a_corpus_without_trees(error, tmp_path):
    (tmp_path / "a.conll").write_text(CONLL)
    said = error("score", "--corpus", tmp_path / "a.conll")
    assert said == (
        f"{tmp_path / 'a.conll'}:1: this is CoNLL-2012, which holds no dependency trees"
    )
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.pdf").write_text("")
    assert "the folder holds no file that ends in" in error("score", "--corpus", tmp_path / "none")


# coreference


def test_coref_keeps_table_2(run, mentions, tmp_path, minilm):
    out = tmp_path / "out"
    arguments = ["--coref", mentions, "--device", "cpu", "--shuffles", 9, "--cut", "tiled"]
    said = run("coref", *arguments, "--out", out)
    kept = export.read(out)
    assert sorted(kept) == ["by_distance", "coref_heads", "table_2", "table_2.units"]
    table = kept["table_2"]
    assert table.loc[table["kind"] == "all", "n"].tolist() == [4] * table["way"].nunique()
    counts = coref.CorefCounts.empty(*minilm.shape)
    windows = coref.Windows(corpora.coreference(mentions), minilm.encoder, "tiled")
    measure.measure(windows, minilm, counts)
    assert table["value"].iloc[0] == coref.score(counts).accuracy(coref.score(counts).best)
    pd.testing.assert_frame_equal(kept["table_2.units"], tables.coref_by_document(counts))
    assert table.attrs["manifest"]["options"] == {"from_word": "mean", "shuffles": 9}
    assert "finds an antecedent for" in said.out
    assert "|cut=tiled|" in said.out
    assert (out / "table_2.svg").exists()


def test_documents_without_antecedents(error, tmp_path, model_folder):
    path = tmp_path / "one.conllu"
    path.write_text(ENTITIES.replace("Entity=(2(1)", "Entity=(2(3)"))
    said = error("coref", "--model", model_folder, "--coref", path)
    assert said.startswith("no mention in these documents has an antecedent within its window; ")


def test_documents_that_cannot_be_read(error, tmp_path, model_folder):
    path = tmp_path / "broken.v4_gold_conll"
    path.write_text(CONLL.replace("(0)|(3", "(0|(3", 1))
    for strictly in ([], ["--strict"]):
        said = error("coref", "--model", model_folder, "--coref", path, *strictly)
        assert re.match(rf"{re.escape(str(path))}:\d+: ", said)


def test_text_without_coreference(error, text, model_folder):
    said = error("coref", "--model", model_folder, "--coref", text)
    assert said.startswith(f"{text}:1: no coreference here: wanted CoNLL-2012")


# probes


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTATTN_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("own_cache")
def test_probe_keeps_table_3(run, trees, tmp_path, model_folder):
    out = tmp_path / "out"
    arguments = ["--model", model_folder, "--corpus", trees, "--sentences", 40, "--epochs", 1]
    said = run("probe", *arguments, "--seeds", 1, "--out", out)
    kept = export.read(out)
    assert sorted(kept) == ["learning_curves", "over_others", "table_3", "table_3.units"]
    assert kept["table_3"]["probe"].tolist() == [
        "attention and words",
        "attention only",
        "words and distances",
        "random-init attention and words",
        "right-branching",
        "best offset",
    ]
    assert kept["table_3"]["control"].notna().tolist() == [True, False, True, False, False, False]
    made = kept["table_3"].attrs["manifest"]
    assert (made["options"]["epochs"], made["options"]["seeds"]) == (1, 1)
    assert made["inputs"]["n"] == 40
    assert "Over 1 model with random layers" in said.out
    assert "the training of probes is not counted" in said.err


@pytest.mark.usefixtures("own_cache")
def test_probe_without_random_models(run, trees, model_folder):
    arguments = ["--model", model_folder, "--corpus", trees, "--sentences", 20, "--epochs", 1]
    said = run("probe", *arguments, "--seeds", 0)
    assert "No model with random layers was probed." in said.out


@pytest.mark.usefixtures("own_cache")
def test_too_few_sentences_for_a_probe(error, trees, model_folder):
    arguments = ["--model", model_folder, "--corpus", trees, "--sentences", 2]
    assert error("probe", *arguments).startswith("wanted sentences for training, development and")


def test_vectors_that_are_not_there(error, trees):
    said = error("probe", "--corpus", trees, "--vectors", "none.txt")
    assert said.startswith("no word vectors by the name 'none.txt'")


# clusters


def test_cluster_keeps_the_map_and_its_figure(run, text, tmp_path, model_folder):
    out = tmp_path / "out"
    arguments = ["--model", model_folder, "--corpus", text, "--rows", 0.5, "--sink", "start"]
    said = run("cluster", *arguments, "--out", out)
    kept = export.read(out)
    assert sorted(kept) == [
        "gradients",
        "groupings",
        "head_map",
        "head_pairs",
        "head_pairs.units",
        "map_quality",
        "nearest_heads",
    ]
    assert len(kept["head_pairs"]) == 6 * 5 / 2
    assert len(kept["head_map"]) == 6
    assert kept["groupings"]["variant"].unique().tolist() == ["as it is", "without the sink"]
    made = kept["groupings"].attrs["manifest"]
    assert made["options"]["sink_removed"] == "start"
    assert "heads" in plots.show(plots.figure_6(kept["head_map"])).alt
    assert (out / "figure_6.svg").read_bytes().startswith(b"<?xml")
    assert (out / "figure_6.pdf").read_bytes().startswith(b"%PDF")
    assert "The sink ('start') was removed from 3 of 3 inputs." in said.out
    assert "The map's stress is" in said.out


# views


def test_view_as_a_page(run, tmp_path, minilm):
    page = tmp_path / "new" / "a.html"
    asked = ["--heads", "3-1,3-4", "--form", "matrix", "--level", "piece", "--device", "cpu"]
    said = run("view", "--text", "She fed it.", "--second", "It hid.", *asked, "--out", page)
    attention = minilm.attention("She fed it.", "It hid.")
    chosen = [AttentionHead(2, 0), AttentionHead(2, 3)]
    assert HeadView(attention, chosen, "piece", "matrix").html in page.read_text()
    assert re.fullmatch(rf"{re.escape(str(page))}, \d\.\d MB", said.out.splitlines()[-1])


def test_view_of_all_heads_as_a_picture(run, tmp_path, model_folder):
    arguments = ["--model", model_folder, "--text", "she fed it.", "--second", "it made that."]
    picture, drawing = tmp_path / "a.png", tmp_path / "a.SVG"
    said = run("view", *arguments, "--all", "--level", "piece", "--out", picture)
    assert said.out.startswith("2 layers of 3 heads on one text.")
    assert picture.read_bytes().startswith(b"\x89PNG")
    said = run("view", *arguments, "--form", "matrix", "--heads", "2-3", "--out", drawing)
    assert drawing.read_bytes().startswith(b"<?xml")
    assert "2-3" in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--text", "it", "--heads", "9-1"], "wanted a head from 1-1 to 2-3, got 9-1"),
        (["--text", "it", "--heads", "1-1,2-1"], "or several of one layer, got 1-1, 2-1"),
        (["--text", "it " * 600], "512"),
        (["--text", ""], "the tokenizer makes no piece of ''; give some text"),
    ],
)
def test_views_that_cannot_be_made(error, arguments, said, tmp_path, model_folder):
    out = tmp_path / "a.html"
    assert said in error("view", "--model", model_folder, *arguments, "--out", out)
    assert not out.exists()


# data


@pytest.mark.usefixtures("server")
def test_data_is_fetched(run, tmp_path):
    there = run("data", "gum-sd", "--dry-run").out
    assert there.startswith("gum-sd: 2 files, 0.0 MB\n  licence: licence of /b/one.conll10")
    assert not (tmp_path / "gum-sd").exists()
    said = run("data", "gum-sd").out
    assert said.startswith(f"gum-sd: 2 files in {tmp_path / 'gum-sd'}\n  licence: ")
    assert len(list((tmp_path / "gum-sd").iterdir())) == 2


@pytest.mark.usefixtures("server")
def test_without_names_everything_is_fetched(run):
    assert [line.split(":")[0] for line in run("data").out.splitlines()[::2]] == [
        "wikitext2-valid",
        "gum-sd",
    ]


def test_what_is_said_of_errors_is_one_line():
    assert running.sentence(OSError("one\n  two")) == "one two"
    assert running.sentence(ValueError("x")) == "ValueError: x (not foreseen; --debug shows where)"
