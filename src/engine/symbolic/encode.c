#include "engine/symbolic/encode.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- a static order of variables ---- */

/* FORCE (Aloul, Markov and Sakallah 2003): every rule pulls its variables to their common centre,
 * again and again; the arrangement with the least total span of rules wins. The arrangement that
 * the model's text gives is one candidate. */
struct arrangement {
    const struct model *model;
    uint32_t *place; /* per variable */
    uint32_t *order; /* per place */
    uint32_t *best;
    double *pull;
    uint32_t *weight;
    uint64_t best_span;
};

/* Calls visit for every variable the rule reads or writes; variables that it does both with come
 * twice, which does no harm. */
static uint64_t rule_span(const struct arrangement *a, uint32_t r, double *centre, uint32_t *count)
{
    const struct model_rule *rule = &a->model->rules.data[r];
    uint32_t low = UINT32_MAX, high = 0;
    double sum = 0;
    *count = 0;
    for (uint32_t i = 0; i < rule->reads + rule->writes; i++) {
        uint32_t at = i < rule->reads ? rule->first_read + i : rule->first_write + i - rule->reads,
                 place = a->place[a->model->accesses.data[at]];
        sum += place;
        ++*count;
        if (place < low) low = place;
        if (place > high) high = place;
    }
    *centre = *count ? sum / *count : 0;
    return *count ? high - low : 0;
}

static uint64_t total_span(const struct arrangement *a)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < a->model->rules.len; r++) {
        double centre;
        uint32_t count;
        total += rule_span(a, r, &centre, &count);
    }
    return total;
}

struct pulled {
    double pull;
    uint32_t var;
};
static int compare_pulls(const void *x, const void *y)
{
    const struct pulled *a = x, *b = y;
    if (a->pull < b->pull || a->pull > b->pull) return a->pull < b->pull ? -1 : 1;
    return (a->var > b->var) - (a->var < b->var);
}

static void rearrange(struct arrangement *a, struct pulled *list)
{
    uint32_t vars = a->model->vars.len;
    for (uint32_t v = 0; v < vars; v++) a->pull[v] = 0, a->weight[v] = 0;
    for (uint32_t r = 0; r < a->model->rules.len; r++) {
        const struct model_rule *rule = &a->model->rules.data[r];
        double centre;
        uint32_t count;
        rule_span(a, r, &centre, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = i < rule->reads ? rule->first_read + i
                                          : rule->first_write + i - rule->reads,
                     v = a->model->accesses.data[at];
            a->pull[v] += centre;
            a->weight[v]++;
        }
    }
    for (uint32_t v = 0; v < vars; v++)
        list[v] = (struct pulled){a->weight[v] ? a->pull[v] / a->weight[v] : a->place[v], v};
    qsort(list, vars, sizeof *list, compare_pulls);
    for (uint32_t k = 0; k < vars; k++) a->place[list[k].var] = k;
}

/* Variables first to last; a block of mem. */
static uint32_t *arrange(const struct model *model)
{
    enum { ROUNDS = 60 };
    struct mem *mem = model->mem;
    uint32_t vars = model->vars.len, patience = 10;
    struct arrangement a = {.model = model};
    a.place = mem_alloc(mem, (vars + 1) * sizeof *a.place);
    a.best = mem_alloc(mem, (vars + 1) * sizeof *a.best);
    a.pull = mem_alloc(mem, (vars + 1) * sizeof *a.pull);
    a.weight = mem_alloc(mem, (vars + 1) * sizeof *a.weight);
    struct pulled *list = mem_alloc(mem, (vars + 1) * sizeof *list);
    for (uint32_t v = 0; v < vars; v++) a.place[v] = a.best[v] = v;
    a.best_span = total_span(&a);
    for (unsigned round = 0; round < ROUNDS && patience; round++) {
        rearrange(&a, list);
        uint64_t span = total_span(&a);
        if (span < a.best_span) {
            a.best_span = span;
            patience = 10;
            for (uint32_t k = 0; k < vars; k++) a.best[k] = list[k].var;
        } else {
            patience--;
        }
    }
    mem_free(mem, a.place);
    mem_free(mem, a.pull);
    mem_free(mem, a.weight);
    mem_free(mem, list);
    return a.best;
}

bdd encode_lit(struct encoding *e, lit output)
{
    return diagram_of(&e->bits.circuit, e->dd, output);
}

