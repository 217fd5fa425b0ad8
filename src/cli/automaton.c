#include "cli/automaton.h"

#include "cli/door.h"
#include "report/machine.h"
#include "run/automata.h"

#include <assert.h>
#include <string.h>

/* ---- output ---- */

static void tell_size(FILE *out, const struct automata *automata)
{
    const struct automaton *automaton = &automata->automaton;
    fprintf(out, "%u state%s, %u edge%s, %u acceptance set%s, %u proposition%s\n",
            automaton->states.len, automaton->states.len == 1 ? "" : "s", automaton->edges.len,
            automaton->edges.len == 1 ? "" : "s", automaton->acceptance,
            automaton->acceptance == 1 ? "" : "s", automata->alphabet.propositions.len,
            automata->alphabet.propositions.len == 1 ? "" : "s");
}

static void tell_answer(FILE *out, const struct automata *automata,
                        const struct automata_answer *answer)
{
    if (answer->question)
        fprintf(out, "%s  %s\n", answer->holds ? "holds   " : "violated", answer->question);
    else if (answer->empty) fputs("accepts no word\n", out);
    if (!answer->has_word) return;
    assert(answer->role); /* what the word shows */
    fprintf(out, "%s: ", answer->role);
    alphabet_write_word(out, &automata->alphabet, &answer->word);
    fputc('\n', out);
}

static void put_letters(struct out *json, const struct automata *automata, const char *key,
                        const struct word *word, uint32_t from, uint32_t to)
{
    assert(from <= to && to <= word->letters.len);
    out_key(json, key);
    out_open(json, '[');
    for (uint32_t i = from; i < to; i++) {
        out_open_inline(json, '[');
        for (uint32_t p = 0; p < automata->alphabet.propositions.len; p++)
            if (word->letters.data[i] >> p & 1)
                out_string(json, automata->alphabet.propositions.data[p]);
        out_close(json, ']');
    }
    out_close(json, ']');
}

static void tell_json(FILE *out, const struct automata *automata,
                      const struct automata_answer *answer)
{
    struct out json;
    machine_begin(&json, out, "automaton", automata->session->ask->file);
    out_key(&json, "states");
    out_uint(&json, automata->automaton.states.len);
    out_key(&json, "edges");
    out_uint(&json, automata->automaton.edges.len);
    out_key(&json, "acceptance_sets");
    out_uint(&json, automata->automaton.acceptance);
    out_key(&json, "propositions");
    out_open_inline(&json, '[');
    for (uint32_t p = 0; p < automata->alphabet.propositions.len; p++)
        out_string(&json, automata->alphabet.propositions.data[p]);
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
        put_letters(&json, automata, "prefix", &answer->word, 0, answer->word.loop);
        put_letters(&json, automata, "cycle", &answer->word, answer->word.loop,
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

static bool write_automaton(struct automata *automata, const struct options *options)
{
    FILE *out = door_open_file(options, options->output);
    if (!out) return false;
    if (!strcmp(options->ask.to, "hoa"))
        hoa_write(out, &automata->automaton, &automata->alphabet,
                  options->ask.formulas.len ? options->ask.formulas.data[0].text : NULL,
                  options->ask.buchi);
    else if (!strcmp(options->ask.to, "never"))
        hoa_write_never(out, &automata->automaton, &automata->alphabet);
    else if (!strcmp(options->ask.to, "dot"))
        hoa_write_dot(out, &automata->automaton, &automata->alphabet);
    else hoa_write_text(out, &automata->automaton, &automata->alphabet);
    return door_close_file(out, options->output);
}

static bool write_json(struct automata *automata, struct options *options,
                       const struct automata_answer *answer)
{
    FILE *out = door_open_file(options, options->json_file);
    if (!out) return false;
    options->told = true;
    tell_json(out, automata, answer);
    return door_close_file(out, options->json_file);
}

/* With --to and without a question the automaton is all there is to write. */
static bool tell(struct automata *automata, struct options *options,
                 const struct automata_answer *answer)
{
    if (options->ask.to && !write_automaton(automata, options)) return false;
    if (options->json && !write_json(automata, options, answer)) return false;
    bool to_screen =
        (!options->ask.to || options->output) && !(options->json && !options->json_file);
    if (to_screen && !options->quiet) tell_size(stdout, automata);
    if (to_screen || (answer->question && !options->json))
        tell_answer(options->ask.to && !options->output ? stderr : stdout, automata, answer);
    return true;
}

/* ---- the command ---- */

static bool check_options(const struct options *options)
{
    unsigned questions = (options->ask.implies != NULL) + (options->ask.equivalent != NULL)
                         + (options->ask.accepts != NULL);
    if (options->ask.file && options->ask.formulas.len)
        return door_complain("a FILE and --ltl: one of them is enough");
    if (options->ask.formulas.len > 1) return door_complain("--ltl twice: one formula is enough");
    if (questions > 1)
        return door_complain("--implies, --equivalent, --accepts: one question at a time");
    if (options->ask.file && options->ask.equivalent)
        return door_complain(
            "--equivalent compares formulas: an automaton of a file is not complemented "
            "(--implies does without)");
    if (options->ask.to && options->json && !options->json_file && !options->output)
        return door_complain(
            "--to and --json would both write to standard output: -o FILE or --json=FILE "
            "parts them");
    if (options->output && !options->ask.to)
        return door_complain("-o needs --to hoa, never, dot or text");
    return !options->ask.to || knows_format(options->ask.to);
}

int automaton_command(struct options *options, struct mem *mem)
{
    struct screen screen;
    struct session session;
    struct automata automata;
    struct automata_answer answer = {0};
    if (!check_options(options)) return EXIT_USAGE;
    if (options->ask.to && !strcmp(options->ask.to, "never")) options->ask.buchi = true;
    door_open_session(&screen, &session, options, mem);
    bool done = automata_read(&automata, &session) && automata_ask(&automata, &answer)
                && tell(&automata, options, &answer);
    diag_finish(&session.diag);
    if (!done) return automata.status;
    return answer.holds ? EXIT_HOLDS : EXIT_VIOLATED;
}
