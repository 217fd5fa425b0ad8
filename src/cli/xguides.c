#include "cli/xguides.h"

#include "automaton/dot.h"
#include "automaton/activity/paths.h"
#include "automaton/unfold.h"
#include "base/out.h"
#include "cli/guidecompare.h"
#include "report/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTHS = 1000, MOST_DIGITS = 60 };

struct work {
    struct session *session;
    struct mem *mem;
    const struct options *options;
    struct guide_reader in;
    struct guide_source side;
    FILE *out; /* where results go */
};

/* What is told of a guide. */
struct size {
    uint32_t states, transitions, interactions;
    bool is_finite;
    uint32_t shortest, longest; /* of words that cannot be continued, when it is finite */
    struct natural words, maximal, *lengths; /* how many words, how many that cannot be continued;
                                                with a bound: how many of each length */
    uint32_t dag_states, dag_transitions;
    struct natural paths;
    struct unfold_words list;
};

/* ---- input ---- */

static bool usage(const char *why)
{
    fprintf(stderr, "cairn: error: %s\n", why);
    return false;
}

/* ---- automata ---- */

static bool measure_words(struct work *work, const struct dfa *dfa, struct size *size)
{
    struct dag dag;
    enum build_status status = unfold_acyclic(dfa, &dag, true);
    if (status == BUILD_REFUSED) mem_refuse(work->mem);
    size->is_finite = status == BUILD_DONE;
    if (!size->is_finite) return true;
    uint32_t *steps = mem_alloc(work->mem, dag.states * sizeof *steps);
    dag_heights(&dag, steps);
    size->longest = steps[0];
    dag_shortest(&dag, steps);
    size->shortest = steps[0];
    mem_free(work->mem, steps);
    if (!paths_count(&dag, &size->maximal)) mem_refuse(work->mem);
    dag_release(&dag);
    if (unfold_acyclic(dfa, &dag, false) != BUILD_DONE || !paths_count(&dag, &size->words))
        mem_refuse(work->mem);
    dag_release(&dag);
    return true;
}

static bool measure_dag(struct work *work, const struct dfa *dfa, const char *name,
                        struct size *size)
{
    const struct options *options = work->options;
    struct dag dag;
    if (!guidefile_is_done(&work->in,
                           unfold(dfa, options->bound, true, GUIDEFILE_MOST_STATES, &dag, NULL),
                           "unrolled to this bound, the guide", name))
        return false;
    size->dag_states = dag.states;
    size->dag_transitions = dag.edges;
    if (!paths_count(&dag, &size->paths)) mem_refuse(work->mem);
    dag_release(&dag);
    if (options->bound > MOST_LENGTHS || (!options->json && !options->verbose)) return true;
    size->lengths = unfold_counts(dfa, (uint32_t)options->bound);
    if (!size->lengths) mem_refuse(work->mem);
    return true;
}

/* Which interactions a guide mentions. */
static bool *find_alphabet(struct work *work, uint32_t index)
{
    bool *has = mem_alloc(work->mem, work->in.space.interactions.len + UINT64_C(1));
    xgdl_mark_alphabet(work->side.xgdl, index, has);
    return has;
}

