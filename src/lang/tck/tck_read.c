/* Declarations. Each begins a line with its kind, and its parts are separated by colons:
 *
 *   system:NAME                 process:NAME                 event:NAME
 *   clock:SIZE:NAME             int:SIZE:MIN:MAX:INIT:NAME
 *   location:P:NAME{attributes} edge:P:SOURCE:TARGET:EVENT{attributes}
 *   sync:P@EVENT:Q@EVENT?...    (? a weak one: who has no such edge is left out)
 *   attributes = key : value : key : value ...      # begins a comment
 *
 * After a mistake the rest of the declaration is skipped, up to the next line that begins one. */
#include "lang/tck/ast.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_CELLS = 1 << 20, MOST_CONSTANT = 1 << 30 };

static const struct lexis_row operators[] = {
    {"<->", TOKEN_IFF},
    {"<=>", TOKEN_IFF},
    {"->", TOKEN_IMPLIES},
    {"=>", TOKEN_IMPLIES},
    {"==", TOKEN_EQ},
    {"!=", TOKEN_NE},
    {"<=", TOKEN_LE},
    {">=", TOKEN_GE},
    {"&&", TOKEN_AND},
    {"||", TOKEN_OR},
    {"=", TOKEN_EQ},
    {"<", TOKEN_LT},
    {">", TOKEN_GT},
    {"!", TOKEN_NOT},
    {"(", TOKEN_OPEN},
    {")", TOKEN_CLOSE},
    {"[", TOKEN_OPEN_SQUARE},
    {"]", TOKEN_CLOSE_SQUARE},
    {"{", TOKEN_OPEN_CURLY},
    {"}", TOKEN_CLOSE_CURLY},
    {",", TOKEN_COMMA},
    {";", TOKEN_SEMICOLON},
    {":", TOKEN_COLON},
    {"+", TOKEN_PLUS},
    {"-", TOKEN_MINUS},
    {"*", TOKEN_TIMES},
    {"/", TOKEN_DIVIDE},
    {"%", TOKEN_REMAINDER},
    {"@", TOKEN_AT},
    {"?", TOKEN_QUESTION},
    {NULL, 0},
};

static const struct lexis lexis = {
    .operators = operators, .hash_comments = true, .name_parts = "."};

/* ---- parts of declarations ---- */

static bool colon(struct tck_file *file) { return tck_expect(file, TOKEN_COLON, "':'"); }

static const char *read_name(struct tck_file *file, const char *what, struct place *place)
{
    const struct token *token = tck_peek(file);
    *place = token->place;
    return tck_expect(file, TOKEN_NAME, what) ? token->text : "";
}

static int64_t read_number(struct tck_file *file, const char *what, int64_t low, int64_t high)
{
    const struct token *first = tck_peek(file);
    const bool is_negative = tck_accept(file, TOKEN_MINUS);
    const struct token *token = tck_peek(file);
    if (!tck_expect(file, TOKEN_NUMBER, what)) return low;
    const int64_t value = is_negative ? -(int64_t)token->number : (int64_t)token->number;
    if (value >= low && value <= high) return value;
    diag_error(file->diag, DIAG_RANGE, first->place, "%s lies between %" PRId64 " and %" PRId64,
               what, low, high);
    file->bad = true;
    return low;
}

static bool declare(struct tck_file *file, const char *name, uint32_t scope, uint32_t value,
                    struct place place, const char *what)
{
    if (file->bad || map_add(&file->scope, name, scope, value)) return !file->bad;
    diag_error(file->diag, DIAG_DUPLICATE, place, "the %s '%.60s' is declared twice", what, name);
    file->bad = true;
    return false;
}

