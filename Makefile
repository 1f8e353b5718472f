# Every target does its own set-up: a virtual environment in .venv, made or renewed when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= 2

.PHONY: demo test test-all lint format bench docs clean

demo: .venv/demo.stamp
	$(BIN)/plait demo --output demo-output

test: .venv/dev.stamp
	$(BIN)/pytest -m "not slow" -n $(JOBS)

test-all: .venv/dev.stamp
	$(BIN)/pytest -n $(JOBS)

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

docs: .venv/dev.stamp
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf .venv docs/_build demo-output

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/dev.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ .venv/demo.stamp
