# Every target does its own set-up: a virtual environment in .venv, made or renewed when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2

.PHONY: demo test test-all test-lowest mutants attack lint format bench reproduction docs clean

demo: .venv/demo.stamp
	$(BIN)/plait demo --output demo-output

test: .venv/dev.stamp
	$(BIN)/pytest -n $(JOBS)

test-all: .venv/dev.stamp
	$(BIN)/pytest -m "" -n $(JOBS)

# The fast tests with the lowest versions that pyproject.toml allows, in an environment of their own.
test-lowest: .venv-lowest/stamp
	.venv-lowest/bin/pytest -n $(JOBS) tests

# Break the code at random and count what the tests notice (make mutants ROOMS="joint losses").
ROOMS ?= joint inference losses posterior estimators learners structure counts
mutants: .venv/dev.stamp
	$(BIN)/python tools/mutants.py $(ROOMS)

# A million broken inputs of every format: each is read, or refused in one sentence. Stopped, it goes on where it was.
attack: .venv/dev.stamp
	$(BIN)/python tools/attack.py

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: .venv/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# One benchmark by name (make bench NAME=arff), or all of them.
bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks $(NAME)

# What the runs say on the pages docs/reproduction; results stay in STORES, so that it goes on where it was, and what the
# pages hold of earlier runs stays until it is run again.
STORES ?= reproduction-stores
PAPERS ?= occ scls mc pcc pacc
reproduction: .venv/dev.stamp
	mkdir -p $(STORES)
	for paper in $(PAPERS); do $(BIN)/plait reproduce $$paper --plan all --store $(STORES)/$$paper.sqlite \
	  --jobs $(JOBS) --out docs/reproduction/made --state $$(git describe --always --dirty) >$(STORES)/$$paper.txt || exit; done

docs: .venv/dev.stamp
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf .venv .venv-lowest docs/_build demo-output

.venv/bin/python:
	$(PYTHON) -m venv .venv

# With what the commands that the demo names next need.
.venv/demo.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[explore,frames,models]"
	@touch $@

.venv/dev.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ .venv/demo.stamp

.venv-lowest/stamp: pyproject.toml tools/lowest.py
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) tools/lowest.py parquet polars graphs models plots dask > .venv-lowest/requirements.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -r .venv-lowest/requirements.txt \
	  hypothesis "pyparsing<3.3" "pytest>=9" "pytest-timeout>=2.3" "pytest-xdist>=3.6"
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@
