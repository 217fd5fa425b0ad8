#include "run/guideload.h"

#include "automaton/guide/compare.h"
#include "automaton/unfold.h"
#include "run/guidefile.h"
#include "run/load.h"
#include "run/message.h"
#include "pass/guide.h"

#include <inttypes.h>
#include <string.h>

struct guideload { /* a guide on its way into a model */
    struct session *session;
    struct mem *mem;
    struct guidefile_reader in;
    struct guidefile_source source;
    const char *name; /* of the guide */
    phrase term;
    struct dfa dfa;
    bool *is_end;   /* of its states: the guide ends there, for a part the whole guide as well */
    struct dag dag; /* what it is unrolled to, with a bound */
    struct model_guide told;
};

/* ---- which guide ---- */

static bool several(struct guideload *work)
{
    struct text text;
    text_init(&text, work->mem);
    text_add(&text, "%s has several guides: choose one with --guide FILE:NAME:", work->source.file);
    for (uint32_t i = 0; i < work->source.count && i < 20; i++)
        text_add(&text, "%s %s", i ? "," : "", xgdl_guide_name(work->source.xgdl, i));
    if (work->source.count > 20) text_add(&text, ", ...");
    message_error(&work->session->diag, "%s", text.data);
    text_free(&text);
    return false;
}

static bool choose_part(struct guideload *work)
{
    const struct ask *ask = work->session->ask;
    struct phrase_list parts = {0};
    if (!ask->split_by) return true;
    if (!guidefile_split(&work->in, ask->split_by, work->name, work->term, &parts)) return false;
    if (!ask->guide_part || ask->guide_part > parts.len) {
        message(&work->session->diag, DIAG_ERROR, NULL,
                "the guide '%s' has %" PRIu32
                " parts, from 1 on, when it is split by %s: --guide-part chooses one",
                work->name, parts.len, ask->split_by);
        return false;
    }
    work->term = parts.data[ask->guide_part - 1];
    work->told.split = ask->split_by;
    work->told.part = (uint32_t)ask->guide_part;
    vec_free(work->mem, &parts);
    return true;
}

/* Where a part ends the whole guide may go on after the same words: only where it never does this
 * is an end. */
static bool find_ends(struct guideload *work)
{
    struct dfa whole;
    work->is_end = mem_alloc(work->mem, work->dfa.states + UINT64_C(1));
    for (uint32_t s = 0; s < work->dfa.states; s++) work->is_end[s] = dfa_is_end(&work->dfa, s);
    if (!work->told.split) return true;
    if (!guidefile_compile(&work->in, xgdl_guide_term(work->source.xgdl, work->source.first),
                           work->name, &whole))
        return false;
    enum build_status status = compare_ends(&work->dfa, &whole, work->is_end);
    dfa_release(&whole);
    return guidefile_is_done(&work->in, status, "compared with its parts, the guide", work->name);
}

static bool read_guide(struct guideload *work)
{
    const struct ask *ask = work->session->ask;
    work->source.file = load_split_name(work->session, ask->guide, &work->source.name);
    if (!guidefile_read(&work->in, &work->source)) return false;
    if (work->source.count > 1) return several(work);
    work->name = xgdl_guide_name(work->source.xgdl, work->source.first);
    work->term = xgdl_guide_term(work->source.xgdl, work->source.first);
    return choose_part(work) && guidefile_compile(&work->in, work->term, work->name, &work->dfa)
           && find_ends(work);
}

/* ---- weaving ---- */

static unsigned char *find_kinds(struct guideload *work, const uint32_t *state_of)
{
    bool unrolled = state_of != NULL;
    uint32_t states = unrolled ? work->dag.states : work->dfa.states;
    unsigned char *kinds = mem_alloc(work->mem, states + UINT64_C(1));
    for (uint32_t s = 0; s < states; s++) {
        uint32_t state = unrolled ? state_of[s] : s;
        bool is_cut = unrolled && work->dag.first_edge[s] == work->dag.first_edge[s + 1]
                      && !dfa_is_end(&work->dfa, state);
        kinds[s] = is_cut ? GUIDE_IS_CUT : work->is_end[state] ? GUIDE_ENDS : GUIDE_GOES_ON;
        work->told.is_cut |= kinds[s] == GUIDE_IS_CUT;
    }
    return kinds;
}

static bool is_acyclic(struct guideload *work)
{
    const struct dfa *dfa = &work->dfa;
    for (uint32_t s = 0; s < dfa->states; s++)
        for (uint32_t i = dfa->first_edge[s]; i < dfa->first_edge[s + 1]; i++)
            if (dfa->edge_to[i] <= s) return false;
    return true;
}

