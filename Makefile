# Needs Python 3.11 or newer and make. Everything else is installed into .venv from hashed locks.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# A lock lists all that is needed. Modules are compiled when they are first imported: most never are.
# Where uv cannot install, for a registry that only pip is told of, pip does it in ten times the time.
LOCKED := --require-hashes --no-deps -r
INSTALL_LOCKED = installed() { $(BIN)/uv pip install --quiet --python $(BIN)/python $(LOCKED) "$$1" || \
	$(PIP) install --no-compile $(LOCKED) "$$1"; }; installed
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev

# Some machines tell Python to keep no compiled modules: each process would compile our 630 again.
export PYTHONDONTWRITEBYTECODE :=

# numba looks only at a kernel's own file when it decides whether what it has on disk is still
# good, not at the kernels that it calls: a folder for each state of the sources.
export NUMBA_CACHE_DIR ?= $(CURDIR)/.numba_cache/$(shell find src/ranksieve/kernels -name "*.py" | sort | xargs cat | cksum | cut -d' ' -f1)

.PHONY: help demo test bench bench-sieve bench-sieve-search bench-scale sieve-honesty times cranfield figure-8 lint types layers unit browser doctest interpreted imports engines reproduce results lock clean

help:  ## Show what can be made
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 27

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "ranksieve needs Python 3.11 or newer on the PATH"; exit 1; }
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ranksieve needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	-$(PIP) install --no-compile $(LOCKED) requirements/install.txt

$(RUN_READY): requirements/run.txt pyproject.toml | $(BIN)/python
	@echo "Installing ranksieve into $(VENV) (a minute or two, once)"
	$(INSTALL_LOCKED) requirements/run.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV_READY): requirements/dev.txt $(RUN_READY)
	@echo "Installing the tools and peers that the tests compare with (once)"
	$(INSTALL_LOCKED) requirements/dev.txt
	@touch $@

demo: compiled  ## The sieve on generated data with costs: which features can go, and how sure that is
	$(BIN)/ranksieve demo

