#include "solver/dd/private.h"

#include "base/bitset.h"

#include <string.h>

#ifdef CAIRN_DEGENERATE
enum {
    FIRST_NODES = 64,
    FIRST_HEADS = 2,
    FIRST_CACHE = 16,
    POLL_RESULTS = 64,
    GROW_PERCENT = 90,
    NODES_PER_PAIR = 0
}; /* everything that is rare happens often */
static const uint32_t first_threshold = 200, first_collection = 0, often_below = 1500;
#else
enum {
    FIRST_NODES = 1 << 14,
    FIRST_HEADS = 16,
    FIRST_CACHE = 1 << 14,
    POLL_RESULTS = 1 << 14,
    GROW_PERCENT = 25,
    NODES_PER_PAIR = 50
};
static const uint32_t first_threshold = 100000, first_collection = 1 << 20, often_below = 0;
#endif
enum { STACK_PER_LEVEL = 12, STACK_SPARE = 256 };

/* ---- creation ---- */

/* One more or all: the arrays per variable and per pair. False when refused; then nothing has
 * changed but spare room. */
static bool resize_pairs(struct dd *dd, uint32_t pairs)
{
    struct dd_subtable *tables =
        mem_try_resize(dd->mem, dd->tables, (2 * (size_t)pairs + 1) * sizeof *tables);
    if (tables) dd->tables = tables;
    uint32_t *place = mem_try_resize(dd->mem, dd->place, (pairs + 1) * sizeof *place);
    if (place) dd->place = place;
    uint32_t *pair_at = mem_try_resize(dd->mem, dd->pair_at, (pairs + 1) * sizeof *pair_at);
    if (pair_at) dd->pair_at = pair_at;
    uint32_t stack_size = 2 * pairs * STACK_PER_LEVEL + STACK_SPARE;
    bdd *stack = mem_try_resize(dd->mem, dd->stack, stack_size * sizeof *stack);
    if (stack) dd->stack = stack, dd->stack_size = stack_size;
    if (!tables || !place || !pair_at || !stack) return false;
    const uint64_t heads = dd->heads;
    for (uint32_t v = 2 * dd->pairs; v < 2 * pairs; v++) {
        dd->tables[v] = (struct dd_subtable){mem_try_alloc(dd->mem, FIRST_HEADS * sizeof(uint32_t)),
                                             FIRST_HEADS, 0};
        dd->heads += FIRST_HEADS;
        if (dd->tables[v].heads) continue;
        while (v-- > 2 * dd->pairs) mem_free(dd->mem, dd->tables[v].heads);
        dd->heads = heads;
        return false;
    }
    return true;
}

struct dd *dd_new(struct mem *mem, uint32_t pairs)
{
    struct dd *dd = mem_try_alloc(mem, sizeof *dd);
    if (!dd) return NULL;
    dd->mem = mem;
    dd->capacity = FIRST_NODES;
    dd->cache_size = FIRST_CACHE;
    dd->nodes = mem_try_alloc(mem, dd->capacity * sizeof *dd->nodes);
    dd->cache = mem_try_alloc(mem, dd->cache_size * sizeof *dd->cache);
    if (!dd->nodes || !dd->cache || pairs > DD_MAX_PAIRS || !resize_pairs(dd, pairs)) {
        dd_free(dd);
        return NULL;
    }
    dd->pairs = pairs;
    for (uint32_t p = 0; p < pairs; p++) dd->place[p] = dd->pair_at[p] = p;
    dd->nodes[BDD_FALSE] = (struct dd_node){FREE_VAR, BDD_FALSE, BDD_FALSE, NIL};
    dd->nodes[BDD_TRUE] = (struct dd_node){FREE_VAR, BDD_TRUE, BDD_TRUE, NIL};
    dd->used = dd->in_use = 2;
    dd->poll_in = POLL_RESULTS;
    dd->version = 1;
    dd->may_reorder = true;
    dd->threshold =
        first_threshold + NODES_PER_PAIR * pairs; /* wide models are no reason to sift */
    return dd;
}

