/* Symbolic execution. Every cell (variable or local) has a value: an expression over the state
 * before the step. Statements change the values; both ways of an IF are executed, and where they
 * meet each cell becomes CHOOSE(condition, one value, the other); a loop is an IF inside an IF
 * inside an IF ..., until its condition is false by itself. A cell of an array that cannot be told
 * is a CHOOSE between those it can be.
 *
 * `path` is the condition under which a statement is reached; what follows a LEAVE is reached where
 * the function was not left (`live`, below).
 *
 * Failures. What a statement evaluates fails there and then, even when the value is never used; so
 * each expression that may fail becomes an event: a conjunct `path -> it can be evaluated`, written
 * as a comparison that is always true. A REQUIRE is the conjunct `path -> condition`. Conjuncts are
 * evaluated in order up to the first false one, exactly as the code runs. Events that the stored
 * values repeat anyway are left out, when no REQUIRE comes after them.
 *
 * Invariants:
 *  1. where its path is true, no value of a cell fails when it is evaluated after the events so
 *     far: each of its parts was an event on the way;
 *  2. conditions of merges and paths have been events themselves, so neither do they;
 *  3. trail has every change since the beginning, with the value before: branches are undone by
 *     going back.
 *
 * Priorities. A rule waits for the rules above: its first conjunct says that none of them is
 * enabled. That must not fail where they fail (model/defined.h). What a rule asks for is its next
 * conjunct, and no part of the condition that it is enabled: others wait for it all the same. */
#include "pass/flatten.h"

#include "base/checked.h"
#include "model/cells.h"
#include "model/defined.h"
#include "pass/copy.h"

#include <string.h>

enum { MAX_ROUNDS = 1000, MAX_STATEMENTS = 200000, MAX_NODES = 1000000 /* more than there were */ };

struct change {
    uint32_t cell;
    expr value;
};

/* Something that is evaluated when `path` is true; a requirement must be true then. */
struct event {
    expr path, value;
    bool is_requirement;
    uint32_t part;
    struct place place;
};

/* The result of a rule: a range of events and of stores. */
struct outcome {
    uint32_t first_event, events;
    uint32_t first_store, stores;
    expr permit; /* true: it asks for nothing */
};

struct memo {
    uint32_t moment; /* at which `result` is the expression in terms of the old state */
    expr result;
};

struct flattener {
    const struct model *source;
    struct model *flat;
    struct exprs *exprs; /* of flat */
    struct flatten_refusal *refusal;
    bool stopped;
    uint32_t rule;
    uint32_t part;

    uint32_t cells;      /* variables, then locals */
    expr *value;         /* per cell */
    struct place *place; /* per cell: of the last write */
    uint32_t *stamp, stamps;
    VEC(struct change)
    trail, branch;         /* branch: a stack of what branches that were undone had made */
    VEC(struct memo) memo; /* per expression */
    uint32_t moment;       /* counts changes */
    uint32_t statements;
    VEC(uint16_t) depth; /* per expression */

    VEC(struct event) events;
    VEC(uint32_t) last_event; /* per expression: the last event that evaluates it, + 1 */
    VEC(struct rule_store) stores;
    struct outcome *outcomes; /* per rule */
    struct defined defined;
    VEC(uint32_t) enabled; /* per rule: the condition that it is enabled, + 1; 0: not yet */
    VEC(uint32_t) waits;   /* per class: the condition that none of its rules is, + 1 */
};

/* ---- giving up ---- */

static void stop(struct flattener *f, const char *reason, struct place place)
{
    if (!f->stopped)
        *f->refusal = (struct flatten_refusal){
            reason, f->source->rules.len ? f->source->rules.data[f->rule].label : NULL, place};
    f->stopped = true;
}

/* New nodes come after their operands. */
static void check_size(struct flattener *f, struct place place)
{
    for (uint32_t i = f->depth.len; i < f->exprs->nodes.len; i++) {
        const struct expr_node *node = &f->exprs->nodes.data[i];
        const expr operands[] = {node->a, node->b, node->c};
        unsigned depth = 0;
        for (unsigned k = 0; k < expr_table[node->op].arity; k++)
            if (f->depth.data[operands[k].i] > depth) depth = f->depth.data[operands[k].i];
        if (depth + 1 > EXPR_MAX_DEPTH)
            stop(f, "a value becomes an expression that is nested too deeply", place);
        vec_push(f->source->mem, &f->depth,
                 (uint16_t)(depth + 1 > EXPR_MAX_DEPTH ? EXPR_MAX_DEPTH : depth + 1));
    }
    if (f->exprs->nodes.len - f->source->exprs.nodes.len > MAX_NODES)
        stop(f, "its conditions and values become too large", place);
}

