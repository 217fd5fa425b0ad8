# make            builds ./cairn
# make demo       installs what is missing, builds, checks a real example
# make test       the same set-up, then every test; ends with "N passed, N failed"
# make test-long  the campaigns, too (hours); SUITES="a b" runs only some, here and in make test
# make figures    writes outputs and tables of figures into the documents, from runs; TIMES=1 also times, LONG=1 also what takes long
# make bench      benchmarks beside Spin and the thesis (docs/benchmarks.md); SCALE=1 adds the cost per state up to 10^8 states, LIMIT=300 gives each
#                 run of the symbolic and the bounded engine 300 CPU seconds instead of 10 and 60
# make library     builds libcairn, shared and static, in build/library (src/cairn.h)
# make install PREFIX=/usr/local
# Variables: MODE=release|debug|asan|degenerate|tsan|cov|library, CC, CFLAGS_EXTRA

MODE ?= release
PREFIX ?= /usr/local
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif

# The one list of Debian packages: to build, and to test.
BUILD_PACKAGES := gcc make libc6-dev libxxhash-dev libjansson-dev libcadical-dev libstdc++-12-dev libzstd-dev libexpat1-dev
# Without this one everything is built but `cairn serve`, which then says how to get it.
SERVE_PACKAGE := libmicrohttpd-dev
# Without these, which need much room, everything is built but `cairn-mpi`, one search by several processes. They are never installed by make.
MPI_PACKAGES := libopenmpi-dev openmpi-bin
TEST_PACKAGES := python3 spin clang man-db valgrind libbdd-dev berkeley-abc picosat clang-format pkg-config chromium chromium-driver slurmctld slurmd slurm-client munge

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
BASE := -std=c11 -D_GNU_SOURCE -Isrc $(WARNINGS) -MMD -MP
FLAGS_release := -O2 -g
FLAGS_debug := -O0 -g -DCAIRN_TEST_HOOKS
FLAGS_asan := -O1 -g1 -DCAIRN_TEST_HOOKS -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_degenerate := -O1 -g1 -DCAIRN_TEST_HOOKS -DCAIRN_DEGENERATE -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g1 -DCAIRN_TEST_HOOKS -fsanitize=thread
FLAGS_cov := -O0 -g --coverage -DCAIRN_TEST_HOOKS
FLAGS_library := -O2 -fPIC
FLAGS_library-quick := -O0 -fPIC
CFLAGS := $(BASE) $(FLAGS_$(MODE)) $(CFLAGS_EXTRA)
# Tests start sanitized programs many thousand times: at fixed addresses, with the sanitizer inside, a start takes a quarter less.
LINK_asan := -no-pie -static-libasan -static-libubsan
LINK_degenerate := $(LINK_asan)
LINK := $(CC) $(CFLAGS) $(LINK_$(MODE))
# What is tested has all sanitizers; a test itself only that of addresses, which takes half as long to compile.
UNIT_asan := -fno-sanitize=undefined
UNIT_degenerate := $(UNIT_asan)
# Looked for when something is linked: it may have been installed just before.
HTTPD = $(shell $(CC) -E -include microhttpd.h -x c /dev/null > /dev/null 2>&1 && echo -lmicrohttpd)
LIBRARIES := -ljansson -lcadical -lstdc++ -lzstd -lexpat -lpthread -lm
LIBS = $(LIBRARIES) $(HTTPD)

BUILD := build/$(MODE)
SOURCES := $(shell find src -name '*.c')
COMPILED := $(SOURCES:%.c=$(BUILD)/%.o)
OBJECTS := $(COMPILED) $(BUILD)/page.o $(BUILD)/live.o $(BUILD)/runtime.o
LIBRARY := $(BUILD)/libcairn-tests.a

.PHONY: all demo test test-long figures bench library install uninstall clean packages build-packages test-packages
all: cairn

# make without arguments must also work on a fresh machine.
ifeq ($(MODE),release)
cairn: $(BUILD)/cairn $(BUILD)/cairn-serve
	@cp -f $(BUILD)/cairn-serve cairn-serve
	@$(MAKE) -s with-mpi
	@cp -f $< $@
endif

# With the libraries inside a start takes half as long. The library for `cairn serve` cannot be inside: that command starts a program of its own, which
# is linked as usual. Where others cannot be inside, either, there is one program, and the two are the same.
ALONE_release = $(shell echo 'int x; int main(void) { return x; }' | $(CC) -static -no-pie -x c - -o /dev/null $(LIBRARIES) 2>/dev/null && echo -static -no-pie)
WITHOUT_HTTP := $(BUILD)/src/serve/http-none.o
$(WITHOUT_HTTP): src/serve/http.c Makefile | build-packages
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DCAIRN_WITHOUT_HTTP -c -o $@ $<

