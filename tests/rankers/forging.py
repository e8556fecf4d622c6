"""Model files that someone changed who can compute checksums, by their structure."""

from __future__ import annotations

import copy
import json
import re
import struct

import numpy as np

from ranksieve.rankers._model_file import IN_JSON, ON_LINE, _checksum, _parts

NUMBERS = (
    0, -1, 1, 2, 3, 255, 65535, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**40, 2**63, -(2**63),
    10**30, 0.5, -0.5, 1e-300, 5e-324, 1e38, 3.5e38, -1e300, 1.7e308,
)  # fmt: skip
TEXTS = (
    "", "x", "0", "-1", "1e0", "1e9", "nan", "inf", "-inf", "99999999999999999999", "a" * 5000,
    "\u00fc", "gbtree", "dart", "gblinear", "multi:softmax", "rank:ndcg", "[1,2]", "0x10", " ",
    "1 2 3", "1_0", "+5", "00", "true",
)  # fmt: skip
RANKERS = (
    "RankSVM()", "ListNet()", "RankNet(n_hidden=3)", "RankBoost()", "KernelRankSVM()",
    "KernelRankSVM('polynomial', degree=1000000000000)", "PointwiseRanker('Ridge')", "GAS()", "",
    "PointwiseRanker('KNeighborsRegressor')", "LightGBMRanker()", "XGBoostRanker()",
    "CatBoostRanker()", "RankNet(n_hidden=100000000000)", "SparseRankSVM()", "-" * 2000 + "1",
    "LightGBMRanker(params={'num_threads': 100000})", "RankSVM(C=" + "(" * 500 + ")" * 500 + ")",
)  # fmt: skip


def split(content):
    """The model of a file, and what the file says about it."""
    return _parts(content, "model")


def signed(payload, about):
    """A file with the right checksum."""
    about = {**about, "sha256": _checksum(payload, about)}
    line = json.dumps(about, ensure_ascii=False).encode("utf-8", "replace")
    if payload.endswith(b"}"):
        return payload[:-1] + IN_JSON + line + b"}\n"
    return payload + ON_LINE + line + b"\n"


def forged(content, rng):
    """A file with one to three changes in its structure."""
    payload, about = split(content)
    if rng.random() < 0.08:
        return signed(payload, changed_about(about, rng))
    change = {b"t": changed_text, b"C": changed_binary, b"{": changed_json}[payload[:1]]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        payload = change(payload, rng)
    return signed(payload, about)


def changed_about(about, rng):
    """A description with another member."""
    about = dict(about)
    kind = rng.integers(5)
    if kind == 0:
        about["n_features"] = pick(rng, (*NUMBERS, True, None, "3", [1], 10**6, 10**9))
        about["features"] = None
    elif kind == 1:
        about["ranker"] = pick(rng, (*RANKERS, *TEXTS))
    elif kind == 2:
        about["features"] = pick(rng, ([], ["a"], None, "abc", {"a": 1}, [1] * 10, 7))
    elif kind == 3:
        del about[pick(rng, [name for name in about if not name.startswith("format")])]
    else:
        about["scaling"] = pick(rng, ("minmax", "zscore", "", 3, ["minmax"], {}))
    return about


def pick(rng, items):
    """One of some items, whatever they are."""
    return items[int(rng.integers(len(items)))]


