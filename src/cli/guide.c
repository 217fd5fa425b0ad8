#include "cli/guide.h"

#include "base/out.h"
#include "cli/door.h"
#include "cli/scenario.h"
#include "report/machine.h"
#include "run/guidecompare.h"
#include "run/guideparts.h"
#include "run/guidesize.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_DIGITS = 60 };

struct work {
    struct session *session;
    struct mem *mem;
    struct options *options;
    struct guidefile_reader in;
    struct guidefile_source side;
    FILE *out; /* where results go */
};

/* ---- telling sizes ---- */

static char *digits_of(struct work *work, const struct natural *number)
{
    char *digits = natural_digits(work->mem, number);
    if (!digits) mem_refuse(work->mem);
    return digits;
}

static void show_natural(struct work *work, const char *what, const struct natural *number,
                         const char *more)
{
    char *digits = digits_of(work, number), a[32];
    uint64_t small;
    if (natural_fits(number, &small) && strlen(digits) <= 15)
        fprintf(work->out, "  %-15s %14s%s\n", what, text_count(a, small), more);
    else {
        fprintf(work->out, "  %-15s %9c.%.2se%zu", what, digits[0], digits + 1, strlen(digits) - 1);
        if (strlen(digits) <= MOST_DIGITS) fprintf(work->out, "  (%s)", digits);
        fprintf(work->out, "%s\n", more);
    }
    mem_free(work->mem, digits);
}

static void show_word(struct work *work, const uint32_t *labels, uint32_t length)
{
    if (!length) fputs("(nothing)", work->out);
    for (uint32_t i = 0; i < length; i++)
        fprintf(work->out, "%s%s", i ? "; " : "", xgdl_spelling(&work->in.space, labels[i]));
}

static void show(struct work *work, uint32_t index, const struct guidesize *size)
{
    FILE *out = work->out;
    char a[32], more[80];
    fprintf(out, "%s: %" PRIu32 " interaction%s\n", xgdl_guide_name(work->side.xgdl, index),
            size->interactions, size->interactions == 1 ? "" : "s");
    fprintf(out, "  states          %14s\n", text_count(a, size->states));
    fprintf(out, "  transitions     %14s\n", text_count(a, size->transitions));
    if (size->is_finite) {
        show_natural(work, "words", &size->words, "");
        snprintf(more, sizeof more,
                 "  (those that cannot be continued, of %" PRIu32 " to %" PRIu32 " interactions)",
                 size->shortest, size->longest);
        show_natural(work, "maximal words", &size->maximal, more);
    } else {
        fprintf(out, "  words           %14s\n", "infinitely many");
    }
    if (work->options->ask.bound) {
        fprintf(out, "  unrolled to %" PRIu64 " interactions\n", work->options->ask.bound);
        fprintf(out, "    states        %14s\n", text_count(a, size->dag_states));
        fprintf(out, "    transitions   %14s\n", text_count(a, size->dag_transitions));
        show_natural(work, "  paths", &size->paths, "");
    }
    for (uint64_t i = 0; size->lengths && i <= work->options->ask.bound; i++) {
        snprintf(more, sizeof more, "  of length %" PRIu64, i);
        show_natural(work, more, &size->lengths[i], "");
    }
    uint32_t *labels =
        size->list.count ? mem_alloc(
            work->mem, (size->list.length[size->list.count - 1] + UINT64_C(1)) * sizeof *labels)
                         : NULL;
    if (size->list.count) fprintf(out, "  the first words\n");
    for (uint64_t i = 0; i < size->list.count; i++) {
        unfold_word(&size->list, i, labels);
        fputs("    ", out);
        show_word(work, labels, size->list.length[i]);
        fputc('\n', out);
    }
    mem_free(work->mem, labels);
}

static void put_number(struct out *json, const char *key, uint64_t value)
{
    out_key(json, key);
    out_uint(json, value);
}

static void put_natural(struct work *work, struct out *json, const struct natural *number)
{
    uint64_t small;
    char *digits = digits_of(work, number);
    if (natural_fits(number, &small)) out_uint(json, small);
    else out_string(json, digits);
    mem_free(work->mem, digits);
}

static void put_labels(struct work *work, struct out *json, const uint32_t *labels, uint32_t count)
{
    out_open_inline(json, '[');
    for (uint32_t i = 0; i < count; i++)
        out_string(json, work->in.space.interactions.data[labels[i]]);
    out_close(json, ']');
}

