/* The reader of HOA. Tokens are made as they are needed; the grammar has one point where parts
 * nest, labels, and their nesting is bounded.
 *
 * States may come in any order and refer to states further on, so edges are collected first and
 * sorted by their source in the end. Labels are turned into cubes when they are read; what that may
 * cost is bounded by a budget for the whole file, because aliases can name exponentially large
 * formulas. */
#include "automaton/buchi/hoa.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum {
    MAX_STATES = 1 << 20,
    MAX_EDGES = 1 << 22,
    MAX_ALIASES = 1 << 12,
    MAX_NESTING = 200,
    MAX_CUBES = 1 << 12,
    MAX_WORK = 20000000,
    MAX_IMPLICIT = 16
};

enum kind { END, HEADER, NAME, ALIAS, NUMBER, STRING, MARK_BODY, MARK_END, MARK_ABORT, SIGN, BAD };

enum label_op { LABEL_CONSTANT, LABEL_PROPOSITION, LABEL_NOT, LABEL_AND, LABEL_OR };

struct label {
    uint8_t op;
    uint32_t a, b; /* of a constant: its value; of a proposition: its number in the file */
    uint32_t height;
};

struct cubes {
    struct automaton_edge *data; /* only the cubes of the edges count */
    uint32_t len, cap;
};

struct alias {
    const char *name;
    uint32_t label;
};

struct found_edge {
    uint32_t source;
    struct automaton_edge edge;
};

struct hoa {
    struct diag *diag;
    struct alphabet *alphabet;
    struct mem *mem;
    uint32_t source, line, column;
    const char *at, *end, *counted;
    struct {
        enum kind kind;
        struct place place;
        const char *text;
        uint64_t number;
        char sign;
    } token;
    bool failed;
    uint64_t work;

    bool has_states, has_propositions, has_acceptance, accepts_nothing;
    uint32_t states; /* declared */
    uint32_t sets;   /* declared: marks in the file are below this */
    uint32_t nesting;
    VEC(uint32_t) propositions; /* number in the alphabet, by number in the file */
    VEC(uint32_t) starts;
    VEC(struct label) labels;
    VEC(struct alias) aliases;
    VEC(uint32_t) wanted; /* the Inf of the condition: 2 * set, + 1 when complemented */
    VEC(struct found_edge) edges;
    VEC(bool) defined; /* per state */
};

/* ---- errors and tokens ---- */

static void fail_at(struct hoa *h, struct place place, const char *what, const char *found)
{
    if (!h->failed)
        diag_error(h->diag, DIAG_SYNTAX, place, "%s%s%.40s", what, found ? ", found " : "",
                   found ? found : "");
    h->failed = true;
}

static void fail(struct hoa *h, const char *what)
{
    if (h->failed) return; /* only the first error is told: the rest would follow from it */
    static const char *const shown[BAD + 1] = {[END] = "the end of the file",
                                               [MARK_BODY] = "--BODY--",
                                               [MARK_END] = "--END--",
                                               [MARK_ABORT] = "--ABORT--"};
    char sign[4] = {'\'', h->token.sign, '\'', 0};
    const char *found = h->token.kind == SIGN ? sign
                        : h->token.text       ? h->token.text
                                              : shown[h->token.kind];
    fail_at(h, h->token.place, what, found ? found : "something else");
}

static void refuse(struct hoa *h, const char *what) { fail_at(h, h->token.place, what, NULL); }

/* Columns are counted as reading goes on: long lines stay linear. */
static struct place place_of(struct hoa *h)
{
    for (; h->counted < h->at; h->counted++)
        h->column += ((unsigned char)*h->counted & 0xC0) != 0x80;
    return (struct place){h->source, h->line, h->column};
}

