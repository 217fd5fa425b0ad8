#include "cli/guided.h"

#include "automaton/compare.h"
#include "automaton/unfold.h"
#include "cli/guidefile.h"
#include "pass/guide.h"

#include <inttypes.h>
#include <string.h>

struct work {
    struct session *session;
    struct mem *mem;
    struct guide_reader in;
    struct guide_source source;
    const char *name; /* of the guide */
    gterm term;
    struct dfa dfa;
    bool *is_end;   /* of its states: the guide ends there, for a part the whole guide as well */
    struct dag dag; /* what it is unrolled to, with a bound */
    struct model_guide told;
};

/* ---- which guide ---- */

static bool several(struct work *work)
{
    fprintf(stderr, "cairn: error: %s has several guides: choose one with --guide FILE:NAME:",
            work->source.file);
    for (uint32_t i = 0; i < work->source.count && i < 20; i++)
        fprintf(stderr, "%s %s", i ? "," : "", xgdl_guide_name(work->source.xgdl, i));
    fputs(work->source.count > 20 ? ", ...\n" : "\n", stderr);
    return false;
}

static bool choose_part(struct work *work)
{
    const struct options *options = work->session->options;
    struct gterm_list parts = {0};
    if (!options->split_by) return true;
    if (!guidefile_split(&work->in, options->split_by, work->name, work->term, &parts))
        return false;
    if (!options->guide_part || options->guide_part > parts.len) {
        fprintf(stderr,
                "cairn: error: the guide '%s' has %" PRIu32
                " parts, from 1 on, when it is split by %s: --guide-part chooses one\n",
                work->name, parts.len, options->split_by);
        return false;
    }
    work->term = parts.data[options->guide_part - 1];
    work->told.split = options->split_by;
    work->told.part = (uint32_t)options->guide_part;
    vec_free(work->mem, &parts);
    return true;
}

/* Where a part ends the whole guide may go on after the same words: only where it never does this
 * is an end. */
static bool find_ends(struct work *work)
{
    struct dfa whole;
    work->is_end = mem_alloc(work->mem, work->dfa.states + UINT64_C(1));
    for (uint32_t s = 0; s < work->dfa.states; s++) work->is_end[s] = dfa_is_end(&work->dfa, s);
    if (!work->told.split) return true;
    if (!guidefile_compile(&work->in, xgdl_guide_term(work->source.xgdl, work->source.first),
                           work->name, &whole))
        return false;
    enum dag_status status = compare_ends(&work->dfa, &whole, work->is_end);
    dfa_release(&whole);
    return guidefile_is_done(&work->in, status, "compared with its parts, the guide", work->name);
}

static bool read_guide(struct work *work)
{
    const struct options *options = work->session->options;
    work->source.file = session_split_name(work->session, options->guide, &work->source.name);
    if (!guidefile_read(&work->in, &work->source)) return false;
    if (work->source.count > 1) return several(work);
    work->name = xgdl_guide_name(work->source.xgdl, work->source.first);
    work->term = xgdl_guide_term(work->source.xgdl, work->source.first);
    return choose_part(work) && guidefile_compile(&work->in, work->term, work->name, &work->dfa)
           && find_ends(work);
}

/* ---- weaving ---- */

static unsigned char *find_kinds(struct work *work, const uint32_t *state_of)
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

static bool is_acyclic(struct work *work)
{
    const struct dfa *dfa = &work->dfa;
    for (uint32_t s = 0; s < dfa->states; s++)
        for (uint32_t i = dfa->first_edge[s]; i < dfa->first_edge[s + 1]; i++)
            if (dfa->edge_to[i] <= s) return false;
    return true;
}

/* Words that the model does not know are more often mistakes than not. */
static void tell_remarks(struct work *work, const struct guide_remarks *remarks)
{
    enum { SHOWN = 8 };
    const struct model *model = work->session->model;
    if (work->session->options->quiet || work->session->options->guide_remarked) return;
    for (uint32_t i = 0; i < remarks->missing.len; i++) {
        const char *name = work->in.space.interactions.data[remarks->missing.data[i]],
                   *nearest = NULL;
        unsigned distance = 0;
        if (i == SHOWN)
            fprintf(stderr,
                    "%s: warning: ... and has no step for %" PRIu32
                    " more interactions of the guide '%s'\n",
                    model->file, remarks->missing.len - SHOWN, work->name);
        if (i >= SHOWN) break;
        for (uint32_t r = 0; r < model->rules.len; r++)
            if (!model->rules.data[r].is_internal)
                text_nearest(name, model->rules.data[r].label, &nearest, &distance);
        for (uint32_t d = 0; d < model->dead_steps.len; d++)
            if (!model->dead_steps.data[d].is_internal)
                text_nearest(name, model->dead_steps.data[d].label, &nearest, &distance);
        fprintf(stderr,
                "%s: warning: the model has no step for the interaction '%.60s' of the guide "
                "'%s'%s%.60s%s\n",
                model->file, name, work->name, nearest ? ": did you mean '" : "",
                nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (!remarks->forbidden.len) return;
    fprintf(stderr,
            "%s: note: the guide '%s' does not mention %s of the model, which it thereby forbids "
            "(unless the file says `ignore ...;`):",
            model->file, work->name,
            remarks->forbidden.len == 1 ? "an interaction" : "some interactions");
    for (uint32_t i = 0; i < remarks->forbidden.len && i < SHOWN; i++)
        fprintf(stderr, "%s %.60s", i ? "," : "", remarks->forbidden.data[i]);
    if (remarks->forbidden.len > SHOWN)
        fprintf(stderr, ", and %" PRIu32 " more", remarks->forbidden.len - SHOWN);
    fputc('\n', stderr);
}

static bool weave(struct work *work)
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
        enum dag_status status =
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
        fprintf(stderr,
                "cairn: error: the guide '%s' is too large to be composed with a model: %" PRIu32
                " states and %" PRIu32 " interactions\n",
                work->name, guide.states, labels);
        work->in.status = EXIT_INCONCLUSIVE;
        return false;
    }
    guide_weave(work->session->model, &guide, &remarks);
    tell_remarks(work, &remarks);
    work->told.has_timers = remarks.has_timers;
    return true;
}