$(BUILD)/cairn: $(OBJECTS) $(WITHOUT_HTTP)
	if [ -n "$(ALONE_$(MODE))" ]; then \
		$(LINK) $(ALONE_$(MODE)) -o $@ $(filter-out $(BUILD)/src/serve/http.o,$(OBJECTS)) $(WITHOUT_HTTP) $(LIBRARIES); \
	else $(LINK) -o $@ $(OBJECTS) $(LIBS); fi
$(BUILD)/cairn-serve: $(OBJECTS)
	$(LINK) -o $@ $(OBJECTS) $(LIBS)

# One search by several processes, where there is MPI. Only this program has it.
MPICC = $(shell command -v mpicc)
WITH_MPI := $(BUILD)/src/mpi/mpi-with.o
$(WITH_MPI): src/mpi/mpi.c Makefile | build-packages
	@mkdir -p $(@D)
	OMPI_CC=$(CC) mpicc $(CFLAGS) -DCAIRN_MPI -c -o $@ $<
$(BUILD)/cairn-mpi: $(OBJECTS) $(WITH_MPI)
	OMPI_CC=$(CC) mpicc $(CFLAGS) $(LINK_$(MODE)) -o $@ $(filter-out $(BUILD)/src/mpi/mpi.o,$(OBJECTS)) $(WITH_MPI) $(LIBS)
.PHONY: with-mpi
with-mpi:
	@if [ -n "$(MPICC)" ]; then $(MAKE) -s MODE=$(MODE) $(BUILD)/cairn-mpi && cp -f $(BUILD)/cairn-mpi cairn-mpi; fi

# For valgrind, which has to see the C library to know what is initialised.
$(BUILD)/cairn-shared: $(BUILD)/cairn-serve
	@ln -f $< $@

ifeq ($(MODE),degenerate)
# Most files do not look at CAIRN_DEGENERATE, nor do headers that they include: their objects are those of the asan build.
ODD_FILES := $(shell grep -rl CAIRN_DEGENERATE src)
$(COMPILED): $(BUILD)/%.o: %.c Makefile | asan-objects
	@mkdir -p $(@D)
	if grep -qF $(ODD_FILES:%=-e %) build/asan/$*.d; then $(CC) $(CFLAGS) -c -o $@ $<; \
	else ln -f build/asan/$*.o $@ && sed 's,^build/asan/,$(BUILD)/,' build/asan/$*.d > $(BUILD)/$*.d; fi
.PHONY: asan-objects
asan-objects:
	@$(MAKE) -s MODE=asan build/asan/cairn
else
$(BUILD)/%.o: %.c Makefile | build-packages
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<
endif

# The report page: its style and its scripts go into one text, which is two arrays in the program, before and behind the data.
PAGE_SCRIPTS := $(addprefix src/page/,base.js theme.js run.js value.js layout.js chart.js time.js table.js source.js automata.js plots.js matrix.js runview.js page.js)
build/page.c: src/page/page.html src/page/page.css $(PAGE_SCRIPTS) src/page/begin.js src/page/embed.sh Makefile
	@mkdir -p $(@D)
	sh src/page/embed.sh page src/page/page.html src/page/page.css $(PAGE_SCRIPTS) src/page/begin.js > $@.$$PPID
	mv -f $@.$$PPID $@
# The same page, live: three files that the server sends.
LIVE_SCRIPTS := src/page/strict.js $(PAGE_SCRIPTS) $(addprefix src/page/live/,server.js editor.js simulator.js checker.js live.js)
LIVE_STYLES := src/page/page.css src/page/live/live.css
build/live.c: src/page/live/live.html $(LIVE_STYLES) $(LIVE_SCRIPTS) src/page/embed.sh Makefile
	@mkdir -p $(@D)
	(sh src/page/embed.sh files live_page src/page/live/live.html && sh src/page/embed.sh files live_style $(LIVE_STYLES) && \
		sh src/page/embed.sh files live_script $(LIVE_SCRIPTS)) > $@.$$PPID
	mv -f $@.$$PPID $@
# What stands before compiled rules, as text.
build/runtime.c: src/program/runtime.h src/page/embed.sh Makefile
	@mkdir -p $(@D)
	sh src/page/embed.sh files native_runtime src/program/runtime.h > $@.$$PPID
	mv -f $@.$$PPID $@
$(BUILD)/page.o $(BUILD)/live.o $(BUILD)/runtime.o: $(BUILD)/%.o: build/%.c | build-packages
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

# Compiled anew when the library for `cairn serve` has come or gone.
HTTPD_KNOWN := build/httpd-$(if $(HTTPD),there,missing)
$(HTTPD_KNOWN):
	@mkdir -p $(@D) && rm -f build/httpd-* && touch $@
$(BUILD)/src/serve/http.o: $(HTTPD_KNOWN)

$(LIBRARY): $(filter-out $(BUILD)/src/main.o,$(OBJECTS))
	@rm -f $@
	ar rcs $@ $^