/* ---- conditions ---- */

static expr both(struct flattener *f, expr a, expr b)
{
    return expr_make(f->exprs, EXPR_AND, 0, a, b);
}

static expr opposite(struct flattener *f, expr a) { return expr_make(f->exprs, EXPR_NOT, 0, a, a); }

static expr implied(struct flattener *f, expr a, expr b)
{
    return expr_make(f->exprs, EXPR_IMPLIES, 0, a, b);
}

/* cond ? yes : no, where cond does not fail. */
static expr either(struct flattener *f, expr cond, expr yes, expr no)
{
    if (expr_same(yes, no)) return yes;
    if (expr_is_true(f->exprs, yes)) return expr_make(f->exprs, EXPR_OR, 0, cond, no);
    if (expr_is_true(f->exprs, no)) return implied(f, cond, yes);
    if (expr_is_false(f->exprs, no)) return both(f, cond, yes);
    if (expr_is_false(f->exprs, yes)) return both(f, opposite(f, cond), no);
    return expr_choose(f->exprs, cond, yes, no);
}

/* The same for values of cells. */
static expr merged(struct flattener *f, expr cond, expr yes, expr no)
{
    const struct expr_node *y = expr_get(f->exprs, yes), *n = expr_get(f->exprs, no);
    if (y->op == EXPR_CHOOSE && expr_same(y->a, cond)) yes = y->b;
    if (n->op == EXPR_CHOOSE && expr_same(n->a, cond)) no = n->c;
    return expr_same(yes, no) ? yes : expr_choose(f->exprs, cond, yes, no);
}

/* ---- cells ---- */

static void set_cell(struct flattener *f, uint32_t cell, expr value)
{
    if (expr_same(f->value[cell], value)) return;
    vec_push(f->source->mem, &f->trail, ((struct change){cell, f->value[cell]}));
    f->value[cell] = value;
    f->moment++;
}

static uint32_t cell_number(const struct flattener *f, bool local, uint32_t index)
{
    return local ? f->source->vars.len + index : index;
}

/* Offsets that can be meant, ascending; their number. The caller frees them. */
static uint32_t list_offsets(struct flattener *f, expr offset, uint32_t count, uint32_t **list)
{
    bool *possible = mem_alloc(f->source->mem, count + UINT64_C(1));
    uint32_t found = 0;
    *list = mem_alloc(f->source->mem, (count + UINT64_C(1)) * sizeof **list);
    cells_possible(f->flat, offset, count, possible);
    for (uint32_t i = 0; i < count; i++)
        if (possible[i]) (*list)[found++] = i;
    mem_free(f->source->mem, possible);
    return found;
}

static expr choose_cell(struct flattener *f, uint32_t first, expr offset, const uint32_t *list,
                        uint32_t count)
{
    if (count == 1) return f->value[first + list[0]];
    uint32_t half = count / 2;
    expr is_left = expr_make(f->exprs, EXPR_LE, 0, offset, expr_int(f->exprs, list[half - 1]));
    expr left = choose_cell(f, first, offset, list, half),
         right = choose_cell(f, first, offset, list + half, count - half);
    return expr_choose(f->exprs, is_left, left, right);
}

/* The value of cell first + offset, of `count`. The offset fails as part of it. */
static expr read_cell(struct flattener *f, uint32_t first, expr offset, uint32_t count)
{
    const struct expr_node node = *expr_get(f->exprs, offset);
    uint32_t *list;
    if (node.op == EXPR_CONST)
        return f->value[first
                        + (node.value >= 0 && node.value < count ? (uint32_t)node.value
                                                                 : 0)]; /* outside: not reached */
    uint32_t found = list_offsets(f, offset, count, &list);
    expr value = found ? choose_cell(f, first, offset, list, found) : f->value[first];
    if (found <= 1 && node.may_fail)
        value = expr_choose(f->exprs,
                            expr_make(f->exprs, EXPR_GE, 0, offset, expr_int(f->exprs, node.low)),
                            value, value);
    mem_free(f->source->mem, list);
    return value;
}

/* The rows first .. first + count - 1, in which the entry is known to lie. Runs of equal ones are
 * not told apart. */
