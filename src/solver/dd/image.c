/* Images and saturation. A relation says nothing about pairs that it does not write: passing such a
 * level, the recursion keeps the set's own variable. So an image costs what the relation touches,
 * plus one look at each node above.
 *
 * Position k of a recursion is the first one at which the set, the relation (or the constraint) has
 * a node, or that the relation writes. A written pair that the diagram does not mention may take
 * any value; hence `w`, the number of written pairs already passed, belongs to the key of a
 * result. */
#include "solver/dd/private.h"

#include <string.h>

/* ---- relations ---- */

void dd_relation_init(struct dd *dd, struct dd_relation *relation, bdd diagram,
                      const uint32_t *written, uint32_t count)
{
    uint32_t *lists = mem_try_alloc(dd->mem, 2 * ((size_t)count + 1) * sizeof *lists);
    if (!lists || UINT32_MAX - dd->relation_ids <= count) {
        mem_free(dd->mem, lists);
        dd_give_up(dd, DD_FULL);
    }
    *relation = (struct dd_relation){.diagram = diagram,
                                     .written = lists,
                                     .written_count = count,
                                     .id = dd->relation_ids,
                                     .levels = lists + count};
    dd->relation_ids += count + 1;
    memcpy(lists, written, count * sizeof *lists);
    CHECKED(dd_check_relation(dd, relation));
    dd_protect(dd, &relation->diagram);
}

void dd_relation_release(struct dd *dd, struct dd_relation *relation)
{
    for (uint32_t i = dd->array_count; i-- > 0;)
        if (dd->arrays[i].data == &relation->diagram)
            dd->arrays[i].count = 0; /* the stack keeps its height */
    mem_free(dd->mem, relation->written);
    *relation = (struct dd_relation){.diagram = BDD_FALSE};
}

void dd_refresh_relation(struct dd *dd, struct dd_relation *relation)
{
    if (relation->version == dd->version) return;
    uint32_t *levels = relation->levels, count = relation->written_count;
    for (uint32_t i = 0; i < count; i++) { /* insertion sort: short lists, nearly sorted */
        uint32_t level = dd->place[relation->written[i]], j = i;
        for (; j > 0 && levels[j - 1] > level; j--) levels[j] = levels[j - 1];
        levels[j] = level;
    }
    for (uint32_t i = 1; i < count; i++) assert(levels[i - 1] < levels[i]); /* no pair twice */
    relation->top = dd_position_of(dd, relation->diagram);
    if (count && levels[0] < relation->top) relation->top = levels[0];
    relation->version = dd->version;
}

static inline uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline void split_set(const struct dd *dd, bdd a, uint32_t position, bdd part[2])
{
    if (dd_position_of(dd, a) != position) part[0] = part[1] = a;
    else part[0] = dd->nodes[a].low, part[1] = dd->nodes[a].high;
}

/* part[x][y]: from value x of the pair to value y. */
static inline void split_relation(const struct dd *dd, bdd a, uint32_t position, bool backward,
                                  bdd part[2][2])
{
    uint32_t now = dd_now(dd->pair_at[position]), next = now + 1;
    bdd half[2] = {a, a};
    if (a > BDD_TRUE && dd->nodes[a].var == now)
        half[0] = dd->nodes[a].low, half[1] = dd->nodes[a].high;
    for (unsigned x = 0; x < 2; x++) {
        bool here = half[x] > BDD_TRUE && dd->nodes[half[x]].var == next;
        bdd low = here ? dd->nodes[half[x]].low : half[x],
            high = here ? dd->nodes[half[x]].high : half[x];
        if (backward) part[0][x] = low, part[1][x] = high;
        else part[x][0] = low, part[x][1] = high;
    }
}

static inline uint32_t written_level(const struct dd_relation *relation, uint32_t w)
{
    return w < relation->written_count ? relation->levels[w] : LAST_LEVEL;
}

/* ---- images ---- */

struct image {
    struct dd *dd;
    const struct dd_relation *relation;
    bool backward;
};

