# The commands of this project. The build itself is in CMakeLists.txt, its variants are in CMakePresets.json.

PREFIX ?= /usr/local
DESTDIR ?=
BENCH_ARGS ?=
FUZZ_SECONDS ?= 600
MUTATE_SECONDS ?= 3600
MUTATE_ARGS ?=
STRESS_SECONDS ?= 600
STRESS_ARGS ?=
LAB_ARGS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

CODE_DIRS = include src/* src/papers/* bindings/js bindings/node bindings/python/src bindings/wasm cli module tests tests/cli tests/fuzz tests/portable tests/stress bench examples lab lab/* lab/errata/* sql/common sql/sqlite sql/postgres
C_FILES = $(wildcard $(addsuffix /*.c,$(CODE_DIRS)))
H_FILES = $(wildcard $(addsuffix /*.h,$(CODE_DIRS)) $(addsuffix /*.inc,$(CODE_DIRS)))

# $(call build,preset,options): configure and compile one preset.
build = cmake --preset $(1) --log-level=WARNING $(2) && cmake --build --preset $(1) -j $(JOBS)
# One test more than processors: tests of servers and signals wait for most of their time.
ctest = ctest --preset $(1) -j $$(($(JOBS) + 1))

# The tests with several threads. gcc 12's ThreadSanitizer fails with the address space randomisation of newer kernels.
TSAN_TESTS = test_shared test_shared_threads test_shared_fork test_metrics
NO_ASLR = $(shell setarch $$(uname -m) -R true 2>/dev/null && echo setarch $$(uname -m) -R)
empty =
space = $(empty) $(empty)

.PHONY: all module amalgamation sqlite postgres python node wasm site go rust run test test-release test-clang test-asan test-tsan check test-clients test-portable fuzz fuzz-pack stress coverage mutate bench bench-bindings lab lab-quick fmt fmt-check lint install deb clean help includes-check deps-build deps-test deps-lab deps-redis deps-bindings deps-sql deps-portable test-portable-quick
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

all: deps-build ## build the library, the tool, the module, the examples and the benchmark (build/release)
	$(call build,release,-DGUIRA_TESTS=OFF)

module: deps-build ## build the module for Redis and Valkey alone (build/release/module/guira.so)
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira_module

amalgamation: ## the library as two files, build/amalgamation/guira.c and guira.h, to compile with your program
	@sh scripts/deps.sh amalgamation
	python3 scripts/amalgamate.py build/amalgamation
	@echo "build/amalgamation has guira.c and guira.h. Try: cc -O3 -Ibuild/amalgamation -o hello examples/hello.c build/amalgamation/guira.c -lm && ./hello"

python: deps-build ## build the Python package alone (build/release/python)
	@sh scripts/deps.sh python
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF -DGUIRA_PYTHON_EXTENSION=ON
	cmake --build --preset release -j $(JOBS) --target guira_python
	@echo "build/release/python has the package. Try: PYTHONPATH=build/release/python /usr/bin/python3 -c 'import guira; f = guira.Filter([\"ana\"]); print(\"ana\" in f, f)'"

wasm: ## build the library for WebAssembly and browsers (build/wasm)
	@sh scripts/deps.sh wasm
	$(MAKE) -s -j $(JOBS) -f bindings/wasm/Makefile OUT=build/wasm
	@echo "build/wasm has guira.mjs and its four .wasm files. Try: node -e \"import('./build/wasm/guira.mjs').then(async (m) => console.log(new (await m.load()).Filter().add('ana').has('ana')))\""

node: wasm ## build the npm package (build/node)
	@sh scripts/deps.sh node
	sh bindings/node/make.sh build/wasm build/node
	@echo "build/node has the npm package. Try: npm install ./build/node, or: node -e \"import('./build/node/index.mjs').then(({Filter, backend}) => console.log(backend, new Filter().add('ana').has('ana')))\""

go: deps-build ## test the Go package (bindings/go) with the library of build/release
	@sh scripts/deps.sh go
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira
	bindings/go/test.sh build/release
	@echo "bindings/go is the Go package. Try: cd bindings/go && PKG_CONFIG_PATH=$(CURDIR)/build/release/go go test -count=1 -v -run Example ."

site: wasm ## build the page that shows the filters at work (build/site/index.html)
	python3 site/build.py build/wasm build/site/index.html
	@echo "build/site/index.html needs no server and no network. Try: xdg-open build/site/index.html"

rust: deps-build ## test the Rust crates (bindings/rust) with the library of build/release
	@sh scripts/deps.sh rust
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira
	bindings/rust/test.sh build/release
	@echo "bindings/rust has the crates. Try: GUIRA_LIB_DIR=$(CURDIR)/build/release/src LD_LIBRARY_PATH=$(CURDIR)/build/release/src cargo run --manifest-path bindings/rust/guira/Cargo.toml --example hello"

sqlite: deps-build ## build the extension for SQLite alone (build/release/sql/sqlite/guira.so)
	@sh scripts/deps.sh sqlite
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira_sqlite
	@echo "built build/release/sql/sqlite/guira.so; try: sqlite3 -cmd '.load build/release/sql/sqlite/guira' :memory: \"SELECT guira_has(guira('ana'), 'ana')\""

postgres: deps-build ## build the extension for PostgreSQL 15 alone (build/release/sql/postgres)
	@sh scripts/deps.sh postgres
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira_postgres
	@echo "built build/release/sql/postgres/guira.so; try it in a server of its own: sql/postgres/with_server.sh build/release/sql/postgres psql -c 'CREATE EXTENSION guira' -c 'SELECT guira_agg(x) @> 5 FROM generate_series(1, 10) AS x'"

GUIRA = build/release/cli/guira

run: all ## build, then show a filter that grows and shrinks, and drop duplicate events
	$(GUIRA) demo
	@echo
	@echo "A stream of events, about half of them delivered again:"
	@echo
	$(GUIRA) demo --events 2M | head -5
	@echo
	@echo "Each order once:"
	@echo
	$(GUIRA) demo --events 2M | $(GUIRA) uniq --key-field 2 --count | tail -5

# The stages of "make test", in this order.
TEST_STAGES = fmt-check includes-check test-release test-clang test-asan test-tsan test-portable-quick

test: deps-build deps-test deps-lab deps-redis deps-bindings deps-sql deps-portable ## check format and includes, run all tests, build with clang, run quick tests with sanitizers (address, undefined, thread) and for other processors
	@MAKE="$(MAKE)" python3 scripts/stages.py $(TEST_STAGES)

test-release:
	$(call build,release,-DGUIRA_TESTS=ON -DGUIRA_PYTHON_EXTENSION=ON)
	$(call ctest,release)

# For its warnings and errors, which do not depend on the optimiser: the largest file takes 7 s so, and 19 s with it.
test-clang:
	if command -v clang >/dev/null; then $(call build,clang,-DCMAKE_C_FLAGS_RELEASE=-O0); else echo "no clang: not built with it"; fi

# With sanitizers, what is inlined for each slot layout takes half a minute to compile per instruction set, and 2 s if it is not
# inlined.
QUICK_BUILD = -DGUIRA_SMALL=ON

# Without the lab and the benchmark, and without tests of how processes work together, which run code that others run too. "make
# check" tests all of them in this way.
ASAN_WITHOUT = example_.* redis_cli.* redis_clients redis_cluster redis_memory cli_big cli_real cli_skew cli_manual cli_recipes install
test-asan:
	$(call build,asan,$(QUICK_BUILD) -DGUIRA_LAB=OFF -DGUIRA_BENCH=OFF)
	GUIRA_QUICK=1 $(call ctest,asan) -E '^($(subst $(space),|,$(ASAN_WITHOUT)))$$'

test-tsan:
	cmake --preset tsan --log-level=WARNING $(QUICK_BUILD) && cmake --build --preset tsan -j $(JOBS) --target $(TSAN_TESTS)
	GUIRA_QUICK=1 $(NO_ASLR) ctest --preset tsan -R '^($(subst $(space),|,$(TSAN_TESTS)))$$'

check: deps-build deps-test deps-lab deps-redis deps-sql ## all tests in full under ASan and UBSan
	$(call build,asan,-DGUIRA_SMALL=OFF -DGUIRA_LAB=ON -DGUIRA_BENCH=ON)
	$(call ctest,asan)

test-clients: module deps-redis ## the module with current clients of other languages, from their registries (needs go, cargo, mvn, node)
	GUIRA_MODULE=$(CURDIR)/build/release/module/guira.so PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/redis/clients/run.py --dir build/clients

# In the order of src/, then what stands on it.
FUZZERS = load change ops metrics plan cli module sql

fuzz: deps-build deps-test ## fuzz every border, FUZZ_SECONDS=600 seconds each (FUZZERS="load ops": only these); goes on where it stopped; finds are in build/fuzz
	$(call build,fuzz) --target $(addprefix fuzz_,$(FUZZERS))
	sh tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS) $(FUZZERS)

fuzz-pack: ## after make fuzz: keep the inputs that reach something new, in tests/fuzz/corpus
	sh tests/fuzz/pack.sh build/fuzz $(FUZZERS)

coverage: deps-build deps-test ## how much of src/ the unit tests run, by lines and branches, in each folder
	$(call build,coverage)
	rm -rf build/coverage/profiles
	LLVM_PROFILE_FILE=$(CURDIR)/build/coverage/profiles/%m.profraw GUIRA_QUICK=1 $(call ctest,coverage) -R '^(test|replay)_'
	python3 scripts/coverage.py build/coverage >build/coverage/report.txt
	@sed -n '/^folder/,$$p' build/coverage/report.txt
	@echo "build/coverage/report.txt has the lines and branches that were not run"

mutate: deps-build deps-test ## put small faults into src/ one at a time and list those that no test finds, for MUTATE_SECONDS=3600; goes on where it stopped
	python3 tests/mutate/mutate.py --seconds $(MUTATE_SECONDS) --jobs $(JOBS) $(MUTATE_ARGS)

test-portable: deps-build deps-test deps-portable ## unit tests for big-endian, 32-bit, ARM and old x86-64 processors, under qemu
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=ON
	JOBS=$(JOBS) sh tests/portable/run.sh

test-portable-quick:
	JOBS=$(JOBS) sh tests/portable/run.sh --quick

stress: deps-build deps-test ## random operations, faults, threads and kill -9 against an exact model, STRESS_SECONDS=600 seconds, JOBS processes
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=ON && cmake --build --preset release -j $(JOBS) --target guira-stress
	build/release/tests/stress/guira-stress --seconds $(STRESS_SECONDS) --jobs $(JOBS) $(STRESS_ARGS)

bench: all ## build, then run the benchmark (BENCH_ARGS="options")
	build/release/bench/guira-bench $(BENCH_ARGS)

bench-bindings: python node ## compare the bindings with what else there is, from the registries; writes build/bindings/*.md
	sh bench/bindings/run.sh

lab: all deps-lab ## the papers' tables and figures: lab/out/index.html (LAB_ARGS="options of lab/run.py")
	python3 lab/run.py $(LAB_ARGS)

lab-quick: all deps-lab ## the same in a minute, with smaller sizes: build/release/lab/out/index.html
	python3 lab/run.py --quick --out build/release/lab/out $(LAB_ARGS)

fmt: deps-test ## format every source file in place
	clang-format -i $(C_FILES) $(H_FILES)

fmt-check: deps-test
	@echo clang-format --dry-run on all sources
	@clang-format --dry-run -Werror $(C_FILES) $(H_FILES)

includes-check: ## check that no include points from a lower layer to a higher one
	python3 scripts/check_includes.py

# Without files that are compiled by other means, so that clang-tidy does not know their options: for other processors, GUIRA_SMALL,
# WebAssembly, Node and PostgreSQL (PGXS).
NOT_LINTED = %_neon.c %_small.c bindings/wasm/% bindings/node/addon.c sql/postgres/% tests/portable/%

lint: deps-build deps-test deps-lab deps-bindings fmt-check includes-check ## clang-format, includes, clang-tidy, cppcheck: no finding is allowed
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=ON -DGUIRA_PYTHON_EXTENSION=ON
	printf '%s\n' $(filter-out $(NOT_LINTED),$(C_FILES)) | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/release
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --suppressions-list=.cppcheck -j $(JOBS) \
		--project=build/release/compile_commands.json

install: all ## install below DESTDIR and PREFIX=/usr/local; run ldconfig afterwards
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

deb: deps-build ## Debian packages in build/deb, checked by lintian
	@sh scripts/deps.sh deb
	sh scripts/deb.sh

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

deps-build:
	@sh scripts/deps.sh build

deps-test:
	@sh scripts/deps.sh test

deps-lab:
	@sh scripts/deps.sh lab

deps-redis:
	@sh scripts/deps.sh redis

# What cannot be installed is skipped by its tests, which say so.
deps-bindings:
	@for group in python wasm node site go rust; do sh scripts/deps.sh $$group || echo "guira: the tests of $$group may be skipped"; done

deps-sql:
	@sh scripts/deps.sh sql

# Without them the tests for other processors are skipped, and say so.
deps-portable:
	@sh scripts/deps.sh portable || true