static expr choose_entry(struct flattener *f, const struct model_table *table, uint32_t first,
                         uint32_t count, struct table_row at)
{
    const int32_t *values = table->values + at.offset;
    uint32_t same = 1;
    while (same < count && values[(first + same) * at.factor] == values[first * at.factor]) same++;
    if (same == count) return expr_int(f->exprs, values[first * at.factor]);
    uint32_t half = count / 2;
    expr is_left = expr_make(f->exprs, EXPR_LT, 0, at.row, expr_int(f->exprs, first + half));
    expr left = choose_entry(f, table, first, half, at),
         right = choose_entry(f, table, first + half, count - half, at);
    return expr_choose(f->exprs, is_left, left, right);
}

static expr read_table(struct flattener *f, const struct model_table *table, expr index)
{
    const struct expr_node node = *expr_get(f->exprs, index);
    if (node.op == EXPR_CONST)
        return expr_int(f->exprs, table->values[node.value >= 0 && node.value < table->count
                                                    ? node.value
                                                    : 0]); /* outside: not reached */
    struct table_row at = model_matrix_row(f->exprs, index);
    expr value = choose_entry(f, table, 0, (table->count - 1 - at.offset) / at.factor + 1, at);
    if (node.may_fail && expr_get(f->exprs, value)->op == EXPR_CONST)
        value = expr_choose(f->exprs,
                            expr_make(f->exprs, EXPR_GE, 0, index, expr_int(f->exprs, node.low)),
                            value, value);
    return value;
}

/* ---- expressions in terms of the old state ---- */

static expr now(struct flattener *f, expr e);

static expr find_now(struct flattener *f, expr e)
{
    const struct expr_node node = *expr_get(f->exprs, e);
    switch ((enum expr_op)node.op) {
    case EXPR_CONST:
    case EXPR_FAIL: return e;
    case EXPR_VAR: return f->value[node.value];
    case EXPR_LOCAL: return f->value[cell_number(f, true, (uint32_t)node.value)];
    case EXPR_AT:
    case EXPR_LOCAL_AT:
        return read_cell(f, cell_number(f, node.op == EXPR_LOCAL_AT, (uint32_t)node.value),
                         now(f, node.a), (uint32_t)expr_get(f->exprs, node.b)->value);
    case EXPR_TABLE: return read_table(f, &f->source->tables.data[node.value], now(f, node.a));
    case EXPR_WITHIN: {
        expr a = now(f, node.a);
        return expr_within(f->exprs, a, expr_get(f->exprs, node.b)->value,
                           expr_get(f->exprs, node.c)->value, node.bits);
    }
    case EXPR_CHOOSE: {
        expr a = now(f, node.a), b = now(f, node.b);
        return expr_choose(f->exprs, a, b, now(f, node.c));
    }
    default: break;
    }
    expr a = now(f, node.a);
    return expr_make(f->exprs, node.op, node.bits, a,
                     expr_table[node.op].arity == 2 ? now(f, node.b) : a);
}

static expr now(struct flattener *f, expr e)
{
    while (f->memo.len <= e.i) vec_push(f->source->mem, &f->memo, ((struct memo){0, e}));
    if (f->memo.data[e.i].moment != f->moment) {
        expr result = find_now(f, e);
        f->memo.data[e.i] = (struct memo){f->moment, result};
    }
    return f->memo.data[e.i].result;
}

/* ---- events ---- */

/* An event that repeats one says nothing new. */
static bool is_known(struct flattener *f, expr path, expr value, bool is_requirement)
{
    while (f->last_event.len <= value.i) vec_push(f->source->mem, &f->last_event, 0);
    uint32_t last = f->last_event.data[value.i];
    if (last <= f->outcomes[f->rule].first_event) return false;
    const struct event *event = &f->events.data[last - 1];
    return (event->is_requirement || !is_requirement)
           && (expr_same(event->path, path) || expr_is_true(f->exprs, event->path));
}

static void add_event(struct flattener *f, expr path, expr value, bool is_requirement,
                      struct place place)
{
    if (is_requirement ? expr_is_true(f->exprs, value) : !expr_get(f->exprs, value)->may_fail)
        return;
    if (expr_is_false(f->exprs, path) || is_known(f, path, value, is_requirement)) return;
    vec_push(f->source->mem, &f->events,
             ((struct event){path, value, is_requirement, f->part, place}));
    f->last_event.data[value.i] = f->events.len;
}

