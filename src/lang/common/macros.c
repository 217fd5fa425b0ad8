#include "lang/common/macros.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- definitions ---- */

uint32_t macros_find(const struct macros *p, const char *name)
{
    uint32_t index = map_get(&p->index, name, 0);
    return index == MAP_NONE || !p->macros.data[index].name ? MAP_NONE : index;
}

static bool same_tokens(const struct token_list *a, const struct token_list *b)
{
    if (a->list.len != b->list.len) return false;
    for (uint32_t i = 0; i < a->list.len; i++)
        if (a->list.data[i].kind != b->list.data[i].kind
            || strcmp(a->list.data[i].text, b->list.data[i].text) != 0)
            return false;
    return true;
}

static bool same_macro(const struct macro *a, const struct macro *b)
{
    bool same = a->has_parameters == b->has_parameters && a->parameter_count == b->parameter_count
                && same_tokens(&a->body, &b->body);
    for (uint32_t i = 0; same && i < a->parameter_count; i++)
        same = a->parameters[i] == b->parameters[i];
    return same;
}

static void free_macro(struct macros *p, struct macro *macro)
{
    vec_free(p->mem, &macro->body.list);
    mem_free(p->mem, macro->parameters);
    macro->parameters = NULL;
    macro->name = NULL;
}

void macros_define(struct macros *p, struct macro *macro)
{
    uint32_t index = map_get(&p->index, macro->name, 0);
    if (index == MAP_NONE) {
        map_add(&p->index, macro->name, 0, p->macros.len);
        vec_push(p->mem, &p->macros, *macro);
        return;
    }
    struct macro *known = &p->macros.data[index];
    assert(!known->busy); /* directives are read between expansions */
    if (known->name && !same_macro(known, macro)) {
        preprocess_fail(p, macro->place, "the macro '%.60s' is defined already", macro->name);
        diag_note(p->diag, known->place, "here");
    }
    free_macro(p, known);
    *known = *macro;
}

void macros_undefine(struct macros *p, const char *name)
{
    uint32_t index = macros_find(p, name);
    if (index != MAP_NONE) free_macro(p, &p->macros.data[index]);
}

static struct token number_token(struct macros *p, uint64_t number, struct place place)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRIu64, number);
    return (struct token){.kind = TOKEN_NUMBER,
                          .place = place,
                          .text = names_intern(p->names, text, (size_t)length),
                          .number = number,
                          .scale = 1};
}

uint32_t macros_ask(struct macros *p, const struct token *name)
{
    uint32_t index = macros_find(p, name->text);
    if (index != MAP_NONE) return index;
    for (uint32_t i = 0; i < p->define_count; i++) {
        struct language_define *define = &p->defines[i];
        if (strcmp(define->name, name->text) != 0) continue;
        struct macro macro = {.name = name->text, .place = name->place};
        uint64_t size = define->value < 0 ? -(uint64_t)define->value : (uint64_t)define->value;
        struct token minus = {.kind = TOKEN_MINUS, .place = name->place, .text = "-"};
        if (define->value < 0) vec_push(p->mem, &macro.body.list, minus);
        vec_push(p->mem, &macro.body.list, number_token(p, size, name->place));
        define->asked = true;
        macros_define(p, &macro);
        return macros_find(p, name->text);
    }
    return MAP_NONE;
}

/* ---- streams ---- */

static void push_stream(struct macros *p, struct token_list *tokens, uint32_t macro, bool is_end)
{
    struct macro_stream stream = {.tokens = *tokens, .macro = macro, .is_end = is_end};
    *tokens = (struct token_list){0};
    if (macro != MAP_NONE) {
        assert(!p->macros.data[macro].busy); /* 1 */
        p->macros.data[macro].busy = true;
    }
    vec_push(p->mem, &p->streams, stream);
}

static void pop_stream(struct macros *p)
{
    assert(p->streams.len);
    struct macro_stream *top = &p->streams.data[--p->streams.len];
    if (top->macro != MAP_NONE) {
        assert(p->macros.data[top->macro].busy); /* 1 */
        p->macros.data[top->macro].busy = false;
    }
    vec_free(p->mem, &top->tokens.list);
}

/* The next token as it is. */
static void take(struct macros *p, struct token *token)
{
    while (p->streams.len) {
        struct macro_stream *top = &p->streams.data[p->streams.len - 1];
        if (top->at < top->tokens.list.len) {
            *token = top->tokens.list.data[top->at++];
            return;
        }
        if (top->is_end) {
            *token = (struct token){.kind = TOKEN_END, .text = "the end"};
            return;
        }
        pop_stream(p);
    }
    preprocess_read(p, token);
}