/* A name that was declared before. */
static uint32_t refer(struct tck_file *file, uint32_t scope, const char *what)
{
    struct place place;
    const char *name = read_name(file, what, &place);
    if (file->bad) return 0;
    const uint32_t found = map_get(&file->scope, name, scope);
    if (found != MAP_NONE) return found;
    diag_error(file->diag, DIAG_UNKNOWN, place, "there is no %s '%.60s' so far", what, name);
    file->bad = true;
    return 0;
}

static uint32_t refer_location(struct tck_file *file, uint32_t process)
{
    return refer(file, TCK_SCOPE_LOCATION + process, "location of this process");
}

/* ---- attributes ---- */

/* Of a location, or of an edge. */
struct attributes {
    struct tck_location *location;
    struct tck_edge *edge;
};

/* What an attribute that is not known says is passed over. */
static void skip_value(struct tck_file *file)
{
    for (;;) {
        const struct token *token = tck_peek(file);
        if (token->kind == TOKEN_COLON || token->kind == TOKEN_CLOSE_CURLY
            || token->kind == TOKEN_END)
            return;
        file->at++;
    }
}

static void read_labels(struct tck_file *file, struct tck_location *location)
{
    location->first_label = file->label_names.len;
    while (!file->bad && tck_peek(file)->kind == TOKEN_NAME) {
        struct place place;
        const char *name = read_name(file, "label", &place);
        vec_push(file->mem, &file->label_names, name);
        location->labels++;
        map_add(&file->scope, name, TCK_SCOPE_LABEL, 0);
        if (!tck_accept(file, TOKEN_COMMA)) break;
    }
}

static bool is_empty(const struct tck_file *file)
{
    const enum token_kind kind = tck_peek(file)->kind;
    return kind == TOKEN_COLON || kind == TOKEN_CLOSE_CURLY;
}

static void read_of_location(struct tck_file *file, struct tck_location *location,
                             const struct token *key)
{
    if (!strcmp(key->text, "initial")) location->is_initial = true;
    else if (!strcmp(key->text, "committed")) location->is_committed = true;
    else if (!strcmp(key->text, "urgent")) location->is_urgent = true;
    else if (!strcmp(key->text, "labels")) read_labels(file, location);
    else if (!strcmp(key->text, "invariant") && !is_empty(file))
        location->invariant = tck_parse_exp(file);
    else if (strcmp(key->text, "invariant")) {
        diag_warning(file->diag, DIAG_UNUSED, key->place,
                     "the attribute '%.60s' of a location is not known, and ignored", key->text);
        skip_value(file);
    }
}

static void read_of_edge(struct tck_file *file, struct tck_edge *edge, const struct token *key)
{
    if (!strcmp(key->text, "provided")) {
        if (!is_empty(file)) edge->provided = tck_parse_exp(file);
    } else if (!strcmp(key->text, "do")) edge->steps = tck_parse_steps(file);
    else {
        diag_warning(file->diag, DIAG_UNUSED, key->place,
                     "the attribute '%.60s' of an edge is not known, and ignored", key->text);
        skip_value(file);
    }
}

static void read_attributes(struct tck_file *file, const struct attributes *attributes)
{
    assert(!attributes->location != !attributes->edge);
    if (file->bad || !tck_accept(file, TOKEN_OPEN_CURLY)) return;
    while (!file->bad && tck_peek(file)->kind == TOKEN_NAME) {
        const struct token *key = tck_peek(file);
        file->at++;
        if (!colon(file)) return;
        if (attributes->location) read_of_location(file, attributes->location, key);
        else read_of_edge(file, attributes->edge, key);
        if (!tck_accept(file, TOKEN_COLON)) break;
    }
    tck_expect(file, TOKEN_CLOSE_CURLY, "':' or '}'");
}

/* ---- declarations ---- */

static void read_system(struct tck_file *file)
{
    struct place place;
    const char *name = read_name(file, "the name of the system", &place);
    if (file->system && !file->bad)
        diag_error(file->diag, DIAG_DUPLICATE, place,
                   "a file has one system: this is a second one");
    file->system = name;
}

