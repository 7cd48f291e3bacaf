# A thin layer over CMake's presets; `make help` says what there is.
.DEFAULT_GOAL := help
.PHONY: help setup setup-build demo test busy torch real real-files asan tsan arm arm-smoke x86-32 wheel wheels deb explorer explorer-test fuzz fuzz-files slow bench bench-quick large-files bench-formats bench-mpi pictures docs format clean build

# ThreadSanitizer wants its addresses where they are without address space randomisation.
FIXED_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | column -t -s '|' 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1: \2/p' $(firstword $(MAKEFILE_LIST))

setup: ## Install what is missing: Debian or Ubuntu packages (sudo where not root), Python packages into .venv
	@scripts/setup.sh

setup-build: ## Install only what the library, the program and the Python package are built with
	@scripts/setup.sh --build

demo: setup-build ## Convert a real photograph, let NumPy check it, explain a refused view
	@scripts/demo.sh

build: setup ## Build everything (preset dev)
	cmake --preset dev
	cmake --build --preset dev

test: build ## Build everything and run every test (preset dev)
	ctest --preset dev

busy: build ## The tests five times beside stress-ng, and once on one processor without a terminal (TIMES: how often)
	scripts/busy.sh $(TIMES)

torch: build ## The tests that need PyTorch, with 1.13, 2.6 and the newest of PyPI (14 GB, in build/torch; TORCH: which)
	scripts/torch_versions.sh $(TORCH)

real: build ## Audit models of torchvision, timm and transformers, and follow the fixes (6 GB, in build/real)
	.venv/bin/python3 -B tests/real/models.py

real-files: build ## Read all files below TENSTRIDE_REAL_FILES, a folder (TENSTRIDE_REAL_ZARR=1: and made ones), beside their libraries
	.venv/bin/python3 -B tests/real/files.py

asan: setup ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan

tsan: setup ## The tests about threads under ThreadSanitizer
	cmake --preset tsan
	cmake --build --preset tsan --target tenstride-tests
	$(FIXED_ADDRESSES) ctest --preset tsan

arm: setup ## core, numeric and their tests for 64-bit ARM, run by qemu-user
	scripts/cross.sh arm

arm-smoke: setup ## Of these, the tests of layouts and of kernels
	scripts/cross.sh arm '/(layout|plan)/|kernels|convert|typed_access'

x86-32: setup ## core, numeric and notation for 32-bit x86, where addresses are shorter than indices, and tests of layouts and explanations
	scripts/cross.sh x86-32

wheel: setup ## Build the Python wheel, install it into an empty environment and try it there
	scripts/wheel.sh

wheels: setup ## Build a wheel for each Python from 3.9 to 3.11 that is there, and one by the stable ABI for 3.12 and later
	scripts/wheels.sh

deb: setup ## Build the Debian packages libtenstride0.1, libtenstride-dev and tenstride
	scripts/deb.sh

fuzz: build ## Random copies with each instruction set (PLANS, FIRST: how many, from which on), random chains (CHAINS)
	@for table in avx512 avx2 portable; do \
	  echo "$$table:"; \
	  TENSTRIDE_KERNELS=$$table TENSTRIDE_RANDOM_PLANS=$(or $(PLANS),200000) TENSTRIDE_RANDOM_FIRST=$(or $(FIRST),1) \
	    build/dev/bin/tenstride-tests --gtest_brief=1 --gtest_filter='RandomPlans.*' || exit 1; \
	done
	@echo "chains:"
	@TENSTRIDE_FUZZ_CHAINS=$(or $(CHAINS),100000) \
	  build/dev/bin/tenstride-tests --gtest_brief=1 --gtest_filter='Lazy.Random*'

fuzz-files: ## Give the library broken files and texts by libFuzzer (TARGETS: which; SECONDS_EACH: an hour by default)
	compiler=$$(scripts/fuzz_setup.sh) && cmake --preset fuzz -DCMAKE_CXX_COMPILER="$$compiler"
	cmake --build --preset fuzz --target fuzz-targets
	.venv/bin/python3 -B tests/fuzz/run.py --build build/fuzz --seconds $(or $(SECONDS_EACH),3600) $(TARGETS)

slow: build ## The tests that take minutes or gigabytes: 200,000 random copies, 100,000 random chains, more than 2^31 elements
	ctest --preset dev -C Slow -L slow

