/* The syntax of Fiacre: what is read as what, what is printed, what is told about errors,
 * limits. */
#include "lang/fiacre/ast.h"
#include "unit/reading.h"

#include <setjmp.h>

struct reader {
    struct reading in;
    struct fiacre_file file;
    struct fiacre_property property;
    bool good;
};

static void start(struct reader *reader)
{
    memset(reader, 0, sizeof *reader);
    reading_start(&reader->in);
}

static void finish(struct reader *reader) { reading_free(&reader->in); }

static void read_bytes(struct reader *reader, const char *data, size_t length)
{
    start(reader);
    uint32_t source = diag_add_source(&reader->in.diag, "test", data, length);
    reader->good = fiacre_parse(&reader->in.diag, &reader->in.names, &reader->in.arena,
                                &reader->in.mem, source, NULL, 0, &reader->file);
    reading_end(&reader->in);
}

static void read_file(struct reader *reader, const char *text)
{
    read_bytes(reader, text, strlen(text));
}

static void read_formula(struct reader *reader, const char *text)
{
    start(reader);
    uint32_t source = diag_add_source(&reader->in.diag, "test", text, strlen(text));
    reader->good =
        fiacre_parse_expression_source(&reader->in.diag, &reader->in.names, &reader->in.arena,
                                       &reader->in.mem, source, PROPERTY_CTL, &reader->property);
    reading_end(&reader->in);
}

/* ---- expressions ---- */

/* The value of `const c : t is TEXT`, printed. */
static void check_exp(struct unit *unit, const char *text, const char *expected)
{
    struct reader reader;
    struct text source, printed;
    start(&reader);
    text_init(&source, &reader.in.mem);
    text_add(&source, "const c : t is %s\nMain", text);
    text_init(&printed, &reader.in.mem);
    uint32_t number = diag_add_source(&reader.in.diag, "test", source.data, source.len);
    bool good = fiacre_parse(&reader.in.diag, &reader.in.names, &reader.in.arena, &reader.in.mem,
                             number, NULL, 0, &reader.file);
    reading_end(&reader.in);
    CHECK(unit, good && reader.file.root && !strcmp(reader.file.root->name, "Main"));
    if (good) fiacre_print_exp(&printed, reader.file.decls->exp);
    expect_text(unit, text, good ? printed.data : reader.in.told, expected);
    finish(&reader);
}

static void check_formula(struct unit *unit, const char *text, const char *expected)
{
    struct reader reader;
    read_formula(&reader, text);
    struct text printed;
    text_init(&printed, &reader.in.mem);
    if (reader.good) fiacre_print_exp(&printed, reader.property.root);
    expect_text(unit, text, reader.good ? printed.data : reader.in.told, expected);
    finish(&reader);
}