static void skip_blank(struct hoa *h)
{
    unsigned depth = 0;
    struct place opened = {0};
    for (; h->at < h->end; h->at++) {
        bool pair = h->end - h->at > 1;
        if (pair && h->at[0] == '/' && h->at[1] == '*') {
            if (!depth++) opened = place_of(h);
            h->at++;
        } else if (depth && pair && h->at[0] == '*' && h->at[1] == '/') {
            depth--;
            h->at++;
        } else if (*h->at == '\n') {
            h->line++;
            h->counted = h->at + 1;
            h->column = 1;
        } else if (!depth && !strchr(" \t\r\f", *h->at)) {
            return;
        } else if (!depth && !*h->at) {
            return; /* strchr finds the byte 0, too */
        }
    }
    if (depth) fail_at(h, opened, "this comment does not end", NULL);
}

static bool is_name_part(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-'; }

static const char *take(struct hoa *h, const char *start)
{
    return names_intern(h->alphabet->names, start, (size_t)(h->at - start));
}

static void read_string(struct hoa *h)
{
    struct text text;
    text_init(&text, h->mem);
    text_add(&text, "%s", "");
    for (h->at++; h->at < h->end && *h->at != '"'; h->at++) {
        if (*h->at == '\\' && h->end - h->at > 1) h->at++;
        if ((unsigned char)*h->at < 0x20 || *h->at == 0x7F) break;
        text_add(&text, "%c", *h->at);
    }
    h->token.kind = STRING;
    h->token.text = names_intern(h->alphabet->names, text.data, text.len);
    text_free(&text);
    if (h->at >= h->end || *h->at != '"')
        refuse(h, "this string does not end on its line, or has a control character in it");
    else h->at++;
}

static void read_number(struct hoa *h)
{
    const char *start = h->at;
    h->token.number = 0;
    h->token.kind = NUMBER;
    for (; h->at < h->end && isdigit((unsigned char)*h->at); h->at++)
        if (h->token.number < UINT32_MAX)
            h->token.number = h->token.number * 10 + (uint64_t)(*h->at - '0');
    h->token.text = take(h, start);
}

static bool read_mark(struct hoa *h)
{
    static const struct {
        const char *text;
        enum kind kind;
    } marks[] = {{"--BODY--", MARK_BODY}, {"--END--", MARK_END}, {"--ABORT--", MARK_ABORT}};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i].text);
        if ((size_t)(h->end - h->at) < length || memcmp(h->at, marks[i].text, length)) continue;
        h->at += length;
        h->token.kind = marks[i].kind;
        return true;
    }
    return false;
}

static void read_word(struct hoa *h)
{
    const char *start = h->at;
    bool alias = *h->at == '@';
    for (h->at++; h->at < h->end && is_name_part(*h->at);) h->at++;
    h->token.text = take(h, start);
    h->token.kind = alias ? ALIAS : NAME;
    if (!alias && h->at < h->end && *h->at == ':') {
        h->at++;
        h->token.kind = HEADER;
    }
}

static void advance(struct hoa *h)
{
    skip_blank(h);
    h->token.place = place_of(h);
    h->token.text = NULL;
    h->token.sign = 0;
    if (h->failed || h->at >= h->end) h->token.kind = END;
    else if (isalpha((unsigned char)*h->at) || *h->at == '_' || *h->at == '@') read_word(h);
    else if (isdigit((unsigned char)*h->at)) read_number(h);
    else if (*h->at == '"') read_string(h);
    else if (*h->at == '-' && read_mark(h)) return;
    else if (*h->at && strchr("![]{}()&|", *h->at)) h->token.kind = SIGN, h->token.sign = *h->at++;
    else {
        h->token.kind = BAD;
        refuse(h, "unexpected character");
    }
}

static bool is_sign(const struct hoa *h, char sign)
{
    return h->token.kind == SIGN && h->token.sign == sign;
}

static bool accept(struct hoa *h, char sign)
{
    if (!is_sign(h, sign)) return false;
    advance(h);
    return true;
}

static void expect(struct hoa *h, char sign)
{
    char what[] = "expected ' '";
    what[10] = sign;
    if (!accept(h, sign)) fail(h, what);
}

static bool is_name(const struct hoa *h, const char *name)
{
    return h->token.kind == NAME && !strcmp(h->token.text, name);
}