/* The value of an expression here and now, which is evaluated. */
static expr evaluate(struct flattener *f, expr path, expr e, struct place place)
{
    expr value = now(f, e);
    add_event(f, path, value, false, place);
    check_size(f, place);
    return value;
}

/* True in any case, unless evaluating the value fails. */
static expr test_of(struct flattener *f, expr value)
{
    const struct expr_node *node = expr_get(f->exprs, value);
    if (node->is_bool) return expr_make(f->exprs, EXPR_OR, 0, value, expr_bool(f->exprs, true));
    return expr_make(f->exprs, EXPR_GE, 0, value, expr_int(f->exprs, node->low));
}

/* A condition that has been evaluated here, simplified by what that says: its parts have values,
 * which lie within their bounds. */
static expr settled(struct flattener *f, expr cond)
{
    const struct expr_node node = *expr_get(f->exprs, cond);
    if (!node.may_fail) return cond;
    if (node.op == EXPR_NOT) return opposite(f, settled(f, node.a));
    if (node.op == EXPR_AND || node.op == EXPR_OR || node.op == EXPR_IMPLIES
        || node.op == EXPR_IFF) {
        expr a = settled(f, node.a);
        return expr_make(f->exprs, node.op, 0, a, settled(f, node.b));
    }
    if (node.op < EXPR_EQ || node.op > EXPR_GE) return cond;
    struct expr_node a = *expr_get(f->exprs, node.a), b = *expr_get(f->exprs, node.b);
    bool value;
    a.may_fail = b.may_fail = false;
    return expr_decided_by_bounds(node.op, &a, &b, &value) ? expr_bool(f->exprs, value) : cond;
}

/* ---- branches ---- */

/* Undoes everything since mark, and keeps what it was on the stack `branch`. */
static void undo(struct flattener *f, uint32_t mark)
{
    uint32_t stamp = ++f->stamps;
    for (uint32_t i = mark; i < f->trail.len; i++) {
        uint32_t cell = f->trail.data[i].cell;
        if (f->stamp[cell] != stamp)
            vec_push(f->source->mem, &f->branch, ((struct change){cell, f->value[cell]}));
        f->stamp[cell] = stamp;
    }
    while (f->trail.len > mark) {
        const struct change *change = &f->trail.data[--f->trail.len];
        f->value[change->cell] = change->value;
    }
    f->moment++;
}

/* Now the values are those of the other branch, which began at mark; `kept` is where the first one
 * begins on the stack. */
static void merge(struct flattener *f, expr cond, uint32_t mark, uint32_t kept)
{
    uint32_t end = f->trail.len, stamp = ++f->stamps;
    for (uint32_t i = kept; i < f->branch.len; i++) {
        const struct change first = f->branch.data[i];
        f->stamp[first.cell] = stamp;
        set_cell(f, first.cell, merged(f, cond, first.value, f->value[first.cell]));
    }
    for (uint32_t i = mark; i < end;
         i++) { /* the first change of a cell has the value before the branch */
        const struct change before = f->trail.data[i];
        if (f->stamp[before.cell] == stamp) continue;
        f->stamp[before.cell] = stamp;
        set_cell(f, before.cell, merged(f, cond, before.value, f->value[before.cell]));
    }
    f->branch.len = kept;
}

/* What happened since mark happened only where cond is true. */
static void merge_with_before(struct flattener *f, expr cond, uint32_t mark)
{
    uint32_t kept = f->branch.len;
    undo(f, mark);
    merge(f, cond, mark, kept);
}

/* ---- statements ---- */

static expr run(struct flattener *f, statement at, expr path);
static expr run_while(struct flattener *f, const struct code_node *node, expr path, uint32_t round);

static void write_cell(struct flattener *f, uint32_t first, expr offset, uint32_t count, expr value,
                       struct place place)
{
    const struct expr_node node = *expr_get(f->exprs, offset);
    uint32_t *list, found;
    if (node.op == EXPR_CONST) {
        if (node.value < 0 || node.value >= count) return; /* not reached */
        set_cell(f, first + (uint32_t)node.value, value);
        f->place[first + node.value] = place;
        return;
    }
    found = list_offsets(f, offset, count, &list);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t cell = first + list[i];
        expr is_here = expr_make(f->exprs, EXPR_EQ, 0, offset, expr_int(f->exprs, list[i]));
        set_cell(f, cell, found == 1 ? value : merged(f, is_here, value, f->value[cell]));
        f->place[cell] = place;
    }
    mem_free(f->source->mem, list);
}

