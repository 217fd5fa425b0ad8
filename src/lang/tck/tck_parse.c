/* Expressions, formulas and statements.
 *
 *   condition  = comparison { "&&" comparison }        comparison = sum [ op sum ] | "!" comparison
 *   sum, term  = as everywhere, with + - * / %         primary    = number | name [ "[" sum "]" ]
 *                                                                 | "(" condition ")"
 *                                                                 | "if" c "then" sum "else" sum
 *   steps      = step { ";" step } [ ";" ]
 *   step       = name [ "[" sum "]" ] "=" sum | "nop" | "local" name [ "[" sum "]" | "=" sum ]
 *              | "if" condition "then" steps [ "else" steps ] "end"
 *              | "while" condition "do" steps "end"
 *
 * Formulas of properties have the operators of all languages beside these, from the weakest on:
 * <->, ->, ||, &&, U R W, and ! X F G with A and E. */
#include "lang/tck/ast.h"

#include <assert.h>
#include <string.h>

enum { MAX_DEPTH = 1000 };

/* ---- tokens ---- */

const struct token *tck_peek(const struct tck_file *file)
{
    return &file->tokens.list.data[file->at];
}

bool tck_accept(struct tck_file *file, enum token_kind kind)
{
    if (tck_peek(file)->kind != kind || kind == TOKEN_END) return false;
    file->at++;
    return true;
}

void tck_unexpected(struct tck_file *file, const char *wanted)
{
    char buffer[48];
    const struct token *token = tck_peek(file);
    if (!file->bad)
        diag_error(file->diag, DIAG_SYNTAX, token->place, "%s is needed here, not %s", wanted,
                   token_show(token, buffer));
    file->bad = true;
}

bool tck_expect(struct tck_file *file, enum token_kind kind, const char *wanted)
{
    if (tck_accept(file, kind)) return true;
    tck_unexpected(file, wanted);
    return false;
}

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && !strcmp(token->text, word);
}

static bool accept_word(struct tck_file *file, const char *word)
{
    if (!is_word(tck_peek(file), word)) return false;
    file->at++;
    return true;
}

static bool expect_word(struct tck_file *file, const char *word, const char *wanted)
{
    if (accept_word(file, word)) return true;
    tck_unexpected(file, wanted);
    return false;
}

/* ---- expressions ---- */

static struct tck_exp *make(struct tck_file *file, enum tck_op op, struct place place,
                            struct tck_exp *a, struct tck_exp *b)
{
    struct tck_exp *exp = arena_alloc(file->arena, sizeof *exp);
    *exp = (struct tck_exp){.op = op, .place = place, .a = a, .b = b};
    if (a) exp->depth = a->depth + 1;
    if (b && b->depth >= exp->depth) exp->depth = b->depth + 1;
    if (exp->depth > MAX_DEPTH && !file->bad) {
        diag_error(file->diag, DIAG_NESTING, place, "this expression is nested too deeply");
        file->bad = true;
    }
    return exp;
}

static struct tck_exp *parse_sum(struct tck_file *file);
static struct tck_exp *parse_weakest(struct tck_file *file);

/* Something begins inside something else. */
static void deeper(struct tck_file *file)
{
    if (++file->nesting > MAX_DEPTH) tck_unexpected(file, "something that is not nested so deeply");
}

static struct tck_exp *parse_choice(struct tck_file *file, struct place place)
{
    struct tck_exp *exp = make(file, TCK_IF, place, tck_parse_exp(file), NULL);
    expect_word(file, "then", "'then'");
    exp->b = parse_sum(file);
    expect_word(file, "else", "'else'");
    exp->c = parse_sum(file);
    exp->depth += exp->b->depth > exp->c->depth ? exp->b->depth : exp->c->depth;
    return exp;
}

