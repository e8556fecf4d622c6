"""ranksieve export: files that engines take, what is said of them, and wrong input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ranksieve import load, make_ranking
from ranksieve.cli import main
from ranksieve.data import write_text
from ranksieve.rankers import load_ranker
from tests.reference.engines import elasticsearch_scores, ranklib_scores, solr_scores

TARGETS = ("elasticsearch", "opensearch", "solr", "vespa", "ranklib", "onnx", "json")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ending:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return ending.value.code, captured.out, " ".join(captured.err.replace("│", " ").split())


@pytest.fixture(scope="module")
def sieved(tmp_path_factory):
    """The folder of a sieve, its data, and a model of train on all features."""
    folder = tmp_path_factory.mktemp("export")
    data, _ = make_ranking(60, 8, n_relevant=3, n_redundant=0, n_irrelevant=5)
    write_text(data, folder / "train.txt")
    for arguments in (
        (
            "sieve",
            folder / "train.txt",
            "-r",
            "RankSVM(C=0.01)",
            "--margin",
            "0.05",
            "-o",
            folder / "sieved",
        ),
        (
            "train",
            folder / "train.txt",
            "-r",
            "LightGBMRanker(20, num_leaves=7)",
            "-o",
            folder / "model.txt",
        ),
    ):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        assert ending.value.code == 0
    return folder


@pytest.fixture
def feature_set(sieved, tmp_path):
    """A definition of the eight features and one more, in another order than the data's."""
    names = ["8", "7", "extra", "6", "5", "4", "3", "2", "1"]
    features = [
        {"name": name, "params": [], "template_language": "mustache", "template": {"match_all": {}}}
        for name in names
    ]
    path = tmp_path / "featureset.json"
    path.write_text(json.dumps({"featureset": {"name": "books", "features": features}}))
    return path


@pytest.mark.parametrize("to", TARGETS)
def test_the_folder_of_a_sieve_becomes_a_file_of_each_engine(sieved, to, capsys, tmp_path):
    names = tmp_path / "names.txt"
    selected = load_ranker(sieved / "sieved" / "model.json").feature_names_
    names.write_text("".join(f"attribute(x{name})\n" for name in selected))
    file = tmp_path / "exported"
    code, out, _ = run(
        capsys, "export", sieved / "sieved", "--to", to, "--names", names, "-o", file
    )
    assert code == 0
    assert file.stat().st_size > 0
    assert f"Keep ({len(selected)}): attribute(x" in out
    assert f"Drop ({8 - len(selected)}):" in out
    if to != "json":
        assert "To install:" in out
        assert str(file) in out
    assert ("ENGINE_HOST" in out) == (to not in ("json", "onnx", "ranklib"))


def test_what_is_written_scores_as_predict_does(sieved, capsys, tmp_path):
    model, data = load_ranker(sieved / "model.txt"), load(sieved / "train.txt")
    for to, scores in (
        (
            "elasticsearch",
            lambda text: elasticsearch_scores(text, list(data.feature_names), data.X),
        ),
        ("solr", lambda text: solr_scores(text, list(data.feature_names), data.X)),
        ("ranklib", lambda text: ranklib_scores(text, data.X)),
    ):
        file = tmp_path / f"{to}.out"
        assert run(capsys, "export", sieved / "model.txt", "--to", to, "-o", file)[0] == 0
        assert np.allclose(scores(file.read_text()), model.predict(data), atol=1e-6)


def test_a_list_of_features_takes_the_model_beside_it(sieved, capsys, tmp_path):
    by_folder, by_list = tmp_path / "a.json", tmp_path / "b.json"
    run(capsys, "export", sieved / "sieved", "--to", "solr", "-o", by_folder)
    run(capsys, "export", sieved / "sieved" / "features.json", "--to", "solr", "-o", by_list)
    assert by_folder.read_bytes() == by_list.read_bytes()


def test_json_for_machines_has_files_features_warnings_and_calls(sieved, capsys, tmp_path):
    file = tmp_path / "model.json"
    code, out, err = run(
        capsys,
        "export",
        sieved / "model.txt",
        "--to",
        "opensearch",
        "--engine-version",
        "3.5",
        "--name",
        "books",
        "--store",
        "shelf",
        "-o",
        file,
        "--json",
    )
    said = json.loads(out)
    assert (code, err) == (0, "")
    assert said["kind"] == "model/xgboost+json"
    assert said["files"] == [str(file)]
    assert any("sends a missing feature right" in each for each in said["warnings"])
    (call,) = said["calls"]
    assert "_ltr/_featureset/shelf/_createmodel" in call
    assert call.endswith(f"@{file}")
    assert json.loads(file.read_text())["model"]["name"] == "books"


