/* Expressions of #if: integers of 64 bits with the operators of C, by precedence climbing over the
 * tokens of a line. Names that are no macros are 0, as in C. Operators are told apart by spelling,
 * because bodies of macros were read with the table of the language. */
#include "lang/common/macros.h"

#include <assert.h>
#include <string.h>

struct reading {
    struct macros *p;
    const struct token *tokens;
    uint32_t at, count;
    unsigned depth;
    struct place place; /* of the directive */
    bool dead;          /* behind && or || or in a branch that is not taken: nothing can fail */
    bool failed;
};

enum { LOOSEST = 1, TIGHTEST = 10 };

static const struct {
    const char *spelling;
    unsigned level;
} binary[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
              {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
              {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static const struct token *peek(const struct reading *r)
{
    return r->at < r->count ? &r->tokens[r->at] : NULL;
}

static bool is_at(const struct reading *r, const char *spelling)
{
    const struct token *token = peek(r);
    return token && token->kind > TOKEN_STRING && !strcmp(token->text, spelling);
}

static bool accept(struct reading *r, const char *spelling)
{
    if (!is_at(r, spelling)) return false;
    r->at++;
    return true;
}

static int64_t fail(struct reading *r, const char *message)
{
    const struct token *token = peek(r);
    if (!r->failed) preprocess_fail(r->p, token ? token->place : r->place, "%s", message);
    r->failed = true;
    r->at = r->count;
    return 0;
}

static int64_t read_choice(struct reading *r);

enum { MOST_DEEP = 200 };

static int64_t read_operand(struct reading *r)
{
    const struct token *token = peek(r);
    int64_t value;
    if (!token) return fail(r, "a condition ends too early");
    if (++r->depth > MOST_DEEP) return fail(r, "this condition is nested too deeply");
    if (accept(r, "(")) {
        value = read_choice(r);
        if (!accept(r, ")")) fail(r, "expected ')' in this condition");
    } else if (accept(r, "!")) value = !read_operand(r);
    else if (accept(r, "-")) value = (int64_t)(0 - (uint64_t)read_operand(r));
    else if (accept(r, "~")) value = ~read_operand(r);
    else if (accept(r, "+")) value = read_operand(r);
    else if (token->kind == TOKEN_NUMBER) value = (int64_t)r->tokens[r->at++].number;
    else if (token_is_word(token)) value = (r->at++, 0);
    else value = fail(r, "expected a number or a name in this condition");
    r->depth--;
    return value;
}

/* Division of the least number by -1 leaves 64 bits, too. */
static int64_t divide(struct reading *r, char op, int64_t a, int64_t b)
{
    if (r->dead) return 0;
    if (!b || (b == -1 && a == INT64_MIN)) return fail(r, "division by zero in a condition");
    return op == '/' ? a / b : a % b;
}

static int64_t shift(const char *op, int64_t a, int64_t b)
{
    uint64_t by = b < 0 || b > 63 ? 64 : (uint64_t)b;
    if (by == 64) return 0;
    return *op == '<' ? (int64_t)((uint64_t)a << by) : a >> by;
}

static int64_t apply(struct reading *r, const char *op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    if (op[1] && op[0] == op[1] && (*op == '<' || *op == '>')) return shift(op, a, b);
    switch (*op) {
    case '|': return op[1] ? a || b : a | b;
    case '&': return op[1] ? a && b : a & b;
    case '^': return a ^ b;
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op[1] ? a <= b : a < b;
    case '>': return op[1] ? a >= b : a > b;
    case '+': return (int64_t)(x + y);
    case '-': return (int64_t)(x - y);
    case '*': return (int64_t)(x * y);
    default: return divide(r, *op, a, b);
    }
}

static const char *binary_at(const struct reading *r, unsigned level)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (binary[i].level == level && is_at(r, binary[i].spelling)) return binary[i].spelling;
    return NULL;
}

static int64_t read_binary(struct reading *r, unsigned level)
{
    assert(level <= TIGHTEST + 1);
    if (level > TIGHTEST) return read_operand(r);
    int64_t left = read_binary(r, level + 1);
    for (const char *op; !r->failed && (op = binary_at(r, level));) {
        bool dead = r->dead;
        r->at++;
        r->dead |= (level == 1 && left) || (level == 2 && !left);
        int64_t right = read_binary(r, level + 1);
        r->dead = dead;
        if (!r->failed) left = apply(r, op, left, right);
    }
    return left;
}

static int64_t read_choice(struct reading *r)
{
    if (++r->depth > MOST_DEEP) return fail(r, "this condition is nested too deeply");
    int64_t value = read_binary(r, LOOSEST);
    bool dead = r->dead;
    r->depth--;
    if (r->failed || !accept(r, "?")) return value;
    r->depth++;
    r->dead = dead || !value;
    int64_t yes = read_choice(r);
    if (!accept(r, ":")) fail(r, "expected ':' in this condition");
    r->dead = dead || value;
    int64_t no = read_choice(r);
    r->dead = dead;
    r->depth--;
    return value ? yes : no;
}

/* defined NAME and defined(NAME) become numbers before macros are replaced; names that are asked
 * for become macros if -D gives them. */
static bool resolve_defined(struct macros *p, struct token_list *line)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < line->list.len; i++) {
        struct token token = line->list.data[i];
        if (!token_is_word(&token) || strcmp(token.text, "defined") != 0) {
            if (token_is_word(&token)) macros_ask(p, &token);
            line->list.data[kept++] = token;
            continue;
        }
        bool bracket = i + 1 < line->list.len && line->list.data[i + 1].kind == TOKEN_OPEN;
        uint32_t at = i + 1 + bracket;
        if (at >= line->list.len || !token_is_word(&line->list.data[at])
            || (bracket
                && (at + 1 >= line->list.len || line->list.data[at + 1].kind != TOKEN_CLOSE))) {
            preprocess_fail(p, token.place, "expected a name after 'defined'");
            return false;
        }
        token.kind = TOKEN_NUMBER;
        token.number = macros_ask(p, &line->list.data[at]) != MAP_NONE;
        token.text = token.number ? "1" : "0";
        line->list.data[kept++] = token;
        i = at + bracket;
    }
    line->list.len = kept;
    return true;
}

int64_t condition_value(struct macros *p, struct token_list *line, struct place place)
{
    if (!resolve_defined(p, line)) return 0;
    macros_expand(p, line);
    if (p->failed) return 0;
    struct reading r = {.p = p, .tokens = line->list.data, .count = line->list.len, .place = place};
    int64_t value = read_choice(&r);
    if (!r.failed && r.at < r.count) fail(&r, "expected an operator or the end of the line");
    return r.failed ? 0 : value;
}