static void run_set(struct flattener *f, const struct code_node *node, expr path)
{
    expr value = evaluate(f, path, node->value, node->place),
         offset = evaluate(f, path, node->target.offset, node->place);
    write_cell(f, cell_number(f, node->target.local, node->target.base), offset, node->target.count,
               value, node->place);
}

/* A target that may begin at several places: each cell is written by those that reach it. */
static void run_copy(struct flattener *f, const struct code_node *node, expr path)
{
    struct mem *mem = f->source->mem;
    expr from = evaluate(f, path, node->source.offset, node->place),
         to = evaluate(f, path, node->target.offset, node->place);
    expr *buffer = mem_alloc(mem, (node->cells + UINT64_C(1)) * sizeof *buffer);
    uint32_t source = cell_number(f, node->source.local, node->source.base),
             target = cell_number(f, node->target.local, node->target.base);
    for (uint32_t k = 0; k < node->cells; k++)
        buffer[k] = read_cell(f, source + k, from, node->source.count);
    for (uint32_t k = 0; k < node->cells; k++)
        write_cell(f, target + k, to, node->target.count, buffer[k], node->place);
    mem_free(mem, buffer);
}

static expr run_if(struct flattener *f, const struct code_node *node, expr path)
{
    expr cond = settled(f, evaluate(f, path, node->value, node->place));
    if (expr_is_true(f->exprs, cond)) return run(f, node->body, path);
    if (expr_is_false(f->exprs, cond)) return run(f, node->other, path);
    uint32_t mark = f->trail.len, kept = f->branch.len;
    expr yes = run(f, node->body, both(f, path, cond));
    undo(f, mark);
    expr no = run(f, node->other, both(f, path, opposite(f, cond)));
    merge(f, cond, mark, kept);
    return either(f, cond, yes, no);
}

/* The rest of a loop after a round, where it was not left: `live`. */
static expr run_on(struct flattener *f, const struct code_node *node, expr path, expr live,
                   uint32_t round)
{
    if (expr_is_false(f->exprs, live)) return live;
    if (expr_is_true(f->exprs, live)) return run_while(f, node, path, round);
    uint32_t mark = f->trail.len;
    expr still = run_while(f, node, both(f, path, live), round);
    merge_with_before(f, live, mark);
    return both(f, live, still);
}

static expr run_while(struct flattener *f, const struct code_node *node, expr path, uint32_t round)
{
    expr on = expr_bool(f->exprs, true);
    for (; !f->stopped; round++) {
        if (round == MAX_ROUNDS) stop(f, "a loop may take too many rounds", node->place);
        expr cond = settled(f, evaluate(f, path, node->value, node->place));
        if (expr_is_false(f->exprs, cond) || f->stopped) return on;
        if (!expr_is_true(f->exprs, cond)) {
            uint32_t mark = f->trail.len;
            expr inside = both(f, path, cond), live = run(f, node->body, inside);
            live = run_on(f, node, inside, live, round + 1);
            merge_with_before(f, cond, mark);
            return either(f, cond, live, on);
        }
        expr live = run(f, node->body, path);
        if (!expr_is_true(f->exprs, live)) return run_on(f, node, path, live, round + 1);
    }
    return on;
}

/* Returns where execution goes on after the statement, given that it was reached. */
static expr run_node(struct flattener *f, const struct code_node *node, expr path)
{
    expr on = expr_bool(f->exprs, true);
    if (++f->statements > MAX_STATEMENTS) stop(f, "it executes too many statements", node->place);
    switch ((enum code_op)node->op) {
    case CODE_SET: run_set(f, node, path); return on;
    case CODE_COPY: run_copy(f, node, path); return on;
    case CODE_REQUIRE: {
        expr cond = now(f, node->value);
        add_event(f, path, cond, true, node->place);
        return expr_is_false(f->exprs, cond) ? cond : on;
    }
    case CODE_IF: return run_if(f, node, path);
    case CODE_WHILE: return run_while(f, node, path, 0);
    case CODE_CALL: run(f, node->body, path); return on;
    case CODE_LEAVE: break;
    }
    return expr_bool(f->exprs, false);
}

