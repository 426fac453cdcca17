"""The cache of word-level maps: whole or not there, whatever happens."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bertattn import probes, words
from bertattn.model import AttentionModel
from bertattn.probes import store as stores
from bertattn.probes.maps import Centred, word_maps
from bertattn.probes.store import CacheError, Writer, key_of, stored
from bertattn.segments import Trees
from tests import probing, tiny

ARRAYS = [np.arange(n * 4, dtype=np.float16).reshape(n, 2, 2) for n in (1, 3, 2)]


def make(writer):
    for number, array in enumerate(ARRAYS):
        writer.add(number, array)


def never(writer):
    raise AssertionError("it is there, and is not to be made again")


def assert_same(found):
    assert len(found) == len(ARRAYS)
    for number, array in enumerate(ARRAYS):
        assert found[number].dtype == np.float16
        np.testing.assert_array_equal(found[number], array)


def in_python(code, folder, **limits):
    """Run code that makes a store, in a process of its own."""
    start = f"""
import os, signal, resource
import numpy as np
from pathlib import Path
from bertattn.probes.store import stored, CacheError
folder = Path({str(folder)!r})
"""
    return subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, timeout=60
    )


def test_what_was_stored_is_found_again(tmp_path):
    assert_same(stored("maps-a", make, tmp_path))
    assert_same(stored("maps-a", never, tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["maps-a"]


def test_arrays_come_by_their_number_in_whatever_order_they_were_added(tmp_path):
    def backwards(writer):
        for number in (2, 0, 1):
            writer.add(number, ARRAYS[number])

    assert_same(stored("maps-a", backwards, tmp_path))


def test_a_key_depends_on_all_that_it_is_made_from(tmp_path):
    code = tmp_path / "code.py"
    code.write_text("x = 1")
    keys = [key_of({"model": 1}, [code]), key_of({"model": 2}, [code])]
    code.write_text("x = 2")
    assert len({*keys, key_of({"model": 1}, [code])}) == 3


def test_an_error_on_the_way_leaves_nothing(tmp_path):
    def half(writer):
        writer.add(0, ARRAYS[0])
        raise RuntimeError("the model stopped")

    with pytest.raises(RuntimeError, match="the model stopped"):
        stored("maps-a", half, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_that_is_killed_leaves_nothing_that_is_read(tmp_path):
    code = """
def make(writer):
    writer.add(0, np.ones(100_000, dtype=np.float16))
    os.kill(os.getpid(), signal.SIGKILL)
stored("maps-a", make, folder)
"""
    assert in_python(code, tmp_path).returncode == -9
    assert [p.name.startswith(".making-maps-a-") for p in tmp_path.iterdir()] == [True]
    assert_same(stored("maps-a", make, tmp_path))


def test_of_two_runs_at_once_the_first_to_finish_is_kept(tmp_path):
    with Writer(tmp_path, "maps-a") as slow:
        make(slow)
        assert_same(stored("maps-a", make, tmp_path))
        first = (tmp_path / "maps-a").stat().st_ino
    assert (tmp_path / "maps-a").stat().st_ino == first
    assert [p.name for p in tmp_path.iterdir()] == ["maps-a"]
    assert_same(stored("maps-a", never, tmp_path))


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path):
    """A limit on the size of files stands for the disk: the system refuses the same call."""
    code = """
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
def make(writer):
    for number in range(100):
        writer.add(number, np.ones(10_000, dtype=np.float16))
try:
    stored("maps-a", make, folder)
except CacheError as error:
    print(error)
"""
    done = in_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "cannot be kept here: there is no room left. Nothing half-written is left" in done.stdout
    assert f"{tmp_path}" in done.stdout
    assert "BERTATTN_CACHE" in done.stdout
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="the word maps cannot be kept here"):
        stored("maps-a", make, tmp_path / "file" / "folder")


def test_of_two_processes_at_once_both_read_the_same_store(tmp_path):
    code = """
import time
def make(writer):
    for number in range(20):
        writer.add(number, np.full(50_000, number, dtype=np.float16))
        time.sleep(0.02)
