#include "search/findings.h"

#include "search/order.h"
#include "search/search.h"

#include <assert.h>

void findings_init(struct findings *findings, const struct task *task)
{
    const uint64_t room = 2 * (uint64_t)task->property_count + 1;
    *findings = (struct findings){.deadlock = MODEL_NONE, .runtime_error = MODEL_NONE};
    findings->monitors = mem_alloc(task->model->mem, room * sizeof *findings->monitors);
    findings->waiting = mem_alloc(task->model->mem, room * sizeof *findings->waiting);
    findings->tried = mem_alloc(task->model->mem, room * sizeof *findings->tried);
    findings->room = (uint32_t)room;
}

void findings_release(struct findings *findings, struct mem *mem)
{
    mem_free(mem, findings->monitors);
    mem_free(mem, findings->waiting);
    mem_free(mem, findings->tried);
}

void findings_add(struct search *search, uint32_t property, expr e, enum findings_kind kind)
{
    struct findings *findings = &search->findings;
    const uint32_t m = findings->count++;
    assert(m < 2 * search->task->property_count);
    findings->monitors[m] =
        (struct monitor){property, program_compile(&search->space->program, e), kind, true, false};
    program_watch(&search->space->program, e, m < FINDINGS_BITS ? m : FINDINGS_BITS - 1);
    findings->active |= findings_bit(m);
}

bool findings_add_sight(struct search *search, uint32_t property)
{
    struct findings *findings = &search->findings;
    if (findings->sight_count == FINDINGS_SIGHTS) return false;
    findings->sights[findings->sight_count++] = findings->count;
    findings_add(search, property, expr_bool(&search->model->exprs, true), FINDINGS_ALWAYS);
    return true;
}

/* ---- looking ---- */

/* What the monitor says about a state: it cannot be evaluated, it has nothing to say, or it has
 * seen what it waits for. */
enum said { SAID_NOTHING, SAID_FAILED, SAID_SEEN };

static enum said ask(const struct monitor *monitor, const struct program *program,
                     const uint64_t *words)
{
    int64_t value;
    if (!program_run(program, monitor->code, words, &value)) return SAID_FAILED;
    return (monitor->kind == FINDINGS_ANTECEDENT ? value : !value) ? SAID_SEEN : SAID_NOTHING;
}

static bool is_asked(const struct findings *findings, uint32_t m, uint64_t bits)
{
    return findings->monitors[m].active && bits & findings_bit(m);
}

bool findings_notices(const struct search *search, const struct worker *worker, uint64_t bits,
                      const uint64_t *words)
{
    const struct findings *findings = &search->findings;
    for (uint32_t m = 0; m < findings->count; m++)
        if (is_asked(findings, m, bits)
            && ask(&findings->monitors[m], worker->program, words) != SAID_NOTHING)
            return true;
    return false;
}

static bool waits(const struct findings *findings, uint32_t m)
{
    for (uint32_t f = 0; f < findings->found; f++)
        if (findings->waiting[f].monitor == m) return true;
    return false;
}

/* Room for one more, and for what each monitor may find. False: there is none. */
static bool has_room(struct search *search)
{
    struct findings *findings = &search->findings;
    const uint64_t room = 2 * (uint64_t)findings->room;
    if (findings->found < findings->room) return true;
    struct finding *waiting =
        room > UINT32_MAX
            ? NULL
            : mem_try_resize(search->model->mem, findings->waiting, room * sizeof *waiting);
    if (!waiting) return false;
    findings->waiting = waiting;
    findings->room = (uint32_t)room;
    return true;
}

void findings_state(struct search *search, uint64_t bits, const uint64_t *words, struct set *set,
                    uint64_t state)
{
    struct findings *findings = &search->findings;
    for (uint32_t m = 0; m < findings->count; m++) {
        if (!is_asked(findings, m, bits)) continue;
        enum said said = ask(&findings->monitors[m], &search->space->program, words);
        if (said == SAID_FAILED) /* and goes on: a violation elsewhere still counts */
            findings->monitors[m].failed = true;
        else if (said == SAID_SEEN
                 && (search->task->traces > 1 ? has_room(search) : !waits(findings, m)))
            findings->waiting[findings->found++] = (struct finding){m, set, state};
    }
    assert(search->task->traces > 1 || findings->found <= findings->count); /* (2) */
}

/* ---- verdicts ---- */

static void decided(struct search *search, const struct property_result *entry)
{
    assert(entry->watched_only || search->findings.undecided); /* (3) */
    search->findings.undecided -= !entry->watched_only;
}

/* ---- several runs ---- */

/* Whether another run of the property is wanted. */
static bool wants_more(const struct search *search, uint32_t property)
{
    const struct property_result *entry = &search->task->properties[property];
    return entry->trace && entry->further_count + UINT64_C(1) < search->task->traces
           && search->findings.tried[property] < FINDINGS_TRIED;
}

static bool is_different(const struct search *search, const struct property_result *entry,
                         const struct trace *trace)
{
    bool differs = trace_differs(search->model, entry->trace, trace);
    for (uint32_t i = 0; differs && i < entry->further_count; i++)
        differs = trace_differs(search->model, entry->further[i].trace, trace);
    return differs;
}

