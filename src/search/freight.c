/* The numbers of a summary that are freight's own: whether the search can go on from here, the
 * states of all peers when the level began, initial states that no summary has told of. Only where
 * the search can go on the rest of a summary follows (past/summary.h).
 *
 * Invariants: (1) the files of this run have a beginning of the levels; (2) all peers have written
 * the same levels, but for those that are on their way. */
#include "search/freight.h"

#include "base/clock.h"
#include "base/peers.h"
#include "past/records.h"
#include "past/summary.h"
#include "solver/freezer.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef CAIRN_TEST_HOOKS
static const double least_seconds = 0;
#else
static const double least_seconds = 1; /* between two times */
#endif
enum { PATH_ROOM = 4096, OWN_BYTES = 64 };

/* A run that may be gone on with; the peer that reads the folder tells all. */
struct run {
    uint64_t number, peers, levels; /* levels 0: there is none */
    uint64_t next;                  /* the number of the next run */
    uint64_t fault;                 /* enum fault */
};
enum fault { FAULT_NONE, FAULT_USED, FAULT_FOLDER, FAULT_DEEPER };

struct freight {
    struct freight_search of;
    struct mem *mem;
    struct freezer *freezer; /* of this run; NULL: there is none, or it is finished */
    struct summary summary;
    struct snapshot_statistics *statistics;
    struct run earlier;
    uint64_t written; /* levels */
    uint64_t initial; /* initial states that summaries have told of */
    double when;      /* it was written last */
};

static struct peers *peers_of(const struct freight *freight)
{
    return freight->of.search->task->peers;
}

/* ---- folders ---- */

static void name_folder(const struct freight *freight, char path[PATH_ROOM], uint64_t run,
                        uint64_t peers)
{
    snprintf(path, PATH_ROOM, "%s/ranks-%llu-%llu", freight->of.search->task->freeze,
             (unsigned long long)run, (unsigned long long)peers);
}

static void name_own(const struct freight *freight, char path[PATH_ROOM], uint64_t run,
                     uint64_t peers, uint64_t peer)
{
    char folder[PATH_ROOM - 32];
    name_folder(freight, path, run, peers);
    snprintf(folder, sizeof folder, "%.*s", (int)sizeof folder - 1, path);
    snprintf(path, PATH_ROOM, "%s/%llu", folder, (unsigned long long)peer);
}

static struct freezer_identity identity_of(const struct freight *freight)
{
    const struct search *search = freight->of.search;
    const struct task *task = search->task;
    return (struct freezer_identity){{task->freeze_hash[0], task->freeze_hash[1]},
                                     search->space->layout.record_bytes};
}

static struct freezer *open_earlier(const struct freight *freight, const struct run *run,
                                    uint64_t peer)
{
    char path[PATH_ROOM];
    struct freezer_refusal why;
    const struct freezer_identity identity = identity_of(freight);
    name_own(freight, path, run->number, run->peers, peer);
    return freezer_open_to_read(freight->mem, path, &identity, &why);
}

/* Levels up to the last one that can be gone on from: bit by bit, whether it can. */
struct count {
    uint64_t levels, most;
};

static bool count_level(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct count *count = context;
    struct varint_input input = {summary, summary + size, true};
    const bool can_go_on = varint_get(&input);
    if (rank < count->most && can_go_on) count->levels = rank + 1;
    return input.good;
}

/* The levels that all peers of a run have written. */
static uint64_t count_levels(const struct freight *freight, const struct run *run)
{
    uint64_t most = UINT64_MAX;
    for (bool is_first = true;; is_first = false) { /* until all agree on one */
        uint64_t least = most;
        for (uint64_t peer = 0; peer < run->peers && least; peer++) {
            struct freezer *freezer = open_earlier(freight, run, peer);
            struct count count = {.most = least};
            if (freezer) freezer_summaries(freezer, count_level, &count);
            if (freezer) freezer_close(freezer);
            least = count.levels;
        }
        if (!least || (!is_first && least == most)) return least;
        most = least;
    }
}

