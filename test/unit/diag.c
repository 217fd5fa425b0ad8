/* Diagnostics as data: what is kept, what is left out, ranges, suggestions, refused memory. */
#include "base/diag.h"
#include "unit/unit.h"

#include <string.h>

static const char text[] = "first line\nsecond (Wörter) 12\n";

static uint32_t told, finished;

static void listen(void *door, const struct diag *diag, const struct diagnostic *one)
{
    (void)door;
    (void)diag;
    told += one != NULL;
    finished += one == NULL;
}

static struct diag start(struct mem *mem)
{
    struct diag diag;
    mem_init(mem);
    diag_init(&diag, mem);
    diag.listener = listen;
    told = finished = 0;
    diag_add_source(&diag, "folder/test", text, strlen(text));
    return diag;
}

static void check_fields(struct unit *unit)
{
    struct mem mem;
    struct diag diag = start(&mem);
    diag_error_near(&diag, DIAG_UNKNOWN, (struct place){0, 2, 1}, "seconds", "no '%s'", "second");
    diag_note(&diag, (struct place){0, 2, 8}, "here");
    diag_warning(&diag, DIAG_UNUSED, (struct place){0, 2, 17}, "nothing uses %d", 12);
    diag_error(&diag, DIAG_FILE, (struct place){.source = 7}, "no place");
    diag_finish(&diag);
    CHECK(unit, told == 4 && finished == 1 && diag.list.len == 4);
    CHECK(unit, diag.errors == 2 && diag.warnings == 1);
    const struct diagnostic *list = diag.list.data;
    CHECK(unit, list[0].severity == DIAG_ERROR && list[0].code == DIAG_UNKNOWN);
    CHECK(unit, !strcmp(list[0].text, "no 'second': did you mean 'seconds'?"));
    CHECK(unit, !strcmp(list[0].suggestion, "seconds"));
    CHECK(unit, list[0].range.end_line == 2 && list[0].range.end_column == 7);
    CHECK(unit, list[1].severity == DIAG_NOTE && list[1].code == DIAG_NO_CODE);
    CHECK(unit, !list[1].suggestion && list[1].range.end_column == 9);
    CHECK(unit, list[2].severity == DIAG_WARNING && !strcmp(list[2].text, "nothing uses 12"));
    CHECK(unit, list[2].range.end_column == 19); /* columns are characters, not bytes */
    CHECK(unit, list[3].range.start.line == 0 && !list[3].suggestion);
    mem_release(&mem);
}

/* Invariant 2: the first ones are kept, all are counted. */
static void check_many(struct unit *unit)
{
    struct mem mem;
    struct diag diag = start(&mem);
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    diag_error(&diag, DIAG_SYNTAX, (struct place){0, 1, 1}, "%s", longest);
    CHECK(unit, diag.list.len == 1 && strlen(diag.list.data[0].text) == sizeof longest - 1);
    for (unsigned i = 1; i < 3 * DIAG_MAX_ERRORS; i++)
        diag_error(&diag, DIAG_SYNTAX, (struct place){0, 1, 1}, "number %u", i);
    diag.quiet = true;
    diag_warning(&diag, DIAG_NEVER, (struct place){0, 1, 1}, "not told");
    CHECK(unit, diag.errors == 3 * DIAG_MAX_ERRORS && diag.list.len == DIAG_MAX_ERRORS);
    CHECK(unit, told == DIAG_MAX_ERRORS && diag.warnings == 1);
    CHECK(unit, !strcmp(diag.list.data[DIAG_MAX_ERRORS - 1].text, "number 19"));
    mem_release(&mem);
}

/* Invariant 3: whichever allocation fails, everything is told and counted. */
static void check_refused(struct unit *unit)
{
    for (uint64_t n = 1; n < 30; n++) {
        struct mem mem;
        struct diag diag = start(&mem);
        mem.fail_at = mem.allocations + n;
        for (unsigned i = 0; i < 10; i++)
            diag_error_near(&diag, DIAG_TYPE, (struct place){0, 1, 1}, "b", "number %u", i);
        CHECK(unit, told == 10 && diag.errors == 10 && diag.list.len >= 8);
        mem_release(&mem);
    }
}

static void check_words(struct unit *unit)
{
    for (unsigned a = 0; a < DIAG_CODES; a++)
        for (unsigned b = 0; b < a; b++)
            CHECK(unit, strcmp(diag_code_word(a), diag_code_word(b)) != 0);
}

int main(void)
{
    struct unit unit = {0};
    check_fields(&unit);
    check_many(&unit);
    check_refused(&unit);
    check_words(&unit);
    return unit_finish(&unit);
}