static bdd image(const struct image *job, bdd set, bdd rel, uint32_t w)
{
    struct dd *dd = job->dd;
    uint32_t tag = job->backward ? OP_PREIMAGE : OP_IMAGE,
             written = written_level(job->relation, w);
    bdd result, s[2];
    if (set == BDD_FALSE || rel == BDD_FALSE) return BDD_FALSE;
    if (rel == BDD_TRUE && written == LAST_LEVEL) return set;
    if (dd_cache_find(dd, tag, job->relation->id + w, set, rel, 0, &result)) return result;
    uint32_t k = min(written, min(dd_position_of(dd, set), dd_position_of(dd, rel)));
    split_set(dd, set, k, s);
    if (k == written) {
        bdd r[2][2], half[2];
        split_relation(dd, rel, k, job->backward, r);
        for (unsigned y = 0; y < 2; y++) {
            bdd a = *dd_push(dd, image(job, s[0], r[0][y], w + 1));
            bdd b = *dd_push(dd, image(job, s[1], r[1][y], w + 1));
            half[y] = dd_do_or(dd, a, b);
            dd_pop(dd, 2);
            dd_push(dd, half[y]);
        }
        result = dd_make(dd, dd_now(dd->pair_at[k]), half[0], half[1]);
        dd_pop(dd, 2);
    } else {
        bdd r[2];
        split_set(dd, rel, k, r);
        bdd low = *dd_push(dd, image(job, s[0], r[0], w));
        bdd high = image(job, s[1], r[1], w);
        result = dd_make(dd, dd_now(dd->pair_at[k]), low, high);
        dd_pop(dd, 1);
    }
    return dd_cache_put(dd, tag, job->relation->id + w, set, rel, 0, result);
}

bdd dd_image(struct dd *dd, struct dd_relation *relation, bdd set, enum dd_direction direction)
{
    struct image job = {dd, relation, direction == DD_BACKWARD};
    dd_refresh_relation(dd, relation);
    dd_push(dd, set);
    dd_push(dd, relation->diagram);
    bdd result = image(&job, set, relation->diagram, 0);
    assert(dd->stack[dd->top - 2] == set); /* the stack is as high as before */
    dd_pop(dd, 2);
    return result;
}

/* ---- saturation ----
 *
 * saturate(S, C, k) is the least set that contains S and is closed under those relations whose
 * first position is k or later, as far as they lead into C. It saturates the children first, then
 * fires the relations of its own position until nothing changes. fire(S, ...) is an image whose
 * parts are saturated at once: S is closed below its position, and so is the result. Unions of
 * closed sets are closed, so no union has to be saturated again. */

struct saturation {
    struct dd *dd;
    struct dd_relation *const *relations; /* sorted by top */
    uint32_t *first; /* per position: its first relation; one more entry ends the last */
    uint32_t
        *busy; /* per position: the next one, from there on, that has relations; LAST_LEVEL: none */
    bool backward;
};

static bdd saturate(const struct saturation *job, bdd set, bdd within, uint32_t k);

/* The saturated image of one relation's part; everything is closed from position k on
 * afterwards. */
static bdd fire(const struct saturation *job, const struct dd_relation *relation, bdd set, bdd rel,
                bdd within, uint32_t w);

static bdd fire_closed(const struct saturation *job, const struct dd_relation *relation, bdd set,
                       bdd rel, bdd within, uint32_t w, uint32_t k)
{
    bdd raw = *dd_push(job->dd, fire(job, relation, set, rel, within, w));
    bdd closed = saturate(job, raw, within, k);
    dd_pop(job->dd, 1);
    return closed;
}