static bool read_name(const char *name, struct run *run)
{
    unsigned long long number, peers;
    char end;
    if (sscanf(name, "ranks-%llu-%llu%c", &number, &peers, &end) != 2 || !peers) return false;
    run->number = number;
    run->peers = peers;
    return true;
}

/* By the first peer: the last run that can be gone on with. */
static void look_around(struct freight *freight)
{
    const struct task *task = freight->of.search->task;
    struct run *found = &freight->earlier;
    const struct dirent *entry;
    DIR *list;
    if (mkdir(task->freeze, 0777) && errno != EEXIST) found->fault = FAULT_FOLDER;
    list = opendir(task->freeze);
    if (!list) found->fault = FAULT_FOLDER;
    while (list && (entry = readdir(list))) {
        struct run run = {0};
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (!read_name(entry->d_name, &run) || !task->resume) {
            found->fault = FAULT_USED;
            continue;
        }
        if (run.number >= found->next) found->next = run.number + 1;
        if (found->levels && run.number < found->number) continue;
        run.levels = count_levels(freight, &run);
        if (!run.levels) continue;
        run.next = found->next;
        run.fault = found->fault;
        *found = run;
    }
    if (list) closedir(list);
}

/* What is older than the run that is gone on with is not needed any more. */
static void clear_older(const struct freight *freight)
{
    const struct run *kept = &freight->earlier;
    const struct dirent *entry;
    DIR *list = kept->levels ? opendir(freight->of.search->task->freeze) : NULL;
    while (list && (entry = readdir(list))) {
        struct run run;
        char path[PATH_ROOM];
        if (!read_name(entry->d_name, &run) || run.number == kept->number) continue;
        for (uint64_t peer = 0; peer < run.peers; peer++) {
            name_own(freight, path, run.number, run.peers, peer);
            freezer_clear(path);
        }
        name_folder(freight, path, run.number, run.peers);
        rmdir(path);
    }
    if (list) closedir(list);
}

/* ---- opening and closing ---- */

static void violated(struct summary *summary, uint32_t property)
{
    const struct freight *freight = summary->owner;
    const struct summary_place *place = &summary->places[property];
    freight->of.violated(freight->of.search, property, place->words, place->failed_rule);
}

static struct summary make_summary(struct freight *freight)
{
    struct search *search = freight->of.search;
    struct summary summary = {.owner = freight,
                              .search = search,
                              .monitors = &findings_monitors,
                              .violated = violated,
                              .task = search->task,
                              .result = search->result,
                              .record_bytes = search->space->layout.record_bytes,
                              .words = search->space->layout.words};
    summary_init(&summary);
    summary_reserve(&summary, OWN_BYTES);
    return summary;
}

static void refuse(struct freight *freight, const char *why)
{
    struct search *search = freight->of.search;
    search->result->refused = arena_copy(&search->model->arena, why, strlen(why));
    search->result->refused_for = STOP_DISK;
}

/* All know of the run that the first one has found. */
static bool agree(struct freight *freight)
{
    struct peers *peers = peers_of(freight);
    const char *folder = freight->of.search->task->freeze;
    char text[PATH_ROOM];
    if (!peers->me) {
        look_around(freight);
        name_folder(freight, text, freight->earlier.next, peers->count);
        const uint64_t bound = freight->of.search->task->max_depth;
        if (bound && freight->earlier.levels > bound + 1) freight->earlier.fault = FAULT_DEEPER;
        if (!freight->earlier.fault) clear_older(freight);
        if (!freight->earlier.fault && mkdir(text, 0777)) freight->earlier.fault = FAULT_FOLDER;
    }
    if (!peers->kind->broadcast(peers, 0, &freight->earlier, sizeof freight->earlier)) return false;
    if (freight->earlier.fault == FAULT_NONE) return true;
    static const char *const texts[] = {
        [FAULT_NONE] = "",
        [FAULT_USED] =
            "the folder %.2000s is not empty: --resume goes on with the run of ranks in it",
        [FAULT_FOLDER] = "the folder %.2000s cannot be read and written",
        [FAULT_DEEPER] = "the run in %.2000s went deeper than --bound"};
    assert(freight->earlier.fault <= FAULT_DEEPER);
    snprintf(text, sizeof text, texts[freight->earlier.fault], folder);
    refuse(freight, text);
    return false;
}

