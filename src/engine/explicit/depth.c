/* Depth-first search with a stack of states and how far their rules have been tried. */
#include "engine/explicit/visit.h"

static bool push_frame(struct search *search, uint32_t state)
{
    if (search->stack_len == search->stack_cap) {
        uint64_t cap = search->stack_cap ? search->stack_cap + search->stack_cap / 2 : 1024;
        struct depth_frame *stack =
            mem_try_resize(search->model->mem, search->stack, cap * sizeof *stack);
        if (!stack) return visit_stop(search, STOP_MEMORY);
        search->stack = stack;
        search->stack_cap = cap;
    }
    struct depth_frame *frame = &search->stack[search->stack_len++];
    frame->state = state;
    frame->has_step = false;
    program_start(&search->space.program, &frame->cursor);
    if (search->stack_len > search->result->max_stack)
        search->result->max_stack = search->stack_len;
    return true;
}

/* Takes one step from the top of the stack: a new state is pushed, a finished one popped. */
static bool depth_step(struct search *search)
{
    struct depth_frame *frame = &search->stack[search->stack_len - 1];
    const struct fast_rule *fast;
    uint32_t index, state = frame->state;
    space_load(&search->space, state);
    enum step step = program_next(&search->space.program, &frame->cursor, search->space.words,
                                  search->space.next, &fast);
    if (step == STEP_FAILED) {
        visit_rule_failed(search, state, fast->rule);
        return true;
    }
    if (step == STEP_NONE) {
        if (!frame->has_step) visit_dead_end(search, state);
        search->result->expanded++;
        search->stack_len--;
        return true;
    }
    frame->has_step = true;
    search->result->transitions++;
    search->result->taken[fast->rule]++;
    enum store_result added =
        store_add(search->space.store, search->space.next,
                  store_hash(search->space.next, search->space.layout.key_bytes), &index);
    if (added == STORE_REFUSED) return visit_stop(search, STOP_MEMORY);
    if (added == STORE_NEW) visit_tell_state(search, index, search->space.next);
    if (search->graph) search->graph->edge(search->graph->context, state, fast->rule, index);
    if (added == STORE_KNOWN) return true;
    visit_watch(search, fast->touches & search->active, search->space.next, index, NULL);
    visit_report_findings(search);
    return push_frame(search, index);
}

bool depth_run(struct search *search)
{
    uint64_t initial = search->space.store->count;
    for (uint64_t i = 0; i < initial; i++) {
        if (!push_frame(search, (uint32_t)i)) return false;
        while (search->stack_len) {
            if (!visit_poll(search, search->stack_len) || !depth_step(search)) return false;
        }
    }
    return true;
}