/* A run to another state that violates it, kept when it is different. */
static void add_further(struct search *search, uint32_t property, struct set *set, uint64_t state,
                        uint32_t failed_rule)
{
    struct property_result *entry = &search->task->properties[property];
    struct mem *mem = search->model->mem;
    struct trace *first = entry->trace;
    const struct mem_lift before = mem_lift(mem);
    search->findings.tried[property]++;
    entry->trace = NULL;
    search->order->violated(search, property, set, state, failed_rule);
    struct trace *made = entry->trace;
    entry->trace = first;
    if (made && is_different(search, entry, made)) {
        if (!entry->further)
            entry->further = mem_alloc(mem, search->task->traces * sizeof *entry->further);
        entry->further[entry->further_count++].trace = made;
    } else if (made) trace_free(search->model, made);
    mem_lower(mem, before);
    if (!wants_more(search, property)) decided(search, entry);
}

void findings_violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                       uint32_t failed_rule)
{
    struct property_result *entry = &search->task->properties[property];
    if (entry->verdict == VERDICT_VIOLATED) {
        if (wants_more(search, property)) add_further(search, property, set, state, failed_rule);
        return;
    }
    /* what was found must not be lost to the limit on the search */
    const struct mem_lift before = mem_lift(search->model->mem);
    search->order->violated(search, property, set, state, failed_rule);
    entry->verdict = VERDICT_VIOLATED;
    entry->reason = entry->last ? entry->reason : NULL;
    mem_lower(search->model->mem, before);
    if (!wants_more(search, property)) decided(search, entry);
}

void findings_sights(struct search *search, uint64_t seen, uint64_t unclear, uint64_t state)
{
    struct findings *findings = &search->findings;
    for (uint32_t i = 0; i < findings->sight_count; i++) {
        struct monitor *monitor = &findings->monitors[findings->sights[i]];
        monitor->failed |= unclear >> i & 1;
        if (seen >> i & 1)
            findings_violated(search, monitor->property, search->set, state, MODEL_NONE);
    }
    assert(findings->sight_count == FINDINGS_SIGHTS || !(seen >> findings->sight_count));
}

static void stop_monitor(struct findings *findings, uint32_t m)
{
    findings->monitors[m].active = false;
    findings->active = 0;
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->monitors[i].active) findings->active |= findings_bit(i); /* (1) */
}

static void witnessed(struct search *search, const struct monitor *monitor)
{
    struct property_result *entry = &search->task->properties[monitor->property];
    entry->verdict = VERDICT_HOLDS;
    decided(search, entry);
}

void findings_report(struct search *search)
{
    struct findings *findings = &search->findings;
    for (uint32_t i = 0; i < findings->found; i++) {
        const struct finding finding = findings->waiting[i];
        const struct monitor *monitor = &findings->monitors[finding.monitor];
        if (!monitor->active) continue;
        if (monitor->kind == FINDINGS_ALWAYS)
            findings_violated(search, monitor->property, finding.set, finding.state, MODEL_NONE);
        if (monitor->kind == FINDINGS_ALWAYS && wants_more(search, monitor->property)) continue;
        stop_monitor(findings, finding.monitor);
        if (monitor->kind == FINDINGS_NOT_ALWAYS) witnessed(search, monitor);
    }
    findings->found = 0;
}

/* ---- for summaries ---- */

static uint32_t count_of(const void *search)
{
    return ((const struct search *)search)->findings.count;
}

static unsigned bits_of(const void *search, uint32_t m)
{
    const struct monitor *monitor = &((const struct search *)search)->findings.monitors[m];
    return !monitor->active + 2u * monitor->failed;
}

static void set_bits(void *of, uint32_t m, unsigned bits)
{
    struct search *search = of;
    struct findings *findings = &search->findings;
    findings->monitors[m].failed |= bits >> 1 & 1;
    if (!(bits & 1) || !findings->monitors[m].active) return;
    stop_monitor(findings, m);
    if (findings->monitors[m].kind == FINDINGS_NOT_ALWAYS)
        witnessed(search, &findings->monitors[m]);
}

const struct summary_monitors findings_monitors = {count_of, bits_of, set_bits};

/* ---- the end ---- */

static void conclude_monitor(struct search *search, const struct monitor *monitor)
{
    const struct result *result = search->result;
    struct property_result *entry = &search->task->properties[monitor->property];
    if (monitor->kind == FINDINGS_ANTECEDENT || entry->verdict != VERDICT_UNKNOWN) return;
    if (monitor->failed) entry->reason = result_cannot_evaluate;
    else if (monitor->kind == FINDINGS_NOT_ALWAYS && search->task->part)
        entry->reason = stop_reason_text[STOP_PARTS]; /* others may have such a state */
    else if (monitor->kind == FINDINGS_NOT_ALWAYS && result->all_states)
        entry->verdict = VERDICT_VIOLATED;
}

/* What a complete search did not refute holds. */
void findings_conclude(struct search *search)
{
    const struct result *result = search->result;
    const struct findings *findings = &search->findings;
    for (uint32_t m = 0; m < findings->count; m++) conclude_monitor(search, &findings->monitors[m]);
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (entry->verdict != VERDICT_UNKNOWN || entry->reason) continue;
        if (result->all_states) entry->verdict = VERDICT_HOLDS;
        else entry->reason = stop_reason_text[result->stop];
    }
    for (uint32_t m = 0; m < findings->count; m++) {
        if (findings->monitors[m].kind != FINDINGS_ANTECEDENT) continue;
        struct property_result *entry = &search->task->properties[findings->monitors[m].property];
        entry->antecedent_met = !findings->monitors[m].active;
        entry->antecedent_never = findings->monitors[m].active && result->all_states;
    }
}