static void read_process(struct tck_file *file)
{
    struct tck_process process = {0};
    process.name = read_name(file, "the name of a process", &process.place);
    if (declare(file, process.name, TCK_SCOPE_PROCESS, file->processes.len, process.place,
                "process"))
        vec_push(file->mem, &file->processes, process);
}

static void read_event(struct tck_file *file)
{
    struct place place;
    const char *name = read_name(file, "the name of an event", &place);
    if (declare(file, name, TCK_SCOPE_EVENT, file->events.len, place, "event"))
        vec_push(file->mem, &file->events, name);
}

/* Variables and clocks have names of one kind: this one is no other's. */
static bool is_free(struct tck_file *file, const struct tck_array *array, enum tck_scope scope,
                    const char *what)
{
    if (file->bad || map_get(&file->scope, array->name, scope) == MAP_NONE) return true;
    diag_error(file->diag, DIAG_DUPLICATE, array->place, "'%.60s' is a %s already", array->name,
               what);
    return false;
}

static void read_clock(struct tck_file *file)
{
    struct tck_array clock = {0};
    clock.count = (uint32_t)read_number(file, "the number of clocks", 1, MOST_CELLS);
    colon(file);
    clock.name = read_name(file, "the name of a clock", &clock.place);
    if (is_free(file, &clock, TCK_SCOPE_INT, "variable")
        && declare(file, clock.name, TCK_SCOPE_CLOCK, file->clocks.len, clock.place, "clock"))
        vec_push(file->mem, &file->clocks, clock);
}

static void read_int(struct tck_file *file)
{
    struct tck_array array = {0};
    array.count = (uint32_t)read_number(file, "the number of variables", 1, MOST_CELLS);
    colon(file);
    array.low = read_number(file, "the lowest value", INT32_MIN, INT32_MAX);
    colon(file);
    array.high = read_number(file, "the highest value", array.low, INT32_MAX);
    colon(file);
    array.init = read_number(file, "the initial value", array.low, array.high);
    colon(file);
    array.name = read_name(file, "the name of a variable", &array.place);
    if (is_free(file, &array, TCK_SCOPE_CLOCK, "clock")
        && declare(file, array.name, TCK_SCOPE_INT, file->ints.len, array.place, "variable"))
        vec_push(file->mem, &file->ints, array);
}

static void read_location(struct tck_file *file)
{
    struct tck_location location = {0};
    const uint32_t process = refer(file, TCK_SCOPE_PROCESS, "process");
    colon(file);
    location.name = read_name(file, "the name of a location", &location.place);
    read_attributes(file, &(struct attributes){.location = &location});
    if (file->bad) return;
    struct tck_process *owner = &file->processes.data[process];
    if (declare(file, location.name, TCK_SCOPE_LOCATION + process, owner->locations.len,
                location.place, "location"))
        vec_push(file->mem, &owner->locations, location);
}

static void read_edge(struct tck_file *file)
{
    struct tck_edge edge = {.place = tck_peek(file)->place};
    edge.process = refer(file, TCK_SCOPE_PROCESS, "process");
    colon(file);
    edge.source = refer_location(file, edge.process);
    colon(file);
    edge.target = refer_location(file, edge.process);
    colon(file);
    edge.event = refer(file, TCK_SCOPE_EVENT, "event");
    read_attributes(file, &(struct attributes){.edge = &edge});
    if (!file->bad) vec_push(file->mem, &file->edges, edge);
}

static bool takes_part(const struct tck_file *file, const struct tck_sync *sync, uint32_t process)
{
    for (uint32_t i = 0; i < sync->parties; i++)
        if (file->parties.data[sync->first + i].process == process) return true;
    return false;
}

