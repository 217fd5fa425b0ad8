/* The syntax of UPPAAL: what is read as what, where it stands, what version 3 means, which queries
 * are refused, memory that is refused. */
#include "lang/uppaal/parse.h"
#include "unit/reading.h"

#include <setjmp.h>

struct reader {
    struct reading in;
    struct uppaal_file file;
    bool good;
};

static void start(struct reader *reader)
{
    memset(reader, 0, sizeof *reader);
    reading_start(&reader->in);
}

static void finish(struct reader *reader) { reading_free(&reader->in); }

static void parse(struct reader *reader, uint32_t source)
{
    reader->good = uppaal_parse(&reader->in.diag, &reader->in.names, &reader->in.arena,
                                &reader->in.mem, source, &reader->file);
}

static void read_named(struct reader *reader, const char *name, const char *text)
{
    start(reader);
    parse(reader, diag_add_source(&reader->in.diag, name, text, strlen(text)));
    reading_end(&reader->in);
}

/* ---- shapes of expressions ---- */

static const char *const words[UPPAAL_OPS] = {
    [UPPAAL_NOT] = "!",
    [UPPAAL_NEGATE] = "-",
    [UPPAAL_PLUS] = "+",
    [UPPAAL_PRE_INCREASE] = "++_",
    [UPPAAL_PRE_DECREASE] = "--_",
    [UPPAAL_POST_INCREASE] = "_++",
    [UPPAAL_POST_DECREASE] = "_--",
    [UPPAAL_POWER] = "**",
    [UPPAAL_MUL] = "*",
    [UPPAAL_DIV] = "/",
    [UPPAAL_MOD] = "%",
    [UPPAAL_ADD] = "+",
    [UPPAAL_SUB] = "-",
    [UPPAAL_SHIFT_LEFT] = "<<",
    [UPPAAL_SHIFT_RIGHT] = ">>",
    [UPPAAL_MIN] = "<?",
    [UPPAAL_MAX] = ">?",
    [UPPAAL_LT] = "<",
    [UPPAAL_LE] = "<=",
    [UPPAAL_GE] = ">=",
    [UPPAAL_GT] = ">",
    [UPPAAL_EQ] = "==",
    [UPPAAL_NE] = "!=",
    [UPPAAL_BIT_AND] = "&",
    [UPPAAL_BIT_XOR] = "^",
    [UPPAAL_BIT_OR] = "|",
    [UPPAAL_AND] = "and",
    [UPPAAL_OR] = "or",
    [UPPAAL_XOR] = "xor",
    [UPPAAL_IMPLY] = "imply",
    [UPPAAL_FORALL] = "forall",
    [UPPAAL_EXISTS] = "exists",
    [UPPAAL_SUM] = "sum",
};

static const char *word_of(const struct uppaal_exp *exp)
{
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_CALL: return "call";
    case UPPAAL_EXP_INDEX: return "index";
    case UPPAAL_EXP_FIELD: return "field";
    case UPPAAL_EXP_CONDITIONAL: return "?";
    case UPPAAL_EXP_RATE: return "rate";
    case UPPAAL_EXP_LIST: return "list";
    case UPPAAL_EXP_SETTING: return "set";
    default: return words[exp->op];
    }
}

/* (operator operand ...): nothing is left to precedences. */
static void print_shape(struct text *out, const struct uppaal_exp *exp)
{
    const struct uppaal_exp *operands[] = {exp->a, exp->b, exp->c};
    if (exp->kind == UPPAAL_EXP_NUMBER) text_add(out, "%u", (unsigned)exp->number);
    else if (exp->kind == UPPAAL_EXP_BOOL) text_add(out, exp->number ? "true" : "false");
    else if (exp->kind == UPPAAL_EXP_DEADLOCK) text_add(out, "DEADLOCK");
    else if (exp->kind == UPPAAL_EXP_NAME) text_add(out, "%s", exp->name);
    else {
        if (exp->kind == UPPAAL_EXP_ASSIGN)
            text_add(out, "(%s:=", exp->is_plain ? "" : words[exp->op]);
        else text_add(out, "(%s", word_of(exp));
        if (exp->name) text_add(out, " %s", exp->name);
        for (unsigned i = 0; i < 3; i++)
            if (operands[i]) {
                text_add(out, " ");
                print_shape(out, operands[i]);
            }
        for (const struct uppaal_exp *arg = exp->args; arg; arg = arg->next) {
            text_add(out, " ");
            print_shape(out, arg);
        }
        text_add(out, ")");
    }
}