/* Whether an opening parenthesis comes next, maybe in what stands behind a body. */
static bool open_follows(const struct macros *p)
{
    for (uint32_t i = p->streams.len; i-- > 0;) {
        const struct macro_stream *stream = &p->streams.data[i];
        if (stream->at < stream->tokens.list.len)
            return stream->tokens.list.data[stream->at].kind == TOKEN_OPEN;
        if (stream->is_end) return false;
    }
    return lexer_glance(&p->files.data[p->files.len - 1]->lexer) == '(';
}

static bool count_made(struct macros *p, uint64_t tokens, struct place place)
{
    p->made += tokens;
    if (p->made <= PREPROCESS_MOST_TOKENS) return true;
    preprocess_fail(p, place, "macros make more than %d tokens", PREPROCESS_MOST_TOKENS);
    return false;
}

/* ---- arguments ---- */

struct call {
    struct token name;
    uint32_t end;             /* of the text: where the closing parenthesis ends */
    struct token_list *given; /* as written, one list for each argument */
    uint32_t count;
};

static void free_call(struct macros *p, struct call *call)
{
    for (uint32_t i = 0; i < call->count; i++) vec_free(p->mem, &call->given[i].list);
    mem_free(p->mem, call->given);
}

static struct token_list *add_argument(struct macros *p, struct call *call)
{
    call->given =
        mem_resize(p->mem, call->given, (call->count + UINT64_C(1)) * sizeof *call->given);
    call->given[call->count] = (struct token_list){0};
    return &call->given[call->count++];
}

/* Reads ( a, b, ... ). False when it does not end. */
static bool collect(struct macros *p, struct call *call)
{
    struct token token;
    uint32_t depth = 0;
    struct token_list *last = add_argument(p, call);
    take(p, &token);
    assert(token.kind == TOKEN_OPEN);
    for (;;) {
        take(p, &token);
        if (token.kind == TOKEN_END || p->failed) break;
        if (token.kind == TOKEN_CLOSE && !depth) {
            call->end = token.end;
            return true;
        }
        if (token.kind == TOKEN_COMMA && !depth) {
            last = add_argument(p, call);
            continue;
        }
        if (token.kind == TOKEN_OPEN) depth++;
        if (token.kind == TOKEN_CLOSE) depth--;
        if (!count_made(p, 1, call->name.place)) break;
        vec_push(p->mem, &last->list, token);
    }
    if (!p->failed)
        preprocess_fail(p, call->name.place, "the arguments of the macro '%.60s' do not end",
                        call->name.text);
    return false;
}

static bool check_count(struct macros *p, const struct macro *macro, struct call *call)
{
    if (!macro->parameter_count && call->count == 1 && !call->given[0].list.len) call->count = 0;
    if (call->count == macro->parameter_count) return true;
    preprocess_fail(p, call->name.place, "the macro '%.60s' has %u parameter%s, and %u %s given",
                    macro->name, macro->parameter_count, macro->parameter_count == 1 ? "" : "s",
                    call->count, call->count == 1 ? "is" : "are");
    diag_note(p->diag, macro->place, "here");
    return false;
}

void macros_expand(struct macros *p, struct token_list *list)
{
    struct token_list result = {0};
    struct token token;
    push_stream(p, list, MAP_NONE, true);
    uint32_t level = p->streams.len;
    for (;;) {
        macros_next(p, &token);
        if (token.kind == TOKEN_END) break;
        vec_push(p->mem, &result.list, token);
    }
    assert(p->failed || p->streams.len == level);
    while (p->streams.len >= level) pop_stream(p);
    *list = result;
}

/* ---- bodies ---- */

static uint32_t parameter_of(const struct macro *macro, const struct token *token)
{
    for (uint32_t i = 0; token_is_word(token) && i < macro->parameter_count; i++)
        if (macro->parameters[i] == token->text) return i;
    return MAP_NONE;
}

static bool is_paste(const struct macro *macro, uint32_t at)
{
    const struct token *tokens = macro->body.list.data;
    return at + 1 < macro->body.list.len && tokens[at].kind == TOKEN_HASH
           && tokens[at + 1].kind == TOKEN_HASH && !tokens[at + 1].after_space;
}

/* One token of two: names and digits. */
static void paste(struct macros *p, struct token *left, const struct token *right)
{
    enum { PASTED_MOST = 255 };
    char text[2 * PASTED_MOST + 2];
    bool is_number = left->kind == TOKEN_NUMBER;
    bool good = (token_is_word(left) || is_number)
                && (token_is_word(right) || right->kind == TOKEN_NUMBER)
                && (!is_number || right->kind == TOKEN_NUMBER);
    int length = good ? snprintf(text, sizeof text, "%s%s", left->text, right->text) : 0;
    if (!good || length > (is_number ? 18 : PASTED_MOST)) {
        preprocess_fail(p, left->place, "'%.30s' ## '%.30s' makes no name and no number",
                        left->text, right->text);
        return;
    }
    left->text = names_intern(p->names, text, (size_t)length);
    left->no_macro = false;
    if (is_number) {
        left->number = 0;
        for (int i = 0; i < length; i++)
            left->number = left->number * 10 + (uint64_t)(text[i] - '0');
    } else {
        left->kind = (uint16_t)lexer_word_kind(&p->files.data[p->files.len - 1]->lexer, left->text);
    }
}

