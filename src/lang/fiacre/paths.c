/* Computation paths. A transition `from s S` stands for all ways through S that end in `to` or
 * `loop`: every one is a rule. Ways part at select, at `any`, and at an if or case whose branches
 * communicate, wait, choose or end the path; an if or case without any of these is code within the
 * path. A way that is not possible in a state (a guard, a pattern) is disabled there by a
 * REQUIRE. */
#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_PATHS = 200000, MAX_CHOICES = 65536, MAX_LENGTH = 5000 };

/* What comes after the sequence that is being walked. */
struct rest {
    struct fiacre_stmt *stmt;
    struct rest *outer;
};

struct walk {
    struct fiacre *f;
    struct instance *instance;
    struct fiacre_transition *transition;
    bool is_init;
    VEC(struct path_step) steps;
    const char *label;
    struct fiacre_stmt *select;
    uint32_t group;
    uint32_t nesting;
    bool good;
};

/* ---- which statements part ways ---- */

static bool parts_ways(const struct fiacre_stmt *stmt);

static bool sequence_parts(const struct fiacre_stmt *first)
{
    for (; first; first = first->next)
        if (parts_ways(first)) return true;
    return false;
}

static bool parts_ways(const struct fiacre_stmt *stmt)
{
    switch ((enum fiacre_stmt_kind)stmt->kind) {
    case FIACRE_STMT_LOOP:
    case FIACRE_STMT_TO:
    case FIACRE_STMT_WAIT:
    case FIACRE_STMT_CHOOSE:
    case FIACRE_STMT_SELECT:
    case FIACRE_STMT_SYNC:
    case FIACRE_STMT_SEND:
    case FIACRE_STMT_RECEIVE:
    case FIACRE_STMT_LABEL: /* a label names the paths that pass it */
    case FIACRE_STMT_TAG: return true;
    case FIACRE_STMT_IF:
    case FIACRE_STMT_CASE:
        for (const struct fiacre_branch *b = stmt->branches; b; b = b->next)
            if (sequence_parts(b->body)) return true;
        return false;
    default: return false;
    }
}

/* ---- keeping a path ---- */

static uint32_t find_state(struct fiacre *f, const struct fiacre_process *process, const char *name)
{
    uint32_t n = 0;
    (void)f;
    for (const struct fiacre_name *s = process->states; s; s = s->next, n++)
        if (s->name == name) return n;
    return MODEL_NONE;
}

static bool fail(struct walk *walk)
{
    walk->good = false;
    return false;
}

/* Steps that belong together: one communication, one wait, not both. */
static bool inspect(struct walk *walk, struct path *path)
{
    struct fiacre *f = walk->f;
    path->comm = MODEL_NONE;
    path->port = MODEL_NONE;
    for (uint32_t i = 0; i < path->count; i++) {
        struct fiacre_stmt *stmt = path->steps[i].stmt;
        if (path->steps[i].kind != STEP_COMM && path->steps[i].kind != STEP_WAIT) continue;
        if (walk->is_init) {
            complain(f, stmt, DIAG_MISPLACED, stmt->place,
                     "no communication and no waiting in init");
            return fail(walk);
        }
        if (path->comm != MODEL_NONE || path->wait) {
            bool twice = path->steps[i].kind == STEP_COMM && path->comm != MODEL_NONE;
            complain(f, stmt, DIAG_MISPLACED, stmt->place,
                     twice ? "a path communicates once: this is the second time"
                           : "a path that communicates cannot wait, and no path waits twice");
            return fail(walk);
        }
        if (path->steps[i].kind == STEP_WAIT) {
            path->wait = stmt->interval;
            continue;
        }
        const struct binding *binding = env_find(f, walk->instance->env, stmt->name);
        if (!binding || binding->kind != BIND_PORT) {
            complain(f, stmt, DIAG_UNKNOWN, stmt->place, "'%.60s' is not a port", stmt->name);
            return fail(walk);
        }
        if (stmt->kind == FIACRE_STMT_SEND && binding->receives && !binding->sends)
            remark(f, stmt, DIAG_ACCESS, stmt->place,
                   "'%.60s' is marked `in`, and a value is sent here", stmt->name);
        if (stmt->kind == FIACRE_STMT_RECEIVE && binding->sends && !binding->receives)
            remark(f, stmt, DIAG_ACCESS, stmt->place,
                   "'%.60s' is marked `out`, and a value is received here", stmt->name);
        path->comm = i;
        path->port = binding->port;
    }
    return true;
}

