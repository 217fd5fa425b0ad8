/* Parts are in a work folder (run/parts.h): --freeze, or a temporary one. A part is some of its
 * parent's clusters and nothing else, so the answer does not depend on when, in which order, by
 * whom or how often parts are run. Several runs may share the folder: each claims parts until none
 * is left, makes known what it found, and sees what the others have. What is put together at the
 * end is in the folder alone, whoever did it.
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
#include "run/attempt.h"
#include "run/deadline.h"
#include "run/division.h"
#include "run/jobs.h"
#include "run/message.h"
#include "run/work.h"
#include "engine/explicit/explicit.h"
#include "engine/timed/timed.h"
#include "past/part.h"
#include "past/prefix.h"
#include "program/reached.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_GROUPS = 256 };
enum { WAIT_NANOSECONDS = 100000000 };
static const double LOOK_SECONDS = 0.5; /* between two looks at what others do */

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
        folders[--i] = parts_kept(&split->parts, lines[at].parent, NULL);
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
    return split->messages++ < DIVISION_MESSAGES;
}

/* ---- a part, in its own process ---- */

/* The first line of what it prints is the name of the attempt. */
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

static void prepare_part(struct division *split, uint32_t number, const char *attempt,
                         struct task *task, struct search_part *part)
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
    task->freeze = parts_name(&split->parts, number, attempt);
    task->resume = true;
    task->progress = NULL;
    if (ask->time > 0) task->max_seconds = seconds_left(split);
}

/* Something is wrong with the folder of the part: damage. It is searched from its beginning,
 * then. */
static bool begins_again(const struct task *task, const struct result *result)
{
    if (!result->refused || result->refused_for == STOP_MEMORY) return false;
    files_remove_tree(task->freeze);
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
    char *folder = parts_name(&split->parts, number, NULL), *const attempt =
                                                                attempt_begin(mem, folder);
    printf("%s\n", attempt ? attempt : "");
    fflush(stdout);
    if (!attempt) return give_up(STOP_DISK, strerror(errno));
    prepare_part(split, number, attempt, &task, &part);
    mem_lower(mem, (struct mem_lift){split->limit, false});
    run_engine(split, &task, &result);
    if (begins_again(&task, &result)) run_engine(split, &task, &result);
    mem_lift(mem);
    if (result.broken) {
        message(&split->session->diag, DIAG_BUG, NULL, "part %u: %s (cairn %s, %s)", number,
                result.broken, CAIRN_VERSION, split->session->model->file);
        return EXIT_INTERNAL;
    }
    if (result.refused)
        return result.refused_for == STOP_MEMORY ? give_up(STOP_MEMORY, "")
                                                 : give_up(STOP_DISK, result.refused);
    const char *why = outcome_write(&split->parts, number, attempt, &task, &result);
    if (result.stop == STOP_EXACT) return give_up(STOP_EXACT, "");
    return why ? give_up(STOP_DISK, why) : EXIT_HOLDS;
}

/* ---- outcomes ---- */

static bool take_outcome(struct division *split, uint32_t number, const char *attempt)
{
    struct division_piece *piece = &split->pieces.data[number];
    piece->has_outcome =
        outcome_read(&split->parts, number, attempt, split->task, split->result, &piece->outcome);
    return piece->has_outcome;
}

/* New parts have nothing yet. */
static void match_pieces(struct division *split)
{
    while (split->pieces.len < split->parts.lines.len)
        vec_push(split->session->mem, &split->pieces, (struct division_piece){0});
    assert(split->pieces.len > 0 && division_has(split, 0)); /* the first part is always there */
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
    return good;
}

