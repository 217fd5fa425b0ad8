/* Properties: frac's observables and patterns, as parts of formulas (expression.c), and the
 * declarations of properties.
 *
 *   observable = path item            path = name "/" { number "/" }     item = ("state" | "tag" |
 *                                                                        "event") name | "value"
 *                                                                        comparison
 *   pattern    = ("present" ["first"] | "absent" | "always" | "infinitelyoften" | "mortal" |
 *              "live") f { bound } | "deadlockfree"
 *              | f "leadsto" ["first"] f { bound } | f "precedes" f { bound }
 *   bound      = "lasting" d | "within" interval | "for" (interval | d) | "before" f | "after" f
 *              ["until" f] | "between" f "and" f
 *
 * None of these words is reserved: each is one only where it makes sense. */
#include "lang/fiacre/parser.h"

#include <string.h>

/* ---- observables ---- */

/* The last word of a path that begins here, with how many tokens stand before it; -1: no path. */
static int find_item(const struct fiacre_parser *parser, unsigned *before)
{
    static const char *const items[] = {"state", "value", "tag", "event"};
    const struct token *token = fiacre_peek(parser, 0), *at = token + 1;
    if (token->kind != TOKEN_NAME) return -1;
    while (at->kind == TOKEN_DIVIDE && at[1].kind == TOKEN_NUMBER) at += 2;
    if (at->kind != TOKEN_DIVIDE || at[1].kind != TOKEN_NAME) return -1;
    *before = (unsigned)(at + 1 - token);
    for (int i = 0; i < (int)(sizeof items / sizeof *items); i++)
        if (fiacre_is_word(at + 1, items[i])) return fiacre_begins_operand(at + 2) ? i : -1;
    return -1;
}

struct fiacre_exp *fiacre_parse_observable(struct fiacre_parser *parser)
{
    unsigned before;
    int item = find_item(parser, &before);
    if (item < 0) return NULL;
    struct fiacre_exp *exp = fiacre_new_exp(parser, FIACRE_EXP_OBSERVE, fiacre_here(parser)),
                      **last = &exp->args;
    exp->op = (uint8_t)item;
    exp->name = fiacre_peek(parser, 0)->text;
    for (const struct token *number = fiacre_peek(parser, 0) + 2, *end = number - 2 + before;
         number < end; number += 2) {
        *last = fiacre_new_exp(parser, FIACRE_EXP_NUMBER, number->place);
        (*last)->number = number->number;
        last = &(*last)->next;
        exp->count++;
    }
    parser->at += before;
    exp->op_place = fiacre_here(parser);
    parser->at++;
    exp->item_place = fiacre_here(parser);
    if (item == FIACRE_ITEM_VALUE) {
        exp->a = fiacre_parse_comparison(parser);
        fiacre_deepen(parser, exp, exp->a);
    } else {
        exp->item_name = fiacre_expect_name(parser, "the path");
    }
    return exp;
}

/* ---- patterns ---- */

static const struct {
    const char *word;
    uint8_t kind;
} prefixes[] = {
    {"present", FIACRE_PATTERN_PRESENT}, {"absent", FIACRE_PATTERN_ABSENT},
    {"always", FIACRE_PATTERN_ALWAYS},   {"infinitelyoften", FIACRE_PATTERN_INFINITELYOFTEN},
    {"mortal", FIACRE_PATTERN_MORTAL},   {"live", FIACRE_PATTERN_LIVE},
};

/* `present <> a` is a comparison: a variable may be called `present`. */
static bool begins_part(const struct fiacre_parser *parser, const struct token *token)
{
    return fiacre_begins_operand(token) && !fiacre_is_root(parser, token);
}

static int find_prefix(const struct token *token)
{
    for (int i = 0; i < (int)(sizeof prefixes / sizeof *prefixes); i++)
        if (fiacre_is_word(token, prefixes[i].word)) return i;
    return -1;
}

bool fiacre_begins_pattern(const struct fiacre_parser *parser, const struct token *token)
{
    if (fiacre_is_word(token, "deadlockfree")) return true;
    return find_prefix(token) >= 0 && begins_part(parser, token + 1);
}