/* Whether it makes a difference that what is forbidden is not enabled. */
static bool find_reading(struct work *work)
{
    const struct model *model = work->session->model;
    bool is_timed = model_is_timed(model);
    work->told.is_filter = work->session->options->guide_filters;
    work->told.matters = is_timed || model->priorities.len;
    if (!work->told.is_filter || !is_timed || !model->priorities.len) return true;
    fprintf(stderr,
            "cairn: error: %s: --guide-semantics filter is not possible for models that have "
            "priorities and time "
            "intervals at once: leave it out, then what the guide forbids is not enabled\n",
            model->file);
    return false;
}

bool guided_weave(struct session *session, int *status)
{
    const struct options *options = session->options;
    struct model *model = session->model;
    struct work work = {
        .session = session, .mem = session->mem, .told = {.bound = options->guide_bound}};
    if (!options->guide) return true;
    guidefile_init(&work.in, session->mem, &session->diag);
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

/* ---- what a cut guide, or a part of one, says of the whole ---- */

static void take_back(const struct model *model, struct property_result *entry, const char *reason)
{
    entry->verdict = VERDICT_UNKNOWN;
    entry->method = NULL;
    if (entry->reason != result_cannot_evaluate) entry->reason = reason;
    trace_free(model, entry->trace);
    entry->trace = NULL;
    entry->branch_count = 0;
    entry->has_end = false;
}

/* The run for the model under the whole guide. Its rules have the same numbers there; its
 * variables, too, but for the guide's, which is the last one. */
static struct trace *copy_run(const struct session *session, const struct model *to,
                              const struct trace *trace)
{
    const struct model *from = session->model;
    struct trace *copy = trace_new(to, trace->steps);
    uint32_t common = to->vars.len < from->vars.len ? to->vars.len : from->vars.len;
    int64_t *initial = mem_alloc(session->mem, (from->vars.len + UINT64_C(1)) * sizeof *initial);
    memcpy(initial, trace->initial, from->vars.len * sizeof *initial);
    if (session->shown) hide_restore(session->shown, from, initial);
    memcpy(copy->initial, initial, common * sizeof *copy->initial);
    mem_free(session->mem, initial);
    if (to->vars.len == from->vars.len + 1) copy->initial[common] = to->vars.data[common].init;
    memcpy(copy->rules, trace->rules, trace->steps * sizeof *copy->rules);
    copy->failed_rule = trace->failed_rule;
    if (trace->delays) {
        trace_add_delays(to, copy, trace->denominator);
        memcpy(copy->delays, trace->delays, (trace->steps + UINT64_C(1)) * sizeof *copy->delays);
    }
    return copy;
}

/* Whether the run is one under the whole guide, and stuck or failing at its end if that is what it
 * shows. */
static bool is_run_of_whole(struct session *session, const struct property_result *entry)
{
    struct options options = *session->options;
    struct session whole;
    options.split_by = NULL;
    options.guide_part = 0;
    options.guide_bound = 0;
    options.time = 0; /* what was found is told, however long that takes */
    options.quiet = true;
    session_init(&whole, &options, session->mem);
    whole.diag.listener = NULL; /* everything was told */
    if (!entry->trace || !session_load(&whole, options.file)
        || whole.model->rules.len != session->model->rules.len)
        return false;
    bool is_built_in = entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR;
    struct trace *copy = copy_run(session, whole.model, entry->trace);
    bool good = !trace_verify(whole.model, copy, is_built_in ? entry->kind : PROPERTY_INVARIANT,
                              expr_bool(&whole.model->exprs, false));
    trace_free(whole.model, copy);
    return good;
}

/* Whether a step can happen only because another one is forbidden: one that would have to happen
 * first, or that goes before it. */
static bool forbidding_allows(const struct model *model)
{
    return !model->guide->is_filter && (model->guide->has_timers || model->priorities.len);
}

static const char not_of_whole[] = "the run is possible only because interactions that the whole "
                                   "guide allows, and that must happen or go first, were left out";

/* Whatever comes after the run: a single state decides the property, or the formula is false by
 * what has happened. */
static bool is_shown_by_prefix(const struct property_result *entry)
{
    return entry->in_each_state
           || (entry->kind == PROPERTY_LTL && entry->trace && entry->trace->loop == MODEL_NONE);
}

void guided_cut(struct session *session, struct task *task, struct result *result)
{
    const struct model *model = session->model;
    if (!model->guide || !model->guide->is_cut || result->refused || result->broken) return;
    if (result->stop == STOP_NONE) result->stop = STOP_GUIDE;
    result->complete = false;
    result->all_states = false;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (entry->verdict != VERDICT_VIOLATED || !is_shown_by_prefix(entry))
            take_back(model, entry, stop_reason_text[STOP_GUIDE]);
        else if (forbidding_allows(model) && !is_run_of_whole(session, entry))
            take_back(model, entry, not_of_whole);
    }
}

