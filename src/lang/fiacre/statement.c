/* Statements, patterns and time intervals.
 *
 * A statement that begins with no keyword begins with a pattern; what follows tells whether it is
 * an assignment (`:=`) or a communication (`!`, `?`, nothing), which needs the plain name of a
 * port. Labels (comments with @) are no tokens: they are taken up before and after each
 * statement. */
#include "lang/fiacre/parser.h"

#include <stdio.h>
#include <string.h>

static struct fiacre_stmt *new_stmt(struct fiacre_parser *parser, enum fiacre_stmt_kind kind,
                                    struct place place)
{
    struct fiacre_stmt *stmt = arena_alloc(parser->arena, sizeof *stmt);
    stmt->kind = (uint8_t)kind;
    stmt->place = stmt->op_place = place;
    return stmt;
}

/* ---- time ---- */

struct fiacre_time fiacre_parse_time(struct fiacre_parser *parser, const char *after)
{
    const struct token *token = fiacre_peek(parser, 0);
    struct fiacre_time time = {token->number, token->scale};
    if (fiacre_accept(parser, TOKEN_NUMBER) || fiacre_accept(parser, TOKEN_DECIMAL)) return time;
    fiacre_expect(parser, TOKEN_NUMBER, after);
    return (struct fiacre_time){0, 1};
}

/* Whether a > b, exactly. */
static bool is_later(struct fiacre_time a, struct fiacre_time b)
{
    return (unsigned __int128)a.numerator * b.denominator
           > (unsigned __int128)b.numerator * a.denominator;
}

static void check_interval(struct fiacre_parser *parser, const struct fiacre_interval *interval)
{
    if (interval->unbounded) return;
    bool point = !is_later(interval->high, interval->low);
    if (is_later(interval->low, interval->high))
        fiacre_error(parser, interval->place, "this interval ends before it begins");
    else if (point && (interval->low_open || interval->high_open))
        fiacre_error(parser, interval->place, "this interval is empty");
}

struct fiacre_interval *fiacre_parse_interval(struct fiacre_parser *parser)
{
    struct fiacre_interval *interval = arena_alloc(parser->arena, sizeof *interval);
    interval->place = fiacre_here(parser);
    interval->low.denominator = interval->high.denominator = 1;
    if (fiacre_accept(parser, TOKEN_CLOSE_SQUARE)) interval->low_open = true;
    else if (!fiacre_accept(parser, TOKEN_OPEN_SQUARE))
        fiacre_error_expected(parser, "a time interval, such as [0,3] or ]1,...[");
    interval->low = fiacre_parse_time(parser, "'['");
    fiacre_expect(parser, TOKEN_COMMA, "the beginning of the interval");
    interval->unbounded = fiacre_accept(parser, TOKEN_DOTS);
    if (!interval->unbounded) interval->high = fiacre_parse_time(parser, "','");
    if (fiacre_accept(parser, TOKEN_OPEN_SQUARE)) interval->high_open = true;
    else if (interval->unbounded && fiacre_at(parser, TOKEN_CLOSE_SQUARE))
        fiacre_error(parser, fiacre_here(parser), "after '...' the interval ends with '['");
    else fiacre_expect(parser, TOKEN_CLOSE_SQUARE, "the end of the interval");
    if (!parser->panic) check_interval(parser, interval);
    return interval;
}

/* ---- patterns ---- */

static struct fiacre_exp *parse_pattern(struct fiacre_parser *parser);

static bool begins_pattern(const struct token *token)
{
    switch (token->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_MINUS:
    case TOKEN_PLUS:
    case TOKEN_OPEN:
    case FIACRE_WORD_ANY:
    case FIACRE_WORD_TRUE:
    case FIACRE_WORD_FALSE: return true;
    default: return false;
    }
}

static struct fiacre_exp *parse_signed_number(struct fiacre_parser *parser)
{
    const struct token *sign = fiacre_peek(parser, 0);
    bool is_signed = sign->kind == TOKEN_MINUS || sign->kind == TOKEN_PLUS;
    parser->at += is_signed;
    struct fiacre_exp *number = fiacre_new_exp(parser, FIACRE_EXP_NUMBER, fiacre_here(parser));
    number->number = fiacre_peek(parser, 0)->number;
    fiacre_expect(parser, TOKEN_NUMBER, "the sign");
    if (!is_signed) return number;
    return fiacre_combine(parser, FIACRE_EXP_UNARY,
                          sign->kind == TOKEN_MINUS ? FIACRE_NEGATE : FIACRE_PLUS, sign->place,
                          number, NULL, NULL);
}

