"""Text to double: the same bits as Python's float()."""

from __future__ import annotations

import random
import struct
from decimal import Decimal, localcontext

import numpy as np
import pytest

from ranksieve.kernels.compile import INTERPRETED
from ranksieve.kernels.text.decimal import (
    INFINITE,
    MISSING,
    NO_NUMBER,
    NUMBER,
    UNDECIDED,
    read_decimal,
    read_plain,
)
from ranksieve.kernels.text.eisel_lemire import (
    GREATEST_POWER,
    LEAST_POWER,
    nearest_double,
    powers_of_five,
)
from tests.kernels.entries import with_entry

nearest_double = with_entry(nearest_double)
read_decimal = with_entry(read_decimal)
read_plain = with_entry(read_plain)

SEEDS = (1, 2, 3)
CASES = 100 if INTERPRETED else 5000


def read(token: str) -> tuple[float, int, int]:
    text = np.array(list(f"{token}\n".encode()), dtype=np.uint8)
    value, end, status = read_decimal(text, 0, powers_of_five())
    return float(value), int(end), int(status)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def random_double(rng: random.Random) -> float:
    while True:
        (value,) = struct.unpack("<d", rng.randbytes(8))
        if np.isfinite(value):
            return value


def assert_same_as_python(token: str) -> None:
    value, end, status = read(token)
    assert status == NUMBER, token
    assert end == len(token), token
    assert bits(value) == bits(float(token)), token


@pytest.mark.parametrize(
    "token",
    [
        "0", "-0", "+0", "0.0", "-0.0", "0e5", "-0e-400", "5.", ".5", "-.5", "+5.25", "1e5", "1E+5",
        "1e-5", "007", "00.50", "123456789012345678", "9007199254740993", "9007199254740992",
        "1e22", "1e23", "1e-22", "1e-23", "8.5e22", "9007199254740993e10", "1.7976931348623157e308",
        "4.9e-324", "5e-324", "2.5e-324", "2.4e-324", "2.2250738585072014e-308",
        "2.2250738585072011e-308", "1e-400", "1e400", "-1e400", "1e309", "1e-999999999999",
        "1e999999999999", "1.7976931348623159e308", "123456789e300", "6.631236846766476e-316",
        "9223372036854775807", "18446744073709551615", "0." + "0" * 400 + "1e400",
        "1" + "0" * 400 + "e-400", "100000000000000000000000", "3.0540412e5",
    ],
)  # fmt: skip
def test_a_number_is_read_as_python_reads_it(token):
    assert_same_as_python(token)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_shortest_and_the_17_digit_text_of_any_double_are_read_back(seed):
    rng = random.Random(seed)
    for _ in range(CASES):
        value = random_double(rng)
        assert_same_as_python(repr(value))
        assert_same_as_python(f"{value:.16e}")


@pytest.mark.parametrize("seed", SEEDS)
def test_subnormal_numbers_are_rounded_once(seed):
    rng = random.Random(seed)
    for _ in range(CASES):
        value = rng.randrange(1, 2 ** rng.randint(1, 53)) * 5e-324
        assert_same_as_python(f"{value:.16e}")
        assert_same_as_python(f"{rng.randrange(1, 10**6)}e-{rng.randint(320, 330)}")


@pytest.mark.parametrize("seed", SEEDS)
def test_any_mantissa_and_exponent_give_what_python_gives(seed):
    rng = random.Random(seed)
    for _ in range(CASES):
        mantissa = rng.randrange(10 ** rng.randint(1, 18))
        assert_same_as_python(f"{mantissa}e{rng.randint(-345, 312)}")
        assert_same_as_python(f"{rng.choice('-+')}{mantissa / 10**6:.6f}")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tie_of_at_most_18_digits_goes_to_the_even_double(seed):
    rng = random.Random(seed)
    for _ in range(CASES):
        odd_half = 2 * rng.randrange(2**52, 2**53) + 1
        assert_same_as_python(str(odd_half))
        assert_same_as_python(f"{odd_half * 5}e-1")


@pytest.mark.parametrize("seed", SEEDS)
def test_many_digits_are_read_as_python_does_or_left_undecided(seed):
    rng = random.Random(seed)
    undecided = 0
    for _ in range(CASES):
        token = f"{random_double(rng):.30e}"
        value, end, status = read(token)
        assert end == len(token)
        undecided += status == UNDECIDED
        assert status == UNDECIDED or bits(value) == bits(float(token))
    assert undecided < CASES / 20


