/* Processes of XTA, and the parts of edges, which XML has in labels of their own. */
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <stdio.h>

/* ---- locations by name ---- */

static uint32_t slot_of(const struct uppaal_index *index, const char *key)
{
    assert(index->count < index->size); /* or it would go round for ever */
    uint32_t at = (uint32_t)(((uintptr_t)key >> 3) * 2654435761u) & (index->size - 1);
    while (index->slots[at].key && index->slots[at].key != key) at = (at + 1) & (index->size - 1);
    return at;
}

struct uppaal_location *uppaal_index_find(const struct uppaal_index *index, const char *key)
{
    return index->size ? index->slots[slot_of(index, key)].location : NULL;
}

static void grow(struct mem *mem, struct uppaal_index *index)
{
    struct uppaal_index larger = {.size = index->size ? 2 * index->size : 16};
    larger.slots = mem_alloc(mem, larger.size * sizeof *larger.slots);
    for (uint32_t i = 0; i < index->size; i++)
        if (index->slots[i].key)
            larger.slots[slot_of(&larger, index->slots[i].key)] = index->slots[i];
    larger.count = index->count;
    mem_free(mem, index->slots);
    *index = larger;
}

bool uppaal_index_add(struct mem *mem, struct uppaal_index *index, const char *key,
                      struct uppaal_location *location)
{
    if (2 * (index->count + 1) > index->size) grow(mem, index);
    uint32_t at = slot_of(index, key);
    if (index->slots[at].key) return false;
    index->slots[at].key = key;
    index->slots[at].location = location;
    index->count++;
    return true;
}

void uppaal_index_free(struct mem *mem, struct uppaal_index *index)
{
    mem_free(mem, index->slots);
    *index = (struct uppaal_index){0};
}

void uppaal_error_location(struct uppaal_parser *parser, const struct uppaal_location *again,
                           const struct uppaal_location *before)
{
    if (parser->panic) return;
    uppaal_error(parser, DIAG_DUPLICATE, again->place, "there is another location called '%.60s'",
                 again->name);
    diag_note(parser->diag, before->place, "this one");
}

/* ---- parts of edges ---- */

struct uppaal_select *uppaal_parse_selects(struct uppaal_parser *parser)
{
    struct uppaal_select *first = NULL, **last = &first;
    do {
        struct uppaal_select *select = *last = arena_alloc(parser->arena, sizeof *select);
        select->place = uppaal_here(parser);
        select->name = uppaal_expect_name(parser, last == &first ? "'select'" : "','");
        uppaal_expect(parser, TOKEN_COLON, "the name");
        select->type = uppaal_parse_type(parser);
        last = &select->next;
    } while (uppaal_accept(parser, TOKEN_COMMA));
    return first;
}

void uppaal_parse_sync(struct uppaal_parser *parser, struct uppaal_edge *edge)
{
    edge->channel = uppaal_parse_channel(parser);
    if (uppaal_accept(parser, TOKEN_BANG)) edge->sync = UPPAAL_SYNC_SEND;
    else if (uppaal_accept(parser, TOKEN_QUESTION)) edge->sync = UPPAAL_SYNC_RECEIVE;
    else if (uppaal_at(parser, TOKEN_END) || uppaal_at(parser, TOKEN_SEMICOLON))
        uppaal_refuse(parser, edge->channel->place, "synchronisation without '!' or '?'");
    else uppaal_error_expected(parser, "'!' or '?' behind the channel");
}

void uppaal_check_edge(struct uppaal_parser *parser, const struct uppaal_edge *edge)
{
    if (!edge->source || !edge->source->is_branchpoint) return;
    if (edge->target && edge->target->is_branchpoint)
        uppaal_error(parser, DIAG_MISPLACED, edge->target_place,
                     "an edge from one branchpoint to another");
    else if (edge->selects || edge->guard || edge->sync)
        uppaal_error(parser, DIAG_MISPLACED, edge->place,
                     "an edge from a branchpoint has neither a selection, nor a guard, nor a "
                     "synchronisation");
}

void uppaal_warn_of_game(struct uppaal_parser *parser, struct place place)
{
    if (parser->warned_of_game) return;
    parser->warned_of_game = true;
    diag_warning(parser->diag, DIAG_COVERAGE, place,
                 "this edge is not controllable: it is taken like any other, there is no game");
}

/* ---- processes ---- */