static const char *why_not_of_whole(struct session *session, const struct property_result *entry)
{
    const struct model *model = session->model;
    const struct trace *trace = entry->trace;
    bool violated = entry->verdict == VERDICT_VIOLATED,
         goes_on = trace && trace->loop != MODEL_NONE && trace->rules[trace->steps] != MODEL_NONE;
    if (!entry->in_each_state && entry->kind != PROPERTY_LTL)
        return "what can happen under a part of a guide is not all that can happen: only "
               "properties of all runs are decided in parts";
    if (!violated && model->guide->has_timers && !model->guide->is_filter)
        return "interactions of the model have time intervals, which begin when the guide allows "
               "them, and that may be later under its parts: search the whole guide";
    if (!violated) return NULL;
    if (!is_shown_by_prefix(entry) && !goes_on)
        return "a run gets stuck under this part of the guide, but the whole guide may go on there";
    if (!is_shown_by_prefix(entry)) return forbidding_allows(model) ? not_of_whole : NULL;
    if (entry->kind == PROPERTY_DEADLOCK)
        return is_run_of_whole(session, entry)
                   ? NULL
                   : "a state is stuck under this part of the guide, but the whole guide may go on "
                     "there: search it, or use --no-deadlock";
    return forbidding_allows(model) && !is_run_of_whole(session, entry) ? not_of_whole : NULL;
}

void guided_part(struct session *session, struct task *task, struct result *result)
{
    const struct model *model = session->model;
    if (!model->guide || !model->guide->split || result->refused || result->broken) return;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        const char *why =
            entry->verdict == VERDICT_UNKNOWN ? NULL : why_not_of_whole(session, entry);
        if (why) take_back(model, entry, why);
    }
}

/* ---- several guides ---- */

static bool list_parts(struct work *work, const struct options *options, struct guided_list *list)
{
    struct gterm_list parts = {0};
    if (!guidefile_is_split(options->split_by) || options->guide_part) return false;
    if (!guidefile_split(&work->in, options->split_by, work->name, work->term, &parts))
        return false;
    const char *stem = guidefile_stem(&work->in, work->name);
    list->are_parts = true;
    list->count = parts.len;
    list->names = mem_alloc(work->mem, (parts.len + UINT64_C(1)) * sizeof *list->names);
    for (uint32_t i = 0; i < parts.len; i++)
        list->names[i] = names_format(&work->in.space.names, "%s%" PRIu32, stem, i + 1);
    return true;
}

bool guided_are_several(struct options *options, struct mem *mem, struct guided_list *list)
{
    struct session session;
    memset(list, 0, sizeof *list);
    if (!options->guide) return false;
    session_init(&session, options, mem);
    session.diag.listener = NULL;                     /* the search will tell what is wrong */
    struct work *work = mem_alloc(mem, sizeof *work); /* names live in it */
    *work = (struct work){.session = &session, .mem = mem};
    guidefile_init(&work->in, mem, &session.diag);
    list->file = work->source.file =
        session_split_name(&session, options->guide, &work->source.name);
    uint32_t source;
    if (!guidefile_knows(work->source.file)
        || !diag_read_source(&session.diag, work->source.file, &source))
        return false;
    work->source.xgdl = xgdl_read(&work->in.space, &session.diag, source);
    if (!work->source.xgdl) return false;
    uint32_t count = xgdl_guide_count(work->source.xgdl), index = 0;
    const char *nearest;
    if (work->source.name) index = xgdl_find_guide(work->source.xgdl, work->source.name, &nearest);
    if (index == MAP_NONE) return false;
    work->name = xgdl_guide_name(work->source.xgdl, index);
    work->term = xgdl_guide_term(work->source.xgdl, index);
    if (work->source.name || count == 1)
        return options->split_by && list_parts(work, options, list);
    if (options->split_by) return false;
    list->count = count;
    list->names = mem_alloc(mem, count * sizeof *list->names);
    for (uint32_t i = 0; i < count; i++) list->names[i] = xgdl_guide_name(work->source.xgdl, i);
    return true;
}