/* A number below the limit. */
static uint32_t read_count(struct hoa *h, uint32_t limit, const char *what, const char *too_large)
{
    uint64_t number = h->token.number;
    if (h->token.kind != NUMBER) return fail(h, what), 0;
    if (number >= limit) return refuse(h, too_large), 0;
    advance(h);
    return (uint32_t)number;
}

/* ---- labels ---- */

static uint32_t add_label(struct hoa *h, enum label_op op, uint32_t a, uint32_t b)
{
    struct label label = {(uint8_t)op, a, b, 1};
    if (h->failed) return 0;
    if (op >= LABEL_NOT) {
        uint32_t left = h->labels.data[a].height, right = h->labels.data[b].height;
        label.height = 1 + (left > right ? left : right);
        if (label.height > MAX_NESTING) refuse(h, "this label is nested too deeply");
    }
    if (h->failed) return 0;
    vec_push(h->mem, &h->labels, label);
    return h->labels.len - 1;
}

static uint32_t read_label(struct hoa *h);

static uint32_t read_alias(struct hoa *h)
{
    for (uint32_t i = h->aliases.len; i-- > 0;)
        if (h->aliases.data[i].name == h->token.text) {
            advance(h);
            return h->aliases.data[i].label;
        }
    return fail(h, "expected an alias that was defined before"), 0;
}

static uint32_t read_label_part(struct hoa *h)
{
    if (++h->nesting > MAX_NESTING) refuse(h, "this label is nested too deeply");
    uint32_t label = 0;
    if (h->failed) label = 0;
    else if (accept(h, '!'))
        label = read_label_part(h), label = add_label(h, LABEL_NOT, label, label);
    else if (accept(h, '(')) label = read_label(h), expect(h, ')');
    else if (h->token.kind == ALIAS) label = read_alias(h);
    else if (is_name(h, "t") || is_name(h, "f"))
        label = add_label(h, LABEL_CONSTANT, h->token.text[0] == 't', 0), advance(h);
    else {
        uint32_t number = read_count(h, h->propositions.len, "expected a label",
                                     "there is no proposition with this number");
        label = add_label(h, LABEL_PROPOSITION, number, 0);
    }
    assert(h->nesting);
    h->nesting--;
    return label;
}

static uint32_t read_conjunction(struct hoa *h)
{
    uint32_t label = read_label_part(h);
    while (!h->failed && accept(h, '&')) label = add_label(h, LABEL_AND, label, read_label_part(h));
    return label;
}

static uint32_t read_label(struct hoa *h)
{
    uint32_t label = read_conjunction(h);
    while (!h->failed && accept(h, '|')) label = add_label(h, LABEL_OR, label, read_conjunction(h));
    return label;
}

static void add_cube(struct hoa *h, struct cubes *cubes, uint64_t positive, uint64_t negative)
{
    struct automaton_edge cube = {.positive = positive, .negative = negative};
    if (positive & negative) return;
    h->work += cubes->len + 1;
    for (uint32_t i = 0; i < cubes->len;) {
        if (automaton_covers(&cubes->data[i], &cube)) return;
        if (automaton_covers(&cube, &cubes->data[i])) cubes->data[i] = cubes->data[--cubes->len];
        else i++;
    }
    if (cubes->len == MAX_CUBES || h->work > MAX_WORK)
        refuse(h, "this label has too many alternatives");
    else vec_push(h->mem, cubes, cube);
}

static void label_cubes(struct hoa *h, uint32_t index, bool negated, struct cubes *to);

static void join_cubes(struct hoa *h, struct label label, bool negated, struct cubes *to)
{
    struct cubes left = {0}, right = {0};
    label_cubes(h, label.a, negated, &left);
    label_cubes(h, label.b, negated, &right);
    for (uint32_t i = 0; i < left.len && !h->failed; i++)
        for (uint32_t j = 0; j < right.len && !h->failed; j++)
            add_cube(h, to, left.data[i].positive | right.data[j].positive,
                     left.data[i].negative | right.data[j].negative);
    vec_free(h->mem, &left);
    vec_free(h->mem, &right);
}

