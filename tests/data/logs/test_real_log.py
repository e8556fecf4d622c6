"""Real ranking data, written as each engine would log it, comes back as it was."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from ranksieve import load
from tests.data.logs.conftest import ENGINES


@pytest.mark.parametrize("engine", ENGINES)
def test_mq2008_as_a_log_is_mq2008(tmp_path, real_data, engine):
    data = load(real_data / "MQ2008" / "Fold1" / "vali.txt", dtype="float64")
    names = [f"feature_{name}" for name in data.feature_names]
    bounds = data.query_ptr.tolist()
    with (tmp_path / "log.ndjson").open("w") as log, (tmp_path / "qrels").open("w") as judged:
        for start, stop in pairwise(bounds):
            query = data.qid[start].item()
            rows = [
                (f"d{row}", dict(zip(names, data.X[row].tolist(), strict=True)))
                for row in range(start, stop)
            ]
            content = {"query_id": query, "response": ENGINES[engine](query, rows)}
            log.write(json.dumps(content) + "\n")
            judged.writelines(f"{query} 0 d{row} {data.y[row]:g}\n" for row in range(start, stop))
    read = load(tmp_path / "log.ndjson", judgements=tmp_path / "qrels", dtype="float64")
    assert read.feature_names == tuple(names)
    np.testing.assert_array_equal(read.X, data.X)
    np.testing.assert_array_equal(read.y, data.y)
    np.testing.assert_array_equal(read.qid, data.qid)
