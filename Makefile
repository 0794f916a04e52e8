# `make demo` and `make test` need Python 3.11 to 3.14 and make, nothing else: what they use is
# installed into .venv on the first run and kept until pyproject.toml changes.

PYTHON ?=
# One environment for each Python that is asked for, `make test PYTHON=python3.12`; .venv for the first fit one.
VENV := .venv$(if $(PYTHON),-$(notdir $(PYTHON)))
PY := $(VENV)/bin/python
PYTEST_ARGS ?=

# `make test-all` leaves out what is not installed.
VERSIONS := 3.11 3.12 3.13 3.14

.PHONY: help demo test test-all lint golden soak bench keras-tests clean

help:
	@echo 'make demo    k-means and a classifier of handwritten digits, each one staged function'
	@echo 'make test    all tests (pass more options by PYTEST_ARGS=...)'
	@echo 'make test-all  the same on each of Python $(VERSIONS) that is installed'
	@echo 'make lint    ruff, mypy and pyright'
	@echo 'make golden  write the golden files anew and show what changed'
	@echo 'make soak    random programs for a long time'
	@echo 'make bench   the project'"'"'s own measurements'
	@echo 'make keras-tests   those of Keras itself (a part by PYTEST_ARGS=src/losses)'
	@echo 'PYTHON=python3.12 behind any of these chooses the interpreter'
	@echo 'make clean   remove everything that these commands made'

demo: $(VENV)/.demo
	@$(PY) -m examples.kmeans
	@$(PY) -m examples.classifier

test: $(VENV)/.test
	@$(PY) -m pytest -q -n auto $(PYTEST_ARGS)

test-all:
	@for version in $(VERSIONS); do \
		if python=$$(sh .ci/python $$version); \
		then $(MAKE) --no-print-directory test PYTHON=$$python || exit 1; \
		else echo "python$$version is not installed: left out"; fi; \
	done

lint: $(VENV)/.dev
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(PY) -m pyright --pythonpath $(PY)

golden: $(VENV)/.test
	@$(PY) -m pytest -q -m golden --update-golden $(PYTEST_ARGS)
	git diff --exit-code -- fixtures
	@new=$$(git ls-files --others --exclude-standard -- fixtures); \
	[ -z "$$new" ] || { echo "not committed yet:"; echo "$$new"; exit 1; }

soak: $(VENV)/.test
	@$(PY) -m pytest -q -n auto -m "soak or not soak" --hypothesis-profile soak \
		-o faulthandler_timeout=0 $(PYTEST_ARGS)

bench: $(VENV)/.test
	@$(PY) -m benchmarks

keras-tests: $(VENV)/.test
	@$(PY) -m tests.support.keras_tests -n auto $(PYTEST_ARGS)

clean:
	rm -rf .venv .venv-* build dist *.egg-info .coverage .coverage.* htmlcov \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp in the environment for each set of extras.
$(VENV)/.demo: EXTRAS = demo
$(VENV)/.test: EXTRAS = demo,test
$(VENV)/.dev: EXTRAS = dev

$(VENV)/.demo $(VENV)/.test $(VENV)/.dev: pyproject.toml
	@PYTHON='$(PYTHON)' sh .ci/setup '$(VENV)' '$(EXTRAS)'
	@touch $@