/* Adds the cubes of a label, or of its negation. */
static void label_cubes(struct hoa *h, uint32_t index, bool negated, struct cubes *to)
{
    if (h->failed) return;
    const struct label label = h->labels.data[index];
    assert(label.op < LABEL_NOT || (label.a < index && label.b < index)); /* so that it ends */
    if (++h->work > MAX_WORK) {
        refuse(h, "this label has too many parts");
    } else if (label.op == LABEL_CONSTANT) {
        if ((label.a != 0) != negated) add_cube(h, to, 0, 0);
    } else if (label.op == LABEL_PROPOSITION) {
        uint64_t bit = UINT64_C(1) << h->propositions.data[label.a];
        add_cube(h, to, negated ? 0 : bit, negated ? bit : 0);
    } else if (label.op == LABEL_NOT) {
        label_cubes(h, label.a, !negated, to);
    } else if ((label.op == LABEL_OR) != negated) {
        label_cubes(h, label.a, negated, to);
        label_cubes(h, label.b, negated, to);
    } else {
        join_cubes(h, label, negated, to);
    }
}

/* ---- the head ---- */

static void read_propositions(struct hoa *h)
{
    uint32_t count = read_count(h, AUTOMATON_MAX_PROPOSITIONS + 1,
                                "expected the number of propositions", "more than 64 propositions");
    if (h->has_propositions) refuse(h, "AP: appears twice");
    h->has_propositions = true;
    for (uint32_t i = 0; i < count && !h->failed; i++) {
        if (h->token.kind != STRING) {
            fail(h, "expected the name of a proposition");
            return;
        }
        uint32_t number = alphabet_number(h->alphabet, h->token.text);
        if (number == AUTOMATON_NONE) refuse(h, "more than 64 propositions");
        for (uint32_t j = 0; j < i; j++)
            if (h->propositions.data[j] == number) refuse(h, "this proposition appears twice");
        vec_push(h->mem, &h->propositions, number);
        advance(h);
    }
}

static const char unsupported[] = "this acceptance condition is not supported: only conjunctions "
                                  "of Inf, t and f are (Buchi, generalized-Buchi, all, none)";

static void read_inf(struct hoa *h)
{
    if (is_name(h, "Fin")) refuse(h, unsupported);
    if (!is_name(h, "Inf")) {
        fail(h, "expected Inf, t or f");
        return;
    }
    advance(h);
    expect(h, '(');
    bool complement = accept(h, '!');
    uint32_t set = read_count(h, h->sets, "expected the number of an acceptance set",
                              "there is no acceptance set with this number");
    expect(h, ')');
    if (h->wanted.len >= AUTOMATON_MAX_ACCEPTANCE) refuse(h, "more than 64 acceptance sets");
    else vec_push(h->mem, &h->wanted, 2 * set + complement);
}

/* Parentheses around conjunctions change nothing: they are counted only. */
static void read_condition(struct hoa *h)
{
    uint32_t open = 0;
    do {
        while (accept(h, '(')) open++;
        if (is_name(h, "t")) advance(h);
        else if (is_name(h, "f")) h->accepts_nothing = true, advance(h);
        else read_inf(h);
        while (open && accept(h, ')')) open--;
        if (is_sign(h, '|')) refuse(h, unsupported);
    } while (!h->failed && accept(h, '&'));
    if (open) fail(h, "expected ')'");
}

static void read_acceptance(struct hoa *h)
{
    if (h->has_acceptance) refuse(h, "Acceptance: appears twice");
    h->has_acceptance = true;
    h->sets = read_count(h, AUTOMATON_MAX_ACCEPTANCE + 1, "expected the number of acceptance sets",
                         "more than 64 acceptance sets");
    if (!h->failed) read_condition(h);
}

static void read_start(struct hoa *h)
{
    uint32_t start =
        read_count(h, MAX_STATES, "expected a state", "this state's number is too large");
    if (is_sign(h, '&')) refuse(h, "alternating automata are not supported");
    if (!h->failed) vec_push(h->mem, &h->starts, start);
}

