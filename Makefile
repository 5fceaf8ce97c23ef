# The front door. The build itself is CMakeLists.txt, its variants are in CMakePresets.json.

PREFIX ?= /usr/local
DESTDIR ?=
BENCH_ARGS ?=
FUZZ_SECONDS ?= 600
LAB_ARGS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

C_FILES = $(wildcard $(addsuffix /*.c,src cli module tests tests/cli tests/fuzz bench examples lab lab/*))
H_FILES = $(wildcard $(addsuffix /*.h,include src cli module tests tests/cli tests/fuzz bench examples lab lab/*))

# $(call build,preset,options): configure and compile one preset.
build = cmake --preset $(1) --log-level=WARNING $(2) && cmake --build --preset $(1) -j $(JOBS)
ctest = ctest --preset $(1) -j $(JOBS)

# What several threads take part in. ThreadSanitizer of gcc 12 cannot live with as much ASLR as new kernels give.
TSAN_TESTS = test_shared test_metrics
NO_ASLR = $(shell setarch $$(uname -m) -R true 2>/dev/null && echo setarch $$(uname -m) -R)
empty =
space = $(empty) $(empty)

.PHONY: all module run test check fuzz bench lab lab-quick fmt fmt-check lint install deb clean help deps-build deps-test deps-lab deps-redis
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

all: deps-build ## build the library, the tool, the module, the examples and the benchmark (build/release)
	$(call build,release,-DGUIRA_TESTS=OFF)

module: deps-build ## build the module for Redis and Valkey alone (build/release/module/guira.so)
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira_module

GUIRA = build/release/cli/guira

run: all ## build, then show the tide and de-duplicate a stream of events
	$(GUIRA) demo
	@echo
	@echo "A stream of events, about half of them delivered again:"
	@echo
	$(GUIRA) demo --events 2M | head -5
	@echo
	@echo "Each order once:"
	@echo
	$(GUIRA) demo --events 2M | $(GUIRA) uniq --key-field 2 --count | tail -5

test: deps-build deps-test deps-lab deps-redis fmt-check ## all tests, a build by clang, quick tests under sanitizers (address, undefined, thread)
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

fuzz: deps-build deps-test ## fuzz loading and operations, $(FUZZ_SECONDS) seconds each; finds are kept in build/fuzz
	$(call build,fuzz)
	for name in load ops; do \
		mkdir -p build/fuzz/corpus-$$name && \
		build/fuzz/tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=60 -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$name- build/fuzz/corpus-$$name tests/fuzz/corpus/$$name || exit 1; \
	done

bench: all ## build, then run the benchmark with $(BENCH_ARGS)
	build/release/bench/guira-bench $(BENCH_ARGS)

lab: all deps-lab ## the papers' tables and figures: lab/out/index.html; $(LAB_ARGS) go to lab/run.py
	python3 lab/run.py $(LAB_ARGS)

lab-quick: all deps-lab ## the same in a minute, with smaller sizes: build/release/lab/out/index.html
	python3 lab/run.py --quick --out build/release/lab/out $(LAB_ARGS)

fmt: deps-test ## format every source file in place
	clang-format -i $(C_FILES) $(H_FILES)

fmt-check: deps-test
	clang-format --dry-run -Werror $(C_FILES) $(H_FILES)

lint: deps-build deps-test deps-lab fmt-check ## clang-tidy, cppcheck, clang-format: no finding is allowed
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=ON
	printf '%s\n' $(C_FILES) | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/release
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr -j $(JOBS) \
		--project=build/release/compile_commands.json

install: all ## install below $(DESTDIR)$(PREFIX)
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

deb: deps-build ## Debian packages in build/deb, checked by lintian
	@sh scripts/deps.sh deb
	sh scripts/deb.sh

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

deps-build:
	@sh scripts/deps.sh build

deps-test:
	@sh scripts/deps.sh test

deps-lab:
	@sh scripts/deps.sh lab

deps-redis:
	@sh scripts/deps.sh redis