static bdd fire(const struct saturation *job, const struct dd_relation *relation, bdd set, bdd rel,
                bdd within, uint32_t w)
{
    struct dd *dd = job->dd;
    uint32_t written = written_level(relation, w), tag = OP_FIRE | dd->session << TAG_SHIFT;
    bdd result, s[2], c[2], r[2][2], half[2];
    if (set == BDD_FALSE || rel == BDD_FALSE || within == BDD_FALSE) return BDD_FALSE;
    if (rel == BDD_TRUE && written == LAST_LEVEL) return dd_do_and(dd, set, within);
    if (dd_cache_find(dd, tag, relation->id + w, set, rel, within, &result)) return result;
    uint32_t k = min(min(written, dd_position_of(dd, within)),
                     min(dd_position_of(dd, set), dd_position_of(dd, rel)));
    split_set(dd, set, k, s);
    split_set(dd, within, k, c);
    if (k == written) {
        split_relation(dd, rel, k, job->backward, r);
        for (unsigned y = 0; y < 2; y++) {
            bdd a = *dd_push(dd, fire_closed(job, relation, s[0], r[0][y], c[y], w + 1, k + 1));
            bdd b = *dd_push(dd, fire_closed(job, relation, s[1], r[1][y], c[y], w + 1, k + 1));
            half[y] = dd_do_or(dd, a, b);
            dd_pop(dd, 2);
            dd_push(dd, half[y]);
        }
    } else {
        split_set(dd, rel, k, r[0]);
        for (unsigned y = 0; y < 2; y++)
            half[y] = *dd_push(dd, fire_closed(job, relation, s[y], r[0][y], c[y], w, k + 1));
    }
    result = dd_make(dd, dd_now(dd->pair_at[k]), half[0], half[1]);
    dd_pop(dd, 2);
    return dd_cache_put(dd, tag, relation->id + w, set, rel, within, result);
}

/* Fires one relation at its first position until nothing changes. half[0] and half[1] are on the
 * manager's stack. */
static bool fire_here(const struct saturation *job, const struct dd_relation *relation, bdd *half,
                      const bdd c[2], uint32_t k)
{
    struct dd *dd = job->dd;
    bool writes = relation->written_count && relation->levels[0] == k, changed = false,
         again = true;
    bdd r[2][2];
    split_relation(dd, relation->diagram, k, job->backward, r);
    if (!writes) { /* the relation only looks at this pair */
        bdd part[2];
        split_set(dd, relation->diagram, k, part);
        r[0][0] = part[0], r[1][1] = part[1];
        r[0][1] = r[1][0] = BDD_FALSE;
    }
    while (again) {
        again = false;
        for (unsigned x = 0; x < 2; x++)
            for (unsigned y = 0; y < 2; y++) {
                if (r[x][y] == BDD_FALSE || half[x] == BDD_FALSE) continue;
                bdd more =
                    *dd_push(dd, fire_closed(job, relation, half[x], r[x][y], c[y], writes, k + 1));
                bdd sum = dd_do_or(dd, half[y], more);
                dd_pop(dd, 1);
                if (sum == half[y]) continue;
                half[y] = sum;
                again = changed = true;
            }
    }
    return changed;
}

static bdd saturate(const struct saturation *job, bdd set, bdd within, uint32_t k)
{
    struct dd *dd = job->dd;
    bdd result, s[2], c[2];
    if (set <= BDD_TRUE || within == BDD_FALSE || k >= dd->pairs || job->busy[k] == LAST_LEVEL)
        return set;
    k = min(job->busy[k], min(dd_position_of(dd, set), dd_position_of(dd, within)));
    if (job->busy[k] == LAST_LEVEL) return set;
    uint32_t tag = OP_SATURATE | dd->session << TAG_SHIFT;
    if (dd_cache_find(dd, tag, k, set, within, 0, &result)) return result;
    split_set(dd, set, k, s);
    split_set(dd, within, k, c);
    bdd *half = dd_push(dd, BDD_FALSE);
    dd_push(dd, BDD_FALSE);
    half[0] = saturate(job, s[0], c[0], k + 1);
    half[1] = saturate(job, s[1], c[1], k + 1);
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t i = job->first[k]; i < job->first[k + 1]; i++)
            again |= fire_here(job, job->relations[i], half, c, k);
        if (job->first[k + 1] - job->first[k] == 1) again = false;
    }
    result = dd_make(dd, dd_now(dd->pair_at[k]), half[0], half[1]);
    dd_pop(dd, 2);
    dd_cache_put(dd, tag, k, result, within, 0, result);
    return dd_cache_put(dd, tag, k, set, within, 0, result);
}