/* A name alone is a constructor, a constant or a variable; before a pattern it is a constructor. */
static struct fiacre_exp *parse_pattern_name(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    struct fiacre_exp *exp = fiacre_new_exp(parser, FIACRE_EXP_NAME, token->place);
    exp->name = token->text;
    parser->at++;
    if (!begins_pattern(fiacre_peek(parser, 0))) return fiacre_parse_postfix(parser, exp);
    exp->juxtaposed = !fiacre_at(parser, TOKEN_OPEN);
    exp->kind = FIACRE_EXP_CALL;
    exp->args = parse_pattern(parser);
    exp->count = 1;
    fiacre_deepen(parser, exp, exp->args);
    return exp;
}

static struct fiacre_exp *parse_pattern_parentheses(struct fiacre_parser *parser)
{
    struct place opened = fiacre_here(parser);
    parser->at++;
    struct fiacre_exp *exp = parse_pattern(parser);
    fiacre_expect_close(parser, TOKEN_CLOSE, NULL, "the pattern", opened);
    bool variable = exp->kind == FIACRE_EXP_NAME || exp->kind == FIACRE_EXP_INDEX
                    || exp->kind == FIACRE_EXP_FIELD;
    return variable ? fiacre_parse_postfix(parser, exp) : exp;
}

static struct fiacre_exp *parse_pattern_inside(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    struct fiacre_exp *exp = fiacre_new_exp(parser, FIACRE_EXP_ANY, token->place);
    switch (token->kind) {
    case TOKEN_NAME: return parse_pattern_name(parser);
    case TOKEN_OPEN: return parse_pattern_parentheses(parser);
    case TOKEN_NUMBER:
    case TOKEN_MINUS:
    case TOKEN_PLUS: return parse_signed_number(parser);
    case FIACRE_WORD_TRUE:
    case FIACRE_WORD_FALSE:
        exp->kind = FIACRE_EXP_BOOL;
        exp->number = token->kind == FIACRE_WORD_TRUE;
        break;
    case FIACRE_WORD_ANY: break;
    default: fiacre_error_expected(parser, "a pattern"); return exp;
    }
    parser->at++;
    return exp;
}

static struct fiacre_exp *parse_pattern(struct fiacre_parser *parser)
{
    struct fiacre_exp *exp = fiacre_enter(parser)
                                 ? parse_pattern_inside(parser)
                                 : fiacre_new_exp(parser, FIACRE_EXP_ANY, fiacre_here(parser));
    fiacre_leave(parser);
    return exp;
}

/* ---- assignments and communications ---- */

static void parse_assignment(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    if (fiacre_at(parser, FIACRE_WORD_ANY)) {
        stmt->kind = FIACRE_STMT_CHOOSE;
        parser->at++;
        if (fiacre_accept(parser, FIACRE_WORD_WHERE)) stmt->exp = fiacre_parse_exp(parser);
        return;
    }
    stmt->kind = FIACRE_STMT_ASSIGN;
    stmt->exps = fiacre_parse_list(parser, fiacre_parse_exp, &stmt->exp_count);
    if (!parser->panic && stmt->exp_count != stmt->pattern_count)
        fiacre_error(parser, stmt->op_place,
                     "%u on the left of ':=', %u on the right: an assignment has as many values as "
                     "variables",
                     stmt->pattern_count, stmt->exp_count);
}