static struct tck_exp *parse_primary(struct tck_file *file)
{
    const struct token *token = tck_peek(file);
    struct tck_exp *exp = make(file, TCK_NUMBER, token->place, NULL, NULL);
    deeper(file);
    if (file->bad) return exp;
    if (tck_accept(file, TOKEN_NUMBER)) {
        exp->number = token->number;
    } else if (tck_accept(file, TOKEN_OPEN)) {
        exp = accept_word(file, "if") ? parse_choice(file, token->place) : parse_weakest(file);
        tck_expect(file, TOKEN_CLOSE, "')'");
    } else if (tck_accept(file, TOKEN_NAME)) {
        exp->op = TCK_NAME;
        exp->name = token->text;
        if (tck_accept(file, TOKEN_OPEN_SQUARE)) {
            exp->a = parse_sum(file);
            exp->depth = exp->a->depth + 1;
            tck_expect(file, TOKEN_CLOSE_SQUARE, "']'");
        }
    } else tck_unexpected(file, "a number, a name or '('");
    file->nesting--;
    return exp;
}

static struct tck_exp *parse_sign(struct tck_file *file)
{
    const struct token *token = tck_peek(file);
    uint32_t signs = 0;
    while (tck_accept(file, TOKEN_MINUS)) signs++;
    struct tck_exp *exp = parse_primary(file);
    return signs % 2 ? make(file, TCK_NEGATE, token->place, exp, NULL) : exp;
}

static struct tck_exp *parse_product(struct tck_file *file)
{
    static const enum tck_op ops[] = {
        [TOKEN_TIMES] = TCK_MUL, [TOKEN_DIVIDE] = TCK_DIV, [TOKEN_REMAINDER] = TCK_MOD};
    struct tck_exp *exp = parse_sign(file);
    for (;;) {
        const struct token *token = tck_peek(file);
        if (file->bad || token->kind < TOKEN_TIMES || token->kind > TOKEN_REMAINDER) return exp;
        file->at++;
        exp = make(file, ops[token->kind], token->place, exp, parse_sign(file));
    }
}

static struct tck_exp *parse_sum(struct tck_file *file)
{
    struct tck_exp *exp = parse_product(file);
    for (;;) {
        const struct token *token = tck_peek(file);
        if (file->bad || (token->kind != TOKEN_PLUS && token->kind != TOKEN_MINUS)) return exp;
        file->at++;
        exp = make(file, token->kind == TOKEN_PLUS ? TCK_ADD : TCK_SUB, token->place, exp,
                   parse_product(file));
    }
}

static struct tck_exp *parse_comparison(struct tck_file *file)
{
    static const enum tck_op ops[] = {
        [TOKEN_EQ] = TCK_EQ, [TOKEN_NE] = TCK_NE, [TOKEN_LT] = TCK_LT,
        [TOKEN_LE] = TCK_LE, [TOKEN_GT] = TCK_GT, [TOKEN_GE] = TCK_GE};
    struct tck_exp *exp = parse_sum(file);
    const struct token *token = tck_peek(file);
    if (file->bad || token->kind < TOKEN_EQ || token->kind > TOKEN_GE) return exp;
    file->at++;
    return make(file, ops[token->kind], token->place, exp, parse_sum(file));
}

/* ---- formulas ---- */

static struct tck_exp *temporal(struct tck_file *file, enum formula_op op, struct place place,
                                struct tck_exp *a, struct tck_exp *b)
{
    struct tck_exp *exp = make(file, TCK_TEMPORAL, place, a, b);
    exp->formula = op;
    return exp;
}

/* X, F, G, AX ... EG: the operators in a word; 0: it is none. */
static unsigned unary_word(const struct tck_file *file, enum formula_op ops[2])
{
    const struct token *token = tck_peek(file);
    const char *text = token->text;
    unsigned count = 0;
    if (!file->in_formula || token->kind != TOKEN_NAME) return 0;
    if (text[0] == 'A' || text[0] == 'E') ops[count++] = *text++ == 'A' ? FORMULA_A : FORMULA_E;
    if (!text[0] || text[1] || !strchr("XFG", text[0])) return 0;
    ops[count++] = text[0] == 'X' ? FORMULA_X : text[0] == 'F' ? FORMULA_F : FORMULA_G;
    return count;
}

