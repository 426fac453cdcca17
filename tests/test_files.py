import pytest

from bertattn.files import replacing


def write_half(path):
    with replacing(path) as file:
        file.write(b"half of the new")
        raise RuntimeError("on purpose")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="on purpose"):
        write_half(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_readable_by_others(tmp_path):
    with replacing(tmp_path / "deep" / "numbers.txt") as file:
        file.write(b"new")
    assert (tmp_path / "deep" / "numbers.txt").stat().st_mode & 0o777 == 0o644