/* ---- rules ---- */

/* A bit that a rule writes. */
struct written_bit {
    uint32_t place, pair; /* its position in the order, and itself */
    lit value;
};
struct rule_bits {
    struct written_bit *bits;
    uint32_t *pairs; /* the same, as relations want them */
    bdd *others;     /* for each, where its new value is another one */
    uint32_t count;
};

static int compare_places(const void *x, const void *y)
{
    const struct written_bit *a = x, *b = y;
    return (a->place > b->place) - (a->place < b->place);
}

/* A stored bit that is always the old one is not written. As the order has them. */
static void list_written(struct encoding *e, uint32_t r, const struct bits_rule *encoded,
                         struct rule_bits *out)
{
    const struct model_rule *rule = &e->model->rules.data[r];
    uint32_t next = 0;
    out->count = 0;
    for (uint32_t i = 0; i < rule->stores; i++) {
        uint32_t var = e->model->stores.data[rule->first_store + i].var;
        for (uint32_t b = 0; b < bits_width(&e->bits, var); b++) {
            lit value = encoded->stored.data[next++];
            uint32_t pair = e->bits.first[var] + b;
            if (value == circuit_input(&e->bits.circuit, pair)) continue;
            out->bits[out->count++] = (struct written_bit){dd_place_of(e->dd, pair), pair, value};
        }
    }
    assert(next == encoded->stored.len && out->count <= e->bits.total);
    qsort(out->bits, out->count, sizeof *out->bits, compare_places);
    for (uint32_t i = 0; i < out->count; i++) out->pairs[i] = out->bits[i].pair;
}

/* The guard without everything that has other values afterwards. The parts that begin at the same
 * level go from the last bit to the first: what is left grows at its top. */
static bdd relate(struct encoding *e, bdd guard, struct rule_bits *written)
{
    struct dd *dd = e->dd;
    bdd value = BDD_FALSE;
    uint32_t mark = dd_mark(dd), count = 0;
    memset(written->others, 0, written->count * sizeof *written->others);
    dd_keep(dd, &guard, &value);
    dd_protect_array(dd, written->others, written->count);
    for (uint32_t i = written->count; i-- > 0;) {
        value = encode_lit(e, written->bits[i].value);
        written->others[count] = dd_variable(dd, dd_next(written->bits[i].pair));
        written->others[count] = dd_xor(dd, value, written->others[count]);
        count++;
    }
    bdd all = dd_without(dd, guard, written->others, written->count);
    dd_release(dd, mark);
    return all;
}

static void encode_rule(struct encoding *e, uint32_t r, struct bits_rule *circuit,
                        struct rule_bits *written)
{
    struct encoded_rule *rule = &e->rules[r];
    bits_encode_rule(&e->bits, r, circuit);
    rule->enabled = encode_lit(e, circuit->enabled);
    rule->fails = encode_lit(e, circuit->fails);
    CHECKED(dd_is_now(e->dd, rule->enabled) && dd_is_now(e->dd, rule->fails)); /* 1 */
    list_written(e, r, circuit, written);
    bdd relation = relate(e, rule->enabled, written);
    dd_relation_init(e->dd, &rule->relation, relation, written->pairs, written->count);
    uint64_t size = dd_size(e->dd, rule->relation.diagram);
    if (size > e->largest_relation) e->largest_relation = size;
}

/* ---- clusters ---- */

/* What decides whether rules share a relation: the bits they read and those they write. */
struct footprint {
    uint64_t hash;
    uint32_t rule;
};

/* Of one rule: 2 pair, + 1 when it is written, ascending. */
struct touched {
    uint32_t *bits, *support; /* room for all */
    uint8_t *depends;         /* per variable, all 0 */
    uint32_t count;
};