# Parts of the tests, longest first: folders, or several that run in one process, since they share a
# cluster of processes or are short. Three parts run at the same time on two cores, since they wait for
# browsers, engines and clusters; make starts the next one when one ends, and shows what a part wrote
# when that has ended.
LONG := conformance passes+rankers+sieve experiment cli
SHORTER := selectors report+kernels data+extract
PARTS := $(LONG) $(SHORTER)
OTHERS := $(filter-out __pycache__ reference engines $(subst +, ,$(PARTS)),$(patsubst tests/%/,%,$(wildcard tests/*/)))
UNIT := $(LONG:%=unit-%) unit-others $(SHORTER:%=unit-%)
# The parts of the browser and of the engines start among the first: at the end one would keep one core
# busy and the other idle.
ALL_PARTS := $(firstword $(UNIT)) browser engines $(wordlist 2,$(words $(UNIT)),$(UNIT)) types doctest interpreted imports layers lint
JOBS ?= 3
# Parts share the cores: threads of a library in each of them would wait for one another.
SIDE_BY_SIDE := --no-print-directory --keep-going -j$(JOBS) $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) \
	OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# Measuring coverage costs a third of the time, in charts four fifths, and these parts would add less
# than one per cent to what the others cover. That of kernels is from the run in plain Python. Cases
# that reach nothing new are not measured (tests/measured_once.py), but for kernels, whose cases are
# short and reach a branch each.
NOT_MEASURED := unit-report+kernels browser engines
PYTEST = $(BIN)/$(if $(and $(COVERED),$(filter-out $(NOT_MEASURED),$@)),coverage run -m pytest $(if $(filter-out interpreted,$@),-p tests.measured_once),pytest)

test: $(RUN_READY)  ## Everything that CI runs, and the coverage of the whole package
	@$(MAKE) --no-print-directory -j2 $(DEV_READY) compiled
	@rm -f .coverage .coverage.*
	@$(MAKE) $(SIDE_BY_SIDE) COVERED=yes $(ALL_PARTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Once and on all cores, so that parts do not compile the same kernels at the same time.
.PHONY: compiled
compiled: $(RUN_READY)
	@test -f "$(NUMBA_CACHE_DIR)/.warm" || { echo "Compiling on all cores (once)"; \
		$(BIN)/ranksieve warm && touch "$(NUMBA_CACHE_DIR)/.warm"; }

lint: $(DEV_READY)  ## Style
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(DEV_READY)  ## Static types, strict
	$(BIN)/mypy

layers: $(DEV_READY)  ## Imports go down only
	$(BIN)/lint-imports

unit: $(DEV_READY) compiled  ## The tests, compiled kernels
	@$(MAKE) $(SIDE_BY_SIDE) $(UNIT)

.PHONY: unit-others
unit-%: $(DEV_READY)
	$(PYTEST) $(addprefix tests/,$(subst +, ,$*)) -m "not browser"

unit-others: $(DEV_READY)
	$(PYTEST) tests/test_*.py $(OTHERS:%=tests/%) -m "not browser"

browser: $(DEV_READY)  ## The pages in Chromium, which is installed where it is missing
	@for name in chromium-headless-shell chromium chromium-browser google-chrome; do \
			command -v $$name >/dev/null && exit 0; done; \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing Debian's Chromium (once)"; \
			install() { apt-get install -y -qq --no-install-recommends "$$1" >/dev/null; }; \
			apt-get update -qq && { install chromium-headless-shell || install chromium; } || \
			echo "It could not be installed: pages are not tested"; \
		else \
			echo "Pages are not tested: install Chromium (Debian: apt-get install chromium)"; \
		fi
	$(PYTEST) $$(grep -rl "mark.browser" tests) -m browser

imports: $(DEV_READY)  ## Every module can be imported; coverage of what runs then
	$(BIN)/$(if $(COVERED),coverage run,python) -m tests.all_modules

engines: $(DEV_READY)  ## Exported models in the classes of search engines (Java 17 and Maven; downloads 100 MB once)
	@command -v java >/dev/null && command -v mvn >/dev/null || \
		echo "Engines are not tested: install a JDK 17 and Maven (Debian: apt-get install openjdk-17-jdk-headless maven)"
	$(PYTEST) tests/engines

doctest: $(DEV_READY)  ## Every example in a docstring or a page of docs/
	$(BIN)/pytest --doctest-modules src --doctest-glob='*.md' README.md CONTRIBUTING.md docs

interpreted: $(DEV_READY)  ## The kernels' tests in plain Python, where coverage sees them
	NUMBA_DISABLE_JIT=1 $(PYTEST) tests/kernels

bench: $(DEV_READY)  ## Speed and memory against peers, both sides in one run
	$(BIN)/python -m benchmarks

bench-sieve: $(DEV_READY)  ## docs/sieve-peers.md: the sieve beside other methods, what is not stored yet (needs data)
	$(BIN)/python -m benchmarks.sieve_peers

bench-sieve-search: $(DEV_READY)  ## docs/sieve-search.md: variants of the sieve's search, what is not stored yet (an hour, needs data)
	$(BIN)/python -m benchmarks.sieve_search

bench-scale: $(DEV_READY)  ## docs/scale-figures.md: data on disk and on a cluster (a quarter of an hour, 12 GB of disk)
	$(BIN)/python -m benchmarks.scale

sieve-honesty: $(DEV_READY)  ## docs/sieve-honesty.md: does the sieve keep its promises, what is not stored yet (an hour)
	$(BIN)/python -m benchmarks.sieve_honesty

times: $(DEV_READY)  ## docs/times.md: times of filters, solvers and embedded methods over sizes (3 minutes)
	$(BIN)/python -m benchmarks.times

cranfield: $(DEV_READY) compiled  ## docs/text.md: Cranfield from text to the features that survive (needs data, 10 minutes)
	$(BIN)/python -m benchmarks.cranfield

figure-8: $(DEV_READY)  ## docs/text.md: RankWrapper's Figure 8 on Cranfield's words, what is not stored yet (needs data, 7 minutes)
	$(BIN)/python -m benchmarks.figure_8

reproduce: $(DEV_READY)  ## Published figures of rankers and embedded methods, beside ours (needs data)
	$(BIN)/python -m benchmarks.published
	$(BIN)/python -m benchmarks.published_embedded
	$(BIN)/python -m benchmarks.published_rankers

STUDIES := letor letor-ranker-first fsmrank-figures letor-rankers fsscpr-rankers gas-figures \
	rankfilter-figure-2 rankfilter-figure-3 \
	rankfilter-figure-6 rankfilter-figure-7
# Those that share trials with the study letor go into its store.
IN_LETOR := letor-ranker-first fsmrank-figures
OWN_STORE := $(filter-out letor $(IN_LETOR),$(STUDIES))
results: $(DEV_READY)  ## docs/results.md, its page and docs/methods.md, from all studies of the papers (needs data, 40 minutes)
	@mkdir -p runs
	@for study in $(STUDIES); do \
		case " $(IN_LETOR) " in *" $$study "*) store=letor;; *) store=$$study;; esac; \
		(cd runs && ../$(BIN)/ranksieve compare --config $$study --store $$store.db) || exit 1; \
	done
	$(BIN)/python -m benchmarks.results runs/letor.db $(OWN_STORE:%=runs/%.db)

lock: $(DEV_READY)  ## Resolve the dependencies again
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--group build --extra report --extra tables --extra lightgbm --extra text pyproject.toml -o requirements/run.txt --quiet --upgrade
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--group dev pyproject.toml -c requirements/run.txt -o requirements/dev.txt --quiet --upgrade
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--group pyproject.toml:install -o requirements/install.txt --quiet --upgrade

clean:  ## Remove what make made
	rm -rf $(VENV) .numba_cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
	find tests/engines/java -name target -prune -exec rm -rf {} +
