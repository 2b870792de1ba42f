# Everything runs in a virtual environment of its own; nothing is installed elsewhere.
# Another interpreter: make test PYTHON=python3.12 VENV=.venv312

PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
CHECKED := build/checked$(VENV:.venv%=%)

COMPILED := $(shell find spacy_latperc -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi' -o -name '*.hh')
SOURCES := $(shell find spacy_latperc -name '*.py')
HEADERS := find spacy_latperc -name '*.hh'
CLANG_FORMAT := 'clang-format>=19,<20'  # another version formats otherwise
VENV_STAMP := $(VENV)/.made
PACKAGE_STAMP := $(VENV)/.package
INSTALL_STAMP := $(VENV)/.installed
CHECKED_STAMP := $(CHECKED)/.built

# setuptools calls its pyproject tables experimental at every build; errors still show.
PIP := PYTHONWARNINGS=ignore:::setuptools.config.pyprojecttoml,ignore:::setuptools.command.editable_wheel \
	$(PY) -m pip -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help install test lint format tidy checked sanitize sanitized fuzz coverage matrix arm64 demo bench bench-compare results docs wheel clean

help:
	@echo "make test     lint, kernel tests on the checked build, the whole test suite"
	@echo "make matrix   all tests on every Python here, with the lowest and newest versions"
	@echo "make arm64    kernel tests and bytes of models for arm64 under an emulator (Debian 12)"
	@echo "make sanitize kernel, learner and component tests under the sanitizers (Linux, GCC)"
	@echo "make fuzz     hostile inputs for all readers and loaders (SECONDS=600, SEED=0)"
	@echo "make lint     ruff, cython-lint, mypy, clang-format if it can be installed"
	@echo "make format   format Python and C++"
	@echo "make tidy     clang-tidy over the headers of the kernels"
	@echo "make coverage the test suite, and the lines of Python that it never runs"
	@echo "make demo     train on the bundled sample, and write a report"
	@echo "make bench    speed, memory and accuracy beside CRFsuite, NLTK and spaCy's own"
	@echo "make bench-compare BASE=revision   speed of this tree beside that of a revision"
	@echo "make results  measure what the documentation publishes (LATPERC_DATA)"
	@echo "make docs     build the documentation: build/site/index.html"
	@echo "make wheel    a wheel, and those of all that it needs: wheelhouse/"
	@echo "make install  the virtual environment only ($(VENV))"
	@echo "make clean    remove all that was built, the environment included"
	@echo "PYTHON=python3.12 chooses the interpreter, VENV=folder the environment."

install: $(INSTALL_STAMP)

$(VENV_STAMP):
	@command -v $(PYTHON) >/dev/null || { echo "There is no '$(PYTHON)'. Install Python 3.10" \
		"or newer, or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) .ci/check_machine.py
	@echo "== environment: $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip 'setuptools>=77' 'cython>=3.1,<4'
	@touch $@

# First the kernels, since pip would be silent for as long as they take.
$(PACKAGE_STAMP): $(VENV_STAMP) pyproject.toml setup.py $(COMPILED)
	@echo "== compiling the kernels"
	@$(PY) setup.py -q build_ext --inplace
	@echo "== installing the package and what it needs into $(VENV)"
	@rm -rf spacy_latperc.egg-info
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

$(INSTALL_STAMP): $(PACKAGE_STAMP)
	@echo "== installing what lint, tests and benchmarks need"
	@$(PIP) install --no-build-isolation --editable '.[bench,lint,test]'
	@touch $@

lint: $(INSTALL_STAMP)
	@echo "== lint"
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@PATH="$(abspath $(VENV))/bin:$$PATH" cython-lint spacy_latperc
	@$(PY) -m mypy
	@[ -x $(VENV)/bin/clang-format ] || $(PIP) install --retries 0 --timeout 10 \
		$(CLANG_FORMAT) >/dev/null 2>&1 || true
	@if [ -x $(VENV)/bin/clang-format ]; then $(HEADERS) | xargs $(VENV)/bin/clang-format --dry-run -Werror; \
	else echo "   clang-format cannot be installed: the format of the headers is not checked"; fi

$(CHECKED_STAMP): $(INSTALL_STAMP) .ci/copy_sources.py $(SOURCES)
	@echo "== checked build: $(CHECKED)"
	@$(PY) .ci/copy_sources.py $(CHECKED)
	@cd $(CHECKED) && LATPERC_BUILD=checked "$(abspath $(PY))" setup.py -q build_ext --inplace
	@touch $@

# In that folder, and with it on the path: the package there is the one that counts.
checked: $(CHECKED_STAMP)
	@echo "== kernel tests on the checked build"
	@cd $(CHECKED) && LATPERC_EXPECT_BUILD=checked PYTHONPATH="$(abspath $(CHECKED))" \
		"$(abspath $(PY))" -m pytest -q -n auto --dist loadfile -c "$(CURDIR)/pyproject.toml" \
		"$(CURDIR)/tests/kernels"
	@echo "== the same bytes without vector instructions"
	@$(PY) tools/model_bytes.py build/vectors.json --only '^model' & vectors=$$!; \
	(cd $(CHECKED) && PYTHONPATH="$(abspath $(CHECKED))" "$(abspath $(PY))" \
		"$(CURDIR)/tools/model_bytes.py" "$(CURDIR)/build/scalar.json" \
		--configs "$(CURDIR)/configs" --only '^model') && \
	wait $$vectors && diff build/vectors.json build/scalar.json

# Address, undefined behaviour with overflows of signed numbers, and threads. Python itself
# is not compiled with them: their libraries must be loaded before all else, and that of C++
# with them, since they look at once for what throws exceptions.
PRELOADED = $(foreach name,$(LIBRARY) libstdc++.so.6,$(shell g++ -print-file-name=$(name)))
sanitize: $(INSTALL_STAMP)
	@$(MAKE) --no-print-directory sanitized BUILD=sanitize LIBRARY=libasan.so \
		TESTS="tests/kernels tests/learners tests/pipeline"
	@$(MAKE) --no-print-directory sanitized BUILD=threads LIBRARY=libtsan.so \
		TESTS="tests/learners/test_threads.py tests/test_threads.py"

sanitized:
	@echo "== $(BUILD): compiling the kernels into build/$(BUILD)"
	@$(PY) .ci/copy_sources.py build/$(BUILD)
	@cd build/$(BUILD) && LATPERC_BUILD=$(BUILD) "$(abspath $(PY))" setup.py -q build_ext --inplace
	@echo "== $(BUILD): $(TESTS)"
	@cd build/$(BUILD) && LD_PRELOAD="$(strip $(PRELOADED))" PYTHONMALLOC=malloc \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		TSAN_OPTIONS=halt_on_error=1 PYTHONPATH="$(abspath build/$(BUILD))" \
		"$(abspath $(PY))" -m pytest -q -c "$(CURDIR)/pyproject.toml" $(addprefix $(CURDIR)/,$(TESTS))

# Recursive calls keep the order: the closing line of pytest comes last. Lint keeps one
# core busy and leaves the others to the compiler. The files of tests are taken by name:
# the longest (the demo, the pages) have few tests, and would be the last by number.
test: $(INSTALL_STAMP)
	@$(MAKE) --no-print-directory -j 2 lint $(CHECKED_STAMP)
	@$(MAKE) --no-print-directory checked
	@echo "== the whole test suite"
	@$(PY) -m pytest -q -n auto --dist loadfile --no-loadscope-reorder

matrix:
	@$(PYTHON) .ci/matrix.py

# qemu-user and a cross compiler: see the script.
arm64: $(INSTALL_STAMP)
	@.ci/arm64 "$(abspath $(PY))"

# Inputs that fail, and how, end up in build/fuzz.
SECONDS ?= 600
SEED ?= 0
fuzz: $(INSTALL_STAMP)
	@cd tests && OMP_NUM_THREADS=1 PYTHONHASHSEED=0 "$(abspath $(VENV))/bin/python" -m fuzz \
		--seconds $(SECONDS) --seed $(SEED) --save "$(CURDIR)/build/fuzz"

demo: $(PACKAGE_STAMP)
	@echo "== demo: from the bundled sample to a model and a report"
	$(VENV)/bin/latperc fit assets/sample/train.txt --dev assets/sample/dev.txt \
		--test assets/sample/test.txt --output build/demo
	$(VENV)/bin/latperc explain build/demo/model-best "Mr. Hale sleeps in Marleford ." --top 5
	@echo "Open build/demo/report.html. More to try: $(PY) -m spacy project run demo"

format: $(INSTALL_STAMP)
	@$(PY) -m ruff check --quiet --fix .
	@$(PY) -m ruff format .
	@$(PIP) install $(CLANG_FORMAT)
	@$(HEADERS) | xargs $(VENV)/bin/clang-format -i

tidy: $(INSTALL_STAMP)
	@$(PIP) install 'clang-tidy>=19'
	@$(HEADERS) | xargs -n 1 -I HEADER $(VENV)/bin/clang-tidy --quiet HEADER \
		-- -x c++ -std=c++17 -Ispacy_latperc/kernels

coverage: $(INSTALL_STAMP)
	@$(PIP) install 'coverage>=7.6'
	@$(PY) -m coverage run -m pytest -q
	@$(PY) -m coverage report

bench: $(INSTALL_STAMP)
	@$(PY) -m benchmarks

results: $(INSTALL_STAMP)
	@$(PY) -m benchmarks.results

$(VENV)/.docs: $(INSTALL_STAMP)
	@echo "== installing what the documentation needs"
	@$(PIP) install --editable '.[docs]' --no-build-isolation
	@touch $@

docs: $(VENV)/.docs
	@echo "== documentation: build/site/index.html"
	@$(PY) -m tools.docs_reference
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet --strict

# For this interpreter and system; pip install --no-index takes all from the folder.
wheel: $(VENV_STAMP)
	@echo "== wheels: wheelhouse/"
	@$(PIP) wheel --no-build-isolation --wheel-dir wheelhouse .
	@echo "pip install --no-index --find-links wheelhouse spacy-latperc"

# It fails where a figure is slower by more than the limit, in every round.
LIMIT ?= 0.02
ROUNDS ?= 3
bench-compare: $(INSTALL_STAMP)
	@test -n "$(BASE)" || { echo "Name a revision: make bench-compare BASE=main" >&2; exit 1; }
	@$(PY) -m benchmarks.compare "$(BASE)" --limit $(LIMIT) --rounds $(ROUNDS)

clean:
	rm -rf build dist corpus training metrics packages $(VENV) *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis project.lock
	find spacy_latperc benchmarks experiments tests tools -name __pycache__ -type d -exec rm -rf {} +
	find spacy_latperc/kernels -name '*.cpp' -o -name '*.so' -o -name '*.pyd' | xargs rm -f
