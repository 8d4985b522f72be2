# The commands of this repository; `make` alone lists them.
#
# Each is one or two lines on top of cargo. What takes more than that is a script: `.ci/run`,
# `.ci/tools`, `bench/run`, `scripts/beside`, `scripts/clean-machine`, `scripts/compare`, `scripts/deny`, `packaging/check`, `packaging/container/*`,
# `packaging/deb/*`, `scripts/agent`, `scripts/ramdisk`,
# `scripts/upgrade-check`, `scripts/with-postgres`, `scripts/with-mariadb`, `scripts/with-keystone`,
# `scripts/with-rabbitmq`, `tests/attack/run`, `tests/chaos/*`, `tests/first-day`, `tests/import/run`, `tests/import/damage`, `tests/import/shadow`, `tests/import/takeover`, `ui/check`, `ui/size`, `ui/smoke`, `ui/test/run`, `tests/clients/schemathesis-run`, `tests/clients/stock-cli`, `tests/clients/stock-sdk`, `tests/openstack/run`,
# `bench/import`, `bench/openstack`.

.DEFAULT_GOAL := help
.PHONY: help attack deb deb-check demo demo-check dist clean-machine clean-machine-test test test-fast check deny bench bench-ipmi bench-passes bench-scale
.PHONY: bench-import bench-iscsi bench-memory bench-openstack chaos chaos-brief clean-machine-vm compare e2e e2e-firmware e2e-image e2e-iscsi first-day fuzz fuzz-brief image-check import-check openstack ramdisk shadow stock-clients takeover units-check upgrade-check

# The demo and the tests use the build that is ready soonest; `make dist` makes what is installed.
DEBUG := target/debug/corten
RELEASE := target/release/corten
DIST := target/dist/corten

# Under CI a missing PostgreSQL, MariaDB or Keystone is a failure; elsewhere their tests are skipped, loudly.
OPTIONAL := $(if $(CI),,--optional)
WITH_SERVERS := scripts/with-postgres $(OPTIONAL) scripts/with-mariadb $(OPTIONAL) \
  scripts/with-keystone $(OPTIONAL)

# Dumps of real Ironics with their answers; without them there is nothing to compare, and the run says so.
IRONIC_DB ?= ../shared/ironic-db
IMPORT_CHECK := scripts/with-postgres $(OPTIONAL) scripts/with-mariadb $(OPTIONAL) \
  tests/import/run $(IRONIC_DB) $(DEBUG)

# Two minutes of chaos, and the same trouble each time.
CHAOS_BRIEF := --seconds 120 --seed 5

# Tests of the built program with clients, attackers, machines and faults. Most of their time they
# wait, so some run beside each other; what takes longest comes first.
WHOLE_SERVICE := \
  'scripts/with-firmware $(OPTIONAL) tests/e2e/quick' \
  'tests/chaos/run debug cluster $(CHAOS_BRIEF)' \
  'tests/chaos/run debug bad-days' \
  '$(IMPORT_CHECK)' \
  'tests/clients/schemathesis-run $(OPTIONAL)' \
  'tests/chaos/run debug unfenced' \
  'scripts/with-postgres $(OPTIONAL) tests/attack/run' \
  'scripts/with-keystone $(OPTIONAL) ui/test/run $(OPTIONAL) target/debug/corten' \
  'tests/clients/hardware-run $(OPTIONAL)' \
  'tests/clients/stock-agent-run $(OPTIONAL)' \
  'tests/clients/old-cli $(OPTIONAL)' \
  'scripts/with-rabbitmq $(OPTIONAL) tests/clients/notifications-run $(OPTIONAL)'

# The programs that tests start. All members are named: with fewer, cargo leaves out features that
# only tests use, and every crate that sees the difference is compiled a second time.
PROGRAMS := cargo build --locked --workspace --bins --example later

# Seconds for each fuzz target.
FUZZ_SECONDS ?= 60

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name about; do printf '  make %-12s %s\n' "$$name" "$$about"; done

# With INSTALL=yes, Debian's packages that the virtual machine needs are installed, as root or by sudo.
demo: $(DEBUG) ## build, and run the service with a rack of fake machines until Ctrl-C; a virtual one joins them
	INSTALL=$(INSTALL) $(DEBUG) demo --machine target/demo --prepare scripts/demo-machine

import-check: $(DEBUG) ## import databases that a real Ironic wrote, and compare the answers
	$(IMPORT_CHECK)

demo-check: $(DEBUG) ## the same, take one machine from enroll to active, and end
	cargo xtask demo-check $(DEBUG)

dist: $(DIST) ## the programs to install: small and fast, and long in the making
	install -m 755 "$$(scripts/agent)" $(DIST)-agent
	@ls -l $(DIST) $(DIST)-agent