/* A word of a pattern in front of what it needs. */
static bool accept_before_operand(struct fiacre_parser *parser, const char *word)
{
    if (!fiacre_is_word(fiacre_peek(parser, 0), word)
        || !begins_part(parser, fiacre_peek(parser, 1)))
        return false;
    parser->at++;
    return true;
}

static void set_scope(struct fiacre_parser *parser, struct fiacre_pattern *pattern,
                      enum fiacre_scope scope, struct place place)
{
    if (pattern->scope != FIACRE_SCOPE_GLOBAL)
        fiacre_error(parser, place, "a second scope of this pattern");
    pattern->scope = (uint8_t)scope;
}

static bool parse_scope(struct fiacre_parser *parser, struct fiacre_pattern *pattern)
{
    struct place place = fiacre_here(parser);
    if (accept_before_operand(parser, "before")) {
        set_scope(parser, pattern, FIACRE_SCOPE_BEFORE, place);
        pattern->from = fiacre_parse_pattern_operand(parser, false);
    } else if (accept_before_operand(parser, "between")) {
        set_scope(parser, pattern, FIACRE_SCOPE_BETWEEN, place);
        pattern->from = fiacre_parse_pattern_operand(parser, true);
        fiacre_expect(parser, FIACRE_WORD_AND, "the beginning of 'between'");
        pattern->to = fiacre_parse_pattern_operand(parser, false);
    } else if (accept_before_operand(parser, "after")) {
        bool outer = parser->in_scope;
        parser->in_scope = true;
        set_scope(parser, pattern, FIACRE_SCOPE_AFTER, place);
        pattern->from = fiacre_parse_pattern_operand(parser, false);
        parser->in_scope = outer;
        if (parser->panic || !accept_before_operand(parser, "until")) return true;
        pattern->scope = FIACRE_SCOPE_AFTER_UNTIL;
        pattern->to = fiacre_parse_pattern_operand(parser, false);
    } else {
        return false;
    }
    return true;
}

static bool begins_interval(const struct token *token)
{
    return token->kind == TOKEN_OPEN_SQUARE || token->kind == TOKEN_CLOSE_SQUARE;
}

static bool is_time(const struct token *token)
{
    return token->kind == TOKEN_NUMBER || token->kind == TOKEN_DECIMAL;
}

static bool parse_time_bound(struct fiacre_parser *parser, struct fiacre_pattern *pattern)
{
    const struct token *word = fiacre_peek(parser, 0), *next = fiacre_peek(parser, 1);
    bool again = false;
    if (fiacre_is_word(word, "lasting") && is_time(next)) {
        parser->at++;
        again = pattern->has_lasting;
        pattern->has_lasting = true;
        pattern->lasting = fiacre_parse_time(parser, "'lasting'");
    } else if (fiacre_is_word(word, "within") && begins_interval(next)) {
        parser->at++;
        again = pattern->within != NULL;
        pattern->within = fiacre_parse_interval(parser);
    } else if (fiacre_is_word(word, "for") && (begins_interval(next) || is_time(next))) {
        parser->at++;
        again = pattern->duration != NULL;
        if (begins_interval(next)) {
            pattern->duration = fiacre_parse_interval(parser);
        } else {
            pattern->duration = arena_alloc(parser->arena, sizeof *pattern->duration);
            pattern->duration->place = next->place;
            pattern->duration->low = pattern->duration->high = fiacre_parse_time(parser, "'for'");
        }
    } else {
        return false;
    }
    if (again) fiacre_error(parser, word->place, "a second '%s' in this pattern", word->text);
    return true;
}

/* The bounds of a pattern, and the node for it all. */
static struct fiacre_exp *finish_pattern(struct fiacre_parser *parser,
                                         struct fiacre_pattern *pattern)
{
    while (!parser->panic && (parse_scope(parser, pattern) || parse_time_bound(parser, pattern)))
        continue;
    struct fiacre_exp *exp =
        fiacre_combine(parser, FIACRE_EXP_PATTERN, 0, pattern->place, pattern->a, pattern->b, NULL);
    struct fiacre_exp *scope = fiacre_combine(parser, FIACRE_EXP_PATTERN, 0, pattern->place,
                                              pattern->from, pattern->to, NULL);
    if (scope->depth > exp->depth) exp->depth = scope->depth;
    exp->a = exp->b = NULL;
    exp->pattern = pattern;
    return exp;
}