static void read_alias_definition(struct hoa *h)
{
    const char *name = h->token.text;
    if (h->token.kind != ALIAS) {
        fail(h, "expected the name of an alias");
        return;
    }
    if (h->aliases.len == MAX_ALIASES) refuse(h, "more than 4096 aliases");
    for (uint32_t i = 0; i < h->aliases.len; i++)
        if (h->aliases.data[i].name == name) refuse(h, "this alias is defined twice");
    advance(h);
    struct alias alias = {name, read_label(h)};
    if (!h->failed) vec_push(h->mem, &h->aliases, alias);
}

/* Headers that begin with a small letter do not change the meaning; of the others only those known
 * here can be honoured. */
static void skip_header(struct hoa *h, const char *name)
{
    if (isupper((unsigned char)name[0]))
        refuse(h, "this header is not known, and its capital letter says that it matters");
    while (!h->failed && h->token.kind != HEADER && h->token.kind != MARK_BODY
           && h->token.kind != END)
        advance(h);
}

static void check_properties(struct hoa *h)
{
    while (!h->failed && h->token.kind == NAME) {
        if (is_name(h, "univ-branch")) refuse(h, "alternating automata are not supported");
        advance(h);
    }
}

static void read_header(struct hoa *h)
{
    const char *name = h->token.text;
    if (h->token.kind != HEADER) {
        fail(h, "expected a header or --BODY--");
        return;
    }
    if (!strcmp(name, "HOA")) refuse(h, "HOA: inside an automaton");
    advance(h);
    if (!strcmp(name, "States")) {
        if (h->has_states) refuse(h, "States: appears twice");
        h->has_states = true;
        h->states = read_count(h, MAX_STATES + 1, "expected the number of states",
                               "more than a million states");
    } else if (!strcmp(name, "Start")) read_start(h);
    else if (!strcmp(name, "AP")) read_propositions(h);
    else if (!strcmp(name, "Acceptance")) read_acceptance(h);
    else if (!strcmp(name, "Alias")) read_alias_definition(h);
    else if (!strcmp(name, "properties")) check_properties(h);
    else skip_header(h, name);
}

static void read_head(struct hoa *h)
{
    advance(h);
    if (h->token.kind != HEADER || strcmp(h->token.text, "HOA")) {
        fail(h, "expected 'HOA: v1' first");
        return;
    }
    advance(h);
    if (!is_name(h, "v1")) refuse(h, "only version 1 of the format is supported");
    advance(h);
    while (!h->failed && h->token.kind != MARK_BODY) read_header(h);
    if (!h->failed && !h->has_acceptance) refuse(h, "there is no Acceptance: before --BODY--");
    advance(h);
}

/* ---- the body ---- */

static uint64_t read_marks(struct hoa *h)
{
    uint64_t marks = 0;
    if (!accept(h, '{')) return 0;
    while (!h->failed && !is_sign(h, '}'))
        marks |= UINT64_C(1) << (read_count(h, h->sets, "expected an acceptance set or '}'",
                                            "there is no acceptance set with this number")
                                 & 63);
    expect(h, '}');
    return marks;
}

static uint32_t read_state_number(struct hoa *h)
{
    return read_count(h, h->has_states ? h->states : MAX_STATES, "expected a state",
                      "there is no state with this number");
}

static bool read_bracket_label(struct hoa *h, struct cubes *cubes)
{
    if (!accept(h, '[')) return false;
    uint32_t label = read_label(h);
    expect(h, ']');
    label_cubes(h, label, false, cubes);
    return true;
}

/* The marks of the file become those of our condition: one set for every Inf of it. */
static uint64_t wanted_marks(const struct hoa *h, uint64_t marks)
{
    uint64_t wanted = 0;
    for (uint32_t k = 0; k < h->wanted.len; k++)
        wanted |= (uint64_t)((marks >> h->wanted.data[k] / 2 & 1) != (h->wanted.data[k] & 1)) << k;
    return wanted;
}