def changed_json(payload, rng):
    """JSON with a value changed, removed, repeated, moved, or an object with a key twice."""
    try:
        content = json.loads(payload)
    except (ValueError, RecursionError):
        return payload
    if not isinstance(content, dict) or not content:
        return payload
    holder, key = pick(rng, _holders(content))
    kind = rng.integers(8)
    value = holder[key]
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[f"{key}x" if rng.random() < 0.5 else pick(rng, TEXTS)] = value
    elif kind == 2 and isinstance(value, list) and value:
        holder[key] = _other_length(value, rng)
    elif kind == 3:
        holder[key] = pick(rng, TEXTS)
    elif kind == 4:
        other, place = pick(rng, _holders(content))
        holder[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(value)
    elif kind == 5:
        holder[key] = pick(rng, ([], {}, None, True, [[]], [[[1]]], {"a": {}}, [None]))
    elif kind == 6 and isinstance(value, dict) and value:
        name = pick(rng, list(value))
        text = json.dumps(content)
        twice = f"{json.dumps(name)}: {pick(rng, NUMBERS)}, {json.dumps(name)}:"
        return text.replace(f"{json.dumps(name)}:", twice, 1).encode()
    else:
        number = pick(rng, NUMBERS)
        holder[key] = str(number) if isinstance(value, str) and rng.random() < 0.7 else number
    text = json.dumps(content)
    if rng.random() < 0.02:
        text = re.sub(r"-?\d+\.\d+", pick(rng, ("NaN", "Infinity", "1e999")), text, count=1)
    if rng.random() < 0.01:
        text = text[:-1] + ', "deep": ' + "[" * 3000 + "]" * 3000 + "}"
    return text.encode()


def _holders(content):
    """Each container with each of its keys; of long lists only some."""
    pairs, waiting = [], [content]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else list(range(min(len(each), 8)))
        pairs += [(each, key) for key in keys]
        waiting += [each[key] for key in keys if isinstance(each[key], dict | list)]
    return pairs


def _other_length(values, rng):
    kind = rng.integers(5)
    if kind == 0:
        return values[: int(rng.integers(len(values)))]
    if kind == 1:
        return values + values
    if kind == 2:
        return (values * 20_000)[:20_000]
    if kind == 3:
        return values[::-1]
    return [*values, pick(rng, NUMBERS)]


def changed_text(payload, rng):
    """LightGBM's text with a line changed; its sizes of trees are mostly set right again."""
    lines = payload.decode().split("\n")
    if len(lines) < 2:
        return payload
    at = _line(lines, rng)
    name, sign, value = lines[at].partition("=")
    items = value.split(" ")
    kind = rng.integers(9)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        other = _line(lines, rng)
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = name + sign + " ".join(str(item) for item in _other_length(items, rng))
    elif kind == 4:
        lines[at] = name + sign + pick(rng, TEXTS)
    elif kind == 5:
        lines.insert(at, pick(rng, _STRANGE_LINES))
    else:
        items[int(rng.integers(len(items)))] = str(pick(rng, (*NUMBERS, "1e0", "nan", "x")))
        lines[at] = name + sign + " ".join(str(item) for item in items)
    text = "\n".join(str(line) for line in lines)
    return (_resized(text) if rng.random() < 0.9 else text).encode("utf-8", "replace")


_STRANGE_LINES = (
    "cat_boundaries=0 2000000000", "cat_threshold=1 2 3", "num_cat=1", "average_output",
    "is_linear=1", "num_class=3", "leaf_features=99 ", "num_tree_per_iteration=0",
    "[num_threads: 100000]", "[num_leaves: x]", '[data: "]', "pandas_categorical:[[1, 2]]",
    "Tree=7", "end of trees", "", "monotone_constraints=1", "[boosting: dart]", "[seed: [[[]",
)  # fmt: skip


def _line(lines, rng):
    """The index of a line; mostly one of the head or of the trees, which matter most."""
    ends = [index for index, line in enumerate(lines) if line.startswith("end of trees")]
    n_first = ends[0] if ends else 0
    return int(rng.integers(n_first if n_first > 1 and rng.random() < 0.9 else len(lines)))


def _resized(text):
    starts = [found.start() + 1 for found in re.finditer(r"\nTree=\d+\n", text)]
    end = text.find("\nend of trees")
    sizes = [stop - start for start, stop in zip(starts, [*starts[1:], end + 1], strict=False)]
    return re.sub(
        r"^tree_sizes=[-\d ]*$",
        "tree_sizes=" + " ".join(map(str, sizes)),
        text,
        count=1,
        flags=re.MULTILINE,
    )


def changed_binary(payload, rng):
    """CatBoost's buffer with a number, a length, an offset or a text changed, or a random byte."""
    content = bytearray(payload)
    try:
        parts = _parts_of_buffer(payload)
    except (struct.error, ValueError, IndexError):
        return payload
    kind = rng.integers(10)
    if kind == 0:
        content[int(rng.integers(len(content)))] = int(rng.integers(256))
    elif kind == 1:
        at = 8 + int(rng.integers(max(1, len(content) // 4 - 3))) * 4
        struct.pack_into("<I", content, at, int(rng.integers(2**32)))
    elif kind == 2:
        cut = int(rng.integers(8, len(content)))
        content = content[:cut]
        struct.pack_into("<I", content, 4, len(content) - 8)
    elif kind == 3:
        # A text of JSON: nested, or with another number.
        start, length = pick(rng, parts["texts"])
        text = pick(rng, (b"[" * length, b'{"a":' * length, rng.bytes(length), b"9" * length))
        content[start : start + length] = text[:length]
    else:
        form, at = pick(rng, parts[pick(rng, list(parts["groups"]))])
        size = struct.calcsize(form)
        if form in ("<d", "<f"):
            value = pick(rng, (0.0, np.nan, np.inf, -np.inf, 1e308, -1e30, 5e-324))
            value = float(np.float32(value)) if form == "<f" else value
        else:
            value = int(pick(rng, NUMBERS[:12])) + int(rng.integers(-2, 3)) * int(
                rng.random() < 0.5
            )
            value %= 2 ** (8 * size)
        if at + size <= len(content):
            struct.pack_into(form, content, at, value)
    return bytes(content)


# Numbers of the tables of CatBoost's schema, in the order of their fields.
_TREES = (
    "i", "[i", "[i", "[i", "[T", "[T", "[T", "[T", "[d", "[d", "[s", "[I", "[T", "[T", "d", "d",
    "[d", "[b", "[T",
)  # fmt: skip
_FORMS = {"i": "<I", "I": "<I", "d": "<d", "f": "<f", "s": "<H", "b": "<H"}


def _parts_of_buffer(payload):
    """Where numbers, lengths and texts of a model of CatBoost are, by the kind of the list."""
    parts = {"lengths": [], "offsets": [], "texts": []}

    def number(form, at):
        return struct.unpack_from(form, payload, 8 + at)[0]

    def fields(at):
        directory = at - number("<i", at)
        n_fields = (number("<H", directory) - 4) // 2
        parts["offsets"] += [("<H", 8 + directory + 4 + 2 * index) for index in range(n_fields)]
        offsets = [number("<H", directory + 4 + 2 * index) for index in range(n_fields)]
        return [at + offset if offset else 0 for offset in offsets]

    def target(at):
        parts["offsets"].append(("<I", 8 + at))
        return at + number("<I", at)

    def vector(at, form, name):
        start = target(at)
        parts["lengths"].append(("<I", 8 + start))
        n_items = min(number("<I", start), 500)
        size = struct.calcsize(form)
        items = [(form, 8 + start + 4 + size * index) for index in range(n_items)]
        parts.setdefault(name, []).extend(items)
        return [at - 8 for _, at in items]

    core = fields(target(0))
    for at in vector(core[2], "<I", "info"):
        for text in fields(target(at)):
            start = target(text)
            parts["texts"].append((8 + start + 4, min(number("<I", start), 4000)))
    trees = fields(target(core[1]))
    for index, (at, kind) in enumerate(zip(trees, _TREES, strict=False)):
        if at and kind.startswith("[") and kind != "[T":
            vector(at, _FORMS[kind[1]], f"trees {index}")
        elif at and not kind.startswith("["):
            parts.setdefault(f"trees {index}", []).append((_FORMS[kind], 8 + at))
    for at in vector(trees[5], "<I", "features"):
        feature = fields(target(at))
        parts.setdefault("feature", []).extend(("<I", 8 + each) for each in feature[1:3] if each)
        if len(feature) > 3 and feature[3]:
            vector(feature[3], "<f", "borders")
    names = [name for name, places in parts.items() if places and name != "texts"]
    return {**parts, "groups": names}
