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
}

void findings_release(struct findings *findings, struct mem *mem)
{
    mem_free(mem, findings->monitors);
    mem_free(mem, findings->waiting);
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

void findings_state(struct search *search, uint64_t bits, const uint64_t *words, struct set *set,
                    uint64_t state)
{
    struct findings *findings = &search->findings;
    for (uint32_t m = 0; m < findings->count; m++) {
        if (!is_asked(findings, m, bits)) continue;
        enum said said = ask(&findings->monitors[m], &search->space->program, words);
        if (said == SAID_FAILED) /* and goes on: a violation elsewhere still counts */
            findings->monitors[m].failed = true;
        else if (said == SAID_SEEN && !waits(findings, m))
            findings->waiting[findings->found++] = (struct finding){m, set, state};
    }
    assert(findings->found <= findings->count); /* (2) */
}

/* ---- verdicts ---- */

static void decided(struct search *search, const struct property_result *entry)
{
    assert(entry->watched_only || search->findings.undecided); /* (3) */
    search->findings.undecided -= !entry->watched_only;
}

void findings_violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                       uint32_t failed_rule)
{
    struct property_result *entry = &search->task->properties[property];
    if (entry->verdict == VERDICT_VIOLATED) return;
    /* what was found must not be lost to the limit on the search */
    const struct mem_lift before = mem_lift(search->model->mem);
    search->order->violated(search, property, set, state, failed_rule);
    entry->verdict = VERDICT_VIOLATED;
    entry->reason = entry->last ? entry->reason : NULL;
    mem_lower(search->model->mem, before);
    decided(search, entry);
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
        stop_monitor(findings, finding.monitor);
        if (monitor->kind == FINDINGS_ALWAYS)
            findings_violated(search, monitor->property, finding.set, finding.state, MODEL_NONE);
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
