#include "cli/automata.h"

#include "cli/session.h"
#include "automaton/buchi/hoa.h"
#include "lang/ltl/ltlread.h"
#include "automaton/buchi/reduce.h"
#include "automaton/buchi/tableau.h"
#include "report/machine.h"

#include <string.h>

struct work {
    struct session session;
    struct options *options;
    struct mem *mem;
    struct arena arena;
    struct names names;
    struct alphabet alphabet;
    struct nnfs nnfs;
    struct automaton automaton; /* what everything is asked of */
    nnf formula;                /* its formula, when it comes from one */
    int status;
};

/* What is asked besides writing the automaton, and the answer. */
struct answer {
    const char *question; /* NULL: none */
    bool holds;
    bool empty; /* the automaton accepts nothing */
    bool has_word;
    const char *role; /* what the word shows */
    struct word word;
};

static bool give_up(struct work *work, const char *why)
{
    fprintf(stderr, "cairn: error: %s\n", why);
    work->status = EXIT_INCONCLUSIVE;
    return false;
}

/* ---- input ---- */

static bool read_formula(struct work *work, const char *option, const char *text, nnf *f)
{
    uint32_t source = diag_add_source(&work->session.diag, option, text, strlen(text));
    return ltlread_formula(&work->session.diag, source, &work->alphabet, &work->nnfs, f);
}

static bool translate(struct work *work, nnf f, struct automaton *automaton)
{
    const char *problem = tableau_translate(&work->nnfs, f, automaton);
    return problem ? give_up(work, problem) : true;
}

static bool read_automaton(struct work *work)
{
    const struct options *options = work->options;
    uint32_t source;
    if (options->formulas.len)
        return read_formula(work, "--ltl", options->formulas.data[0].text, &work->formula)
               && translate(work, work->formula, &work->automaton);
    return diag_read_source(&work->session.diag, options->file, &source)
           && hoa_read(&work->session.diag, source, &work->alphabet, &work->automaton);
}

/* ---- questions ---- */

/* A word of the automaton for which f is false: then the automaton does not imply f. */
static bool find_difference(struct work *work, const struct automaton *automaton, nnf f,
                            struct answer *answer)
{
    struct automaton wrong, both;
    if (!translate(work, nnf_negate(&work->nnfs, f), &wrong)) return false;
    const char *problem = product_make(automaton, &wrong, &both);
    automaton_release(&wrong);
    if (problem) return give_up(work, problem);
    answer->has_word = product_find_word(&both, &answer->word);
    answer->holds = !answer->has_word;
    automaton_release(&both);
    return true;
}

static bool ask_implies(struct work *work, struct answer *answer)
{
    nnf other;
    answer->question = "implies";
    answer->role = "accepted, but not by the other one";
    return read_formula(work, "--implies", work->options->implies, &other)
           && find_difference(work, &work->automaton, other, answer);
}

static bool ask_equivalent(struct work *work, struct answer *answer)
{
    nnf other;
    struct automaton right;
    answer->question = "equivalent";
    answer->role = "accepted, but not by the other one";
    if (!read_formula(work, "--equivalent", work->options->equivalent, &other)) return false;
    if (!find_difference(work, &work->automaton, other, answer)) return false;
    if (!answer->holds) return true;
    answer->role = "not accepted, but by the other one";
    if (!translate(work, other, &right)) return false;
    bool done = find_difference(work, &right, work->formula, answer);
    automaton_release(&right);
    return done;
}

static bool ask_accepts(struct work *work, struct answer *answer)
{
    struct diag *diag = &work->session.diag;
    struct automaton only, both;
    struct word word;
    answer->question = "accepts";
    if (!ltlread_word(diag,
                      diag_add_source(diag, "--accepts", work->options->accepts,
                                      strlen(work->options->accepts)),
                      &work->alphabet, &word))
        return false;
    uint32_t count = work->alphabet.propositions.len;
    product_word_automaton(&word, count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1, work->mem,
                           &only);
    vec_free(work->mem, &word.letters);
    const char *problem = product_make(&work->automaton, &only, &both);
    automaton_release(&only);
    if (problem) return give_up(work, problem);
    answer->holds = product_find_word(&both, &word);
    vec_free(work->mem, &word.letters);
    automaton_release(&both);
    return true;
}

