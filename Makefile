# Everything runs in .venv, which each target sets up as needed. `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test test-all check format soak storm golden pictures vega compile uncompile docs wheels bench bench-peers coverage-bars clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tourney needs Python 3.11 or newer; say which: make PYTHON=python3.12 ..."; exit 1; }
	@echo "installing tourney, and what its reports need, into $(VENV); this takes up to a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[report]'
	@$(BIN)/python -m compileall -q tourney bots # each start would do it anew where Python may write no bytecode
	@touch $@

$(VENV)/installed-check $(VENV)/installed-test $(VENV)/installed-dev: $(VENV)/installed
	@echo "installing what \`make $(MAKECMDGOALS)\` needs; this takes a minute or two"
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$(patsubst $(VENV)/installed-%,%,$@)]'
	@touch $@

run: $(VENV)/installed ## set up, play a small tournament into results/quick, and make its report
	$(BIN)/tourney run configs/quick.toml --overwrite
	$(BIN)/tourney report results/quick

test: $(VENV)/installed-test ## set up, and run the tests that answer in a few minutes
	$(BIN)/pytest -n auto -m "not slow"

test-all: $(VENV)/installed-dev ## set up, and run the slow tests, and those that need other programs: matrices, browser, storms, builds
	$(BIN)/pytest -n auto -m "slow or needs"

check: $(VENV)/installed-check ## lint, check formatting, types, layers and English
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python .ci/dialect.py

format: $(VENV)/installed-check ## format the code, and fix what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

soak: $(VENV)/installed-test ## play 10,000 random matches of every game, over all seat counts and options
	SOAK_MATCHES=10000 $(BIN)/pytest -n auto tests/games/test_many_matches.py

storm: $(VENV)/installed-test ## kill, stop and signal all processes of 60 runs at random (RUNS=300 for a night; SEED)
	$(BIN)/python -m tests.storm

golden: $(VENV)/installed-test ## renew all golden files and docs/commands.md, after an intended change
	$(BIN)/pytest -q -n auto --renew

pictures: $(VENV)/installed-dev ## renew the pictures of the documentation, after a change of what they show
	$(BIN)/python -m tests.browser.pictures

vega: $(VENV)/installed-test ## renew the scripts that draw the charts of pages; check their licences in its first lines
	$(BIN)/python -c 'import vl_convert; from pathlib import Path; \
		file = Path("tourney/report/templates/vega.js"); head, end, _ = file.read_text().partition("\n*/\n"); \
		file.write_text(head + end + vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))'

compile: $(VENV)/installed-test ## compile the modules that play matches; repeat after each change to them
	$(BIN)/python .ci/hatch_build.py
	$(BIN)/tourney --version

uncompile: ## remove compiled modules: back to pure Python
	find . -path ./$(VENV) -prune -o -name '*.so' -type f -exec rm -f {} +

docs: $(VENV)/installed-dev ## build the documentation as a site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --config-file .mkdocs.yml
	@echo "the site is in build/site/index.html"

wheels: ## build a compiled wheel for each Python here into dist/, install each anew, and play
	$(PYTHON) .ci/wheels.py

bench: $(VENV)/installed-dev ## measure decisions per second, beside other libraries; writes results/bench.json
	$(BIN)/python -m tests.bench

bench-peers: $(VENV)/installed ## install the libraries that `make bench` compares with (large)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'

coverage-bars: $(VENV)/installed-dev ## measure on real play how well the error bars hold (up to an hour)
	$(BIN)/python -m tests.standings.coverage

clean: uncompile ## remove everything that the other targets made, except results
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
