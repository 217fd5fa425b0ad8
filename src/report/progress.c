#include "report/progress.h"

#include "base/out.h"
#include "report/machine.h"

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

static void put_range(struct out *json, const char *key, double low, double high)
{
    out_key(json, key);
    out_open_inline(json, '[');
    out_real(json, low);
    out_real(json, high);
    out_close(json, ']');
}

/* Ranges, or why there are none. */
static void put_forecast(struct out *json, const struct forecast *forecast)
{
    out_key(json, "forecast");
    out_open_inline(json, '{');
    if (forecast->is_known) {
        put_range(json, "seconds", forecast->seconds_low, forecast->seconds_high);
        put_range(json, "share", forecast->share_low, forecast->share_high);
        put_range(json, "states", (double)forecast->states_low, (double)forecast->states_high);
    } else {
        out_key(json, "why_not");
        out_string(json, forecast->why_not);
    }
    if (forecast->full_in >= 0) {
        out_key(json, "memory_full_in");
        out_real(json, forecast->full_in);
    }
    out_close(json, '}');
}

static void put_warning(struct out *json, const struct progress *progress)
{
    out_key(json, "warning");
    out_string(json, progress->warning);
    machine_advice(json, progress->advice, progress->advice_count);
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
        const uint64_t found =
            search->states > progress->last_states ? search->states - progress->last_states : 0;
        out_real(&json, elapsed > 0 ? (double)found / elapsed : 0);
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
    if (progress->forecast) put_forecast(&json, progress->forecast);
    if (progress->warning) put_warning(&json, progress);
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
    out_key(&json, "share");
    out_real(&json, jobs->count ? (double)jobs->done / (double)jobs->count : 0);
    out_close(&json, '}');
}