void dd_free(struct dd *dd)
{
    for (uint32_t v = 0; v < 2 * dd->pairs; v++) mem_free(dd->mem, dd->tables[v].heads);
    mem_free(dd->mem, dd->tables);
    mem_free(dd->mem, dd->place);
    mem_free(dd->mem, dd->pair_at);
    mem_free(dd->mem, dd->stack);
    mem_free(dd->mem, dd->nodes);
    mem_free(dd->mem, dd->cache);
    mem_free(dd->mem, dd->arrays);
    mem_free(dd->mem, dd);
}

uint32_t dd_pairs(const struct dd *dd) { return dd->pairs; }

bool dd_add_pairs(struct dd *dd, uint32_t count, bool first)
{
    uint32_t before = dd->pairs, after = before + count;
    if (after > DD_MAX_PAIRS || !resize_pairs(dd, after)) return false;
    if (first) memmove(dd->pair_at + count, dd->pair_at, before * sizeof *dd->pair_at);
    for (uint32_t i = 0; i < count; i++) dd->pair_at[first ? i : before + i] = before + i;
    dd->pairs = after;
    for (uint32_t k = 0; k < after; k++) dd->place[dd->pair_at[k]] = k;
    dd->version++;
    dd_forget_cache(dd);
    CHECKED(!dd_check_nodes(dd));
    return true;
}

void dd_set_order(struct dd *dd, const uint32_t *pairs)
{
    assert(dd->in_use == 2);
    for (uint32_t k = 0; k < dd->pairs; k++) dd->pair_at[k] = pairs[k];
    for (uint32_t k = 0; k < dd->pairs; k++) dd->place[dd->pair_at[k]] = k;
    for (uint32_t p = 0; p < dd->pairs; p++) assert(dd->pair_at[dd->place[p]] == p); /* 3 */
    dd->version++;
}

uint32_t dd_pair_at(const struct dd *dd, uint32_t position) { return dd->pair_at[position]; }
uint32_t dd_place_of(const struct dd *dd, uint32_t pair) { return dd->place[pair]; }
uint32_t dd_first_position(const struct dd *dd, bdd a) { return dd_position_of(dd, a); }

/* ---- protection and limits ---- */

uint32_t dd_mark(const struct dd *dd) { return dd->array_count; }

void *dd_need(struct dd *dd, void *block, size_t bytes)
{
    void *moved = mem_try_resize(dd->mem, block, bytes);
    if (!moved) dd_give_up(dd, DD_FULL);
    return moved;
}

/* Single variables and arrays share one stack: an array is a root with a count. */
void dd_protect_array(struct dd *dd, bdd *variables, uint32_t count)
{
    if (dd->array_count == dd->array_cap) {
        uint32_t cap = dd->array_cap ? 2 * dd->array_cap : 64;
        dd->arrays = dd_need(dd, dd->arrays, cap * sizeof *dd->arrays);
        dd->array_cap = cap;
    }
    for (uint32_t i = 0; i < count; i++) assert(variables[i] < dd->used); /* it is a diagram now */
    dd->arrays[dd->array_count++] = (struct dd_root_array){variables, count};
}

void dd_protect(struct dd *dd, bdd *variable) { dd_protect_array(dd, variable, 1); }

void dd_protect_list(struct dd *dd, bdd *const *variables, size_t count)
{
    for (size_t i = 0; i < count; i++) dd_protect(dd, variables[i]);
}

void dd_release(struct dd *dd, uint32_t mark)
{
    assert(mark <= dd->array_count);
    dd->array_count = mark;
}

void dd_arm(struct dd *dd, struct dd_guard *guard)
{
    guard->outer = dd->guard;
    guard->roots = dd->array_count;
    guard->stack = dd->top;
    dd->guard = guard;
}

