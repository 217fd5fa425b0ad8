/* Parts are in a work folder (run/parts.h): --freeze, or a temporary one. A part is some of its
 * parent's clusters and nothing else, so the answer does not depend on when, in which order or how
 * often parts are run.
 *
 * What is violated in a part is violated: its run is made by the part itself, through the folders
 * of the parts that it comes from. What holds in all parts holds: every waiting cluster is a part,
 * so together they visit every state.
 *
 * Division. A part that has finished a cluster hands the rest on when memory is full. One that has
 * not is divided: two parts begin with a half of its clusters each, and what it counted does not
 * count. When it began with one cluster, its states are divided, down to single ones: scenarios
 * that end alike meet in one cluster, so that is how they are told apart again. A single state is
 * tried first; when that does not fit, what it leads to is too much, others will not fit either,
 * and no cluster is divided any more.
 *
 * P-paths. With --partition clusters are those of beginnings of p-paths (past/prefix.h): the first
 * part has those that are shorter than --split-depth, and every p-path of that length is a part. A
 * part visits all states on runs whose p-path begins so, from there on, whatever others visit.
 *
 * Limits. A part that meets one (memory before its first cluster is finished, time, Ctrl-C, a full
 * disk) stays in its folder, not done: --resume goes on with it. One that says why it failed does
 * so on its standard output, as the number of a stop reason and a text.
 *
 * Time. A part of a model with clocks may find out that deadlocks need other zones
 * (engine/timed/timed.c). Zones of both kinds do not mix, so everything begins again, as another
 * run: folders of the one are not those of the other. What was found before that stays found.
 *
 * Memory. Parts write files, which takes memory. When parts that were not asked for (--split auto),
 * or those of p-paths, fail for want of it, the search is done once more as if it had not been
 * split; with p-points that is p-path by p-path, on disk where memory is full.
 *
 * What is told when it is cut short (result/furthest.h): the verdicts of all parts, those of
 * earlier zones and of the whole; the counts of the furthest of these searches, in parts the sum
 * over the parts. */
#include "run/split.h"

#include "base/clock.h"
#include "base/version.h"
#include "run/deadline.h"
#include "run/outcome.h"
#include "run/jobs.h"
#include "run/message.h"
#include "engine/explicit/explicit.h"
#include "engine/explicit/recount.h"
#include "engine/timed/repeats.h"
#include "engine/timed/timed.h"
#include "past/part.h"
#include "past/prefix.h"
#include "program/reached.h"
#include "result/furthest.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_GROUPS = 256, MOST_MESSAGES = 3 };

enum part_state { PART_WAITING, PART_RUNNING, PART_DONE, PART_DIVIDED, PART_LIMITED, PART_FAILED };

struct piece { /* one part, in this run */
    enum part_state state;
    bool has_outcome;
    struct outcome outcome;
};

struct division {
    struct session *session;
    struct task *task;
    struct result *result;
    bool timed;               /* the timed engine searches */
    bool begins_again;        /* with other zones */
    struct furthest furthest; /* the parts, those that began again, the whole without parts */
    struct parts parts;
    VEC(struct piece) pieces; /* one for each line of `parts` */
    uint32_t only;            /* this part alone, or NO_PART: all */
    uint32_t next;            /* parts before it have been started */
    uint32_t done, messages;
    uint64_t given,
        used;       /* bytes for the search without parts, and how many were taken before it */
    uint64_t limit; /* for each part */
    bool stopping, is_broken;
    bool single_failed;    /* a part that began with one state did not fit */
    enum stop_reason stop; /* of a failure that is not in an outcome, and ... */
    const char *detail;    /* ... why */
    double started, shown;
};

static bool is_over(const struct outcome *outcome)
{
    return outcome->handed_on || outcome->stop == STOP_NONE || outcome->stop == STOP_DECIDED
           || outcome->stop == STOP_FIRST;
}

/* The folders of the parts that it comes from, the first one first, and what is skipped in each. */
static void find_folders(const struct division *split, uint32_t number, struct search_part *part)
{
    const struct parts_line *lines = split->parts.lines.data;
    struct mem *mem = split->session->mem;
    uint32_t count = 0;
    for (uint32_t at = lines[number].parent; at != NO_PART; at = lines[at].parent) count++;
    const char **folders = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *folders);
    uint64_t *skipped = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *skipped);
    uint32_t i = count;
    for (uint32_t at = number; lines[at].parent != NO_PART; at = lines[at].parent) {
        folders[--i] = parts_name(&split->parts, lines[at].parent, NULL);
        skipped[i] = lines[at].begin;
    }
    part->folders = folders;
    part->folder_count = count;
    part->skipped = skipped;
}

/* ---- failures ---- */