/* Sorts the relations by their first position; the lists are in one block. */
static void prepare(struct saturation *job, struct dd_relation *const *relations, uint32_t count,
                    uint32_t *lists, struct dd_relation **sorted)
{
    struct dd *dd = job->dd;
    job->first = lists;
    job->busy = lists + dd->pairs + 2;
    memset(job->first, 0, (dd->pairs + 2) * sizeof *lists);
    for (uint32_t i = 0; i < count; i++) {
        dd_refresh_relation(dd, relations[i]);
        if (relations[i]->top < dd->pairs) job->first[relations[i]->top + 1]++;
    }
    for (uint32_t k = 0; k <= dd->pairs; k++) job->first[k + 1] += job->first[k];
    for (uint32_t i = 0; i < count; i++) /* first[k] moves to the end of its range ... */
        if (relations[i]->top < dd->pairs) sorted[job->first[relations[i]->top]++] = relations[i];
    for (uint32_t k = dd->pairs + 1; k > 0; k--)
        job->first[k] = job->first[k - 1]; /* ... and back */
    job->first[0] = 0;
    job->busy[dd->pairs] = LAST_LEVEL;
    for (uint32_t k = dd->pairs; k-- > 0;)
        job->busy[k] = job->first[k + 1] > job->first[k] ? k : job->busy[k + 1];
    job->relations = sorted;
    assert(job->first[dd->pairs] <= count);
}

void dd_next_session(struct dd *dd)
{
    if (dd->session == TAG_SESSIONS) {
        dd_forget_cache(dd);
        dd->session = 0;
    }
    dd->session++;
}

bdd dd_saturate(struct dd *dd, struct dd_relation *const *relations, uint32_t count,
                enum dd_direction direction, bdd set, bdd within)
{
    assert(!dd->saturating); /* one at a time: its results are cached for one set of relations */
    uint32_t *lists = mem_try_alloc(dd->mem, (2 * (size_t)dd->pairs + 4) * sizeof *lists);
    struct dd_relation **sorted = mem_try_alloc(dd->mem, ((size_t)count + 1) * sizeof *sorted);
    volatile bool tried = false;
    struct dd_guard guard;
    if (!lists || !sorted) {
        mem_free(dd->mem, lists);
        mem_free(dd->mem, sorted);
        dd_give_up(dd, DD_FULL);
    }
    dd_push(dd, set);
    dd_push(dd, within);
    enum dd_reason why = dd_catch(dd, &guard);
    if (why == DD_FULL && dd->may_reorder && !tried) {
        tried = true;
        if (dd_reorder(dd)) why = DD_AGAIN;
        dd_arm(dd, &guard); /* the same place to come back to */
    } else if (why == DD_AGAIN) {
        dd_reorder(dd);
        dd_arm(dd, &guard);
    } else if (why != DD_NONE) {
        dd_arm(dd, &guard);
    }
    if (why == DD_FULL || why == DD_STOPPED) {
        dd_uncatch(dd, &guard);
        mem_free(dd->mem, lists);
        mem_free(dd->mem, sorted);
        dd_give_up(dd, why);
    }
    struct saturation job = {.dd = dd, .backward = direction == DD_BACKWARD};
    prepare(&job, relations, count, lists, sorted);
    dd_next_session(dd);
    dd->saturating = true;
    bdd result = saturate(&job, set, within, 0);
    dd->saturating = false;
    dd_uncatch(dd, &guard);
    dd_pop(dd, 2);
    mem_free(dd->mem, lists);
    mem_free(dd->mem, sorted);
    return result;
}