static struct tck_exp *parse_until(struct tck_file *file);

/* A [f U g], with ( ) or [ ]. */
static struct tck_exp *parse_path(struct tck_file *file)
{
    const struct token *token = tck_peek(file);
    const enum token_kind open = token[1].kind;
    file->at += 2;
    struct tck_exp *path = parse_weakest(file);
    tck_expect(file, open == TOKEN_OPEN ? TOKEN_CLOSE : TOKEN_CLOSE_SQUARE,
               open == TOKEN_OPEN ? "')'" : "']'");
    return temporal(file, token->text[0] == 'A' ? FORMULA_A : FORMULA_E, token->place, path, NULL);
}

static bool begins_path(const struct tck_file *file)
{
    const struct token *token = tck_peek(file);
    return file->in_formula && (is_word(token, "A") || is_word(token, "E"))
           && (token[1].kind == TOKEN_OPEN || token[1].kind == TOKEN_OPEN_SQUARE);
}

static struct tck_exp *parse_unary(struct tck_file *file)
{
    enum { MOST = 500 };
    struct tck_exp *chain[MOST], *exp;
    unsigned count = 0, more;
    enum formula_op ops[2];
    for (;;) { /* operators wait for what follows them */
        const struct token *token = tck_peek(file);
        if (count + 2 > MOST) {
            tck_unexpected(file, "something that is not nested so deeply");
            return make(file, TCK_NUMBER, token->place, NULL, NULL);
        }
        if (tck_accept(file, TOKEN_NOT)) {
            chain[count++] = make(file, TCK_NOT, token->place, NULL, NULL);
        } else if ((more = unary_word(file, ops)) != 0) {
            file->at++;
            for (unsigned i = 0; i < more; i++)
                chain[count++] = temporal(file, ops[i], token->place, NULL, NULL);
        } else break;
    }
    exp = begins_path(file) ? parse_path(file) : parse_comparison(file);
    while (count) {
        struct tck_exp *outer = chain[--count];
        outer->a = exp;
        outer->depth = exp->depth + 1;
        exp = outer;
    }
    return exp;
}

static struct tck_exp *parse_until(struct tck_file *file)
{
    deeper(file);
    struct tck_exp *exp = parse_unary(file);
    file->nesting--;
    const struct token *token = tck_peek(file);
    if (file->bad || !file->in_formula || token->kind != TOKEN_NAME || token->text[1]
        || !strchr("URW", token->text[0]))
        return exp;
    const enum formula_op op = token->text[0] == 'U'   ? FORMULA_U
                               : token->text[0] == 'R' ? FORMULA_R
                                                       : FORMULA_W;
    file->at++;
    deeper(file);
    exp = temporal(file, op, token->place, exp, file->bad ? exp : parse_until(file));
    file->nesting--;
    return exp;
}

static struct tck_exp *parse_and(struct tck_file *file)
{
    struct tck_exp *exp = parse_until(file);
    for (;;) {
        const struct token *token = tck_peek(file);
        if (file->bad || !tck_accept(file, TOKEN_AND)) return exp;
        exp = make(file, TCK_AND, token->place, exp, parse_until(file));
    }
}

static struct tck_exp *parse_or(struct tck_file *file)
{
    struct tck_exp *exp = parse_and(file);
    for (;;) {
        const struct token *token = tck_peek(file);
        if (file->bad || !file->in_formula || !tck_accept(file, TOKEN_OR)) return exp;
        exp = make(file, TCK_OR, token->place, exp, parse_and(file));
    }
}