static bool divide(struct division *split, uint32_t number)
{
    uint32_t from = 0, count = find_clusters(split, number, &from);
    return count > 1
               ? add_groups(split, split->parts.lines.data[number].parent, from, from + count, 2)
               : divide_states(split, number);
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

/* A part that is said to be done and has no outcome; NO_PART: there is none. */
static uint32_t find_damaged(struct division *split)
{
    const struct parts_line *lines = split->parts.lines.data;
    for (uint32_t i = 0; i < split->parts.lines.len; i++)
        if (lines[i].is_done && !split->pieces.data[i].has_outcome
            && !take_outcome(split, i, lines[i].attempt))
            return i;
    return NO_PART;
}

static bool rest_is_whole(const struct division *split, uint32_t number)
{
    struct freezer_identity identity = identity_of(split);
    const struct outcome *outcome = &split->pieces.data[number].outcome;
    return part_rest_is_whole(split->session->mem, parts_kept(&split->parts, number, NULL),
                              &identity, outcome->rest.data, outcome->rest.len);
}

/* One that has not left all that others need. */
static uint32_t find_broken_rest(struct division *split)
{
    const struct parts_line *lines = split->parts.lines.data;
    for (uint32_t i = 1; i < split->parts.lines.len; i++) {
        bool known = i > 1 && lines[i - 1].parent == lines[i].parent && lines[i - 1].is_known
                     && !lines[i - 1].is_done; /* it was looked at for the part before */
        if (!lines[i].is_known || lines[i].is_done || known) continue;
        if (!rest_is_whole(split, lines[i].parent)) return lines[i].parent;
    }
    return NO_PART;
}

/* What it has left is as if it had not been there. */
static void distrust(struct division *split, uint32_t number)
{
    session_end_progress(split->session);
    message(&split->session->diag, DIAG_NOTE, NULL,
            "what part %u has left in '%.200s' is damaged: it is searched again", number,
            split->parts.folder);
    parts_distrust(&split->parts, number);
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        if (split->parts.lines.data[i].is_done) continue;
        split->pieces.data[i].has_outcome = false;
        if (split->pieces.data[i].state == PART_DONE || split->pieces.data[i].state == PART_DIVIDED)
            split->pieces.data[i].state = PART_WAITING;
    }
}

/* What a limit ended here somebody else may have done since: then that counts, and not what was
 * found here. */
static void give_way(struct division *split)
{
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        struct division_piece *piece = &split->pieces.data[i];
        if (piece->state != PART_LIMITED || !split->parts.lines.data[i].is_done) continue;
        piece->state = PART_WAITING;
        piece->has_outcome = false;
    }
}

/* What is done in the folder, by whomever. */
static void see_done(struct division *split, bool examines)
{
    uint32_t damaged, tries = 0;
    parts_refresh(&split->parts);
    match_pieces(split);
    give_way(split);
    while ((damaged = find_damaged(split)) != NO_PART
           || (examines && (damaged = find_broken_rest(split)) != NO_PART)) {
        /* that is for those who search; a folder that cannot be changed stays as it is */
        if (split->session->ask->join || tries++ > split->pieces.len) break;
        distrust(split, damaged);
        parts_refresh(&split->parts);
        match_pieces(split);
        give_way(split);
    }
    split->done = 0;
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        struct division_piece *piece = &split->pieces.data[i];
        if (!split->parts.lines.data[i].is_done || !piece->has_outcome) continue;
        if (piece->state != PART_RUNNING)
            piece->state = is_over(&piece->outcome) ? PART_DONE : PART_DIVIDED;
        split->done++;
    }
    split->stopping |= division_is_decided(split);
}

/* The same from time to time: it takes a look at each part that is open, and there may be very
 * many. */
static void see_others(struct division *split)
{
    const double now = clock_now();
    if (split->parts.is_temporary || now < split->refresh_at) return;
    see_done(split, false);
    const double took = clock_now() - now;
    split->refresh_at = clock_now() + (LOOK_SECONDS > 20 * took ? LOOK_SECONDS : 20 * took);
}

/* ---- all parts ---- */