deb: $(DIST) ## packages for Debian, in target: the service, and on request the names of Ironic's programs
	packaging/deb/build $(DIST) "$$(scripts/agent)" target
	packaging/deb/build-names target

deb-check: ## such packages of the debug program, installed, used and removed in a clean Debian; as root
	$(PROGRAMS)
	[ -e target/clean/base/complete ] || scripts/clean-machine true
	packaging/deb/try "$$(packaging/deb/build $(DEBUG) "$$(scripts/agent)" target/debug)" \
	    "$$(packaging/deb/build-names target/debug)"

clean-machine: ## `make demo` in a Debian with nothing but Rust and a C compiler, as user and as root; needs root
	scripts/clean-machine

clean-machine-vm: ## the same, then with what the virtual machine needs, until it is active; a quarter of an hour
	VM=yes scripts/clean-machine

clean-machine-test: ## `make test` there, with nothing skipped; an hour, and as root
	scripts/clean-machine make test

test: ## all tests, on SQLite, PostgreSQL and MariaDB, and with Keystone; installs what they need where it may
	.ci/tools
	tests/chaos/unfenced debug
	$(PROGRAMS)
	scripts/with-firmware $(OPTIONAL) tests/e2e/quick --prepare
	CORTEN=target/debug/corten packaging/check $(OPTIONAL)
	if cargo nextest --version >/dev/null 2>&1; then \
	  $(WITH_SERVERS) cargo nextest run --locked --workspace; \
	else \
	  $(WITH_SERVERS) cargo test --locked --workspace; \
	fi
	scripts/beside 4 $(WHOLE_SERVICE)

check: ## format, lints, and the rules of the tree
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo xtask arrows
	cargo xtask lines
	cargo xtask links
	cargo xtask draw --check
	cargo xtask words
	cargo xtask ui
	cargo xtask ui-types --check

test-fast: ## the tests that need no server and no minute, for every change; five minutes after a build
	$(PROGRAMS)
	cargo nextest run --locked --workspace --profile fast

attack: ## attacks on a running service: those that worked once, and those that never did
	$(PROGRAMS)
	scripts/with-postgres $(OPTIONAL) tests/attack/run

stock-clients: $(DEBUG) ## the stock SDK's own tests and a life by the stock command line, in all three ways of authentication; minutes
	for auth in none http_basic keystone; do \
	  tests/clients/stock-sdk --auth $$auth $(DEBUG) && tests/clients/stock-cli --auth $$auth $(DEBUG) || exit 1; \
	done

# Odd requests follow from the seed.
SEED ?= 1

compare: $(DEBUG) ## our answers beside those of a real Ironic, from PyPI and on MariaDB; minutes (SEED=…)
	scripts/compare $(DEBUG) --seed $(SEED)

# For how long Ironic works while its shadow is compared with it.
MINUTES ?= 2

shadow: $(DEBUG) ## a real Ironic at work beside its shadow, from PyPI and on MariaDB (MINUTES=…)
	tests/import/shadow $(DEBUG) $(MINUTES)

takeover: $(DEBUG) ## a conductor group of a real Ironic comes over and goes back, killed on the way (SEED=…)
	tests/import/takeover $(DEBUG)

deny: ## licences, sources and known defects of our dependencies; installs cargo-deny
	scripts/deny

bench: $(RELEASE) ## measure, side by side with Ironic if there is one (see bench/run), and with the limit
	cargo build --locked --release --package corten --example bare
	bench/run

bench-import: $(RELEASE) ## measure an import of Ironic's database with 50,000 nodes (see bench/import)
	scripts/with-postgres $(OPTIONAL) scripts/with-mariadb $(OPTIONAL) bench/import

bench-ipmi: $(RELEASE) ## measure IPMI with thousands of simulated BMCs (see bench/ipmi)
	cargo build --locked --release -p drivers --example ipmi_power
	bench/ipmi

bench-memory: $(RELEASE) ## measure what the worst bodies take of the memory, and what others notice (see bench/memory)
	bench/memory

bench-passes: ## measure periodic passes with up to 100,000 nodes (see bench/passes)
	cargo build --locked --release -p conductor --example passes
	bench/passes

bench-scale: $(RELEASE) ## measure what operations cost with up to 100,000 nodes (see bench/scale)
	bench/scale
	scripts/with-postgres bench/scale --postgres

bench-iscsi: ## measure writes of a disk over iSCSI beside curl | dd, tgt and qemu-img (see bench/iscsi); 9 GiB in TMPDIR
	bench/iscsi

chaos: ## a cluster is killed, paused and parted for ten minutes while machines live; as root
	tests/chaos/unfenced release
	cargo build --locked --release --package corten
	cargo build --locked --release --package corten-chaos
	tests/chaos/run release all --seconds 600