/* Words that the model does not know are more often mistakes than not. */
static void tell_remarks(struct guideload *work, const struct guide_remarks *remarks)
{
    enum { SHOWN = 8 };
    const struct model *model = work->session->model;
    if (work->session->diag.quiet || work->session->ask->guide_remarked) return;
    for (uint32_t i = 0; i < remarks->missing.len; i++) {
        const char *name = work->in.space.interactions.data[remarks->missing.data[i]],
                   *nearest = NULL;
        unsigned distance = 0;
        if (i == SHOWN)
            message(&work->session->diag, DIAG_WARNING, model->file,
                    "... and has no step for %" PRIu32 " more interactions of the guide '%s'",
                    remarks->missing.len - SHOWN, work->name);
        if (i >= SHOWN) break;
        for (uint32_t r = 0; r < model->rules.len; r++)
            if (!model->rules.data[r].is_internal)
                text_nearest(name, model->rules.data[r].label, &nearest, &distance);
        for (uint32_t d = 0; d < model->dead_steps.len; d++)
            if (!model->dead_steps.data[d].is_internal)
                text_nearest(name, model->dead_steps.data[d].label, &nearest, &distance);
        message(&work->session->diag, DIAG_WARNING, model->file,
                "the model has no step for the interaction '%.60s' of the guide "
                "'%s'%s%.60s%s",
                name, work->name, nearest ? ": did you mean '" : "", nearest ? nearest : "",
                nearest ? "'?" : "");
    }
    if (!remarks->forbidden.len) return;
    struct text text;
    text_init(&text, work->mem);
    for (uint32_t i = 0; i < remarks->forbidden.len && i < SHOWN; i++)
        text_add(&text, "%s %.60s", i ? "," : "", remarks->forbidden.data[i]);
    if (remarks->forbidden.len > SHOWN)
        text_add(&text, ", and %" PRIu32 " more", remarks->forbidden.len - SHOWN);
    message(&work->session->diag, DIAG_NOTE, model->file,
            "the guide '%s' does not mention %s of the model, which it thereby forbids (unless the "
            "file says `ignore ...;`):%s",
            work->name, remarks->forbidden.len == 1 ? "an interaction" : "some interactions",
            text.data);
    text_free(&text);
}

static const uint32_t *copy(struct mem *mem, const uint32_t *list, uint32_t count)
{
    uint32_t *made = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *made);
    return memcpy(made, list, count * sizeof *made);
}

static void keep_picture(struct guideload *work, const struct guide *guide, const char *variable)
{
    struct mem *mem = work->mem;
    const uint32_t edges = guide->first_edge[guide->states];
    if (guide->states > GUIDELOAD_DRAWN) return;
    struct guideload_picture *picture = mem_alloc(mem, sizeof *picture);
    *picture =
        (struct guideload_picture){.name = work->name,
                                   .variable = variable,
                                   .states = guide->states,
                                   .first_edge = copy(mem, guide->first_edge, guide->states + 1),
                                   .edge_label = copy(mem, guide->edge_label, edges),
                                   .edge_to = copy(mem, guide->edge_to, edges),
                                   .interactions = guide->interactions};
    work->session->picture = picture;
}

static bool weave(struct guideload *work)
{
    uint32_t *state_of = NULL, ignored_count, labels = work->in.space.interactions.len;
    const uint32_t *ignored = xgdl_ignored(work->source.xgdl, &ignored_count);
    bool *mentioned = mem_alloc(work->mem, labels + UINT64_C(1)),
         *is_ignored = mem_alloc(work->mem, labels + UINT64_C(1));
    struct guide_remarks remarks = {0};
    /* a part knows what the whole guide mentions */
    xgdl_mark_alphabet(work->source.xgdl, work->source.first, mentioned);
    for (uint32_t i = 0; i < ignored_count; i++) is_ignored[ignored[i]] = true;
    const struct dfa *dfa = &work->dfa;
    struct guide guide = {.labels = labels,
                          .interactions = work->in.space.interactions.data,
                          .mentioned = mentioned,
                          .ignored = is_ignored,
                          .states = dfa->states,
                          .first_edge = dfa->first_edge,
                          .edge_label = dfa->edge_label,
                          .edge_to = dfa->edge_to,
                          .is_acyclic = is_acyclic(work)};
    if (work->told.bound) {
        enum build_status status =
            unfold(dfa, work->told.bound, false, GUIDEFILE_MOST_STATES, &work->dag, &state_of);
        if (!guidefile_is_done(&work->in, status, "unrolled to this bound, the guide", work->name))
            return false;
        guide.states = work->dag.states;
        guide.first_edge = work->dag.first_edge;
        guide.edge_label = work->dag.edge_label;
        guide.edge_to = work->dag.edge_to;
        guide.is_acyclic = true;
    }
    guide.kinds = find_kinds(work, state_of);
    guide.is_filter = work->told.is_filter && work->told.matters;
    if (!guide_fits(&guide)) {
        message(&work->session->diag, DIAG_ERROR, NULL,
                "the guide '%s' is too large to be composed with a model: %" PRIu32
                " states and %" PRIu32 " interactions",
                work->name, guide.states, labels);
        work->in.status = EXIT_INCONCLUSIVE;
        return false;
    }
    const struct model *model = work->session->model;
    const uint32_t before = model->vars.len;
    guide_weave(work->session->model, &guide, &remarks);
    if (model->vars.len > before) keep_picture(work, &guide, model->vars.data[before].name);
    tell_remarks(work, &remarks);
    work->told.has_timers = remarks.has_timers;
    return true;
}

