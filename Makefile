# Everything a fresh machine needs: Python 3.11 or newer. `make rebuild` and `make test` set up the rest.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# CONSTRAINTS=references/constraints.txt installs the versions that made the reference tables.
CONSTRAINTS ?=
JOBS ?= 2
# Of the slow tests `make test-sample` runs one in so many.
SLOW_SAMPLE ?= 8
# Of the tests that depend on versions `make test-versions` runs one in so many.
SAMPLE ?= 1

.PHONY: help rebuild test test-sample test-all test-versions check typecheck lint benchmarks docs clean
.DEFAULT_GOAL := help

help:  ## Say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# One environment for everything; made again when the interpreter or the dependencies change, or when it was left half made.
$(BIN)/.installed: FORCE
	@sh tools/environment.sh "$(PYTHON)" "$(VENV)" "$(CONSTRAINTS)"

FORCE:

rebuild: $(BIN)/.installed  ## Run every available configuration into out/
	$(BIN)/whatworked rebuild --jobs $(JOBS) --out out

test: $(BIN)/.installed  ## Run the tests but the exhaustive ones; says how long they took last time
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow" $(PYTEST_OPTIONS)

test-sample: $(BIN)/.installed  ## Run a sample of the exhaustive tests, always the same
	$(BIN)/python -m pytest -n $(JOBS) -m slow --slow-sample $(SLOW_SAMPLE) $(PYTEST_OPTIONS)

test-all: $(BIN)/.installed  ## Run all tests, the exhaustive ones too
	$(BIN)/python -m pytest -n $(JOBS) $(PYTEST_OPTIONS)

test-versions: $(BIN)/.installed  ## Run the tests that depend on the versions of Python, numpy and scipy
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow" tests/workflows tests/references tests/controls tests/execution \
		tests/surfaces tests/grading tests/statistics tests/storage tests/runs/test_recorded_results.py --sample $(SAMPLE) \
		$(PYTEST_OPTIONS)

check: lint typecheck test test-sample  ## Everything CI runs on one Python

lint: $(BIN)/.installed  ## Style and import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/lint_imports.py

typecheck: $(BIN)/.installed  ## mypy --strict
	$(BIN)/python tools/typecheck.py

benchmarks: $(BIN)/.installed  ## Measure speed and memory (several minutes)
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

docs: $(BIN)/.installed  ## Build the documentation site into out/docs/
	$(BIN)/python -m sphinx -q -W --keep-going -d out/doctrees docs out/docs
	@echo "the site is out/docs/index.html"

clean:  ## Remove the environment and everything built
	rm -rf $(VENV) .venv-newest build out *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
