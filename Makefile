# SPDX-License-Identifier: GPL-2.0-or-later
#
# zcq's one Makefile. `make`, `make check` and `make install` need no root, no network and
# no git; `make demo` and `make test` install what they lack by themselves (tools/setup).
#
#	O=build		where everything built goes
#	V=1		show the commands
#	WERROR=1	warnings are errors (as in CI)

O	?= build
V	?= 0
PREFIX	?= /usr/local
DESTDIR	?=

CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
CFLAGS	?= -O2 -g

ifeq ($(V),0)
Q	:= @
say	= @printf '  %-8s %s\n' $(1) $(2)
endif

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all check test test-long lab lab-test demo bench lab-nic install uninstall clean help

all: $(O)/zcq

# What the machine has, found once by small compiles (mk/config). 'make clean' asks anew.
ifeq ($(filter clean help uninstall demo test test-long bench lab lab-test,$(or $(MAKECMDGOALS),all)),)
include $(O)/config.mk
endif

$(O)/config.mk: mk/config Makefile
	$(Q)mkdir -p $(O)
	$(Q)CC='$(CC)' CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' PKG_CONFIG='$(PKG_CONFIG)' mk/config >$@

# --- BPF: each subject an object, all linked to one, one skeleton -------------------------

bpf_src	:= $(wildcard bpf/*.bpf.c)
bpf_obj	:= $(bpf_src:bpf/%.bpf.c=$(O)/bpf/%.bpf.o)
skel	:= $(O)/gen/zcq.skel.h

bpf_flags := -target bpf -g -O2 -mcpu=v3 -std=gnu11 -Wall -Wextra -Wno-unused-parameter \
	     -Iinclude -Ibpf

$(O)/bpf/%.bpf.o: bpf/%.bpf.c $(O)/config.mk
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(bpf_flags) $(BPF_ARCH_FLAGS) $(if $(WERROR),-Werror) -MMD -MP -c $< -o $@

$(O)/bpf/zcq.o: $(bpf_obj)
	$(call say,BPFLINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(skel): $(O)/bpf/zcq.o
	$(call say,SKEL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name zcq_bpf >$@

# --- zcq ---------------------------------------------------------------------------------

lib_src	:= $(sort $(shell find user/lib user/bench -name '*.c' 2>/dev/null))
cmd_src	:= user/main.c $(sort $(wildcard user/cmd/*.c))

warn	:= -Wall -Wextra -Wshadow -Wmissing-prototypes -Wno-missing-field-initializers
cflags	= -std=gnu11 -D_GNU_SOURCE $(warn) $(if $(WERROR),-Werror) -Iinclude -Iuser -I$(O)/gen \
	  $(ZCQ_CFLAGS) $(CFLAGS) $(CPPFLAGS)
asan	:= -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

lib_obj	:= $(lib_src:%.c=$(O)/obj/%.o)
cmd_obj	:= $(cmd_src:%.c=$(O)/obj/%.o)
asan_lib_obj := $(lib_src:%.c=$(O)/asan/%.o)
asan_cmd_obj := $(cmd_src:%.c=$(O)/asan/%.o)

# The generated skeleton must be there before whoever includes it is compiled the first time.
$(lib_obj) $(cmd_obj) $(asan_lib_obj) $(asan_cmd_obj): | $(skel)

$(O)/obj/%.o: %.c $(O)/config.mk
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(cflags) -MMD -MP -c $< -o $@

$(O)/asan/%.o: %.c $(O)/config.mk
	$(call say,CC-ASAN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(cflags) $(asan) -MMD -MP -c $< -o $@

$(O)/libzcq.a: $(lib_obj)
$(O)/asan/libzcq.a: $(asan_lib_obj)
$(O)/libzcq.a $(O)/asan/libzcq.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/zcq: $(cmd_obj) $(O)/libzcq.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(ZCQ_LIBS) -o $@

# The same program under AddressSanitizer and UBSan: the tests run it where they can.
$(O)/asan/zcq: $(asan_cmd_obj) $(O)/asan/libzcq.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(asan) $(LDFLAGS) $^ $(ZCQ_LIBS) -o $@

# --- tests -------------------------------------------------------------------------------

unit	:= $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test_*.c))
nic_unit := $(filter $(O)/tests/unit/test_nic_%,$(unit))
tools	:= $(patsubst tests/tools/%.c,$(O)/tests/%,$(wildcard tests/tools/*.c))
bpf_tests := $(patsubst tests/bpf/%.c,$(O)/tests/bpf/%,$(wildcard tests/bpf/*.c))

$(filter-out $(nic_unit),$(unit)): $(O)/tests/unit/%: tests/unit/%.c $(O)/asan/libzcq.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(cflags) -Itests -Wno-unused-parameter $(asan) -MMD -MP -MF $@.d $< $(O)/asan/libzcq.a $(ZCQ_LIBS) $(CMOCKA_LIBS) -o $@

$(bpf_tests): $(O)/tests/bpf/%: tests/bpf/%.c $(O)/asan/libzcq.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(cflags) -Itests -Wno-unused-parameter $(asan) -MMD -MP -MF $@.d $< $(O)/asan/libzcq.a $(ZCQ_LIBS) $(CMOCKA_LIBS) -o $@

$(tools): $(O)/tests/%: tests/tools/%.c $(O)/libzcq.a
	$(call say,TOOL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(cflags) -MMD -MP -MF $@.d $< $(O)/libzcq.a $(ZCQ_LIBS) -o $@

# Fuzzers of every parser of outside input, by clang with its own build of the sources. test_build
# makes them.
fuzz	:= $(patsubst tests/fuzz/%.c,$(O)/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
nic_fuzz := $(filter $(O)/tests/fuzz/fuzz_nic_%,$(fuzz))
fuzz_flags := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -O1
fuzz_lib_obj := $(lib_src:%.c=$(O)/fuzz/%.o)
$(fuzz_lib_obj): | $(skel)

$(O)/fuzz/user/%.o: user/%.c $(O)/config.mk
	$(call say,CC-FUZZ,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(cflags) $(fuzz_flags) -MMD -MP -c $< -o $@

$(O)/fuzz/libzcq.a: $(fuzz_lib_obj)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(filter-out $(nic_fuzz),$(fuzz)): $(O)/tests/fuzz/%: tests/fuzz/%.c $(O)/fuzz/libzcq.a
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(cflags) $(fuzz_flags) -fsanitize=fuzzer -MMD -MP -MF $@.d $< $(O)/fuzz/libzcq.a $(ZCQ_LIBS) -o $@

check: all $(O)/asan/zcq $(filter-out $(nic_unit),$(unit)) $(bpf_tests) $(tools)
	$(Q)O=$(O) tests/run check

# What runs in the lab first installs what it lacks, then fills the lab's cache (the NIC model needs
# its kernel headers), then makes again.
again	= $(MAKE) --no-print-directory -j$(shell nproc) O=$(O)
lab_for	= $(Q)tools/setup $(1) && tools/lab/lab fetch $(2) && $(again)
old	:= qemu kernel headers kernel-6.12 selftests

test: ; $(call lab_for,test,$(old)) WERROR=1 test-build && O=$(O) tests/run test
test-long: ; $(call lab_for,test-long,$(old)) WERROR=1 test-build && O=$(O) tests/run long
demo: ; $(call lab_for,demo) lab-build && O=$(O) tools/demo/demo
bench: ; $(call lab_for,bench) lab-build && O=$(O) tests/bench/run
lab: ; $(call lab_for,demo) lab-build && O=$(O) tools/lab/lab shell --nic mlx5
# make lab-test T=queues: one scenario of tests/lab, its exit status.
lab-test: ; $(call lab_for,test,$(old)) lab-build && O=$(O) tests/run lab '$(T)'

.PHONY: test-build lab-build
lab-build: all lab-nic $(tools) ; @:
test-build: lab-build $(O)/asan/zcq $(unit) $(bpf_tests) $(fuzz) ; @:

# --- lab ---------------------------------------------------------------------------------

nic_src	:= $(sort $(shell find tools/lab/nic -name '*.c' 2>/dev/null))
nic_obj	:= $(nic_src:%.c=$(O)/lab/obj/%.o)
lab_headers = $(shell tools/lab/lab path headers)
nic_cflags = -std=gnu11 -D_GNU_SOURCE $(warn) $(if $(WERROR),-Werror) -Itools/lab/nic \
	     -isystem $(lab_headers)/include/linux/mlx5 $(CFLAGS)

lab-nic: $(O)/lab/nic

$(O)/lab/obj/%.o: %.c
	$(call say,NIC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(nic_cflags) -MMD -MP -c $< -o $@

$(O)/lab/nic: $(nic_obj)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $^ -o $@

nic_asan_obj := $(filter-out %/main.o,$(nic_src:%.c=$(O)/lab/asan/%.o))
$(O)/lab/asan/%.o: %.c
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(nic_cflags) $(asan) -MMD -MP -c $< -o $@

$(nic_unit): $(O)/tests/unit/%: tests/unit/%.c $(nic_asan_obj)
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(nic_cflags) -Wno-unused-parameter $(asan) -MMD -MP -MF $@.d $(filter %.c %.o,$^) $(CMOCKA_LIBS) -o $@

nic_fuzz_obj := $(filter-out %/main.o,$(nic_src:%.c=$(O)/lab/fuzz/%.o))
$(O)/lab/fuzz/%.o: %.c
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(nic_cflags) $(fuzz_flags) -MMD -MP -c $< -o $@

$(nic_fuzz): $(O)/tests/fuzz/%: tests/fuzz/%.c $(nic_fuzz_obj)
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(nic_cflags) $(fuzz_flags) -fsanitize=fuzzer -MMD -MP -MF $@.d $(filter %.c %.o,$^) -o $@

# --- install -----------------------------------------------------------------------------

man	:= $(wildcard docs/man/*.[1-8])

prefix	:= $(DESTDIR)$(PREFIX)
folders	:= $(prefix)/bin $(addprefix $(prefix)/share/man/man,$(sort $(subst .,,$(suffix $(man)))))
# The folders that install had to make: uninstall removes those that are empty.
made	:= $(O)/installed-folders

install: all
	$(Q)LC_ALL=C mkdir -pv $(folders) | sed -n "s/.*created directory '\(.*\)'/\1/p" >>$(made)
	install -m 755 $(O)/zcq $(prefix)/bin/zcq
	$(Q)for m in $(man); do \
		install -m 644 $$m $(prefix)/share/man/man$${m##*.}/$${m##*/} || exit 1; \
	done

uninstall:
	rm -f $(prefix)/bin/zcq
	$(Q)for m in $(man); do rm -f $(prefix)/share/man/man$${m##*.}/$${m##*/}; done
	$(Q)if [ -e $(made) ]; then \
		sort -ur $(made) | while read -r d; do \
			rmdir "$$d" 2>/dev/null || [ ! -d "$$d" ] || echo "$$d"; \
		done >$(made).new && mv $(made).new $(made); \
	fi

clean:
	rm -rf $(O)

help:
	@echo 'make            build zcq into $(O)/'
	@echo 'make demo       zcq on a real zero-copy queue in the lab (root)'
	@echo 'make test       every test (root)'
	@echo 'make check      the quick tests: no root, no lab'
	@echo 'make test-long  storms, sweeps, whole selftest suites (root)'
	@echo 'make bench      what watching costs (root)'
	@echo 'make lab        a shell in the lab guest (root)'
	@echo 'make lab-test T=NAME   one scenario of tests/lab (root)'
	@echo 'make install    DESTDIR, PREFIX=/usr/local; make uninstall'

-include $(shell find $(O) -name '*.d' 2>/dev/null)
