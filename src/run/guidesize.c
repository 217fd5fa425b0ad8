#include "run/guidesize.h"

#include "automaton/dot.h"
#include "automaton/activity/paths.h"

enum { MOST_LENGTHS = 1000 };

static bool measure_words(struct guidefile_reader *in, const struct dfa *dfa,
                          struct guidesize *size)
{
    struct dag dag;
    enum build_status status = unfold_acyclic(dfa, &dag, true);
    if (status == BUILD_REFUSED) mem_refuse(in->mem);
    size->is_finite = status == BUILD_DONE;
    if (!size->is_finite) return true;
    uint32_t *steps = mem_alloc(in->mem, dag.states * sizeof *steps);
    dag_heights(&dag, steps);
    size->longest = steps[0];
    dag_shortest(&dag, steps);
    size->shortest = steps[0];
    mem_free(in->mem, steps);
    if (!paths_count(&dag, &size->maximal)) mem_refuse(in->mem);
    dag_release(&dag);
    if (unfold_acyclic(dfa, &dag, false) != BUILD_DONE || !paths_count(&dag, &size->words))
        mem_refuse(in->mem);
    dag_release(&dag);
    return true;
}

static bool measure_dag(struct guidefile_reader *in, const struct dfa *dfa, const char *name,
                        const struct guidesize_wish *wish, struct guidesize *size)
{
    struct dag dag;
    if (!guidefile_is_done(in, unfold(dfa, wish->bound, true, GUIDEFILE_MOST_STATES, &dag, NULL),
                           "unrolled to this bound, the guide", name))
        return false;
    size->dag_states = dag.states;
    size->dag_transitions = dag.edges;
    if (!paths_count(&dag, &size->paths)) mem_refuse(in->mem);
    dag_release(&dag);
    if (wish->bound > MOST_LENGTHS || !wish->lengths) return true;
    size->lengths = unfold_counts(dfa, (uint32_t)wish->bound);
    if (!size->lengths) mem_refuse(in->mem);
    return true;
}

bool *guidesize_alphabet(struct guidefile_reader *in, const struct guidefile_source *source,
                         uint32_t index)
{
    bool *has = mem_alloc(in->mem, in->space.interactions.len + UINT64_C(1));
    xgdl_mark_alphabet(source->xgdl, index, has);
    return has;
}

bool guidesize_measure(struct guidefile_reader *in, const struct guidefile_source *source,
                       uint32_t index, const struct guidesize_wish *wish, struct guidesize *size)
{
    const char *name = xgdl_guide_name(source->xgdl, index);
    phrase t = xgdl_guide_term(source->xgdl, index);
    struct dfa dfa;
    if (!guidefile_compile(in, t, name, &dfa)) return false;
    bool *has = guidesize_alphabet(in, source, index);
    for (uint32_t i = 0; i < in->space.interactions.len; i++) size->interactions += has[i];
    mem_free(in->mem, has);
    size->states = dfa.states;
    size->transitions = dfa.edges;
    bool good =
        measure_words(in, &dfa, size) && (!wish->bound || measure_dag(in, &dfa, name, wish, size));
    if (good && wish->words
        && unfold_list(&dfa, wish->bound ? wish->bound : UINT64_MAX, wish->words, &size->list)
               != BUILD_DONE)
        mem_refuse(in->mem);
    dfa_release(&dfa);
    return good;
}

static const char *label_of(void *data, uint32_t label)
{
    return ((const struct xgdl_space *)data)->interactions.data[label];
}

bool guidesize_draw(struct guidefile_reader *in, const struct guidefile_source *side, FILE *out)
{
    struct text text;
    text_init(&text, in->mem);
    for (uint32_t i = 0; i < side->count; i++) {
        struct dfa dfa;
        const char *name = xgdl_guide_name(side->xgdl, side->first + i);
        if (!guidefile_compile(in, xgdl_guide_term(side->xgdl, side->first + i), name, &dfa))
            return false;
        dot_print_dfa(&text, &dfa, name, label_of, &in->space, 0);
        dfa_release(&dfa);
    }
    fputs(text.data, out);
    text_free(&text);
    return true;
}
