/* Patterns of properties (docs/patterns.md):
 *
 *     Property P1;
 *     between E and F                                       the scope; none: globally
 *     ALL Ordered exactly one occurrence of A ... end       a set
 *     eventually leads-to [0..10]                           or precedes, never occurs, eventually
 *                                                           occurs
 *     AN one or more occurrence of B end
 *     A must occur                                          options
 *     one of B cannot occur before A
 *     repeatability: true
 *
 * A pattern ends where no option follows. */
#include "lang/cdl/parser.h"

#include <stdio.h>
#include <string.h>

static bool next_is(const struct cdl_parser *parser, unsigned ahead, const char *word)
{
    return !strcmp(cdl_peek(parser, ahead)->text, word);
}

/* `and` and `or` are operators elsewhere. */
static bool accept_operator_word(struct cdl_parser *parser, const char *word)
{
    if (parser->panic || !next_is(parser, 0, word)) return false;
    parser->at++;
    return true;
}

/* `occurrence` or `occurrences`, `occur` or `occurs` */
static void expect_either(struct cdl_parser *parser, const char *one, const char *other,
                          const char *after)
{
    if (!cdl_accept_word(parser, one) && !cdl_accept_word(parser, other))
        cdl_expect_word(parser, one, after);
}

/* How many tokens an argument list has that begins here; 0: none. */
static unsigned arguments(const struct cdl_parser *parser, unsigned ahead)
{
    unsigned depth = 0, length = 0;
    if (cdl_peek(parser, ahead)->kind != TOKEN_OPEN) return 0;
    do {
        enum token_kind kind = cdl_peek(parser, ahead + length++)->kind;
        if (kind == TOKEN_END) return 0;
        depth += kind == TOKEN_OPEN;
        depth -= kind == TOKEN_CLOSE;
    } while (depth);
    return length;
}

/* An event, possibly with arguments, as the literature writes them. */
static struct cdl_name parse_event(struct cdl_parser *parser, const char *after)
{
    struct cdl_name event = {.next = NULL};
    event.name = cdl_expect_name(parser, after, &event.place);
    unsigned length = parser->panic ? 0 : arguments(parser, 0);
    if (!length) return event;
    diag_warning(parser->diag, DIAG_NEVER, cdl_here(parser),
                 "arguments say nothing here: this is the event '%.60s', as it is declared",
                 event.name);
    parser->at += length;
    return event;
}

/* ---- sets ---- */

static uint64_t parse_count(struct cdl_parser *parser)
{
    uint64_t count = cdl_peek(parser, 0)->number;
    if (cdl_accept_word(parser, "one")) return 1;
    if (!cdl_at(parser, TOKEN_NUMBER)) cdl_unexpected(parser, "'one' or a number of occurrences");
    else if (count < 1 || count > PATTERN_MOST_COUNT) {
        diag_error(parser->diag, DIAG_RANGE, cdl_here(parser),
                   "occurrences are counted from 1 to %d", PATTERN_MOST_COUNT);
        parser->panic = true;
    } else parser->at++;
    return count;
}

static struct cdl_item *parse_item(struct cdl_parser *parser)
{
    struct cdl_item *item = arena_alloc(parser->arena, sizeof *item);
    item->is_exact = cdl_accept_word(parser, "exactly");
    if (!item->is_exact && !cdl_is_word(cdl_peek(parser, 0), "one")
        && !cdl_at(parser, TOKEN_NUMBER)) {
        cdl_unexpected(
            parser, "'exactly one' or 'one or more' occurrence of an event, or 'end' in the set");
        return item;
    }
    item->count = parse_count(parser);
    if (!item->is_exact) {
        if (!parser->panic && !(next_is(parser, 0, "or") && next_is(parser, 1, "more")))
            cdl_unexpected(parser, "'or more' after the number (or 'exactly' before it)");
        if (!parser->panic) parser->at += 2;
    }
    expect_either(parser, "occurrence", "occurrences", "after the number");
    cdl_expect_word(parser, "of", "after 'occurrence'");
    item->event = parse_event(parser, "of an event after 'occurrence of'");
    return item;
}

