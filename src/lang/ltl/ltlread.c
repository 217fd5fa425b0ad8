#include "lang/ltl/ltlread.h"

#include "lang/common/lexer.h"

#include <assert.h>
#include <string.h>

enum { MAX_NESTING = 200, MAX_WORD = 1 << 16 };

struct reader {
    struct diag *diag;
    struct alphabet *alphabet;
    struct nnfs *nnfs;
    struct tokens tokens;
    uint32_t at, nesting;
    bool failed;
};

/* ---- tokens ---- */

static const struct token *peek(const struct reader *r) { return &r->tokens.list.data[r->at]; }

static bool accept(struct reader *r, enum token_kind kind)
{
    if (peek(r)->kind != kind) return false;
    if (kind != TOKEN_END) r->at++;
    return true;
}

static bool accept_word(struct reader *r, const char *word)
{
    if (peek(r)->kind != TOKEN_NAME || strcmp(peek(r)->text, word)) return false;
    r->at++;
    return true;
}

/* Only the first error is told: the rest would follow from it. */
static void fail(struct reader *r, const char *expected)
{
    char shown[48];
    if (!r->failed)
        diag_error(r->diag, DIAG_SYNTAX, peek(r)->place, "expected %s, found %s", expected,
                   token_show(peek(r), shown));
    r->failed = true;
}

static void expect(struct reader *r, enum token_kind kind, const char *expected)
{
    if (!accept(r, kind)) fail(r, expected);
}

static bool start(struct reader *r, uint32_t source)
{
    uint32_t errors = r->diag->errors;
    lexer_run(r->diag, r->alphabet->names, &lexer_plain, source, &r->tokens);
    return r->diag->errors == errors;
}

static uint32_t proposition(struct reader *r, const char *name, struct place place)
{
    uint32_t number = alphabet_number(r->alphabet, name);
    if (number != AUTOMATON_NONE) return number;
    if (!r->failed)
        diag_error(r->diag, DIAG_LIMIT, place, "more than %d different propositions",
                   AUTOMATON_MAX_PROPOSITIONS);
    r->failed = true;
    return 0;
}

/* ---- formulas ---- */

static nnf read_level(struct reader *r, unsigned level);

static nnf apply(struct nnfs *nnfs, char letter, nnf f)
{
    if (letter == 'X') return nnf_x(nnfs, f);
    return letter == 'F' ? nnf_u(nnfs, nnf_true(), f) : nnf_r(nnfs, nnf_false(), f);
}

static nnf read_unary(struct reader *r);

/* A name, with operators in front of it: the letters X, F, G it begins with. */
static nnf read_name(struct reader *r)
{
    const struct token *token = &r->tokens.list.data[r->at++];
    size_t letters = strspn(token->text, "XFG"), length = strlen(token->text);
    nnf f;
    if (!strcmp(token->text, "true")) return nnf_true();
    if (!strcmp(token->text, "false")) return nnf_false();
    if (letters == length) f = read_unary(r);
    else if (!strcmp(token->text + letters, "true")) f = nnf_true();
    else if (!strcmp(token->text + letters, "false")) f = nnf_false();
    else f = nnf_literal(r->nnfs, proposition(r, token->text + letters, token->place), false);
    while (letters > 0) f = apply(r->nnfs, token->text[--letters], f);
    return f;
}

static nnf read_operand(struct reader *r)
{
    const struct token *token = peek(r);
    nnf f = nnf_false();
    if (accept(r, TOKEN_NOT)) return nnf_negate(r->nnfs, read_unary(r));
    if (token->kind == TOKEN_NAME) return read_name(r);
    if (accept(r, TOKEN_STRING))
        return nnf_literal(r->nnfs, proposition(r, token->text, token->place), false);
    if (token->kind == TOKEN_NUMBER && token->number <= 1)
        return r->at++, token->number ? nnf_true() : nnf_false();
    if (accept(r, TOKEN_NE)) return apply(r->nnfs, 'F', read_unary(r)); /* <> */
    if (accept(r, TOKEN_OPEN_SQUARE)) {
        expect(r, TOKEN_CLOSE_SQUARE, "']'");
        return apply(r->nnfs, 'G', read_unary(r));
    }
    if (accept(r, TOKEN_OPEN)) {
        f = read_level(r, 0);
        expect(r, TOKEN_CLOSE, "an operator or ')'");
        return f;
    }
    fail(r, "a formula");
    return f;
}

static nnf read_unary(struct reader *r)
{
    if (r->nnfs->nodes.len > NNF_MAX_INPUT && !r->failed) {
        diag_error(r->diag, DIAG_LIMIT, peek(r)->place, "the formula has too many parts");
        r->failed = true;
    }
    if (r->nesting >= MAX_NESTING && !r->failed) {
        diag_error(r->diag, DIAG_NESTING, peek(r)->place,
                   "this formula is nested too deeply: more than %d levels", MAX_NESTING);
        r->failed = true;
    }
    if (r->failed) return nnf_false();
    r->nesting++;
    nnf f = read_operand(r);
    r->nesting--;
    return f;
}

/* ---- binary operators, loosest first ---- */

static nnf make_implies(struct nnfs *nnfs, nnf a, nnf b)
{
    return nnf_or(nnfs, nnf_negate(nnfs, a), b);
}

