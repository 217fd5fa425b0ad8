#include "cli/xguides.h"

#include "automaton/compare.h"
#include "automaton/compile.h"
#include "automaton/dot.h"
#include "automaton/gsplit.h"
#include "automaton/paths.h"
#include "automaton/unfold.h"
#include "base/out.h"
#include "lang/xgdl/xgdl.h"
#include "report/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1 << 24, MOST_LENGTHS = 1000, MOST_DIGITS = 60 };

/* A file of guides, or one of them. */
struct side {
    const char *file, *name; /* name is NULL: all guides together */
    struct xgdl *xgdl;
    uint32_t first, count; /* which guides */
    gterm whole;           /* what one of them allows */
};

struct work {
    struct session *session;
    struct mem *mem;
    const struct options *options;
    struct xgdl_space space;
    struct side side;
    FILE *out; /* where results go */
    int status;
};

/* What is told of a guide. */
struct size {
    uint32_t states, transitions, interactions;
    bool is_finite;
    uint32_t shortest, longest;                    /* of words that cannot be continued, when it is finite */
    struct natural words, maximal, *lengths;       /* how many words, how many that cannot be continued; with a bound: how many of each length */
    uint32_t dag_states, dag_transitions;
    struct natural paths;
    struct unfold_words list;
};

bool xguides_knows(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot && !strcmp(dot, ".xgdl");
}

/* ---- input ---- */

static bool usage(const char *why)
{
    fprintf(stderr, "cairn: error: %s\n", why);
    return false;
}

static bool choose_guides(struct work *work, struct side *side)
{
    const char *nearest;
    struct gterm_list terms = {0};
    side->count = xgdl_guide_count(side->xgdl);
    if (side->name) {
        side->first = xgdl_find_guide(side->xgdl, side->name, &nearest);
        side->count = 1;
    }
    if (side->first == MAP_NONE) {
        fprintf(stderr, "cairn: error: %s has no guide '%.60s'", side->file, side->name);
        if (nearest) fprintf(stderr, ": did you mean '%s'?\n", nearest);
        else {
            for (uint32_t i = 0; i < xgdl_guide_count(side->xgdl) && i < 20; i++) fprintf(stderr, "%s %s", i ? "," : "; it has", xgdl_guide_name(side->xgdl, i));
            fputs(xgdl_guide_count(side->xgdl) > 20 ? ", ...\n" : "\n", stderr);
        }
        return false;
    }
    for (uint32_t i = 0; i < side->count; i++) vec_push(work->mem, &terms, xgdl_guide_term(side->xgdl, side->first + i));
    side->whole = gsplit_union(&work->space.terms, &terms);
    vec_free(work->mem, &terms);
    return true;
}

static bool read_side(struct work *work, struct side *side)
{
    uint32_t source;
    if (!xguides_knows(side->file)) {
        fprintf(stderr, "cairn: error: guides are compared with guides: '%.60s' does not end in .xgdl\n", side->file);
        return false;
    }
    if (diag_read_source(&work->session->diag, side->file, &source)) side->xgdl = xgdl_read(&work->space, &work->session->diag, source);
    return side->xgdl && choose_guides(work, side);
}

/* ---- automata ---- */

/* What to do when there is no automaton: memory that is refused jumps, a limit is a result. */
static bool is_done(struct work *work, enum dag_status status, const char *what, const char *name)
{
    if (status == DAG_DONE) return true;
    if (status == DAG_REFUSED) mem_refuse(work->mem);
    fprintf(stderr, "cairn: error: %s%s%s%s needs more than %d states\n", what, name ? " '" : "", name ? name : "", name ? "'" : "", MOST_STATES);
    work->status = EXIT_INCONCLUSIVE;
    return false;
}

static bool compile(struct work *work, gterm t, const char *name, struct dfa *dfa)
{
    return is_done(work, compile_guide(dfa, work->mem, &work->space.terms, t, MOST_STATES), name ? "the guide" : "all guides together: their automaton", name);
}