static bool open_own(struct freight *freight)
{
    const struct peers *peers = peers_of(freight);
    const struct freezer_identity identity = identity_of(freight);
    struct freezer_refusal why;
    char path[PATH_ROOM];
    name_own(freight, path, freight->earlier.next, peers->count, peers->me);
    freight->freezer = freezer_open(freight->mem, path, &identity, false,
                                    summary_most(&freight->summary) + OWN_BYTES,
                                    freezer_share(freight->mem), &why);
    if (!freight->freezer) refuse(freight, why.text);
    if (!freight->freezer || freezer_continue(freight->freezer)) return freight->freezer;
    refuse(freight, freezer_error(freight->freezer));
    return false;
}

struct freight *freight_open(const struct freight_search *of)
{
    struct mem *mem = of->search->model->mem;
    struct freight *freight = mem_alloc(mem, sizeof *freight);
    *freight = (struct freight){.of = *of, .mem = mem, .when = clock_now()};
    freight->statistics = of->search->result->snapshot =
        mem_alloc(mem, sizeof *of->search->result->snapshot);
    freight->summary = make_summary(freight);
    if (agree(freight) && open_own(freight)) return freight;
    freight_close(freight);
    return NULL;
}

/* Says why the folder cannot be written. */
static void failed(struct freight *freight)
{
    struct search *search = freight->of.search;
    const char *error = freezer_error(freight->freezer);
    search->result->stop_detail = arena_copy(&search->model->arena, error, strlen(error));
    poll_stop(search, STOP_DISK);
}

void freight_close(struct freight *freight)
{
    struct mem *mem = freight->mem;
    if (freight->freezer) {
        const bool good = freezer_finish(freight->freezer);
        freight->statistics->frozen_bytes = freezer_written(freight->freezer);
        if (!good && freight->of.search->result->stop != STOP_DISK) failed(freight);
        freezer_close(freight->freezer);
    }
    summary_release(&freight->summary);
    mem_free(mem, freight);
}

/* ---- writing ---- */

void freight_violated(struct freight *freight, uint32_t property, uint64_t state,
                      uint32_t failed_rule)
{
    struct search *search = freight->of.search;
    struct summary *summary = &freight->summary;
    const struct summary_place place = {
        .rank = search->result->depth, .state = state, .failed_rule = failed_rule};
    if (summary->places[property].known) return;
    search->set->kind->load(search->set, state, search->worker->other);
    summary_note(summary, property, place, search->worker->other);
}

bool freight_is_due(const struct freight *freight)
{
    return clock_now() - freight->when >= least_seconds;
}

static bool write_level(struct freight *freight, uint64_t level, uint64_t first, uint64_t end,
                        bool is_last)
{
    struct search *search = freight->of.search;
    struct summary *summary = &freight->summary;
    const struct set_kind *sets = search->space->kind->sets;
    const uint64_t bytes = sets->bytes(search->set, first, end);
    if (!freezer_make_room(freight->freezer, bytes)) return poll_stop(search, STOP_MEMORY);
    summary_begin(summary);
    summary_put(summary, is_last);
    summary_put(summary, freight->of.levels->list[level]);
    summary_put(summary, is_last ? search->result->initial_states - freight->initial : 0);
    if (is_last) {
        summary_end(summary);
        freight->initial = search->result->initial_states;
    }
    const bool good = freezer_begin(freight->freezer, level, bytes)
                      && sets->freeze(search->set, first, end, freight->freezer)
                      && freezer_end(freight->freezer, summary->bytes, summary->size);
    if (!good) failed(freight);
    return good;
}