static bool measure(struct work *work, uint32_t index, struct size *size)
{
    const struct options *options = work->options;
    const char *name = xgdl_guide_name(work->side.xgdl, index);
    phrase t = xgdl_guide_term(work->side.xgdl, index);
    struct dfa dfa;
    if (!guidefile_compile(&work->in, t, name, &dfa)) return false;
    bool *has = find_alphabet(work, index);
    for (uint32_t i = 0; i < work->in.space.interactions.len; i++) size->interactions += has[i];
    mem_free(work->mem, has);
    size->states = dfa.states;
    size->transitions = dfa.edges;
    bool good =
        measure_words(work, &dfa, size) && (!options->bound || measure_dag(work, &dfa, name, size));
    if (good && options->words
        && unfold_list(&dfa, options->bound ? options->bound : UINT64_MAX, options->words,
                       &size->list)
               != BUILD_DONE)
        mem_refuse(work->mem);
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

static void show(struct work *work, uint32_t index, const struct size *size)
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
    if (work->options->bound) {
        fprintf(out, "  unrolled to %" PRIu64 " interactions\n", work->options->bound);
        fprintf(out, "    states        %14s\n", text_count(a, size->dag_states));
        fprintf(out, "    transitions   %14s\n", text_count(a, size->dag_transitions));
        show_natural(work, "  paths", &size->paths, "");
    }
    for (uint64_t i = 0; size->lengths && i <= work->options->bound; i++) {
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
        for (uint64_t i = 0; i <= work->options->bound; i++)
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
    bool *has = find_alphabet(work, index);
    uint32_t *names = mem_alloc(work->mem, (labels + UINT64_C(1)) * sizeof *names);
    for (uint32_t l = 0; l < labels; l++)
        if (has[l]) names[count++] = l;
    out_key(json, "alphabet");
    put_labels(work, json, names, count);
    mem_free(work->mem, names);
    mem_free(work->mem, has);
}

/* The fields of an object. */
static void put(struct work *work, struct out *json, uint32_t index, const struct size *size)
{
    out_key(json, "name");
    out_string(json, xgdl_guide_name(work->side.xgdl, index));
    put_number(json, "interactions", size->interactions);
    put_alphabet(work, json, index);
    put_dfa(work, json, size);
    if (work->options->bound) put_dag(work, json, size);
    if (size->list.count) put_words(work, json, &size->list);
}

/* All is measured before anything is told, so that a limit leaves no half of an object behind. */
static bool tell_sizes(struct work *work)
{
    const struct guide_source *side = &work->side;
    struct size *sizes = mem_alloc(work->mem, side->count * sizeof *sizes);
    struct out json;
    for (uint32_t i = 0; i < side->count; i++)
        if (!measure(work, side->first + i, &sizes[i])) return false;
    for (uint32_t i = 0; !work->options->json && i < side->count; i++)
        show(work, side->first + i, &sizes[i]);
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
    const struct guide_source *side = &work->side;
    struct text text;
    text_init(&text, work->mem);
    for (uint32_t i = 0; i < side->count; i++) {
        struct dfa dfa;
        const char *name = xgdl_guide_name(side->xgdl, side->first + i);
        if (!guidefile_compile(&work->in, xgdl_guide_term(side->xgdl, side->first + i), name, &dfa))
            return false;
        dot_print_dfa(&text, &dfa, name, label_of, &work->in.space, 0);
        dfa_release(&dfa);
    }
    fputs(text.data, work->out);
    text_free(&text);
    return true;
}

/* ---- comparison ---- */

struct answer {
    bool is_equal_asked;
    struct guide_source other;
    struct guide_answer found;
};

static void show_side(FILE *out, const struct guide_source *side)
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

static void put_side(struct out *json, const struct guide_source *side, uint32_t states,
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
    work->session->options->told = true;
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
    struct answer answer = {.is_equal_asked = options->equal != NULL};
    const char *other = options->equal ? options->equal : options->within;
    answer.other.file = session_split_name(work->session, other, &answer.other.name);
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

/* A part no longer has all names that the guide mentions. It must know them all the same: it would
 * take a name that it does not know for another one (`"p.a"` for `a`), or find it ignored. So what
 * a part has lost is added as something that happens no times. */
struct alphabet {
    uint32_t labels;
    bool *names; /* per label: the guide mentions it */
    bool *has;   /* per label: the part at hand does */
};

static void find_lost(struct work *work, phrase part, struct alphabet *alphabet,
                      struct phrase_list *lost)
{
    struct phrases *terms = &work->in.space.terms;
    lost->len = 0;
    phrase_mark_labels(terms, part, alphabet->has, alphabet->labels);
    for (uint32_t l = 0; l < alphabet->labels; l++)
        if (alphabet->names[l] && !alphabet->has[l])
            vec_push(work->mem, lost, phrase_event(terms, l));
}

/* "(a [] b){0}" */
static void add_no_times(struct work *work, struct text *text, const struct phrase_list *names)
{
    bool is_one = names->len == 1;
    phrase any = phrase_join(&work->in.space.terms, PHRASE_CHOICE, names->data, names->len);
    if (!is_one) text_add(text, "(");
    phrase_print(text, &work->in.space.terms, any, xgdl_spelling, &work->in.space);
    text_add(text, is_one ? "{0}" : "){0}");
}

static void add_term(struct work *work, struct text *text, phrase t)
{
    phrase_print(text, &work->in.space.terms, t, xgdl_spelling, &work->in.space);
}

static struct alphabet alphabet_of(struct work *work)
{
    uint32_t labels = work->in.space.interactions.len;
    bool *has = mem_alloc(work->mem, labels + UINT64_C(1));
    return (struct alphabet){labels, find_alphabet(work, work->side.first), has};
}

/* A definition with all names, for the parts that have lost some. */
static const char *write_names(struct work *work, const struct phrase_list *parts,
                               struct alphabet *alphabet, FILE *file)
{
    struct phrases *terms = &work->in.space.terms;
    struct phrase_list lost = {0}, names = {0};
    bool is_needed = false;
    for (uint32_t i = 0; i < parts->len && !is_needed; i++) {
        find_lost(work, parts->data[i], alphabet, &lost);
        is_needed = lost.len > 0;
    }
    vec_free(work->mem, &lost);
    if (!is_needed) return NULL;
    const char *name = guidefile_free_name(&work->in, "names");
    struct text text;
    text_init(&text, work->mem);
    for (uint32_t l = 0; l < alphabet->labels; l++)
        if (alphabet->names[l]) vec_push(work->mem, &names, phrase_event(terms, l));
    add_no_times(work, &text, &names);
    fprintf(file, "let %s = %s; // known, and forbidden where a part has no place for them\n", name,
            text.data);
    text_free(&text);
    vec_free(work->mem, &names);
    return name;
}

static void write_ignored(struct work *work, FILE *file)
{
    uint32_t count;
    const uint32_t *ignored = xgdl_ignored(work->side.xgdl, &count);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "%s%s%s", i ? ", " : "ignore ", xgdl_spelling(&work->in.space, ignored[i]),
                i + 1 == count ? ";\n" : "");
}

static void write_parts(struct work *work, const char *name, const struct phrase_list *parts,
                        FILE *file)
{
    const char *stem = guidefile_stem(&work->in, name);
    const char *source = diag_source_name(&work->session->diag, (struct place){0, 1, 1});
    struct alphabet alphabet = alphabet_of(work);
    struct phrase_list lost = {0};
    struct text text;
    fprintf(file,
            "// The guide %s of %s in %" PRIu32
            " parts (--split %s). Together they allow what it allows: "
            "their languages were compared.\n",
            name, source, parts->len, work->options->split_by);
    write_ignored(work, file);
    const char *names = write_names(work, parts, &alphabet, file);
    text_init(&text, work->mem);
    for (uint32_t i = 0; i < parts->len; i++) {
        text_add(&text, "guide %s%" PRIu32 " = ", stem, i + 1);
        add_term(work, &text, parts->data[i]);
        find_lost(work, parts->data[i], &alphabet, &lost);
        fprintf(file, "%s%s%s;\n", text.data, lost.len ? " || " : "", lost.len ? names : "");
        text.len = 0;
    }
    text_free(&text);
    vec_free(work->mem, &lost);
}

/* In an object every term stands alone. */
static void put_part_terms(struct work *work, struct out *json, const char *name,
                           const struct phrase_list *parts)
{
    const char *stem = guidefile_stem(&work->in, name);
    struct alphabet alphabet = alphabet_of(work);
    struct phrase_list lost = {0};
    struct text text;
    text_init(&text, work->mem);
    out_open(json, '[');
    for (uint32_t i = 0; i < parts->len; i++) {
        out_open_inline(json, '{');
        out_key(json, "name");
        out_string(json, names_format(&work->in.space.names, "%s%" PRIu32, stem, i + 1));
        out_key(json, "term");
        text.len = 0;
        add_term(work, &text, parts->data[i]);
        find_lost(work, parts->data[i], &alphabet, &lost);
        if (lost.len) text_add(&text, " || ");
        if (lost.len) add_no_times(work, &text, &lost);
        out_string(json, text.data);
        out_close(json, '}');
    }
    out_close(json, ']');
    text_free(&text);
    vec_free(work->mem, &lost);
}

static void put_parts(struct work *work, const char *name, const struct phrase_list *parts)
{
    struct out json;
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
    out_string(
        &json,
        "the languages of the guide and of all parts together were compared: they are equal");
    put_ignored(work, &json);
    put_alphabet(work, &json, work->side.first);
    put_number(&json, "parts", parts->len);
    out_key(&json, "guides");
    put_part_terms(work, &json, name, parts);
    out_close(&json, '}');
}

static bool split(struct work *work)
{
    const struct options *options = work->options;
    struct guide_source *side = &work->side;
    struct phrase_list parts = {0};
    if (side->count > 1) return usage("one guide is split at a time: choose it with FILE:NAME");
    const char *name = xgdl_guide_name(side->xgdl, side->first);
    if (!guidefile_split(&work->in, options->split_by, name, side->whole, &parts)) return false;
    FILE *file = options->output ? session_open(work->session, options->output) : work->out;
    if (!file) return false;
    if (options->json) put_parts(work, name, &parts);
    if (options->output || !options->json) write_parts(work, name, &parts, file);
    if (options->output && !session_close(file, options->output)) return false;
    if (options->output && !options->json && !options->quiet)
        fprintf(work->out,
                "%s: %" PRIu32
                " parts, in %s; together they allow what it allows (the languages were compared)\n",
                name, parts.len, options->output);
    return true;
}

/* ---- the command ---- */

static bool check_options(const struct options *options)
{
    unsigned tasks = (options->equal != NULL) + (options->within != NULL)
                     + (options->split_by != NULL) + (options->to != NULL);
    if (tasks > 1) return usage("--equal, --within, --split and --to are asked one at a time");
    if (tasks && (options->bound || options->words))
        return usage("--bound and --words tell of a guide itself: they do not go with --equal, "
                     "--within, --split and --to");
    if (options->defines.len) return usage("guides have no constants: -D does not go with them");
    if (options->to && options->json) return usage("--to dot and --json are asked one at a time");
    return true;
}

static bool run(struct work *work)
{
    const struct options *options = work->options;
    if (!check_options(options) || !guidefile_read(&work->in, &work->side)) return false;
    /* with --split, --output is for the parts */
    const char *path = options->output && !options->split_by ? options->output : options->json_file;
    work->out = path ? session_open(work->session, path) : stdout;
    if (!work->out) return false;
    bool good = options->equal || options->within ? compare(work)
                : options->split_by               ? split(work)
                : options->to                     ? draw(work)
                                                  : tell_sizes(work);
    return session_close(work->out, path ? path : "standard output") && good;
}

int xguides_run(struct session *session, const char *file, const char *name)
{
    struct work work = {.session = session,
                        .mem = session->mem,
                        .options = session->options,
                        .side = {.file = file, .name = name}};
    guidefile_init(&work.in, session->mem, &session->diag);
    bool good = run(&work);
    diag_finish(&session->diag);
    return good || work.in.status != EXIT_HOLDS ? work.in.status : EXIT_USAGE;
}