static expr run(struct flattener *f, statement at, expr path)
{
    for (; !code_is_none(at) && !f->stopped; at = f->source->code.data[at.i].next) {
        const struct code_node *node = &f->source->code.data[at.i];
        expr live = run_node(f, node, path);
        check_size(f, node->place);
        if (expr_is_true(f->exprs, live)) continue;
        if (expr_is_false(f->exprs, live) || code_is_none(node->next)) return live;
        uint32_t mark = f->trail.len;
        expr still = run(f, node->next, both(f, path, live));
        merge_with_before(f, live, mark);
        return both(f, live, still);
    }
    return expr_bool(f->exprs, true);
}

/* ---- rules ---- */

static void start_state(struct flattener *f)
{
    const struct model *model = f->source;
    for (uint32_t v = 0; v < model->vars.len; v++)
        f->value[v] = expr_var_in(f->exprs, v, model->vars.data[v].low, model->vars.data[v].high);
    for (uint32_t l = 0; l < model->locals.len; l++)
        f->value[cell_number(f, true, l)] = expr_int(f->exprs, model->locals.data[l].low);
    f->trail.len = f->branch.len = 0;
    f->moment++;
}

/* Whether a conjunct of the path says that cond is true, or false. */
static bool path_says(const struct flattener *f, expr path, expr cond, bool value)
{
    for (;;) {
        const struct expr_node *node = expr_get(f->exprs, path);
        expr part = node->op == EXPR_AND ? node->b : path;
        const struct expr_node *says = expr_get(f->exprs, part);
        if (value ? expr_same(part, cond) : says->op == EXPR_NOT && expr_same(says->a, cond))
            return true;
        if (node->op != EXPR_AND) return false;
        path = node->a;
    }
}

/* Whether evaluating `whole` evaluates `part` in any case where the path, a conjunction, is
 * true. */
static bool repeats(const struct flattener *f, expr whole, expr part, expr path, unsigned *effort)
{
    if (expr_same(whole, part)) return true;
    const struct expr_node *node = expr_get(f->exprs, whole);
    if (!node->may_fail || ++*effort > 200) return false;
    unsigned arity = expr_table[node->op].arity;
    if (arity && repeats(f, node->a, part, path, effort)) return true;
    if (node->op == EXPR_CHOOSE) {
        if (path_says(f, path, node->a, true)) return repeats(f, node->b, part, path, effort);
        if (path_says(f, path, node->a, false)) return repeats(f, node->c, part, path, effort);
        return repeats(f, node->b, part, path, effort) && repeats(f, node->c, part, path, effort);
    }
    bool is_early = node->op == EXPR_AND || node->op == EXPR_OR || node->op == EXPR_IMPLIES;
    return arity == 2 && !is_early && repeats(f, node->b, part, path, effort);
}

/* Events at the end that the stored values repeat. */
static void drop_repeated(struct flattener *f, struct outcome *outcome)
{
    uint32_t last = outcome->first_event, kept;
    for (uint32_t i = outcome->first_event; i < f->events.len; i++)
        if (f->events.data[i].is_requirement) last = i + 1;
    kept = last;
    for (uint32_t i = last; i < f->events.len; i++) {
        const struct event event = f->events.data[i];
        bool repeated = false;
        f->last_event.data[event.value.i] = 0; /* it may move */
        for (uint32_t k = outcome->first_store; k < f->stores.len && !repeated; k++) {
            unsigned effort = 0;
            repeated = repeats(f, f->stores.data[k].value, event.value, event.path, &effort);
        }
        if (!repeated) f->events.data[kept++] = event;
    }
    f->events.len = kept;
}

static void run_stores(struct flattener *f, const struct model_rule *rule, expr path)
{
    struct mem *mem = f->source->mem;
    expr *values = mem_alloc(mem, (rule->stores + UINT64_C(1)) * sizeof *values);
    const struct rule_store *stores = f->source->stores.data + rule->first_store;
    for (uint32_t i = 0; i < rule->stores; i++)
        values[i] = evaluate(f, path, stores[i].value, stores[i].place);
    for (uint32_t i = 0; i < rule->stores; i++) {
        set_cell(f, stores[i].var, values[i]);
        f->place[stores[i].var] = stores[i].place;
    }
    mem_free(mem, values);
}