/* Something that ends the search, or a part of it: the first reason is told with the result. A disk
 * that is full for one part is full for all. */
static void fail(struct division *split, enum stop_reason stop, const char *detail)
{
    if (split->stop == STOP_NONE || (split->stop == STOP_MEMORY && stop == STOP_DISK)) {
        split->stop = stop;
        split->detail = detail && *detail
                            ? arena_copy(&split->session->model->arena, detail, strlen(detail))
                            : NULL;
    }
    split->stopping |= stop == STOP_DISK;
}

/* Some messages are enough: one reason can make hundreds of parts fail. */
static bool may_tell(struct division *split)
{
    session_end_progress(split->session);
    return split->messages++ < MOST_MESSAGES;
}

/* ---- a part, in its own process ---- */

static int give_up(enum stop_reason stop, const char *why)
{
    printf("%u %s", (unsigned)stop, why);
    return EXIT_INCONCLUSIVE;
}

static double seconds_left(const struct division *split)
{
    double left = split->session->ask->time - (clock_now() - split->started);
    return left > 1e-9 ? left : 1e-9;
}

static void prepare_part(struct division *split, uint32_t number, struct task *task,
                         struct search_part *part)
{
    const struct ask *ask = split->session->ask;
    const struct parts_line *line = &split->parts.lines.data[number];
    *part = (struct search_part){.rank = line->rank,
                                 .last_rank = line->last_rank,
                                 .begin = line->begin,
                                 .end = line->end,
                                 .hands_on = true};
    find_folders(split, number, part);
    if (ask->split == SPLIT_ALWAYS
        && !part->folder_count) { /* the parts of that are split only when they do not fit */
        part->ends_with_prefixes = prefix_is_used(split->task);
        part->depths = split->session->depths;
        part->depth = ask->split_depth ? (uint32_t)ask->split_depth : 1;
    }
    *task = *split->task;
    task->part = part;
    task->freeze = parts_name(&split->parts, number, NULL);
    task->resume = true;
    task->progress = NULL;
    if (ask->time > 0) task->max_seconds = seconds_left(split);
}

/* Something is wrong with the folder of the part: damage. It is searched from its beginning,
 * then. */
static bool begins_again(struct division *split, uint32_t number, const struct result *result)
{
    if (!result->refused || result->refused_for == STOP_MEMORY) return false;
    parts_clear(&split->parts, number);
    return true;
}

static void run_engine(const struct division *split, struct task *task, struct result *result)
{
    deadline_search(task->max_seconds);
    if (split->timed) timed_run(task, NULL, result);
    else explicit_run(task, NULL, result);
    result_assert(task, result);
    deadline_tell();
}

static int run_part(void *context, uint32_t number)
{
    struct division *split = context;
    struct mem *mem = split->session->mem;
    struct search_part part;
    struct task task;
    struct result result;
    jmp_buf recover;
    mem->recover = &recover;
    if (setjmp(recover)) return give_up(result_why_refused(), "");
    prepare_part(split, number, &task, &part);
    mem_lower(mem, (struct mem_lift){split->limit, false});
    run_engine(split, &task, &result);
    if (begins_again(split, number, &result)) run_engine(split, &task, &result);
    mem_lift(mem);
    if (result.broken) {
        message(&split->session->diag, DIAG_BUG, NULL, "part %u: %s (cairn %s, %s)", number,
                result.broken, CAIRN_VERSION, split->session->model->file);
        return EXIT_INTERNAL;
    }
    if (result.refused)
        return result.refused_for == STOP_MEMORY ? give_up(STOP_MEMORY, "")
                                                 : give_up(STOP_DISK, result.refused);
    const char *why = outcome_write(&split->parts, number, &task, &result);
    if (result.stop == STOP_EXACT) return give_up(STOP_EXACT, "");
    return why ? give_up(STOP_DISK, why) : EXIT_HOLDS;
}

/* ---- outcomes ---- */

static bool take_outcome(struct division *split, uint32_t number)
{
    struct piece *piece = &split->pieces.data[number];
    piece->has_outcome =
        outcome_read(&split->parts, number, split->task, split->result, &piece->outcome);
    return piece->has_outcome;
}

/* New parts have nothing yet. */
static void match_pieces(struct division *split)
{
    while (split->pieces.len < split->parts.lines.len)
        vec_push(split->session->mem, &split->pieces, (struct piece){0});
    split->pieces.len = split->parts.lines.len;
    assert(split->pieces.len > 0); /* the first part is always there */
}

/* Makes parts, at most `groups` and of about the same number of states, of the clusters from number
 * `from` to before `to` that `parent` has left. */