static void parse_sent(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    struct fiacre_exp **last = &stmt->exps;
    do {
        struct place place = fiacre_here(parser);
        *last = fiacre_accept(parser, FIACRE_WORD_ANY)
                    ? fiacre_new_exp(parser, FIACRE_EXP_ANY, place)
                    : fiacre_parse_exp(parser);
        last = &(*last)->next;
        stmt->exp_count++;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
}

/* An assignment or a communication: both begin with patterns. */
static struct fiacre_stmt *parse_simple(struct fiacre_parser *parser)
{
    struct fiacre_stmt *stmt = new_stmt(parser, FIACRE_STMT_SYNC, fiacre_here(parser));
    stmt->patterns = fiacre_parse_list(parser, parse_pattern, &stmt->pattern_count);
    if (parser->panic) return stmt;
    const struct fiacre_exp *pattern = stmt->patterns;
    const struct token *token = fiacre_peek(parser, 0);
    stmt->op_place = token->place;
    if (token->kind == TOKEN_EQ) {
        fiacre_error(parser, token->place, "an assignment is written with ':='");
    } else if (fiacre_accept(parser, TOKEN_ASSIGN)) {
        parse_assignment(parser, stmt);
    } else if (pattern->kind != FIACRE_EXP_NAME || pattern->next) {
        fiacre_expect(parser, TOKEN_ASSIGN, pattern->next ? "these patterns" : "this pattern");
    } else if (parser->in_function) {
        fiacre_error(parser, token->place, "expected ':=' after '%s': a function has no ports",
                     pattern->name);
    } else {
        stmt->name = pattern->name;
        stmt->patterns = NULL;
        stmt->pattern_count = 0;
        if (fiacre_accept(parser, TOKEN_BANG)) {
            stmt->kind = FIACRE_STMT_SEND;
            parse_sent(parser, stmt);
        } else if (fiacre_accept(parser, TOKEN_QUESTION)) {
            stmt->kind = FIACRE_STMT_RECEIVE;
            stmt->patterns = fiacre_parse_list(parser, parse_pattern, &stmt->pattern_count);
            if (fiacre_accept(parser, FIACRE_WORD_WHERE)) stmt->exp = fiacre_parse_exp(parser);
        }
    }
    return stmt;
}

/* ---- statements with statements inside ---- */

/* `end`, with or without the word that it ends. */
static void parse_end(struct fiacre_parser *parser, const char *choices, unsigned word,
                      struct place opened)
{
    char what[32];
    snprintf(what, sizeof what, "the '%s'", token_kind_show(&fiacre_lexis, word));
    if (fiacre_expect_close(parser, FIACRE_WORD_END, choices, what, opened))
        fiacre_accept(parser, word);
}

static struct fiacre_branch *new_branch(struct fiacre_parser *parser)
{
    struct fiacre_branch *branch = arena_alloc(parser->arena, sizeof *branch);
    branch->place = fiacre_here(parser);
    return branch;
}

static void parse_if(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    struct fiacre_branch **last = &stmt->branches;
    stmt->kind = FIACRE_STMT_IF;
    do {
        parser->at++; /* if, elsif */
        *last = new_branch(parser);
        (*last)->exp = fiacre_parse_exp(parser);
        fiacre_expect(parser, FIACRE_WORD_THEN, "the condition");
        (*last)->body = fiacre_parse_stmts(parser);
        last = &(*last)->next;
    } while (!parser->panic && fiacre_at(parser, FIACRE_WORD_ELSIF));
    bool has_else = fiacre_accept(parser, FIACRE_WORD_ELSE);
    if (has_else) {
        *last = new_branch(parser);
        (*last)->body = fiacre_parse_stmts(parser);
    }
    parse_end(parser, has_else ? "';'" : "';', 'elsif', 'else'", FIACRE_WORD_IF, stmt->place);
}

static void parse_select(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    struct fiacre_branch **last = &stmt->branches;
    uint32_t group = 0;
    stmt->kind = FIACRE_STMT_SELECT;
    do {
        group += fiacre_at(parser, FIACRE_WORD_UNLESS);
        parser->at++; /* select, [], unless */
        *last = new_branch(parser);
        (*last)->group = group;
        (*last)->body = fiacre_parse_stmts(parser);
        last = &(*last)->next;
    } while (!parser->panic
             && (fiacre_at(parser, TOKEN_CHOICE) || fiacre_at(parser, FIACRE_WORD_UNLESS)));
    parse_end(parser, "';', '[]', 'unless'", FIACRE_WORD_SELECT, stmt->place);
}

static void parse_case(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    struct fiacre_branch **last = &stmt->branches;
    stmt->kind = FIACRE_STMT_CASE;
    parser->at++;
    stmt->exp = fiacre_parse_exp(parser);
    fiacre_expect(parser, FIACRE_WORD_OF, "the value of the case");
    do {
        *last = new_branch(parser);
        (*last)->exp = parse_pattern(parser);
        fiacre_expect(parser, TOKEN_ARROW, "the pattern");
        (*last)->body = fiacre_parse_stmts(parser);
        last = &(*last)->next;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_BAR));
    parse_end(parser, "';', '|'", FIACRE_WORD_CASE, stmt->place);
}

