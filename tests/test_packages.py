"""What a process of ours does not import, and what it has all the same."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from types import ModuleType

import pytest

from ranksieve.packages import _defer

needs_pandas = pytest.mark.skipif(
    find_spec("pandas") is None, reason="looks at who imports pandas, which is absent"
)


def printed(*statements):
    """Run statements in a process of their own, and return what they print."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(statements)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.split()


@needs_pandas
def test_no_command_imports_pandas_with_scikit_learn_or_lightgbm_and_who_needs_it_still_can():
    pytest.importorskip("lightgbm", reason="LightGBM is absent")
    assert printed(
        "import sys",
        "from ranksieve.cli import main",
        "try: main(['--version'])",
        "except SystemExit: pass",
        "import lightgbm, sklearn.utils.fixes, numpy as np",
        "print('pandas' in sys.modules)",
        "X = np.arange(40.0)[:, None]",
        "data = lightgbm.Dataset(X, X[:, 0])",
        "model = lightgbm.train({'verbosity': -1, 'min_data_in_leaf': 1}, data, 3)",
        "print(model.predict(X).shape)",
        "import pandas",
        "print(pandas.DataFrame({'a': [1, 2]}).a.sum())",
    )[-3:] == ["False", "(40,)", "3"]


@needs_pandas
def test_lightgbm_has_pandas_where_it_is_to_train_on_a_cluster():
    pytest.importorskip("lightgbm", reason="LightGBM is absent")
    pytest.importorskip("distributed", reason="Dask is absent")
    assert printed(
        "import sys, distributed",
        "from ranksieve.packages import import_less",
        "import_less()",
        "import lightgbm.compat as compat",
        "print(compat.PANDAS_INSTALLED)",
    ) == ["True"]


@needs_pandas
def test_a_program_that_uses_the_library_keeps_pandas_as_it_is():
    assert printed(
        "import sys, pandas",
        "from ranksieve.packages import import_less",
        "import_less()",
        "import sklearn.utils.fixes as fixes",
        "print(fixes.pd is pandas, sys.modules['pandas'] is pandas)",
    ) == ["True", "True"]
    assert printed(
        "import sys",
        "import ranksieve",
        "ranksieve.GAS(), ranksieve.RankSVM()",
        "print('pandas' in sys.modules)",
    ) == ["True"]


LATER = ("scipy.stats._stats_py", "sklearn.feature_selection._mutual_info")


def test_a_command_does_not_execute_modules_that_it_never_uses(tmp_path):
    data = tmp_path / "data.txt"
    rows = [f"{n % 3} qid:{n // 5} 1:{n % 4} 2:{n % 7}" for n in range(20)]
    data.write_text("\n".join(rows) + "\n")
    assert printed(
        "import sys",
        "from ranksieve.cli import main",
        f"try: main(['select', {str(data)!r}, '-k', '1', '--json'])",
        "except SystemExit as ending: print(ending.code)",
        f"print([name in sys.modules for name in {LATER!r}])",
    )[-3:] == ["0", "[False,", "False]"]


def test_modules_that_wait_are_complete_for_who_uses_them():
    assert printed(
        "import sys",
        "from ranksieve.packages import import_less",
        "import_less()",
        "from ranksieve import GAS, make_ranking",
        f"print([name in sys.modules for name in {LATER!r}])",
        "from sklearn.feature_selection import SelectKBest, SelectorMixin, f_classif",
        "import sklearn.feature_selection",
        "assert 'RFE' in dir(sklearn.feature_selection)",
        "data, _ = make_ranking(20, 5, random_state=0)",
        "print(SelectKBest(f_classif, k=2).fit_transform(data.X, data.y).shape[1])",
        "assert isinstance(GAS(), SelectorMixin)",
        "from scipy import stats",
        "import scipy.stats, scipy",
        "assert scipy.stats is stats",
        "print(stats.norm.cdf(0.0), scipy.stats.rankdata([3, 1])[0])",
        "try: stats.no_such_name",
        "except AttributeError: print('absent')",
    ) == ["[False,", "False]", "2", "0.5", "2.0", "absent"]


def test_threads_that_use_a_waiting_module_at_once_all_find_it_complete():
    assert printed(
        "import sys, threading",
        "sys.setswitchinterval(1e-5)",
        "from ranksieve.packages import import_less",
        "import_less()",
        "import scipy.stats",
        "barrier, seen = threading.Barrier(8), []",
        "def use():",
        "    barrier.wait()",
        "    seen.append(float(scipy.stats.t.ppf(0.5, 3)))",
        "users = [threading.Thread(target=use) for _ in range(8)]",
        "for user in users: user.start()",
        "for user in users: user.join()",
        "print(len(seen), set(seen))",
    ) == ["8", "{0.0}"]


def test_a_module_that_could_not_be_executed_is_tried_again():
    module, calls = ModuleType("unlucky"), []

    def execute(module):
        calls.append(module)
        if len(calls) == 1:
            raise ImportError("not today")
        module.value = 3

    _defer({}, execute, module)
    with pytest.raises(ImportError, match="not today"):
        module.value  # noqa: B018 - asking is what executes it
    assert module.value == 3
    assert calls == [module, module]
    assert type(module) is ModuleType