static bool add_groups(struct division *split, uint32_t parent, uint32_t from, uint32_t to,
                       uint32_t groups)
{
    const struct cluster_size *rest = split->pieces.data[parent].outcome.rest.data;
    uint64_t total = 0, sum = 0;
    bool good = true;
    assert(from <= to && to <= split->pieces.data[parent].outcome.rest.len);
    if (groups > to - from) groups = to - from;
    for (uint32_t i = from; i < to; i++) total += rest[i].states;
    for (uint32_t group = 1; good && from < to; group++) {
        uint32_t end = from;
        do sum += rest[end++].states;
        while (end < to
               && (group == groups || (to - end > groups - group && sum * groups < total * group)));
        good = parts_add(&split->parts,
                         (struct parts_line){.parent = parent,
                                             .rank = (uint64_t)rest[from].rank,
                                             .last_rank = (uint64_t)rest[end - 1].rank});
        from = end;
    }
    match_pieces(split);
    return good;
}

/* The clusters that this one leaves become parts: few, because clusters of neighbouring ranks have
 * much of their future in common, and parts visit that each for itself. With --split always the
 * first part is split as it was asked for, a part for each cluster: of ranks there may be very
 * many, p-paths are as many as the user wants. */
static bool add_rest(struct division *split, uint32_t number)
{
    const struct ask *ask = split->session->ask;
    bool as_asked = ask->split == SPLIT_ALWAYS && split->parts.lines.data[number].parent == NO_PART;
    return add_groups(split, number, 0, split->pieces.data[number].outcome.rest.len,
                      as_asked           ? prefix_is_used(split->task) ? UINT32_MAX : MOST_GROUPS
                      : ask->threads > 2 ? (uint32_t)ask->threads
                                         : 2);
}

/* Which clusters of its parent's rest it begins with. */
static uint32_t find_clusters(const struct division *split, uint32_t number, uint32_t *from)
{
    const struct parts_line *line = &split->parts.lines.data[number];
    const struct outcome *outcome = &split->pieces.data[line->parent].outcome;
    uint32_t count = 0;
    for (uint32_t i = 0; i < outcome->rest.len; i++) {
        uint64_t rank = (uint64_t)outcome->rest.data[i].rank;
        if (rank < line->rank || rank > line->last_rank) continue;
        if (!count++) *from = i;
    }
    return count;
}

/* How many states of its cluster, when that is one, lead to all that it will visit: what was found
 * by searching that cluster need not be there. */
static uint64_t states_at_first(const struct division *split, uint32_t number)
{
    const struct parts_line *line = &split->parts.lines.data[number];
    uint32_t from = 0;
    if (line->end) return line->end - line->begin;
    return find_clusters(split, number, &from) == 1
               ? split->pieces.data[line->parent].outcome.rest.data[from].entries
               : 0;
}

/* Whether it could not finish even its first cluster, and could with less. */
static bool can_be_divided(const struct division *split, uint32_t number)
{
    const struct outcome *outcome = &split->pieces.data[number].outcome;
    uint32_t from;
    if (outcome->stop != STOP_MEMORY || outcome->handed_on || !outcome->states
        || split->parts.lines.data[number].parent == NO_PART)
        return false;
    return find_clusters(split, number, &from) > 1
           || (states_at_first(split, number) > 1 && !split->single_failed);
}

/* The states of a single cluster, in halves; the first time one of them apart. */
static bool divide_states(struct division *split, uint32_t number)
{
    struct parts_line line = split->parts.lines.data[number], part = {.parent = line.parent,
                                                                      .rank = line.rank,
                                                                      .last_rank = line.last_rank};
    uint64_t begin = line.begin, end = begin + states_at_first(split, number),
             middle = begin + (end - begin) / 2;
    const uint64_t bounds[] = {begin, line.end ? middle : begin + 1, line.end ? end : middle, end};
    bool good = true;
    for (unsigned i = 0; good && i < 3; i++) {
        if (bounds[i] >= bounds[i + 1]) continue;
        part.begin = bounds[i];
        part.end = bounds[i + 1];
        good = parts_add(&split->parts, part);
    }
    match_pieces(split);
    return good;
}

static bool divide(struct division *split, uint32_t number)
{
    uint32_t from = 0, count = find_clusters(split, number, &from);
    return count > 1
               ? add_groups(split, split->parts.lines.data[number].parent, from, from + count, 2)
               : divide_states(split, number);
}

/* Whether nothing is left to find out: violations, and states that EF asks for. */
static bool is_decided(const struct division *split)
{
    bool asked = false, all = true;
    for (uint32_t i = 0; i < split->task->property_count; i++) {
        const struct property_result *entry = &split->task->properties[i];
        if (entry->watched_only) continue;
        asked = true;
        all &= entry->verdict != VERDICT_UNKNOWN;
        if (entry->verdict == VERDICT_VIOLATED && split->task->stop_at_first) return true;
    }
    return asked && all;
}