static struct cdl_set parse_set(struct cdl_parser *parser, const char *after)
{
    struct cdl_set set = {.quantifier = PATTERN_AN, .place = cdl_here(parser)};
    struct cdl_item **end = &set.items;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a set of events (AN ... end, or ALL ... end)%s", after);
    if (cdl_accept_word(parser, "ALL")) {
        if (cdl_accept_word(parser, "Ordered")) set.quantifier = PATTERN_ORDERED;
        else if (cdl_accept_word(parser, "Combined")) set.quantifier = PATTERN_COMBINED;
        else cdl_unexpected(parser, "'Ordered' or 'Combined' after 'ALL'");
    } else if (!cdl_accept_word(parser, "AN")) cdl_unexpected(parser, wanted);
    while (!parser->panic && !(set.items && cdl_accept_word(parser, "end"))) {
        *end = parse_item(parser);
        end = &(*end)->next;
    }
    return set;
}

/* ---- the rest ---- */

static void parse_scope(struct cdl_parser *parser, struct cdl_pattern *pattern)
{
    if (cdl_accept_word(parser, "globally")) pattern->scope = PATTERN_GLOBALLY;
    else if (cdl_accept_word(parser, "before")) {
        pattern->scope = PATTERN_BEFORE;
        pattern->close = parse_event(parser, "of an event after 'before'");
    } else if (cdl_accept_word(parser, "after")) {
        pattern->open = parse_event(parser, "of an event after 'after'");
        bool has_end = cdl_accept_word(parser, "until");
        pattern->scope = has_end ? PATTERN_AFTER_UNTIL : PATTERN_AFTER;
        if (has_end) pattern->close = parse_event(parser, "of an event after 'until'");
    } else if (cdl_accept_word(parser, "between")) {
        pattern->scope = PATTERN_BETWEEN;
        pattern->open = parse_event(parser, "of an event after 'between'");
        if (!parser->panic && !accept_operator_word(parser, "and"))
            cdl_unexpected(parser, "'and' after the event that begins the scope");
        pattern->close = parse_event(parser, "of an event after 'and'");
    } else return;
    if (!cdl_accept(parser, TOKEN_COMMA)) cdl_accept(parser, TOKEN_SEMICOLON);
}

static void parse_bound(struct cdl_parser *parser, struct cdl_pattern *pattern)
{
    if (!cdl_accept(parser, TOKEN_OPEN_SQUARE)) return;
    if (!parser->panic && (!cdl_at(parser, TOKEN_NUMBER) || cdl_peek(parser, 0)->number))
        cdl_unexpected(parser, "0: a bound is written [0..limit]");
    cdl_accept(parser, TOKEN_NUMBER);
    cdl_expect(parser, TOKEN_RANGE, "after 0");
    pattern->has_bound = true;
    pattern->bound = cdl_parse_number(parser, "after '..'");
    cdl_expect(parser, TOKEN_CLOSE_SQUARE, "after the bound");
}

static void parse_family(struct cdl_parser *parser, struct cdl_pattern *pattern)
{
    bool is_eventual = cdl_accept_word(parser, "eventually");
    pattern->is_immediate = !is_eventual && cdl_accept_word(parser, "immediately");
    if (next_is(parser, 0, "leads") && next_is(parser, 1, "-") && next_is(parser, 2, "to")) {
        parser->at += 3;
        pattern->family = PATTERN_RESPONSE;
    } else if (cdl_accept_word(parser, "precedes")) pattern->family = PATTERN_PRECEDENCE;
    else if (!is_eventual && !pattern->is_immediate && cdl_accept_word(parser, "never")) {
        pattern->family = PATTERN_ABSENCE;
        expect_either(parser, "occurs", "occur", "after 'never'");
    } else if (is_eventual
               && (cdl_accept_word(parser, "occurs") || cdl_accept_word(parser, "occur")))
        pattern->family = PATTERN_EXISTENCE;
    else if (pattern->is_immediate)
        cdl_unexpected(parser, "'leads-to' or 'precedes' after 'immediately'");
    else if (is_eventual)
        cdl_unexpected(parser, "'leads-to', 'precedes' or 'occurs' after 'eventually'");
    else
        cdl_unexpected(parser, "'eventually leads-to', 'immediately leads-to', 'precedes', 'never "
                               "occurs' or 'eventually occurs' after the set");
    parse_bound(parser, pattern);
    if (pattern->family == PATTERN_RESPONSE || pattern->family == PATTERN_PRECEDENCE)
        pattern->right = parse_set(parser, " after 'leads-to' or 'precedes'");
}