static void put_words(struct work *work, struct out *json, const struct unfold_words *list)
{
    assert(list->count); /* the last one is the longest */
    uint32_t *labels =
        mem_alloc(work->mem, (list->length[list->count - 1] + UINT64_C(1)) * sizeof *labels);
    out_key(json, "words");
    out_open(json, '[');
    for (uint64_t i = 0; i < list->count; i++) {
        unfold_word(list, i, labels);
        put_labels(work, json, labels, list->length[i]);
    }
    out_close(json, ']');
    mem_free(work->mem, labels);
}

static void put_dfa(struct work *work, struct out *json, const struct guidesize *size)
{
    out_key(json, "dfa");
    out_open(json, '{');
    put_number(json, "states", size->states);
    put_number(json, "transitions", size->transitions);
    out_key(json, "finite");
    out_bool(json, size->is_finite);
    if (size->is_finite) {
        out_key(json, "words");
        put_natural(work, json, &size->words);
        out_key(json, "paths");
        put_natural(work, json, &size->maximal);
        put_number(json, "shortest", size->shortest);
        put_number(json, "longest", size->longest);
    }
    out_close(json, '}');
}

static void put_dag(struct work *work, struct out *json, const struct guidesize *size)
{
    out_key(json, "dag");
    out_open(json, '{');
    put_number(json, "bound", work->options->ask.bound);
    put_number(json, "states", size->dag_states);
    put_number(json, "transitions", size->dag_transitions);
    out_key(json, "paths");
    put_natural(work, json, &size->paths);
    if (size->lengths) {
        out_key(json, "words_by_length");
        out_open_inline(json, '[');
        for (uint64_t i = 0; i <= work->options->ask.bound; i++)
            put_natural(work, json, &size->lengths[i]);
        out_close(json, ']');
    }
    out_close(json, '}');
}

static void put_ignored(struct work *work, struct out *json)
{
    uint32_t count;
    const uint32_t *labels = xgdl_ignored(work->side.xgdl, &count);
    out_key(json, "ignored");
    put_labels(work, json, labels, count);
}

static void put_alphabet(struct work *work, struct out *json, uint32_t index)
{
    uint32_t labels = work->in.space.interactions.len, count = 0;
    bool *has = guidesize_alphabet(&work->in, &work->side, index);
    uint32_t *names = mem_alloc(work->mem, (labels + UINT64_C(1)) * sizeof *names);
    for (uint32_t l = 0; l < labels; l++)
        if (has[l]) names[count++] = l;
    out_key(json, "alphabet");
    put_labels(work, json, names, count);
    mem_free(work->mem, names);
    mem_free(work->mem, has);
}

/* The fields of an object. */
static void put(struct work *work, struct out *json, uint32_t index, const struct guidesize *size)
{
    out_key(json, "name");
    out_string(json, xgdl_guide_name(work->side.xgdl, index));
    put_number(json, "interactions", size->interactions);
    put_alphabet(work, json, index);
    put_dfa(work, json, size);
    if (work->options->ask.bound) put_dag(work, json, size);
    if (size->list.count) put_words(work, json, &size->list);
}

/* All is measured before anything is told, so that a limit leaves no half of an object behind. */
static bool tell_sizes(struct work *work)
{
    const struct guidefile_source *side = &work->side;
    const struct ask *ask = &work->options->ask;
    const struct guidesize_wish wish = {ask->bound, work->options->json || ask->verbose,
                                        ask->words};
    struct guidesize *sizes = mem_alloc(work->mem, side->count * sizeof *sizes);
    struct out json;
    for (uint32_t i = 0; i < side->count; i++)
        if (!guidesize_measure(&work->in, side, side->first + i, &wish, &sizes[i])) return false;
    for (uint32_t i = 0; !work->options->json && i < side->count; i++)
        show(work, side->first + i, &sizes[i]);
    if (!work->options->json) return true;
    work->options->told = true;
    machine_begin(&json, work->out, "guide", side->file);
    put_ignored(work, &json);
    if (side->count == 1) {
        put(work, &json, side->first, &sizes[0]);
    } else {
        out_key(&json, "guides");
        out_open(&json, '[');
        for (uint32_t i = 0; i < side->count; i++) {
            out_open(&json, '{');
            put(work, &json, side->first + i, &sizes[i]);
            out_close(&json, '}');
        }
        out_close(&json, ']');
    }
    out_close(&json, '}');
    return true;
}

/* ---- comparison ---- */