/* Everything asked is decided by a violation; otherwise it stops at the first one. */
static enum stop_reason stop_when_decided(const struct division *split)
{
    for (uint32_t i = 0; i < split->task->property_count; i++)
        if (split->task->properties[i].verdict == VERDICT_UNKNOWN
            && !split->task->properties[i].watched_only)
            return STOP_FIRST;
    return STOP_DECIDED;
}

/* ---- what an earlier run has done ---- */

/* Of the folders of parts. */
static struct freezer_identity identity_of(const struct division *split)
{
    struct layout layout;
    if (split->timed) return timed_identity(split->task);
    layout_init(&layout, split->session->model);
    struct freezer_identity identity = {{split->task->freeze_hash[0], split->task->freeze_hash[1]},
                                        layout.record_bytes};
    layout_release(&layout, split->session->model);
    return identity;
}

/* A part that the journal calls done and that has not left all that others need; NO_PART: there is
 * none. */
static uint32_t find_damaged(struct division *split)
{
    struct freezer_identity identity = identity_of(split);
    const struct parts_line *lines = split->parts.lines.data;
    for (uint32_t i = 0; i < split->parts.lines.len; i++)
        if (lines[i].is_done && !split->pieces.data[i].has_outcome && !take_outcome(split, i))
            return i;
    for (uint32_t i = 1; i < split->parts.lines.len; i++) {
        uint32_t parent = lines[i].parent;
        const struct outcome *outcome = &split->pieces.data[parent].outcome;
        bool known = i > 1 && lines[i - 1].parent == parent
                     && !lines[i - 1].is_done; /* it was looked at for the part before */
        if (lines[i].is_done || known) continue;
        if (!part_rest_is_whole(split->session->mem, parts_name(&split->parts, parent, NULL),
                                &identity, outcome->rest.data, outcome->rest.len))
            return parent;
    }
    return NO_PART;
}

static bool take_over(struct division *split)
{
    uint32_t damaged;
    match_pieces(split);
    while ((damaged = find_damaged(split)) != NO_PART) {
        message(&split->session->diag, DIAG_NOTE, NULL,
                "what part %u has left in '%.200s' is damaged: it is searched again", damaged,
                split->parts.folder);
        if (!parts_distrust(&split->parts, damaged)) return false;
        match_pieces(split);
        for (uint32_t i = 0; i < split->pieces.len; i++)
            split->pieces.data[i].has_outcome &= split->parts.lines.data[i].is_done;
    }
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        if (!split->parts.lines.data[i].is_done) continue;
        split->pieces.data[i].state =
            is_over(&split->pieces.data[i].outcome) ? PART_DONE : PART_DIVIDED;
        split->done++;
    }
    split->stopping = is_decided(split);
    return true;
}

/* ---- all parts ---- */

static bool next_part(void *context, uint32_t *job)
{
    struct division *split = context;
    if (split->stopping || split->is_broken) return false;
    for (; split->next < split->pieces.len; split->next++) {
        if (split->pieces.data[split->next].state != PART_WAITING
            || (split->only != NO_PART && split->next != split->only))
            continue;
        *job = split->next++;
        split->pieces.data[*job].state = PART_RUNNING;
        return true;
    }
    return false;
}

/* A part that left no outcome. */
static void part_failed(struct division *split, uint32_t number, const struct text *output,
                        int status)
{
    char *why = "";
    unsigned long stop =
        status == EXIT_INCONCLUSIVE && output->len ? strtoul(output->data, &why, 10) : STOP_COUNT;
    if (status > DEADLINE_STATUS) {
        fail(split, (enum stop_reason)(status - DEADLINE_STATUS), NULL);
    } else if (status == EXIT_INCONCLUSIVE && stop == STOP_EXACT) {
        take_outcome(split, number); /* what it found before that */
        fail(split, STOP_EXACT, NULL);
        split->begins_again = split->stopping = true;
    } else if (status == -SIGKILL) {
        if (may_tell(split))
            message(&split->session->diag, DIAG_REMARK, NULL,
                    "part %u was killed, perhaps for want of memory", number);
        fail(split, STOP_MEMORY, NULL);
    } else if (status == EXIT_INCONCLUSIVE && stop < STOP_COUNT) {
        why += *why == ' ';
        if (*why && may_tell(split))
            message(&split->session->diag, DIAG_REMARK, NULL, "part %u: %s", number, why);
        fail(split, (enum stop_reason)stop, why);
    } else if (status == EXIT_HOLDS) {
        fail(split, STOP_DISK, "what a part has written cannot be read");
    } else {
        if (status < 0)
            message(&split->session->diag, DIAG_BUG, NULL, "part %u was ended by signal %d", number,
                    -status);
        split->is_broken = true;
    }
}