/* Whether it may be searched here, now. */
static bool claim_part(struct division *split, uint32_t number)
{
    struct division_piece *piece = &split->pieces.data[number];
    char name[16];
    const double now = clock_now();
    if (now - piece->looked < LOOK_SECONDS) return false;
    piece->looked = now;
    switch (claims_take(&split->parts.claims, parts_claim(number, name))) {
    case CLAIMS_MINE: return true;
    case CLAIMS_HOPELESS: piece->state = PART_LIMITED; return false;
    case CLAIMS_BROKEN:
        fail(split, STOP_DISK, split->parts.claims.error);
        split->left = true;
        return false;
    case CLAIMS_OVER:
        see_done(split, false);
        if (!split->parts.lines.data[number].is_done)
            claims_doubt(&split->parts.claims, parts_claim(number, name));
        return false;
    case CLAIMS_OTHERS: break;
    }
    return false;
}

static bool next_part(void *context, uint32_t *job)
{
    struct division *split = context;
    if (split->stopping || split->is_broken || split->ending || *split->task->interrupted)
        return false;
    see_others(split);
    for (uint32_t i = 0; i < split->pieces.len && !split->stopping; i++) {
        if (split->pieces.data[i].state != PART_WAITING || !division_has(split, i)
            || (split->only != NO_PART && i != split->only) || !claim_part(split, i))
            continue;
        *job = i;
        split->pieces.data[i].state = PART_RUNNING;
        split->pieces.data[i].is_own = true;
        return true;
    }
    return false;
}

/* Whether somebody may do something yet, here or elsewhere. */
static bool is_open(const struct division *split)
{
    for (uint32_t i = 0; i < split->pieces.len; i++)
        if (division_has(split, i) && split->pieces.data[i].state == PART_WAITING) return true;
    return false;
}

/* ---- what becomes of a claim ---- */

static void end_claim(struct division *split, uint32_t number, const char *attempt,
                      enum claims_state state, enum stop_reason stop)
{
    const struct outcome *outcome = &split->pieces.data[number].outcome;
    struct claims_row row = {
        .state = state, .stop = stop, .status = split->pieces.data[number].status};
    char name[16];
    if (state == CLAIMS_DONE) {
        row.status = outcome->violated ? EXIT_VIOLATED : EXIT_HOLDS;
        row.states = outcome->states;
        row.transitions = outcome->transitions;
        row.seconds = outcome->seconds;
    } else {
        split->left = true;
        if (*attempt) {
            char *folder = parts_name(&split->parts, number, NULL);
            mem_free(split->session->mem, attempt_leave(split->session->mem, folder, attempt));
            mem_free(split->session->mem, folder);
        }
    }
    claims_end(&split->parts.claims, parts_claim(number, name), &row);
}

/* One that is to be left to others, because this run ends, is not one that failed: --time is for
 * all parts of a run. */
static void leave_part(struct division *split, uint32_t number, const char *attempt,
                       enum stop_reason stop)
{
    const bool ends =
        stop == STOP_INTERRUPT || stop == STOP_TIME || stop == STOP_EXACT || split->ending;
    end_claim(split, number, attempt, ends ? CLAIMS_LEFT : CLAIMS_FAILED, stop);
}