static void run_rule(struct flattener *f)
{
    const struct model_rule *rule = &f->source->rules.data[f->rule];
    struct outcome *outcome = &f->outcomes[f->rule];
    expr path = expr_bool(f->exprs, true);
    struct place place =
        rule->parts ? f->source->parts.data[rule->first_part].place : (struct place){0};
    *outcome = (struct outcome){.first_event = f->events.len, .first_store = f->stores.len};
    start_state(f);
    outcome->permit = rule->asks ? defined_and_true(&f->defined, now(f, rule->permit)) : path;
    f->statements = 0;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &f->source->conjuncts.data[rule->first_conjunct + i];
        f->part = conjunct->part;
        add_event(f, path, now(f, conjunct->cond), true, conjunct->place);
        check_size(f, conjunct->place);
    }
    f->part = rule->parts ? rule->parts - 1 : 0;
    run_stores(f, rule, path);
    run(f, rule->body, path);
    check_size(f, place);
    for (uint32_t v = 0; v < f->source->vars.len; v++) {
        const struct expr_node *node = expr_get(f->exprs, f->value[v]);
        if (node->op == EXPR_VAR && node->value == v) continue;
        vec_push(f->source->mem, &f->stores,
                 ((struct rule_store){.var = v, .value = f->value[v], .place = f->place[v]}));
    }
    drop_repeated(f, outcome);
    outcome->events = f->events.len - outcome->first_event;
    outcome->stores = f->stores.len - outcome->first_store;
}

/* ---- priorities ---- */

/* Where the rule, apart from priorities, is enabled. */
static expr enabled_condition(struct flattener *f, uint32_t r)
{
    const struct outcome *outcome = &f->outcomes[r];
    while (f->enabled.len <= r) vec_push(f->source->mem, &f->enabled, 0);
    if (f->enabled.data[r]) return (expr){f->enabled.data[r] - 1};
    expr all = expr_bool(f->exprs, true);
    for (uint32_t i = outcome->stores; i-- > 0;)
        all = both(
            f, defined_condition(&f->defined, f->stores.data[outcome->first_store + i].value), all);
    for (uint32_t i = outcome->events;
         i-- > 0;) { /* from the end, so that what comes first is tested first */
        const struct event event = f->events.data[outcome->first_event + i];
        expr passes = event.is_requirement ? defined_and_true(&f->defined, event.value)
                                           : defined_condition(&f->defined, event.value);
        passes = implied(f, event.path, passes);
        all = both(f, both(f, defined_condition(&f->defined, event.path), passes),
                   all); /* events that tested the path may have been left out */
    }
    f->enabled.data[r] = all.i + 1;
    return all;
}

static bool is_of_class(const struct model *model, uint32_t r, uint32_t priority_class)
{
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->classes; i++)
        if (model->rule_classes.data[rule->first_class + i] == priority_class) return true;
    return false;
}

/* None of the rules of a class is enabled; as a balanced tree, because there may be many. */
static expr none_enabled(struct flattener *f, const uint32_t *rules, uint32_t count)
{
    if (!count) return expr_bool(f->exprs, true);
    if (count == 1) return opposite(f, enabled_condition(f, rules[0]));
    expr left = none_enabled(f, rules, count / 2);
    return both(f, left, none_enabled(f, rules + count / 2, count - count / 2));
}

static expr class_waits(struct flattener *f, uint32_t priority_class)
{
    struct mem *mem = f->source->mem;
    while (f->waits.len <= priority_class) vec_push(mem, &f->waits, 0);
    if (f->waits.data[priority_class]) return (expr){f->waits.data[priority_class] - 1};
    uint32_t *rules = mem_alloc(mem, (f->source->rules.len + UINT64_C(1)) * sizeof *rules),
             count = 0;
    for (uint32_t r = 0; r < f->source->rules.len; r++)
        if (is_of_class(f->source, r, priority_class)) rules[count++] = r;
    expr none = none_enabled(f, rules, count);
    mem_free(mem, rules);
    f->waits.data[priority_class] = none.i + 1;
    return none;
}

static void add_waiting(struct flattener *f, struct place place)
{
    const struct model *model = f->source;
    for (uint32_t p = 0; p < model->priorities.len && !f->stopped; p++) {
        if (!is_of_class(model, f->rule, model->priorities.data[p].low)) continue;
        model_add_conjunct(f->flat, class_waits(f, model->priorities.data[p].high), place);
        check_size(f, place);
    }
}

/* ---- the new model ---- */

