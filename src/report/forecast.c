#include "report/forecast.h"

#include <assert.h>

/* Rates are taken over these parts of the expansions, and the least favourable one counts. */
static const double parts[] = {0.8, 0.9};
static const double most_rate =
    0.95;                       /* new states per expansion, beyond which no end is in sight */
static const double room = 1.5; /* for the rest, beyond what the rates say */
static const double rank_room = 3;
enum { LEAST_FALL = 2, LEAST_RISE = 2, FEW = 10, LEAST_RANKS = 50, LEAST_SAMPLES = 4 };

/* ---- samples ---- */

static void add_sample(struct forecast *forecast, const struct forecast_sample *sample)
{
    if (forecast->count == FORECAST_SAMPLES) {
        for (uint32_t i = 0; i < FORECAST_SAMPLES / 2; i++)
            forecast->samples[i] = forecast->samples[2 * i];
        forecast->count = FORECAST_SAMPLES / 2;
    }
    forecast->samples[forecast->count++] = *sample;
}

/* The last one with at most so much of what is counted; NULL: none. */
static const struct forecast_sample *find_before(const struct forecast *forecast, double most,
                                                 bool by_rank)
{
    const struct forecast_sample *found = NULL;
    for (uint32_t i = 0; i < forecast->count; i++) {
        const struct forecast_sample *sample = &forecast->samples[i];
        if ((double)(by_rank ? sample->rank : sample->expanded) <= most) found = sample;
    }
    return found;
}

/* A fall to half of the peak, and then a rise to twice the trough that is worth a word. */
static void watch_waiting(struct forecast *forecast, uint64_t waiting)
{
    forecast->fewer = waiting < forecast->waiting ? forecast->fewer + 1 : 0;
    forecast->waiting = waiting;
    if (!forecast->falls) {
        if (waiting > forecast->peak) forecast->peak = waiting;
        forecast->falls = waiting < forecast->peak / LEAST_FALL;
        if (forecast->falls) forecast->trough = waiting;
        return;
    }
    if (waiting < forecast->trough) forecast->trough = waiting;
    if (waiting <= LEAST_RISE * forecast->trough + FEW || waiting <= forecast->peak / 50) return;
    forecast->rose = true;
    forecast->falls = false;
    forecast->peak = waiting;
}

/* ---- the end ---- */

static bool has_none(struct forecast *forecast, const char *why)
{
    forecast->why_not = why;
    return false;
}

/* So much is left, at least and at most, in expansions. */
static void set_range(struct forecast *forecast, const struct forecast_sample *now, double least,
                      double most)
{
    const struct forecast_sample *before =
        find_before(forecast, parts[0] * (double)now->expanded, false);
    double speed = (double)now->expanded / now->seconds, lately = speed;
    assert(least >= 0 && least <= most && now->seconds > 0);
    if (before && now->seconds > before->seconds)
        lately = (double)(now->expanded - before->expanded) / (now->seconds - before->seconds);
    const double fast = speed > lately ? speed : lately, slow = speed + lately - fast;
    const double done = (double)now->expanded;
    forecast->is_known = slow > 0;
    forecast->why_not = forecast->is_known ? NULL : "nothing was expanded lately";
    if (!forecast->is_known) return;
    forecast->states_high = (uint64_t)(done + most);
    forecast->share_low = done / (done + most);
    forecast->share_high = done / (done + least);
    forecast->seconds_low = now->seconds + least / fast;
    forecast->seconds_high = now->seconds + most / slow;
}

static bool look_at_levels(struct forecast *forecast, const struct forecast_sample *now)
{
    double rate = -1;
    if (forecast->rose)
        return has_none(forecast, "the number of states that wait fell and rose again before");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct forecast_sample *before =
            find_before(forecast, parts[i] * (double)now->expanded, false);
        if (!before || before->expanded == now->expanded) continue;
        double found = ((double)now->states - (double)before->states)
                       / (double)(now->expanded - before->expanded);
        if (found > rate) rate = found;
    }
    if (forecast->fewer < LEAST_SAMPLES)
        return has_none(forecast, "the number of states that wait does not fall");
    if (rate < 0) return has_none(forecast, "the search has just begun");
    if (rate >= most_rate)
        return has_none(forecast, "about as many states are found as are expanded");
    const double waiting = (double)(now->states - now->expanded);
    set_range(forecast, now, waiting, room * waiting / (1 - rate));
    return true;
}

/* Clusters grow where scenarios meet again, so that rates change: the range is wide. */
static bool look_at_ranks(struct forecast *forecast, const struct forecast_sample *now,
                          uint64_t ranks)
{
    const double left = (double)(ranks - now->rank),
                 waiting = (double)(now->states - now->expanded);
    if (now->rank < LEAST_RANKS) return has_none(forecast, "few ranks are done");
    double low = (double)now->expanded / (double)now->rank, high = low; /* per rank */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct forecast_sample *before =
            find_before(forecast, parts[i] * (double)now->rank, true);
        if (!before || before->rank == now->rank) continue;
        const double rate =
            (double)(now->expanded - before->expanded) / (double)(now->rank - before->rank);
        if (rate < low) low = rate;
        if (rate > high) high = rate;
    }
    const double least = left * low / rank_room > waiting ? left * low / rank_room : waiting,
                 most = left * high * rank_room;
    set_range(forecast, now, least, most > least ? most : least);
    return true;
}

/* ---- memory ---- */

static void look_at_memory(struct forecast *forecast, const struct search_progress *progress,
                           uint64_t limit)
{
    const double elapsed = progress->seconds - forecast->last_seconds;
    forecast->full_in = -1;
    if (limit && elapsed > 0 && progress->bytes > forecast->last_bytes && progress->bytes < limit)
        forecast->full_in = (double)(limit - progress->bytes) * elapsed
                            / (double)(progress->bytes - forecast->last_bytes);
    forecast->last_bytes = progress->bytes;
    forecast->last_seconds = progress->seconds;
}

void forecast_note(struct forecast *forecast, const struct search_progress *progress,
                   uint64_t memory_limit)
{
    const struct forecast_sample now = {progress->seconds, progress->expanded, progress->states,
                                        progress->rank};
    look_at_memory(forecast, progress, memory_limit);
    forecast->is_known = false;
    forecast->why_not = NULL;
    forecast->states_low = progress->states;
    if (progress->is_bounded || progress->nodes)
        has_none(forecast, "this engine does not know how much is left");
    else if (progress->phase) has_none(forecast, "a property is being decided on the whole graph");
    else if (!progress->by_levels && !progress->ranks)
        has_none(forecast, "in this order it is not known how much is left");
    else if (progress->expanded && progress->expanded <= progress->states
             && progress->seconds > 0) {
        if (!progress->ranks) watch_waiting(forecast, now.states - now.expanded);
        if (progress->ranks) look_at_ranks(forecast, &now, progress->ranks);
        else look_at_levels(forecast, &now);
        add_sample(forecast, &now);
    } else has_none(forecast, "the search has just begun");
    assert(!forecast->is_known == (forecast->why_not != NULL));
}

bool forecast_lacks_memory(const struct forecast *forecast, const struct search_progress *progress,
                           uint64_t memory_limit)
{
    return forecast->full_in >= 0 && progress->bytes > memory_limit / 2
           && (!forecast->is_known
               || forecast->full_in < forecast->seconds_low - progress->seconds);
}

bool forecast_lacks_time(const struct forecast *forecast, double limit)
{
    return limit > 0 && forecast->is_known && forecast->seconds_low > limit;
}