static bool ask(struct work *work, struct answer *answer)
{
    const struct options *options = work->options;
    struct word some;
    answer->holds = true;
    answer->empty = !product_find_word(&work->automaton, &some);
    if (options->implies || options->equivalent || options->accepts)
        vec_free(work->mem, &some.letters);
    if (options->implies) return ask_implies(work, answer);
    if (options->equivalent) return ask_equivalent(work, answer);
    if (options->accepts) return ask_accepts(work, answer);
    answer->word = some;
    answer->has_word = !answer->empty;
    answer->role = "accepted";
    return true;
}

/* ---- output ---- */

static void tell_size(FILE *out, const struct work *work)
{
    const struct automaton *automaton = &work->automaton;
    fprintf(out, "%u state%s, %u edge%s, %u acceptance set%s, %u proposition%s\n",
            automaton->states.len, automaton->states.len == 1 ? "" : "s", automaton->edges.len,
            automaton->edges.len == 1 ? "" : "s", automaton->acceptance,
            automaton->acceptance == 1 ? "" : "s", work->alphabet.propositions.len,
            work->alphabet.propositions.len == 1 ? "" : "s");
}

static void tell_answer(FILE *out, const struct work *work, const struct answer *answer)
{
    if (answer->question)
        fprintf(out, "%s  %s\n", answer->holds ? "holds   " : "violated", answer->question);
    else if (answer->empty) fputs("accepts no word\n", out);
    if (!answer->has_word) return;
    fprintf(out, "%s: ", answer->role);
    alphabet_write_word(out, &work->alphabet, &answer->word);
    fputc('\n', out);
}

static void put_letters(struct out *json, const struct work *work, const char *key,
                        const struct word *word, uint32_t from, uint32_t to)
{
    out_key(json, key);
    out_open(json, '[');
    for (uint32_t i = from; i < to; i++) {
        out_open_inline(json, '[');
        for (uint32_t p = 0; p < work->alphabet.propositions.len; p++)
            if (word->letters.data[i] >> p & 1)
                out_string(json, work->alphabet.propositions.data[p]);
        out_close(json, ']');
    }
    out_close(json, ']');
}

static void tell_json(FILE *out, const struct work *work, const struct answer *answer)
{
    struct out json;
    machine_begin(&json, out, "automaton", work->options->file);
    out_key(&json, "states");
    out_uint(&json, work->automaton.states.len);
    out_key(&json, "edges");
    out_uint(&json, work->automaton.edges.len);
    out_key(&json, "acceptance_sets");
    out_uint(&json, work->automaton.acceptance);
    out_key(&json, "propositions");
    out_open_inline(&json, '[');
    for (uint32_t p = 0; p < work->alphabet.propositions.len; p++)
        out_string(&json, work->alphabet.propositions.data[p]);
    out_close(&json, ']');
    out_key(&json, "empty");
    out_bool(&json, answer->empty);
    if (answer->question) {
        out_key(&json, "question");
        out_string(&json, answer->question);
        out_key(&json, "verdict");
        out_string(&json, answer->holds ? "holds" : "violated");
    }
    if (answer->has_word) {
        out_key(&json, "word");
        out_open(&json, '{');
        out_key(&json, "role");
        out_string(&json, answer->role);
        put_letters(&json, work, "prefix", &answer->word, 0, answer->word.loop);
        put_letters(&json, work, "cycle", &answer->word, answer->word.loop,
                    answer->word.letters.len);
        out_close(&json, '}');
    }
    out_close(&json, '}');
}

