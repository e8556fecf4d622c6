"""Model files that were changed with care, and signed again, end in an error or in a model."""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ranksieve import make_ranking
from ranksieve.rankers import parse_ranker
from tests.rankers.forged_child import MEMORY
from tests.rankers.forging import forged

ROOT = Path(__file__).parents[2]
# Cases of a run, in all; RANKSIEVE_FUZZ_CASES and RANKSIEVE_FUZZ_SEED for a longer one.
CASES = int(os.environ.get("RANKSIEVE_FUZZ_CASES", "1000"))
SEED = int(os.environ.get("RANKSIEVE_FUZZ_SEED", "0"))
# Seconds that none of the cases may come near.
PATIENCE = 30

FAMILIES = {
    "LightGBM": (
        0.3,
        [
            "LightGBMRanker(3, num_leaves=5)",
            "LightGBMRanker(3, num_leaves=4, objective='regression', params={'linear_tree': True})",
            "LightGBMRanker(2, num_leaves=3, params={'monotone_constraints': [1, 0, 0, 0, 0, -1]})",
        ],
    ),
    "XGBoost": (
        0.3,
        [
            "XGBoostRanker(3, max_depth=2)",
            "XGBoostRanker(2, max_depth=3, params={'tree_method': 'exact', 'gamma': 1.0})",
            "XGBoostRanker(2, max_depth=2, objective='reg:squarederror')",
        ],
    ),
    "CatBoost": (
        0.25,
        [
            "CatBoostRanker(3, depth=2)",
            "CatBoostRanker(2, depth=3, params={'grow_policy': 'Lossguide', 'max_leaves': 4})",
        ],
    ),
    "others": (
        0.15,
        [
            "RankSVM()",
            "ListNet(max_iter=3)",
            "RankNet(n_hidden=2, max_iter=3)",
            "RankBoost(5)",
            "KernelRankSVM('polynomial', n_landmarks=5)",
            "PointwiseRanker('Ridge')",
            "SparseRankSVM(strength=0.01)",
            "FSMSVM()",
        ],
    ),
}


class Child:
    """A process that loads what it is sent; another one where it dies.

    Sound models come first: what their libraries take is no growth.
    """

    def __init__(self, sound):
        self._sound, self._process = sound, None

    def start(self):
        read, write = os.pipe()
        code = "from tests.rankers.forged_child import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, str(write), str(len(self._sound))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[write],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        os.close(write)
        self._answers = os.fdopen(read)
        self.peak = 0
        for content in self._sound:
            outcome, self.peak = self._ask(content)
            assert outcome == "loaded", outcome

    def outcome(self, content):
        """What came of a case: a word, or the signal or the time that ended the process."""
        if self._process is None:
            self.start()
        outcome, peak = self._ask(content)
        if peak > self.peak + MEMORY // 2:
            return f"took {(peak - self.peak) >> 20} MB, {outcome}"
        return outcome

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._answers.close()
            self._process = None

    def _ask(self, content):
        try:
            self._process.stdin.write(struct.pack("<I", len(content)) + content)
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        if not select.select([self._answers], [], [], PATIENCE)[0]:
            self.stop()
            return "hung", 0
        line = self._answers.readline()
        if not line:
            return self._ended()
        outcome, _, peak = line.rstrip("\n").rpartition("\t")
        return outcome, int(peak)

    def _ended(self):
        code = self._process.wait(10)
        self.stop()
        return f"ended by {code}", 0


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Files of sound models, by family."""
    data = make_ranking(12, 8, n_relevant=2, n_redundant=1, n_irrelevant=3, random_state=0)[0]
    path = tmp_path_factory.mktemp("sound") / "model"
    contents = {}
    for family, (_, texts) in FAMILIES.items():
        contents[family] = []
        for text in texts:
            parse_ranker(text).fit(data).save(path)
            contents[family].append(path.read_bytes())
    return contents


@pytest.fixture(scope="module")
def child(sound):
    process = Child([contents[0] for contents in sound.values()])
    yield process
    process.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", list(FAMILIES))
def test_a_forged_file_is_an_error_or_a_model_and_nothing_else(family, sound, child, tmp_path):
    share, _ = FAMILIES[family]
    outcomes = Counter()
    for case in range(int(CASES * share)):
        rng = np.random.default_rng([SEED, len(family), case])
        content = forged(sound[family][case % len(sound[family])], rng)
        outcome = child.outcome(content)
        outcomes[outcome] += 1
        if outcome not in ("refused", "loaded"):
            # What is needed to look into it.
            (tmp_path / f"case-{case}").write_bytes(content)
    assert set(outcomes) <= {"refused", "loaded"}, f"{outcomes}; see {tmp_path}"
    # Most changes matter, and some do not.
    assert outcomes["refused"] > outcomes["loaded"] > 0
