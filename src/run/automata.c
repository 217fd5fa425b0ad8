#include "run/automata.h"

#include "lang/ltl/ltlread.h"
#include "automaton/buchi/reduce.h"
#include "automaton/buchi/tableau.h"
#include "run/message.h"

#include <string.h>

static bool give_up(struct automata *automata, const char *why)
{
    message_error(&automata->session->diag, "%s", why);
    automata->status = EXIT_INCONCLUSIVE;
    return false;
}

/* ---- input ---- */

static bool read_formula(struct automata *automata, const char *option, const char *text, nnf *f)
{
    uint32_t source = diag_add_source(&automata->session->diag, option, text, strlen(text));
    return ltlread_formula(&automata->session->diag, source, &automata->alphabet, &automata->nnfs,
                           f);
}

static bool translate(struct automata *automata, nnf f, struct automaton *automaton)
{
    const char *problem = tableau_translate(&automata->nnfs, f, automaton);
    return problem ? give_up(automata, problem) : true;
}

static bool read_automaton(struct automata *automata)
{
    const struct ask *ask = automata->session->ask;
    uint32_t source;
    if (ask->formulas.len)
        return read_formula(automata, "--ltl", ask->formulas.data[0].text, &automata->formula)
               && translate(automata, automata->formula, &automata->automaton);
    return diag_read_source(&automata->session->diag, ask->file, &source)
           && hoa_read(&automata->session->diag, source, &automata->alphabet, &automata->automaton);
}

/* ---- questions ---- */

/* A word of the automaton for which f is false: then the automaton does not imply f. */
static bool find_difference(struct automata *automata, const struct automaton *automaton, nnf f,
                            struct automata_answer *answer)
{
    struct automaton wrong, both;
    if (!translate(automata, nnf_negate(&automata->nnfs, f), &wrong)) return false;
    const char *problem = product_make(automaton, &wrong, &both);
    automaton_release(&wrong);
    if (problem) return give_up(automata, problem);
    answer->has_word = product_find_word(&both, &answer->word);
    answer->holds = !answer->has_word;
    automaton_release(&both);
    return true;
}

static bool ask_implies(struct automata *automata, struct automata_answer *answer)
{
    nnf other;
    answer->question = "implies";
    answer->role = "accepted, but not by the other one";
    return read_formula(automata, "--implies", automata->session->ask->implies, &other)
           && find_difference(automata, &automata->automaton, other, answer);
}

static bool ask_equivalent(struct automata *automata, struct automata_answer *answer)
{
    nnf other;
    struct automaton right;
    answer->question = "equivalent";
    answer->role = "accepted, but not by the other one";
    if (!read_formula(automata, "--equivalent", automata->session->ask->equivalent, &other))
        return false;
    if (!find_difference(automata, &automata->automaton, other, answer)) return false;
    if (!answer->holds) return true;
    answer->role = "not accepted, but by the other one";
    if (!translate(automata, other, &right)) return false;
    bool done = find_difference(automata, &right, automata->formula, answer);
    automaton_release(&right);
    return done;
}

static bool ask_accepts(struct automata *automata, struct automata_answer *answer)
{
    struct diag *diag = &automata->session->diag;
    struct automaton only, both;
    struct word word;
    answer->question = "accepts";
    if (!ltlread_word(diag,
                      diag_add_source(diag, "--accepts", automata->session->ask->accepts,
                                      strlen(automata->session->ask->accepts)),
                      &automata->alphabet, &word))
        return false;
    uint32_t count = automata->alphabet.propositions.len;
    product_word_automaton(&word, count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1,
                           automata->session->mem, &only);
    vec_free(automata->session->mem, &word.letters);
    const char *problem = product_make(&automata->automaton, &only, &both);
    automaton_release(&only);
    if (problem) return give_up(automata, problem);
    answer->holds = product_find_word(&both, &word);
    vec_free(automata->session->mem, &word.letters);
    automaton_release(&both);
    return true;
}

bool automata_ask(struct automata *automata, struct automata_answer *answer)
{
    const struct ask *ask = automata->session->ask;
    struct word some;
    answer->holds = true;
    answer->empty = !product_find_word(&automata->automaton, &some);
    if (ask->implies || ask->equivalent || ask->accepts)
        vec_free(automata->session->mem, &some.letters);
    if (ask->implies) return ask_implies(automata, answer);
    if (ask->equivalent) return ask_equivalent(automata, answer);
    if (ask->accepts) return ask_accepts(automata, answer);
    answer->word = some;
    answer->has_word = !answer->empty;
    answer->role = "accepted";
    return true;
}

/* ---- all of it ---- */

bool automata_read(struct automata *automata, struct session *session)
{
    struct ask *ask = session->ask;
    *automata = (struct automata){.session = session, .status = EXIT_USAGE};
    arena_init(&automata->arena, session->mem);
    names_init(&automata->names, &automata->arena);
    automata->alphabet.mem = session->mem;
    automata->alphabet.names = &automata->names;
    nnfs_init(&automata->nnfs, session->mem);
    if (!read_automaton(automata)) return false;
    if (ask->buchi) product_degeneralise(&automata->automaton);
    return true;
}