bench: ## Measure beside memcpy and the other libraries (QUICK=1: a selection); tables and plots in build/bench
	@scripts/bench_setup.sh
	cmake --preset release
	cmake --build --preset release --target tenstride-bench
	mkdir -p build/bench
	build/release/bin/tenstride-bench $(if $(QUICK),--quick) --commit "$$(git describe --always --dirty)" \
	  --out build/bench/results.json
	.venv/bin/python3 -B bench/report.py build/bench/results.json --markdown build/bench/results.md --plots build/bench

bench-quick: ## The same, in minutes
	@$(MAKE) --no-print-directory bench QUICK=1

large-files: LARGE_FILES := $(if $(QUICK),quick,results)
large-files: setup ## Reorder files larger than memory beside cp and other programs (root, 25 GB of disk, hours; QUICK=1: a try)
	cmake --preset release
	cmake --build --preset release --target tenstride_cli
	bench/large_files.sh --continue $(if $(QUICK),--quick) --out build/large_files/$(LARGE_FILES).json
	build/large_files/venv/bin/python3 -B bench/large_files_report.py build/large_files/$(LARGE_FILES).json \
	  --markdown build/large_files/$(LARGE_FILES).md --plot build/large_files/$(LARGE_FILES).svg

bench-formats: setup ## Zarr, HDF5, checkpoints and archives beside the programs for them (root, 25 GB of disk, an hour; QUICK=1: a try)
	cmake --preset release
	cmake --build --preset release --target tenstride_cli
	bench/formats.sh $(if $(QUICK),--quick --without-limit)

bench-mpi: ## Redistributions over MPI beside ScaLAPACK, FFTW, COSTA and mpi4py-fft (RANKS: how many, 2 by default)
	bench/mpi/setup.sh
	cmake --preset release
	cmake --build --preset release --target tenstride-mpi-bench
	OMP_NUM_THREADS=1 mpirun --allow-run-as-root --oversubscribe -n $(or $(RANKS),2) build/release/bin/tenstride-mpi-bench
	OMP_NUM_THREADS=1 mpirun --allow-run-as-root --oversubscribe -n $(or $(RANKS),2) \
	  build/mpi-bench/venv/bin/python3 -B bench/mpi/mpi4py_fft_peer.py

pictures: setup ## Draw the pictures of the documents anew, and print their outputs
	cmake --preset dev
	cmake --build --preset dev --target tenstride_cli
	scripts/pictures.sh build/dev/bin/tenstride
	.venv/bin/python3 -B scripts/outputs.py build/dev/bin/tenstride docs/memory-model.md

# DEV: a folder with the built program and Python package; without it they are built here.
docs: setup ## Build the documentation site into build/docs/site, check its links and open it in Chromium
	scripts/docs_setup.sh
ifndef DEV
	cmake --preset dev
	cmake --build --preset dev --target tenstride_cli tenstride_python
endif
	.venv/bin/python3 -B scripts/docs/build.py --dev $(or $(DEV),build/dev)
	.venv/bin/python3 -B tests/docs/test_site.py --site build/docs/site

explorer: ## Build the explorer, a page that runs expressions in the browser, into build/explorer/page
	@scripts/explorer_setup.sh
	cmake --preset wasm
	cmake --build --preset wasm
	build/explorer/venv/bin/python3 -B scripts/explorer.py

# DEV: a folder with the built program; without it that is built here.
explorer-test: explorer ## The explorer says what the program says, and does what a person wants, in Chromium and Firefox
	@scripts/explorer_setup.sh --test
ifndef DEV
	cmake --preset dev
	cmake --build --preset dev --target tenstride_cli
endif
	build/explorer/venv/bin/python3 -B tests/explorer/test_library.py --library build/explorer/page/tenstride.wasm \
	  --bin $(or $(DEV),build/dev)/bin
	build/explorer/venv/bin/python3 -B tests/explorer/test_page.py --page build/explorer/page $(if $(SCREENSHOTS),--screenshots $(SCREENSHOTS))

format: setup ## Write every C++ file as clang-format does, every Python file as ruff does
	.venv/bin/python3 -B tests/house/formatting.py --fix
	.venv/bin/python3 -B tests/house/python_files.py --fix

clean: ## Remove the builds and what the demo made
	rm -rf build demo