/* The arguments with their own macros replaced, each when it is needed for the first time. */
struct arguments {
    const struct call *call;
    struct token_list *expanded;
    bool *done;
};

static const struct token_list *argument(struct macros *p, struct arguments *a, uint32_t n)
{
    if (a->done[n]) return &a->expanded[n];
    for (uint32_t i = 0; i < a->call->given[n].list.len; i++)
        vec_push(p->mem, &a->expanded[n].list, a->call->given[n].list.data[i]);
    a->done[n] = true;
    macros_expand(p, &a->expanded[n]);
    return &a->expanded[n];
}

/* Adds tokens; with `pasted`, the first one is joined to the last one so far. */
static void append(struct macros *p, struct token_list *out, const struct token *tokens,
                   uint32_t count, bool pasted, struct place place)
{
    if (!count_made(p, count, place)) return;
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        if (pasted && i == 0 && out->list.len)
            paste(p, &out->list.data[out->list.len - 1], &tokens[0]);
        else vec_push(p->mem, &out->list, tokens[i]);
    }
}

static void substitute(struct macros *p, uint32_t index, struct arguments *a,
                       struct token_list *out)
{
    const struct call *call = a->call;
    bool pasted = false;
    for (uint32_t i = 0; i < p->macros.data[index].body.list.len && !p->failed; i++) {
        const struct macro *macro = &p->macros.data[index]; /* the list may move */
        struct token token = macro->body.list.data[i];
        uint32_t n = parameter_of(macro, &token);
        if (is_paste(macro, i)) {
            pasted = true;
            i++;
            continue;
        }
        if (n == MAP_NONE) {
            token.place = call->name.place; /* 2 */
            token.start = call->name.start;
            token.end = call->end;
            token.from_macro = true;
            token.begins_line = false;
            append(p, out, &token, 1, pasted, call->name.place);
        } else {
            const struct token_list *given =
                pasted || is_paste(macro, i + 1) ? &call->given[n] : argument(p, a, n);
            append(p, out, given->list.data, given->list.len, pasted, call->name.place);
        }
        pasted = false;
    }
}

static void replace(struct macros *p, uint32_t index, struct call *call)
{
    struct token_list body = {0};
    struct arguments a = {.call = call};
    if (call->count) {
        a.expanded = mem_alloc(p->mem, call->count * sizeof *a.expanded);
        a.done = mem_alloc(p->mem, call->count * sizeof *a.done);
    }
    substitute(p, index, &a, &body);
    for (uint32_t i = 0; i < call->count; i++) vec_free(p->mem, &a.expanded[i].list);
    mem_free(p->mem, a.expanded);
    mem_free(p->mem, a.done);
    if (p->streams.len >= PREPROCESS_MOST_NESTED && !p->failed)
        preprocess_fail(p, call->name.place, "macros are nested too deeply: more than %d levels",
                        PREPROCESS_MOST_NESTED);
    if (p->failed) vec_free(p->mem, &body.list);
    else push_stream(p, &body, index, false);
}

/* Replaces the macro whose name was just taken; false when the name stays. */
static bool expand_name(struct macros *p, uint32_t index, const struct token *name)
{
    struct call call = {.name = *name, .end = name->end};
    bool good = true;
    if (p->macros.data[index].has_parameters) {
        if (!open_follows(p)) return false;
        p->collecting++;
        good = collect(p, &call);
        p->collecting--;
        uint32_t given = call.count;
        good = good && check_count(p, &p->macros.data[index], &call);
        if (!call.count && given) {
            mem_free(p->mem, call.given);
            call.given = NULL;
        }
    }
    if (good && !name->from_macro)
        diag_add_expansion(p->diag, name->place, p->macros.data[index].name,
                           p->macros.data[index].place);
    if (good) replace(p, index, &call);
    free_call(p, &call);
    return true;
}

void macros_next(struct macros *p, struct token *token)
{
    for (;;) {
        take(p, token);
        if (p->failed || token->no_macro || !token_is_word(token)) return;
        uint32_t index = macros_find(p, token->text);
        if (index == MAP_NONE) return;
        if (p->macros.data[index].busy) {
            token->no_macro = true;
            return;
        }
        if (!expand_name(p, index, token)) return;
    }
}

void macros_free(struct macros *p)
{
    while (p->streams.len) pop_stream(p);
    for (uint32_t i = 0; i < p->macros.len; i++) free_macro(p, &p->macros.data[i]);
    vec_free(p->mem, &p->macros);
    vec_free(p->mem, &p->streams);
    mem_free(p->mem, p->index.entries);
}