found = stored("maps-a", make, folder)
print(sum(float(found[number].mean()) for number in range(20)))
"""
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: in_python(code, tmp_path), range(2)))
    assert [d.stdout.strip() for d in done] == [str(float(sum(range(20))))] * 2, done
    assert [p.name for p in tmp_path.iterdir()] == ["maps-a"]


def test_bytes_that_are_not_those_written_are_found(tmp_path):
    stored("maps-a", make, tmp_path)
    path = tmp_path / "maps-a" / "values.f16"
    content = bytearray(path.read_bytes())
    content[9] ^= 1
    path.write_bytes(content)
    assert_same(stored("maps-a", make, tmp_path))


def test_a_store_that_is_still_being_written_is_not_swept(tmp_path):
    long_ago = time.time() - 3 * 86_400
    with Writer(tmp_path, "maps-slow") as slow:
        make(slow)
        os.utime(slow.path, (long_ago, long_ago))
        stored("maps-b", make, tmp_path)
    assert_same(stored("maps-slow", never, tmp_path))


@pytest.mark.parametrize("name", ["values.f16", "index.npz"])
def test_a_damaged_store_is_made_anew(tmp_path, name):
    stored("maps-a", make, tmp_path)
    path = tmp_path / "maps-a" / name
    path.write_bytes(path.read_bytes()[:-8])
    assert_same(stored("maps-a", make, tmp_path))


def test_old_leavings_are_swept_and_nothing_else(tmp_path):
    stored("maps-old", make, tmp_path)
    stored("maps-new", make, tmp_path)
    for name in (".making-maps-x-dead", ".making-maps-x-alive", "maps-of-my-own", "photos"):
        (tmp_path / name).mkdir()
    long_ago = time.time() - 40 * 86_400
    for name in ("maps-old", ".making-maps-x-dead", "maps-of-my-own", "photos"):
        os.utime(tmp_path / name, (long_ago, long_ago))
    stored("maps-another", make, tmp_path)
    left = {p.name for p in tmp_path.iterdir()}
    kept = {"maps-new", "maps-another", ".making-maps-x-alive", "maps-of-my-own", "photos"}
    assert left == kept


def test_a_store_that_is_used_stays(tmp_path):
    stored("maps-a", make, tmp_path)
    long_ago = time.time() - 40 * 86_400
    os.utime(tmp_path / "maps-a", (long_ago, long_ago))
    stored("maps-a", never, tmp_path)
    stored("maps-b", make, tmp_path)
    assert_same(stored("maps-a", never, tmp_path))


def test_the_folder_is_named_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTATTN_CACHE", str(tmp_path))
    assert stores.default_folder() == tmp_path
    monkeypatch.delenv("BERTATTN_CACHE")
    assert stores.default_folder().parts[-2:] == ("bertattn", "maps")


def test_word_maps_are_those_of_single_sentences(tiny_model, tmp_path):
    made = probing.sentences(30)
    inputs = list(
        Trees([*made, probing.sentence("x", (1, None), ("it", "\u200b"))], tiny_model.encoder)
    )
    found = word_maps(tiny_model, inputs, folder=tmp_path)
    for number, tokens in enumerate(inputs):
        merged = words.merge(tiny_model.attention(tokens))
        n = len(tokens.words)
        wanted = np.zeros((n + 2, n + 2, 6))
        at = [*merged.word_index, n, n + 1]
        wanted[np.ix_(at, at)] = np.concatenate(merged.weights).transpose(1, 2, 0)
        np.testing.assert_allclose(found[number], wanted, atol=6e-4)
    assert found[30][1].sum() == 0  # a word without pieces


def test_word_maps_are_made_once_and_again_if_anything_changes(tiny_model, tmp_path, monkeypatch):
    inputs = list(Trees(probing.sentences(4), tiny_model.encoder))
    word_maps(tiny_model, inputs, folder=tmp_path)
    monkeypatch.setattr(probes.maps, "passes", None)
    word_maps(tiny_model, inputs, folder=tmp_path)
    for changed in ({"inputs": inputs[1:]}, {"inputs": inputs, "from_word": "first"}):
        with pytest.raises(TypeError, match="not callable"):
            word_maps(tiny_model, folder=tmp_path, **changed)


def test_word_maps_of_no_sentence_are_refused(tiny_model, tmp_path):
    with pytest.raises(ValueError, match="wanted sentences to make maps of, got none"):
        word_maps(tiny_model, [], folder=tmp_path)


def test_word_maps_of_another_configuration_are_other_maps(tiny_model, tmp_path):
    """The same weights in more heads: no tensor differs, and yet the maps do."""
    module, tokenizer = tiny.module("Bert", num_attention_heads=4)
    other = AttentionModel(module, tokenizer, "other", device="cpu")
    assert other.sha256 == tiny_model.sha256
    inputs = list(Trees(probing.sentences(3), tiny_model.encoder))
    sizes = [word_maps(m, inputs, folder=tmp_path)[0].shape[-1] for m in (tiny_model, other)]
    assert sizes == [6, 8]


def test_a_split_word_can_have_its_first_pieces_row(tiny_model, tmp_path):
    split = list(Trees([probing.sentence("x", (1, None), ("crab", "it"))], tiny_model.encoder))
    assert len(split[0]) > 4
    maps = tiny_model.attention(split[0])
    first = word_maps(tiny_model, split, "first", folder=tmp_path)[0]
    wanted = np.concatenate(words.merge(maps, "first").weights).transpose(1, 2, 0)
    np.testing.assert_allclose(first, wanted, atol=6e-4)


def test_nothing_of_this_machine_is_in_the_cache_folders_name(tmp_path):
    stored("maps-a", make, tmp_path)
    assert {p.name for p in (tmp_path / "maps-a").iterdir()} == {"values.f16", "index.npz"}
    assert isinstance(stored("maps-a", never, tmp_path).path, Path)


def test_uniform_attention_is_zero_when_centred():
    flat = np.full((4, 4, 1), 1 / 4, dtype=np.float16)
    peaked = np.eye(4, dtype=np.float16)[..., None]
    centred = Centred(probing.Listed([flat, peaked]))
    assert not centred[0].any()
    assert centred[1][..., 0].tolist() == (4 * np.eye(4) - 1).tolist()
