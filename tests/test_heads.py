import pytest

from bertattn.heads import AttentionHead, all_heads


def test_code_counts_from_0_and_print_from_1():
    assert str(AttentionHead(7, 9)) == "8-10"
    assert AttentionHead.parse(" 8-10 ") == AttentionHead(7, 9)


def test_heads_are_ordered_layer_by_layer():
    assert all_heads(2, 2) == sorted(all_heads(2, 2))
    assert len(all_heads(12, 12)) == 144


@pytest.mark.parametrize("name", ["0-1", "8", "8-", "8-0", "8.10", "-1-2", ""])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match=r"wanted a head's name such as '8-10'.*got " + repr(name)):
        AttentionHead.parse(name)


def test_negative_numbers_are_refused():
    with pytest.raises(ValueError, match="counted from 0, got layer -1"):
        AttentionHead(-1, 0)