void dd_uncatch(struct dd *dd, struct dd_guard *guard)
{
    assert(dd->guard == guard);
    dd->guard = guard->outer;
}

_Noreturn void dd_give_up(struct dd *dd, enum dd_reason why)
{
    struct dd_guard *guard = dd->guard;
    assert(guard); /* the contract: somebody catches */
    assert(guard->roots <= dd->array_count && guard->stack <= dd->top);
    dd->guard = guard->outer;
    dd->array_count = guard->roots;
    dd->top = guard->stack;
    dd->saturating = false;
    longjmp(guard->env, (int)why);
}

void dd_set_poll(struct dd *dd, bool (*poll)(void *context), void *context)
{
    dd->poll = poll;
    dd->poll_context = context;
}

void dd_set_budget(struct dd *dd, uint64_t results)
{
    dd->has_budget = results != 0;
    dd->budget = results;
}

void dd_ask_poll(struct dd *dd)
{
    dd->poll_in = POLL_RESULTS;
    if (dd->has_budget && dd->budget < POLL_RESULTS) dd_give_up(dd, DD_STOPPED);
    if (dd->has_budget) dd->budget -= POLL_RESULTS;
    if (mem_enough(dd->mem)) dd_give_up(dd, DD_STOPPED);
    if (dd->poll && !dd->poll(dd->poll_context)) dd_give_up(dd, DD_STOPPED);
}

void dd_allow_reordering(struct dd *dd, bool allowed) { dd->may_reorder = allowed; }

void dd_get_statistics(const struct dd *dd, struct dd_statistics *statistics)
{
    uint64_t bytes = (uint64_t)dd->capacity * sizeof *dd->nodes
                     + (uint64_t)dd->cache_size * sizeof *dd->cache + dd->heads * sizeof(uint32_t);
    *statistics =
        (struct dd_statistics){dd->in_use - 2,  dd->peak > dd->in_use ? dd->peak : dd->in_use,
                               dd->live,        dd->collections,
                               dd->reorderings, bytes};
}

/* ---- collection ---- */

void dd_forget_cache(struct dd *dd) { memset(dd->cache, 0, dd->cache_size * sizeof *dd->cache); }

/* Marks what is below a; the stack of the manager has room for one entry per level beyond what is
 * in use: depth is bounded. */
static void mark_from(struct dd *dd, bdd a)
{
    uint32_t bottom = dd->top;
    if (a <= BDD_TRUE || dd->nodes[a].var & MARK) return;
    dd->nodes[a].var |= MARK;
    dd_push(dd, a);
    while (dd->top > bottom) {
        struct dd_node *node = &dd->nodes[dd->stack[dd->top - 1]];
        if (node->low > BDD_TRUE && !(dd->nodes[node->low].var & MARK)) {
            dd->nodes[node->low].var |= MARK;
            dd_push(dd, node->low);
        } else if (node->high > BDD_TRUE && !(dd->nodes[node->high].var & MARK)) {
            dd->nodes[node->high].var |= MARK;
            dd_push(dd, node->high);
        } else {
            dd->top--;
        }
    }
}

static bool is_marked(const struct dd *dd, bdd a)
{
    return a <= BDD_TRUE || dd->nodes[a].var & MARK;
}

/* Entries that mention a dead node are dropped. Not every operation uses all three operands, but
 * unused ones are 0. */
static void clean_cache(struct dd *dd)
{
    for (uint32_t i = 0; i < dd->cache_size; i++) {
        struct dd_cache_entry *entry = &dd->cache[i];
        if (!entry->tag) continue;
        if (!is_marked(dd, entry->a) || !is_marked(dd, entry->b) || !is_marked(dd, entry->c)
            || !is_marked(dd, entry->result))
            entry->tag = 0;
    }
}