struct process {
    struct uppaal_decl *decl;
    struct uppaal_template *template;
    struct uppaal_index index;
    struct uppaal_location **last;
    struct uppaal_edge **last_edge;
    struct uppaal_location *source; /* of the edge before */
};

static struct uppaal_location *add_location(struct uppaal_parser *parser, struct process *process,
                                            const char *after)
{
    struct uppaal_location *location = arena_alloc(parser->arena, sizeof *location);
    location->place = uppaal_here(parser);
    location->name = location->shown = uppaal_expect_name(parser, after);
    location->index = process->template->location_count++;
    uppaal_add_part(parser, (struct uppaal_part){.place = location->place,
                                                 .decl = process->decl,
                                                 .location = location});
    if (!parser->panic && !uppaal_index_add(parser->mem, &process->index, location->name, location))
        uppaal_error_location(parser, location, uppaal_index_find(&process->index, location->name));
    *process->last = location;
    process->last = &location->next;
    return location;
}

/* { invariant; rate }: the rate means nothing here, and is passed over. */
static void parse_location_body(struct uppaal_parser *parser, const struct process *process,
                                struct uppaal_location *location)
{
    struct place opened = uppaal_here(parser);
    if (!uppaal_accept(parser, TOKEN_OPEN_CURLY)) return;
    uppaal_add_part(parser, (struct uppaal_part){.place = opened,
                                                 .what = "invariant",
                                                 .decl = process->decl,
                                                 .location = location});
    if (!uppaal_at(parser, TOKEN_SEMICOLON) && !uppaal_at(parser, TOKEN_CLOSE_CURLY))
        location->invariant = uppaal_parse_invariant(parser);
    uppaal_check_rates(parser);
    if (uppaal_accept(parser, TOKEN_SEMICOLON))
        while (!uppaal_at(parser, TOKEN_CLOSE_CURLY) && !uppaal_at(parser, TOKEN_END)) parser->at++;
    uppaal_expect_close(parser, TOKEN_CLOSE_CURLY, "an operator, ';'", "the invariant", opened);
}

static void parse_states(struct uppaal_parser *parser, struct process *process)
{
    do {
        struct uppaal_location *location = add_location(parser, process, "'state' or ','");
        parse_location_body(parser, process, location);
    } while (uppaal_accept(parser, TOKEN_COMMA));
}

static void parse_branchpoints(struct uppaal_parser *parser, struct process *process)
{
    do add_location(parser, process, "'branchpoint' or ','")->is_branchpoint = true;
    while (uppaal_accept(parser, TOKEN_COMMA));
}

/* A name of a location that was declared before. */
static struct uppaal_location *parse_location(struct uppaal_parser *parser,
                                              const struct process *process, const char *after)
{
    const struct token *token = uppaal_peek(parser);
    const char *name = uppaal_expect_name(parser, after);
    struct uppaal_location *location =
        parser->panic ? NULL : uppaal_index_find(&process->index, name);
    if (!location)
        uppaal_error(parser, DIAG_UNKNOWN, token->place, "there is no location '%.60s'", name);
    struct uppaal_mention *mention = arena_alloc(parser->arena, sizeof *mention);
    *mention = (struct uppaal_mention){location, token->place, process->template->mentions};
    if (location) process->template->mentions = mention;
    return location;
}

static void parse_marks(struct uppaal_parser *parser, const struct process *process, bool urgent)
{
    do {
        struct place place = uppaal_here(parser);
        struct uppaal_location *location =
            parse_location(parser, process, urgent ? "'urgent' or ','" : "'commit' or ','");
        if (!location) return;
        if (location->is_branchpoint)
            uppaal_error(parser, DIAG_MISPLACED, place,
                         "a branchpoint is neither urgent nor "
                         "committed");
        if (urgent) location->urgent = true;
        else location->committed = true;
    } while (uppaal_accept(parser, TOKEN_COMMA));
}

static void parse_init(struct uppaal_parser *parser, const struct process *process)
{
    struct place place = uppaal_here(parser);
    struct uppaal_location *location = parse_location(parser, process, "'init'");
    if (process->template->init)
        uppaal_error(parser, DIAG_DUPLICATE, place, "there is another initial location, '%.60s'",
                     process->template->init->shown);
    if (location && location->is_branchpoint)
        uppaal_error(parser, DIAG_MISPLACED, place, "a branchpoint cannot be initial");
    process->template->init = location;
}

