/* Every wave is a string but those of plain numbers, which are integers of 64 bits: viewers show
 * both, and draw numbers as analogue waves when they are asked to. Names and values may have no
 * blank. */
#include "report/vcd.h"

#include "base/version.h"
#include "result/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool vcd_is_name(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".vcd");
}

/* An identifier of printable characters, shortest first. */
static void put_id(FILE *out, uint32_t number)
{
    enum { FIRST = '!', COUNT = '~' - '!' + 1 };
    do {
        fputc((int)(FIRST + number % COUNT), out);
        number /= COUNT;
    } while (number--);
}

static void put_word(FILE *out, const char *word)
{
    for (; *word; word++) fputc((unsigned char)*word <= ' ' ? '_' : *word, out);
}

static bool is_number(const char *text)
{
    char *end;
    if (!*text) return false;
    strtoll(text, &end, 10);
    return !*end;
}

struct dump {
    FILE *out;
    const struct model *model;
    const struct trace *trace;
    bool *is_number; /* per shown value: it is one in every state */
    uint32_t count;
};

static void look_at_values(struct dump *dump)
{
    struct trace_walk walk;
    struct text text;
    text_init(&text, dump->model->mem);
    for (struct shown at = shown_first(dump->model, false); at.cells;
         at = shown_next(dump->model, false, &at))
        dump->count++;
    dump->is_number = mem_alloc(dump->model->mem, dump->count + UINT64_C(1));
    memset(dump->is_number, 1, dump->count);
    trace_walk_start(&walk, dump->model, dump->trace);
    for (bool good = true; good;) {
        uint32_t i = 0;
        for (struct shown at = shown_first(dump->model, false); at.cells;
             at = shown_next(dump->model, false, &at), i++) {
            text.len = 0;
            value_text(&text, dump->model, false, &at, walk.state);
            dump->is_number[i] &= is_number(text.data);
        }
        good = walk.at < dump->trace->steps && trace_walk_step(&walk);
    }
    trace_walk_end(&walk);
    text_free(&text);
}

static void declare(const struct dump *dump)
{
    FILE *out = dump->out;
    uint32_t i = 0;
    fputs("$version cairn " CAIRN_VERSION " $end\n$timescale 1 s $end\n", out);
    if (dump->trace->delays)
        fprintf(out, "$comment a unit of time of the model is %" PRId64 " here $end\n",
                dump->trace->denominator * dump->model->ticks);
    else fputs("$comment time is the number of steps $end\n", out);
    fputs("$scope module ", out);
    const char *slash = strrchr(dump->model->file, '/');
    put_word(out, slash ? slash + 1 : dump->model->file);
    fputs(" $end\n$var string 1 ", out);
    put_id(out, dump->count);
    fputs(" step $end\n", out);
    for (struct shown at = shown_first(dump->model, false); at.cells;
         at = shown_next(dump->model, false, &at), i++) {
        fputs(dump->is_number[i] ? "$var integer 64 " : "$var string 1 ", out);
        put_id(out, i);
        fputc(' ', out);
        put_word(out, at.name);
        fputs(" $end\n", out);
    }
    assert(i == dump->count);
    fputs("$upscope $end\n$enddefinitions $end\n", out);
}

/* Numbers as 64 bits, leading zeros left out. */
static void put_number(FILE *out, int64_t number)
{
    const uint64_t bits = (uint64_t)number;
    int top = 63;
    while (top > 0 && !(bits >> top & 1)) top--;
    fputc('b', out);
    for (; top >= 0; top--) fputc(bits >> top & 1 ? '1' : '0', out);
}

static void put_values(const struct dump *dump, const int64_t *before, const int64_t *state)
{
    struct text text;
    uint32_t i = 0;
    text_init(&text, dump->model->mem);
    for (struct shown at = shown_first(dump->model, false); at.cells;
         at = shown_next(dump->model, false, &at), i++) {
        if (before && !shown_differs(&at, before, state)) continue;
        text.len = 0;
        value_text(&text, dump->model, false, &at, state);
        if (dump->is_number[i]) put_number(dump->out, strtoll(text.data, NULL, 10));
        else fputc('s', dump->out), put_word(dump->out, text.data);
        fputc(' ', dump->out);
        put_id(dump->out, i);
        fputc('\n', dump->out);
    }
    text_free(&text);
}

static void put_step(const struct dump *dump, int64_t time, const char *label)
{
    fprintf(dump->out, "#%" PRId64 "\ns", time);
    put_word(dump->out, label);
    fputc(' ', dump->out);
    put_id(dump->out, dump->count);
    fputc('\n', dump->out);
}

void vcd_write(FILE *out, const struct model *model, const struct trace *trace)
{
    struct dump dump = {.out = out, .model = model, .trace = trace};
    struct trace_walk walk;
    int64_t time = 0;
    look_at_values(&dump);
    declare(&dump);
    trace_walk_start(&walk, model, trace);
    put_step(&dump, 0, "(initial)");
    put_values(&dump, NULL, walk.state);
    while (walk.at < trace->steps && trace_walk_step(&walk)) {
        time += trace->delays ? trace->delays[walk.at - 1] : 1;
        put_step(&dump, time, model->rules.data[trace->rules[walk.at - 1]].label);
        put_values(&dump, walk.previous, walk.state);
    }
    trace_walk_end(&walk);
    fprintf(out, "#%" PRId64 "\n", time + (trace->delays ? trace->delays[trace->steps] : 1));
    mem_free(model->mem, dump.is_number);
}