# The library that others link: everything but the command line and the server, and only the names of its header can be seen.
# LIBRARY_MODE=library-quick: without optimisation, for tests of what is installed.
ABI := 0
LIBRARY_MODE ?= library
VERSION := $(shell sed -n 's/^.define CAIRN_VERSION "\(.*\)"/\1/p' src/base/version.h)
SHARED := build/$(LIBRARY_MODE)/libcairn.so.$(ABI)
STATIC := build/$(LIBRARY_MODE)/libcairn.a
library: | build-packages
	@$(MAKE) -s MODE=$(LIBRARY_MODE) $(SHARED) $(STATIC)
ifeq ($(MODE),$(LIBRARY_MODE))
NAMES := build/$(LIBRARY_MODE)/names
INSIDE := $(filter-out $(BUILD)/src/main.o $(BUILD)/src/doors/% $(BUILD)/src/cli/% $(BUILD)/src/serve/% $(BUILD)/src/lsp/% $(BUILD)/live.o,$(OBJECTS))
$(NAMES): src/cairn.h
	@mkdir -p $(@D)
	grep -o '\bcairn_[a-z_]*(' $< | tr -d '(' | sort -u > $@
$(SHARED): $(INSIDE) $(NAMES)
	(echo '{ global:'; sed 's/$$/;/' $(NAMES); echo 'local: *; };') > $(NAMES).map
	$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script,$(NAMES).map -o $@ $(INSIDE) $(LIBRARIES)
	ln -sf $(@F) build/$(LIBRARY_MODE)/libcairn.so
$(STATIC): $(INSIDE) $(NAMES)
	@rm -f $@
	ld -r -o build/$(LIBRARY_MODE)/cairn.o $(INSIDE)
	objcopy --keep-global-symbols=$(NAMES) build/$(LIBRARY_MODE)/cairn.o
	ar rcs $@ build/$(LIBRARY_MODE)/cairn.o
endif

$(BUILD)/test/%: test/unit/%.c $(LIBRARY) | build-packages
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(UNIT_$(MODE)) -Itest -c -o $@.o $<
	$(LINK) -o $@ $@.o $(LIBRARY) $(LIBS)

LIBS_dd_buddy := -lbdd
$(BUILD)/tools/%: test/tools/%.c $(LIBRARY) | build-packages
	@mkdir -p $(@D)
	$(LINK) -o $@ $< $(LIBRARY) $(LIBS) $(LIBS_$*)

-include $(OBJECTS:.o=.d) $(WITH_MPI:.o=.d)

build-packages:
	@test/packages.sh $(BUILD_PACKAGES)
	@test/packages.sh --wanted $(SERVE_PACKAGE)
test-packages:
	@test/packages.sh $(BUILD_PACKAGES) $(SERVE_PACKAGE) $(TEST_PACKAGES)
packages: test-packages

demo: cairn
	@./examples/demo.sh

test: test-packages
	@$(MAKE) -s -j$$(nproc) cairn
	@test/run.sh

test-long:
	@LONG=1 $(MAKE) -s test

figures: test-packages cairn
	@TIMES=$(TIMES) LONG=$(LONG) python3 test/suites/docs.py --update

bench: test-packages cairn
	@python3 test/bench/bench.py $(if $(SCALE),--scale)
	@LIMIT=$(LIMIT) python3 test/bench/symbolic.py
	@LIMIT=$(LIMIT) python3 test/bench/bounded.py
	-@python3 test/bench/fiacre.py
	@python3 test/bench/timed.py
	@python3 test/bench/contexts.py

install: cairn library
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/lib/cairn $(DESTDIR)$(PREFIX)/share/cairn
	install -m 755 cairn $(DESTDIR)$(PREFIX)/bin/cairn
	install -m 755 cairn-serve $(DESTDIR)$(PREFIX)/lib/cairn/cairn-serve
	./cairn --manual > $(DESTDIR)$(PREFIX)/share/man/man1/cairn.1
	./cairn --completion > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cairn
	install -m 644 share/cairn-result.schema.json $(DESTDIR)$(PREFIX)/share/cairn
	install -m 644 src/cairn.h $(DESTDIR)$(PREFIX)/include/cairn.h
	install -m 644 $(SHARED) $(STATIC) $(DESTDIR)$(PREFIX)/lib
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(PREFIX)/lib/libcairn.so
	sed 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),; s,@LIBS@,$(LIBS),' src/lib/cairn.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/cairn.pc

INSTALLED := bin/cairn lib/cairn/cairn-serve share/man/man1/cairn.1 share/bash-completion/completions/cairn share/cairn/cairn-result.schema.json include/cairn.h lib/libcairn.so lib/libcairn.a \
	lib/$(notdir $(SHARED)) lib/pkgconfig/cairn.pc
uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)$(PREFIX)/%)

clean:
	rm -rf build cairn