static void keep(struct walk *walk, const struct fiacre_stmt *end)
{
    struct fiacre *f = walk->f;
    struct instance *instance = walk->instance;
    const struct fiacre_process *process = instance->decl->process;
    uint32_t count = walk->steps.len;
    struct path *path = arena_alloc(&f->model->arena, sizeof *path + count * sizeof *path->steps);
    path->transition = walk->transition;
    path->count = count;
    if (count) memcpy(path->steps, walk->steps.data, count * sizeof *path->steps);
    path->from = walk->transition ? find_state(f, process, walk->transition->state) : MODEL_NONE;
    path->stays = end->kind == FIACRE_STMT_LOOP;
    path->to = path->stays ? path->from : find_state(f, process, end->name);
    path->label = walk->label;
    if (end->next && end->next->kind == FIACRE_STMT_LABEL)
        path->label = end->next->name; /* `to s with a label behind it` */
    path->select = walk->select;
    path->group = walk->group;
    path->place = walk->transition ? walk->transition->place : end->place;
    if (path->to == MODEL_NONE) {
        struct fiacre_stmt *where = (struct fiacre_stmt *)end;
        const char *nearest = NULL;
        unsigned distance = 0;
        if (path->stays)
            complain(f, where, DIAG_MISPLACED, end->place, "init cannot end in `loop`");
        else {
            for (const struct fiacre_name *s = process->states; s; s = s->next)
                text_nearest(end->name, s->name, &nearest, &distance);
            complain_near(f, where, DIAG_UNKNOWN, end->place, nearest,
                          "the process has no state '%.60s'", end->name);
        }
        walk->good = false;
        return;
    }
    if (!inspect(walk, path)) return;
    if (instance->paths.len >= MAX_PATHS) {
        if (walk->good)
            diag_error(f->diag, DIAG_LIMIT, path->place,
                       "the process '%.60s' has more than %d computation paths",
                       instance->decl->name, MAX_PATHS);
        walk->good = false;
        return;
    }
    vec_push(f->model->mem, &instance->paths, path);
}

/* ---- values of any ---- */

static uint64_t statement_choices(struct walk *walk, struct fiacre_stmt *stmt)
{
    struct lowering l = {.f = walk->f, .env = walk->instance->env, .code.model = walk->f->model};
    uint64_t choices = 1;
    for (struct fiacre_exp *p = stmt->patterns; p; p = p->next) {
        const struct type *type = lower_place_type(&l, p);
        uint64_t values = type ? type_count(type, MAX_CHOICES) : 0;
        if (!values || values > MAX_CHOICES / choices) {
            complain(walk->f, stmt, DIAG_LIMIT, p->place,
                     type ? "`any` has too many values here: at most %d"
                          : "`any` needs a variable here",
                     MAX_CHOICES);
            return 0;
        }
        choices *= values;
    }
    return choices;
}

static bool lower_choice(struct lowering *l, const struct path_step *step)
{
    uint64_t choice = step->choice;
    expr cond;
    for (struct fiacre_exp *p = step->stmt->patterns; p; p = p->next) {
        const struct type *type;
        struct cell at;
        if (!lower_place(l, p, true, &type, &at)) return false;
        emit_nth(&l->code, type, &at, type_take_choice(type, MAX_CHOICES, &choice), p->place);
    }
    assert(!choice); /* statement_choices counts as many */
    if (!step->stmt->exp) return true;
    if (!lower_condition(l, step->stmt->exp, &cond)) return false;
    emit_condition(l, cond, step->stmt->exp, false);
    return true;
}

/* ---- walking ---- */

static void walk_on(struct walk *walk, struct fiacre_stmt *at, struct rest *rest);

static void step_into(struct walk *walk, enum step_kind kind, struct fiacre_stmt *stmt,
                      uint64_t choice, struct fiacre_stmt *next, struct rest *rest)
{
    vec_push(walk->f->model->mem, &walk->steps, ((struct path_step){(uint8_t)kind, stmt, choice}));
    walk_on(walk, next, rest);
    walk->steps.len--;
}

static void walk_branches(struct walk *walk, struct fiacre_stmt *stmt, struct rest *rest)
{
    struct rest after = {stmt->next, rest};
    uint64_t n = 0;
    bool has_else = false;
    for (struct fiacre_branch *b = stmt->branches; b && walk->good; b = b->next, n++) {
        has_else |= !b->exp;
        step_into(walk, stmt->kind == FIACRE_STMT_IF ? STEP_IF : STEP_CASE, stmt, n, b->body,
                  &after);
    }
    if (stmt->kind == FIACRE_STMT_IF && !has_else && walk->good)
        step_into(walk, STEP_IF, stmt, n, stmt->next, rest);
}

static void walk_select(struct walk *walk, struct fiacre_stmt *stmt, struct rest *rest)
{
    struct rest after = {stmt->next, rest};
    struct fiacre_stmt *select = walk->select;
    uint32_t group = walk->group;
    bool has_groups = false;
    for (struct fiacre_branch *b = stmt->branches; b; b = b->next) has_groups |= b->group > 0;
    if (has_groups && select) {
        complain(walk->f, stmt, DIAG_LIMIT, stmt->place,
                 "a path can pass one select with `unless` only");
        walk->good = false;
        return;
    }
    for (struct fiacre_branch *b = stmt->branches; b && walk->good; b = b->next) {
        if (has_groups) {
            walk->select = stmt;
            walk->group = b->group;
        }
        walk_on(walk, b->body, &after);
    }
    walk->select = select;
    walk->group = group;
}

