#include "run/looks.h"

#include "base/text.h"
#include "result/value.h"
#include "run/message.h"

#include <ctype.h>
#include <string.h>

static bool complain(struct session *session, const char *format, const char *a)
{
    message(&session->diag, DIAG_ERROR, NULL, format, a);
    session->diag.errors++;
    return false;
}

/* ---- what is not shown ---- */

/* Whether the name is meant: itself, what belongs to it (p[0] means p[0].x), or with a star at the
 * end whatever begins so. */
static bool is_meant(const char *name, const char *wish, size_t length)
{
    if (length && wish[length - 1] == '*') return !strncmp(name, wish, length - 1);
    return !strncmp(name, wish, length) && (!name[length] || strchr(".[", name[length]));
}

static bool hide_one(struct session *session, const char *wish, size_t length)
{
    struct model *model = session->model;
    bool found = false;
    for (unsigned raw = 0; raw < 2 && !found; raw++)
        for (struct shown at = shown_first(model, raw); at.cells && !at.extra;
             at = shown_next(model, raw, &at)) {
            if (!is_meant(at.name, wish, length)) continue;
            found = true;
            vec_push(model->mem, &model->unshown, at.name);
            for (uint32_t i = 0; i < at.cells; i++) model->vars.data[at.var + i].is_unshown = true;
        }
    if (found) return true;
    struct text text;
    text_init(&text, session->mem);
    text_add(&text, "%.*s", (int)length, wish);
    return complain(session, "--hide: the model shows nothing that is called '%.60s'", text.data);
}

/* Names are separated by commas; those in brackets belong to a name. */
static bool hide_all(struct session *session, const char *wishes)
{
    bool good = true;
    for (const char *at = wishes; *at;) {
        unsigned depth = 0;
        while (*at == ' ' || *at == ',') at++;
        const char *end = at;
        for (; *end && (depth || *end != ','); end++)
            depth += strchr("([", *end) ? 1u : 0u - (depth && strchr(")]", *end));
        size_t length = (size_t)(end - at);
        while (length && at[length - 1] == ' ') length--;
        if (length) good &= hide_one(session, at, length);
        at = end;
    }
    return good;
}

/* ---- expressions ---- */

/* How a number is made a condition, which is what languages read: an equation with another one,
 * which is large, because Milestones computes in as many bits as the numbers of a comparison need.
 */
#define OTHER "1073741824"
enum { OTHER_NUMBER = 1 << 30 };
static const struct {
    const char *before, *after;
} equations[] = {{"", " == " OTHER}, {"", " = " OTHER}, {"(eq ", " " OTHER ")"}, {"", ""}};
enum { EQUATIONS = sizeof equations / sizeof *equations };

/* Reads the text as a condition; what is wrong is told only if `aloud`. */
static bool read_condition(struct session *session, const struct language *language, void *scope,
                           const char *text, bool aloud, expr *found)
{
    struct model *model = session->model;
    struct diag *diag = &session->diag;
    const struct diag before = *diag;
    const uint32_t count = model->properties.len;
    const uint32_t source = diag_add_source(diag, "--show-expr", text, strlen(text));
    if (!aloud) diag->listener = NULL;
    model->exprs.keeps_equations = true;
    bool good = language->property(scope, PROPERTY_INVARIANT, source)
                && diag->errors == before.errors && model->properties.len == count + 1;
    model->exprs.keeps_equations = false;
    if (good) {
        const struct formula_node *root =
            formula_get(&model->formulas, model->properties.data[count].root);
        good = root->op == FORMULA_ATOM;
        *found = root->atom;
    }
    model->properties.len = count;
    if (aloud) return good;
    diag->listener = before.listener;
    diag->errors = before.errors;
    diag->warnings = before.warnings;
    diag->list.len = before.list.len;
    return good;
}

static bool is_number(const struct model *model, expr e, int64_t number)
{
    const struct expr_node *node = expr_get(&model->exprs, e);
    return node->op == EXPR_CONST && node->value == number;
}

/* The number that an equation is about; a condition that was made a number is one again. */
static bool take_left(const struct model *model, expr *e)
{
    const struct expr_node *node = expr_get(&model->exprs, *e);
    if (node->op != EXPR_EQ || !is_number(model, node->b, OTHER_NUMBER)) return false;
    *e = node->a;
    node = expr_get(&model->exprs, *e);
    if (node->op == EXPR_CHOOSE && is_number(model, node->b, 1) && is_number(model, node->c, 0))
        *e = node->a;
    return true;
}

static bool read_expression(struct session *session, const struct language *language, void *scope,
                            const char *blanks, const char *words, expr *e)
{
    struct text text;
    for (unsigned i = 0; i < EQUATIONS; i++) {
        const bool counts = *equations[i].after;
        text_init(&text, session->mem);
        text_add(&text, "%s%s%s%s", blanks, equations[i].before, words, equations[i].after);
        if (read_condition(session, language, scope, text.data, !counts, e)
            && (!counts || take_left(session->model, e)))
            return true;
    }
    if (!session->diag.errors)
        complain(session, "--show-expr: '%.60s' is neither a number nor a condition", words);
    return false;
}

static bool is_taken(const struct model *model, const char *name)
{
    for (struct shown at = shown_first(model, false); at.cells; at = shown_next(model, false, &at))
        if (!strcmp(at.name, name)) return true;
    return false;
}

/* NAME = E. What stands before E becomes blanks, so that places are those in the text. */
static bool show_one(struct session *session, const struct language *language, void *scope,
                     const char *wish)
{
    struct model *model = session->model;
    const char *equals = strchr(wish, '=');
    size_t length = equals ? (size_t)(equals - wish) : 0, begin = 0;
    while (begin < length && isspace((unsigned char)wish[begin])) begin++;
    while (length > begin && isspace((unsigned char)wish[length - 1])) length--;
    if (!equals || equals[1] == '=' || length == begin)
        return complain(session, "--show-expr needs NAME = E, not '%.60s'", wish);
    char *blanks = mem_alloc(session->mem, (size_t)(equals - wish) + 2);
    memset(blanks, ' ', (size_t)(equals - wish) + 1);
    const char *name = names_format(&model->names, "%.*s", (int)(length - begin), wish + begin);
    if (is_taken(model, name))
        return complain(session, "--show-expr: '%.60s' is shown already: --hide leaves it out",
                        name);
    struct model_extra extra = {.name = name};
    if (!read_expression(session, language, scope, blanks, equals + 1, &extra.value)) return false;
    vec_push(model->mem, &model->extras, extra);
    return true;
}

bool looks_read(struct session *session, const struct language *language, void *scope)
{
    const struct ask *ask = session->ask;
    bool good = true;
    for (uint32_t i = 0; i < ask->hidden.len; i++) good &= hide_all(session, ask->hidden.data[i]);
    for (uint32_t i = 0; i < ask->shown.len; i++)
        good &= show_one(session, language, scope, ask->shown.data[i]);
    return good;
}