static const char *const formats[] = {"hoa", "never", "dot", "text", NULL};

static bool knows_format(const char *format)
{
    for (unsigned i = 0; formats[i]; i++)
        if (!strcmp(formats[i], format)) return true;
    fprintf(
        stderr,
        "cairn: error: --to does not know '%.40s': for automata it is hoa, never, dot or text\n",
        format);
    return false;
}

static bool write_automaton(struct work *work)
{
    const struct options *options = work->options;
    FILE *out = options->output ? session_open(&work->session, options->output) : stdout;
    if (!out) return false;
    if (!strcmp(options->to, "hoa"))
        hoa_write(out, &work->automaton, &work->alphabet,
                  options->formulas.len ? options->formulas.data[0].text : NULL, options->buchi);
    else if (!strcmp(options->to, "never")) hoa_write_never(out, &work->automaton, &work->alphabet);
    else if (!strcmp(options->to, "dot")) hoa_write_dot(out, &work->automaton, &work->alphabet);
    else hoa_write_text(out, &work->automaton, &work->alphabet);
    return session_close(out, options->output ? options->output : "standard output");
}

static bool write_json(struct work *work, const struct answer *answer)
{
    struct options *options = work->options;
    FILE *out = options->json_file ? session_open(&work->session, options->json_file) : stdout;
    if (!out) return false;
    options->told = true;
    tell_json(out, work, answer);
    return session_close(out, options->json_file ? options->json_file : "standard output");
}

/* With --to and without a question the automaton is all there is to write. */
static bool tell(struct work *work, const struct answer *answer)
{
    const struct options *options = work->options;
    if (options->to && !write_automaton(work)) return false;
    if (options->json && !write_json(work, answer)) return false;
    bool to_screen = (!options->to || options->output) && !(options->json && !options->json_file);
    if (to_screen && !options->quiet) tell_size(stdout, work);
    if (to_screen || (answer->question && !options->json))
        tell_answer(options->to && !options->output ? stderr : stdout, work, answer);
    return true;
}

/* ---- the command ---- */

static bool usage(const char *why)
{
    fprintf(stderr, "cairn: error: %s\n", why);
    return false;
}

static bool check_options(const struct options *options)
{
    unsigned questions =
        (options->implies != NULL) + (options->equivalent != NULL) + (options->accepts != NULL);
    if (options->file && options->formulas.len)
        return usage("a FILE and --ltl: one of them is enough");
    if (options->formulas.len > 1) return usage("--ltl twice: one formula is enough");
    if (questions > 1) return usage("--implies, --equivalent, --accepts: one question at a time");
    if (options->file && options->equivalent)
        return usage("--equivalent compares formulas: an automaton of a file is not complemented "
                     "(--implies does without)");
    if (options->to && options->json && !options->json_file && !options->output)
        return usage("--to and --json would both write to standard output: -o FILE or --json=FILE "
                     "parts them");
    if (options->output && !options->to) return usage("-o needs --to hoa, never, dot or text");
    return !options->to || knows_format(options->to);
}

int automata_run(struct options *options, struct mem *mem)
{
    struct work work = {.options = options, .mem = mem, .status = EXIT_USAGE};
    struct answer answer = {0};
    if (!check_options(options)) return EXIT_USAGE;
    session_init(&work.session, options, mem);
    arena_init(&work.arena, mem);
    names_init(&work.names, &work.arena);
    work.alphabet.mem = mem;
    work.alphabet.names = &work.names;
    nnfs_init(&work.nnfs, mem);
    bool read = read_automaton(&work);
    if (options->to && !strcmp(options->to, "never")) options->buchi = true;
    if (read && options->buchi) product_degeneralise(&work.automaton);
    bool done = read && ask(&work, &answer) && tell(&work, &answer);
    diag_finish(&work.session.diag);
    if (!done) return work.status;
    return answer.holds ? EXIT_HOLDS : EXIT_VIOLATED;
}