/* Parts are written to the journal before the one that leaves them is done, so that none is
 * lost. */
static void part_done(void *context, uint32_t number, const struct text *output,
                      const struct text *errors, int status)
{
    struct division *split = context;
    (void)errors;
    struct piece *piece = &split->pieces.data[number];
    assert(piece->state == PART_RUNNING);
    piece->state = PART_FAILED;
    if (status != EXIT_HOLDS || !take_outcome(split, number)) {
        part_failed(split, number, output, status);
        return;
    }
    const struct outcome *outcome = &piece->outcome;
    bool divided = can_be_divided(split, number);
    if (!divided && !is_over(outcome)) {
        piece->state = PART_LIMITED;
        split->single_failed |= outcome->stop == STOP_MEMORY
                                && split->parts.lines.data[number].parent != NO_PART
                                && states_at_first(split, number) == 1;
        if (outcome->detail && may_tell(split))
            message(&split->session->diag, DIAG_REMARK, NULL, "part %u: %s", number,
                    outcome->detail);
        fail(split, outcome->stop, outcome->detail);
        return;
    }
    if ((outcome->handed_on && !add_rest(split, number)) || (divided && !divide(split, number))
        || !parts_done(&split->parts, number)) {
        fail(split, STOP_DISK, split->parts.error);
        return;
    }
    split->pieces.data[number].state = divided ? PART_DIVIDED : PART_DONE;
    split->done++;
    split->stopping |= is_decided(split);
}

static void look(void *context, uint32_t running)
{
    struct division *split = context;
    const struct ask *ask = split->session->ask;
    const struct door *door = split->session->door;
    double now = clock_now();
    if (ask->time > 0 && now - split->started > ask->time) split->stopping = true;
    if (!door->show_jobs || now - split->shown < 0.5) return;
    split->shown = now;
    door->show_jobs(door->context, &(struct door_jobs){.done = split->done,
                                                       .count = split->pieces.len,
                                                       .running = running,
                                                       .seconds = now - split->started});
}

/* ---- the result ---- */

/* What was counted in a part that was divided is counted in others. */
static bool counts(const struct piece *piece)
{
    return piece->has_outcome && piece->state != PART_DIVIDED;
}

/* The p-paths of a part, the first and the last one; NULL: it is one by ranks. */
static const char *name_paths(const struct division *split, const struct parts_line *line)
{
    struct model *model = split->session->model;
    struct text text;
    if (!prefix_is_used(split->task)) return NULL;
    text_init(&text, split->session->mem);
    prefix_write(split->task, line->rank, &text);
    if (line->last_rank != line->rank) text_add(&text, " to ");
    if (line->last_rank != line->rank) prefix_write(split->task, line->last_rank, &text);
    const char *name = arena_copy(&model->arena, text.data, text.len);
    text_free(&text);
    return name;
}

static void list_parts(const struct division *split, struct split_statistics *statistics)
{
    static const char *const words[] = {
        [PART_WAITING] = "waiting", [PART_RUNNING] = "waiting", [PART_DONE] = "done",
        [PART_DIVIDED] = "divided", [PART_LIMITED] = "limited", [PART_FAILED] = "failed"};
    const int64_t lowest = prefix_lowest(split->task);
    statistics->points = prefix_is_used(split->task) ? split->task->points : NULL;
    statistics->chosen = split->task->points_chosen;
    statistics->list_count = split->pieces.len;
    statistics->list = mem_alloc(split->session->mem,
                                 (split->pieces.len + UINT64_C(1)) * sizeof *statistics->list);
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct piece *piece = &split->pieces.data[i];
        const struct parts_line *line = &split->parts.lines.data[i];
        statistics->list[i] = (struct split_part){
            .parent = line->parent == NO_PART ? MODEL_NONE : line->parent,
            .rank = lowest + (int64_t)line->rank,
            .last_rank = lowest + (int64_t)line->last_rank,
            .p_path = name_paths(split, line),
            .begin = line->begin,
            .end = line->end,
            .state = piece->outcome.handed_on && piece->state == PART_DONE ? "split"
                                                                           : words[piece->state],
            .is_known = counts(piece),
            .states = piece->outcome.states,
            .transitions = piece->outcome.transitions,
            .seconds = piece->outcome.seconds};
    }
}

