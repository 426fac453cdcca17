"""How converted labels are measured: alignment, scores, and what is written."""

from datetime import date

import pandas as pd
import pytest

from bertattn.corpora import data_folder
from data import agreement_ud
from data.agreement import attachment
from tests.conftest import ROOT

GOLD = """\
1\tEye-tracking\t_\tNN\tNN\t_\t2\tnsubj\t_\t_
2\thelps\t_\tVB\tVBZ\t_\t0\troot\t_\t_
3\tin\t_\tIN\tIN\t_\t2\tprep\t_\t_
4\tBath\t_\tNP\tNNP\t_\t3\tpobj\t_\t_
5\t,\t_\t,\t,\t_\t2\tpunct\t_\t_
6\tgood\t_\tJJ\tJJ\t_\t1\tamod\t_\t_
7\tleft\t_\tVB\tVBN\t_\t4\tvmod\t_\t_
"""
UD = """\
# sent_id = a-1
1\tEye\teye\tNOUN\tNN\t_\t3\tcompound\t_\t_
2\t-\t-\tPUNCT\tHYPH\t_\t1\tpunct\t_\t_
3\ttracking\tt\tNOUN\tNN\t_\t4\tnsubj\t_\t_
4\thelps\thelp\tVERB\tVBZ\t_\t0\troot\t_\t_
5\tin\tin\tADP\tIN\t_\t6\tcase\t_\t_
6\tBath\tBath\tPROPN\tNNP\t_\t4\tobl\t_\t_
7\t,\t,\tPUNCT\t,\t_\t4\tpunct\t_\t_
8\tgood\tgood\tADJ\tJJ\t_\t3\tamod\t_\t_
9\tleft\tleave\tVERB\tVBN\t_\t4\tacl\t_\t_
"""


@pytest.fixture
def folder(tmp_path):
    for name, ending, text in (("sd_v5", "conll10", GOLD), ("dep", "conllu", UD)):
        (tmp_path / name).mkdir()
        for document in ("a", "b", "c"):
            (tmp_path / name / f"{document}.{ending}").write_text(text)
    return tmp_path


def test_words_are_aligned_and_what_is_not_is_counted(folder):
    part = agreement_ud.aligned(*agreement_ud.documents(folder)[0])
    assert part.words == 6
    assert part.without_counterpart == 1  # Eye-tracking
    assert part.governor_without == 1  # good, whose governor is Eye-tracking
    assert part.there == {
        ("a", 3, None, "root"),
        ("a", 4, 3, "prep"),
        ("a", 5, 4, "pobj"),
        ("a", 8, 5, "vmod"),
    }
    assert part.here == part.there - {("a", 8, 5, "vmod")} | {("a", 8, 3, "vmod")}
    assert attachment(part.here, part.there) == (100 * 3 / 4, 100 * 3 / 4)


def test_every_other_document_is_held_out(folder):
    looked_at, others = agreement_ud.halves(agreement_ud.documents(folder))
    assert (looked_at.documents, others.documents) == (2, 1)
    assert {arc[0] for arc in others.there} == {"b"}
    assert {arc[0] for arc in looked_at.there} == {"a", "c"}
    assert looked_at.words == 2 * 6


def test_the_table_is_of_the_held_out_part(folder):
    _, others = agreement_ud.halves(agreement_ud.documents(folder))
    lines = agreement_ud.table(others).splitlines()
    assert lines == [
        "relation,n,f1",
        "All,4,75.0",
        "infmod,1,0.0",
        "partmod,1,0.0",
        "pobj,1,100.0",
        "prep,1,100.0",
        "root,1,100.0",
        "vmod,1,0.0",
    ]


def test_rare_and_wrong_labels_are_flagged(folder):
    parts = agreement_ud.halves(agreement_ud.documents(folder))
    text = agreement_ud.markdown(*parts)
    assert "| **others** | 1 | 6 | 4 | 1 | 1 | 75.0 | 75.0 |" in text
    assert "| `prep` | 1 | 1 | 100.0 | 100.0 | flagged |" in text
    often = agreement_ud.Score(9, 9, 10, 10)
    assert agreement_ud.relied_on(often)
    assert not agreement_ud.relied_on(often._replace(right_here=8.0, right_there=8.0))
    assert not agreement_ud.relied_on(agreement_ud.Score(9, 9, 9, 9))


def test_a_folder_without_both_is_refused(folder, tmp_path):
    (folder / "dep" / "b.conllu").unlink()
    for wrong in (folder, tmp_path / "no-such"):
        with pytest.raises(SystemExit, match=r"wanted sd_v5/NAME.conll10, and dep/NAME.conllu"):
            agreement_ud.documents(wrong)


def test_the_document_is_renewed():
    text = "before <!-- measured -->\nold\n<!-- end --> after"
    new = agreement_ud.renewed(text, "| new |", date(2026, 1, 2))
    assert new == (
        "before <!-- measured -->\n\nMeasured 2026-01-02.\n\n| new |\n\n<!-- end --> after"
    )
    with pytest.raises(SystemExit, match="wanted a place between"):
        agreement_ud.renewed("nothing", "", date(2026, 1, 2))


def test_the_command_writes_table_and_document(folder, monkeypatch, capsys):
    document, table = folder / "UD.md", folder / "stanford.csv"
    document.write_text("<!-- measured --><!-- end -->")
    monkeypatch.setattr(agreement_ud, "DOCUMENT", document)
    monkeypatch.setattr(agreement_ud, "TABLE", table)
    monkeypatch.setattr("sys.argv", ["agreement_ud", str(folder)])
    agreement_ud.main()
    assert not table.exists()
    monkeypatch.setattr("sys.argv", ["agreement_ud", str(folder), "--write"])
    agreement_ud.main()
    assert "| `prep` |" in capsys.readouterr().out
    assert "| `prep` |" in document.read_text()
    assert table.read_text().startswith("relation,n,f1\nAll,4,75.0\n")


def test_the_document_and_the_packages_table_say_the_same():
    kept = pd.read_csv(data_folder() / "converted" / "stanford.csv", index_col="relation")
    text = (ROOT / "docs" / "UD_LABELS.md").read_text()
    for relation in ("All", "prep", "pobj", "nsubj", "advcl", "vmod"):
        row = kept.loc[relation]
        [line] = [x for x in text.splitlines() if x.startswith(f"| `{relation}` |")]
        assert line.split(" | ")[1].replace(",", "") == str(row["n"].astype(int))
        assert line.split(" | ")[3] == str(row["f1"])


def test_against_trees_that_people_drew(gold_data):
    """The kept table is what is measured, on documents that the rules were not made on."""
    parts = agreement_ud.halves(agreement_ud.documents(gold_data / "gum"))
    assert (data_folder() / "converted" / "stanford.csv").read_text() == (
        agreement_ud.table(parts[1])
    )
    uas, las = attachment(parts[1].here, parts[1].there)
    assert uas > 95.5
    assert las > 93
    left_out = parts[1].without_counterpart + parts[1].governor_without
    assert len(parts[1].there) + left_out == parts[1].words
    assert left_out < 0.01 * parts[1].words