static bool measure_words(struct work *work, const struct dfa *dfa, struct size *size)
{
    struct dag dag;
    enum dag_status status = dfa_to_dag(dfa, &dag, true);
    if (status == DAG_REFUSED) mem_refuse(work->mem);
    size->is_finite = status == DAG_DONE;
    if (!size->is_finite) return true;
    uint32_t *steps = mem_alloc(work->mem, dag.states * sizeof *steps);
    dag_heights(&dag, steps);
    size->longest = steps[0];
    dag_shortest(&dag, steps);
    size->shortest = steps[0];
    mem_free(work->mem, steps);
    if (!paths_count(&dag, &size->maximal)) mem_refuse(work->mem);
    dag_release(&dag);
    if (dfa_to_dag(dfa, &dag, false) != DAG_DONE || !paths_count(&dag, &size->words)) mem_refuse(work->mem);
    dag_release(&dag);
    return true;
}

static bool measure_dag(struct work *work, const struct dfa *dfa, const char *name, struct size *size)
{
    const struct options *options = work->options;
    struct dag dag;
    if (!is_done(work, unfold(dfa, options->bound, true, MOST_STATES, &dag, NULL), "unrolled to this bound, the guide", name)) return false;
    size->dag_states = dag.states;
    size->dag_transitions = dag.edges;
    if (!paths_count(&dag, &size->paths)) mem_refuse(work->mem);
    dag_release(&dag);
    if (options->bound > MOST_LENGTHS || (!options->json && !options->verbose)) return true;
    size->lengths = unfold_counts(dfa, (uint32_t)options->bound);
    if (!size->lengths) mem_refuse(work->mem);
    return true;
}

static bool measure(struct work *work, uint32_t index, struct size *size)
{
    const struct options *options = work->options;
    const char *name = xgdl_guide_name(work->side.xgdl, index);
    gterm t = xgdl_guide_term(work->side.xgdl, index);
    struct dfa dfa;
    if (!compile(work, t, name, &dfa)) return false;
    bool *has = mem_alloc(work->mem, work->space.interactions.len + UINT64_C(1));
    gterm_mark_labels(&work->space.terms, t, has, work->space.interactions.len);
    for (uint32_t i = 0; i < work->space.interactions.len; i++) size->interactions += has[i];
    mem_free(work->mem, has);
    size->states = dfa.states;
    size->transitions = dfa.edges;
    bool good = measure_words(work, &dfa, size) && (!options->bound || measure_dag(work, &dfa, name, size));
    if (good && options->words && unfold_list(&dfa, options->bound ? options->bound : UINT64_MAX, options->words, &size->list) != DAG_DONE) mem_refuse(work->mem);
    dfa_release(&dfa);
    return good;
}

/* ---- telling sizes ---- */

static char *digits_of(struct work *work, const struct natural *number)
{
    char *digits = natural_digits(work->mem, number);
    if (!digits) mem_refuse(work->mem);
    return digits;
}

static void show_natural(struct work *work, const char *what, const struct natural *number, const char *more)
{
    char *digits = digits_of(work, number), a[32];
    uint64_t small;
    if (natural_fits(number, &small) && strlen(digits) <= 15) fprintf(work->out, "  %-15s %14s%s\n", what, report_count(a, small), more);
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
    for (uint32_t i = 0; i < length; i++) fprintf(work->out, "%s%s", i ? "; " : "", xgdl_spelling(&work->space, labels[i]));
}

