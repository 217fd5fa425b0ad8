/* Blocks are read by recursion; their depth, and that of the calls in them, is bounded, so that
 * nobody who walks through code needs to care.
 *
 * What is checked, besides names and types: an offset is within its array; what a statement writes
 * is within the range of every cell that can be meant (cells_possible); a copy stays within the
 * cells that there are; functions call earlier ones only. */
#include "lang/cairn/block.h"

#include "lang/cairn/expression.h"
#include "model/cells.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_DEPTH = 1000 };

/* A block that is being read. */
struct block {
    struct reader *reader;
    uint32_t outer; /* blocks around it */
    uint32_t depth; /* of the deepest one inside */
};

static void read_statements(struct block *block, statement *first);

/* ---- cells ---- */

static int64_t low_of(const struct model *model, bool local, uint32_t cell)
{
    assert(cell < (local ? model->locals.len : model->vars.len));
    return local ? model->locals.data[cell].low : model->vars.data[cell].low;
}

static int64_t high_of(const struct model *model, bool local, uint32_t cell)
{
    assert(cell < (local ? model->locals.len : model->vars.len));
    return local ? model->locals.data[cell].high : model->vars.data[cell].high;
}

/* A variable, (local "x"), or an array and an offset. */
static bool read_cell(struct reader *reader, struct cell *cell)
{
    struct term offset;
    *cell = (struct cell){.count = 1, .offset = expr_int(&reader->model->exprs, 0)};
    if (reader_peek(reader)->kind == TOKEN_STRING)
        return reader_reference(reader, SCOPE_VARIABLE, "variable", &cell->base);
    if (!reader_expect(reader, TOKEN_OPEN, "a variable in quotes, or '('")) return false;
    if (reader_accept_word(reader, "local")) {
        cell->local = true;
        return reader_local(reader, &cell->base) && reader_expect(reader, TOKEN_CLOSE, "')'");
    }
    cell->local = reader_is_word(reader_peek(reader), "local_at");
    if (!reader_accept_word(reader, "local_at") && !reader_accept_word(reader, "at"))
        return reader_unexpected(reader, "'local', 'at' or 'local_at'");
    if (!reader_array(reader, cell->local, &cell->base, &cell->count)
        || !expression_read(reader, PROPERTY_INVARIANT, &offset))
        return false;
    if (!expression_is_offset(reader, &offset, cell->count)) return false;
    cell->offset = offset.e;
    return reader_expect(reader, TOKEN_CLOSE, "')' after the offset");
}

static bool *possible_offsets(const struct model *model, const struct cell *cell)
{
    bool *possible = mem_alloc(model->mem, cell->count + UINT64_C(1));
    cells_possible(model, cell->offset, cell->count, possible);
    return possible;
}

static bool check_stored(struct reader *reader, const struct cell *cell, const struct term *value)
{
    const struct model *model = reader->model;
    if (reader->vague || value->fails) return true;
    bool *possible = possible_offsets(model, cell), good = true;
    for (uint32_t i = 0; i < cell->count && good; i++) {
        int64_t low = low_of(model, cell->local, cell->base + i),
                high = high_of(model, cell->local, cell->base + i);
        if (!possible[i] || (value->low >= low && value->high <= high)) continue;
        diag_error(reader->diag, DIAG_RANGE, value->place,
                   "the value may leave the range of \"%.60s\": it is %" PRId64 " to %" PRId64
                   ", the range %" PRId64 "..%" PRId64,
                   cell->local ? model->locals.data[cell->base + i].name
                               : model->vars.data[cell->base + i].name,
                   value->low, value->high, low, high);
        good = false;
    }
    mem_free(model->mem, possible);
    return good;
}

/* The values of cell number k of a run, wherever it starts: all that may be there (widest), or
 * those that all of them may have. */
static void range_in_run(const struct model *model, const struct cell *cell, const bool *possible,
                         uint32_t k, bool widest, int64_t *low, int64_t *high)
{
    *low = widest ? INT64_MAX : INT64_MIN;
    *high = widest ? INT64_MIN : INT64_MAX;
    for (uint32_t i = 0; i < cell->count; i++) {
        if (!possible[i]) continue;
        int64_t first = low_of(model, cell->local, cell->base + i + k),
                last = high_of(model, cell->local, cell->base + i + k);
        if (widest ? first < *low : first > *low) *low = first;
        if (widest ? last > *high : last < *high) *high = last;
    }
}

static bool is_run(struct reader *reader, const struct cell *cell, uint32_t cells,
                   struct place place)
{
    uint64_t last = cell->local ? reader->model->locals.len : reader->model->vars.len;
    if ((uint64_t)cell->base + cell->count - 1 + cells <= last) return true;
    diag_error(reader->diag, DIAG_LIMIT, place,
               "%" PRIu32 " cells from here on may be more than there are", cells);
    return false;
}

static bool check_copied(struct reader *reader, const struct code_node *node, struct place place)
{
    const struct model *model = reader->model;
    if (!is_run(reader, &node->target, node->cells, place)
        || !is_run(reader, &node->source, node->cells, place))
        return false;
    bool *sources = possible_offsets(model, &node->source),
         *targets = possible_offsets(model, &node->target), good = true;
    for (uint32_t k = 0; k < node->cells && good && !reader->vague; k++) {
        int64_t low, high, lowest, highest;
        range_in_run(model, &node->source, sources, k, true, &low, &high);
        range_in_run(model, &node->target, targets, k, false, &lowest, &highest);
        if (low > high || (low >= lowest && high <= highest)) continue;
        diag_error(reader->diag, DIAG_RANGE, place,
                   "the values of cell %" PRIu32 " of the copy, %" PRId64 " to %" PRId64
                   ", may leave the range of their target, %" PRId64 "..%" PRId64,
                   k, low, high, lowest, highest);
        good = false;
    }
    mem_free(model->mem, sources);
    mem_free(model->mem, targets);
    return good;
}