static struct fiacre_pattern *new_pattern(struct fiacre_parser *parser,
                                          enum fiacre_pattern_kind kind, struct place place)
{
    struct fiacre_pattern *pattern = arena_alloc(parser->arena, sizeof *pattern);
    pattern->kind = (uint8_t)kind;
    pattern->place = place;
    return pattern;
}

/* `first` in front of an observable is a word of the pattern, not the operator on queues. */
static bool accept_first(struct fiacre_parser *parser)
{
    return fiacre_begins_operand(fiacre_peek(parser, 1))
           && fiacre_accept(parser, FIACRE_WORD_FIRST);
}

struct fiacre_exp *fiacre_parse_pattern_prefix(struct fiacre_parser *parser)
{
    const struct token *token = fiacre_peek(parser, 0);
    int prefix = find_prefix(token);
    if (fiacre_is_word(token, "deadlockfree")) {
        parser->at++;
        return finish_pattern(parser,
                              new_pattern(parser, FIACRE_PATTERN_DEADLOCKFREE, token->place));
    }
    if (prefix < 0 || !begins_part(parser, token + 1)) return NULL;
    parser->at++;
    struct fiacre_pattern *pattern = new_pattern(parser, prefixes[prefix].kind, token->place);
    if (pattern->kind == FIACRE_PATTERN_PRESENT) pattern->first = accept_first(parser);
    pattern->a = fiacre_parse_pattern_operand(parser, false);
    return finish_pattern(parser, pattern);
}

struct fiacre_exp *fiacre_parse_pattern_infix(struct fiacre_parser *parser, struct fiacre_exp *left)
{
    const struct token *token = fiacre_peek(parser, 0);
    bool leadsto = fiacre_is_word(token, "leadsto");
    if (parser->panic || !(leadsto || fiacre_is_word(token, "precedes"))
        || !begins_part(parser, token + 1))
        return left;
    parser->at++;
    struct fiacre_pattern *pattern = new_pattern(
        parser, leadsto ? FIACRE_PATTERN_LEADSTO : FIACRE_PATTERN_PRECEDES, left->place);
    pattern->a = left;
    if (leadsto) pattern->first = accept_first(parser);
    pattern->b = fiacre_parse_pattern_operand(parser, false);
    return finish_pattern(parser, pattern);
}

/* ---- properties ---- */

/* The text of tokens from .. parser->at, comments and white space folded. */
static const char *source_text(struct fiacre_parser *parser, uint32_t from)
{
    if (from == parser->at) return "";
    struct text text;
    text_init(&text, parser->mem);
    for (uint32_t i = from; i < parser->at; i++) {
        const struct token *token = &parser->tokens[i];
        const char *source = parser->diag->sources.data[token->place.source].text;
        bool is_made = token->from_macro || (i > from && token[-1].from_macro);
        if (i > from && (is_made || token->start > token[-1].end)) text_add(&text, " ");
        if (token->from_macro) text_add(&text, "%s", token->text);
        else text_add(&text, "%.*s", (int)(token->end - token->start), source + token->start);
    }
    const char *result = names_intern(parser->names, text.data, text.len);
    text_free(&text);
    return result;
}

void fiacre_parse_property(struct fiacre_parser *parser, bool with_kind,
                           struct fiacre_property *property)
{
    uint32_t start = parser->at;
    if (with_kind && accept_before_operand(parser, "ctl")) property->kind = PROPERTY_CTL;
    else if (with_kind && accept_before_operand(parser, "invariant"))
        property->kind = PROPERTY_INVARIANT;
    else if (with_kind) fiacre_accept_word(parser, "ltl");
    property->root = fiacre_parse_formula(parser);
    property->text = source_text(parser, start);
}
