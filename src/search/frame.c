#include "search/frame.h"

#include "base/clock.h"
#include "native/native.h"
#include "search/scouts.h"
#include "search/team.h"

#include <assert.h>

#ifdef CAIRN_DEGENERATE
enum { LEAST_SHARE = 1 << 14, MOST_SHARE = 1 << 15, SLOW_TIMES = 4 };
#else
/* bytes of a worker of a team; so many times that where a space is slow, and its states large */
enum { LEAST_SHARE = 1 << 14, MOST_SHARE = 1 << 22, SLOW_TIMES = 4 };
#endif
enum { LOT_STATES = 64, LOT_STEPS = 64, TEAM_PART = 16 };

struct search *frame_begin(struct task *task, struct space *space, const struct order *order,
                           const struct search_graph *graph, struct result *result, double started,
                           struct frame_pace pace)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct search *search = mem_alloc(mem, sizeof *search);
    search->task = task;
    search->model = model;
    search->result = result;
    search->space = space;
    search->order = order;
    search->graph = graph;
    assert(order->run && order->log && order->violated && order->states);
    search->is_first_pass = search->is_last_pass = true;
    search->lot = space->kind->is_slow
                      ? (struct lot){.most_states = 1, .most_steps = UINT32_MAX}
                      : (struct lot){.most_states = LOT_STATES, .most_steps = LOT_STEPS};
    search->lot.last = SET_NONE;
    result->engine = space->kind->engine;
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    findings_init(&search->findings, task);
    poll_init(search, started, pace.states, pace.rules);
    return search;
}

/* What each worker of a team may use: together at most a part of the memory that is left. */
static uint64_t share_of(const struct search *search, uint32_t threads)
{
    const struct mem *mem = search->model->mem;
    const uint64_t left = mem->limit > mem->used ? mem->limit - mem->used : 0,
                   times = search->space->kind->is_slow ? SLOW_TIMES : 1,
                   least = LEAST_SHARE * times, most = MOST_SHARE * times,
                   share = mem->limit ? left / TEAM_PART / threads : most;
    return share < least ? least : share > most ? most : share;
}

/* With a team, if there is more than one thread. */
static void run(struct search *search, uint32_t threads)
{
    struct mem *mem = search->model->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    search->threads = threads;
    if (threads > 1 && !(search->order->has_scouts && scouts_can(search)))
        search->team = team_start(search, threads, share_of(search, threads));
    if (search->team) search->result->threads = team_count(search->team);
    if (setjmp(recover)) { /* a counterexample was refused memory: nobody may be left at work */
        mem->recover = outer;
        if (search->team) team_stop(search->team);
        native_end(search->native); /* nor a compiler */
        if (search->order->abandon) search->order->abandon(search);
        mem_refuse(mem);
    }
    mem->recover = &recover;
    search->order->run(search);
    mem->recover = outer;
    if (search->team) team_stop(search->team);
    search->team = NULL;
}

void frame_run(struct search *search, uint32_t threads)
{
    struct mem *mem = search->model->mem;
    search->worker = mem_alloc(mem, sizeof *search->worker);
    if (!worker_open(search->worker, search->space, mem, true)) mem_refuse(mem);
    search->worker->lists_known = search->graph || search->order->lists_known;
    if (search->order->merges && search->space->kind->sets->parts && !search->worker->lists_known) {
        recent_init(&search->recent, mem, search->space->layout.key_bytes, UINT64_MAX);
        search->worker->recent = &search->recent;
    }
    bool ready = search->order->begin(search) && search->result->stop == STOP_NONE;
    if (!ready && search->result->stop == STOP_NONE)
        poll_stop(search, search->result->refused ? STOP_DISK : STOP_MEMORY);
    if (!ready) return;
    const struct task *task = search->task;
    const double until = task->max_seconds > 0 ? search->poll.started + task->max_seconds : 0;
    search->native =
        native_begin(&search->space->program, task->native, mem, task->interrupted, until);
    run(search, search->graph ? 1 : threads);
}

void frame_end(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct result *result = search->result;
    result->record_bytes = search->space->layout.record_bytes;
    result->state_bits = search->space->layout.state_bits;
    if (search->own && search->order->conclude) search->order->conclude(search);
    result->complete = result->stop == STOP_NONE;
    findings_conclude(search);
    if (search->own) search->order->end(search);
    if (search->worker->recent) recent_release(search->worker->recent);
    worker_close(search->worker);
    if (search->native) result->native = native_tell(search->native, mem);
    native_end(search->native);
    mem_free(mem, search->worker);
    findings_release(&search->findings, mem);
    mem_free(mem, search);
}
