/* Processes and components: what they declare, their transitions, and how components are
 * composed. */
#include "lang/fiacre/parser.h"

#include <string.h>

/* ---- ports and parameters ---- */

/* a, b : ... for variables: the names, without a type. */
static struct fiacre_variable *parse_variable_names(struct fiacre_parser *parser, bool references,
                                                    const char *after)
{
    struct fiacre_variable *first = NULL, **last = &first;
    do {
        struct fiacre_variable *variable = arena_alloc(parser->arena, sizeof *variable);
        variable->by_reference = references && fiacre_accept(parser, TOKEN_AMPERSAND);
        variable->place = fiacre_here(parser);
        variable->name = fiacre_expect_name(parser, variable->by_reference ? "'&'"
                                                    : first                ? "','"
                                                                           : after);
        *last = variable;
        last = &variable->next;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    fiacre_expect(parser, TOKEN_COLON, first->next ? "the names" : "the name");
    return first;
}

struct fiacre_variable *fiacre_parse_variables(struct fiacre_parser *parser)
{
    struct fiacre_variable *first = NULL, **last = &first;
    do {
        *last = parse_variable_names(parser, false, first ? "','" : "'var'");
        struct fiacre_type *type = fiacre_parse_type(parser);
        struct fiacre_exp *init = NULL;
        if (fiacre_accept(parser, TOKEN_ASSIGN)) init = fiacre_parse_exp(parser);
        else if (fiacre_at(parser, TOKEN_EQ))
            fiacre_error(parser, fiacre_here(parser), "an initial value is given with ':='");
        for (; *last; last = &(*last)->next) {
            (*last)->type = type;
            (*last)->init = init;
        }
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    return first;
}

struct fiacre_variable *fiacre_parse_parameters(struct fiacre_parser *parser, bool references)
{
    struct fiacre_variable *first = NULL, **last = &first;
    struct place opened = fiacre_here(parser);
    fiacre_expect(parser, TOKEN_OPEN, "the name");
    if (fiacre_accept(parser, TOKEN_CLOSE)) return NULL;
    do {
        *last = parse_variable_names(parser, references, first ? "','" : "'('");
        bool reads = references && fiacre_accept(parser, FIACRE_WORD_READ),
             writes = references && fiacre_accept(parser, FIACRE_WORD_WRITE);
        if (writes && !reads) reads = fiacre_accept(parser, FIACRE_WORD_READ);
        struct fiacre_type *type = fiacre_parse_type(parser);
        for (; *last; last = &(*last)->next) {
            (*last)->type = type;
            (*last)->read = reads;
            (*last)->write = writes;
        }
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    fiacre_expect_close(parser, TOKEN_CLOSE, "','", "the parameters", opened);
    return first;
}

/* a, b : [in] [out] channel, and for ports of a component [in interval] [is probe]; a list of
 * these. */
static struct fiacre_port *parse_port_list(struct fiacre_parser *parser, bool local)
{
    struct fiacre_port *first = NULL, **last = &first;
    do {
        struct fiacre_port **group = last, common = {0};
        for (struct fiacre_name *name = fiacre_parse_names(parser, first   ? "','"
                                                                   : local ? "'port'"
                                                                           : "'['");
             name; name = name->next) {
            *last = arena_alloc(parser->arena, sizeof **last);
            (*last)->name = name->name;
            (*last)->place = name->place;
            last = &(*last)->next;
        }
        fiacre_expect(parser, TOKEN_COLON, "the name of the port");
        common.in = fiacre_accept(parser, FIACRE_WORD_IN);
        common.out = fiacre_accept(parser, FIACRE_WORD_OUT);
        if (!common.in) common.in = fiacre_accept(parser, FIACRE_WORD_IN);
        common.channel = fiacre_parse_channel(parser);
        if (local && fiacre_accept(parser, FIACRE_WORD_IN))
            common.interval = fiacre_parse_interval(parser);
        if (local && fiacre_accept(parser, FIACRE_WORD_IS))
            common.probe = fiacre_parse_formula(parser);
        for (struct fiacre_port *port = *group; port; port = port->next) {
            port->in = common.in;
            port->out = common.out;
            port->channel = common.channel;
            port->interval = common.interval;
            port->probe = common.probe;
        }
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    return first;
}

/* [ports] (parameters) is */
static void parse_heading(struct fiacre_parser *parser, struct fiacre_port **ports,
                          struct fiacre_variable **parameters)
{
    struct place opened = fiacre_here(parser);
    if (fiacre_accept(parser, TOKEN_OPEN_SQUARE)) {
        *ports = parse_port_list(parser, false);
        fiacre_expect_close(parser, TOKEN_CLOSE_SQUARE, "','", "the ports", opened);
    } else {
        fiacre_accept(parser, TOKEN_CHOICE); /* P[] has no ports */
    }
    if (fiacre_at(parser, TOKEN_OPEN)) *parameters = fiacre_parse_parameters(parser, true);
    fiacre_expect(parser, FIACRE_WORD_IS, "the heading");
}

/* ---- processes ---- */

/* After an error: to the next transition or declaration. A name would be a bad place: it may be
 * anything. */
static void recover_transition(struct fiacre_parser *parser)
{
    if (!parser->panic) return;
    while (!fiacre_at(parser, TOKEN_END) && !fiacre_at(parser, FIACRE_WORD_FROM)
           && !fiacre_is_declaration_word(fiacre_peek(parser, 0)))
        parser->at++;
    parser->panic = false;
}

static struct fiacre_transition *parse_transition(struct fiacre_parser *parser)
{
    struct fiacre_transition *transition = arena_alloc(parser->arena, sizeof *transition);
    fiacre_skip_labels(parser);
    transition->place = fiacre_here(parser);
    parser->at++;
    transition->state_place = fiacre_here(parser);
    transition->state = fiacre_expect_name(parser, "'from'");
    if (!parser->panic) transition->body = fiacre_parse_stmts(parser);
    if (!parser->panic && !fiacre_at(parser, TOKEN_END) && !fiacre_at(parser, FIACRE_WORD_FROM)
        && !fiacre_begins_declaration(fiacre_peek(parser, 0)))
        fiacre_error_expected(parser, "';' or the next transition");
    recover_transition(parser);
    return transition;
}

static struct fiacre_stmt *parse_init(struct fiacre_parser *parser, struct fiacre_stmt *before,
                                      struct place *place)
{
    if (before) fiacre_error(parser, fiacre_here(parser), "a second 'init'");
    *place = fiacre_here(parser);
    parser->at++;
    fiacre_skip_labels(parser);
    return fiacre_parse_stmts(parser);
}

struct fiacre_process *fiacre_parse_process(struct fiacre_parser *parser)
{
    static const uint16_t words[] = {FIACRE_WORD_STATES, FIACRE_WORD_VAR, FIACRE_WORD_INIT,
                                     FIACRE_WORD_FROM};
    struct fiacre_process *process = arena_alloc(parser->arena, sizeof *process);
    struct fiacre_variable **variables = &process->variables;
    parse_heading(parser, &process->ports, &process->parameters);
    while (!parser->panic) {
        if (fiacre_at(parser, FIACRE_WORD_STATES) && !process->states) {
            parser->at++;
            process->states = fiacre_parse_names(parser, "'states'");
        } else if (fiacre_accept(parser, FIACRE_WORD_VAR)) {
            for (*variables = fiacre_parse_variables(parser); *variables;)
                variables = &(*variables)->next;
        } else if (fiacre_at(parser, FIACRE_WORD_INIT)) {
            process->init = parse_init(parser, process->init, &process->init_place);
        } else {
            break;
        }
    }
    if (!process->states)
        fiacre_error_expected_word(parser, "'states'", words, sizeof words / sizeof *words);
    if (!fiacre_at(parser, FIACRE_WORD_FROM))
        fiacre_error_expected_word(parser, "'var', 'init' or 'from'", words,
                                   sizeof words / sizeof *words);
    recover_transition(parser);
    struct fiacre_transition **last = &process->transitions;
    for (; fiacre_at(parser, FIACRE_WORD_FROM); last = &(*last)->next)
        *last = parse_transition(parser);
    return process;
}

/* ---- components ---- */

static struct fiacre_name *parse_priority_names(struct fiacre_parser *parser, const char *after)
{
    struct fiacre_name *first = NULL, **last = &first;
    do {
        *last = arena_alloc(parser->arena, sizeof **last);
        (*last)->place = fiacre_here(parser);
        (*last)->name = fiacre_expect_name(parser, after);
        last = &(*last)->next;
        after = "'|'";
    } while (!parser->panic && fiacre_accept(parser, TOKEN_BAR));
    return first;
}

/* a|b > c|d, e < f, ... */
static struct fiacre_priority **parse_priorities(struct fiacre_parser *parser,
                                                 struct fiacre_priority **last)
{
    do {
        struct fiacre_name *left = parse_priority_names(parser, "'priority'");
        do {
            bool above = fiacre_accept(parser, TOKEN_GT);
            if (!above && !fiacre_accept(parser, TOKEN_LT))
                fiacre_error_expected(parser, "'|', '>' or '<'");
            struct fiacre_name *right = parse_priority_names(parser, above ? "'>'" : "'<'");
            *last = arena_alloc(parser->arena, sizeof **last);
            (*last)->place = left->place;
            (*last)->high = above ? left : right;
            (*last)->low = above ? right : left;
            last = &(*last)->next;
            left = right;
        } while (!parser->panic && (fiacre_at(parser, TOKEN_GT) || fiacre_at(parser, TOKEN_LT)));
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    return last;
}

/* A set of ports that ends with `close`, when one begins here. */
static struct fiacre_portset parse_portset(struct fiacre_parser *parser, unsigned close)
{
    struct fiacre_portset set = {.place = fiacre_here(parser)};
    const struct token *token = fiacre_peek(parser, 0);
    bool is_of_block = close == FIACRE_WORD_IN && token->kind == TOKEN_TIMES
                       && token[1].kind == TOKEN_ARROW; /* par * -> A || ... */
    if (!is_of_block && fiacre_accept(parser, TOKEN_TIMES)) {
        set.given = set.all = true;
        fiacre_expect(parser, close, "'*'");
        return set;
    }
    if (token->kind != TOKEN_NAME) return set;
    while (token->kind == TOKEN_NAME && token[1].kind == TOKEN_COMMA) token += 2;
    if (token->kind != TOKEN_NAME || token[1].kind != close) return set;
    set.given = true;
    set.names = fiacre_parse_names(parser, "'par'");
    fiacre_expect(parser, close, "the ports");
    return set;
}

static void parse_arguments(struct fiacre_parser *parser, struct fiacre_block *block)
{
    struct place opened = fiacre_here(parser);
    struct fiacre_exp **last = &block->args;
    block->has_args = true;
    parser->at++;
    if (fiacre_accept(parser, TOKEN_CLOSE)) return;
    do {
        struct place place = fiacre_here(parser);
        if (fiacre_accept(parser, TOKEN_AMPERSAND)) {
            struct fiacre_exp *variable =
                fiacre_new_exp(parser, FIACRE_EXP_NAME, fiacre_here(parser));
            variable->name = fiacre_expect_name(parser, "'&'");
            variable = fiacre_parse_postfix(parser, variable);
            *last = fiacre_combine(parser, FIACRE_EXP_REFERENCE, 0, place, variable, NULL, NULL);
        } else {
            *last = fiacre_parse_exp(parser);
        }
        last = &(*last)->next;
        block->arg_count++;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_COMMA));
    fiacre_expect_close(parser, TOKEN_CLOSE, "','", "the arguments", opened);
}

static void parse_instance(struct fiacre_parser *parser, struct fiacre_block *block)
{
    block->kind = FIACRE_BLOCK_INSTANCE;
    block->name_place = fiacre_here(parser);
    block->name = fiacre_expect_name(parser, "'||'");
    struct place opened = fiacre_here(parser);
    if (fiacre_accept(parser, TOKEN_OPEN_SQUARE)) {
        block->ports = fiacre_parse_names(parser, "'['");
        for (const struct fiacre_name *port = block->ports; port; port = port->next)
            block->port_count++;
        fiacre_expect_close(parser, TOKEN_CLOSE_SQUARE, "','", "the ports", opened);
        block->has_ports = true;
    } else {
        block->has_ports = fiacre_accept(parser, TOKEN_CHOICE);
    }
    if (fiacre_at(parser, TOKEN_OPEN)) parse_arguments(parser, block);
}

static struct fiacre_block *parse_block(struct fiacre_parser *parser);

/* par [portset in] block || block ... end [par], behind an interface that was read */
static void parse_par(struct fiacre_parser *parser, struct fiacre_block *block)
{
    struct fiacre_block **last = &block->blocks;
    struct place opened = fiacre_here(parser);
    block->kind = FIACRE_BLOCK_PAR;
    parser->at++;
    block->portset = parse_portset(parser, FIACRE_WORD_IN);
    do {
        *last = parse_block(parser);
        last = &(*last)->next;
    } while (!parser->panic && fiacre_accept(parser, TOKEN_BARS));
    if (fiacre_expect_close(parser, FIACRE_WORD_END, "'||'", "the 'par'", opened))
        fiacre_accept(parser, FIACRE_WORD_PAR);
}

static struct fiacre_block *parse_block(struct fiacre_parser *parser)
{
    struct fiacre_block *block = arena_alloc(parser->arena, sizeof *block);
    block->interface = parse_portset(parser, TOKEN_ARROW);
    block->place = fiacre_here(parser);
    if (!fiacre_at(parser, FIACRE_WORD_PAR)) {
        if (!fiacre_at(parser, TOKEN_NAME))
            fiacre_error_expected(parser, "a process, a component or 'par'");
        else parse_instance(parser, block);
    } else {
        if (fiacre_enter(parser)) parse_par(parser, block);
        fiacre_leave(parser);
    }
    return block;
}

struct fiacre_component *fiacre_parse_component(struct fiacre_parser *parser)
{
    static const uint16_t words[] = {FIACRE_WORD_VAR, FIACRE_WORD_PORT, FIACRE_WORD_PRIORITY,
                                     FIACRE_WORD_INIT, FIACRE_WORD_PAR};
    struct fiacre_component *component = arena_alloc(parser->arena, sizeof *component);
    struct fiacre_variable **variables = &component->variables;
    struct fiacre_port **ports = &component->local_ports;
    struct fiacre_priority **priorities = &component->priorities;
    parse_heading(parser, &component->ports, &component->parameters);
    while (!parser->panic) {
        if (fiacre_accept(parser, FIACRE_WORD_VAR)) {
            for (*variables = fiacre_parse_variables(parser); *variables;)
                variables = &(*variables)->next;
        } else if (fiacre_accept(parser, FIACRE_WORD_PORT)) {
            for (*ports = parse_port_list(parser, true); *ports;) ports = &(*ports)->next;
        } else if (fiacre_accept(parser, FIACRE_WORD_PRIORITY)) {
            priorities = parse_priorities(parser, priorities);
        } else if (fiacre_at(parser, FIACRE_WORD_INIT)) {
            component->init = parse_init(parser, component->init, &component->init_place);
        } else {
            break;
        }
    }
    component->composition = arena_alloc(parser->arena, sizeof *component->composition);
    component->composition->place = fiacre_here(parser);
    if (fiacre_at(parser, FIACRE_WORD_PAR)) parse_par(parser, component->composition);
    else
        fiacre_error_expected_word(parser, "'var', 'port', 'priority', 'init' or 'par'", words,
                                   sizeof words / sizeof *words);
    return component;
}