/* ---- statements ---- */

static bool read_set(struct block *block, struct code_node *node)
{
    struct term value;
    return read_cell(block->reader, &node->target)
           && expression_read(block->reader, PROPERTY_INVARIANT, &value)
           && expression_is_number(block->reader, &value)
           && (node->value = value.e, check_stored(block->reader, &node->target, &value));
}

static bool read_copy(struct block *block, struct code_node *node)
{
    struct reader *reader = block->reader;
    struct place place = reader_peek(reader)->place;
    if (!reader_count(reader, "the number of cells", UINT32_MAX, &node->cells)) return false;
    if (!node->cells) {
        diag_error(reader->diag, DIAG_RANGE, place, "at least one cell is copied");
        return false;
    }
    return read_cell(reader, &node->target) && read_cell(reader, &node->source)
           && check_copied(reader, node, place);
}

static bool read_condition(struct block *block, struct code_node *node)
{
    struct term cond;
    if (!expression_read(block->reader, PROPERTY_INVARIANT, &cond)
        || !expression_is_condition(block->reader, &cond))
        return false;
    node->value = cond.e;
    return true;
}

static bool is_shallow(struct block *block, uint32_t inner, struct place place)
{
    if (inner > block->depth) block->depth = inner;
    if (block->outer + inner <= MAX_DEPTH) return true;
    diag_error(block->reader->diag, DIAG_NESTING, place,
               "code is nested too deeply, with the functions that it calls: more than %d levels",
               MAX_DEPTH);
    return false;
}

static bool read_call(struct block *block, struct code_node *node)
{
    struct reader *reader = block->reader;
    struct place place = reader_peek(reader)->place;
    uint32_t number;
    if (reader_accept_word(reader, "nothing")) return true;
    if (!reader_count(reader, "the number of a function, or 'nothing'", UINT32_MAX, &number))
        return false;
    if (!number || number > reader->functions.len) {
        diag_error(reader->diag, DIAG_UNKNOWN, place,
                   "there is no function %" PRIu32
                   " yet: functions are declared before they are called",
                   number);
        return false;
    }
    node->body = reader->functions.data[number - 1].body;
    assert(code_is_none(node->body) || node->body.i < reader->model->code.len);
    return is_shallow(block, reader->functions.data[number - 1].depth + 1, place);
}

static void read_inner(struct block *block, statement *first)
{
    struct block inner = {.reader = block->reader, .outer = block->outer + 1};
    read_statements(&inner, first);
    if (inner.depth + 1 > block->depth) block->depth = inner.depth + 1;
}

static bool read_nothing(struct block *block, struct code_node *node)
{
    (void)block;
    (void)node;
    return true;
}

static const struct {
    const char *word;
    enum code_op op;
    bool (*read)(struct block *block, struct code_node *node); /* what stands before the position */
} statements[] = {
    {"set", CODE_SET, read_set},
    {"copy", CODE_COPY, read_copy},
    {"require", CODE_REQUIRE, read_condition},
    {"if", CODE_IF, read_condition},
    {"while", CODE_WHILE, read_condition},
    {"call", CODE_CALL, read_call},
    {"leave", CODE_LEAVE, read_nothing},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

bool block_is_word(const struct token *token)
{
    for (unsigned i = 0; i < STATEMENTS; i++)
        if (reader_is_word(token, statements[i].word)) return true;
    return reader_is_word(token, "else") || reader_is_word(token, "end");
}

static void skip_to_statement(struct reader *reader)
{
    while (reader_peek(reader)->kind != TOKEN_END && !block_is_word(reader_peek(reader))
           && !reader->is_item(reader_peek(reader)))
        reader->at++;
}

/* The statement after its word; its node is made in any case, so that reading goes on inside of
 * it. */
static void read_statement(struct block *block, unsigned i, struct code_node *node)
{
    struct reader *reader = block->reader;
    const struct token *token = reader_peek(reader) - 1;
    *node = (struct code_node){.op = (uint8_t)statements[i].op,
                               .body = code_none(),
                               .other = code_none(),
                               .next = code_none()};
    node->value = expr_bool(&reader->model->exprs, true);
    if (!statements[i].read(block, node) || !reader_place(reader, &node->place))
        skip_to_statement(reader);
    if ((node->op != CODE_IF && node->op != CODE_WHILE) || !is_shallow(block, 1, token->place))
        return;
    read_inner(block, &node->body);
    if (node->op == CODE_IF && reader_accept_word(reader, "else")) read_inner(block, &node->other);
    if (!reader_accept_word(reader, "end")) reader_unexpected(reader, "a statement or 'end'");
}

static void read_statements(struct block *block, statement *first)
{
    struct reader *reader = block->reader;
    struct code_sequence sequence = code_sequence_empty();
    for (unsigned i = 0; i < STATEMENTS; i++) {
        struct code_node node;
        if (!reader_accept_word(reader, statements[i].word)) continue;
        read_statement(block, i, &node);
        model_add_code(reader->model, &sequence, node);
        i = UINT32_MAX; /* from the first word again */
    }
    *first = sequence.first;
}

void block_read(struct reader *reader, statement *first, uint32_t *depth)
{
    struct block block = {.reader = reader};
    reader->in_code = true;
    read_statements(&block, first);
    if (!reader_accept_word(reader, "end")) reader_unexpected(reader, "a statement or 'end'");
    reader->in_code = false;
    *depth = block.depth;
}