static void read_sync(struct tck_file *file)
{
    struct tck_sync sync = {.first = file->parties.len, .place = tck_peek(file)->place};
    do {
        const struct place place = tck_peek(file)->place;
        struct tck_party party = {.process = refer(file, TCK_SCOPE_PROCESS, "process")};
        tck_expect(file, TOKEN_AT, "'@'");
        party.event = refer(file, TCK_SCOPE_EVENT, "event");
        party.is_weak = tck_accept(file, TOKEN_QUESTION);
        if (file->bad) return;
        if (takes_part(file, &sync, party.process)) {
            diag_error(file->diag, DIAG_DUPLICATE, place,
                       "a process takes part in a synchronisation once");
            file->bad = true;
        }
        vec_push(file->mem, &file->parties, party);
        sync.parties++;
    } while (!file->bad && tck_accept(file, TOKEN_COLON));
    if (sync.parties < 2 && !file->bad)
        diag_error(file->diag, DIAG_MISSING, sync.place,
                   "a synchronisation needs two processes or more");
    vec_push(file->mem, &file->syncs, sync);
}

static const struct {
    const char *word;
    void (*read)(struct tck_file *file);
} kinds[] = {{"system", read_system}, {"process", read_process}, {"event", read_event},
             {"clock", read_clock},   {"int", read_int},         {"location", read_location},
             {"edge", read_edge},     {"sync", read_sync},       {NULL, NULL}};

static void read_declaration(struct tck_file *file)
{
    const struct token *token = tck_peek(file);
    file->bad = false;
    file->nesting = 0;
    for (unsigned i = 0; kinds[i].word; i++) {
        if (token->kind != TOKEN_NAME || strcmp(kinds[i].word, token->text)) continue;
        file->at++;
        if (colon(file)) kinds[i].read(file);
        if (!file->bad && !tck_peek(file)->begins_line && tck_peek(file)->kind != TOKEN_END)
            tck_unexpected(file, "the end of the declaration");
        return;
    }
    tck_unexpected(file, "system, process, event, clock, int, location, edge or sync");
}

static void check_initial(struct tck_file *file)
{
    for (uint32_t p = 0; p < file->processes.len; p++) {
        const struct tck_process *process = &file->processes.data[p];
        bool has = false;
        for (uint32_t l = 0; l < process->locations.len; l++)
            has |= process->locations.data[l].is_initial;
        if (!has)
            diag_error(file->diag, DIAG_MISSING, process->place,
                       "the process '%.60s' has no initial location", process->name);
    }
}

static void read_declarations(struct tck_file *file)
{
    if (tck_peek(file)->kind != TOKEN_NAME || strcmp(tck_peek(file)->text, "system"))
        tck_unexpected(file, "'system:', which comes first,");
    while (tck_peek(file)->kind != TOKEN_END) {
        const uint32_t before = file->at;
        read_declaration(file);
        if (file->at == before) file->at++;
        while (file->bad && tck_peek(file)->kind != TOKEN_END && !tck_peek(file)->begins_line)
            file->at++;
    }
    if (!file->diag->errors) check_initial(file);
}

bool tck_read(struct tck_file *file, uint32_t source)
{
    lexer_run(file->diag, file->names, &lexis, source, &file->tokens);
    if (!file->diag->errors) read_declarations(file);
    lexer_free(file->mem, &file->tokens);
    return !file->diag->errors;
}

struct tck_exp *tck_read_formula(struct tck_file *file, uint32_t source)
{
    const uint32_t errors = file->diag->errors;
    struct tck_exp *exp = NULL;
    file->at = 0;
    file->bad = false;
    file->in_formula = true;
    file->nesting = 0;
    lexer_run(file->diag, file->names, &lexis, source, &file->tokens);
    if (file->diag->errors == errors) exp = tck_parse_exp(file);
    if (exp && !file->bad && tck_peek(file)->kind != TOKEN_END)
        tck_unexpected(file, "the end of the formula");
    lexer_free(file->mem, &file->tokens);
    return file->diag->errors == errors ? exp : NULL;
}