/* A part that left no outcome. */
static void part_failed(struct division *split, uint32_t number, const char *attempt,
                        const char *output, int status)
{
    char *why = "";
    unsigned long stop =
        status == EXIT_INCONCLUSIVE && *output ? strtoul(output, &why, 10) : STOP_COUNT;
    if (status > DEADLINE_STATUS) {
        fail(split, (enum stop_reason)(status - DEADLINE_STATUS), NULL);
    } else if (status == EXIT_INCONCLUSIVE && stop == STOP_EXACT) {
        take_outcome(split, number, attempt); /* what it found before that */
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

/* A part that a limit ended: it can be gone on with. */
static void part_limited(struct division *split, uint32_t number, const char *attempt)
{
    struct division_piece *piece = &split->pieces.data[number];
    const struct outcome *outcome = &piece->outcome;
    piece->state = PART_LIMITED;
    split->single_failed |= outcome->stop == STOP_MEMORY
                            && split->parts.lines.data[number].parent != NO_PART
                            && states_at_first(split, number) == 1;
    if (outcome->detail && may_tell(split))
        message(&split->session->diag, DIAG_REMARK, NULL, "part %u: %s", number, outcome->detail);
    fail(split, outcome->stop, outcome->detail);
    leave_part(split, number, attempt, outcome->stop);
    if (outcome->stop == STOP_DISK && split->parts.lines.data[number].parent != NO_PART
        && !rest_is_whole(split, split->parts.lines.data[number].parent)) {
        distrust(split, split->parts.lines.data[number].parent);
        if (split->stop == STOP_DISK) split->stop = STOP_NONE, split->stopping = false;
    }
}

/* Parts that it leaves are told with its being done, so that none is lost. Somebody else may have
 * done it meanwhile: then that counts. */
static void make_known(struct division *split, uint32_t number, const char *attempt, bool divided)
{
    struct division_piece *piece = &split->pieces.data[number];
    const bool added = piece->outcome.handed_on ? add_rest(split, number)
                       : divided                ? divide(split, number)
                                                : true;
    const enum files_made made =
        added ? parts_finish(&split->parts, number, attempt) : FILES_FAILED;
    match_pieces(split);
    piece = &split->pieces.data[number];
    if (made == FILES_FAILED) {
        piece->state = PART_FAILED;
        fail(split, STOP_DISK, split->parts.error);
        leave_part(split, number, attempt, STOP_DISK);
        return;
    }
    if (made == FILES_TAKEN) piece->has_outcome = false;
    piece->state = made == FILES_TAKEN ? PART_WAITING : divided ? PART_DIVIDED : PART_DONE;
    end_claim(split, number, attempt, CLAIMS_DONE, STOP_NONE);
    split->done += made == FILES_MADE;
    split->stopping |= division_is_decided(split);
    if (split->stopping && split->session->ask->work && division_is_decided(split))
        claims_stop(&split->parts.claims);
}

static void part_done(void *context, uint32_t number, const struct text *output,
                      const struct text *errors, int status)
{
    struct division *split = context;
    (void)errors;
    struct division_piece *piece = &split->pieces.data[number];
    char name[16];
    const size_t length = output->len ? strcspn(output->data, "\n") : 0;
    char *attempt = mem_alloc(split->session->mem, length + 1);
    if (length) memcpy(attempt, output->data, length);
    const char *rest = output->len > length ? output->data + length + 1 : "";
    assert(piece->state == PART_RUNNING);
    piece->state = PART_FAILED;
    piece->status = status;
    if ((status != EXIT_HOLDS || !take_outcome(split, number, attempt))
        && claims_is_lost(&split->parts.claims, parts_claim(number, name))) {
        piece->state = PART_WAITING; /* somebody else has it, and what was written for it */
        end_claim(split, number, "", CLAIMS_LEFT, STOP_INTERRUPT);
    } else if (status != EXIT_HOLDS || !piece->has_outcome) {
        part_failed(split, number, attempt, rest, status);
        leave_part(split, number, attempt,
                   split->is_broken || split->stop == STOP_NONE ? STOP_DISK : split->stop);
    } else {
        split->found |= piece->outcome.violated;
        const bool divided = can_be_divided(split, number);
        if (!divided && !is_over(&piece->outcome)) part_limited(split, number, attempt);
        else make_known(split, number, attempt, divided);
    }
    mem_free(split->session->mem, attempt);
}

/* Whether this run is to end: a signal, somebody who stops all, its time, zones of another kind. */
static void look_for_an_end(struct division *split, double now)
{
    const struct ask *ask = split->session->ask;
    if (*split->task->interrupted || claims_are_stopped(&split->parts.claims)
        || (ask->leave > 0 && now - split->started > ask->leave))
        split->ending = 1;
    if (!split->timed || split->parts.is_again || !parts_are_again(split->parts.top)) return;
    split->ending = 1;
    split->begins_again = split->stopping = true;
}

static void look(void *context, uint32_t running)
{
    struct division *split = context;
    const struct ask *ask = split->session->ask;
    const struct door *door = split->session->door;
    double now = clock_now();
    if (ask->time > 0 && now - split->started > ask->time) split->stopping = true;
    claims_keep(&split->parts.claims);
    if (now - split->watched > LOOK_SECONDS) {
        split->watched = now;
        look_for_an_end(split, now);
    }
    if (!door->show_jobs || now - split->shown < 0.5) return;
    split->shown = now;
    door->show_jobs(door->context, &(struct door_jobs){.done = split->done,
                                                       .count = division_count(split),
                                                       .running = running,
                                                       .seconds = now - split->started});
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
    division_conclude(split);
    furthest_add(&split->furthest, split->result);
}

/* What this run gives a part: others who have more may try where it was too little. */
static void set_claims(struct division *split)
{
    split->parts.claims.memory = split->limit;
    split->parts.claims.time = split->session->ask->time;
    split->parts.claims.is_eager = !split->session->ask->part_auto;
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
           && !ask->join && split->furthest.stop == STOP_MEMORY && open && has_time
           && !limits_interrupted;
}

/* An earlier run may have begun again already. */
static void choose_zones(struct division *split)
{
    const char *folder = split->session->ask->freeze;
    split->task->exact_zones = split->timed && folder && parts_are_again(folder);
}

/* Everything from the beginning. With --part the first one is next. */
static bool begin_again(struct division *split)
{
    struct task *task = split->task;
    const bool looks = split->session->ask->join;
    task->exact_zones = true;
    clear_result(split);
    free_pieces(split);
    split->done = split->messages = 0;
    split->stop = STOP_NONE;
    split->stopping = split->begins_again = false;
    split->ending = 0;
    if (!parts_begin_again(&split->parts, identity_of(split).hash, looks)) {
        match_pieces(split);
        fail(split, STOP_DISK, split->parts.error);
        return false;
    }
    set_claims(split);
    see_done(split, false);
    if (split->only != NO_PART && split->only) {
        message(&split->session->diag, DIAG_NOTE, NULL,
                "part %u found that deadlocks need zones of another kind: all parts "
                "begin again, with part 0",
                split->only);
        split->only = 0;
    }
    return true;
}

/* Parts until none is left, here and elsewhere. False: a process could not be made. */
static bool work(struct division *split)
{
    const struct ask *ask = split->session->ask;
    const struct jobs jobs = {.mem = split->session->mem,
                              .at_once = ask->threads > 1 ? (uint32_t)ask->threads : 1,
                              .next = next_part,
                              .run = run_part,
                              .done = part_done,
                              .look = look,
                              .context = split,
                              .interrupted = &split->ending};
    for (bool good = true;;) {
        good = jobs_run(&jobs);
        look_for_an_end(split, clock_now());
        see_done(split, false);
        if (!good || split->stopping || split->ending || split->is_broken || split->only != NO_PART)
            return good;
        if (!is_open(split) || ask->no_wait) return true;
        look(split, 0);
        nanosleep(&(struct timespec){0, WAIT_NANOSECONDS}, NULL);
    }
}

/* What was found in parts that are not done, for those who only put together what there is. */
static void see_unfinished(struct division *split)
{
    struct mem *mem = split->session->mem;
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        struct division_piece *piece = &split->pieces.data[i];
        if (!division_has(split, i) || piece->state != PART_WAITING) continue;
        char *folder = parts_name(&split->parts, i, NULL), *attempt = attempt_furthest(mem, folder),
             *claims = parts_claims(&split->parts), name[16];
        struct claims_row row;
        if (*attempt && take_outcome(split, i, attempt) && !is_over(&piece->outcome)) {
            piece->state = PART_LIMITED;
            fail(split, piece->outcome.stop, piece->outcome.detail);
        } else {
            piece->has_outcome = false;
            if (claims_read(mem, claims, parts_claim(i, name), &row) && row.state == CLAIMS_FAILED)
                fail(split, row.stop, NULL);
        }
        mem_free(mem, folder);
        mem_free(mem, attempt);
        mem_free(mem, claims);
    }
}

/* With other zones from the beginning, when that was found to be needed, by whomever. */
static bool work_again(struct division *split)
{
    if (!split->begins_again || division_is_decided(split) || limits_interrupted) return true;
    end_search(split);
    return !begin_again(split) || work(split);
}

static int status_of_work(const struct division *split)
{
    return split->is_broken ? EXIT_INTERNAL
           : split->found   ? EXIT_VIOLATED
           : split->left    ? EXIT_INCONCLUSIVE
                            : EXIT_HOLDS;
}

static bool open_folder(struct division *split)
{
    const struct ask *ask = split->session->ask;
    const bool shares = ask->prepare || ask->part_auto || ask->join;
    const struct parts_plan plan = {.folder = ask->freeze,
                                    .stop = ask->work ? work_stop(split->session->mem, ask) : NULL,
                                    .patience = ask->takeover,
                                    .resume = ask->resume || split->only != NO_PART || shares,
                                    .must = split->only != NO_PART && split->only,
                                    .looks = ask->join};
    if (ask->work && !ask->join) mkdir(ask->work, 0777); /* what fails is told of what is in it */
    choose_zones(split);
    const bool again = split->task->exact_zones;
    split->task->exact_zones = false;
    if (!parts_open(&split->parts, split->session->mem, &plan, identity_of(split).hash))
        return false;
    set_claims(split);
    if (!ask->part_auto && !ask->join) unlink(split->parts.stop); /* it is to go on */
    see_done(split, !ask->join && !ask->part_auto && !again);
    if (ask->join) see_unfinished(split);
    if (!again) return true;
    end_search(split); /* what was found before stays found */
    if (!begin_again(split)) return false;
    if (ask->join) see_unfinished(split);
    return true;
}

/* Exit status 0: there is a result; *worked: there is none, because this was a part of the work. */
static int search(struct division *split, bool *worked)
{
    struct session *session = split->session;
    const struct ask *ask = session->ask;
    if (!open_folder(split)) {
        message(&split->session->diag, DIAG_ERROR, NULL, "%s", split->parts.error);
        return EXIT_USAGE;
    }
    if (split->only != NO_PART
        && (split->only >= split->pieces.len || !division_has(split, split->only))) {
        message(&split->session->diag, DIAG_ERROR, NULL,
                "there is no part %u in the folder '%.200s': parts are 0 to %u", split->only,
                ask->freeze, split->pieces.len - 1);
        return EXIT_USAGE;
    }
    const bool works = !ask->join && !(ask->prepare && ask->split != SPLIT_ALWAYS);
    if (works && (!work(split) || !work_again(split))) {
        fail(split, STOP_MEMORY, "a process could not be made");
        split->left = true;
    }
    session_end_progress(session);
    *worked = ask->prepare || ask->part_auto;
    if (*worked) return status_of_work(split);
    if (split->is_broken) return EXIT_INTERNAL;
    end_search(split);
    if (may_search_whole(split)) furthest_run(&split->furthest, search_whole, split);
    furthest_end(&split->furthest, split->result);
    if (ask->join) split->result->seconds = parts_seconds(&split->parts);
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
                               .only = ask->has_part  ? (uint32_t)ask->part
                                       : ask->prepare ? 0
                                                      : NO_PART,
                               .started = clock_now()};
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
        parts_abandon(&split->parts);
        mem_refuse(mem);
    }
    mem->recover = &recover;
    *status = search(split, &session->worked);
    mem->recover = outer;
    parts_close(&split->parts);
    return *status == EXIT_HOLDS && !session->worked;
}