static void check_exp(struct unit *unit, const char *text, const char *expected)
{
    struct reader reader;
    struct text source, printed;
    start(&reader);
    text_init(&source, &reader.in.mem);
    text_init(&printed, &reader.in.mem);
    text_add(&source, "int c = %s;\nsystem P;", text);
    parse(&reader, diag_add_source(&reader.in.diag, "test", source.data, source.len));
    reading_end(&reader.in);
    if (reader.good) print_shape(&printed, reader.file.decls->variable->init);
    expect_text(unit, text, reader.good ? printed.data : reader.in.told, expected);
    finish(&reader);
}

static void test_expressions(struct unit *unit)
{
    static const char *const cases[][2] = {
        {"1 + 2 * 3", "(+ 1 (* 2 3))"},
        {"1 - 2 - 3", "(- (- 1 2) 3)"},
        {"a ** b ** c", "(** (** a b) c)"},
        {"-a ** b", "(** (- a) b)"},
        {"a * -b", "(* a (- b))"},
        {"a - - b", "(- a (- b))"},
        {"a << b + c", "(<< a (+ b c))"},
        {"a <? b << c", "(<? a (<< b c))"},
        {"a < b <? c", "(< a (<? b c))"},
        {"a == b < c", "(== a (< b c))"},
        {"a & b == c", "(& a (== b c))"},
        {"a ^ b & c | d", "(| (^ a (& b c)) d)"},
        {"a && b | c", "(and a (| b c))"},
        {"a || b && c", "(or a (and b c))"},
        {"a imply b imply c", "(imply (imply a b) c)"},
        {"a or b imply c", "(imply (or a b) c)"},
        {"a imply b or c", "(or (imply a b) c)"},
        {"a xor b imply c and d", "(imply (xor a b) (and c d))"},
        {"not a == b", "(== (! a) b)"},
        {"!a && b", "(and (! a) b)"},
        {"a ? b : c ? d : e", "(? a b (? c d e))"},
        {"a imply b ? c : d", "(? (imply a b) c d)"},
        {"a = b = c", "(:= a (:= b c))"},
        {"a := b += c", "(:= a (+:= b c))"},
        {"a ? b : c = d", "(:= (? a b c) d)"},
        {"a = b ? c : d", "(:= a (? b c d))"},
        {"a <<= b >>= c", "(<<:= a (>>:= b c))"},
        {"forall (i : t) a && b imply c", "(forall i (imply (and a b) c))"},
        {"a && exists (i : int[0, 3]) b || c", "(and a (exists i (or b c)))"},
        {"!forall (i : t) a || b", "(! (forall i (or a b)))"},
        {"(sum (i : t) a) <= 1", "(<= (sum i a) 1)"},
        {"sum (i : t) a <= 1", "(sum i (<= a 1))"},
        {"forall (i : t) forall (j : t) i == j", "(forall i (forall j (== i j)))"},
        {"a[1][b].c", "(field c (index (index a 1) b))"},
        {"f(a, b + 1)", "(call f a (+ b 1))"},
        {"f() + abs(a)", "(+ (call f) (call abs a))"},
        {"a++ + ++b", "(+ (_++ a) (++_ b))"},
        {"a-- - --b", "(- (_-- a) (--_ b))"},
        {"-2147483648", "(- 2147483648)"},
        {"2147483647", "2147483647"},
        {"007", "7"},
        {"{1, {a, b}, {n : 2, m : {3}}}", "(list 1 (list a b) (list (set n 2) (set m (list 3))))"},
        {"a =< b", "(<= a b)"},
        {"a /* b */ + // c\n d", "(+ a d)"},
        {"x$1 + y#2", "(+ x$1 y#2)"},
        {"A.sup + inf + deadlock", "(+ (+ (field sup A) inf) deadlock)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_exp(unit, cases[i][0], cases[i][1]);
}

/* ---- queries ---- */

static void check_query(struct unit *unit, const char *text, const char *expected)
{
    struct reader reader;
    struct text printed;
    start(&reader);
    text_init(&printed, &reader.in.mem);
    const struct uppaal_query *query =
        uppaal_parse_queries(&reader.in.diag, &reader.in.names, &reader.in.arena, &reader.in.mem,
                             diag_add_source(&reader.in.diag, "test", text, strlen(text)));
    reading_end(&reader.in);
    for (; query; query = query->next) {
        text_add(&printed, "[%u", query->refused ? 9 : query->kind);
        if (query->refused)
            text_add(&printed, " %u:%u %s", query->refused_place.line, query->refused_place.column,
                     diag_code_word(query->refused_code));
        const struct uppaal_exp *parts[] = {query->p, query->q};
        for (unsigned i = 0; i < 2 && !query->refused; i++)
            if (parts[i]) {
                text_add(&printed, " ");
                print_shape(&printed, parts[i]);
            }
        for (const struct uppaal_exp *term = query->terms; term && !query->refused;
             term = term->next) {
            text_add(&printed, " : ");
            print_shape(&printed, term);
        }
        text_add(&printed, "]");
    }
    CHECK(unit, !reader.in.told_length);
    expect_text(unit, text, printed.data ? printed.data : "", expected);
    finish(&reader);
}

static void test_queries(struct unit *unit)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"// nothing\n/* at\nall */\n", ""},
        {"A[] p", "[0 p]"},
        {"E<> p", "[1 p]"},
        {"E[] p", "[2 p]"},
        {"A<> p", "[3 p]"},
        {"p --> q", "[4 p q]"},
        {"A[] not deadlock", "[0 (! DEADLOCK)]"},
        {"A[]forall (i : t) P(i).x < 3", "[0 (forall i (< (field x (call P i)) 3))]"},
        {"E<> P.f() && A.cs", "[1 (and (call (field f P)) (field cs A))]"},
        {"A.cs --> E[2] == 3", "[4 (field cs A) (== (index E 2) 3)]"},
        {"sup: x, y + 1", "[5 : x : (+ y 1)]"},
        {"inf{p && q}: x", "[6 (and p q) : x]"},
        {"bounds{p}: x", "[7 p : x]"},
        {"sup --> inf", "[4 sup inf]"},
        {"A[] p\nE<> q", "[0 p][1 q]"},
        {"A[] p \\\n && q\n\n// c\nE<> r", "[0 (and p q)][1 r]"},
        {"A[] p &&\nE<> q", "[9 1:9 syntax][1 q]"},
        {"A[] p;\n", "[0 p]"},
        {"p", "[9 1:1 syntax]"},
        {"p;", "[9 1:1 syntax]"},
        {"p; q", "[9 1:1 syntax]"},
        {"A[] p q", "[9 1:7 syntax]"},
        {"A[] (p && A<> q)", "[9 1:11 unsupported]"},
        {"A[] p --> q", "[9 1:7 unsupported]"},
        {"A[p U q]", "[9 1:1 unsupported]"},
        {"E[<=10; 5](max: x)", "[9 1:1 unsupported]"},
        {"E[x<=10; 5](max: x)", "[9 1:1 unsupported]"},
        {"Pr[#<=1000](<> p)", "[9 1:1 unsupported]"},
        {"Pr.x --> q", "[4 (field x Pr) q]"},
        {"simulate 1 [<=1e3] {x, 1.5}", "[9 1:1 unsupported]"},
        {"control: A<> p", "[9 1:1 unsupported]"},
        {"strategy S = control: A<> p", "[9 1:1 unsupported]"},
        {"saveStrategy(\"f\", S)", "[9 1:1 unsupported]"},
        {"{a, b} control: A<> p", "[9 1:1 unsupported]"},
        {"E<> p under S", "[9 1:7 unsupported]"},
        {"E<> x' == 0", "[9 1:5 unsupported]"},
        {"E<> x > 1.5", "[9 1:9 unsupported]"},
        {"E<> p @ q\nE<> r", "[9 1:7 character][1 r]"},
        {"@\nE<> r", "[9 1:1 character][1 r]"},
        {"E<> r\n@", "[9 2:1 character]"}, /* it may belong to it */
        {"@", "[9 1:1 character]"},
        {"E<> 2147483648 < x", "[9 1:5 number]"},
        {"A[] p => q", "[9 1:7 dialect]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_query(unit, cases[i][0], cases[i][1]);
}

/* More errors than are kept: nothing behind them is read as if it were right. */
static void test_many_errors(struct unit *unit)
{
    struct reader reader;
    struct text text;
    uint32_t wrong = 0, good = 0;
    start(&reader);
    text_init(&text, &reader.in.mem);
    text_add(&text, "A[] first\n");
    for (unsigned i = 0; i < 50; i++) text_add(&text, "A[] p @ q\n");
    const struct uppaal_query *query =
        uppaal_parse_queries(&reader.in.diag, &reader.in.names, &reader.in.arena, &reader.in.mem,
                             diag_add_source(&reader.in.diag, "test", text.data, text.len));
    reading_end(&reader.in);
    for (; query; query = query->next) {
        if (query->refused) wrong++;
        else good++;
    }
    CHECK(unit, wrong == 50 && good == 1);
    finish(&reader);
}

/* ---- files ---- */

static const char xml[] =
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n"
    "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'nowhere.dtd'>\n"
    "<nta><declaration>clock x; // caf\xE9\n"
    "const int N = 3; chan c[N];</declaration>\n"
    "<template><name>T</name><parameter>int[0,3] i, clock &amp;z</parameter>\n"
    "<declaration>int v = 2; void f() { v++; }</declaration>\n"
    "<location id=\"id0\"><name>A</name><label kind=\"exponentialrate\">1.5</label>\n"
    "<label kind=\"invariant\">x &lt;= N &amp;&amp; v &gt; 0</label><urgent/></location>\n"
    "<location id=\"id1\"><committed/></location><branchpoint id=\"id2\"/><init ref=\"id0\"/>\n"
    "<transition><source ref=\"id0\"/><target ref=\"id2\"/>\n"
    "<label kind=\"assignment\"><![CDATA[x = 0, f()]]></label><label kind=\"guard\">  </label>\n"
    "<label kind=\"synchronisation\">c[i]!</label><label kind=\"select\">k : int[0,1]</label>\n"
    "</transition><transition><source ref=\"id2\"/><target ref=\"id1\"/>\n"
    "<label kind=\"probability\">3</label></transition></template>\n"
    "<system>P(const int[0,3] i) = T(i, x);\nsystem P;</system>\n"
    "<queries><option key=\"a\" value=\"b\"/><query><formula>  </formula></query>\n"
    "<query><formula>A[] x &lt; 5</formula><comment>why &amp; how</comment>\n"
    "<expect outcome=\"failure\" type=\"quality\"/></query>\n"
    "<query><formula>Pr[&lt;=5](&lt;&gt; p)</formula></query></queries></nta>\n";

static bool is_at(struct place place, uint32_t line, uint32_t column)
{
    return place.line == line && place.column == column;
}

static void test_document(struct unit *unit)
{
    struct reader reader;
    read_named(&reader, "test.xml", xml);
    CHECK(unit, reader.good && !reader.in.told_length);
    const struct uppaal_decl *decl = reader.file.decls;
    while (decl && decl->kind != UPPAAL_DECL_TEMPLATE) decl = decl->next;
    CHECK(unit, decl && !strcmp(decl->name, "T") && is_at(decl->place, 5, 17));
    if (!decl) return;
    const struct uppaal_template *template = decl->template;
    const struct uppaal_location *a = template->locations, *b = a->next, *point = b->next;
    CHECK(unit, !template->parameters->by_reference && template->parameters->next->by_reference);
    CHECK(unit, template->init == a && a->urgent && !a->committed && !strcmp(a->name, "A"));
    CHECK(unit, is_at(a->invariant->place, 8, 25) && is_at(a->invariant->b->place, 8, 46));
    CHECK(unit, !b->name && b->committed && !strcmp(b->shown, "_id1") && point->is_branchpoint);
    const struct uppaal_edge *edge = template->edges;
    CHECK(unit, edge->source == a && edge->target == point && !edge->guard);
    CHECK(unit, edge->sync == UPPAAL_SYNC_SEND && edge->channel->kind == UPPAAL_EXP_INDEX);
    CHECK(unit, is_at(edge->updates->place, 11, 35) && edge->updates->next);
    CHECK(unit, !strcmp(edge->selects->name, "k"));
    CHECK(unit, edge->next->weight && edge->next->source == point && !edge->next->next);
    const struct uppaal_query *query = reader.file.queries;
    CHECK(unit, query->outcome == UPPAAL_OUTCOME_FAILURE && !strcmp(query->comment, "why & how"));
    CHECK(unit, !strcmp(query->text, "A[] x < 5") && is_at(query->place, 18, 17));
    CHECK(unit, query->next->refused && query->next->refused_code == DIAG_UNSUPPORTED);
    CHECK(unit, !query->next->next);
    CHECK(unit, !strcmp(reader.file.system->name, "P"));
    finish(&reader);
}

/* The same three parameters in both syntaxes. */
static void test_old(struct unit *unit)
{
    static const char body[] = "{ state A { x <= 3, v > 0 }; init A; trans A -> A { guard x > 1, "
                               "v < n; assign v := 0; }; }";
    static const struct {
        const char *head, *name;
        bool by_reference, is_old;
    } cases[] = {
        {"process P(int v; clock x; const n)", "test.xta", true, true},
        {"process P(int v, u; clock x; const n)", "test.xta", true, true},
        {"const N 5;\nprocess P(int v)", "test.xta", true, true},
        {"const N 5, M 6;\nprocess P(int v)", "test.xta", true, true},
        {"process P(int v)", "test.ta", true, true},
        {"process P(int v, clock &x, const int n)", "test.xta", false, false},
        {"const int N = 5;\nprocess P(int v)", "test.xta", false, false},
        {"typedef int[0,3] t; const t N = 5;\nprocess P(t v)", "test.xta", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reader reader;
        char text[400];
        snprintf(text, sizeof text, "%s %s system P;", cases[i].head, body);
        read_named(&reader, cases[i].name, text);
        CHECK(unit, reader.good && reader.file.is_old == cases[i].is_old);
        const struct uppaal_decl *decl = reader.file.decls;
        while (reader.good && decl->kind != UPPAAL_DECL_TEMPLATE) decl = decl->next;
        if (reader.good) {
            const struct uppaal_variable *last = decl->template->parameters;
            CHECK(unit, last->by_reference == cases[i].by_reference);
            while (last->next) last = last->next;
            CHECK(unit, strcmp(last->name, "n") || !last->by_reference);
            CHECK(unit, decl->template->locations->invariant->op == UPPAAL_AND);
        } else printf("  %s\n  %s\n", text, reader.in.told);
        finish(&reader);
    }
}

/* A rate of 1 can stand in an invariant, either way round. */
static void test_rates(struct unit *unit)
{
    struct reader reader;
    struct text printed;
    read_named(&reader, "test.xta",
               "process P() { state A { x' == 1 && y <= 3 && 1 == z[2]' }; init A; } system P;");
    CHECK(unit, reader.good);
    text_init(&printed, &reader.in.mem);
    if (reader.good) print_shape(&printed, reader.file.decls->template->init->invariant);
    expect_text(unit, "rates", reader.good ? printed.data : reader.in.told,
                "(and (and (rate x 1) (<= y 3)) (rate (index z 2) 1))");
    finish(&reader);
}

static void test_ranks(struct unit *unit)
{
    struct reader reader;
    read_named(&reader, "test.xta",
               "chan a, b[2], priority; chan priority a < default, b[1] < b[0];\n"
               "system P, Q < R;");
    CHECK(unit, reader.good);
    const struct uppaal_decl *decl = reader.file.decls;
    while (decl && decl->kind != UPPAAL_DECL_PRIORITY) decl = decl->next;
    CHECK(unit, decl != NULL);
    for (const struct uppaal_ranked *one = decl ? decl->ranks : NULL; one; one = one->next)
        CHECK(unit, one->rank
                        == (!one->channel || (one->channel->b && one->channel->b->number == 1) ? 1u
                            : one->channel->b                                                  ? 2u
                                              : 0u));
    CHECK(unit, !reader.file.system->rank && !reader.file.system->next->rank);
    CHECK(unit, reader.file.system->next->next->rank == 1);
    finish(&reader);
}

/* Texts that would cost much stack or time. */
static void test_nesting(struct unit *unit)
{
    static const char *const pieces[][3] = {
        {"int x = ", "(", "nested too deeply"},     {"int x = ", "-", "nested too deeply"},
        {"int x = ", "a[", "nested too deeply"},    {"int x = ", "{", "nested too deeply"},
        {"int x = ", "1 ? 1 : ", "nested too"},     {"int x = ", "a = ", "nested too deeply"},
        {"int x = 1", " + 1", "nested too deeply"}, {"void f() ", "{", "nested too deeply"},
        {"void f() { ", "if (1) ", "nested too"},   {"", "struct {", "nested too deeply"},
        {"int x = ", "sum (i : int[0,", "nested"},  {"int x = a", "[1]", "nested too deeply"},
        {"<nta>", "<a>", "nested too deeply"},      {"chan priority a", "[1]", "dimensions"},
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct reader reader;
        struct text text;
        start(&reader);
        text_init(&text, &reader.in.mem);
        text_add(&text, "%s", pieces[i][0]);
        for (unsigned n = 0; n < 100000; n++) text_add(&text, "%s", pieces[i][1]);
        parse(&reader, diag_add_source(&reader.in.diag, "test", text.data, text.len));
        reading_end(&reader.in);
        bool told = !reader.good && strstr(reader.in.told, pieces[i][2]);
        CHECK(unit, told);
        if (!told) printf("  %s%s: %.200s\n", pieces[i][0], pieces[i][1], reader.in.told);
        finish(&reader);
    }
}

/* ---- refused memory ---- */

/* Whether the n-th allocation, which fails, was reached. */
static bool is_refused(uint64_t n, const char *text)
{
    struct reader reader;
    jmp_buf recover;
    volatile bool refused = true;
    start(&reader);
    uint32_t source = diag_add_source(&reader.in.diag, "test", text, strlen(text));
    reader.in.mem.recover = &recover;
    reader.in.mem.fail_at = reader.in.mem.allocations + n;
    if (!setjmp(recover)) {
        parse(&reader, source);
        refused = !reader.good;
    }
    refused |= reader.in.mem.allocations >= reader.in.mem.fail_at;
    reader.in.mem.recover = NULL;
    reading_end(&reader.in);
    finish(&reader);
    return refused;
}

static void test_refusal(struct unit *unit)
{
    uint64_t n = 1;
    while (is_refused(n, xml)) n++;
    CHECK(unit, n > 20);
}

/* Texts cut short anywhere do not break the parser. */
static void test_cuts(struct unit *unit)
{
    unsigned good = 0;
    for (size_t i = 0; i < sizeof xml - 1; i++) {
        struct reader reader;
        start(&reader);
        parse(&reader, diag_add_source(&reader.in.diag, "test", xml, i));
        reading_end(&reader.in);
        good += reader.good;
        CHECK(unit, reader.good || reader.in.told_length);
        finish(&reader);
    }
    CHECK(unit, good == 1); /* without the newline at its end */
}

int main(void)
{
    struct unit unit = {0};
    test_expressions(&unit);
    test_queries(&unit);
    test_many_errors(&unit);
    test_document(&unit);
    test_old(&unit);
    test_rates(&unit);
    test_ranks(&unit);
    test_nesting(&unit);
    test_cuts(&unit);
    test_refusal(&unit);
    return unit_finish(&unit);
}