chaos-brief: ## the same for two minutes, with the programs of target/debug; the same trouble each time
	tests/chaos/unfenced debug
	$(PROGRAMS)
	tests/chaos/run debug all $(CHAOS_BRIEF)

e2e: $(RELEASE) ramdisk ## machines in QEMU, from nothing to installed and back; more than an hour, as root
	scripts/with-firmware cargo run --locked --package corten-e2e

first-day: $(RELEASE) ## from the package to logins on three empty machines in QEMU, in a clean Debian; as root, half an hour
	[ -e target/clean/base/complete ] || scripts/clean-machine true
	scripts/with-firmware tests/first-day "$$(packaging/deb/build $(RELEASE) "$$(scripts/agent)" target/release)"

e2e-firmware: ## real firmware in QEMU boots from our services; minutes, and as root
	scripts/with-firmware cargo nextest run --locked --package boot --test peers --no-capture firmware::

e2e-iscsi: ## our initiator with LIO, and our target with open-iscsi, each in a kernel of its own in QEMU; minutes
	cargo build --locked --workspace --tests --example iscsi_target
	tests/peers/with-lio cargo nextest run --locked --offline --workspace --no-capture -E 'package(drivers) & test(lio)'
	tests/peers/open-iscsi

e2e-image: ## images from Debian's packages, built twice and booted in QEMU by BIOS, UEFI and kernel; minutes
	scripts/with-firmware cargo nextest run --locked --package ramdisk --test boots --no-capture

# The services come from a lab that is no part of this repository; without it this fails and says so.
LAB ?= ../shared/lab/openstack
LEGS ?=

openstack: ## lives on real Keystone, Glance, Swift, Neutron, Cinder; failures, kills, QEMU machines; half an hour (LAB=…)
	$(PROGRAMS)
	CORTEN=target/debug/corten scripts/with-firmware scripts/ramdisk virt
	LAB=$(LAB) tests/openstack/run $(LEGS)

bench-openstack: $(RELEASE) ## CPU of a deploy beside Ironic's on the same services, and how often we log in (LAB=…)
	LAB=$(LAB) bench/openstack

fuzz-brief: ## every fuzz target for some seconds, without a fuzzer; part of `make test`
	cargo test --locked --package corten-fuzz

fuzz: ## every fuzz target for FUZZ_SECONDS (needs cargo-fuzz and a nightly toolchain)
	for target in $$(cargo +nightly fuzz list); do \
	  mkdir -p "fuzz/corpus/$$target" "fuzz/seeds/$$target"; \
	  cargo +nightly fuzz run "$$target" "fuzz/corpus/$$target" "fuzz/seeds/$$target" -- \
	    -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

units-check: $(RELEASE) ## the unit of the whole service under a real systemd in namespaces; as root
	packaging/systemd/try $(RELEASE)

image-check: ## what the images of the roles hold, run without a container engine; as root
	rm -rf target/image
	packaging/container/build target/image
	packaging/container/try target/image

upgrade-check: ## a program of an earlier revision (REV=…) serves beside this one while it is upgraded
	scripts/upgrade-check $(REV)

ramdisk: ## the agent, and ramdisks with it for servers and for virtual machines, in target/ramdisk
	scripts/ramdisk server
	scripts/ramdisk virt

# The page is committed as it is built, so that building the program needs no Node.
.PHONY: ui ui-check ui-scale ui-smoke ui-size ui-test

ui: ## build the web page into ui/dist; needs Node and npm
	cd ui && npm ci --ignore-scripts --no-progress
	cargo xtask ui-types
	cd ui && node_modules/.bin/tsc && node build.mjs

ui-check: ## the committed page is what its sources build, byte by byte; skipped without Node
	ui/check $(if $(CI),,--optional)

ui-smoke: $(DEBUG) ## the program serves the page, with nothing but curl
	ui/smoke $(DEBUG)

ui-size: ## what the page weighs
	ui/size

ui-scale: $(RELEASE) ## the page with 100,000 machines: what a person waits for, and its memory
	cd ui && node test/scale.mjs ../$(RELEASE)

ui-test: $(DEBUG) ## the page in a real browser, on the demo; skipped without Node or Chromium
	scripts/with-keystone $(OPTIONAL) ui/test/run $(OPTIONAL) $(DEBUG)

# Always asked for: cargo knows best whether there is something to build.
.PHONY: $(DEBUG) $(RELEASE) $(DIST)
$(DEBUG):
	cargo build --locked --package corten

$(RELEASE):
	cargo build --release --locked --package corten

$(DIST):
	cargo build --profile dist --locked --package corten