static void write_rule(struct flattener *f)
{
    const struct model_rule *rule = &f->source->rules.data[f->rule];
    const struct outcome *outcome = &f->outcomes[f->rule];
    struct place place =
        rule->parts ? f->source->parts.data[rule->first_part].place : (struct place){0};
    uint32_t part = 0, next = 0;
    model_begin_rule(f->flat, rule->label);
    for (; part < rule->parts || (!part && (outcome->events || rule->classes || rule->asks));
         part++) { /* a rule without parts gets one for its conjuncts */
        struct rule_part none = {.process = MODEL_NONE},
                         *given =
                             rule->parts ? &f->source->parts.data[rule->first_part + part] : &none;
        model_add_part(f->flat, given->process, given->place);
        f->flat->parts.data[f->flat->parts.len - 1].stays = given->stays;
        if (!part) add_waiting(f, place);
        if (!part)
            model_add_conjunct(
                f->flat, outcome->permit,
                place); /* after it: a rule is held back by those that are not permitted, too */
        for (; next < outcome->events && f->events.data[outcome->first_event + next].part <= part;
             next++) {
            const struct event *event = &f->events.data[outcome->first_event + next];
            expr cond = event->is_requirement ? event->value : test_of(f, event->value);
            model_add_conjunct(f->flat, implied(f, event->path, cond), event->place);
        }
    }
    assert(next == outcome->events || f->stopped); /* every event has become a condition */
    for (uint32_t i = 0; i < outcome->stores; i++) {
        const struct rule_store *store = &f->stores.data[outcome->first_store + i];
        model_add_store(f->flat, store->var, store->value, store->place);
    }
    model_end_rule(f->flat);
}

static void write_final(struct flattener *f)
{
    start_state(f);
    f->flat->final = now(f, f->source->final);
}

static void write_formulas(struct flattener *f)
{
    struct formulas *formulas = &f->flat->formulas;
    start_state(f);
    for (uint32_t i = 0; i < formulas->nodes.len && !f->stopped; i++) {
        if (formulas->nodes.data[i].op != FORMULA_ATOM) continue;
        formulas->nodes.data[i].atom = now(f, formulas->nodes.data[i].atom);
        check_size(f, formulas->nodes.data[i].place);
    }
}

static void init(struct flattener *f, struct model *model, struct flatten_refusal *refusal)
{
    struct mem *mem = model->mem;
    *f = (struct flattener){.source = model,
                            .flat = copy_model(model),
                            .refusal = refusal,
                            .cells = model->vars.len + model->locals.len};
    f->exprs = &f->flat->exprs;
    f->value = mem_alloc(mem, (f->cells + UINT64_C(1)) * sizeof *f->value);
    f->place = mem_alloc(mem, (f->cells + UINT64_C(1)) * sizeof *f->place);
    f->stamp = mem_alloc(mem, (f->cells + UINT64_C(1)) * sizeof *f->stamp);
    f->outcomes = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *f->outcomes);
    defined_init(&f->defined, f->exprs);
}

static void release(struct flattener *f)
{
    struct mem *mem = f->source->mem;
    mem_free(mem, f->value);
    mem_free(mem, f->place);
    mem_free(mem, f->stamp);
    mem_free(mem, f->outcomes);
    vec_free(mem, &f->trail);
    vec_free(mem, &f->branch);
    vec_free(mem, &f->memo);
    vec_free(mem, &f->depth);
    vec_free(mem, &f->events);
    vec_free(mem, &f->stores);
    vec_free(mem, &f->last_event);
    vec_free(mem, &f->enabled);
    vec_free(mem, &f->waits);
    defined_release(&f->defined);
}

bool flatten_is_needed(const struct model *model)
{
    if (model_has_code(model) || model->priorities.len || model_asks(model)) return true;
    for (uint32_t i = 0; i < model->exprs.nodes.len; i++)
        if (model->exprs.nodes.data[i].op == EXPR_AT || model->exprs.nodes.data[i].op == EXPR_TABLE)
            return true;
    return false;
}

struct model *flatten_model(struct model *model, bool with_formulas,
                            struct flatten_refusal *refusal)
{
    struct flattener f;
    assert(!model_is_timed(model));
    init(&f, model, refusal);
    for (f.rule = 0; f.rule < model->rules.len && !f.stopped; f.rule++) run_rule(&f);
    for (f.rule = 0; f.rule < model->rules.len && !f.stopped; f.rule++) write_rule(&f);
    f.rule = 0;
    if (model->has_final) write_final(&f);
    if (with_formulas) write_formulas(&f);
    struct model *flat = f.stopped ? NULL : f.flat;
    release(&f);
    if (flat) model_finish(flat);
    assert(!flat
           || (flat->rules.len == model->rules.len && !model_has_code(flat)
               && !flat->priorities.len)); /* the contract */
    CHECKED(!flat || model_check(flat, NULL));
    return flat;
}