static bool is_option(const struct cdl_parser *parser)
{
    const struct token *first = cdl_peek(parser, 0);
    unsigned length = 1 + arguments(parser, 1);
    if (parser->panic || first->kind != TOKEN_NAME) return false;
    if (cdl_is_word(first, "one") && next_is(parser, 1, "of")) return true;
    if (cdl_is_word(first, "repeatability")) return true;
    return next_is(parser, length, "may") || next_is(parser, length, "must")
           || next_is(parser, length, "cannot");
}

static struct cdl_option **add_option(struct cdl_parser *parser, struct cdl_option **end,
                                      struct cdl_option option)
{
    *end = arena_alloc(parser->arena, sizeof **end);
    **end = option;
    return &(*end)->next;
}

/* `one of E, F cannot occur before G`, read up to `of` */
static struct cdl_option **parse_before(struct cdl_parser *parser, struct cdl_option **end)
{
    struct cdl_option *first = NULL, **last = &first;
    do
        last = add_option(
            parser, last,
            (struct cdl_option){.event = parse_event(parser, "of an event after 'one of'")});
    while (cdl_accept(parser, TOKEN_COMMA));
    bool is_asked = cdl_accept_word(parser, "cannot");
    if (!is_asked && !cdl_accept_word(parser, "may"))
        cdl_unexpected(parser, "'cannot' or 'may' after the events");
    expect_either(parser, "occur", "occurs", "after 'cannot' or 'may'");
    cdl_expect_word(parser, "before", "after 'occur'");
    struct cdl_name before = parse_event(parser, "of an event after 'before'");
    for (struct cdl_option *option = first; option; option = option->next) {
        option->before = before;
        option->is_asked = is_asked;
    }
    *end = first;
    return last;
}

/* `E may never occurs`, `E must occur` */
static struct cdl_option **parse_nullity(struct cdl_parser *parser, struct cdl_option **end)
{
    struct cdl_option option = {.event = parse_event(parser, "of an event")};
    if (cdl_accept_word(parser, "may")) cdl_expect_word(parser, "never", "after 'may'");
    else if (cdl_accept_word(parser, "must")) option.is_asked = true;
    else
        cdl_unexpected(parser, "'may never occur' or 'must occur' after the event ('cannot' needs "
                               "'one of' before it)");
    expect_either(parser, "occur", "occurs", option.is_asked ? "after 'must'" : "after 'never'");
    return add_option(parser, end, option);
}

static void parse_repeatability(struct cdl_parser *parser, struct cdl_pattern *pattern,
                                bool *is_said)
{
    struct place place = cdl_here(parser);
    bool has_rounds = pattern->family == PATTERN_RESPONSE || pattern->family == PATTERN_PRECEDENCE;
    parser->at++;
    if (*is_said) diag_error(parser->diag, DIAG_DUPLICATE, place, "repeatability is given twice");
    else if (!has_rounds)
        diag_error(parser->diag, DIAG_MISPLACED, place,
                   "repeatability is about 'leads-to' and 'precedes' only");
    *is_said = true;
    cdl_expect(parser, TOKEN_COLON, "after 'repeatability'");
    pattern->repeats = cdl_accept_word(parser, "true");
    if (!pattern->repeats && !cdl_accept_word(parser, "false"))
        cdl_unexpected(parser, "'true' or 'false' after 'repeatability:'");
}

void cdl_parse_pattern(struct cdl_parser *parser, struct cdl_decl *decl)
{
    struct cdl_pattern *pattern = arena_alloc(parser->arena, sizeof *pattern);
    struct cdl_option **end = &pattern->options;
    bool says_repeats = false;
    decl->pattern = pattern;
    pattern->repeats = true;
    parse_scope(parser, pattern);
    pattern->left = parse_set(parser, "");
    if (!parser->panic) parse_family(parser, pattern);
    while (is_option(parser)) {
        if (cdl_is_word(cdl_peek(parser, 0), "repeatability"))
            parse_repeatability(parser, pattern, &says_repeats);
        else if (cdl_is_word(cdl_peek(parser, 0), "one") && next_is(parser, 1, "of")) {
            parser->at += 2;
            end = parse_before(parser, end);
        } else end = parse_nullity(parser, end);
        cdl_accept(parser, TOKEN_SEMICOLON);
    }
    cdl_accept(parser, TOKEN_SEMICOLON);
}