static void sweep(struct dd *dd)
{
    for (uint32_t v = 0; v < 2 * dd->pairs; v++) {
        struct dd_subtable *table = &dd->tables[v];
        for (uint32_t i = 0; i < table->size && table->count; i++) {
            uint32_t *link = &table->heads[i];
            while (*link) {
                uint32_t n = *link;
                struct dd_node *node = &dd->nodes[n];
                if (node->var & MARK) {
                    node->var &= ~(uint32_t)MARK;
                    link = &node->next;
                } else {
                    assert(node->var == v); /* 2 */
                    *link = node->next;
                    table->count--;
                    dd_give_node(dd, n);
                }
            }
        }
    }
}

void dd_collect(struct dd *dd)
{
    uint32_t height = dd->top;
    for (uint32_t i = 0; i < height; i++) mark_from(dd, dd->stack[i]);
    for (uint32_t i = 0; i < dd->array_count; i++)
        for (uint32_t j = 0; j < dd->arrays[i].count; j++) mark_from(dd, dd->arrays[i].data[j]);
    if (dd->in_use > dd->peak) dd->peak = dd->in_use;
    clean_cache(dd);
    sweep(dd);
    dd->live = dd->in_use;
    dd->collections++;
    if (dd->live > dd->threshold) dd->due = true;
    assert(dd->top == height);
    CHECKED(!checked_due(&dd->check_saved, (uint64_t)dd->used + dd->cache_size, dd->used)
            || !dd_check_nodes(dd));
}

/* ---- nodes ---- */

uint32_t dd_take_node(struct dd *dd)
{
    uint32_t node = dd->free_list;
    if (node) dd->free_list = dd->nodes[node].next;
    else if (dd->used < dd->capacity) node = dd->used++;
    if (node) dd->in_use++;
    return node;
}

void dd_give_node(struct dd *dd, uint32_t node)
{
    assert(node > BDD_TRUE && node < dd->used && dd->nodes[node].var != FREE_VAR);
    dd->nodes[node] = (struct dd_node){FREE_VAR, BDD_FALSE, BDD_FALSE, dd->free_list};
    dd->free_list = node;
    dd->in_use--;
}

static bool grow_nodes(struct dd *dd)
{
    uint64_t capacity = (uint64_t)dd->capacity * 2;
    struct dd_node *nodes = NULL;
    if (capacity < MARK) nodes = mem_try_resize(dd->mem, dd->nodes, capacity * sizeof *nodes);
    if (!nodes) { /* a smaller step may still fit */
        capacity = (uint64_t)dd->capacity + dd->capacity / 4;
        if (capacity < MARK) nodes = mem_try_resize(dd->mem, dd->nodes, capacity * sizeof *nodes);
    }
    if (!nodes) return false;
    dd->nodes = nodes;
    dd->capacity = (uint32_t)capacity;
    return true;
}

/* The cache grows when as many results were lost as it holds: saturation needs far more of them
 * than there are nodes. Losing entries costs time, never correctness, so a refusal is no matter. */
static void grow_cache(struct dd *dd)
{
    enum { MAX_ENTRIES = 1 << 26, MAX_PER_NODE = 32, MAX_SHARE = 3 };
    uint64_t size = dd->cache_size, limit = dd->mem->limit, bytes = 2 * size * sizeof *dd->cache;
    struct dd_cache_entry *old = dd->cache, *bigger = NULL;
    dd->evictions = 0;
    if (size < MAX_ENTRIES && size < (uint64_t)MAX_PER_NODE * dd->in_use
        && (!limit || bytes < limit / MAX_SHARE))
        bigger = mem_try_alloc(dd->mem, bytes);
    if (!bigger) return;
    dd->cache = bigger;
    dd->cache_size *= 2;
    for (uint32_t i = 0; i < size; i++)
        if (old[i].tag)
            *dd_cache_slot(dd, old[i].tag, old[i].extra, old[i].a, old[i].b, old[i].c) = old[i];
    mem_free(dd->mem, old);
}

bool dd_make_room(struct dd *dd, uint32_t wanted)
{
    while (dd->capacity - dd->in_use < wanted)
        if (!grow_nodes(dd)) return false;
    return true;
}