static struct tck_exp *parse_implies(struct tck_file *file)
{
    struct tck_exp *exp = parse_or(file);
    const struct token *token = tck_peek(file);
    if (file->bad || !file->in_formula || !tck_accept(file, TOKEN_IMPLIES)) return exp;
    deeper(file);
    exp = temporal(file, FORMULA_IMPLIES, token->place, exp, file->bad ? exp : parse_implies(file));
    file->nesting--;
    return exp;
}

static struct tck_exp *parse_weakest(struct tck_file *file)
{
    struct tck_exp *exp = parse_implies(file);
    for (;;) {
        const struct token *token = tck_peek(file);
        if (file->bad || !file->in_formula || !tck_accept(file, TOKEN_IFF)) return exp;
        exp = temporal(file, FORMULA_IFF, token->place, exp, parse_implies(file));
    }
}

struct tck_exp *tck_parse_exp(struct tck_file *file) { return parse_weakest(file); }

/* ---- statements ---- */

static struct tck_statement *parse_list(struct tck_file *file, uint32_t nesting);

static void parse_assignment(struct tck_file *file, struct tck_statement *step)
{
    step->kind = TCK_ASSIGN;
    if (tck_peek(file)->kind != TOKEN_NAME) tck_unexpected(file, "a variable or a clock");
    step->target = parse_primary(file);
    tck_expect(file, TOKEN_EQ, "'='");
    step->value = parse_sum(file);
}

static void parse_local(struct tck_file *file, struct tck_statement *step)
{
    const struct token *name = tck_peek(file);
    step->kind = TCK_LOCAL;
    if (!tck_expect(file, TOKEN_NAME, "the name of a local variable")) return;
    step->target = make(file, TCK_NAME, name->place, NULL, NULL);
    step->target->name = name->text;
    if (tck_accept(file, TOKEN_OPEN_SQUARE)) {
        step->size = parse_sum(file);
        tck_expect(file, TOKEN_CLOSE_SQUARE, "']'");
    } else if (tck_accept(file, TOKEN_EQ)) step->value = parse_sum(file);
}

static struct tck_statement *parse_step(struct tck_file *file, uint32_t nesting)
{
    const struct token *token = tck_peek(file);
    struct tck_statement *step = arena_alloc(file->arena, sizeof *step);
    *step = (struct tck_statement){.kind = TCK_NOP, .place = token->place};
    if (accept_word(file, "nop")) return step;
    if (accept_word(file, "local")) {
        parse_local(file, step);
    } else if (accept_word(file, "if")) {
        step->kind = TCK_BRANCH;
        step->value = tck_parse_exp(file);
        expect_word(file, "then", "'then'");
        step->body = parse_list(file, nesting + 1);
        if (accept_word(file, "else")) step->other = parse_list(file, nesting + 1);
        expect_word(file, "end", "'end'");
    } else if (accept_word(file, "while")) {
        step->kind = TCK_LOOP;
        step->value = tck_parse_exp(file);
        expect_word(file, "do", "'do'");
        step->body = parse_list(file, nesting + 1);
        expect_word(file, "end", "'end'");
    } else parse_assignment(file, step);
    return step;
}

static bool ends_list(const struct tck_file *file)
{
    const struct token *token = tck_peek(file);
    return token->kind == TOKEN_COLON || token->kind == TOKEN_CLOSE_CURLY
           || token->kind == TOKEN_END || is_word(token, "end") || is_word(token, "else");
}

static struct tck_statement *parse_list(struct tck_file *file, uint32_t nesting)
{
    struct tck_statement *first = NULL, **last = &first;
    if (nesting > MAX_DEPTH / 4) tck_unexpected(file, "something that is not nested so deeply");
    while (!file->bad && !ends_list(file)) {
        *last = parse_step(file, nesting);
        last = &(*last)->next;
        if (!file->bad && !tck_accept(file, TOKEN_SEMICOLON) && !ends_list(file))
            tck_unexpected(file, "';'");
    }
    return first;
}

struct tck_statement *tck_parse_steps(struct tck_file *file)
{
    assert(!file->in_formula);
    return parse_list(file, 0);
}