static void show(struct work *work, uint32_t index, const struct size *size)
{
    FILE *out = work->out;
    char a[32], more[80];
    fprintf(out, "%s: %" PRIu32 " interaction%s\n", xgdl_guide_name(work->side.xgdl, index), size->interactions, size->interactions == 1 ? "" : "s");
    fprintf(out, "  states          %14s\n", report_count(a, size->states));
    fprintf(out, "  transitions     %14s\n", report_count(a, size->transitions));
    if (size->is_finite) {
        show_natural(work, "words", &size->words, "");
        snprintf(more, sizeof more, "  (those that cannot be continued, of %" PRIu32 " to %" PRIu32 " interactions)", size->shortest, size->longest);
        show_natural(work, "maximal words", &size->maximal, more);
    } else {
        fprintf(out, "  words           %14s\n", "infinitely many");
    }
    if (work->options->bound) {
        fprintf(out, "  unrolled to %" PRIu64 " interactions\n", work->options->bound);
        fprintf(out, "    states        %14s\n", report_count(a, size->dag_states));
        fprintf(out, "    transitions   %14s\n", report_count(a, size->dag_transitions));
        show_natural(work, "  paths", &size->paths, "");
    }
    for (uint64_t i = 0; size->lengths && i <= work->options->bound; i++) {
        snprintf(more, sizeof more, "  of length %" PRIu64, i);
        show_natural(work, more, &size->lengths[i], "");
    }
    uint32_t *labels = size->list.count ? mem_alloc(work->mem, (size->list.length[size->list.count - 1] + UINT64_C(1)) * sizeof *labels) : NULL;
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
    for (uint32_t i = 0; i < count; i++) out_string(json, work->space.interactions.data[labels[i]]);
    out_close(json, ']');
}

static void put_words(struct work *work, struct out *json, const struct unfold_words *list)
{
    uint32_t *labels = mem_alloc(work->mem, (list->length[list->count - 1] + UINT64_C(1)) * sizeof *labels);
    out_key(json, "words");
    out_open(json, '[');
    for (uint64_t i = 0; i < list->count; i++) {
        unfold_word(list, i, labels);
        put_labels(work, json, labels, list->length[i]);
    }
    out_close(json, ']');
    mem_free(work->mem, labels);
}

static void put_dfa(struct work *work, struct out *json, const struct size *size)
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