static void test_expressions(struct unit *unit)
{
    static const char *const cases[][2] = {
        {"1 + 2 * 3", "1 + 2 * 3"},
        {"(1 + 2) * 3", "(1 + 2) * 3"},
        {"1 - 2 - 3", "1 - 2 - 3"},
        {"1 - (2 - 3)", "1 - (2 - 3)"},
        {"a or b and c = d + e * f", "a or b and c = d + e * f"},
        {"(a or b) and (c = d)", "(a or b) and c = d"},
        {"not a and b", "not a and b"},
        {"not flags[bob].up", "not flags[bob].up"},
        {"not a = b", "(not a) = b"}, /* tighter than any binary operator */
        {"- a + b", "-a + b"},
        {"-(a + b)", "-(a + b)"},
        {"first q + 1", "first q + 1"},
        {"first dequeue q", "first dequeue q"},
        {"sV[first fromCtx]", "sV[first fromCtx]"},
        {"length q >= 2 or not (empty q)", "length q >= 2 or not empty q"},
        {"$x + $ y", "$x + $y"},
        {"+3 % -2", "+3 % -2"},
        {"a ? b : c ? d : e", "a ? b : c ? d : e"},
        {"(a ? b : c) ? d : e", "(a ? b : c) ? d : e"},
        {"a or b ? c : d", "a or b ? c : d"},
        {"evtSpeed 25", "evtSpeed(25)"},
        {"evtSpeed (x - y)", "evtSpeed(x - y)"},
        {"evtSpeed x", "evtSpeed(x)"},
        {"C x[1].f", "C(x[1].f)"},
        {"C D 3", "C(D(3))"},
        {"C 1 + 2", "C(1) + 2"},
        {"C {a = 1, b = D 2}", "C({a = 1, b = D(2)})"},
        {"C {||}", "C({||})"},
        {"f()", "f()"},
        {"f(1, g(2, x))[3]", "f(1, g(2, x))[3]"},
        {"[1, [2, 3], x]", "[1, [2, 3], x]"},
        {"{|1, 2|}", "{|1, 2|}"},
        {"{||}", "{||}"},
        {"enqueue(dequeue q, append(r, 1 + 1))", "enqueue(dequeue q, append(r, 1 + 1))"},
        {"a < b = c >= d", "a < b = c >= d"},
        {"(a = b) = (c = d)", "a = b = (c = d)"},
        {"true and false", "true and false"},
        {"value + state + until", "value + state + until"}, /* words of properties are names */
        {"x // comment\n + /* more */ y", "x + y"},
        {"9223372036854775807", "9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_exp(unit, cases[i][0], cases[i][1]);
}

static void test_formulas(struct unit *unit)
{
    static const char *const cases[][2] = {
        {"G F P[1].x == 3", "G (F (P[1].x = 3))"},
        {"GF p", "G (F (p))"},
        {"AG (x = 2 -> EF q[0].full)", "A[G (x = 2 => E[F (q[0].full)])]"},
        {"A G p", "A[G (p)]"},
        {"AGEF p", "A[G (E[F (p)])]"},
        {"E[x & y U z]", "E[(x and y) U z]"},
        {"A(x W y)", "A[x W y]"},
        {"E(F p)", "E[F (p)]"},
        {"A[0] = 1", "A[0] = 1"}, /* an array */
        {"A[U] = R", "A[U] = R"},
        {"E(x, y) > 1", "E(x, y) > 1"},
        {"F = 1 & G + 1 > 2", "F = 1 and G + 1 > 2"}, /* variables */
        {"X U R", "X U R"},
        {"a U b U c", "a U b U c"},
        {"(a U b) U c", "(a U b) U c"},
        {"a R b W c", "a R b W c"},
        {"a & b | c && d || e", "a and b or c and d or e"},
        {"a -> b => c", "a => b => c"},
        {"(a -> b) -> c", "(a => b) => c"},
        {"a <-> b <=> c", "a <-> b <-> c"},
        {"a <-> b -> c", "a <-> b => c"},
        {"!a = b & c", "not (a = b) and c"}, /* in formulas comparisons bind tighter than ! */
        {"not a = b", "not (a = b)"},
        {"!(a != b)", "not (a <> b)"},
        {"x = not y", "x = (not y)"},
        {"! ! a", "not (not a)"},
        {"P[1] @ s & P @ t", "P[1] @ s and P @ t"},
        {"P.state = s", "P.state = s"},
        {"a.b[2].c @ s", "a.b[2].c @ s"},
        {"[] (a => <> () b)", "G (a => F (X (b)))"},
        {"a until b release c", "a U b R c"},
        {"Main/1/2/state s", "Main/1/2/state s"},
        {"Main/state s or Main/1/event p", "Main/state s or Main/1/event p"},
        {"Main/1/value x == 3 and y", "Main/1/value (x = 3) and y"},
        {"Main/1/value (x && !y)", "Main/1/value (x and not y)"},
        {"x / 2 / value > 1", "x / 2 / value > 1"},
        {"enter Main/1/state s", "enter (Main/1/state s)"},
        {"enter = leave", "enter = leave"},
        {"evtSpeed 25 = first q", "evtSpeed(25) = first q"},
        {"empty q & full q[1] | length q >= 2", "empty q and full q[1] or length q >= 2"},
        {"x ? y : F z", "x ? y : F (z)"},
        {"name: G a;", "G (a)"},
        {"name: x ? y : z", "x ? y : z"},
        {"present a & b lasting 2.5 within ]0,...[ after c until d",
         "present (a and b) lasting 2.5 within ]0,...[ after (c) until (d)"},
        {"present first a before b", "present first (a) before (b)"},
        {"a leadsto first b within [0,3]", "(a) leadsto first (b) within [0,3]"},
        {"a or b precedes c and d", "(a or b) precedes (c and d)"},
        {"absent a and always b", "(absent (a)) and (always (b))"},
        {"always a between b and c and d", "always (a) between (b) and (c and d)"},
        {"not (a leadsto b) and deadlockfree", "not ((a) leadsto (b)) and (deadlockfree)"},
        {"absent a for 3 after b", "absent (a) for [3,3] after (b)"},
        {"infinitelyoften a", "infinitelyoften (a)"},
        {"mortal a | live b", "(mortal (a)) or (live (b))"},
        {"present = absent", "present = absent"},
        {"read and write", "read and write"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_formula(unit, cases[i][0], cases[i][1]);
}

static void test_property(struct unit *unit)
{
    struct reader reader;
    read_formula(&reader, "safe : AG /* here */ (x   == 3\n\t& y)");
    CHECK(unit, reader.good && !strcmp(reader.property.name, "safe")
                    && reader.property.kind == PROPERTY_CTL);
    CHECK(unit, !strcmp(reader.property.text, "AG (x == 3 & y)"));
    const struct fiacre_exp *root = reader.property.root;
    CHECK(unit, root->kind == FIACRE_EXP_TEMPORAL && root->op == FORMULA_A
                    && root->a->op == FORMULA_G && fiacre_is_formula_kind(root));
    const struct fiacre_exp *both = root->a->a;
    CHECK(unit, both->kind == FIACRE_EXP_BINARY && both->op == FIACRE_AND
                    && !fiacre_is_formula_kind(both));
    CHECK(unit, both->place.line == 1 && both->place.column == 23 && both->op_place.line == 2
                    && both->op_place.column == 2);
    finish(&reader);
    read_formula(&reader, "P/1/2/state s");
    root = reader.property.root;
    CHECK(unit, reader.good && !reader.property.name && root->kind == FIACRE_EXP_OBSERVE
                    && root->op == FIACRE_ITEM_STATE && root->count == 2);
    CHECK(unit, !strcmp(root->name, "P") && root->args->number == 1 && root->args->next->number == 2
                    && !strcmp(root->item_name, "s"));
    CHECK(unit, root->item_place.column == 13 && root->depth == 0);
    finish(&reader);
}

/* ---- files ---- */

static const char everything[] =
    "type t is record a, b : nat, c : array 3 of 0 .. N - 1 end record\n"
    "type u is union A | B, C of int | D of t end\n"
    "type q is queue 2 * N of u\n"
    "channel ch is nat # u # bool\n"
    "const N : nat is 3\n"
    "extern ext(nat, bool) : int is c_name\n"
    "function f(a : nat, b, c : bool) : nat is return a\n"
    "function g() : bool is\n"
    "var x : nat := 1, y, z : bool\n"
    "begin\n"
    "  x, y := 1, true;\n"
    "  while x < 10 do x := x + 1 end while;\n"
    "  foreach y do null /*@ no label */ end;\n"
    "  case x of 1 -> return y | -2 -> null | any -> null end case;\n"
    "  return true\n"
    "end\n"
    "process P [p : in nat, q, r : out bool # u, s : in out ch, t : none] (&x : read write nat, "
    "&y, z : int, w : write bool) is\n"
    "states s0, s1\n"
    "var v : u := D {a = 1, b = 2, c = [1, 2, 3]}, k, l : queue 3 of u := {|A|}\n"
    "init v := A; to s0\n"
    "from s0\n"
    "  /*@ first */ select\n"
    "    p ? x, B y where x > 3; #tag; to s1 /*@{ second }*/\n"
    "  [] r ! 3, any; loop\n"
    "  unless on first k = A; t; wait ]1,2.50[; to s0\n"
    "  unless wait [3,...[; to s1 end select\n"
    "from s1\n"
    "  x, y := any where x < y;\n"
    "  k[1].a, B v := 1, B 2;\n"
    "  if full k then null elsif empty k then null else x := 3 end if; to s0\n"
    "component Obs is port pr : sync in [0,0] is P/1/state s0 or enter P/1/2/tag z par P[pr] end\n"
    "component Main [a : none] (&b : nat) is\n"
    "var n : nat := 3, o : int\n"
    "port c, d : none in ]0,1], e : nat\n"
    "priority c > d, c|e > d, d < c > e\n"
    "init n := 3\n"
    "par c, d in\n"
    "   * -> P[c, d](&n, 3, o + 1)\n"
    "|| c -> par Q || R() || S[] end par\n"
    "end par\n"
    "Obs > Main\n"
    "property write is ltl [] (Main/1/state s => x) until not b\n"
    "property b is present Main/state s after a\n"
    "property c is ctl AG EF x = 3\n"
    "property d is invariant P[1].x <= 3\n"
    "assert write true \"yes\" false \"no\"\n"
    "assert b -false \"no\"\n"
    "Main\n";

static const struct fiacre_decl *find(const struct reader *reader, const char *name)
{
    for (const struct fiacre_decl *decl = reader->file.decls; decl; decl = decl->next)
        if (!strcmp(decl->name, name)) return decl;
    return NULL;
}

static void test_types(struct unit *unit, const struct reader *reader)
{
    const struct fiacre_type *type = find(reader, "t")->type;
    CHECK(unit, type->kind == FIACRE_TYPE_RECORD && type->members->type == type->members->next->type
                    && !type->members->next->next->next);
    const struct fiacre_type *array = type->members->next->next->type;
    CHECK(unit, array->kind == FIACRE_TYPE_ARRAY && array->low->number == 3
                    && array->of->kind == FIACRE_TYPE_RANGE && array->of->high->op == FIACRE_SUB);
    type = find(reader, "u")->type;
    CHECK(unit, type->kind == FIACRE_TYPE_UNION && !type->members->type
                    && type->members->next->type->kind == FIACRE_TYPE_INT);
    CHECK(unit, type->members->next->type == type->members->next->next->type);
    CHECK(unit, find(reader, "q")->type->kind == FIACRE_TYPE_QUEUE
                    && find(reader, "ch")->channel->types->next->next->kind == FIACRE_TYPE_BOOL);
    const struct fiacre_function *function = find(reader, "ext")->function;
    CHECK(unit, find(reader, "ext")->kind == FIACRE_DECL_EXTERN && !function->body
                    && function->arguments->next && !strcmp(function->foreign, "c_name"));
    function = find(reader, "f")->function;
    CHECK(unit, function->body->kind == FIACRE_STMT_RETURN && !function->body->next
                    && function->parameters->next->next);
    function = find(reader, "g")->function;
    CHECK(unit, !function->parameters && !strcmp(function->variables->next->name, "y")
                    && !function->variables->next->init);
    const struct fiacre_stmt *stmt = function->body;
    CHECK(unit, stmt->kind == FIACRE_STMT_ASSIGN && stmt->pattern_count == 2 && stmt->exp_count == 2
                    && stmt->op_place.column == 8);
    stmt = stmt->next;
    CHECK(unit, stmt->kind == FIACRE_STMT_WHILE && stmt->body->kind == FIACRE_STMT_ASSIGN);
    stmt = stmt->next;
    CHECK(unit, stmt->kind == FIACRE_STMT_FOREACH && !strcmp(stmt->name, "y")
                    && stmt->body->kind == FIACRE_STMT_NULL && !stmt->body->next);
    stmt = stmt->next;
    CHECK(unit, stmt->kind == FIACRE_STMT_CASE && stmt->branches->next->exp->op == FIACRE_NEGATE
                    && stmt->branches->next->next->exp->kind == FIACRE_EXP_ANY);
}

static void test_select(struct unit *unit, const struct fiacre_stmt *stmt)
{
    CHECK(unit, stmt->kind == FIACRE_STMT_LABEL && !strcmp(stmt->name, "first"));
    stmt = stmt->next;
    CHECK(unit, stmt->kind == FIACRE_STMT_SELECT && !stmt->next);
    const struct fiacre_branch *branch = stmt->branches;
    const struct fiacre_stmt *receive = branch->body;
    CHECK(unit, receive->kind == FIACRE_STMT_RECEIVE && receive->pattern_count == 2 && receive->exp
                    && !strcmp(receive->name, "p"));
    CHECK(unit, receive->patterns->next->kind == FIACRE_EXP_CALL
                    && receive->patterns->next->juxtaposed && receive->patterns->next->count == 1);
    CHECK(unit,
          receive->next->kind == FIACRE_STMT_TAG && receive->next->next->kind == FIACRE_STMT_TO);
    CHECK(unit, receive->next->next->next->kind == FIACRE_STMT_LABEL
                    && !strcmp(receive->next->next->next->name, "second"));
    CHECK(unit, branch->group == 0 && branch->next->group == 0 && branch->next->next->group == 1
                    && branch->next->next->next->group == 2);
    const struct fiacre_stmt *send = branch->next->body;
    CHECK(unit, send->kind == FIACRE_STMT_SEND && send->exp_count == 2
                    && send->exps->next->kind == FIACRE_EXP_ANY
                    && send->next->kind == FIACRE_STMT_LOOP);
    const struct fiacre_stmt *guard = branch->next->next->body;
    CHECK(unit, guard->kind == FIACRE_STMT_ON && guard->next->kind == FIACRE_STMT_SYNC
                    && !guard->next->patterns);
    const struct fiacre_interval *interval = guard->next->next->interval;
    CHECK(unit, interval->low_open && interval->high_open && interval->low.numerator == 1
                    && interval->low.denominator == 1);
    CHECK(unit, interval->high.numerator == 250 && interval->high.denominator == 100
                    && !interval->unbounded);
    interval = branch->next->next->next->body->interval;
    CHECK(unit, interval->unbounded && !interval->low_open && interval->low.numerator == 3);
}

static void test_process(struct unit *unit, const struct fiacre_process *process)
{
    const struct fiacre_port *port = process->ports;
    CHECK(unit, port->in && !port->out && !port->next->in && port->next->out
                    && port->next->channel == port->next->next->channel);
    port = port->next->next->next;
    CHECK(unit, port->in && port->out && !port->next->in && !port->next->out
                    && port->next->channel->plain);
    const struct fiacre_variable *parameter = process->parameters;
    CHECK(unit, parameter->by_reference && parameter->read && parameter->write);
    parameter = parameter->next;
    CHECK(unit, parameter->by_reference && !parameter->next->by_reference
                    && parameter->type == parameter->next->type && !parameter->read);
    CHECK(unit, !parameter->next->next->read && parameter->next->next->write);
    const struct fiacre_variable *variable = process->variables;
    CHECK(unit, variable->init->kind == FIACRE_EXP_CALL
                    && variable->init->args->kind == FIACRE_EXP_RECORD);
    CHECK(unit, variable->next->init == variable->next->next->init && !variable->next->next->next);
    CHECK(unit, process->init && process->init_place.line == 20 && !process->states->next->next);
    const struct fiacre_transition *transition = process->transitions;
    CHECK(unit, transition->place.line == 21 && transition->state_place.column == 6);
    test_select(unit, transition->body);
    const struct fiacre_stmt *stmt = transition->next->body;
    CHECK(unit,
          stmt->kind == FIACRE_STMT_CHOOSE && stmt->pattern_count == 2 && stmt->exp && !stmt->exps);
    CHECK(unit, stmt->next->patterns->kind == FIACRE_EXP_FIELD
                    && stmt->next->patterns->a->kind == FIACRE_EXP_INDEX);
    stmt = stmt->next->next;
    CHECK(unit, stmt->kind == FIACRE_STMT_IF && stmt->branches->exp && stmt->branches->next->exp
                    && !stmt->branches->next->next->exp);
}

static void test_component(struct unit *unit, const struct fiacre_component *component)
{
    CHECK(unit, component->ports && component->parameters->by_reference
                    && component->variables->next && component->init_place.line == 36);
    CHECK(unit, component->local_ports->interval == component->local_ports->next->interval
                    && !component->local_ports->next->next->interval);
    const struct fiacre_priority *priority = component->priorities->next;
    CHECK(unit, priority->high->next && !priority->low->next);
    priority = priority->next;
    CHECK(unit, !strcmp(priority->high->name, "c") && !strcmp(priority->low->name, "d"));
    CHECK(unit, !strcmp(priority->next->high->name, "c") && !strcmp(priority->next->low->name, "e")
                    && !priority->next->next);
    const struct fiacre_block *par = component->composition, *block = par->blocks;
    CHECK(unit, par->kind == FIACRE_BLOCK_PAR && par->portset.given && !par->portset.all
                    && par->portset.names->next && !par->interface.given);
    CHECK(unit, block->interface.all && block->kind == FIACRE_BLOCK_INSTANCE
                    && block->port_count == 2 && block->arg_count == 3);
    CHECK(unit, block->args->kind == FIACRE_EXP_REFERENCE
                    && block->args->next->kind == FIACRE_EXP_NUMBER);
    block = block->next;
    CHECK(unit, block->kind == FIACRE_BLOCK_PAR && block->interface.given && !block->portset.given
                    && !block->next);
    CHECK(unit, !block->blocks->has_ports && !block->blocks->has_args
                    && block->blocks->next->has_args && block->blocks->next->next->has_ports);
}

static void test_file(struct unit *unit)
{
    struct reader reader;
    read_file(&reader, everything);
    CHECK(unit, reader.good);
    if (!reader.good) printf("%s", reader.in.told);
    if (reader.good) {
        test_types(unit, &reader);
        test_process(unit, find(&reader, "P")->process);
        test_component(unit, find(&reader, "Main")->component);
        CHECK(unit, find(&reader, "Obs")->component->local_ports->probe->op == FIACRE_OR);
        CHECK(unit, reader.file.root && !strcmp(reader.file.root->name, "Main")
                        && !reader.file.root->next);
        const struct fiacre_decl *decl = find(&reader, "Obs");
        while (decl && decl->kind != FIACRE_DECL_OBSERVER) decl = decl->next;
        CHECK(unit, decl && !strcmp(decl->other, "Main"));
        decl = find(&reader, "write");
        CHECK(unit, decl->property->kind == PROPERTY_LTL && decl->property->root->op == FORMULA_U);
        CHECK(unit, !strcmp(decl->property->text, "ltl [] (Main/1/state s => x) until not b"));
        CHECK(unit, find(&reader, "d")->property->kind == PROPERTY_INVARIANT
                        && find(&reader, "c")->property->kind == PROPERTY_CTL);
        while (decl && decl->kind != FIACRE_DECL_ASSERT) decl = decl->next;
        CHECK(unit, decl && !strcmp(decl->when_true, "yes") && !strcmp(decl->when_false, "no")
                        && !decl->next->when_true);
    }
    finish(&reader);
}

/* What is printed parses, and prints the same. */
static void test_printing(struct unit *unit)
{
    struct reader once, twice;
    struct text first, second;
    read_file(&once, everything);
    text_init(&first, &once.in.mem);
    fiacre_print(&first, &once.file);
    read_file(&twice, first.data);
    text_init(&second, &twice.in.mem);
    CHECK(unit, twice.good);
    if (twice.good) {
        fiacre_print(&second, &twice.file);
        CHECK(unit, !strcmp(first.data, second.data));
    }
    finish(&once);
    finish(&twice);
}

/* Where the name of the main component may be taken for something else. */
static void test_roots(struct unit *unit)
{
    static const char *const texts[] = {
        "const a : nat is b\nMain",
        "const a : u is B 3\nMain",
        "type t is 0 .. N\nMain",
        "type t is s\nMain",
        "type t is queue N of s Main",
        "function f() : t is return x\nMain",
        "process P is states s from s to s\nMain",
        "process P is states s from s to s Main",
        "property a is ltl F\nMain",
        "property a is ltl P/1/value x\nMain",
        "property a is present\nMain",
        "component C is par P end Main",
        "component C is par P end par\nC > D\nMain",
        "Other\nMain",
        "Main\nprocess P is states s from s to s\nobs > Main\nproperty p is ltl x",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reader reader;
        read_file(&reader, texts[i]);
        bool good = reader.good && reader.file.root && !strcmp(reader.file.root->name, "Main");
        CHECK(unit, good);
        if (!good) printf("  %s\n%s", texts[i], reader.in.told);
        finish(&reader);
    }
    struct reader reader;
    read_file(&reader, "type t is bool");
    CHECK(unit, reader.good && !reader.file.root);
    finish(&reader);
}

static void test_labels(struct unit *unit)
{
    struct reader reader;
    read_file(&reader, "process P is /*@ heading */ states s init /* @ none */ to s\n"
                       "/*@before from*/ from /*@a*/ s x /*@{b}*/ := 1; /*@*/ /*@{}*/ if x /*@c*/ "
                       "then null end /*@d*/ ; to s\n"
                       "/*@e*/ from s to s\nP /*@ end */");
    CHECK(unit, reader.good);
    static const char *const expected[] = {"before from", "a", NULL, "b",
                                           NULL,          "d", NULL}; /* NULL: a statement */
    const struct fiacre_process *process = reader.file.decls->process;
    const struct fiacre_stmt *stmt = process->transitions->body;
    for (size_t i = 0; i < sizeof expected / sizeof *expected;
         i++, stmt = stmt ? stmt->next : NULL) {
        CHECK(unit, stmt && (stmt->kind == FIACRE_STMT_LABEL) == (expected[i] != NULL));
        if (stmt && expected[i]) CHECK(unit, !strcmp(stmt->name, expected[i]));
        if (stmt && stmt->kind == FIACRE_STMT_IF)
            CHECK(unit, !strcmp(stmt->branches->body->name, "c"));
    }
    CHECK(unit, !stmt && process->init->kind == FIACRE_STMT_TO && !process->init->next);
    const struct fiacre_stmt *second =
        process->transitions->next
            ->body; /* a label alone on its line before `from` is of what follows */
    CHECK(unit, second->kind == FIACRE_STMT_LABEL && !strcmp(second->name, "e")
                    && second->next->kind == FIACRE_STMT_TO);
    finish(&reader);
}

/* ---- errors ---- */

struct mistake {
    const char *text;
    const char *told; /* all errors: "line:column: text", and notes, each on a line of its own */
};

/* The diagnostics without file name, the word error, source lines and carets. */
static void shorten(char *told)
{
    char *to = told;
    for (char *line = told, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        if (strncmp(line, "test:", 5)) continue;
        char *error = memmem(line, (size_t)(end - line), "error: ", 7);
        char *text = error ? error : line + 5;
        memmove(to, line + 5, (size_t)(text - line - 5));
        to += text - line - 5;
        text += error ? 7 : 0;
        memmove(to, text, (size_t)(end - text));
        to += end - text;
        *to++ = '\n';
    }
    *to = 0;
}

#define IN_PROCESS(text) "process P is states s from s\n" text "\nP"

static const struct mistake mistakes[] = {
    {"", " the file is empty: a model needs at least a process\n"},
    {"proces P is states s from s to s", "1:1: expected a declaration or the name of the main "
                                         "component, found 'proces': did you mean 'process'?\n"},
    {"process P is state s from s to s",
     "1:14: expected 'states', found 'state': did you mean 'states'?\n"},
    {"process P is states s fron s to s",
     "1:23: expected 'var', 'init' or 'from', found 'fron': did you mean 'from'?\n"},
    {"process P is states s, end from s to s",
     "1:24: expected a name after ',', found the keyword 'end'\n"},
    {"process P is states s init to s init to s from s to s", "1:33: a second 'init'\n"},
    {"process end", "1:9: expected a name after 'process', found the keyword 'end'\n"},
    {IN_PROCESS("x = 3; to s"), "2:3: an assignment is written with ':='\n"},
    {IN_PROCESS("x := 3 to s"), "2:8: expected ';' or an operator, found 'to'\n"},
    {IN_PROCESS("to s to s"), "2:6: expected ';', found 'to'\n"},
    {IN_PROCESS("x := 3; to s;"), "3:1: expected a statement, found what seems to be the main "
                                  "component: a ';' too many before it?\n"},
    {IN_PROCESS("x := 3; end"), "2:9: expected a statement, found 'end'\n"},
    {IN_PROCESS("x := 3 end"), "2:8: expected ';' or the next transition, found 'end'\n"},
    {IN_PROCESS("if x then to s"), "3:1: expected ';', 'elsif', 'else' or 'end' in the 'if', found "
                                   "'P'\n2:1: note: opened here\n"},
    {IN_PROCESS("if x to s end"), "2:6: expected 'then' after the condition, found 'to'\n"},
    {IN_PROCESS("select a [] b from"),
     "2:15: expected ';', '[]', 'unless' or 'end' in the 'select', found 'from'\n3:2: expected a "
     "statement, found the end of the file\n"},
    {IN_PROCESS("selct a [] b end; to s"),
     "2:9: expected ':=' after this pattern, found '[]'\n2:1: note: did you mean 'select' here?\n"},
    {IN_PROCESS("wiat [0,1]; to s"), "2:8: expected an operator or ']' in the index, found "
                                     "','\n2:1: note: did you mean 'wait' here?\n"},
    {IN_PROCESS("case x of 1 null end"), "2:13: expected '->' after the pattern, found 'null'\n"},
    {IN_PROCESS("case x of a + b -> null end"),
     "2:15: expected a number after the sign, found 'b'\n"},
    {IN_PROCESS("foreach 3 do null end"), "2:9: expected a name after 'foreach', found '3'\n"},
    {IN_PROCESS("wait [3,1]; to s"), "2:6: this interval ends before it begins\n"},
    {IN_PROCESS("wait ]3,3.0]; to s"), "2:6: this interval is empty\n"},
    {IN_PROCESS("wait [0,...]; to s"), "2:12: after '...' the interval ends with '['\n"},
    {IN_PROCESS("wait 3; to s"),
     "2:6: expected a time interval, such as [0,3] or ]1,...[, found '3'\n"},
    {IN_PROCESS("wait [0,1.0000000000000000001]; to s"),
     "2:9: this number does not fit in 63 bits\n"},
    {IN_PROCESS("x := 1.5; to s"),
     "2:6: a number with a point is allowed only in a time interval\n"},
    {IN_PROCESS("x, y := 1; to s"),
     "2:6: 2 on the left of ':=', 1 on the right: an assignment has as many values as variables\n"},
    {IN_PROCESS("x[1] ! 3; to s"), "2:6: expected ':=' after this pattern, found '!'\n"},
    {IN_PROCESS("p, q; to s"), "2:5: expected ':=' after these patterns, found ';'\n"},
    {IN_PROCESS("return 3"), "2:1: 'return' is allowed only in a function\n"},
    {IN_PROCESS("on x == 3; to s"),
     "2:6: expected ';' or an operator, found '==': Fiacre writes '='\n"},
    {IN_PROCESS("on !x; to s"), "2:4: expected an expression, found '!'\n"},
    {IN_PROCESS("on f(x; to s"),
     "2:7: expected ',', an operator or ')' in the arguments, found ';'\n"},
    {IN_PROCESS("on any; to s"), "2:4: expected an expression, found 'any'\n"},
    {IN_PROCESS("to 3\nfrom s ; to s\nfrom s to s"),
     "2:4: expected a name after 'to', found '3'\n3:8: expected a statement, found ';'\n"},
    {"function f() : nat is begin to s end", "1:29: 'to' is not allowed in a function\n"},
    {"function f() : nat is begin p!3 end",
     "1:30: expected ':=' after 'p': a function has no ports\n"},
    {"function f() : nat is x", "1:23: expected 'var', 'begin' or 'return', found 'x'\n"},
    {"function f(&x : nat) : nat is return x", "1:12: expected a name after '(', found '&'\n"},
    {"type t is array 3 bool", "1:19: expected 'of' after the size of the array, found 'bool'\n"},
    {"type t is union A | B",
     "1:22: expected '|', 'of' or 'end' in the 'union', found the end of the file\n"},
    {"type t is record a b end", "1:20: expected ':' after the field's name, found 'b'\n"},
    {"type t is 3", "1:12: expected '..' and the end of the range, found the end of the file\n"},
    {"type t is true", "1:11: expected a type, found 'true'\n"},
    {"const c is 3", "1:9: expected ':' after the name of the constant, found 'is'\n"},
    {"const c : nat is (1 + 2",
     "1:24: expected an operator or ')' in the parentheses, found the end of the file\n"},
    {"const c : nat is\n(1 + 2",
     "2:7: expected an operator or ')' in the parentheses, found the end of the file\n"},
    {"const c : nat is []", "1:18: expected an expression, found '[]'\n"},
    {"const c : nat is {a 1}", "1:21: expected '=' after the field's name, found '1'\n"},
    {"const c : nat is 3 4", "1:20: expected a declaration (type, channel, const, function, "
                             "extern, process, component, property or assert), found '4'\n"},
    {"component C is par A | B end", "1:22: expected '||' or 'end' in the 'par', found '|'\n"},
    {"component C is par A || end",
     "1:25: expected a process, a component or 'par', found 'end'\n"},
    {"component C is prot p : none par A end", "1:16: expected 'var', 'port', 'priority', 'init' "
                                               "or 'par', found 'prot': did you mean 'port'?\n"},
    {"component C is port p none par A end",
     "1:23: expected ':' after the name of the port, found 'none'\n"},
    {"component C is priority a b par A end", "1:27: expected '|', '>' or '<', found 'b'\n"},
    {"property p ltl x", "1:12: expected 'is' after the property's name, found 'ltl'\n"},
    {"property p is present x after y after z", "1:33: a second scope of this pattern\n"},
    {"property p is present x lasting 3 lasting 4", "1:35: a second 'lasting' in this pattern\n"},
    {"property p is ltl x = F y",
     "1:23: the operator 'F' after an operator that binds tighter: put it in parentheses\n"},
    {"assert p true 3", "1:15: expected a string after 'true', found '3'\n"},
    {"P Q", "1:1: expected a declaration or the name of the main component, found 'P'\n"},
    {"  #ifdef X\nprocess\n", "1:3: this condition has no #endif\n"},
    {"#define C )\n  const c : nat is C\nP",
     "2:20: expected an expression, found ')'\n1:9: note: in the expansion of 'C'\n"},
    {"type t is 0 .. 99999999999999999999\nconst c : nat is 3x\nP",
     "1:16: this number does not fit in 63 bits\n2:19: a letter directly after a number\n"},
    {"extern f() : nat is \"a\nP",
     "1:21: this string does not end on its line\n"}, /* P is then the name */
    {"P /* end", "1:3: this comment does not end\n"},
    {"type t is bool ~~ \\", "1:16: unexpected character '~'\n1:17: unexpected character "
                             "'~'\n1:19: unexpected character '\\'\n"},
    {"type t is bool\ntype is bool\nconst c : nat is )\nP Q\nassert 3\nP",
     "2:6: expected a name after 'type', found the keyword 'is'\n"
     "3:18: expected an expression, found ')'\n5:8: expected a name after 'assert', found '3'\n"},
};

static void test_mistakes(struct unit *unit)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct reader reader;
        read_file(&reader, mistakes[i].text);
        CHECK(unit, !reader.good);
        shorten(reader.in.told);
        expect_text(unit, mistakes[i].text, reader.in.told, mistakes[i].told);
        finish(&reader);
    }
}

static void test_formula_mistakes(struct unit *unit)
{
    static const struct mistake formulas[] = {
        {"", "1:1: expected an expression, found the end of the formula\n"},
        {"x U", "1:4: expected an expression, found the end of the formula\n"},
        {"x y", "1:3: expected an operator or the end of the formula, found 'y'\n"},
        {"(x",
         "1:3: expected an operator or ')' in the parentheses, found the end of the formula\n"},
        {"A[F x", "1:6: expected an operator or ']' in the formula of paths, found the end of the "
                  "formula\n"},
        {"x & & y", "1:5: expected an expression, found '&'\n"},
        {"x + EF(y) > 3",
         "1:5: the operator 'EF' after an operator that binds tighter: put it in parentheses\n"},
        {"P @ 3", "1:5: expected a name after '@', found '3'\n"},
        {"P/1/state 3", "1:11: expected a name after the path, found '3'\n"},
        {"x = 3 ] y", "1:7: expected an operator or the end of the formula, found ']'\n"},
        {"x within [0,3]", "1:3: expected an operator or the end of the formula, found 'within'\n"},
    };
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct reader reader;
        read_formula(&reader, formulas[i].text);
        CHECK(unit, !reader.good);
        shorten(reader.in.told);
        expect_text(unit, formulas[i].text, reader.in.told, formulas[i].told);
        finish(&reader);
    }
}

/* ---- limits ---- */

/* before, a piece n times, a middle, another piece n times, after. */
static char *repeat(const char *before, const char *piece, const char *middle, const char *other,
                    const char *after, unsigned n, size_t *length)
{
    char *text = malloc(strlen(before) + strlen(middle) + strlen(after)
                        + n * (strlen(piece) + strlen(other)) + 1),
         *at = text;
    at = stpcpy(at, before);
    for (unsigned i = 0; i < n; i++) at = stpcpy(at, piece);
    at = stpcpy(at, middle);
    for (unsigned i = 0; i < n; i++) at = stpcpy(at, other);
    at = stpcpy(at, after);
    *length = (size_t)(at - text);
    return text;
}

struct test_shape {
    const char *before, *piece, *middle, *other, *after;
    bool deep; /* many of it are refused */
};

static void test_nesting(struct unit *unit)
{
    static const struct test_shape shapes[] = {
        {"const c : nat is ", "(", "1", ")", "\nP", true},
        {"const c : nat is ", "[", "1", "]", "\nP", true},
        {"const c : nat is ", "{a = ", "1", "}", "\nP", true},
        {"const c : nat is ", "{|", "1", "|}", "\nP", true},
        {"const c : nat is ", "f(", "1", ")", "\nP", true},
        {"const c : nat is ", "C ", "1", "", "\nP", true},
        {"const c : nat is ", "a[", "1", "]", "\nP", true},
        {"const c : nat is a", "[1]", "", "", "\nP", true},
        {"const c : nat is a", ".f", "", "", "\nP", true},
        {"const c : nat is ", "- ", "1", "", "\nP", true},
        {"const c : nat is ", "not ", "x", "", "\nP", true},
        {"const c : nat is ", "x ? y : ", "z", "", "\nP", true},
        {"const c : nat is ", "x ? ", "y", ": z", "\nP", true},
        {"const c : nat is ", "enqueue(q, ", "z", ")", "\nP", true},
        {"const c : nat is ", "x + ", "1", "", "\nP", true},
        {"const c : nat is [", "x, ", "1", "", "]\nP", false},
        {"type t is ", "array 2 of ", "bool", "", "\nP", true},
        {"type t is ", "record a : ", "bool", " end", "\nP", true},
        {"type t is ", "union a of ", "bool", " end", "\nP", true},
        {"type t is union a ", "| b ", "", "", "end\nP", false},
        {"process P is states s from s ", "if x then ", "to s", " end", "\nP", true},
        {"process P is states s from s ", "select ", "to s", " end", "\nP", true},
        {"process P is states s from s ", "case x of 1 -> ", "to s", " end", "\nP", true},
        {"process P is states s from s ", "while x do ", "null", " end", "; to s\nP", true},
        {"process P is states s from s if x then null ", "elsif x then null ", "", "",
         "end; to s\nP", false},
        {"process P is states s from s select to s ", "[] to s ", "", "", "end\nP", false},
        {"process P is states s from s ", "null; ", "", "", "to s\nP", false},
        {"process P is states s from s ", "C ", "x", "", " := 1; to s\nP", true},
        {"process P is states s from s ", "C(", "x", ")", " := 1; to s\nP", true},
        {"process P is states s from s ", "/*@l*/", "", "", "to s\nP", false},
        {"process P is states s ", "var x : nat ", "", "", "from s to s\nP", false},
        {"process P is states s ", "from s to s ", "", "", "\nP", false},
        {"component C is ", "par ", "P", " end", "\nC", true},
        {"component C is par P ", "|| p -> P ", "", "", "end\nC", false},
        {"component C is par ", "p, ", "p", "", " in P end\nC", false},
        {"component C is port p : none ", "priority a > b ", "", "", "par P end\nC", false},
        {"property p is ltl ", "[] ", "x", "", "\nP", true},
        {"property p is ltl ", "F ", "x", "", "\nP", true},
        {"property p is ltl ", "A[X ", "x", "]", "\nP", true},
        {"property p is ltl ", "(", "x", ")", "\nP", true},
        {"property p is ltl ", "x U ", "x", "", "\nP", true},
        {"property p is ltl ", "x => ", "x", "", "\nP", true},
        {"property p is ltl ", "not ", "x", "", "\nP", true},
        {"property p is ltl ", "enter ", "x", "", "\nP", true},
        {"property p is ", "(present ", "x", ")", "\nP", true},
        {"property p is x ", "before y ", "", "", "\nP", true},
        {"property p is ltl Q", "/1", "/state s", "", "\nP", false},
        {"", "P\n", "", "", "P", false},
        {"", "P > Q\n", "", "", "P", false},
        {"", "assert p\n", "", "", "P", false},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned n = 300; n <= 30000; n *= 100) {
            size_t length;
            const struct test_shape *shape = &shapes[i];
            char *text = repeat(shape->before, shape->piece, shape->middle, shape->other,
                                shape->after, n, &length);
            struct reader reader;
            read_bytes(&reader, text, length);
            bool is_bound = strstr(shape->before, "is x ")
                            != NULL; /* a bound without a pattern: wrong in any number */
            bool good = reader.good == (is_bound ? false : n == 300 || !shape->deep);
            CHECK(unit, good);
            if (!good)
                printf("  %u times %s%s%s: %.300s\n", n, shape->before, shape->piece, shape->middle,
                       reader.in.told);
            if (!reader.good && !is_bound)
                CHECK(unit,
                      strstr(reader.in.told, "too deeply") != NULL && reader.in.diag.errors == 1);
            finish(&reader);
            free(text);
        }
}

/* Errors by the thousand, and bytes that are no text. */
static void test_garbage(struct unit *unit)
{
    static const struct test_shape shapes[] = {
        {"", ") ", "", "", "", false},
        {"", "type ", "", "", "", false},
        {"", "from s ", "", "", "", false},
        {"", "x := 1\n", "", "", "", false},
        {"process P is states s ", "from ", "", "", "", false},
        {"", "\xFF\xFE ", "", "", "", false},
        {"", "#if\n", "", "", "", false},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct reader reader;
        size_t length;
        char *text = repeat(shapes[i].before, shapes[i].piece, "", "", "", 30000, &length);
        read_bytes(&reader, text, length);
        CHECK(unit, !reader.good && reader.in.told_length < 20000);
        finish(&reader);
        free(text);
    }
    struct reader reader;
    static const char bytes[] = "process P is\0states s\0\0\0from s to\1s\nP\0";
    read_bytes(&reader, bytes, sizeof bytes - 1);
    CHECK(unit, !reader.good && reader.in.diag.errors == 4
                    && strstr(reader.in.told, "unexpected byte 0x00") != NULL);
    finish(&reader);
    static const char label[] = "process P is states s from s /*@a\0b*/ to s\nP";
    read_bytes(&reader, label, sizeof label - 1);
    CHECK(unit, !reader.good && reader.in.diag.errors == 1);
    finish(&reader);
    read_file(&reader, "\xEF\xBB\xBFtype t is bool\nP");
    CHECK(unit, reader.good);
    finish(&reader);
}

/* Beginnings of a text are read without harm, and so are texts without one of their bytes. */
static void test_cuts(struct unit *unit)
{
    unsigned good = 0;
    char copy[sizeof everything];
    for (size_t i = 0; i < sizeof everything - 1; i += 2) {
        struct reader reader;
        read_bytes(&reader, everything, i);
        good += reader.good;
        finish(&reader);
        memcpy(copy, everything, i);
        memcpy(copy + i, everything + i + 1, sizeof everything - i - 1);
        read_bytes(&reader, copy, sizeof everything - 2);
        good += reader.good;
        finish(&reader);
    }
    CHECK(unit, good > 100);
}

/* Whether the n-th allocation, which fails, was reached. */
static bool is_refused(uint64_t n)
{
    struct reader reader;
    jmp_buf recover;
    volatile bool refused = true;
    start(&reader);
    uint32_t source = diag_add_source(&reader.in.diag, "test", everything, strlen(everything));
    reader.in.mem.recover = &recover;
    reader.in.mem.fail_at = reader.in.mem.allocations + n;
    if (!setjmp(recover))
        refused = !fiacre_parse(&reader.in.diag, &reader.in.names, &reader.in.arena, &reader.in.mem,
                                source, NULL, 0, &reader.file);
    reader.in.mem.recover = NULL;
    reading_end(&reader.in);
    finish(&reader);
    return refused;
}

/* Memory that is refused anywhere leaves nothing behind. */
static void test_refusal(struct unit *unit)
{
    uint64_t n = 1;
    while (is_refused(n)) n++;
    CHECK(unit, n > 5);
}

int main(void)
{
    struct unit unit = {0};
    test_expressions(&unit);
    test_formulas(&unit);
    test_property(&unit);
    test_file(&unit);
    test_printing(&unit);
    test_roots(&unit);
    test_labels(&unit);
    test_mistakes(&unit);
    test_formula_mistakes(&unit);
    test_nesting(&unit);
    test_garbage(&unit);
    test_cuts(&unit);
    test_refusal(&unit);
    return unit_finish(&unit);
}
