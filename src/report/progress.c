#include "report/progress.h"

#include "base/out.h"

static void put_count(struct out *json, const char *key, uint64_t count)
{
    out_key(json, key);
    out_uint(json, count);
}

static void begin_line(struct out *json, FILE *out, const char *what, double seconds)
{
    out_init(json, out);
    out_open_inline(json, '{');
    out_key(json, "progress");
    out_string(json, what);
    out_key(json, "seconds");
    out_real(json, seconds);
}

void progress_search(struct progress *progress, const struct search_progress *search)
{
    struct out json;
    begin_line(&json, progress->out, "search", search->seconds);
    out_key(&json, "phase");
    out_string(&json, search->phase ? search->phase : "searching");
    if (search->nodes) put_count(&json, "nodes", search->nodes);
    else if (!search->is_bounded) {
        double elapsed = search->seconds - progress->last_seconds;
        put_count(&json, "states", search->states);
        put_count(&json, "transitions", search->transitions);
        put_count(&json, "waiting", search->states - search->expanded);
        out_key(&json, "states_per_second");
        out_real(&json,
                 elapsed > 0 ? (double)(search->states - progress->last_states) / elapsed : 0);
    }
    put_count(&json, "depth", search->depth);
    if (search->ranks) {
        put_count(&json, "rank", search->rank);
        put_count(&json, "ranks", search->ranks);
        out_key(&json, "share");
        out_real(&json, (double)search->rank / (double)search->ranks);
    }
    put_count(&json, "memory_bytes", search->bytes);
    if (progress->memory_limit) put_count(&json, "memory_limit_bytes", progress->memory_limit);
    out_close(&json, '}');
    progress->last_seconds = search->seconds;
    progress->last_states = search->states;
}

void progress_jobs(struct progress *progress, const struct door_jobs *jobs)
{
    struct out json;
    begin_line(&json, progress->out, "jobs", jobs->seconds);
    out_key(&json, "what");
    out_string(&json, jobs->word ? jobs->word : "part");
    put_count(&json, "done", jobs->done);
    put_count(&json, "count", jobs->count);
    put_count(&json, "running", jobs->running);
    out_close(&json, '}');
}