/* No node is free: grows while the table is small, because a collection also costs the results that
 * the cache knows; then collects, and grows when that did not give much. */
static void find_nodes(struct dd *dd, bdd low, bdd high)
{
    if (dd->capacity < first_collection && grow_nodes(dd)) return;
    dd_push(dd, low);
    dd_push(dd, high);
    dd_collect(dd);
    dd_pop(dd, 2);
    if (dd->in_use > (uint64_t)dd->capacity * GROW_PERCENT / 100) grow_nodes(dd);
    if (dd->saturating && dd->due && dd->may_reorder)
        dd_give_up(dd, DD_AGAIN); /* to dd_saturate, which reorders and starts again */
    if (dd->capacity - dd->in_use < dd->capacity / 16) dd_give_up(dd, DD_FULL);
}

uint32_t dd_subtable_slot(const struct dd_subtable *table, bdd low, bdd high)
{
    uint64_t h = ((uint64_t)low << 32 | high) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(h >> 32) & (table->size - 1);
}

struct dd_subtable *dd_grow_subtable(struct dd *dd, struct dd_subtable *table)
{
    uint32_t *heads = mem_try_alloc(dd->mem, 2 * (uint64_t)table->size * sizeof *heads),
             *old = table->heads, size = table->size;
    if (!heads) return table; /* longer chains are slower, not wrong */
    table->heads = heads;
    table->size *= 2;
    dd->heads += size;
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t n = old[i], next; n; n = next) {
            uint32_t slot = dd_subtable_slot(table, dd->nodes[n].low, dd->nodes[n].high);
            next = dd->nodes[n].next;
            dd->nodes[n].next = heads[slot];
            heads[slot] = n;
        }
    mem_free(dd->mem, old);
    return table;
}

bdd dd_make(struct dd *dd, uint32_t var, bdd low, bdd high)
{
    struct dd_subtable *table = &dd->tables[var];
    if (low == high) return low;
    CHECKED(dd_level_of(dd, low) > 2 * dd->place[var / 2] + (var & 1)
            && dd_level_of(dd, high) > 2 * dd->place[var / 2] + (var & 1)); /* 1 */
    uint32_t slot = dd_subtable_slot(table, low, high);
    for (uint32_t n = table->heads[slot]; n; n = dd->nodes[n].next)
        if (dd->nodes[n].low == low && dd->nodes[n].high == high) return n;
    if (dd->evictions > dd->cache_size) grow_cache(dd);
    bool often =
        dd->in_use < often_below
        && dd->in_use % 16 == 0; /* tests collect as often as they can, while tables are small */
    uint32_t node = often ? NIL : dd_take_node(dd);
    if (!node) {
        find_nodes(dd, low, high);
        node = dd_take_node(dd);
        assert(node); /* or it would have been given up */
    }
    if (table->count >= table->size) dd_grow_subtable(dd, table);
    slot = dd_subtable_slot(table, low, high);
    dd->nodes[node] = (struct dd_node){var, low, high, table->heads[slot]};
    table->heads[slot] = node;
    table->count++;
    return node;
}

void dd_rest(struct dd *dd)
{
    if (dd->due && dd->may_reorder) dd_reorder(dd);
}

/* ---- checks ---- */

static bool exists(const struct dd *dd, bdd a)
{
    return a <= BDD_TRUE || (a < dd->used && dd->nodes[a].var != FREE_VAR);
}

static const char *check_cache(const struct dd *dd)
{
    for (uint32_t i = 0; i < dd->cache_size; i++) {
        const struct dd_cache_entry *entry = &dd->cache[i];
        if (entry->tag
            && (!exists(dd, entry->a) || !exists(dd, entry->b) || !exists(dd, entry->c)
                || !exists(dd, entry->result)))
            return "the cache mentions a node that does not exist"; /* 4 */
    }
    return NULL;
}

