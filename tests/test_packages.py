from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("pandas", reason="looks at who imports pandas, which is absent")


def printed(*statements):
    """Run statements in a process of their own, and return what they print."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(statements)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.split()


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


def test_lightgbm_has_pandas_where_it_is_to_train_on_a_cluster():
    pytest.importorskip("lightgbm", reason="LightGBM is absent")
    pytest.importorskip("distributed", reason="Dask is absent")
    assert printed(
        "import sys, distributed",
        "from ranksieve.packages import leave_out_pandas",
        "leave_out_pandas()",
        "import lightgbm.compat as compat",
        "print(compat.PANDAS_INSTALLED)",
    ) == ["True"]


def test_a_program_that_uses_the_library_keeps_pandas_as_it_is():
    assert printed(
        "import sys, pandas",
        "from ranksieve.packages import leave_out_pandas",
        "leave_out_pandas()",
        "import sklearn.utils.fixes as fixes",
        "print(fixes.pd is pandas, sys.modules['pandas'] is pandas)",
    ) == ["True", "True"]
    assert printed(
        "import sys",
        "import ranksieve",
        "ranksieve.GAS(), ranksieve.RankSVM()",
        "print('pandas' in sys.modules)",
    ) == ["True"]
