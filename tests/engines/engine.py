"""Scores by engines' code: a Java program for each engine that stays up as long as tests run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "java"
MODULES = {"ranklib": "ranklib", "vespa": "vespa", "solr": "solr", "solr9": "solr"}


class NotResolvedError(Exception):
    """The engines' packages are not here, and no registry gives them."""


class EngineError(Exception):
    """What an engine says of a model or a document that it refuses."""


# What Maven says where a registry is out of reach, and not where our sources are wrong.
_UNRESOLVED = ("Could not resolve", "Could not transfer", "could not be resolved")


# For programs that end before the costlier compiler of Java pays.
_SHORT_LIVED = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def missing_tools() -> str:
    """Why engines cannot run here; empty where they can."""
    absent = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if not absent:
        return ""
    return f"{' and '.join(absent)} not on the PATH: install a JDK 17 and Maven to check engines"


def build() -> None:
    """Compile the program with Maven, unless that has been done for the sources as they are."""
    sources = [path for path in FOLDER.rglob("*") if path.is_file() and "target" not in path.parts]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources))).hexdigest()
    stamp = FOLDER / "target" / "built"
    if stamp.is_file() and stamp.read_text("utf-8") == digest:
        return
    command = ["mvn", "--batch-mode", "--quiet", "compile"]
    environment = {"MAVEN_OPTS": " ".join(_SHORT_LIVED)} | os.environ
    # What is resolved already needs no registry.
    for options in (["--offline"], []):
        result = subprocess.run(
            [*command, *options], cwd=FOLDER, env=environment, capture_output=True, text=True
        )
        if result.returncode == 0:
            stamp.parent.mkdir(exist_ok=True)
            stamp.write_text(digest, "utf-8")
            return
    if any(phrase in result.stdout for phrase in _UNRESOLVED):
        raise NotResolvedError(
            "Maven cannot get the engines' packages, which it downloads once: "
            + " ".join(result.stdout.split())[:300]
        )
    raise RuntimeError(f"Maven could not build {FOLDER}:\n{result.stdout[-4000:]}")


@dataclass(frozen=True)
class Task:
    """A model of an engine and the documents that it gives scores."""

    engine: str
    model: str
    names: tuple[str, ...]
    X: np.ndarray

    def write(self, folder: Path, number: int) -> str:
        """The files of the task, and the line that asks for it."""
        model, scores = folder / f"{number}.model", folder / f"{number}.scores"
        model.write_text(self.model, "utf-8")
        return "\t".join([self.engine, str(model), str(self._features(folder)), str(scores)])

    def _features(self, folder: Path) -> Path:
        """The file of documents, which has its content's name: many models share one."""
        if any(set(name) & set(",\n\t") for name in self.names):
            raise ValueError(f"names of features with commas, tabs or line ends: {self.names}")
        values, head = np.ascontiguousarray(self.X, dtype=np.float64), ",".join(self.names)
        path = folder / f"{hashlib.sha256(values.tobytes() + head.encode()).hexdigest()[:20]}.csv"
        if not path.exists():
            rows = (
                ",".join("" if value != value else repr(value) for value in row)
                for row in values.tolist()
            )
            path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
        return path


@dataclass
class Engines:
    """Programs that run, by module, and the folder that they read from and write to."""

    _programs: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    @cached_property
    def _folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="ranksieve-engines-"))

    def scores(self, engine: str, model: str, names, X) -> np.ndarray:
        """The scores of documents: rows of X, NaN where a value is missing."""
        (scores,) = self.batch([Task(engine, model, tuple(names), X)])
        if isinstance(scores, EngineError):
            raise scores
        return scores

    def batch(self, tasks: list[Task]) -> list[np.ndarray | EngineError]:
        """For each task its scores, or what the engine said where it refused."""
        answers = [self._answer(task, number) for number, task in enumerate(tasks)]
        return [
            answer if isinstance(answer, EngineError) else np.array(answer, dtype=np.float64)
            for answer in answers
        ]

    def reranked(self, uploads: str, names, X) -> tuple[np.ndarray, list[dict[str, float]]]:
        """The scores and logged features of documents that a Solr server has reranked."""
        answer = self._answer(Task("solr/embedded", uploads, tuple(names), X), 0)
        if isinstance(answer, EngineError):
            raise answer
        scores, logged = zip(*(line.split("|") for line in answer), strict=True)
        features = [dict(pair.split("=") for pair in text.split(",")) for text in logged]
        return np.array(scores, dtype=np.float64), [
            {name: float(value) for name, value in document.items()} for document in features
        ]

    def _answer(self, task: Task, number: int) -> list[str] | EngineError:
        line = task.write(self._folder, number)
        module = _module(task.engine)
        program = self._program(module)
        program.stdin.write(line + "\n")
        program.stdin.flush()
        answer, _, message = program.stdout.readline().rstrip("\n").partition("\t")
        if answer == "ok":
            return Path(line.rsplit("\t", 1)[1]).read_text("utf-8").splitlines()
        return EngineError(message or f"the program ended:\n{self._log(module).read_text('utf-8')}")

    def _program(self, module: str) -> subprocess.Popen[str]:
        if module not in self._programs:
            target = FOLDER / module / "target"
            jars = (target / "classpath.txt").read_text("utf-8").strip()
            path = os.pathsep.join([str(target / "classes"), jars])
            # Deep trees are read by recursion.
            command = ["java", "-Xss64m", *_SHORT_LIVED]
            with self._log(module).open("w", encoding="utf-8") as log:
                self._programs[module] = subprocess.Popen(
                    [*command, "-cp", path, "ranksieve.engines.Score"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    encoding="utf-8",
                )
        return self._programs[module]

    def _log(self, module: str) -> Path:
        return self._folder / f"{module}.log"

    def close(self) -> None:
        """End the programs and remove what they wrote."""
        for program in self._programs.values():
            program.stdin.close()
            program.wait(timeout=60)
            program.stdout.close()
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._folder)


def _module(engine: str) -> str:
    name = engine.partition("/")[0]
    return MODULES.get(name, "elastic")