@pytest.mark.parametrize("seed", SEEDS)
def test_the_exact_middle_between_two_doubles_is_left_to_python(seed):
    rng = random.Random(seed)
    with localcontext() as context:
        context.prec = 1100
        for _ in range(20):
            low = abs(random_double(rng)) / 2
            middle = (Decimal(low) + Decimal(np.nextafter(low, np.inf))) / 2
            assert read(f"{middle:e}")[2] == UNDECIDED


def test_zeros_after_the_eighteenth_digit_do_not_matter():
    assert_same_as_python("123456789012345678" + "0" * 30)
    assert_same_as_python("0.123456789012345678" + "0" * 30)


@pytest.mark.parametrize("token", ["nan", "NaN", "NAN", "-nan", "+nan", "null", "NULL", "Null"])
def test_nan_and_null_in_any_case_are_missing(token):
    value, end, status = read(token)
    assert np.isnan(value)
    assert (end, status) == (len(token), MISSING)


@pytest.mark.parametrize("token", ["inf", "Inf", "-inf", "+INF", "infinity", "-Infinity"])
def test_inf_and_infinity_are_infinite(token):
    assert read(token)[1:] == (len(token), INFINITE)


@pytest.mark.parametrize(
    "token", ["", ".", "-", "+", "-.", "e5", ".e5", "1e", "1e+", "abc", "-null", "na", "--1", "x1"]
)
def test_what_is_no_number_is_said_to_be_none(token):
    assert read(token)[2] == NO_NUMBER


@pytest.mark.parametrize(
    ("token", "end"), [("1_000", 1), ("1.5.2", 3), ("0x10", 1), ("1,5", 1), ("nano", 3), ("5:3", 1)]
)
def test_reading_stops_where_the_number_stops(token, end):
    assert read(token)[1] == end


def test_the_table_holds_the_leading_bits_of_each_power_of_five():
    table = powers_of_five()
    assert len(table) == GREATEST_POWER - LEAST_POWER + 1
    for q in (0, 1, 27, 55, 56, 308):
        high, low = (int(word) for word in table[q - LEAST_POWER])
        shift = 128 - (5**q).bit_length()
        assert (high << 64 | low) == (5**q << shift if shift >= 0 else 5**q >> -shift)
    assert (table[:, 0] >> np.uint64(63) == 1).all()


@pytest.mark.parametrize(
    ("w", "q", "expected"),
    [
        (0, 5, 0.0),
        (1, -343, 0.0),
        (1, 309, np.inf),
        (18, 307, float("18e307")),
        (99, 307, np.inf),
        (2**64 - 1, 0, float(2**64)),
        (2**64 - 1, -342, float(f"{2**64 - 1}e-342")),
        (1, -342, 0.0),
        (9007199254740993, 0, 9007199254740992.0),
    ],
)
def test_the_nearest_double_covers_its_whole_range(w, q, expected):
    assert nearest_double(np.uint64(w), q, powers_of_five()) == expected


def test_a_carry_from_the_lower_half_of_the_power_is_taken_along():
    rng = random.Random(5)
    table = powers_of_five()
    found = 0
    while found < 30:
        w, q = rng.randrange(2**63, 2**64), rng.randint(-300, 280)
        product = w * int(table[q - LEAST_POWER, 0])
        if (product >> 64) & 0x1FF != 0x1FF:
            continue
        found += 1
        assert nearest_double(np.uint64(w), q, table) == float(f"{w}e{q}")


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "7",
        "0.5",
        "12.",
        ".25",
        "0.000001",
        "123456789012345",
        "0.12345678901234",
        "-0.5",
        "-12",
    ],
)
def test_plain_numbers_are_read_as_python_reads_them(text):
    value, end = read_plain(np.frombuffer(f"{text} ".encode(), dtype=np.uint8), 0)
    assert (value, end) == (float(text), len(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "-",
        "--1",
        "+1",
        "1e5",
        "nan",
        "1234567890123456",
        "0.1234567890123456789",
        "1:",
        "1#",
        "5x",
    ],
)
def test_what_is_more_than_a_plain_number_is_left_to_the_full_reader(text):
    padded = np.frombuffer(f"{text} ".encode(), dtype=np.uint8)
    assert read_plain(padded, 0)[1] == -1


@pytest.mark.parametrize("seed", range(5))
def test_any_plain_number_is_read_to_the_bit(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        digits = "".join(map(str, rng.integers(0, 10, rng.integers(1, 16))))
        point = rng.integers(0, len(digits) + 1)
        text = f"{digits[:point]}.{digits[point:]}"
        value, end = read_plain(np.frombuffer(f"{text}\n".encode(), dtype=np.uint8), 0)
        assert end == len(text)
        assert value == float(text)