static void walk_labelled(struct walk *walk, struct fiacre_stmt *stmt, struct rest *rest)
{
    const char *before = walk->label;
    walk->label = stmt->name;
    walk_on(walk, stmt->next, rest);
    walk->label = before;
}

static void walk_choices(struct walk *walk, struct fiacre_stmt *stmt, struct rest *rest)
{
    uint64_t choices = statement_choices(walk, stmt);
    if (!choices) walk->good = false;
    for (uint64_t i = 0; i < choices && walk->good; i++)
        step_into(walk, STEP_CHOOSE, stmt, i, stmt->next, rest);
}

static void walk_on(struct walk *walk, struct fiacre_stmt *at, struct rest *rest)
{
    if (!walk->good) return;
    while (!at && rest) at = rest->stmt, rest = rest->outer;
    if (!at) {
        struct place place =
            walk->transition ? walk->transition->place : walk->instance->decl->process->init_place;
        diag_error(walk->f->diag, DIAG_MISSING, place, "a path here ends without `to` or `loop`");
        walk->good = false;
        return;
    }
    /* a way can end early: `to` in a branch, whatever follows */
    if (at->kind == FIACRE_STMT_TO || at->kind == FIACRE_STMT_LOOP) {
        keep(walk, at);
        return;
    }
    if (walk->nesting > MAX_LENGTH) {
        complain(walk->f, at, DIAG_LIMIT, at->place, "a path of more than %d statements",
                 MAX_LENGTH);
        walk->good = false;
        return;
    }
    walk->nesting++;
    if (at->kind == FIACRE_STMT_LABEL || at->kind == FIACRE_STMT_TAG) walk_labelled(walk, at, rest);
    else if (!parts_ways(at)) step_into(walk, STEP_PLAIN, at, 0, at->next, rest);
    else if (at->kind == FIACRE_STMT_IF || at->kind == FIACRE_STMT_CASE)
        walk_branches(walk, at, rest);
    else if (at->kind == FIACRE_STMT_SELECT) walk_select(walk, at, rest);
    else if (at->kind == FIACRE_STMT_CHOOSE) walk_choices(walk, at, rest);
    else
        step_into(walk, at->kind == FIACRE_STMT_WAIT ? STEP_WAIT : STEP_COMM, at, 0, at->next,
                  rest);
    walk->nesting--;
}

bool paths_find(struct fiacre *f, struct instance *instance, struct fiacre_stmt *init,
                struct place place)
{
    struct walk walk = {.f = f, .instance = instance, .is_init = init != NULL, .good = true};
    (void)place;
    instance->paths.len = 0;
    if (init) walk_on(&walk, init, NULL);
    for (struct fiacre_transition *t = instance->decl->process->transitions;
         !init && t && walk.good; t = t->next) {
        walk.transition = t;
        if (find_state(f, instance->decl->process, t->state) == MODEL_NONE) {
            diag_error(f->diag, DIAG_UNKNOWN, t->state_place, "the process has no state '%.60s'",
                       t->state);
            walk.good = false;
        } else walk_on(&walk, t->body, NULL);
    }
    assert(!walk.steps.len && !walk.nesting && !walk.select); /* the walk is back where it began */
    vec_free(f->model->mem, &walk.steps);
    return walk.good;
}

/* ---- code ---- */

static bool lower_taken_if(struct lowering *l, const struct path_step *step)
{
    struct exprs *exprs = &l->f->model->exprs;
    uint64_t n = 0;
    expr cond;
    for (struct fiacre_branch *b = step->stmt->branches; b && b->exp && n <= step->choice;
         b = b->next, n++) {
        if (!lower_condition(l, b->exp, &cond)) return false;
        emit_condition(l, n < step->choice ? expr_make(exprs, EXPR_NOT, 0, cond, cond) : cond,
                       b->exp, n < step->choice);
    }
    return true;
}

bool paths_lower(struct lowering *l, const struct path *path, uint32_t first, uint32_t end)
{
    struct value value;
    assert(first <= end && end <= path->count);
    for (uint32_t i = first; i < end; i++) {
        const struct path_step *step = &path->steps[i];
        bool good = true;
        if (step->kind == STEP_PLAIN) good = lower_statement(l, step->stmt);
        if (step->kind == STEP_IF) good = lower_taken_if(l, step);
        if (step->kind == STEP_CASE)
            good = lower_exp(l, step->stmt->exp, NULL, &value)
                   && case_branch(l, step->stmt, &value, (uint32_t)step->choice);
        if (step->kind == STEP_CHOOSE) good = lower_choice(l, step);
        if (!good) return false;
    }
    return true;
}
