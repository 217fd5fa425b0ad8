#include "search/poll.h"

#include "base/clock.h"
#include "native/native.h"
#include "search/order.h"
#include "search/search.h"

void poll_init(struct search *search, double started, uint32_t states, uint32_t rules)
{
    const uint32_t count = search->model->rules.len;
    search->poll = (struct poll){
        .started = started,
        .last_shown = started,
        .looked = clock_now(),
        .interval = 1,
        .most = count < rules / states ? states : rules / count + 1,
    };
}

bool poll_stop(struct search *search, enum stop_reason reason)
{
    search->result->stop = reason;
    return false;
}

enum stop_reason poll_decided(struct search *search)
{
    struct task *task = search->task;
    const uint32_t undecided = search->findings.undecided;
    if (task->property_count && !undecided) return STOP_DECIDED;
    if (task->stop_at_first
        && result_overall(task->properties, task->property_count) == VERDICT_VIOLATED)
        return STOP_FIRST;
    if (!task->max_states || search->order->states(search) <= task->max_states) return STOP_NONE;
    bool goes_on = task->at_max_states && task->at_max_states(task->max_states_context);
    return goes_on ? STOP_NONE : STOP_STATES;
}

static void show(struct search *search, double time)
{
    struct search_progress progress = {.states = search->order->states(search),
                                       .transitions = search->result->transitions,
                                       .expanded = search->result->expanded,
                                       .depth = search->result->depth,
                                       .bytes = search->model->mem->used,
                                       .seconds = time - search->poll.started,
                                       .phase = search->poll.phase};
    if (search->order->show) search->order->show(search, &progress);
    search->task->progress(search->task->progress_context, &progress);
    search->poll.last_shown = time;
}

bool poll_now(struct search *search)
{
    const struct task *task = search->task;
    struct poll *poll = &search->poll;
    poll->left = poll->interval;
    if (task->interrupted && *task->interrupted) return poll_stop(search, STOP_INTERRUPT);
    double time = clock_now();
    poll->interval = clock_pace(poll->interval, poll->most, time - poll->looked);
    poll->looked = time;
    if (task->max_seconds > 0 && time - poll->started >= task->max_seconds)
        return poll_stop(search, STOP_TIME);
    if (search->native) native_look(search->native, time - poll->started);
    if (task->progress && time - poll->last_shown >= 0.25) show(search, time);
    return true;
}
