"""pyarrow is for tables and .zst: text and arrays do without it."""

import sys

import numpy as np
import pytest

from ranksieve import TopK
from ranksieve.data import load, make_ranking, write_parquet, write_text
from ranksieve.errors import MissingDependencyError


@pytest.fixture
def data():
    return make_ranking(8)[0]


@pytest.fixture
def files(tmp_path, data):
    write_text(data, tmp_path / "a.txt")
    write_text(data, tmp_path / "a.txt.zst")
    write_parquet(data, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("grade,qid,bm25\n1,7,0.5\n0,7,0.25\n")
    return tmp_path


@pytest.fixture
def no_arrow(files, monkeypatch):
    """Let `import pyarrow` fail, once the files are there."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.usefixtures("no_arrow")
def test_features_of_text_are_selected_without_pyarrow(files, data):
    read = load(files / "a.txt")
    np.testing.assert_array_equal(read.X, data.X)
    selector = TopK("pearson", n_features_to_select=3).fit(read)
    assert selector.n_features_ == 3


@pytest.mark.usefixtures("no_arrow")
@pytest.mark.parametrize("judged", ["query,document,grade\n7,a,2\n", "7 0 a 2\n"])
def test_logs_and_judgements_are_read_without_pyarrow(files, judged):
    answer = '{"qid": 7, "response": {"response": {"docs": [{"id": "a", "[features]": "x=1"}]}}}'
    (files / "log.json").write_text(answer)
    path = files / ("judged.csv" if "," in judged else "qrels")
    path.write_text(judged)
    assert load(files / "log.json", judgements=path).y.tolist() == [2]


@pytest.mark.usefixtures("no_arrow")
@pytest.mark.parametrize(
    ("name", "caller"),
    [
        ("a.csv", "reading CSV"),
        ("a.parquet", "reading Parquet"),
        ("a.txt.zst", r"reading \.zst"),
    ],
)
def test_what_needs_pyarrow_says_so_and_how_to_install_it(files, name, caller):
    message = rf"{caller} needs the package pyarrow.*Install it: pip install 'ranksieve\[tables\]'$"
    with pytest.raises(MissingDependencyError, match=message):
        load(files / name)


@pytest.mark.usefixtures("no_arrow")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_of_many_digits_are_written_without_pyarrow(tmp_path, dtype):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(20, 3)) * 10.0 ** rng.integers(-30, 30, size=(20, 3))).astype(dtype)
    write_text(load((X, np.arange(20) % 3, np.repeat([1, 2], 10))), tmp_path / "a.txt")
    np.testing.assert_array_equal(load(tmp_path / "a.txt", dtype=dtype).X, X)


@pytest.mark.usefixtures("no_arrow")
@pytest.mark.parametrize(
    ("write", "name", "caller"),
    [(write_parquet, "b.parquet", "writing Parquet"), (write_text, "b.zst", r"writing \.zst")],
)
def test_what_cannot_be_written_without_pyarrow_leaves_no_file(files, data, write, name, caller):
    with pytest.raises(MissingDependencyError, match=f"{caller} needs the package pyarrow"):
        write(data, files / name)
    assert not (files / name).exists()