static void add_edges(struct hoa *h, uint32_t source, uint32_t target, uint64_t marks,
                      const struct cubes *cubes)
{
    for (uint32_t i = 0; i < cubes->len && !h->failed; i++) {
        if (h->edges.len == MAX_EDGES) refuse(h, "more than four million edges");
        struct found_edge found = {source, cubes->data[i]};
        found.edge.marks = wanted_marks(h, marks);
        found.edge.target = target;
        vec_push(h->mem, &h->edges, found);
    }
}

/* The i-th edge without a label reads the letter whose bits are those of i. */
static void implicit_cube(struct hoa *h, uint32_t i, struct cubes *cubes)
{
    uint64_t positive = 0, negative = 0;
    if (h->propositions.len > MAX_IMPLICIT)
        refuse(h, "implicit labels for more than 16 propositions");
    else if (i >> h->propositions.len)
        refuse(h, "a state with implicit labels has more edges than there are letters");
    else {
        for (uint32_t p = 0; p < h->propositions.len; p++)
            *(i >> p & 1 ? &positive : &negative) |= UINT64_C(1) << h->propositions.data[p];
        add_cube(h, cubes, positive, negative);
    }
}

enum labels { LABELS_UNKNOWN, LABELS_STATE, LABELS_EDGE, LABELS_IMPLICIT };

static void read_edge(struct hoa *h, uint32_t source, uint32_t number, uint64_t marks,
                      enum labels *labels, struct cubes *cubes)
{
    bool has_label = is_sign(h, '[');
    enum labels kind = *labels == LABELS_STATE ? LABELS_STATE
                       : has_label             ? LABELS_EDGE
                                               : LABELS_IMPLICIT;
    if (*labels == LABELS_STATE && has_label)
        refuse(h, "a label on an edge of a state that has a label");
    if (*labels != LABELS_UNKNOWN && *labels != kind)
        refuse(h, "edges with and without labels in one state");
    *labels = kind;
    if (kind != LABELS_STATE) cubes->len = 0;
    if (has_label) read_bracket_label(h, cubes);
    else if (kind == LABELS_IMPLICIT) implicit_cube(h, number, cubes);
    uint32_t target = read_state_number(h);
    if (is_sign(h, '&')) refuse(h, "alternating automata are not supported");
    add_edges(h, source, target, marks | read_marks(h), cubes);
}

static void read_state(struct hoa *h)
{
    struct cubes cubes = {0};
    advance(h);
    enum labels labels = read_bracket_label(h, &cubes) ? LABELS_STATE : LABELS_UNKNOWN;
    struct place place = h->token.place;
    uint32_t state = read_state_number(h), count = 0;
    while (!h->failed && h->defined.len <= state) vec_push(h->mem, &h->defined, false);
    if (!h->failed && h->defined.data[state])
        fail_at(h, place, "this state is defined twice", NULL);
    if (!h->failed) h->defined.data[state] = true;
    if (h->token.kind == STRING) advance(h);
    uint64_t marks = read_marks(h);
    while (!h->failed && (h->token.kind == NUMBER || is_sign(h, '[')))
        read_edge(h, state, count++, marks, &labels, &cubes);
    if (labels == LABELS_IMPLICIT && !h->failed && count != UINT32_C(1) << h->propositions.len)
        fail_at(h, place, "a state with implicit labels needs an edge for every letter", NULL);
    vec_free(h->mem, &cubes);
}

static void read_body(struct hoa *h)
{
    while (!h->failed && h->token.kind == HEADER && !strcmp(h->token.text, "State")) read_state(h);
    if (h->token.kind == MARK_ABORT) refuse(h, "the automaton was aborted by its writer");
    if (h->token.kind != MARK_END) fail(h, "expected 'State:', an edge or --END--");
    advance(h);
    if (h->token.kind == HEADER && !strcmp(h->token.text, "HOA"))
        diag_warning(h->diag, DIAG_NEVER, h->token.place,
                     "there are several automata: only the first one is read");
    else if (h->token.kind != END) fail(h, "expected nothing after --END--");
}