static void parse_loop(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    unsigned word = fiacre_peek(parser, 0)->kind;
    parser->at++;
    stmt->op_place = fiacre_here(parser);
    if (word == FIACRE_WORD_WHILE) {
        stmt->kind = FIACRE_STMT_WHILE;
        stmt->exp = fiacre_parse_exp(parser);
    } else {
        stmt->kind = FIACRE_STMT_FOREACH;
        stmt->name = fiacre_expect_name(parser, "'foreach'");
    }
    fiacre_expect(parser, FIACRE_WORD_DO,
                  word == FIACRE_WORD_WHILE ? "the condition" : "the variable");
    stmt->body = fiacre_parse_stmts(parser);
    parse_end(parser, "';'", word, stmt->place);
}

/* ---- all statements ---- */

/* Functions compute: they neither move nor wait. */
static bool is_forbidden_in_functions(unsigned kind)
{
    return kind == FIACRE_WORD_LOOP || kind == FIACRE_WORD_TO || kind == TOKEN_HASH
           || kind == FIACRE_WORD_ON || kind == FIACRE_WORD_WAIT || kind == FIACRE_WORD_SELECT;
}

/* One keyword with what follows it. */
static void parse_keyword(struct fiacre_parser *parser, struct fiacre_stmt *stmt)
{
    unsigned word = fiacre_peek(parser, 0)->kind;
    parser->at++;
    switch (word) {
    case FIACRE_WORD_NULL: stmt->kind = FIACRE_STMT_NULL; break;
    case FIACRE_WORD_LOOP: stmt->kind = FIACRE_STMT_LOOP; break;
    case FIACRE_WORD_TO:
    case TOKEN_HASH:
        stmt->kind = word == FIACRE_WORD_TO ? FIACRE_STMT_TO : FIACRE_STMT_TAG;
        stmt->op_place = fiacre_here(parser);
        stmt->name = fiacre_expect_name(parser, word == FIACRE_WORD_TO ? "'to'" : "'#'");
        break;
    case FIACRE_WORD_WAIT:
        stmt->kind = FIACRE_STMT_WAIT;
        stmt->interval = fiacre_parse_interval(parser);
        break;
    default:
        stmt->kind = word == FIACRE_WORD_ON ? FIACRE_STMT_ON : FIACRE_STMT_RETURN;
        stmt->exp = fiacre_parse_exp(parser);
        break;
    }
}

static struct fiacre_stmt *parse_basic(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    struct fiacre_stmt *stmt = new_stmt(parser, FIACRE_STMT_NULL, token->place);
    char shown[48];
    if (parser->in_function && is_forbidden_in_functions(token->kind)) {
        fiacre_error(parser, token->place, "%s is not allowed in a function",
                     token_show(token, shown));
        return stmt;
    }
    switch (token->kind) {
    case FIACRE_WORD_IF: parse_if(parser, stmt); return stmt;
    case FIACRE_WORD_SELECT: parse_select(parser, stmt); return stmt;
    case FIACRE_WORD_CASE: parse_case(parser, stmt); return stmt;
    case FIACRE_WORD_WHILE:
    case FIACRE_WORD_FOREACH: parse_loop(parser, stmt); return stmt;
    case FIACRE_WORD_RETURN:
        if (!parser->in_function)
            fiacre_error(parser, token->place, "'return' is allowed only in a function");
        parse_keyword(parser, stmt);
        return stmt;
    case FIACRE_WORD_NULL:
    case FIACRE_WORD_LOOP:
    case FIACRE_WORD_TO:
    case TOKEN_HASH:
    case FIACRE_WORD_ON:
    case FIACRE_WORD_WAIT: parse_keyword(parser, stmt); return stmt;
    default:
        if (token->kind == TOKEN_NAME && token[1].kind == TOKEN_END
            && token[-1].kind == TOKEN_SEMICOLON)
            fiacre_error(parser, token->place,
                         "expected a statement, found what seems to be the main component: a ';' "
                         "too many before it?");
        else if (begins_pattern(token)) return parse_simple(parser);
        fiacre_error_expected(parser, "a statement");
        return stmt;
    }
}

/* A label on a line of its own before `from` names the transition that begins there. */
static bool names_next_transition(const struct fiacre_parser *parser,
                                  const struct token_label *label)
{
    const struct token *next = &parser->tokens[label->token];
    return next->kind == FIACRE_WORD_FROM && label->token == parser->at && label->token
           && label->place.line > next[-1].place.line;
}