static int compare_touched(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static uint64_t find_footprint(struct encoding *e, uint32_t r, struct touched *touched)
{
    const struct dd_relation *relation = &e->rules[r].relation;
    uint32_t support =
                 dd_list_support(e->dd, relation->diagram, touched->depends, touched->support),
             count = 0, kept = 0;
    uint64_t h = 0;
    for (uint32_t i = 0; i < support; i++) touched->bits[count++] = touched->support[i] / 2 * 2;
    for (uint32_t i = 0; i < relation->written_count; i++)
        touched->bits[count++] = 2 * relation->written[i] + 1;
    qsort(touched->bits, count, sizeof *touched->bits, compare_touched);
    for (uint32_t i = 0; i < count; i++) {
        if (i && touched->bits[i] == touched->bits[i - 1]) continue;
        touched->bits[kept++] = touched->bits[i];
        h = (h ^ touched->bits[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 31;
    }
    touched->count = kept;
#ifdef CAIRN_DEGENERATE
    h &= 1; /* so that different footprints often look alike */
#endif
    return h;
}

static bool is_same_footprint(const struct touched *a, const struct touched *b)
{
    return a->count == b->count && !memcmp(a->bits, b->bits, a->count * sizeof *a->bits);
}

static struct touched make_touched(struct encoding *e)
{
    const size_t variables = 2 * (size_t)dd_pairs(e->dd) + 1;
    return (struct touched){
        .bits = mem_alloc(e->mem, 2 * variables * sizeof(uint32_t)),
        .support = mem_alloc(e->mem, variables * sizeof(uint32_t)),
        .depends = mem_alloc(e->mem, variables),
    };
}

static void free_touched(struct encoding *e, struct touched *touched)
{
    mem_free(e->mem, touched->bits);
    mem_free(e->mem, touched->support);
    mem_free(e->mem, touched->depends);
}

struct ordered_cluster {
    struct dd_relation *cluster;
    uint32_t rule;
};
static int compare_clusters(const void *x, const void *y)
{
    const struct ordered_cluster *a = x, *b = y;
    return (a->rule > b->rule) - (a->rule < b->rule);
}

static int compare_footprints(const void *x, const void *y)
{
    const struct footprint *a = x, *b = y;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return (a->rule > b->rule) - (a->rule < b->rule);
}

/* Rules with equal footprints, as long as their union stays small. The written pairs of a union are
 * those of each: no frame is needed. */
static void make_clusters(struct encoding *e)
{
    uint32_t rules = e->model->rules.len;
    struct footprint *list = mem_alloc(e->mem, (rules + 1) * sizeof *list);
    struct touched one = make_touched(e), other = make_touched(e);
    e->every_cluster = mem_alloc(e->mem, (rules + 1) * sizeof *e->every_cluster);
    struct ordered_cluster *order = mem_alloc(e->mem, (rules + 1) * sizeof *order);
    uint32_t kept = 0;
    for (uint32_t r = 0; r < rules; r++) {
        if (e->rules[r].enabled == BDD_FALSE) continue;
        list[kept++] = (struct footprint){find_footprint(e, r, &one), r};
    }
    qsort(list, kept, sizeof *list, compare_footprints);
    bdd *sum = &e->scratch[0],
        *more = &e->scratch[1]; /* not locals: the relations are protected after them and stay */
    for (uint32_t i = 0, j; i < kept; i = j) {
        const struct dd_relation *first = &e->rules[list[i].rule].relation;
        *sum = first->diagram;
        uint64_t size = dd_size(e->dd, *sum);
        find_footprint(e, list[i].rule, &one);
        for (j = i + 1; j < kept && list[j].hash == list[i].hash; j++) {
            const struct dd_relation *relation = &e->rules[list[j].rule].relation;
            find_footprint(e, list[j].rule, &other);
            if (!is_same_footprint(&one, &other)) break;
            assert(relation->written_count == first->written_count); /* 2 */
            *more = dd_or(e->dd, *sum, relation->diagram);
            uint64_t grown = dd_size(e->dd, *more);
            if (grown > 2 * (size + dd_size(e->dd, relation->diagram)) + 1000) break;
            *sum = *more;
            size = grown;
        }
        struct dd_relation *cluster = &e->clusters[e->cluster_count];
        order[e->cluster_count++] = (struct ordered_cluster){cluster, list[i].rule};
        dd_relation_init(e->dd, cluster, *sum, first->written, first->written_count);
        e->relation_nodes += size;
    }
    *sum = *more = BDD_FALSE;
    assert(e->cluster_count <= kept);
    qsort(order, e->cluster_count, sizeof *order,
          compare_clusters); /* as the model's text has them: chaining depends on it */
    for (uint32_t i = 0; i < e->cluster_count; i++) e->every_cluster[i] = order[i].cluster;
    mem_free(e->mem, order);
    mem_free(e->mem, list);
    free_touched(e, &one);
    free_touched(e, &other);
}

/* ---- one relation for all, as the thesis has it ---- */

/* The bits of label r, which come first in the order. */
static bdd label(struct encoding *e, uint32_t r, uint32_t first, uint32_t count)
{
    bdd all = BDD_TRUE, bit = BDD_FALSE;
    uint32_t mark = dd_mark(e->dd);
    dd_keep(e->dd, &all, &bit);
    for (uint32_t i = 0; i < count; i++) {
        bit = dd_variable(e->dd, dd_now(first + i));
        all = r >> i & 1 ? dd_and(e->dd, all, bit) : dd_diff(e->dd, all, bit);
    }
    dd_release(e->dd, mark);
    return all;
}

bdd encode_with_frame(struct encoding *e, uint32_t r, const uint8_t *pairs, uint8_t *own)
{
    struct dd *dd = e->dd;
    const struct dd_relation *relation = &e->rules[r].relation;
    bdd all = relation->diagram, now = BDD_FALSE, next = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    memset(own, 0, e->bits.total);
    for (uint32_t i = 0; i < relation->written_count; i++) own[relation->written[i]] = 1;
    dd_keep(dd, &all, &now, &next);
    for (uint32_t k = dd_pairs(dd);
         k-- > 0;) { /* from the last level up: the relation grows at its top */
        uint32_t pair = dd_pair_at(dd, k);
        if (pair >= e->bits.total || !pairs[pair] || own[pair]) continue;
        now = dd_variable(dd, dd_now(pair));
        next = dd_variable(dd, dd_next(pair));
        next = dd_xor(dd, now, next);
        all = dd_diff(dd, all, next);
    }
    dd_release(dd, mark);
    return all;
}

static void make_whole(struct encoding *e)
{
    struct dd *dd = e->dd;
    uint32_t first = e->bits.total, count = dd_pairs(dd) - first, rules = e->model->rules.len,
             mark = dd_mark(dd);
    assert(e->form == RELATION_LABELLED || !count); /* labels have pairs of their own */
    uint32_t *written = mem_alloc(e->mem, (first + 1) * sizeof *written);
    uint8_t *every = mem_alloc(e->mem, 2 * (first + UINT64_C(1)));
    bdd all = BDD_FALSE, one = BDD_FALSE, action = BDD_FALSE, labels = BDD_TRUE;
    for (uint32_t p = 0; p < first; p++) written[p] = p, every[p] = 1;
    dd_keep(dd, &all, &one, &action, &labels);
    for (uint32_t r = 0; r < rules; r++) {
        one = encode_with_frame(e, r, every, every + first + 1);
        action = e->form == RELATION_LABELLED ? label(e, r, first, count) : BDD_TRUE;
        one = dd_and(dd, one, action);
        all = dd_or(dd, all, one);
        dd_rest(dd);
    }
    for (uint32_t i = 0; i < count; i++) {
        one = dd_variable(dd, dd_now(first + i));
        labels = dd_and(dd, labels, one);
    }
    dd_release(dd, mark);
    e->labels = labels;
    dd_relation_init(dd, &e->whole, all, written, first);
    e->relation_nodes = dd_size(dd, all);
    mem_free(e->mem, written);
    mem_free(e->mem, every);
}

/* ---- all of it ---- */

/* For as long as the manager lives, so that what was encoded is still good when a later operation
 * is given up. */
static void protect_all(struct encoding *e)
{
    struct dd_guard guard;
    if (dd_catch(e->dd, &guard) != DD_NONE) mem_refuse(e->mem);
    dd_keep(e->dd, &e->initial, &e->labels, &e->whole.diagram);
    dd_protect_array(e->dd, e->scratch, 2);
    dd_protect_array(e->dd, e->guards, e->model->rules.len + 1);
    for (uint32_t r = 0; r < e->model->rules.len; r++) {
        dd_keep(e->dd, &e->rules[r].enabled, &e->rules[r].fails, &e->rules[r].relation.diagram,
                &e->clusters[r].diagram);
    }
    dd_uncatch(e->dd, &guard);
}

void encode_start(struct encoding *e, struct model *model, enum relation_form form)
{
    uint32_t rules = model->rules.len;
    memset(e, 0, sizeof *e);
    e->model = model;
    e->mem = model->mem;
    e->form = form;
    e->labels = BDD_TRUE;
    bits_init(&e->bits, model);
    assert(e->bits.total <= DD_MAX_PAIRS / 2); /* the contract */
    e->dd = dd_new(e->mem, e->bits.total);
    if (!e->dd) mem_refuse(e->mem);
    e->rules = mem_alloc(e->mem, (rules + UINT64_C(1)) * sizeof *e->rules);
    e->clusters = mem_alloc(e->mem, (rules + UINT64_C(1)) * sizeof *e->clusters);
    e->guards = mem_alloc(e->mem, (rules + UINT64_C(1)) * sizeof *e->guards);
    protect_all(e);
}

static void encode_listed(struct encoding *e)
{
    bdd one = BDD_FALSE;
    uint32_t mark = dd_mark(e->dd);
    e->initial = BDD_FALSE;
    dd_protect(e->dd, &one);
    for (uint32_t i = 0; i < e->model->initial.len; i += e->model->vars.len) {
        one = encode_state(e, e->model->initial.data + i);
        e->initial = dd_or(e->dd, e->initial, one);
    }
    dd_release(e->dd, mark);
}

/* From the last variable of the order to the first: every conjunction grows at its top. */
static void encode_initial(struct encoding *e)
{
    if (model_lists_initial(e->model)) {
        encode_listed(e);
        return;
    }
    uint32_t *owner = mem_alloc(e->mem, (e->bits.total + 1) * sizeof *owner);
    bdd one = BDD_FALSE;
    uint32_t mark = dd_mark(e->dd);
    e->initial = BDD_TRUE;
    dd_protect(e->dd, &one);
    for (uint32_t v = 0; v < e->model->vars.len; v++)
        for (uint32_t b = e->bits.first[v]; b < e->bits.first[v + 1]; b++) owner[b] = v;
    for (uint32_t k = dd_pairs(e->dd); k-- > 0;) {
        uint32_t pair = dd_pair_at(e->dd, k), v = pair < e->bits.total ? owner[pair] : 0;
        if (pair >= e->bits.total || pair != e->bits.first[v])
            continue; /* once for each variable that has bits */
        const struct model_var *var = &e->model->vars.data[v];
        one = encode_lit(e, var->any_init ? bits_in_range(&e->bits, v)
                                          : bits_equals(&e->bits, v, var->init));
        e->initial = dd_and(e->dd, e->initial, one);
    }
    dd_release(e->dd, mark);
    mem_free(e->mem, owner);
}

/* Neighbouring rules belong to one process, as a rule: their guards fit together in a small
 * diagram. */
static void group_guards(struct encoding *e)
{
    enum { LARGE_GROUP = 64 };
    for (uint32_t r = 0; r < e->model->rules.len; r++) {
        bdd *group = &e->guards[e->guard_count];
        e->scratch[0] = dd_or(e->dd, *group, e->rules[r].enabled);
        if (*group != BDD_FALSE && dd_size(e->dd, e->scratch[0]) > LARGE_GROUP) {
            e->guard_count++;
            e->guards[e->guard_count] = e->rules[r].enabled;
        } else {
            *group = e->scratch[0];
        }
    }
    assert(!e->model->rules.len || e->guard_count < e->model->rules.len);
    e->guard_count += e->model->rules.len > 0;
    e->scratch[0] = BDD_FALSE;
}

/* ---- choosing the order ----
 *
 * The bits of a variable stay together, the most significant one first. What a model's text names
 * first is shared by many, as a rule: it comes last in the order, so that rules begin as late as
 * possible, which saturation likes. But a rule that compares several processes with such a variable
 * needs it first, or its relation explodes. So the rules are tried on a manager of their own, with
 * a limit. */

struct trial {
    const struct encoding *e;
    struct dd *dd;
    uint64_t nodes, limit;
    uint32_t polls; /* that are left */
};

static bool is_small(const struct trial *trial)
{
    struct dd_statistics table;
    dd_get_statistics(trial->dd, &table);
    return table.nodes < trial->limit;
}

static bool within_limit(void *context)
{
    struct trial *trial = context;
    return is_small(trial) && trial->polls-- > 1
           && (!trial->e->go_on || trial->e->go_on(trial->e->context));
}

static void measure(struct encoding *e, struct trial *trial, struct bits_rule *circuit,
                    struct rule_bits *written)
{
    for (uint32_t r = 0; r < e->model->rules.len; r++) {
        bdd guard = BDD_FALSE;
        uint32_t mark = dd_mark(e->dd);
        bits_encode_rule(&e->bits, r, circuit);
        dd_protect(e->dd, &guard);
        guard = encode_lit(e, circuit->enabled);
        list_written(e, r, circuit, written);
        trial->nodes += dd_size(e->dd, relate(e, guard, written));
        dd_release(e->dd, mark);
        if (!is_small(trial)) dd_collect(e->dd);
        if (trial->nodes > trial->limit) dd_give_up(e->dd, DD_STOPPED);
    }
}

/* The nodes of all relations under this order; UINT64_MAX: too many. For as long as it takes, the
 * encoding has another manager. */
static uint64_t try_order(struct encoding *e, const uint32_t *pairs, uint64_t limit,
                          struct bits_rule *circuit, struct rule_bits *written)
{
    enum {
        POLLS = 100,
        RULES_PER_POLL = 16
    }; /* some tenths of a second, and more for many rules */
    struct trial trial = {.e = e,
                          .dd = dd_new(e->mem, e->bits.total),
                          .limit = limit,
                          .polls = POLLS + e->model->rules.len / RULES_PER_POLL};
    struct dd *const own = e->dd;
    struct dd_guard guard;
    jmp_buf recover, *outer = e->mem->recover;
    if (!trial.dd) mem_refuse(e->mem);
    dd_set_order(trial.dd, pairs);
    dd_set_poll(trial.dd, within_limit, &trial);
    dd_allow_reordering(trial.dd, false);
    e->dd = trial.dd;
    enum dd_reason why = dd_catch(trial.dd, &guard);
    if (why == DD_NONE) {
        if (setjmp(recover)) dd_give_up(e->dd, DD_FULL);
        e->mem->recover = &recover;
        measure(e, &trial, circuit, written);
        dd_uncatch(e->dd, &guard);
    }
    assert(e->dd == trial.dd);
    dd_free(e->dd);
    e->dd = own;
    e->mem->recover = outer;
    if (why == DD_FULL) mem_refuse(e->mem);
    return why == DD_NONE ? trial.nodes : UINT64_MAX;
}

static void list_pairs(const struct encoding *e, const uint32_t *vars, bool reversed,
                       uint32_t *pairs)
{
    uint32_t count = e->model->vars.len, k = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t var = vars ? vars[reversed ? count - 1 - i : i] : reversed ? count - 1 - i : i;
        for (uint32_t b = bits_width(&e->bits, var); b-- > 0;) pairs[k++] = e->bits.first[var] + b;
    }
    assert(k == e->bits.total); /* every pair has a place */
}

/* The first order that keeps the relations small, or the one that makes them smallest. */
static void choose_order(struct encoding *e, struct bits_rule *circuit, struct rule_bits *written)
{
    enum { ORDERS = 4, SMALL = 20000, LARGE = 400000, SMALL_RULE = 50, LARGE_RULE = 500 };
    const uint64_t rules = e->model->rules.len, small = SMALL + SMALL_RULE * rules,
                   large = LARGE + LARGE_RULE * rules;
    uint32_t *vars = arrange(e->model),
             *pairs = mem_alloc(e->mem, (e->bits.total + UINT64_C(1)) * sizeof *pairs);
    uint64_t least = UINT64_MAX;
    unsigned best = 0;
    for (unsigned i = 0; i < ORDERS && least > small;
         i++) { /* arranged and reversed, arranged, the text's reversed, the text's */
        list_pairs(e, i < 2 ? vars : NULL, i % 2 == 0, pairs);
        uint64_t nodes = try_order(e, pairs, least < large ? least : large, circuit, written);
        if (nodes < least) least = nodes, best = i;
    }
    list_pairs(e, best < 2 ? vars : NULL, best % 2 == 0, pairs);
    dd_set_order(e->dd, pairs);
    mem_free(e->mem, vars);
    mem_free(e->mem, pairs);
}

void encode_rules(struct encoding *e)
{
    uint32_t rules = e->model->rules.len, room = e->bits.total + 1;
    struct bits_rule circuit = {0};
    struct rule_bits written = {mem_alloc(e->mem, room * sizeof *written.bits),
                                mem_alloc(e->mem, room * sizeof *written.pairs),
                                mem_alloc(e->mem, room * sizeof *written.others), 0};
    choose_order(e, &circuit, &written);
    if (e->form == RELATION_LABELLED && rules > 1
        && !dd_add_pairs(e->dd, expr_width(rules - 1), true))
        mem_refuse(e->mem);
    encode_initial(e);
    for (uint32_t r = 0; r < rules; r++) {
        encode_rule(e, r, &circuit, &written);
        dd_rest(e->dd);
    }
    group_guards(e);
    CHECKED(dd_is_now(e->dd, e->initial)); /* 1 */
    if (e->form == RELATION_PER_RULE) make_clusters(e);
    else make_whole(e);
    mem_free(e->mem, written.bits);
    mem_free(e->mem, written.pairs);
    mem_free(e->mem, written.others);
    vec_free(e->mem, &circuit.stored);
}

/* The diagrams go with their manager; relations have lists of their own. */
void encode_release(struct encoding *e)
{
    for (uint32_t r = 0; e->rules && r < e->model->rules.len; r++)
        mem_free(e->mem, e->rules[r].relation.written);
    for (uint32_t i = 0; i < e->cluster_count; i++) mem_free(e->mem, e->clusters[i].written);
    mem_free(e->mem, e->whole.written);
    mem_free(e->mem, e->rules);
    mem_free(e->mem, e->clusters);
    mem_free(e->mem, e->guards);
    mem_free(e->mem, e->every_cluster);
    if (e->dd) dd_free(e->dd);
    bits_release(&e->bits);
}

/* ---- steps and states ---- */

bdd encode_step(struct encoding *e, bdd set, enum dd_direction direction)
{
    struct dd *dd = e->dd;
    bdd sum = BDD_FALSE, one = BDD_FALSE;
    if (e->form == RELATION_PER_RULE) {
        uint32_t mark = dd_mark(dd);
        dd_keep(dd, &sum, &one);
        for (uint32_t i = 0; i < e->cluster_count; i++) {
            one = dd_image(dd, e->every_cluster[i], set, direction);
            sum = dd_or(dd, sum, one);
        }
        dd_release(dd, mark);
        return sum;
    }
    sum = dd_image(dd, &e->whole, set, direction);
    return e->labels == BDD_TRUE ? sum : dd_exists(dd, sum, e->labels);
}

/* Group by group, because all guards together can be far larger than what is left of the set. */
bdd encode_dead(struct encoding *e, bdd set)
{
    return dd_without(e->dd, set, e->guards, e->guard_count);
}

void encode_pick(const struct encoding *e, bdd set, int64_t *values)
{
    assert(set != BDD_FALSE); /* the contract */
    uint8_t *bits = mem_alloc(e->mem, dd_pairs(e->dd) + 1);
    dd_pick(e->dd, set, bits);
    for (uint32_t v = 0; v < e->model->vars.len; v++) {
        uint64_t code = 0;
        for (uint32_t b = 0; b < bits_width(&e->bits, v); b++)
            code |= (uint64_t)bits[e->bits.first[v] + b] << b;
        values[v] = (int64_t)((uint64_t)e->model->vars.data[v].low + code);
    }
    mem_free(e->mem, bits);
}

bdd encode_state(struct encoding *e, const int64_t *values)
{
    struct dd *dd = e->dd;
    bdd all = BDD_TRUE, bit = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    uint8_t *set = mem_alloc(e->mem, e->bits.total + 1);
    for (uint32_t v = 0; v < e->model->vars.len; v++) {
        uint64_t code = (uint64_t)values[v] - (uint64_t)e->model->vars.data[v].low;
        assert(values[v] >= e->model->vars.data[v].low && values[v] <= e->model->vars.data[v].high);
        for (uint32_t b = 0; b < bits_width(&e->bits, v); b++)
            set[e->bits.first[v] + b] = code >> b & 1;
    }
    dd_keep(dd, &all, &bit);
    for (uint32_t k = dd_pairs(dd); k-- > 0;) { /* from the last level up: every step is one node */
        uint32_t pair = dd_pair_at(dd, k);
        if (pair >= e->bits.total) continue;
        bit = dd_variable(dd, dd_now(pair));
        all = set[pair] ? dd_and(dd, all, bit) : dd_diff(dd, all, bit);
    }
    dd_release(dd, mark);
    mem_free(e->mem, set);
    return all;
}