/* As people call it; XML has the same. */
static const char *word_of_label(unsigned word)
{
    switch (word) {
    case UPPAAL_WORD_SELECT: return "selection";
    case UPPAAL_WORD_GUARD: return "guard";
    case UPPAAL_WORD_SYNC: return "synchronisation";
    case UPPAAL_WORD_ASSIGN: return "update";
    default: return "weight";
    }
}

/* One of the labels of an edge, with the `;` behind it. */
static void parse_label(struct uppaal_parser *parser, const struct process *process,
                        struct uppaal_edge *edge, unsigned *seen)
{
    unsigned word = uppaal_peek(parser)->kind, bit = 1u << (word % 31);
    char shown[48];
    if (word != UPPAAL_WORD_SELECT && word != UPPAAL_WORD_GUARD && word != UPPAAL_WORD_SYNC
        && word != UPPAAL_WORD_ASSIGN && word != UPPAAL_WORD_PROBABILITY) {
        uppaal_error_expected(parser, "'select', 'guard', 'sync', 'assign', 'probability' or '}'");
        return;
    }
    if (*seen & bit)
        uppaal_error(parser, DIAG_DUPLICATE, uppaal_here(parser), "this edge has another %s",
                     token_show(uppaal_peek(parser), shown));
    *seen |= bit;
    uppaal_add_part(parser, (struct uppaal_part){.place = uppaal_here(parser),
                                                 .what = word_of_label(word),
                                                 .decl = process->decl,
                                                 .edge = edge});
    parser->at++;
    if (word == UPPAAL_WORD_SELECT) edge->selects = uppaal_parse_selects(parser);
    else if (word == UPPAAL_WORD_GUARD) edge->guard = uppaal_parse_condition(parser);
    else if (word == UPPAAL_WORD_SYNC) uppaal_parse_sync(parser, edge);
    else if (word == UPPAAL_WORD_ASSIGN) edge->updates = uppaal_parse_exps(parser, NULL);
    else edge->weight = uppaal_parse_exp(parser);
    uppaal_check_rates(parser);
    uppaal_expect(parser, TOKEN_SEMICOLON, "the label");
}

static void parse_edge(struct uppaal_parser *parser, struct process *process)
{
    struct uppaal_edge *edge = arena_alloc(parser->arena, sizeof *edge);
    unsigned seen = 0;
    edge->place = edge->source_place = uppaal_here(parser);
    uppaal_add_part(
        parser, (struct uppaal_part){.place = edge->place, .decl = process->decl, .edge = edge});
    edge->source = process->source;
    bool is_short = uppaal_at(parser, TOKEN_ARROW) || uppaal_at(parser, UPPAAL_TOKEN_UNCONTROLLED);
    if (!is_short) edge->source = parse_location(parser, process, "'trans' or ','");
    else if (!edge->source)
        uppaal_error(parser, DIAG_MISSING, edge->place, "the first edge needs a source");
    process->source = edge->source;
    edge->uncontrollable = uppaal_accept(parser, UPPAAL_TOKEN_UNCONTROLLED);
    if (edge->uncontrollable) uppaal_warn_of_game(parser, edge->place);
    else uppaal_expect(parser, TOKEN_ARROW, "the source of the edge");
    edge->target_place = uppaal_here(parser);
    edge->target = parse_location(parser, process, "'->'");
    uppaal_expect(parser, TOKEN_OPEN_CURLY, "the target of the edge");
    while (!parser->panic && !uppaal_accept(parser, TOKEN_CLOSE_CURLY))
        parse_label(parser, process, edge, &seen);
    uppaal_check_edge(parser, edge);
    *process->last_edge = edge;
    process->last_edge = &edge->next;
}

/* Behind the edge with the error: at the `,` before the next one, or its `;`. */
static void recover_edge(struct uppaal_parser *parser)
{
    while (!uppaal_at(parser, TOKEN_END)) {
        bool closed = uppaal_at(parser, TOKEN_CLOSE_CURLY);
        parser->at++;
        if (closed && (uppaal_at(parser, TOKEN_COMMA) || uppaal_at(parser, TOKEN_SEMICOLON))) {
            parser->panic = false;
            return;
        }
    }
}

static void parse_edges(struct uppaal_parser *parser, struct process *process)
{
    do {
        parse_edge(parser, process);
        if (parser->panic) recover_edge(parser);
    } while (uppaal_accept(parser, TOKEN_COMMA));
}