/* Appends the labels that stand before the next token. */
static struct fiacre_stmt **take_labels(struct fiacre_parser *parser, struct fiacre_stmt **last)
{
    for (; parser->label_at < parser->label_count
           && parser->labels[parser->label_at].token <= parser->at;
         parser->label_at++) {
        const struct token_label *label = &parser->labels[parser->label_at];
        if (names_next_transition(parser, label)) break;
        if (parser->in_function) continue;
        *last = new_stmt(parser, FIACRE_STMT_LABEL, label->place);
        (*last)->name = label->text;
        last = &(*last)->next;
    }
    return last;
}

void fiacre_skip_labels(struct fiacre_parser *parser)
{
    while (parser->label_at < parser->label_count
           && parser->labels[parser->label_at].token < parser->at)
        parser->label_at++;
}

/* A port alone, followed by something else than an end: maybe a keyword that is misspelt. */
static void suggest_keyword(struct fiacre_parser *parser, const struct token *begin)
{
    static const uint16_t words[] = {FIACRE_WORD_SELECT,  FIACRE_WORD_CASE, FIACRE_WORD_WHILE,
                                     FIACRE_WORD_FOREACH, FIACRE_WORD_WAIT, FIACRE_WORD_RETURN,
                                     FIACRE_WORD_NULL,    FIACRE_WORD_LOOP, FIACRE_WORD_IF,
                                     FIACRE_WORD_TO,      FIACRE_WORD_ON,   FIACRE_WORD_ELSE,
                                     FIACRE_WORD_ELSIF,   FIACRE_WORD_END};
    const struct token *next = begin + 1;
    if (begin->kind != TOKEN_NAME
        || !(begins_pattern(next) || fiacre_is_keyword(next) || next->kind == TOKEN_OPEN_SQUARE))
        return;
    const char *word = fiacre_suggest(begin, words, sizeof words / sizeof *words);
    if (word) diag_note(parser->diag, begin->place, "did you mean '%s' here?", word);
}

/* Whether what stands here may follow a sequence of statements, wherever it is. */
static bool may_end_here(const struct token *token)
{
    switch (token->kind) {
    case TOKEN_END:
    case TOKEN_CHOICE:
    case TOKEN_BAR:
    case FIACRE_WORD_ELSE:
    case FIACRE_WORD_ELSIF:
    case FIACRE_WORD_END:
    case FIACRE_WORD_FROM:
    case FIACRE_WORD_INIT:
    case FIACRE_WORD_PAR:
    case FIACRE_WORD_PORT:
    case FIACRE_WORD_PRIORITY:
    case FIACRE_WORD_UNLESS:
    case FIACRE_WORD_VAR: return true;
    default: return fiacre_begins_declaration(token);
    }
}

/* What could have followed this statement. */
static const char *continuation(const struct fiacre_stmt *stmt)
{
    bool exp = stmt->exp && stmt->kind != FIACRE_STMT_CASE && stmt->kind != FIACRE_STMT_WHILE;
    if (stmt->kind == FIACRE_STMT_SYNC) return "';', '!', '?' or ':='";
    return exp || stmt->exps ? "';' or an operator" : "';'";
}

static struct fiacre_stmt *parse_sequence(struct fiacre_parser *parser)
{
    struct fiacre_stmt *first = NULL, **last = take_labels(parser, &first);
    do {
        last = take_labels(parser, last);
        const struct token *begin = fiacre_peek(parser, 0);
        bool silent = parser->panic;
        struct fiacre_stmt *stmt = *last = parse_basic(parser);
        last = take_labels(parser, &stmt->next);
        if (!parser->panic && !fiacre_at(parser, TOKEN_SEMICOLON)
            && !may_end_here(fiacre_peek(parser, 0)))
            fiacre_error_expected(parser, continuation(stmt));
        if (parser->panic && !silent) suggest_keyword(parser, begin);
    } while (!parser->panic && fiacre_accept(parser, TOKEN_SEMICOLON));
    return first;
}

struct fiacre_stmt *fiacre_parse_stmts(struct fiacre_parser *parser)
{
    struct fiacre_stmt *stmt = fiacre_enter(parser)
                                   ? parse_sequence(parser)
                                   : new_stmt(parser, FIACRE_STMT_NULL, fiacre_here(parser));
    fiacre_leave(parser);
    return stmt;
}
