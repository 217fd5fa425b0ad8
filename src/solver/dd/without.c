/* A diagram without many parts, in the manner of saturation: at each of its nodes, the children
 * first, then the parts that begin at its level. What is made on the way is never more than what
 * the diagram has below its nodes, however large all parts together would be. */
#include "solver/dd/private.h"

struct removal {
    struct dd *dd;
    const bdd *parts;
    const struct dd_part *list; /* sorted by level */
    uint32_t count;
};

/* Without the parts from `from` on, which begin at the level of `a` or below. */
static bdd without(const struct removal *job, bdd a, uint32_t from)
{
    struct dd *dd = job->dd;
    const uint32_t tag = OP_WITHOUT | dd->session << TAG_SHIFT;
    bdd result;
    if (a == BDD_FALSE || from == job->count) return a;
    if (dd_cache_find(dd, tag, from, a, 0, 0, &result)) return result;
    const uint32_t own = dd_level_of(dd, a), first = job->list[from].level,
                   level = first < own ? first : own;
    uint32_t end = from;
    while (end < job->count && job->list[end].level == level) end++;
    bdd low = *dd_push(dd, without(job, own == level ? dd->nodes[a].low : a, end));
    bdd high = own == level ? without(job, dd->nodes[a].high, end) : low;
    result = dd_make(dd, dd_var_at(dd, level), low, high);
    dd_pop(dd, 1);
    for (uint32_t i = from; i < end && result != BDD_FALSE; i++) {
        dd_push(dd, result);
        result = dd_do_diff(dd, result, job->parts[job->list[i].part]);
        dd_pop(dd, 1);
    }
    return dd_cache_put(dd, tag, from, a, 0, 0, result);
}

bdd dd_without(struct dd *dd, bdd a, const bdd *parts, uint32_t count)
{
    struct removal job = {dd, parts, dd_sort_parts(dd, parts, count), count};
    struct dd_guard guard;
    bdd result = BDD_FALSE;
    if (!job.list) dd_give_up(dd, DD_FULL);
    dd_next_session(dd);
    dd_push(dd, a);
    enum dd_reason why = dd_catch(dd, &guard);
    if (why == DD_NONE) {
        result = without(&job, a, 0);
        dd_uncatch(dd, &guard);
    }
    mem_free(dd->mem, (void *)job.list);
    if (why != DD_NONE) dd_give_up(dd, why);
    dd_pop(dd, 1);
    return result;
}