/* ---- the automaton ---- */

static int by_source(const struct found_edge *a, const struct found_edge *b)
{
    return a->source < b->source ? -1 : a->source > b->source;
}

/* Merge sort: stable, and never quadratic. */
static void sort_edges(struct hoa *h)
{
    uint32_t n = h->edges.len;
    struct found_edge *from = h->edges.data, *to = mem_alloc(h->mem, (n + (size_t)1) * sizeof *to);
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t low = 0; low < n; low += 2 * width) {
            uint64_t middle = low + width < n ? low + width : n,
                     high = low + 2 * width < n ? low + 2 * width : n, i = low, j = middle;
            for (uint64_t k = low; k < high; k++)
                to[k] = i < middle && (j >= high || by_source(&from[i], &from[j]) <= 0) ? from[i++]
                                                                                        : from[j++];
        }
        struct found_edge *swap = from;
        from = to;
        to = swap;
    }
    h->edges.data = from;
    mem_free(h->mem, to);
}

/* Several initial states, or none: a new one, with the edges of all. */
static void add_initial(struct hoa *h, struct automaton *automaton)
{
    bool *seen = mem_alloc(h->mem, automaton->states.len + 1);
    automaton->initial = automaton_add_state(automaton);
    for (uint32_t i = 0; i < h->starts.len; i++) {
        const struct automaton_state state = automaton->states.data[h->starts.data[i]];
        if (seen[h->starts.data[i]]) continue;
        seen[h->starts.data[i]] = true;
        for (uint32_t e = 0; e < state.edges; e++)
            automaton_add_edge(automaton, automaton->edges.data[state.first + e]);
    }
    mem_free(h->mem, seen);
}

static void build(struct hoa *h, struct automaton *automaton)
{
    uint32_t states = h->has_states ? h->states : h->defined.len, next = 0;
    for (uint32_t e = 0; e < h->edges.len; e++)
        if (h->edges.data[e].edge.target >= states) states = h->edges.data[e].edge.target + 1;
    for (uint32_t i = 0; i < h->starts.len; i++) {
        if (h->starts.data[i] >= states && h->has_states)
            fail_at(h, (struct place){.source = h->source},
                    "there is no state with the number of an initial state", NULL);
        if (h->starts.data[i] >= states) states = h->starts.data[i] + 1;
    }
    if (h->failed) return;
    sort_edges(h);
    for (uint32_t s = 0; s < states; s++) {
        automaton_add_state(automaton);
        for (; next < h->edges.len && h->edges.data[next].source == s; next++)
            if (!h->accepts_nothing) automaton_add_edge(automaton, h->edges.data[next].edge);
    }
    assert(next == h->edges.len); /* every edge has left a state */
    automaton->acceptance = h->wanted.len;
    if (h->starts.len == 1) automaton->initial = h->starts.data[0];
    else add_initial(h, automaton);
}

bool hoa_read(struct diag *diag, uint32_t source, struct alphabet *alphabet,
              struct automaton *automaton)
{
    const struct source *file = &diag->sources.data[source];
    struct hoa h = {.diag = diag,
                    .alphabet = alphabet,
                    .mem = diag->mem,
                    .source = source,
                    .line = 1,
                    .column = 1,
                    .at = file->text,
                    .end = file->text + file->length,
                    .counted = file->text};
    automaton_init(automaton, diag->mem);
    read_head(&h);
    if (!h.failed) read_body(&h);
    if (!h.failed) build(&h, automaton);
    assert(h.failed || automaton_check(automaton));
    vec_free(h.mem, &h.propositions);
    vec_free(h.mem, &h.starts);
    vec_free(h.mem, &h.labels);
    vec_free(h.mem, &h.aliases);
    vec_free(h.mem, &h.wanted);
    vec_free(h.mem, &h.edges);
    vec_free(h.mem, &h.defined);
    return !h.failed;
}