static void add_counts(struct division *split, struct split_statistics *statistics)
{
    struct result *result = split->result;
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct outcome *outcome = &split->pieces.data[i].outcome;
        if (split->pieces.data[i].state == PART_DIVIDED) statistics->divided++;
        if (!counts(&split->pieces.data[i])) continue;
        result->states += outcome->states;
        result->transitions += outcome->transitions;
        result->deadlocks += outcome->deadlocks;
        result->ends += outcome->ends;
        result->runtime_errors += outcome->runtime_errors;
        result->expanded += outcome->expanded;
        if (!i) result->initial_states = outcome->initial_states;
        if (outcome->peak_bytes > result->peak_bytes) result->peak_bytes = outcome->peak_bytes;
        statistics->parts++;
        statistics->split += outcome->handed_on;
        statistics->frozen_bytes += outcome->frozen_bytes;
        if (outcome->live_peak > statistics->live_peak) statistics->live_peak = outcome->live_peak;
    }
    statistics->waiting = split->pieces.len - statistics->parts - statistics->divided;
    statistics->gross_states = result->states;
    statistics->gross_transitions = result->transitions;
}

/* A refusal outside of the search for them must not end everything. */
static bool find_repeated(struct division *split, const char *const *folders,
                          const uint64_t *states, uint32_t count, struct net_counts *repeated,
                          struct split_statistics *statistics)
{
    struct mem *mem = split->session->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) {
        statistics->is_net = false;
        statistics->why_gross =
            limits_enough() ? stop_reason_text[result_why_refused()] : "there is too little memory";
    } else {
        mem->recover = &recover;
        deadline_search(split->session->ask->time);
        mem_lower(mem, (struct mem_lift){split->limit, false});
        statistics->is_net = (split->timed ? repeats_find : recount_find)(
            split->task, folders, states, count, repeated, &statistics->why_gross);
    }
    mem->recover = outer;
    mem_lift(mem);
    deadline_tell();
    return statistics->is_net;
}

/* What several parts have counted counts once. Of a search that is not complete counts say little,
 * and stay as they are. */
static void make_net(struct division *split, struct split_statistics *statistics)
{
    struct result *result = split->result;
    struct net_counts repeated;
    uint32_t count = 0;
    statistics->why_gross = "the search is not complete";
    if (result->stop != STOP_NONE) return;
    const char **folders =
        mem_alloc(split->session->mem, (split->pieces.len + UINT64_C(1)) * sizeof *folders);
    uint64_t *states =
        mem_alloc(split->session->mem, (split->pieces.len + UINT64_C(1)) * sizeof *states);
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        if (!counts(&split->pieces.data[i]) || !split->pieces.data[i].outcome.states) continue;
        folders[count] = parts_name(&split->parts, i, NULL);
        states[count++] = split->pieces.data[i].outcome.states;
    }
    if (!find_repeated(split, folders, states, count, &repeated, statistics)) return;
    if (split->timed) result->timed->discrete_states -= repeated.discrete;
    if (split->timed && split->task->zones != ZONES_EQUAL && repeated.discrete) {
        statistics->is_net = false;
        statistics->why_gross = "zones stand for others, so that symbolic states depend on "
                                "where the search was split (discrete states are net)";
        return;
    }
    assert(repeated.states <= result->states && repeated.transitions <= result->transitions);
    result->states -= repeated.states;
    result->transitions -= repeated.transitions;
    result->deadlocks -= repeated.deadlocks;
    result->ends -= repeated.ends;
    result->runtime_errors -= repeated.runtime_errors;
    result->expanded -= repeated.states;
    if (split->timed && split->task->zones == ZONES_EQUAL)
        result->timed->covered = result->transitions + result->initial_states - result->states;
}

/* Sums over parts, or the most in one of them. */
static void add_timed(struct division *split)
{
    struct timed_statistics *all = split->result->timed =
        mem_alloc(split->session->mem, sizeof *all);
    *all =
        (struct timed_statistics){.storage = split->task->zones, .exact = split->task->exact_zones};
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct timed_statistics *one = &split->pieces.data[i].outcome.timed;
        if (!counts(&split->pieces.data[i])) continue;
        all->discrete_states += one->discrete_states;
        all->zones += one->zones;
        all->zone_bytes += one->zone_bytes;
        all->covered += one->covered;
        all->given_up += one->given_up;
        all->timers = one->timers;
        all->clocks = one->clocks;
        if (one->storage > all->storage) all->storage = one->storage; /* what keeps more */
        if (one->configurations > all->configurations) all->configurations = one->configurations;
        if (one->space_bytes > all->space_bytes) all->space_bytes = one->space_bytes;
        if (one->largest > all->largest) all->largest = one->largest;
    }
}