static void put_dag(struct work *work, struct out *json, const struct size *size)
{
    out_key(json, "dag");
    out_open(json, '{');
    put_number(json, "bound", work->options->bound);
    put_number(json, "states", size->dag_states);
    put_number(json, "transitions", size->dag_transitions);
    out_key(json, "paths");
    put_natural(work, json, &size->paths);
    if (size->lengths) {
        out_key(json, "words_by_length");
        out_open_inline(json, '[');
        for (uint64_t i = 0; i <= work->options->bound; i++) put_natural(work, json, &size->lengths[i]);
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

/* The fields of an object. */
static void put(struct work *work, struct out *json, uint32_t index, const struct size *size)
{
    out_key(json, "name");
    out_string(json, xgdl_guide_name(work->side.xgdl, index));
    put_number(json, "interactions", size->interactions);
    put_dfa(work, json, size);
    if (work->options->bound) put_dag(work, json, size);
    if (size->list.count) put_words(work, json, &size->list);
}

/* All is measured before anything is told, so that a limit leaves no half of an object behind. */
static bool tell_sizes(struct work *work)
{
    const struct side *side = &work->side;
    struct size *sizes = mem_alloc(work->mem, side->count * sizeof *sizes);
    struct out json;
    for (uint32_t i = 0; i < side->count; i++)
        if (!measure(work, side->first + i, &sizes[i])) return false;
    for (uint32_t i = 0; !work->options->json && i < side->count; i++) show(work, side->first + i, &sizes[i]);
    if (!work->options->json) return true;
    work->session->options->told = true;
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

static const char *label_of(void *data, uint32_t label)
{
    return ((const struct xgdl_space *)data)->interactions.data[label];
}

static bool draw(struct work *work)
{
    const struct side *side = &work->side;
    struct text text;
    text_init(&text, work->mem);
    for (uint32_t i = 0; i < side->count; i++) {
        struct dfa dfa;
        const char *name = xgdl_guide_name(side->xgdl, side->first + i);
        if (!compile(work, xgdl_guide_term(side->xgdl, side->first + i), name, &dfa)) return false;
        dot_print_dfa(&text, &dfa, name, label_of, &work->space, 0);
        dfa_release(&dfa);
    }
    fputs(text.data, work->out);
    text_free(&text);
    return true;
}

/* ---- comparison ---- */

/* What one side ignores and the other does not, it allows at any time. */
static bool add_ignored(struct work *work, struct dfa *dfa, const struct side *mine, const struct side *theirs)
{
    uint32_t count, other_count, len = 0;
    const uint32_t *labels = xgdl_ignored(mine->xgdl, &count), *other = xgdl_ignored(theirs->xgdl, &other_count);
    uint32_t *only = mem_alloc(work->mem, (count + UINT64_C(1)) * sizeof *only);
    for (uint32_t i = 0, k = 0; i < count; i++) {
        while (k < other_count && other[k] < labels[i]) k++;
        if (k == other_count || other[k] != labels[i]) only[len++] = labels[i];
    }
    enum dag_status status = len ? dfa_add_loops(dfa, only, len) : DAG_DONE;
    mem_free(work->mem, only);
    return is_done(work, status, "with what is ignored, the guide", mine->name);
}

struct answer {
    bool is_equal_asked;
    struct side other;
    struct compare_word word;
    bool of_first;
    uint32_t states[2], transitions[2];
};

static void show_side(FILE *out, const struct side *side)
{
    if (side->name) fprintf(out, "%s:%s", side->file, side->name);
    else if (side->count == 1) fprintf(out, "%s:%s", side->file, xgdl_guide_name(side->xgdl, 0));
    else fprintf(out, "%s (%" PRIu32 " guides together)", side->file, side->count);
}

static void show_answer(struct work *work, const struct answer *answer)
{
    FILE *out = work->out;
    fprintf(out, "%s  ", answer->word.exists ? "violated" : "holds   ");
    show_side(out, &work->side);
    fputs(answer->is_equal_asked ? " equals " : " is within ", out);
    show_side(out, &answer->other);
    fputc('\n', out);
    if (!answer->word.exists) return;
    fprintf(out, "  a shortest word that only the %s one allows: ", answer->of_first ? "first" : "second");
    show_word(work, answer->word.labels, answer->word.length);
    fputc('\n', out);
}

static void put_side(struct out *json, const struct side *side, uint32_t states, uint32_t transitions)
{
    out_key(json, "name");
    out_string(json, side->name ? side->name : side->count == 1 ? xgdl_guide_name(side->xgdl, 0) : NULL);
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
    work->session->options->told = true;
    machine_begin(&json, work->out, "guide", work->side.file);
    put_side(&json, &work->side, answer->states[0], answer->transitions[0]);
    out_key(&json, "question");
    out_string(&json, answer->is_equal_asked ? "equal" : "within");
    out_key(&json, "other");
    out_open(&json, '{');
    out_key(&json, "model");
    out_string(&json, answer->other.file);
    put_side(&json, &answer->other, answer->states[1], answer->transitions[1]);
    out_close(&json, '}');
    out_key(&json, "verdict");
    out_string(&json, answer->word.exists ? "violated" : "holds");
    out_key(&json, "complete");
    out_bool(&json, true);
    out_key(&json, "difference");
    if (!answer->word.exists) out_null(&json);
    else {
        out_open(&json, '{');
        out_key(&json, "word");
        put_labels(work, &json, answer->word.labels, answer->word.length);
        out_key(&json, "only_in");
        out_string(&json, answer->of_first ? "first" : "other");
        out_close(&json, '}');
    }
    out_close(&json, '}');
}

static bool compare(struct work *work)
{
    const struct options *options = work->options;
    struct answer answer = {.is_equal_asked = options->equal != NULL, .of_first = true};
    struct dfa first, second;
    answer.other.file = session_split_name(work->session, options->equal ? options->equal : options->within, &answer.other.name);
    if (!read_side(work, &answer.other)) return false;
    if (!compile(work, work->side.whole, work->side.name, &first) || !compile(work, answer.other.whole, answer.other.name, &second)) return false;
    answer.states[0] = first.states, answer.transitions[0] = first.edges;
    answer.states[1] = second.states, answer.transitions[1] = second.edges;
    if (!add_ignored(work, &first, &work->side, &answer.other) || !add_ignored(work, &second, &answer.other, &work->side)) return false;
    enum dag_status status = answer.is_equal_asked ? compare_equal(&first, &second, &answer.word, &answer.of_first) : compare_within(&first, &second, &answer.word);
    if (status != DAG_DONE) mem_refuse(work->mem);
    if (answer.word.exists) work->status = EXIT_VIOLATED;
    if (options->json) put_answer(work, &answer);
    else show_answer(work, &answer);
    return true;
}

/* ---- splitting ---- */

static const char *const split_words[] = {"alternatives", "permutations", "position"};

/* alternatives, permutations, position or position=N */
static bool read_split(const char *text, enum gsplit_kind *kind, uint32_t *rounds)
{
    enum { MOST_ROUNDS = 100000 };
    *rounds = 0;
    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(text, split_words[i])) return *kind = (enum gsplit_kind)i, true;
    char *end = NULL;
    unsigned long number = strncmp(text, "position=", 9) ? 0 : strtoul(text + 9, &end, 10);
    *kind = GSPLIT_POSITION;
    *rounds = (uint32_t)number;
    if (end && !*end && number >= 1 && number <= MOST_ROUNDS && text[9] >= '0' && text[9] <= '9') return true;
    fprintf(stderr, "cairn: error: a guide is split by alternatives, permutations or position[=N], N from 1 to %d, not by '%.40s'\n", MOST_ROUNDS, text);
    return false;
}

/* Whether the union of the parts is the whole. It always is, because splits rest on laws; but nobody should have to believe that. */
static bool prove(struct work *work, const char *name, gterm whole, const struct gterm_list *parts)
{
    struct dfa all, together;
    if (!compile(work, whole, name, &all) || !compile(work, gsplit_union(&work->space.terms, parts), NULL, &together)) return false;
    bool is_same = dfa_same(&all, &together);
    dfa_release(&all);
    dfa_release(&together);
    if (is_same) return true;
    fprintf(stderr, "cairn: BUG: the parts of the guide '%s' do not allow what it allows\n", name);
    work->status = EXIT_INTERNAL;
    return false;
}

/* A name for parts that no interaction has when a number is added: parts and interactions share their names. */
static const char *stem_for(struct work *work, const char *name)
{
    const char *stem = names_format(&work->space.names, "%s_", name);
    for (uint32_t i = 0; i < work->space.interactions.len; i++) {
        const char *other = work->space.interactions.data[i];
        size_t length = strlen(stem);
        if (strncmp(other, stem, length) || !other[length] || other[length + strspn(other + length, "0123456789")]) continue;
        stem = names_format(&work->space.names, "%spart_", stem);
        i = UINT32_MAX; /* once more from the beginning */
    }
    return stem;
}

static void write_parts(struct work *work, const char *name, const struct gterm_list *parts, FILE *file)
{
    uint32_t count;
    const uint32_t *ignored = xgdl_ignored(work->side.xgdl, &count);
    const char *stem = stem_for(work, name);
    struct text text;
    fprintf(file, "// The guide %s of %s in %" PRIu32 " parts (--split %s). Together they allow what it allows: their languages were compared.\n", name,
            diag_source_name(&work->session->diag, (struct place){0, 1, 1}), parts->len, work->options->split_by);
    for (uint32_t i = 0; i < count; i++) fprintf(file, "%s%s%s", i ? ", " : "ignore ", xgdl_spelling(&work->space, ignored[i]), i + 1 == count ? ";\n" : "");
    text_init(&text, work->mem);
    for (uint32_t i = 0; i < parts->len; i++) {
        text_add(&text, "guide %s%" PRIu32 " = ", stem, i + 1);
        gterm_print(&text, &work->space.terms, parts->data[i], xgdl_spelling, &work->space);
        fprintf(file, "%s;\n", text.data);
        text.len = 0;
    }
    text_free(&text);
}

static void put_parts(struct work *work, const char *name, const struct gterm_list *parts)
{
    struct out json;
    struct text text;
    const char *stem = stem_for(work, name);
    work->session->options->told = true;
    machine_begin(&json, work->out, "guide", work->side.file);
    out_key(&json, "name");
    out_string(&json, name);
    out_key(&json, "split");
    out_string(&json, work->options->split_by);
    out_key(&json, "verdict");
    out_string(&json, "holds");
    out_key(&json, "complete");
    out_bool(&json, true);
    out_key(&json, "assurance");
    out_string(&json, "the languages of the guide and of all parts together were compared: they are equal");
    put_number(&json, "parts", parts->len);
    out_key(&json, "guides");
    out_open(&json, '[');
    text_init(&text, work->mem);
    for (uint32_t i = 0; i < parts->len; i++) {
        out_open_inline(&json, '{');
        out_key(&json, "name");
        out_string(&json, names_format(&work->space.names, "%s%" PRIu32, stem, i + 1));
        out_key(&json, "term");
        text.len = 0;
        gterm_print(&text, &work->space.terms, parts->data[i], xgdl_spelling, &work->space);
        out_string(&json, text.data);
        out_close(&json, '}');
    }
    text_free(&text);
    out_close(&json, ']');
    out_close(&json, '}');
}

static bool split(struct work *work)
{
    const struct options *options = work->options;
    struct side *side = &work->side;
    struct gterm_list parts = {0};
    enum gsplit_kind kind;
    uint32_t rounds;
    if (side->count > 1) return usage("one guide is split at a time: choose it with FILE:NAME");
    const char *name = xgdl_guide_name(side->xgdl, side->first);
    if (!read_split(options->split_by, &kind, &rounds)) return false;
    enum gsplit_status status = gsplit(&work->space.terms, side->whole, kind, rounds, &parts);
    if (status != GSPLIT_DONE) {
        fprintf(stderr, status == GSPLIT_NOTHING ? "cairn: error: the guide '%s' has nothing to split by %s\n" : "cairn: error: the guide '%s' has more than 100000 parts when it is split by %s\n", name, split_words[kind]);
        return false;
    }
    if (!prove(work, name, side->whole, &parts)) return false;
    FILE *file = options->output ? session_open(work->session, options->output) : work->out;
    if (!file) return false;
    if (options->json) put_parts(work, name, &parts);
    if (options->output || !options->json) write_parts(work, name, &parts, file);
    if (options->output && !session_close(file, options->output)) return false;
    if (options->output && !options->json && !options->quiet)
        fprintf(work->out, "%s: %" PRIu32 " parts, in %s; together they allow what it allows (the languages were compared)\n", name, parts.len, options->output);
    return true;
}

/* ---- the command ---- */

static bool check_options(const struct options *options)
{
    unsigned tasks = (options->equal != NULL) + (options->within != NULL) + (options->split_by != NULL) + (options->to != NULL);
    if (tasks > 1) return usage("--equal, --within, --split and --to are asked one at a time");
    if (tasks && (options->bound || options->words)) return usage("--bound and --words tell of a guide itself: they do not go with --equal, --within, --split and --to");
    if (options->defines.len) return usage("guides have no constants: -D does not go with them");
    if (options->to && options->json) return usage("--to dot and --json are asked one at a time");
    return true;
}

static bool run(struct work *work)
{
    const struct options *options = work->options;
    if (!check_options(options) || !read_side(work, &work->side)) return false;
    /* with --split, --output is for the parts */
    const char *path = options->output && !options->split_by ? options->output : options->json_file;
    work->out = path ? session_open(work->session, path) : stdout;
    if (!work->out) return false;
    bool good = options->equal || options->within ? compare(work) : options->split_by ? split(work) : options->to ? draw(work) : tell_sizes(work);
    return session_close(work->out, path ? path : "standard output") && good;
}

int xguides_run(struct session *session, const char *file, const char *name)
{
    struct work work = {.session = session, .mem = session->mem, .options = session->options, .side = {.file = file, .name = name}, .status = EXIT_HOLDS};
    xgdl_space_init(&work.space, session->mem);
    bool good = run(&work);
    diag_finish(&session->diag);
    return good || work.status != EXIT_HOLDS ? work.status : EXIT_USAGE;
}