struct answer {
    bool is_equal_asked;
    struct guidefile_source other;
    struct guidecompare_answer found;
};

static void show_side(FILE *out, const struct guidefile_source *side)
{
    if (side->name) fprintf(out, "%s:%s", side->file, side->name);
    else if (side->count == 1) fprintf(out, "%s:%s", side->file, xgdl_guide_name(side->xgdl, 0));
    else fprintf(out, "%s (%" PRIu32 " guides together)", side->file, side->count);
}

static void show_answer(struct work *work, const struct answer *answer)
{
    FILE *out = work->out;
    fprintf(out, "%s  ", answer->found.word.exists ? "violated" : "holds   ");
    show_side(out, &work->side);
    fputs(answer->is_equal_asked ? " equals " : " is within ", out);
    show_side(out, &answer->other);
    fputc('\n', out);
    if (!answer->found.word.exists) return;
    fprintf(out, "  a shortest word that only the %s one allows: ",
            answer->found.of_first ? "first" : "second");
    show_word(work, answer->found.word.labels, answer->found.word.length);
    fputc('\n', out);
    if (answer->found.why) fprintf(out, "  %s\n", answer->found.why);
}

static void put_side(struct out *json, const struct guidefile_source *side, uint32_t states,
                     uint32_t transitions)
{
    out_key(json, "name");
    out_string(json, side->name         ? side->name
                     : side->count == 1 ? xgdl_guide_name(side->xgdl, 0)
                                        : NULL);
    put_number(json, "guides", side->count);
    out_key(json, "dfa");
    out_open(json, '{');
    put_number(json, "states", states);
    put_number(json, "transitions", transitions);
    out_close(json, '}');
}

static void put_answer(struct work *work, const struct answer *answer)
{
    struct out json;
    work->options->told = true;
    machine_begin(&json, work->out, "guide", work->side.file);
    put_side(&json, &work->side, answer->found.states[0], answer->found.transitions[0]);
    out_key(&json, "question");
    out_string(&json, answer->is_equal_asked ? "equal" : "within");
    out_key(&json, "other");
    out_open(&json, '{');
    out_key(&json, "model");
    out_string(&json, answer->other.file);
    put_side(&json, &answer->other, answer->found.states[1], answer->found.transitions[1]);
    out_close(&json, '}');
    out_key(&json, "verdict");
    out_string(&json, answer->found.word.exists ? "violated" : "holds");
    out_key(&json, "complete");
    out_bool(&json, true);
    out_key(&json, "difference");
    if (!answer->found.word.exists) out_null(&json);
    else {
        out_open(&json, '{');
        out_key(&json, "word");
        put_labels(work, &json, answer->found.word.labels, answer->found.word.length);
        out_key(&json, "only_in");
        out_string(&json, answer->found.of_first ? "first" : "other");
        out_close(&json, '}');
    }
    out_key(&json, "why");
    out_string(&json, answer->found.why);
    out_key(&json, "beware");
    out_string(&json, answer->found.beware);
    out_close(&json, '}');
}

static bool compare(struct work *work)
{
    const struct options *options = work->options;
    struct answer answer = {.is_equal_asked = options->ask.equal != NULL};
    const char *other = options->ask.equal ? options->ask.equal : options->ask.within;
    answer.other.file = load_split_name(work->session, other, &answer.other.name);
    if (!guidefile_read(&work->in, &answer.other)) return false;
    if (!guidecompare(&work->in, &work->side, &answer.other, answer.is_equal_asked, &answer.found))
        return false;
    if (answer.found.word.exists) work->in.status = EXIT_VIOLATED;
    if (options->json) put_answer(work, &answer);
    else show_answer(work, &answer);
    if (answer.found.beware && !options->quiet)
        fprintf(stderr, "cairn: note: %s\n", answer.found.beware);
    return true;
}

/* ---- splitting ---- */

