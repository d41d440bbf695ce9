# The targets of ulnet. `make` alone prints them, each with the text after its `##`.
# A target that builds something first runs dev/setup, which installs the missing packages of the
# kinds that the target names (dev/packages.txt).

.DEFAULT_GOAL := menu
.PHONY: menu demo unit test test-net test-asan test-tsan fuzz mutate sim sim-picture bench bench-check bench-smp bench-peers format count check docs docs-pictures install clean setup

JOBS    ?= $(shell dev/build --jobs)
MINUTES ?= 1
COUNT   ?= 200
PREFIX  ?= /usr/local
DESTDIR ?=
# A test that computes all the time counts as two of these jobs; a test that mostly waits, such as
# one with daemons, counts as one (docs/TESTING.md).
CTEST    = ctest --output-on-failure --no-tests=error -j $$((3 * $(JOBS)))

menu: ## print this list
	@echo "ulnet: LNet, the Lustre network, in user space"
	@echo
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
	@echo
	@echo "  JOBS=$(JOBS) builds and tests at a time; MODULE, one of the folders of src; MINUTES=$(MINUTES) for each fuzzer and the swarm; COUNT=$(COUNT) mutants; PREFIX=$(PREFIX) to install to"

demo: ## build, run four nodes on loopback (pings, checked data, a table), then a network that loses a router, with a picture
	@dev/setup build
	@dev/build release ulnetd ulnetctl ulst ulnet-lab ulnet-fgr raw_loop
	@dev/demo --build build/release

unit: ## build and run the quick tests that need no daemon; MODULE=lnet: only those of that product
	@dev/setup build test
	@dev/build release unit$(MODULE:%=_%)
	@$(CTEST) --test-dir build/release -L '^unit_$(or $(MODULE),.*)$$'

test: ## build everything and run every test
	@dev/setup build test browser
	@dev/build release
	@$(CTEST) --test-dir build/release --output-junit $(CURDIR)/build/release/junit.xml

test-net: ## run only the tests with daemons
	@dev/setup build test browser
	@dev/build release
	@$(CTEST) --test-dir build/release -L '^net$$' --output-junit $(CURDIR)/build/release/junit-net.xml

test-asan: ## run every test but those of planted bugs under the address and undefined-behaviour sanitizers
	@dev/setup build test clang browser
	@dev/build asan
	@$(CTEST) --test-dir build/asan --output-junit $(CURDIR)/build/asan/junit.xml

test-tsan: ## run the threaded tests under the thread sanitizer
	@dev/setup build test clang
	@dev/test-tsan

fuzz: ## run each fuzzer for MINUTES minutes, from its corpus
	@dev/setup build clang
	@fuzz/run --minutes $(MINUTES)

mutate: ## make COUNT small changes in src/lnet/core and the connection engine, one at a time, and count those that the tests notice
	@dev/setup build test clang
	@dev/mutate --count $(COUNT)

sim: ## run random worlds of simulated nodes with every checker, and print what they exercised
	@dev/setup build
	@dev/build release ulnet-sim
	@build/release/bin/ulnet-sim swarm --minutes $(MINUTES) --keep build/sim

sim-picture: ## draw the failure that docs/TESTING.md shows again
	@dev/setup build
	@dev/build release ulnet-sim
	@build/release/bin/ulnet-sim run examples/sim/lost-message.yaml --svg docs/pictures/lost-message.svg || [ $$? -eq 1 ]

bench: ## measure against raw TCP in the same run; keeps build/bench.json (PAGE=docs/PERFORMANCE.md: also writes that page)
	@dev/setup build test
	@dev/build release
	@bench/run --build build/release --out build/bench.json $(if $(PAGE),--page $(PAGE))

bench-smp: ## measure the gains and costs of CPU partitions
	@dev/setup build test
	@dev/build release
	@bench/run --build build/release --out build/bench.json --only 'smp_*,put_instructions*,run_token*'

bench-check: ## as bench, and fail if a threshold of bench/thresholds.json is missed
	@dev/setup build test
	@dev/build release
	@bench/run --build build/release --out build/bench.json --check bench/thresholds.json

bench-peers: ## as bench, and measure ucx_perftest too where it is installed
	@dev/setup build test
	@dev/build release
	@bench/run --build build/release --out build/bench.json --peers

format: ## format every source file as .clang-format says
	@dev/check-format --fix

count: ## count the lines of code of each product; make count BEFORE=REVISION compares
	@dev/count-lines $(BEFORE)

check: ## check layers, format, paths, lengths, copied lines, coverage of clauses, documents, decisions, words: takes seconds, builds nothing
	@status=0; for check in layers.py format paths tidy copies.py coverage.py docs.py decisions.py words.py; do dev/check-$$check || status=1; done; dev/planted-bugs || status=1; exit $$status

docs-pictures: ## draw the pictures of docs/SELFTEST.md, docs/LAB.md and docs/FGR.md again, from daemons on loopback and planned sites
	@dev/setup build browser
	@dev/build release ulnetd ulnetctl ulst ulnet-lab ulnet-fgr
	@for site in figure-5 six-ssu; do build/release/bin/ulnet-fgr draw examples/fgr/$$site.yaml -o docs/pictures/fgr-$$site.svg || exit 1; done
	@build/release/bin/ulnet-fgr simulate examples/fgr/six-ssu.yaml --lose router:nid00608 --svg docs/pictures/fgr-lost-router.svg
	@dev/draw-pictures --build build/release --out docs/pictures
	@dev/draw-lab --build build/release --out docs/pictures

docs: ## make the man pages, in build/release/man
	@dev/setup build docs
	@dev/build release man

install: ## build and install to PREFIX (and DESTDIR)
	@dev/setup build docs
	@dev/build release
	@DESTDIR=$(abspath $(DESTDIR)) cmake --install build/release --prefix $(abspath $(PREFIX))

clean: ## remove everything that was built
	rm -rf build

setup: ## install the missing packages of dev/packages.txt (Debian 12); the other targets install what they need
	@dev/setup
