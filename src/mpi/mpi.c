/* Messages are of tag DATA; one of tag FAILED says that a peer cannot go on. Who hears of that
 * takes part in no meeting any more, tells what it knows, and waits for the end, which comes from
 * the first peer: it is the one that reports.
 *
 * Whoever waits yields the processor at first, then sleeps for moments that grow to a millisecond:
 * there may be more peers than processors. */
#include "mpi/mpi.h"

#ifndef CAIRN_MPI

struct peers *mpi_open(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int mpi_close(struct peers *peers, int status)
{
    (void)peers;
    return status;
}

#else

#include <assert.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DATA = 1, FAILED = 2 };
enum { YIELD_NS = 200000, REST_NS = 50000, MOST_RESTS = 20, LAST_WAIT_SECONDS = 20 };

struct mpi_peers {
    struct peers peers; /* first: it is known by it */
    MPI_Request *sends; /* per slot */
    uint32_t slot_count;
    MPI_Request hearing;
    uint64_t *told;
    MPI_Op op;
    uint64_t *values; /* of a meeting: how many sums there are, these, and maxima */
    uint32_t value_room;
    struct timespec rested; /* since when there has been nothing to do */
    uint32_t rests;
#ifdef CAIRN_TEST_HOOKS
    struct trouble *trouble;
#endif
};

static struct mpi_peers *of(struct peers *peers) { return (struct mpi_peers *)peers; }

/* Outside of any budget: without this memory nothing can be told. */
static void *need(void *block, size_t bytes)
{
    void *grown = realloc(block, bytes);
    if (grown) return grown;
    fputs("cairn: error: out of memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

/* ---- messages ---- */

static void make_slot(struct mpi_peers *all, uint32_t slot)
{
    if (slot < all->slot_count) return;
    const uint32_t count = 2 * slot + 16;
    all->sends = need(all->sends, count * sizeof *all->sends);
    for (uint32_t i = all->slot_count; i < count; i++) all->sends[i] = MPI_REQUEST_NULL;
    all->slot_count = count;
}

static void send(struct peers *peers, uint32_t slot, uint32_t to, const void *bytes, size_t size)
{
    struct mpi_peers *all = of(peers);
    make_slot(all, slot);
    assert(to < peers->count && to != peers->me && all->sends[slot] == MPI_REQUEST_NULL);
    MPI_Isend(bytes, (int)size, MPI_BYTE, (int)to, DATA, MPI_COMM_WORLD, &all->sends[slot]);
}

static bool is_sent(struct peers *peers, uint32_t slot)
{
    struct mpi_peers *all = of(peers);
    int done = 1;
    if (slot < all->slot_count && all->sends[slot] != MPI_REQUEST_NULL)
        MPI_Test(&all->sends[slot], &done, MPI_STATUS_IGNORE);
    return done;
}

static size_t receive_now(struct peers *peers, void *bytes, size_t room, uint32_t *from)
{
    MPI_Message message;
    MPI_Status status;
    int there = 0, size = 0;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status);
    if (!there) return 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    assert((size_t)size <= room);
    MPI_Mrecv(bytes, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    *from = (uint32_t)status.MPI_SOURCE;
    if (status.MPI_TAG != FAILED) return (size_t)size;
    peers->has_failed = true;
    return 0;
}

/* ---- trouble, for tests ---- */

#ifdef CAIRN_TEST_HOOKS

/* CAIRN_TROUBLE=SEED: messages are held back, arrive in another order, and now and then a peer is
 * late. */
enum { HELD = 8 };

struct trouble {
    uint64_t state;
    uint32_t count;
    struct {
        void *bytes;
        size_t size;
        uint32_t from;
    } held[HELD];
};

static uint64_t chance(struct trouble *trouble)
{
    trouble->state = trouble->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return trouble->state >> 33;
}

static size_t receive_late(struct peers *peers, void *bytes, size_t room, uint32_t *from)
{
    struct trouble *trouble = of(peers)->trouble;
    if (chance(trouble) % 256 == 0)
        nanosleep(&(struct timespec){0, (long)(chance(trouble) % 3000000)}, NULL);
    while (trouble->count < HELD) {
        const size_t size = receive_now(peers, bytes, room, from);
        if (!size) break;
        void *copy = memcpy(need(NULL, size), bytes, size);
        trouble->held[trouble->count].bytes = copy;
        trouble->held[trouble->count].size = size;
        trouble->held[trouble->count++].from = *from;
    }
    if (!trouble->count || chance(trouble) % 4 == 0) return 0;
    const uint32_t one = (uint32_t)(chance(trouble) % trouble->count);
    const size_t size = trouble->held[one].size;
    memcpy(bytes, trouble->held[one].bytes, size);
    *from = trouble->held[one].from;
    free(trouble->held[one].bytes);
    trouble->held[one] = trouble->held[--trouble->count];
    return size;
}

#endif

static size_t receive(struct peers *peers, void *bytes, size_t room, uint32_t *from)
{
#ifdef CAIRN_TEST_HOOKS
    if (of(peers)->trouble) return receive_late(peers, bytes, room, from);
#endif
    return receive_now(peers, bytes, room, from);
}

/* ---- meetings ---- */

static void rest(struct peers *peers, uint32_t times)
{
    struct mpi_peers *all = of(peers);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!times) {
        all->rested = now;
        all->rests = 0;
    }
    const long passed =
        (long)(now.tv_sec - all->rested.tv_sec) * 1000000000 + (now.tv_nsec - all->rested.tv_nsec);
    if (passed < YIELD_NS) {
        sched_yield();
        return;
    }
    if (all->rests < MOST_RESTS) all->rests++;
    nanosleep(&(struct timespec){0, (long)all->rests * REST_NS}, NULL);
}

/* Whether a peer has said that it cannot go on. */
static bool hears_of_failure(struct peers *peers)
{
    MPI_Status status;
    int there = 0;
    if (!peers->has_failed) MPI_Iprobe(MPI_ANY_SOURCE, FAILED, MPI_COMM_WORLD, &there, &status);
    peers->has_failed |= there;
    return peers->has_failed;
}

static bool wait_for(struct peers *peers, MPI_Request *request)
{
    int done = 0;
    for (uint32_t times = 0;; times++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return true;
        if (hears_of_failure(peers)) return false;
        rest(peers, times);
    }
}

static void tell(struct peers *peers, const uint64_t *told, uint64_t *heard)
{
    struct mpi_peers *all = of(peers);
    assert(all->hearing == MPI_REQUEST_NULL);
    memcpy(all->told, told, peers->count * sizeof *told);
    MPI_Ialltoall(all->told, 1, MPI_UINT64_T, heard, 1, MPI_UINT64_T, MPI_COMM_WORLD,
                  &all->hearing);
}

static bool has_heard(struct peers *peers)
{
    int done = 0;
    MPI_Test(&of(peers)->hearing, &done, MPI_STATUS_IGNORE);
    return done;
}

/* All values of a meeting are one element, so that they are not cut into pieces. The first one says
 * how many sums there are; all peers have the same. */
static void unite(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int bytes = 0;
    MPI_Type_size(*type, &bytes);
    const uint64_t count = (uint64_t)bytes / sizeof(uint64_t);
    const uint64_t *one = in;
    uint64_t *two = inout;
    for (int k = 0; k < *length; k++, one += count, two += count) {
        assert(one[0] == two[0]);
        for (uint64_t i = 1; i < count; i++)
            two[i] = i <= one[0] ? two[i] + one[i] : two[i] > one[i] ? two[i] : one[i];
    }
}

static bool reduce(struct peers *peers, uint64_t *sums, uint32_t sum_count, uint64_t *maxima,
                   uint32_t maximum_count)
{
    struct mpi_peers *all = of(peers);
    const uint32_t count = 1 + sum_count + maximum_count;
    MPI_Request request;
    MPI_Datatype type;
    if (hears_of_failure(peers)) return false;
    if (count > all->value_room) {
        all->values = need(all->values, count * sizeof *all->values);
        all->value_room = count;
    }
    uint64_t *first = all->values + 1, *second = first + sum_count;
    all->values[0] = sum_count;
    if (sum_count) memcpy(first, sums, sum_count * sizeof *sums);
    if (maximum_count) memcpy(second, maxima, maximum_count * sizeof *maxima);
    MPI_Type_contiguous((int)count, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Iallreduce(MPI_IN_PLACE, all->values, 1, type, all->op, MPI_COMM_WORLD, &request);
    const bool good = wait_for(peers, &request);
    if (!good) return false;
    MPI_Type_free(&type);
    if (sum_count) memcpy(sums, first, sum_count * sizeof *sums);
    if (maximum_count) memcpy(maxima, second, maximum_count * sizeof *maxima);
    return true;
}

static bool broadcast(struct peers *peers, uint32_t from, void *bytes, size_t size)
{
    MPI_Request request;
    if (hears_of_failure(peers)) return false;
    MPI_Ibcast(bytes, (int)size, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
    return wait_for(peers, &request);
}

/* ---- the beginning and the end ---- */

static const struct peers_kind kind = {.send = send,
                                       .is_sent = is_sent,
                                       .receive = receive,
                                       .tell = tell,
                                       .has_heard = has_heard,
                                       .reduce = reduce,
                                       .broadcast = broadcast,
                                       .rest = rest};

/* Whether something like mpirun or srun has started this process. */
static bool was_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

struct peers *mpi_open(int *argc, char ***argv)
{
    int provided, count, me;
    if (!was_started()) return NULL;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    struct mpi_peers *all = need(NULL, sizeof *all);
    *all =
        (struct mpi_peers){.peers = {.kind = &kind, .count = (uint32_t)count, .me = (uint32_t)me},
                           .hearing = MPI_REQUEST_NULL};
    all->told = need(NULL, (size_t)count * sizeof *all->told);
    MPI_Op_create(unite, 1, &all->op);
#ifdef CAIRN_TEST_HOOKS
    const char *seed = getenv("CAIRN_TROUBLE");
    if (seed) {
        all->trouble = need(NULL, sizeof *all->trouble);
        *all->trouble = (struct trouble){.state = strtoull(seed, NULL, 10) + (uint64_t)me * 77777};
    }
#endif
    return &all->peers;
}

/* This one cannot go on: all others hear of it. */
static void tell_failure(const struct peers *peers)
{
    static const char nothing = 0;
    MPI_Request request;
    for (uint32_t i = 0; i < peers->count; i++)
        if (i != peers->me)
            MPI_Isend(&nothing, 1, MPI_BYTE, (int)i, FAILED, MPI_COMM_WORLD, &request);
}

/* The first peer ends all, once it has reported; the others give it some time for that, and their
 * messages some progress. */
_Noreturn static void end_all(struct peers *peers, int status)
{
    const time_t begun = time(NULL);
    while (peers->me && time(NULL) - begun < LAST_WAIT_SECONDS) {
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, FAILED, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){0, (long)MOST_RESTS * REST_NS}, NULL);
    }
    MPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

int mpi_close(struct peers *peers, int status)
{
    struct mpi_peers *all = of(peers);
    const uint64_t nobody[2] = {0, 0};
    if (peers->stage == PEERS_APART) peers_agree(peers, false, nobody);
    if (peers->stage == PEERS_TOGETHER && !peers->has_failed) tell_failure(peers);
    if (peers->stage == PEERS_TOGETHER || peers->has_failed) end_all(peers, status);
    MPI_Op_free(&all->op);
    MPI_Finalize();
    const int last = peers->me ? 0 : status;
#ifdef CAIRN_TEST_HOOKS
    free(all->trouble);
#endif
    free(all->sends);
    free(all->told);
    free(all->values);
    free(all);
    return last;
}

#endif