static void put_parts(struct work *work, struct guideparts *parts)
{
    struct out json;
    struct text text;
    text_init(&text, work->mem);
    work->options->told = true;
    machine_begin(&json, work->out, "guide", work->side.file);
    out_key(&json, "name");
    out_string(&json, parts->name);
    out_key(&json, "split");
    out_string(&json, work->options->ask.split_by);
    out_key(&json, "verdict");
    out_string(&json, "holds");
    out_key(&json, "complete");
    out_bool(&json, true);
    out_key(&json, "assurance");
    out_string(
        &json,
        "the languages of the guide and of all parts together were compared: they are equal");
    put_ignored(work, &json);
    put_alphabet(work, &json, work->side.first);
    put_number(&json, "parts", parts->parts.len);
    out_key(&json, "guides");
    out_open(&json, '[');
    const char *stem = guidefile_stem(&work->in, parts->name);
    for (uint32_t i = 0; i < parts->parts.len; i++) {
        out_open_inline(&json, '{');
        out_key(&json, "name");
        out_string(&json, names_format(&work->in.space.names, "%s%" PRIu32, stem, i + 1));
        out_key(&json, "term");
        text.len = 0;
        guideparts_term(parts, i, &text);
        out_string(&json, text.data);
        out_close(&json, '}');
    }
    out_close(&json, ']');
    out_close(&json, '}');
    text_free(&text);
}

static bool split(struct work *work)
{
    const struct options *options = work->options;
    const char *how = options->ask.split_by;
    struct guideparts parts;
    if (work->side.count > 1)
        return door_complain("one guide is split at a time: choose it with FILE:NAME");
    if (!guideparts_make(&parts, &work->in, &work->side, how)) return false;
    FILE *file = options->output ? door_open_file(options, options->output) : work->out;
    if (!file) return false;
    if (options->json) put_parts(work, &parts);
    if (options->output || !options->json) guideparts_write(&parts, how, file);
    if (options->output && !door_close_file(file, options->output)) return false;
    if (options->output && !options->json && !options->quiet)
        fprintf(work->out,
                "%s: %" PRIu32
                " parts, in %s; together they allow what it allows (the languages were compared)\n",
                parts.name, parts.parts.len, options->output);
    return true;
}

/* ---- the command ---- */

static bool check_options(const struct options *options)
{
    unsigned tasks = (options->ask.equal != NULL) + (options->ask.within != NULL)
                     + (options->ask.split_by != NULL) + (options->ask.to != NULL);
    if (tasks > 1)
        return door_complain("--equal, --within, --split and --to are asked one at a time");
    if (tasks && (options->ask.bound || options->ask.words))
        return door_complain(
            "--bound and --words tell of a guide itself: they do not go with --equal, "
            "--within, --split and --to");
    if (options->ask.defines.len)
        return door_complain("guides have no constants: -D does not go with them");
    if (options->ask.to && options->json)
        return door_complain("--to dot and --json are asked one at a time");
    return true;
}

static bool run(struct work *work)
{
    const struct options *options = work->options;
    if (!check_options(options) || !guidefile_read(&work->in, &work->side)) return false;
    /* with --split, --output is for the parts */
    const char *path =
        options->output && !options->ask.split_by ? options->output : options->json_file;
    work->out = door_open_file(options, path);
    if (!work->out) return false;
    bool good = options->ask.equal || options->ask.within ? compare(work)
                : options->ask.split_by                   ? split(work)
                : options->ask.to ? guidesize_draw(&work->in, &work->side, work->out)
                                  : tell_sizes(work);
    return door_close_file(work->out, path) && good;
}

static int tell_guides(struct session *session, struct options *options, const char *file,
                       const char *name)
{
    struct work work = {.session = session,
                        .mem = session->mem,
                        .options = options,
                        .side = {.file = file, .name = name}};
    guidefile_init(&work.in, session->mem, &session->diag);
    bool good = run(&work);
    diag_finish(&session->diag);
    return good || work.in.status != EXIT_HOLDS ? work.in.status : EXIT_USAGE;
}

int guide_command(struct options *options, struct mem *mem)
{
    struct screen screen;
    struct session session;
    struct ask *ask = &options->ask;
    const char *only;
    door_open_session(&screen, &session, options, mem);
    ask->context = ask->file;
    if (ask->to && strcmp(ask->to, "dot")) {
        fprintf(stderr, "cairn: error: cairn guide writes --to dot, not '%.40s'\n", ask->to);
        return EXIT_USAGE;
    }
    const char *file = load_split_name(&session, ask->file, &only);
    if (guidefile_knows(file)) return tell_guides(&session, options, file, only);
    if (ask->bound || ask->equal || ask->within || ask->split_by || ask->words) {
        door_complain("--bound, --equal, --within, --split and --words are for guides: files that "
                      "end in .xgdl");
        return EXIT_USAGE;
    }
    bool good = scenario_tell(&session, options);
    diag_finish(&session.diag);
    return good ? EXIT_HOLDS : EXIT_USAGE;
}
