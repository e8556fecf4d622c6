import numpy as np
import pytest

from ranksieve.kernels.text.line_writer import write_lines
from ranksieve.kernels.text.shortest import UNKNOWN, decimal_places, write_decimal
from tests.kernels.entries import with_entry

write_decimal = with_entry(write_decimal)


def texts(values, dtype):
    X = np.array([values], dtype=dtype)
    places = np.empty(X.shape, dtype=np.int8)
    n_unknown = decimal_places(X, places)
    assert n_unknown == np.count_nonzero(places == UNKNOWN)
    return [
        None if place == UNKNOWN else _written(value, place)
        for value, place in zip(X[0], places[0], strict=True)
    ]


def _written(value, place):
    buffer = np.zeros(40, dtype=np.uint8)
    end = write_decimal(buffer, 0, value, int(place))
    return buffer[:end].tobytes().decode()


def test_numbers_are_written_with_the_fewest_places():
    values = [0, 1, -2.5, 0.1, 0.25, 1234567, 0.000244, 16777216]
    expected = ["0", "1", "-2.5", "0.1", "0.25", "1234567", "0.000244", "16777216"]
    assert texts(values, np.float32) == expected
    assert texts(values, np.float64) == expected


def test_the_sign_of_zero_is_kept():
    assert texts([-0.0], np.float64) == ["-0"]


def test_long_numbers_below_one_have_all_their_zeros():
    assert texts([1.5e-12], np.float64) == ["0.0000000000015"]


def test_numbers_out_of_reach_are_left_to_others():
    assert texts([1e300, 1e-30, 1 / 3 + 1e-16], np.float64)[:2] == [None, None]
    assert texts([3.4e38, 1e-38], np.float32) == [None, None]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e4, 1e12])
def test_every_text_reads_back_to_its_value(dtype, scale):
    rng = np.random.default_rng(int(np.log10(scale)) + 99)
    values = (rng.normal(size=300) * scale).astype(dtype)
    for value, text in zip(values, texts(values, dtype), strict=True):
        assert text is None or dtype(text) == value


def test_a_float32_has_no_more_digits_than_its_shortest_form():
    values = np.random.default_rng(5).random(300).astype(np.float32) + np.float32(0.01)
    for value, text in zip(values, texts(values, np.float32), strict=True):
        assert len(text) <= len(str(value))


def test_a_line_is_head_labelled_values_and_tail():
    def joined(*parts):
        offsets = np.cumsum([0] + [len(part) for part in parts]).astype(np.int32)
        return np.frombuffer(b"".join(parts), np.uint8), offsets

    X = np.array([[0.5, 1e300], [2.0, 0.0]])
    places = np.empty(X.shape, dtype=np.int8)
    assert decimal_places(X, places) == 1
    buffer = np.zeros(200, dtype=np.uint8)
    labels, odd = joined(b" 1:", b" 2:"), joined(b"1e300")
    end = write_lines(buffer, X, places, joined(b"A", b"B"), labels, odd, joined(b"\n", b"!\n"))
    assert buffer[:end].tobytes() == b"A 1:0.5 2:1e300\nB 1:2 2:0!\n"
