/* The automata of properties and restrictions: edges `from -- guards / predicate / event / actions
 * -> to`, separated by semicolons. Each of the four fields may be empty. Behind the edges a
 * property may have `pending s1, s2`. */
#include "lang/cdl/parser.h"

#include <stdio.h>
#include <string.h>

static struct cdl_guard *parse_guards(struct cdl_parser *parser)
{
    struct cdl_guard *first = NULL, **end = &first;
    do {
        static const struct {
            enum token_kind kind;
            enum expr_op op;
        } rows[] = {{TOKEN_LT, EXPR_LT},
                    {TOKEN_LE, EXPR_LE},
                    {TOKEN_GT, EXPR_GT},
                    {TOKEN_GE, EXPR_GE},
                    {TOKEN_EQ, EXPR_EQ}};
        struct cdl_guard *guard = arena_alloc(parser->arena, sizeof *guard);
        unsigned row = 0, rows_count = sizeof rows / sizeof *rows;
        guard->clock = cdl_expect_name(parser, "of a clock", &guard->place);
        while (row < rows_count && rows[row].kind != cdl_peek(parser, 0)->kind) row++;
        if (parser->panic || row == rows_count) {
            cdl_unexpected(parser, "a comparison (<, <=, >, >=, =) after the clock");
            return first;
        }
        parser->at++;
        guard->op = rows[row].op;
        guard->number = cdl_parse_number(parser, "after the comparison");
        *end = guard;
        end = &guard->next;
    } while (cdl_accept(parser, TOKEN_AND));
    return first;
}

static struct cdl_action *parse_actions(struct cdl_parser *parser)
{
    struct cdl_action *first = NULL, **end = &first;
    do {
        struct cdl_action *action = arena_alloc(parser->arena, sizeof *action);
        action->starts = !(cdl_is_word(cdl_peek(parser, 0), "disable")
                           && cdl_peek(parser, 1)->kind != TOKEN_ASSIGN);
        if (!action->starts) parser->at++;
        action->clock = cdl_expect_name(
            parser, action->starts ? "of a clock or 'disable'" : "of a clock after 'disable'",
            &action->place);
        if (action->starts) {
            cdl_expect(parser, TOKEN_ASSIGN, "after the clock");
            if (!parser->panic && (!cdl_at(parser, TOKEN_NUMBER) || cdl_peek(parser, 0)->number))
                cdl_unexpected(parser, "0: a clock can be started, with := 0, or disabled");
            cdl_accept(parser, TOKEN_NUMBER);
        }
        *end = action;
        end = &action->next;
    } while (cdl_accept(parser, TOKEN_COMMA));
    return first;
}

static struct cdl_edge *parse_edge(struct cdl_parser *parser)
{
    struct cdl_edge *edge = arena_alloc(parser->arena, sizeof *edge);
    edge->place = cdl_here(parser);
    edge->from.name = cdl_expect_name(parser, "of a state", &edge->from.place);
    cdl_expect(parser, TOKEN_MINUS, "(of '--') after the state");
    cdl_expect(parser, TOKEN_MINUS, "(of '--') after the state");
    if (!cdl_at(parser, TOKEN_DIVIDE)) edge->guards = parse_guards(parser);
    cdl_expect(
        parser, TOKEN_DIVIDE,
        "after the guards of clocks (the four fields are guards / predicate / event / actions)");
    if (!cdl_at(parser, TOKEN_DIVIDE) && !parser->panic)
        edge->predicate = cdl_parse_predicate(parser);
    cdl_expect(parser, TOKEN_DIVIDE,
               "after the predicate (the four fields are guards / predicate / event / actions)");
    edge->event_place = cdl_here(parser);
    if (cdl_begins_body(parser)) edge->body = cdl_parse_body(parser);
    else if (!cdl_at(parser, TOKEN_DIVIDE))
        edge->event = cdl_expect_name(parser, "of an event", &edge->event_place);
    cdl_expect(parser, TOKEN_DIVIDE,
               "after the event (the four fields are guards / predicate / event / actions)");
    if (!cdl_at(parser, TOKEN_IMPLIES)) edge->actions = parse_actions(parser);
    cdl_expect(parser, TOKEN_IMPLIES, "after the actions");
    edge->to.name = cdl_expect_name(parser, "of a state after '->'", &edge->to.place);
    return edge;
}

/* `pending s1, s2`, and not a state of that name. */
static bool begins_pending(struct cdl_parser *parser)
{
    return cdl_is_word(cdl_peek(parser, 0), "pending") && cdl_peek(parser, 1)->kind != TOKEN_MINUS;
}

void cdl_parse_automaton(struct cdl_parser *parser, struct cdl_decl *decl, const char *what)
{
    struct cdl_edge **end = &decl->edges;
    char at_end[64];
    snprintf(at_end, sizeof at_end, "or ';' in the %s", what);
    do {
        if (decl->edges && cdl_at(parser, TOKEN_CLOSE_CURLY))
            break; /* a semicolon behind the last one */
        if (decl->edges && begins_pending(parser)) {
            if (decl->kind == CDL_DECL_RESTRICTION) {
                cdl_unexpected(parser, "another edge (only properties have pending states)");
                return;
            }
            parser->at++;
            cdl_parse_names(parser, "of a state", &decl->pending);
            cdl_accept(parser, TOKEN_SEMICOLON);
            break;
        }
        *end = parse_edge(parser);
        end = &(*end)->next;
    } while (cdl_accept(parser, TOKEN_SEMICOLON));
    cdl_expect(parser, TOKEN_CLOSE_CURLY, at_end);
}