static nnf make_xor(struct nnfs *nnfs, nnf a, nnf b)
{
    return nnf_negate(nnfs, nnf_iff(nnfs, a, b));
}

enum { LEVEL_UNTIL = 5, LEVEL_UNARY };

static const struct {
    uint8_t level, token;
    const char *word; /* instead of a token of its own */
    bool to_the_right;
    nnf (*make)(struct nnfs *nnfs, nnf a, nnf b);
} binary[] = {
    {0, TOKEN_IFF, NULL, false, nnf_iff},
    {1, TOKEN_IMPLIES, NULL, true, make_implies},
    {2, TOKEN_XOR, NULL, false, make_xor},
    {2, TOKEN_NAME, "xor", false, make_xor},
    {3, TOKEN_OR, NULL, false, nnf_or},
    {4, TOKEN_AND, NULL, false, nnf_and},
    {5, TOKEN_NAME, "U", true, nnf_u},
    {5, TOKEN_NAME, "R", true, nnf_r},
    {5, TOKEN_NAME, "V", true, nnf_r},
    {5, TOKEN_NAME, "W", true, nnf_weak_until},
    {5, TOKEN_NAME, "M", true, nnf_strong_release},
};
enum { BINARY = sizeof binary / sizeof *binary };

static unsigned find_binary(const struct reader *r, unsigned level)
{
    unsigned i = 0;
    const struct token *token = peek(r);
    while (i < BINARY
           && (binary[i].level != level || binary[i].token != token->kind
               || (binary[i].word && strcmp(binary[i].word, token->text))))
        i++;
    return i;
}

static nnf read_level(struct reader *r, unsigned level)
{
    if (level == LEVEL_UNARY) return read_unary(r);
    nnf left = read_level(r, level + 1);
    while (!r->failed) {
        unsigned i = find_binary(r, level);
        if (i == BINARY) break;
        r->at++;
        r->nesting += binary[i].to_the_right;
        nnf right = read_level(r, binary[i].to_the_right ? level : level + 1);
        r->nesting -= binary[i].to_the_right;
        left = binary[i].make(r->nnfs, left, right);
    }
    return left;
}

bool ltlread_formula(struct diag *diag, uint32_t source, struct alphabet *alphabet,
                     struct nnfs *nnfs, nnf *f)
{
    struct reader r = {.diag = diag, .alphabet = alphabet, .nnfs = nnfs};
    *f = nnf_false();
    if (start(&r, source)) {
        *f = read_level(&r, 0);
        if (!r.failed && peek(&r)->kind != TOKEN_END) fail(&r, "an operator");
    } else {
        r.failed = true;
    }
    if (!r.failed && nnfs->problem) {
        diag_error(diag, DIAG_SYNTAX, (struct place){.source = source}, "%s", nnfs->problem);
        r.failed = true;
    }
    vec_free(diag->mem, &r.tokens.list);
    return !r.failed;
}

/* ---- words ---- */

static uint64_t read_letter(struct reader *r)
{
    uint64_t positive = 0, negative = 0;
    do {
        bool negated = accept(r, TOKEN_NOT);
        const struct token *token = peek(r);
        if (!negated
            && (accept_word(r, "true")
                || (token->kind == TOKEN_NUMBER && token->number == 1 && accept(r, TOKEN_NUMBER))))
            continue;
        if (!accept(r, TOKEN_STRING) && !accept(r, TOKEN_NAME)) {
            fail(r, "a proposition");
            return 0;
        }
        const uint32_t bit = proposition(r, token->text, token->place);
        assert(bit < AUTOMATON_MAX_PROPOSITIONS);
        *(negated ? &negative : &positive) |= UINT64_C(1) << bit;
        if (positive & negative && !r->failed) {
            diag_error(r->diag, DIAG_CONFLICT, token->place,
                       "'%.40s' is true and false in one letter", token->text);
            r->failed = true;
        }
    } while (accept(r, TOKEN_AND));
    return positive;
}

static void read_letters(struct reader *r, struct word *word)
{
    do {
        if (word->letters.len == MAX_WORD) fail(r, "a shorter word");
        vec_push(r->alphabet->mem, &word->letters, read_letter(r));
    } while (!r->failed && accept(r, TOKEN_SEMICOLON)
             && !(peek(r)->kind == TOKEN_NAME && !strcmp(peek(r)->text, "cycle")));
}

bool ltlread_word(struct diag *diag, uint32_t source, struct alphabet *alphabet, struct word *word)
{
    struct reader r = {.diag = diag, .alphabet = alphabet};
    memset(word, 0, sizeof *word);
    if (start(&r, source)) {
        if (!(peek(&r)->kind == TOKEN_NAME && !strcmp(peek(&r)->text, "cycle")))
            read_letters(&r, word);
        word->loop = word->letters.len;
        if (!r.failed && !accept_word(&r, "cycle")) fail(&r, "';' and in the end cycle{...}");
        if (!r.failed) expect(&r, TOKEN_OPEN_CURLY, "'{'");
        if (!r.failed) read_letters(&r, word);
        if (!r.failed) expect(&r, TOKEN_CLOSE_CURLY, "'&', ';' or '}'");
        if (!r.failed && peek(&r)->kind != TOKEN_END) fail(&r, "nothing after the cycle");
    } else {
        r.failed = true;
    }
    vec_free(diag->mem, &r.tokens.list);
    return !r.failed;
}
