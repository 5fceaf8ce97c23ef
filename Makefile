# The commands of this project. The build itself is in CMakeLists.txt, its variants are in CMakePresets.json.

PREFIX ?= /usr/local
DESTDIR ?=
BENCH_ARGS ?=
FUZZ_SECONDS ?= 600
LAB_ARGS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

CODE_DIRS = include src/* src/papers/* cli module tests tests/cli tests/fuzz bench examples lab lab/* lab/errata/*
C_FILES = $(wildcard $(addsuffix /*.c,$(CODE_DIRS)))
H_FILES = $(wildcard $(addsuffix /*.h,$(CODE_DIRS)) $(addsuffix /*.inc,$(CODE_DIRS)))

# $(call build,preset,options): configure and compile one preset.
build = cmake --preset $(1) --log-level=WARNING $(2) && cmake --build --preset $(1) -j $(JOBS)
ctest = ctest --preset $(1) -j $(JOBS)

# The tests with several threads. gcc 12's ThreadSanitizer fails with the address space randomisation of newer kernels.
TSAN_TESTS = test_shared test_shared_fork test_metrics
NO_ASLR = $(shell setarch $$(uname -m) -R true 2>/dev/null && echo setarch $$(uname -m) -R)
empty =
space = $(empty) $(empty)

.PHONY: all module run test check fuzz bench lab lab-quick fmt fmt-check lint install deb clean help includes-check deps-build deps-test deps-lab deps-redis
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

all: deps-build ## build the library, the tool, the module, the examples and the benchmark (build/release)
	$(call build,release,-DGUIRA_TESTS=OFF)

module: deps-build ## build the module for Redis and Valkey alone (build/release/module/guira.so)
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira_module

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

test: deps-build deps-test deps-lab deps-redis fmt-check includes-check ## check format and includes, run all tests, build with clang, run quick tests with sanitizers (address, undefined, thread)
	$(call build,release,-DGUIRA_TESTS=ON)
	$(call ctest,release)
	if command -v clang >/dev/null; then $(call build,clang); else echo "no clang: not built with it"; fi
	$(call build,asan)
	GUIRA_QUICK=1 $(call ctest,asan)
	cmake --preset tsan --log-level=WARNING && cmake --build --preset tsan -j $(JOBS) --target $(TSAN_TESTS)
	GUIRA_QUICK=1 $(NO_ASLR) ctest --preset tsan -R '^($(subst $(space),|,$(TSAN_TESTS)))$$'

check: deps-build deps-test deps-lab deps-redis ## all tests in full under ASan and UBSan
	$(call build,asan)
	$(call ctest,asan)

fuzz: deps-build deps-test ## fuzz loading and operations, FUZZ_SECONDS=600 seconds each; finds are kept in build/fuzz
	$(call build,fuzz)
	for name in load ops; do \
		mkdir -p build/fuzz/corpus-$$name && \
		build/fuzz/tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=60 -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$name- build/fuzz/corpus-$$name tests/fuzz/corpus/$$name || exit 1; \
	done

bench: all ## build, then run the benchmark (BENCH_ARGS="options")
	build/release/bench/guira-bench $(BENCH_ARGS)

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

lint: deps-build deps-test deps-lab fmt-check includes-check ## clang-format, includes, clang-tidy, cppcheck: no finding is allowed
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=ON
	printf '%s\n' $(filter-out %_neon.c,$(C_FILES)) | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/release
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr -j $(JOBS) \
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