/* Why it ended before everything was searched. */
static enum stop_reason stop_of(const struct division *split)
{
    const struct ask *ask = split->session->ask;
    bool all = true;
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct piece *piece = &split->pieces.data[i];
        all &= piece->state == PART_DIVIDED
               || (piece->state == PART_DONE
                   && (piece->outcome.handed_on || piece->outcome.stop == STOP_NONE));
    }
    if (all) return STOP_NONE;
    if (is_decided(split)) return stop_when_decided(split);
    if (split->stop != STOP_NONE) return split->stop;
    if (limits_interrupted) return STOP_INTERRUPT;
    return ask->time > 0 && clock_now() - split->started > ask->time ? STOP_TIME : STOP_PARTS;
}

static void conclude_properties(const struct division *split)
{
    const struct result *result = split->result;
    for (uint32_t i = 0; i < split->task->property_count; i++) {
        struct property_result *entry = &split->task->properties[i];
        if (entry->verdict != VERDICT_UNKNOWN || entry->reason) continue;
        if (entry->is_reachability && result->complete) entry->verdict = VERDICT_VIOLATED;
        else if (entry->is_reachability) entry->reason = stop_reason_text[result->stop];
        else if (!entry->in_each_state && !(split->timed && timed_sees(split->task, entry)))
            entry->reason = split->timed && entry->kind == PROPERTY_CTL ? timed_reachability_only
                            : prefix_is_used(split->task)
                                ? "it needs the whole graph: leave out --partition"
                                : "it needs the whole graph: --order bfs";
        else if (result->complete) entry->verdict = VERDICT_HOLDS;
        else entry->reason = stop_reason_text[result->stop];
        entry->antecedent_never = result->complete && !entry->antecedent_met;
    }
}

static void conclude(struct division *split)
{
    struct result *result = split->result;
    struct layout layout;
    struct split_statistics *statistics = mem_alloc(split->session->mem, sizeof *statistics);
    result->engine = split->timed ? "timed" : "explicit";
    if (split->timed && split->session->ask->engine == ENGINE_AUTO)
        result->why_engine = "the model has time";
    result->parts = statistics;
    result->stop = stop_of(split);
    if (result->stop == split->stop) result->stop_detail = split->detail;
    result->complete = result->all_states = result->stop == STOP_NONE;
    add_counts(split, statistics);
    list_parts(split, statistics);
    if (split->timed) {
        result->no_deadlocks = split->session->model->clocks.len && !split->task->count_deadlocks;
        for (uint32_t i = 0; i < split->task->property_count; i++)
            result->no_deadlocks &= split->task->properties[i].kind != PROPERTY_DEADLOCK;
        add_timed(split);
    }
    make_net(split, statistics);
    layout_init(&layout, split->session->model);
    result->record_bytes = layout.record_bytes;
    result->state_bits = layout.state_bits;
    layout_release(&layout, split->session->model);
    result->seconds = clock_now() - split->started;
    if (split->messages > MOST_MESSAGES)
        message(&split->session->diag, DIAG_REMARK, NULL, "... and so did %u more parts",
                split->messages - MOST_MESSAGES);
    conclude_properties(split);
}