/* Marks the variables of a diagram in a set of checked_alloc; no node is touched. */
static void find_variables(const struct dd *dd, bdd a, uint64_t *variables)
{
    uint64_t *seen = checked_alloc(bitset_bytes(dd->used));
    bdd *waiting = checked_alloc((4 * (size_t)dd->pairs + 4) * sizeof *waiting); /* two a level */
    uint32_t count = 0;
    if (seen && waiting && a > BDD_TRUE) waiting[count++] = a;
    while (count) {
        const struct dd_node *node = &dd->nodes[waiting[--count]];
        bitset_add(variables, node->var);
        for (unsigned k = 0; k < 2; k++) {
            bdd child = k ? node->high : node->low;
            if (child <= BDD_TRUE || bitset_has(seen, child)) continue;
            bitset_add(seen, child);
            waiting[count++] = child;
        }
    }
    checked_free(seen);
    checked_free(waiting);
}

bool dd_is_now(const struct dd *dd, bdd a)
{
    uint64_t *variables = checked_alloc(bitset_bytes(2 * dd->pairs));
    bool good = true;
    if (!variables) return true;
    find_variables(dd, a, variables);
    for (uint32_t p = 0; p < dd->pairs; p++) good &= !bitset_has(variables, dd_next(p));
    checked_free(variables);
    return good;
}

bool dd_check_relation(const struct dd *dd, const struct dd_relation *relation)
{
    uint64_t *variables = checked_alloc(bitset_bytes(2 * dd->pairs)),
             *written = checked_alloc(bitset_bytes(dd->pairs));
    bool good = true;
    if (variables && written) {
        find_variables(dd, relation->diagram, variables);
        for (uint32_t i = 0; i < relation->written_count; i++)
            bitset_add(written, relation->written[i]);
        for (uint32_t p = 0; p < dd->pairs; p++)
            good &= bitset_has(written, p) || !bitset_has(variables, dd_next(p));
    }
    checked_free(variables);
    checked_free(written);
    return good;
}

const char *dd_check(struct dd *dd)
{
    if (dd->top) return "no operation runs, but something is on the stack";
    return dd_check_nodes(dd);
}

const char *dd_check_nodes(const struct dd *dd)
{
    uint32_t found = 2;
    uint64_t heads = 0;
    for (uint32_t p = 0; p < dd->pairs; p++)
        if (dd->pair_at[dd->place[p]] != p) return "the order and its inverse disagree";
    for (uint32_t v = 0; v < 2 * dd->pairs; v++) {
        const struct dd_subtable *table = &dd->tables[v];
        uint32_t count = 0;
        heads += table->size;
        for (uint32_t i = 0; i < table->size; i++)
            for (uint32_t n = table->heads[i]; n; n = dd->nodes[n].next, count++) {
                const struct dd_node *node = &dd->nodes[n];
                if (node->var != v) return "a node is in another variable's table";
                if (node->low == node->high) return "a node has equal children";
                if (dd_level_of(dd, node->low) <= dd_level_of(dd, n)
                    || dd_level_of(dd, node->high) <= dd_level_of(dd, n))
                    return "a child is not below its parent";
                if (node->low >= dd->used || node->high >= dd->used)
                    return "a child does not exist";
                if ((node->low > 1 && dd->nodes[node->low].var == FREE_VAR)
                    || (node->high > 1 && dd->nodes[node->high].var == FREE_VAR))
                    return "a child was freed";
                if (dd_subtable_slot(table, node->low, node->high) != i)
                    return "a node is in the wrong chain";
                for (uint32_t m = node->next; m; m = dd->nodes[m].next)
                    if (dd->nodes[m].low == node->low && dd->nodes[m].high == node->high)
                        return "two nodes are equal";
            }
        if (count != table->count) return "a table has lost count";
        found += count;
    }
    if (heads != dd->heads) return "the size of tables is not what they have";
    return found == dd->in_use ? check_cache(dd) : "nodes are lost";
}