/* Whether it makes a difference that what is forbidden is not enabled. */
static bool find_reading(struct guideload *work)
{
    const struct model *model = work->session->model;
    bool is_timed = model_is_timed(model);
    work->told.is_filter = work->session->ask->guide_filters;
    work->told.matters = is_timed || model->priorities.len;
    if (!work->told.is_filter || !is_timed || !model->priorities.len) return true;
    message(&work->session->diag, DIAG_ERROR, NULL,
            "%s: --guide-semantics filter is not possible for models that have "
            "priorities and time "
            "intervals at once: leave it out, then what the guide forbids is not enabled",
            model->file);
    return false;
}

bool guideload_weave(struct session *session, int *status)
{
    const struct ask *ask = session->ask;
    struct model *model = session->model;
    struct guideload work = {.session = session, .mem = session->mem};
    if (!ask->guide) return true;
    if (session->guide) work = *session->guide;
    else guidefile_init(&work.in, session->mem, &session->diag);
    work.told.bound = ask->guide_bound;
    work.in.known = session->known;
    bool good = find_reading(&work) && read_guide(&work) && weave(&work);
    if (good) {
        struct model_guide *told = arena_alloc(&model->arena, sizeof *told);
        *told = work.told;
        told->name = names_format(&model->names, "%s:%s", work.source.file, work.name);
        told->states = work.dfa.states;
        told->transitions = work.dfa.edges;
        if (told->split)
            told->split = names_intern(&model->names, told->split, strlen(told->split));
        model->guide = told;
    } else *status = work.in.status != EXIT_HOLDS ? work.in.status : EXIT_USAGE;
    dfa_release(&work.dfa);
    dag_release(&work.dag);
    return good;
}

/* ---- several guides ---- */

static bool list_parts(struct guideload *work, const struct ask *ask, struct guideload_list *list)
{
    struct phrase_list parts = {0};
    if (!guidefile_is_split(ask->split_by) || ask->guide_part) return false;
    if (!guidefile_split(&work->in, ask->split_by, work->name, work->term, &parts)) return false;
    const char *stem = guidefile_stem(&work->in, work->name);
    list->are_parts = true;
    list->count = parts.len;
    list->names = mem_alloc(work->mem, (parts.len + UINT64_C(1)) * sizeof *list->names);
    for (uint32_t i = 0; i < parts.len; i++)
        list->names[i] = names_format(&work->in.space.names, "%s%" PRIu32, stem, i + 1);
    return true;
}

/* Reads the file into session->guide, unless something is wrong with it. */
static bool read_file(struct session *session)
{
    struct guideload *work = mem_alloc(session->mem, sizeof *work);
    *work = (struct guideload){.session = session, .mem = session->mem};
    guidefile_init(&work->in, session->mem, &session->diag);
    work->source.file = load_split_name(session, session->ask->guide, &work->source.name);
    if (!guidefile_knows(work->source.file) || !guidefile_parse(&work->in, &work->source))
        return false;
    session->guide = work;
    return true;
}

static bool find_several(struct session *session, struct guideload_list *list)
{
    const struct ask *ask = session->ask;
    if (!read_file(session)) return false;
    struct guideload *work = session->guide;
    uint32_t count = xgdl_guide_count(work->source.xgdl), index = 0;
    const char *nearest;
    list->file = work->source.file;
    if (work->source.name) index = xgdl_find_guide(work->source.xgdl, work->source.name, &nearest);
    if (index == MAP_NONE) return false;
    work->name = xgdl_guide_name(work->source.xgdl, index);
    work->term = xgdl_guide_term(work->source.xgdl, index);
    if (work->source.name || count == 1) return ask->split_by && list_parts(work, ask, list);
    if (ask->split_by) return false;
    list->count = count;
    list->names = mem_alloc(session->mem, count * sizeof *list->names);
    for (uint32_t i = 0; i < count; i++) list->names[i] = xgdl_guide_name(work->source.xgdl, i);
    return true;
}

bool guideload_are_several(struct session *session, struct guideload_list *list)
{
    memset(list, 0, sizeof *list);
    if (!session->ask->guide) return false;
    struct load_silence silence = load_in_silence(session); /* the search tells what is wrong */
    bool several = find_several(session, list);
    if (!load_aloud(session, silence, session->guide)) session->guide = NULL;
    return several;
}