static void clear_result(struct division *split)
{
    struct session *session = split->session;
    struct result *result = split->result;
    memset(result, 0, sizeof *result);
    result->taken =
        mem_alloc(session->mem, (session->model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    mem_free(session->mem, reached_begin(session->model, result));
}

static void end_search(struct division *split)
{
    conclude(split);
    furthest_add(&split->furthest, split->result);
}

/* ---- the whole ---- */

/* What was known of the parts, after the last one of them. */
static void free_pieces(struct division *split)
{
    struct mem *mem = split->session->mem;
    for (uint32_t i = 0; i < split->pieces.len; i++)
        vec_free(mem, &split->pieces.data[i].outcome.rest);
    vec_free(mem, &split->pieces);
}

/* Parts need memory for their files, so that a search that just fits in memory may not fit in
 * parts: a cluster that is too large for a part, or a part of many at the same time. Without parts
 * it gets as much as if they had not been asked for: what is kept of them does not count. */
static void search_whole(void *context)
{
    struct division *split = context;
    struct mem *mem = split->session->mem;
    struct task task = *split->task;
    free_pieces(split);
    task.freeze = NULL;
    task.resume = false;
    task.prefixes = 0;
    if (task.max_seconds > 0) task.max_seconds = seconds_left(split);
    mem_lower(mem, (struct mem_lift){split->given + (mem->used - split->used), false});
    run_engine(split, &task, split->result);
    mem_lift(mem);
    split->result->seconds = clock_now() - split->started;
    if (split->timed && split->session->ask->engine == ENGINE_AUTO)
        split->result->why_engine = "the model has time";
    furthest_add(&split->furthest, split->result);
}

/* When parts were to be made only if they are needed, and memory left something open. */
static bool may_search_whole(const struct division *split)
{
    const struct ask *ask = split->session->ask;
    bool has_time = !(ask->time > 0) || seconds_left(split) > 1e-9;
    bool open = !split->task->property_count || !furthest_is_decided(&split->furthest);
    for (uint32_t i = 0; i < split->task->property_count; i++)
        open &=
            !(split->task->stop_at_first && split->furthest.known[i].verdict == VERDICT_VIOLATED);
    return (ask->split == SPLIT_AUTO || prefix_is_used(split->task)) && split->only == NO_PART
           && split->furthest.stop == STOP_MEMORY && open && has_time && !limits_interrupted;
}

/* An earlier run may have begun again already. */
static void choose_zones(struct division *split, bool resume)
{
    const char *folder = split->session->ask->freeze;
    if (!split->timed || !resume || !folder) return;
    split->task->exact_zones = true;
    split->task->exact_zones = parts_are_of(folder, identity_of(split).hash);
}

/* Everything from the beginning. With --part the first one is next. */
static bool begin_again(struct division *split)
{
    struct task *task = split->task;
    task->exact_zones = true;
    if (!parts_begin_again(&split->parts, identity_of(split).hash)) {
        fail(split, STOP_DISK, split->parts.error);
        return false;
    }
    clear_result(split);
    split->pieces.len = 0;
    match_pieces(split);
    split->done = split->next = split->messages = 0;
    split->stop = STOP_NONE;
    split->stopping = split->begins_again = false;
    if (split->only != NO_PART && split->only) {
        message(&split->session->diag, DIAG_NOTE, NULL,
                "part %u found that deadlocks need zones of another kind: all parts "
                "begin again, with part 0",
                split->only);
        split->only = 0;
    }
    return true;
}

/* Exit status 0: there is a result. */
static int search(struct division *split)
{
    struct session *session = split->session;
    const struct ask *ask = session->ask;
    bool resume = ask->resume || split->only != NO_PART;
    choose_zones(split, resume);
    bool opened = parts_open(&split->parts, session->mem, ask->freeze, identity_of(split).hash,
                             resume, split->only != NO_PART && split->only);
    if (!opened || !take_over(split)) {
        message(&split->session->diag, DIAG_ERROR, NULL, "%s", split->parts.error);
        return EXIT_USAGE;
    }
    if (split->only != NO_PART && split->only >= split->pieces.len) {
        message(&split->session->diag, DIAG_ERROR, NULL,
                "there is no part %u in the folder '%.200s': parts are 0 to %u", split->only,
                ask->freeze, split->pieces.len - 1);
        return EXIT_USAGE;
    }
    const struct jobs jobs = {.mem = session->mem,
                              .at_once = ask->threads > 1 ? (uint32_t)ask->threads : 1,
                              .next = next_part,
                              .run = run_part,
                              .done = part_done,
                              .look = look,
                              .context = split,
                              .interrupted = split->task->interrupted};
    bool good = jobs_run(&jobs);
    if (good && split->begins_again && !is_decided(split) && !limits_interrupted) {
        end_search(split);
        if (begin_again(split)) good = jobs_run(&jobs);
    }
    if (!good) fail(split, STOP_MEMORY, "a process could not be made");
    session_end_progress(session);
    if (split->is_broken) return EXIT_INTERNAL;
    end_search(split);
    if (may_search_whole(split)) furthest_run(&split->furthest, search_whole, split);
    furthest_end(&split->furthest, split->result);
    return EXIT_HOLDS;
}

bool split_run(struct session *session, struct task *task, bool timed, struct result *result,
               int *status)
{
    const struct ask *ask = session->ask;
    struct mem *mem = session->mem;
    const uint64_t used = mem->used;
    struct division *split = mem_alloc(mem, sizeof *split);
    uint64_t given = mem->limit ? mem->limit : mem_available() / 5 * 4;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    *split = (struct division){.session = session,
                               .task = task,
                               .result = result,
                               .timed = timed,
                               .only = ask->has_part ? (uint32_t)ask->part : NO_PART,
                               .started = clock_now(),
                               .parts.journal = -1};
    if (timed) timed_classify(task);
    furthest_begin(&split->furthest, task);
    clear_result(split);
    split->given = given;
    split->used = used;
    split->limit = given / (ask->threads > 1 ? ask->threads : 1);
    mem_lift(mem);
    deadline_wait();
    if (setjmp(recover)) {
        mem->recover = outer;
        parts_close(&split->parts);
        mem_refuse(mem);
    }
    mem->recover = &recover;
    *status = search(split);
    mem->recover = outer;
    parts_close(&split->parts);
    return *status == EXIT_HOLDS;
}