void freight_write(struct freight *freight, const uint64_t *firsts, uint32_t count)
{
    const uint64_t all = freight->of.search->set->count;
    assert(freight->written <= count && count <= freight->of.levels->count); /* (1) */
    bool good = true;
    for (; good && freight->written < count; freight->written += good) {
        const uint64_t level = freight->written, end = level + 1 < count ? firsts[level + 1] : all;
        good = write_level(freight, level, firsts[level], end, level + 1 == count);
    }
    freight->when = clock_now();
}

/* ---- going on ---- */

struct reading {
    struct freight *freight;
    struct summary *summary;
    uint64_t level, total;
    bool is_own; /* what is counted is this peer's to take over */
};

static bool add_state(void *context, const unsigned char *record, uint64_t size)
{
    const struct reading *reading = context;
    const struct freight_search *of = &reading->freight->of;
    struct search *search = of->search;
    struct worker *worker = of->worker;
    const struct set_kind *sets = search->space->kind->sets;
    if (!search_goes_on(search) || !search->space->kind->thaw(worker, record, size)) return false;
    bool good = true;
    if (of->owns(search, worker->batch.steps[0].hash)) {
        worker->batch.steps[0].set = search->set;
        good = sets->add(worker, 0, 1) == 1;
        if (good) good = worker->batch.fresh_count == 1;
        else poll_stop(search, STOP_MEMORY);
    }
    batch_clear(&worker->batch);
    return good;
}

static bool take_summary(void *context, uint64_t rank, const unsigned char *bytes, uint64_t size)
{
    struct reading *reading = context;
    struct varint_input input = {bytes, bytes + size, true};
    const bool can_go_on = varint_get(&input);
    const uint64_t total = varint_get(&input), initial = varint_get(&input);
    if (rank != reading->level) return input.good;
    reading->total = total;
    if (!can_go_on || !reading->is_own) return input.good;
    reading->freight->of.search->result->initial_states += initial;
    return input.good && summary_take_over(reading->summary, &input);
}

/* The states of a level that one peer had. */
static bool read_level(struct reading *reading, uint64_t peer)
{
    struct freight *freight = reading->freight;
    struct search *search = freight->of.search;
    const uint32_t size = search->space->layout.record_bytes;
    struct freezer *freezer = open_earlier(freight, &freight->earlier, peer);
    struct records records = records_begin(freight->mem, size, add_state, reading);
    const char *why;
    bool good =
        freezer
        && freezer_read(freezer, reading->level, FREEZER_RECORDS, records_take, &records, &why)
        && records_are_whole(&records);
    if (records.refused) poll_stop(search, STOP_MEMORY);
    records_release(&records);
    reading->is_own = peer % peers_of(freight)->count == peers_of(freight)->me;
    good = good && freezer_summaries(freezer, take_summary, reading);
    if (freezer) freezer_close(freezer);
    return good;
}

void freight_resume(struct freight *freight)
{
    struct search *search = freight->of.search;
    struct summary summary = make_summary(freight);
    struct reading reading = {.freight = freight, .summary = &summary};
    bool good = true;
    for (; good && reading.level < freight->earlier.levels; reading.level++) {
        for (uint64_t peer = 0; good && peer < freight->earlier.peers; peer++)
            good = read_level(&reading, peer);
        if (!good) break;
        if (!freight->of.begin_level(search, reading.total)) break;
        search->result->depth = reading.level;
        freight->statistics->resumed++;
    }
    if (!good && search->result->stop == STOP_NONE) {
        search->result->stop_detail = "what an earlier run has left makes no sense";
        poll_stop(search, STOP_DISK);
    }
    summary_release(&summary);
}