def test_a_rank_profile_is_written_beside_the_trees_for_vespa(sieved, capsys, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("".join(f"bm25(f{number})\n" for number in range(1, 9)))
    code, out, _ = run(
        capsys,
        "export",
        sieved / "model.txt",
        "--to",
        "vespa",
        "--names",
        names,
        "--name",
        "books",
        "-o",
        tmp_path / "books.json",
    )
    assert code == 0
    assert 'expression: lightgbm("books.json")' in (tmp_path / "books.profile").read_text()
    assert str(tmp_path / "books.profile") in "".join(out.split())


def test_without_a_file_the_name_says_what_it_is(sieved, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "export", sieved / "model.txt", "--to", "solr", "--name", "books")[0] == 0
    assert (tmp_path / "books.solr.json").exists()
    code, _, err = run(capsys, "export", sieved / "model.txt", "--to", "solr", "--name", "books")
    assert code == 1
    assert "books.solr.json exists" in err
    again = run(capsys, "export", sieved / "model.txt", "--to", "solr", "--name", "books", "-f")
    assert again[0] == 0


def test_no_input_is_ever_written_over(sieved, feature_set, capsys, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(sieved / "sieved", folder)
    before = {path: path.read_bytes() for path in (*folder.glob("*.json"), feature_set)}
    for file in ("model.json", "features.json"):
        code, _, err = run(capsys, "export", folder, "--to", "json", "-f", "-o", folder / file)
        assert code == 1
        assert "is the data itself" in err
    code, _, err = run(
        capsys, "export", folder, "--to", "json", "-f", "-o", folder / "new" / "model.json"
    )
    assert code == 1
    assert "folder does not exist" in err
    assert all(path.read_bytes() == content for path, content in before.items())


def test_where_one_of_two_files_cannot_be_written_none_is(sieved, capsys, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("".join(f"bm25(f{number})\n" for number in range(1, 9)))
    (tmp_path / "books.profile").mkdir()
    code, _, err = run(
        capsys,
        "export",
        sieved / "model.txt",
        "--to",
        "vespa",
        "--names",
        names,
        "--name",
        "books",
        "-f",
        "-o",
        tmp_path / "books.json",
    )
    assert code == 1
    assert "books.profile" in err
    assert not (tmp_path / "books.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "vespa"), "is no name of a rank feature"),
        (("--to", "solr", "--engine-version", "new"), "numbers with points"),
        (("--to", "solr", "--name", "a b"), "a model's name must be"),
        (("--to", "solr", "--model-type", "model/linear"), "model_type is for elasticsearch"),
        (("--to", "elasticsearch", "--model-type", "model/linear"), "model_type must be one of"),
        (("--to", "onnx", "--featureset", "x.json"), "--featureset is for engines with features"),
        (("--to", "solr", "--featureset", "absent.json"), "cannot read absent.json"),
    ],
)
def test_wrong_options_end_in_one_panel(sieved, capsys, tmp_path, arguments, message):
    code, out, err = run(
        capsys, "export", sieved / "model.txt", *arguments, "-o", tmp_path / "file"
    )
    assert code in (1, 2)
    assert out == ""
    assert message in err
    assert not (tmp_path / "file").exists()


def test_what_is_neither_folder_list_nor_model_is_refused(sieved, capsys, tmp_path):
    for path, message in (
        (sieved, "has no features.json"),
        (sieved / "train.txt", "is no list of features"),
        (tmp_path / "absent", "is no folder of `ranksieve sieve`"),
    ):
        code, _, err = run(capsys, "export", path, "--to", "solr")
        assert code == 1
        assert message in err


def test_a_folder_without_its_model_says_what_is_missing(sieved, capsys, tmp_path):
    shutil.copy(sieved / "sieved" / "features.json", tmp_path / "features.json")
    code, _, err = run(capsys, "export", tmp_path, "--to", "solr")
    assert code == 1
    assert "has no model of the features" in err
    code, _, err = run(capsys, "export", tmp_path / "features.json", "--to", "solr")
    assert code == 1
    assert "--featureset to prune it" in err


def test_a_model_that_was_scaled_inside_queries_is_refused(sieved, capsys, tmp_path):
    model = tmp_path / "model.json"
    run(
        capsys,
        "train",
        sieved / "train.txt",
        "--scale",
        "minmax",
        "-r",
        "RankSVM(C=1)",
        "-o",
        model,
    )
    code, _, err = run(capsys, "export", model, "--to", "solr", "-o", tmp_path / "x.json")
    assert code == 1
    assert "scaled inside each query (minmax)" in err
    assert not Path(tmp_path / "x.json").exists()


@pytest.mark.parametrize("to", ["elasticsearch", "opensearch"])
def test_a_feature_set_is_pruned_to_what_the_model_reads(sieved, feature_set, to, capsys, tmp_path):
    pytest.importorskip("ranksieve.export.prune")
    file = tmp_path / "model.json"
    code, out, _ = run(
        capsys, "export", sieved / "sieved", "--to", to, "--featureset", feature_set, "-o", file
    )
    model, data = load_ranker(sieved / "sieved" / "model.json"), load(sieved / "train.txt")
    pruned = json.loads((tmp_path / "model.features.json").read_text())
    names = [feature["name"] for feature in pruned["featureset"]["features"]]
    assert code == 0
    assert set(names) == set(model.feature_names_)
    assert names == sorted(names, reverse=True)
    assert f"Drop ({9 - len(names)}):" in out
    # The set is there before the model that reads it.
    assert out.index("/_ltr/_featureset/books'") < out.index("/_ltr/_featureset/books/_createmodel")
    scores = elasticsearch_scores(file.read_text(), names, data.features(names).X)
    assert np.allclose(scores, model.predict(data.features(list(model.feature_names_))), atol=1e-5)


def test_ranklib_counts_the_features_of_the_pruned_set(sieved, feature_set, capsys, tmp_path):
    pytest.importorskip("ranksieve.export.prune")
    file = tmp_path / "model.json"
    code, _, _ = run(
        capsys,
        "export",
        sieved / "model.txt",
        "--to",
        "elasticsearch",
        "--model-type",
        "model/ranklib",
        "--featureset",
        feature_set,
        "-o",
        file,
    )
    assert code == 0
    pruned = json.loads((tmp_path / "model.features.json").read_text())
    names = [feature["name"] for feature in pruned["featureset"]["features"]]
    model, data = load_ranker(sieved / "model.txt"), load(sieved / "train.txt")
    scores = elasticsearch_scores(file.read_text(), names, data.features(names).X)
    assert np.allclose(scores, model.predict(data), atol=1e-6)


def test_a_feature_store_of_solr_is_pruned_and_named_in_the_model(sieved, capsys, tmp_path):
    pytest.importorskip("ranksieve.export.prune")
    store = tmp_path / "store.json"
    kind = "org.apache.solr.ltr.feature.FieldValueFeature"
    store.write_text(
        json.dumps(
            [
                {"store": "shelf", "name": str(number), "class": kind, "params": {"field": "f"}}
                for number in range(9, 0, -1)
            ]
        )
    )
    file = tmp_path / "model.json"
    code, out, _ = run(
        capsys, "export", sieved / "sieved", "--to", "solr", "--featureset", store, "-o", file
    )
    assert code == 0
    assert "schema/feature-store" in out
    model = json.loads(file.read_text())
    assert model["store"] == "shelf"
    left = [
        feature["name"] for feature in json.loads((tmp_path / "model.features.json").read_text())
    ]
    assert set(left) == {feature["name"] for feature in model["features"]}


def test_a_list_without_a_model_prunes_alone(sieved, feature_set, capsys, tmp_path):
    pytest.importorskip("ranksieve.export.prune")
    shutil.copy(sieved / "sieved" / "features.json", tmp_path / "features.json")
    file = tmp_path / "pruned.json"
    code, out, _ = run(
        capsys,
        "export",
        tmp_path / "features.json",
        "--to",
        "elasticsearch",
        "--featureset",
        feature_set,
        "-o",
        file,
        "--json",
    )
    selected = json.loads((tmp_path / "features.json").read_text())["selected"]
    said = json.loads(out)
    assert code == 0
    assert set(said["kept"]) == set(selected)
    assert said["kind"] is None
    assert json.loads(file.read_text())["featureset"]["name"] == "books"


def test_a_pruned_definition_is_never_written_over_the_definition(
    sieved, feature_set, capsys, tmp_path
):
    pytest.importorskip("ranksieve.export.prune")
    before = feature_set.read_bytes()
    code, _, err = run(
        capsys,
        "export",
        sieved / "sieved",
        "--to",
        "elasticsearch",
        "-f",
        "--featureset",
        feature_set,
        "-o",
        feature_set,
    )
    assert code == 1
    assert "is the data itself" in err
    renamed = feature_set.rename(tmp_path / "model.features.json")
    code, _, err = run(
        capsys,
        "export",
        sieved / "sieved",
        "--to",
        "elasticsearch",
        "-f",
        "--featureset",
        renamed,
        "-o",
        tmp_path / "model.json",
    )
    assert code == 1
    assert renamed.read_bytes() == before
    assert not (tmp_path / "model.json").exists()