/* One of the parts behind the declarations, with the `;` behind it. */
static void parse_section(struct uppaal_parser *parser, struct process *process)
{
    unsigned word = uppaal_peek(parser)->kind;
    char shown[48];
    const char *after = token_show(uppaal_peek(parser), shown);
    if (word == TOKEN_SEMICOLON) { /* many files have too many */
        parser->at++;
        return;
    }
    parser->at += word != TOKEN_END;
    switch (word) {
    case UPPAAL_WORD_STATE: parse_states(parser, process); break;
    case UPPAAL_WORD_BRANCHPOINT: parse_branchpoints(parser, process); break;
    case UPPAAL_WORD_COMMIT: parse_marks(parser, process, false); break;
    case UPPAAL_WORD_URGENT: parse_marks(parser, process, true); break;
    case UPPAAL_WORD_INIT: parse_init(parser, process); break;
    case UPPAAL_WORD_TRANS: parse_edges(parser, process); break;
    default:
        parser->at -= word != TOKEN_END;
        uppaal_error_expected(parser,
                              "'state', 'branchpoint', 'commit', 'urgent', 'init', 'trans' or '}'");
        return;
    }
    if (!uppaal_accept(parser, TOKEN_SEMICOLON) && !parser->panic) {
        char what[100];
        snprintf(what, sizeof what, "',' or ';' in what follows %s", after);
        uppaal_error_expected(parser, what);
    }
}

static bool begins_section(const struct uppaal_parser *parser)
{
    switch (uppaal_peek(parser)->kind) {
    case TOKEN_END:
    case TOKEN_CLOSE_CURLY:
    case UPPAAL_WORD_STATE:
    case UPPAAL_WORD_BRANCHPOINT:
    case UPPAAL_WORD_COMMIT:
    case UPPAAL_WORD_INIT:
    case UPPAAL_WORD_TRANS:
    case UPPAAL_WORD_PROCESS:
    case UPPAAL_WORD_SYSTEM: return true;
    default: return false;
    }
}

static void parse_body(struct uppaal_parser *parser, struct process *process)
{
    struct uppaal_template *template = process->template;
    struct uppaal_decl **last = &template->decls;
    struct place opened = uppaal_here(parser);
    uppaal_expect(parser, TOKEN_OPEN_CURLY, "the parameters");
    while (!parser->panic && !begins_section(parser)) {
        if (uppaal_accept(parser, TOKEN_SEMICOLON)) continue;
        last = uppaal_parse_declaration(parser, UPPAAL_SCOPE_TEMPLATE, last);
    }
    while (!parser->panic && !uppaal_accept(parser, TOKEN_CLOSE_CURLY))
        parse_section(parser, process);
    if (!parser->panic && template->locations && !template->init)
        uppaal_error(parser, DIAG_MISSING, opened, "this process has no initial location");
}

/* Before the next process, or the system line. */
static void skip_process(struct uppaal_parser *parser)
{
    while (!uppaal_at(parser, TOKEN_END) && !uppaal_at(parser, UPPAAL_WORD_PROCESS)
           && !uppaal_at(parser, UPPAAL_WORD_SYSTEM))
        parser->at++;
    parser->panic = false;
}

struct uppaal_decl *uppaal_parse_process(struct uppaal_parser *parser)
{
    struct place place = uppaal_here(parser);
    struct uppaal_decl *decl = uppaal_new_decl(parser, UPPAAL_DECL_TEMPLATE,
                                               uppaal_expect_name(parser, "'process'"), place);
    struct uppaal_template *template = decl->template =
        arena_alloc(parser->arena, sizeof *template);
    struct process process = {.decl = decl,
                              .template = template,
                              .last = &template->locations,
                              .last_edge = &template->edges};
    uppaal_add_part(parser, (struct uppaal_part){.place = place, .decl = decl});
    if (uppaal_accept(parser, TOKEN_OPEN)) {
        template->parameters = uppaal_parse_parameters(parser, TOKEN_CLOSE);
        uppaal_accept(parser, TOKEN_CLOSE);
    }
    parse_body(parser, &process);
    decl->end = token_behind(&parser->tokens[parser->at - 1]);
    uppaal_index_free(parser->mem, &process.index);
    if (parser->panic) skip_process(parser);
    uppaal_add_part(parser, (struct uppaal_part){.place = uppaal_here(parser)});
    return decl;
}
