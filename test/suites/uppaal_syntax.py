"""The syntax of UPPAAL: every model of the corpus parses, or is refused for the reason that is
known of it; what is printed parses to what prints the same; a bad text for every message, with its
position; texts damaged at random break nothing; hostile XML.

Models of ../shared/corpus/uppaal (CORPUS: another folder than ../shared/corpus) are used when they
are there. LONG=1 damages many more texts; a failure names its text and seed:
build/asan/tools/uppaal_print --mutate SEED COUNT FILES. Single rules of the grammar are tested in
test/unit/uppaal.c.

In a bad text the mark § stands before the place that the message points to, and is taken out. At
the end every message of the parser must have been seen."""
import csv
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish, path, write
from kit.again import Again
from kit.messages import literals_of, pattern_of, place_of

CORPUS = os.path.join(os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus')),
                      'uppaal')
PARSER = ['declaration', 'document', 'expression', 'parse', 'part', 'query', 'statement',
          'template']
seen = []
tool = Again('uppaal_print')

# A little of everything, so that there is something to damage without the corpus.
SMALL_XTA = '''const int N = 2; typedef int[0, N - 1] id_t; typedef scalar[3] s_t;
typedef struct { int[0,3] a, b[2]; bool c; } rec_t;
rec_t r = { 1, {0, 1}, true }, q = { b : {2, 3}, a : 0, c : false };
clock x, y[N]; urgent broadcast chan go; chan a, b[id_t], c[N][int[0,1]]; meta int m;
chan priority a < default, b[1] < go;
int f(int v, int &w, const id_t z[N]) {
    int i = 0, k[2]; typedef int[0,7] t;
    for (i = 0, w = 1; i < N; i++) { if (v > 1) return 1; else if (w) ; else k[i] += 1; }
    for (j : id_t) while (k[j] > 0, v == 1) k[j]--;
    do { w = v <? 2 >? 1 ** 2; } while (!(w == 1));
    if (v) for (i = 0; ; ) if (w) v = 1; else w = 2;
    assert v >= 0;
    return (v ? w : i) << 1;
}
void g() { }
process P(id_t id, clock &z, bool flag) {
    int v; clock t;
    state A { x <= 5 && z' == 1 }, B { forall (i : id_t) y[i] <= N }, C { ; 3 }, D { t < 3; 1:2 };
    branchpoint p;
    commit B; urgent C; init A;
    trans A -> B { select i : id_t, j : int[0,1]; guard x >= 1 && (id == i || x < 3); sync b[i]!;
                   assign x = 0, v := f(1, m, r.b), g(), r.a++; },
          -> p { guard exists (i : id_t) i == v; sync go?; },
          p -> C { assign v = -1; probability 3; }, p -> D { probability v; },
          B -u-> A { sync c[0][v]?; };
}
process Empty() { }
Q(const id_t i) = P(i, x, true); R = P(0, y[1], false);
system Q, R < Empty;
progress { m; x : y; } gantt { G(i : id_t) : v -> 1; }
query { A[] forall (i : id_t) Q(i).A imply not deadlock }
query { sup{R.A}: x, R.v }
'''
SMALL_OLD = '''const N 5, M 6; int[0,5] i; clock x; chan a, b; urgent chan u;
process P(const id; int v; clock y, z) {
  clock t; const K 3;
  state A { x =< N, y < 2 }, B; commit B; init A;
  trans A -> B { guard x => 1, y == id; sync a?; assign x := 0, v := v + 1; }, -> A { };
}
S1 := P(1, i, x, x);
system S1;
'''
SMALL_XML = '''<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'flat-1_1.dtd'>
<nta><declaration>clock x; chan c[2]; typedef int[0,1] id_t;</declaration>
<template><name x="5" y="5">T</name><parameter>id_t i, clock &amp;z</parameter>
<declaration>int v; void f() { v++; }</declaration>
<location id="id0" x="0" y="0"><name>A</name><label kind="invariant">x &lt;= 5 &amp;&amp; z &lt; 3
</label><urgent/></location><location id="id1"><committed/></location><branchpoint id="id2"/>
<init ref="id0"/>
<transition><source ref="id0"/><target ref="id2"/><label kind="assignment">x = 0, f()</label>
<label kind="select">k : id_t</label><label kind="guard"><![CDATA[x < 3 && k == i]]></label>
<label kind="synchronisation">c[k]!</label><nail x="1" y="2"/></transition>
<transition controllable="false"><source ref="id2"/><target ref="id1"/>
<label kind="probability">3</label><label kind="comments">none</label></transition></template>
<system>P(const id_t i) = T(i, x); system P;</system>
<queries><query><formula>A[] forall (i : id_t) P(i).A</formula><comment>c</comment>
<expect outcome="success"/></query><query><formula></formula></query></queries></nta>
'''
QUERIES = ['A[] p', 'E<> P(1).cs && x < 3', 'E[] not P.a', 'A<> forall (i : id_t) P(i).b',
           'P.a --> Q.b or Q.c', 'A[] not deadlock', 'sup: x, P.y', 'inf{P.a && v == 1}: x',
           'bounds{true}: v', 'Pr[<=100](<> p)', 'A[] (sum (i : t) P(i).a) <= 1',
           'E<> a.f() imply b[1].c', 'simulate 1 [<=10] {x}', 'control: A<> p', 'E<> p under S',
           'A[] p ? q : r', 'E[<=100; 20](max: x)']


# ---- the corpus ----

REASONS = [('clock rate', 'clock rate'), ('live sequence chart', 'live sequence chart'),
           ('floating point', 'floating'), ('type double', 'type double'),
           ('hybrid clock', 'hybrid clock'), ('import', "'import'")]


def known():
    """What known.csv says of models and of queries: {file: reason}, {file: {query: verdict}}."""
    models, queries = {}, {}
    with open(os.path.join(CORPUS, 'known.csv'), encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file):
            if row['query'] == '*':
                models[row['file']] = row['states_note']
            else:
                queries.setdefault(row['file'], {})[row['query']] = row['verdict']
    return models, queries


def folded(text):
    return ' '.join(text.replace('\\\n', ' ').split())


def listed(file):
    """The queries of a model and of the .q file beside it: {text: refused}."""
    beside = os.path.splitext(file)[0] + '.q'
    done = tool.run('release', '--list', file, *([beside] if os.path.exists(beside) else []))
    return {folded(text): word == 'refused' for word, text in
            re.findall(r'(?m)^\d+:\d+ (ok|refused) (.*)$', done.stdout)}


def corpus():
    if not os.path.exists(os.path.join(CORPUS, 'known.csv')):
        print(f'no corpus in {CORPUS}: only small texts are read')
        return
    models, queries = known()
    files = sorted(glob.glob(os.path.join(CORPUS, '*.xml')) + glob.glob(
        os.path.join(CORPUS, '*.xta')))
    for file in files:
        name = os.path.basename(file)
        done = tool.run('release', '--stable', file)
        said = done.stdout.splitlines()[-1].split()[0]
        if name in models:
            words = [found for reason, found in REASONS if reason in models[name]]
            check(f'{name} is refused: {models[name]}', said == 'errors' and words
                  and re.search(f'error: .*{words[0]}', done.stdout), done.stdout[-600:])
            continue
        check(f'{name} parses, and so does what is printed', said == 'stable', done.stdout[-1000:])
        found = listed(file)
        for query, verdict in queries.get(name, {}).items():
            if folded(query) not in found:
                continue  # it was added to the model
            check(f'{name}: {query} is {"refused" if verdict == "refuse" else "read"}',
                  found[folded(query)] == (verdict == 'refuse'))
    print(f'{len(files)} models')


def small():
    texts = [write('small.xta', SMALL_XTA), write('old.xta', SMALL_OLD),
             write('small.xml', SMALL_XML)]
    done = tool.run('release', '--stable', *texts)
    for text in texts:
        check(f'{os.path.basename(text)} is stable', f'stable {text}\n' in done.stdout,
              done.stdout[-1000:])
    return texts


# ---- messages ----

def bad(text, message, *notes, ending='xta', code='error'):
    """The text is refused, or warned about, with this message at the mark."""
    marked = '§' in text
    file = write(f'bad.{ending}', text.replace('§', '', 1) if marked else text)
    done = tool.run('asan', file)
    seen.append(done.stdout)
    place = 'bad.%s:%d:%d: ' % (ending, *place_of(text)) if marked else ''
    wanted = f'{place}{code}: {message}'
    check(message, done.returncode == (2 if code == 'error' else 0) and wanted in done.stdout
          and all(note in done.stdout for note in notes),
          f'{done.returncode}\n{wanted}\n--- found:\n{done.stdout}{done.stderr}\n--- '
          f'in:\n{text[:1000]}')


def warned(text, message, **more):
    bad(text, message, code='warning', **more)


def refused(query, message):
    """The query, on a line of a file of queries, is refused."""
    file = write('bad.q', 'A[] true\n' + query.replace('§', '') + '\nE<> true\n')
    done = tool.run('asan', '--list', file)
    seen.append(done.stdout)
    column = query.index('§') + 1
    check(message, done.returncode == 0 and re.search(rf'(?m)^ +2:{column} \w+: '
          + re.escape(message), done.stdout) and done.stdout.count(' ok ') == 2, done.stdout)


def process(body, more='', tail='system P;\n'):
    return f'{more}process P() {{\n{body}\n}}\n{tail}'


def edge(labels, more=''):
    return process(f'state A, B; init A; trans A -> B {{ {labels} }};', more)


def document(template='', before='', system='system T;', after=''):
    return (f'<nta><declaration>{before}</declaration>\n<template><name>T</name>{template}'
            f'</template>\n<system>{system}</system>{after}</nta>\n')


LOCATIONS = ('<location id="a"><name>A</name></location><location id="b"/><branchpoint id="c"/>'
             '<init ref="a"/>\n')
OUT = 'is not part of what is read: only the classical language of UPPAAL is'


def texts_and_tokens():
    bad('', 'the file is empty: a model needs at least a process and a system line')
    bad('// nothing\n', 'the file is empty')
    bad('int x; §/* never', 'this comment does not end')
    bad('int §@x; system P;', "unexpected character '@'")
    bad('int x = §2147483648; system P;', 'the number 2147483648 does not fit in 32 bits')
    bad('int x = 1 - §2147483648; system P;', 'the number 2147483648 does not fit in 32 bits')
    bad('int x = -§2147483648++; system P;', 'the number 2147483648 does not fit in 32 bits')
    bad('int x = §' + '9' * 25 + '; system P;', 'this number does not fit in 63 bits')
    bad('int x = §"a"; system P;', f'a string {OUT}')
    bad('int x = §1.5; system P;', f'a floating-point number {OUT}')
    bad('int x = §1e3; system P;', f'a floating-point number {OUT}')


def declarations():
    bad('int x;§', "there is no system line: 'system' with the names of processes")
    bad('§foo; system P;', "expected a declaration, found 'foo'")
    bad('§}; system P;', "expected a declaration, found '}'")
    bad('int §int; system P;', "expected a name after the type, found the keyword 'int'")
    bad('int x §y; system P;', "expected ',' or ';' behind the declaration, found 'y'")
    bad('int x = §; system P;', "expected an expression, found ';'")
    bad(f'int x{"[1]" * 100}§{"[1]" * 100000}; system P;', 'this has more than 100 dimensions')
    bad('int x = a §=> b; system P;', "'=>' is '>=' in version 3 only: write '>=', or 'imply'")
    bad('int x = (1 §; system P;', "expected an operator or ')' in the parentheses, found ';'")
    bad('int x = (1 +\n 2 §; system P;',
        "expected an operator or ')' in the parentheses, found ';'", 'note: opened here')
    bad('int x[2§; system P;', "expected an operator or ']' in the array, found ';'")
    bad('int x = a[2§; system P;', "expected an operator or ']' in the index, found ';'")
    bad('int x = f(2 §; system P;',
        "expected ',', an operator or ')' in the arguments, found ';'")
    bad('int x[2] = {1, 2§; system P;',
        "expected ',', an operator or '}' in the initialiser, found ';'")
    bad('int x = 1 ? 2 §; system P;', "expected ':' after the expression behind '?', found ';'")
    bad('int x = a.§1; system P;', "expected a name after '.', found '1'")
    bad('int x = (a + 1)§(2); system P;', 'only a name can be called')
    bad('int x = a.b§(2); system P;', 'only a name can be called')
    bad('int x = forall §i : int[0,1]; system P;', "expected '(' after 'forall', found 'i'")
    bad('int x = forall (§1 : t) 1; system P;', "expected a name after '(', found '1'")
    bad('int x = sum (i §t) 1; system P;', "expected ':' after the name, found 't'")
    bad('int x = sum (i : t §1; system P;', "expected ')' after the type, found '1'")
    bad('int x = sum (i : §1) 1; system P;', "expected a type, found '1'")
    bad('int[0§] x; system P;', "expected ',' after the lower bound, found ']'")
    bad('int[0,1 §x; system P;', "expected an operator or ']' in the type, found 'x'")
    bad('typedef scalar §s; system P;', "expected '[' after 'scalar', found 's'")
    bad('struct §x; system P;', "expected '{' after 'struct', found 'x'")
    bad('struct { int a §} x; system P;', "expected ';' after the member, found '}'")
    bad('const §meta int x; system P;', "'meta' does not go with what stands before it")
    bad('urgent §urgent chan x; system P;', "'urgent' does not go with what stands before it")
    bad('chan a; chan priority a < §; system P;', "expected a name after '<', found ';'")
    bad('chan a; chan priority a §b; system P;', "expected '<', ',' or ';' behind the channel")
    bad('chan a; chan priority a[1§; system P;',
        "expected an operator or ']' in the index, found ';'")
    bad('chan priority §a' + '[1]' * 4000 + '; system P;', 'this has too many dimensions')
    bad('Q = P§; system Q;', "expected '(' after the name of the template, found ';'")
    bad('Q = P(1 §; system Q;', "expected ',', an operator or ')' in the arguments, found ';'")
    bad('Q = P(1)§\nsystem Q;'.replace('§\nsystem', '\n§system'),
        "expected ';' after the arguments, found 'system'")
    bad('Q(int i) §P(1); system Q;', "expected '=' after the name of the process, found 'P'")
    bad('Q(int i §= P(1); system Q;', "expected ',' or ')' behind the parameter, found '='")
    bad('Q(int §) = P(1); system Q;', "expected a name after the type, found ')'")
    bad('Q(int &§1) = P(1); system Q;', "expected a name after '&', found '1'")
    bad('system §;', "expected a name after 'system', found ';'")
    bad('system P §Q;', "expected ',', '<' or ';' behind the process, found 'Q'")
    bad('system P; §int x;', "expected nothing more behind the system line, found 'int'")
    bad('system P; §foo { x }', "expected 'progress', 'gantt' or 'query', found 'foo'")
    bad('system P; query { A[] x§', "expected '}' behind the query, found the end of the file")
    bad('§before_update { x = 1 } system P;', f"'before_update' {OUT}")
    bad('§after_update { x = 1 } system P;', f"'after_update' {OUT}")
    bad('§import "lib" { int f(); }; system P;', f"'import' (functions of other libraries) {OUT}")
    bad('§dynamic T(int x); system P;', f"'dynamic' (dynamic processes) {OUT}")
    bad('§IO P { a }; system P;', f"'IO' (interfaces of games) {OUT}")
    bad('§double d; system P;', f'the type double (floating point) {OUT}')
    bad('const §double d = 1; system P;', f'the type double (floating point) {OUT}')
    bad('§hybrid clock c; system P;', f'a hybrid clock {OUT}')
    bad('§string s; system P;', f'the type string {OUT}')
    bad("bool b = §x' == 0; system P;", "a clock rate: clocks run at rate 1, and only x' == 1")
    bad('int x = ' + '(' * 2000 + '; system P;', 'this is nested too deeply: more than 1000')
    bad('int x = 1' + '+ 1' * 4000 + '; system P;',
        'this expression is nested too deeply: more than 3000')


def statements():
    def function(body):
        return f'void f() {{ {body} }} system P;'
    bad('void f() §; system P;', "expected '{' after the parameters of the function, found ';'")
    bad('void f(int x §y) { } system P;', "expected ',' or ')' behind the parameter, found 'y'")
    bad(function('x = 1 §y;'), "expected ';' after the expression, found 'y'")
    bad(function('x = 1; §int y;'), 'declarations must stand at the beginning of a block')
    bad(function('int §g() { }'), 'a function inside a function')
    bad(function('if §x;'), "expected '(' after 'if', found 'x'")
    bad(function('if (x §y = 1;'), "expected an operator or ')' in the condition, found 'y'")
    bad(function('while §x;'), "expected '(' after 'while', found 'x'")
    bad(function('do x = 1; §x;'), "expected 'while' after the statement of 'do', found 'x'")
    bad(function('do x = 1; while (x) §}'), "expected ';' after the condition, found '}'")
    bad(function('for §x;'), "expected '(' after 'for', found 'x'")
    bad(function('for (x = 1 §y; ; ) ;'), "expected an operator or ';' in 'for (...)', found 'y'")
    bad(function('for (i : t §;) ;'), "expected ')' after the type, found ';'")
    bad(function('return x §y;'), "expected ';' after 'return', found 'y'")
    bad(function('assert x §y;'), "expected ';' after the condition, found 'y'")
    bad(function('§break;'), f"'break' {OUT}")
    bad(function('§continue;'), f"'continue' {OUT}")
    bad(function('§switch (x) { }'), f"'switch' {OUT}")
    bad(function('x = §spawn T(1);'), f"'spawn' (dynamic processes) {OUT}")
    bad('void f() { x = 1;§', "expected a statement or '}' in the block, found the end")


def processes():
    bad('process §{ } system P;', "expected a name after 'process', found '{'")
    bad('process P() §; system P;', "expected '{' after the parameters, found ';'")
    bad(process('state §1; init A;'), "expected a name after 'state' or ',', found '1'")
    bad(process('state A, §A; init A;'), "there is another location called 'A'", 'note: this one')
    bad(process('state A { x < 1 §y }; init A;'),
        "expected an operator, ';' or '}' in the invariant, found 'y'")
    bad(process("state A { §x' == 0 }; init A;"), 'a clock rate')
    bad(process('state A; branchpoint §1; init A;'), "expected a name after 'branchpoint' or ','")
    bad(process('state A; init §B;'), "there is no location 'B'")
    bad(process('state A; init §1;'), "expected a name after 'init', found '1'")
    bad(process('state A, B; init A; init §B;'), "there is another initial location, 'A'")
    bad(process('state A; branchpoint b; init §b;'), 'a branchpoint cannot be initial')
    bad('process P() §{ state A; } system P;', 'this process has no initial location')
    bad(process('state A; commit §B; init A;'), "there is no location 'B'")
    bad(process('state A; commit §1; init A;'), "expected a name after 'commit' or ','")
    bad(process('state A; urgent §1; init A;'), "expected a name after 'urgent' or ','")
    bad(process('state A; branchpoint b; urgent §b; init A;'),
        'a branchpoint is neither urgent nor committed')
    bad(process('state A §B; init A;'), "expected ',' or ';' in what follows 'state', found 'B'")
    bad(process('state A; init A; §foo;'), "expected 'state', 'branchpoint', 'commit', 'urgent', "
        "'init', 'trans' or '}', found 'foo'")
    bad(process('state A; init A; trans §-> A { };'), 'the first edge needs a source')
    bad(process('state A; init A; trans §1 -> A { };'), "expected a name after 'trans' or ','")
    bad(process('state A; init A; trans A §A { };'),
        "expected '->' after the source of the edge, found 'A'")
    bad(process('state A; init A; trans A -> §1 { };'), "expected a name after '->', found '1'")
    bad(process('state A; init A; trans A -> §B { };'), "there is no location 'B'")
    bad(process('state A; init A; trans A -> A §;'),
        "expected '{' after the target of the edge, found ';'")
    bad(edge('§foo x;'), "expected 'select', 'guard', 'sync', 'assign', 'probability' or '}'")
    bad(edge('guard 1; §guard 2;'), "this edge has another 'guard'")
    bad(edge('guard x < 1 §y;'), "expected ';' after the label, found 'y'")
    bad(edge('select §1 : t;'), "expected a name after 'select', found '1'")
    bad(edge('select i : t, §1 : t;'), "expected a name after ',', found '1'")
    bad(edge('select i §t;'), "expected ':' after the name, found 't'")
    bad(edge("guard §x' == 1;"), 'a clock rate')
    bad(edge('sync §c;'), f"synchronisation without '!' or '?' {OUT}")
    bad(edge('sync c §+ 1;'), "expected '!' or '?' behind the channel, found '+'")
    bad(process('state A; branchpoint b, c; init A; trans b -> §c { };'),
        'an edge from one branchpoint to another')
    bad(process('state A; branchpoint b; init A; trans §b -> A { guard 1; };'),
        'an edge from a branchpoint has neither a selection, nor a guard')
    warned(process('state A; init A; trans §A -u-> A { };'),
           'this edge is not controllable: it is taken like any other, there is no game')
    # one run tells errors of several places
    both = tool.run('asan', write('bad.xta', edge('guard ;') + 'int x = ; system P;\n')).stdout
    several = tool.run('asan', write('bad.xta', 'int a = ; int f() { x = ; } double d;\n'
                                 + process('state A; init A; trans A -> A { guard; }, A -> A { '
                                           'sync 1; };'))).stdout
    check('several errors are told', several.count('error: ') == 5, several)
    check('a second system line is told', both.count('error: ') == 2, both)


def documents():
    def xml(text, message, *notes, **more):
        bad(text, message, *notes, ending='xml', **more)
    xml('<nta><declaration>x</declaration></§nt>', 'this is not well-formed XML: mismatched tag')
    xml('<nta>', 'this is not well-formed XML')
    xml('<?xml version="1.0" encoding="§KOI8-R"?><nta/>'.replace('§', ''),
        'this encoding is not read: save the file as UTF-8')
    xml('<!DOCTYPE nta [§<!ENTITY a "b">]><nta/>'.replace('§', ''),
        'entities that a file declares by itself are not read')
    xml('<!DOCTYPE nta SYSTEM "x.dtd"><nta>§&foo;</nta>', "there is no entity 'foo'")
    xml('<nta>§&foo;</nta>'.replace('§', ''), 'this is not well-formed XML: undefined entity')
    xml('<a>' * 100 + '§<a>', 'the elements of this file are nested too deeply')
    xml('§<project><imports/></project>', 'a project of several files (with imports) is not read')
    xml('§<foo/>', "this XML is no model of UPPAAL: its root is not 'nta'")
    xml('§<nta></nta>', "there is no system line: 'system' with the names of processes")
    xml('<nta>§<system> </system></nta>', 'there is no system line')
    xml('<nta><system>P = T();§</system></nta>', 'there is no system line',
        'note: in the system declarations')
    xml(document(after='§<lsc/>'), 'a live sequence chart is not read: only templates are')
    xml(document(before='int x = a &lt; &amp;&amp; §; int y;').replace('&amp;&amp; §',
        '§&amp;&amp; '), "expected an expression, found '&&'", 'note: in the global declarations')
    xml(document(before='int x;\n<![CDATA[int y = 1 < §;]]>'), "expected an expression, found ';'")
    xml(document(before='/* é é */ int §1;'), 'expected a name after the type')
    xml(document('<parameter>int x §y</parameter>'), "expected ',' behind the parameter, found 'y'",
        "note: in the parameters of template 'T'")
    xml(document('<declaration>int x; §double d;</declaration>'), 'the type double',
        "note: in the declarations of template 'T'")
    xml('<nta>§<template/><system>system T;</system></nta>', 'this template needs a name')
    xml('<nta><template><name>§int</name></template><system>system T;</system></nta>',
        "expected a name after '<name>', found the keyword 'int'", 'in the name of a template')
    xml('<nta><template><name>T §1</name></template><system>system T;</system></nta>',
        "expected an operator or the end of the text, found '1'")
    xml(document('<location id="a"><name>§1</name></location><init ref="a"/>'),
        "expected a name after '<name>'", "in the name of location '_a' of template 'T'")
    xml(document('§<location/><init ref="a"/>'), "this element needs an attribute 'id'")
    xml(document('<location id="a"/>§<location id="a"/><init ref="a"/>'),
        "there is another element with this 'id' in the template")
    xml(document('<location id="a"><name>A</name></location><location id="b"><name>§A</name>'
                 '</location><init ref="a"/>'), "there is another location called 'A'",
        "note: in the name of location 'A' of template 'T'")
    xml(document('<location id="a"/>').replace('<template>', '§<template>'),
        'this template has no initial location')
    xml(document('<location id="a"/>§<init ref="b"/>'), 'there is no location with this id')
    xml(document('<location id="a"/><branchpoint id="b"/>§<init ref="b"/>'),
        'a branchpoint cannot be initial')
    xml(document('<location id="a"><label kind="invariant">1</label>§<label kind="invariant">2'
                 '</label></location><init ref="a"/>'), 'this location has another invariant')
    xml(document('<location id="a"><name>A</name><label kind="invariant">x &lt; §</label>'
                 '</location><init ref="a"/>'), 'expected an expression, found the end of the text',
        "note: in the invariant of location 'A' of template 'T'")

    def transition(labels, ends='<source ref="a"/><target ref="b"/>'):
        return document(f'{LOCATIONS}<transition>{ends}{labels}</transition>')

    def label(kind, text):
        return transition(f'<label kind="{kind}">{text}</label>')
    xml(transition('', '<source ref="a"/>').replace('<transition>', '§<transition>'),
        "there is no 'target' with an attribute 'ref'")
    xml(transition('', '<source ref="a"/>§<target ref="x"/>'),
        "there is no location with the id 'x'")
    xml(transition('<label kind="guard">1</label>§<label kind="guard">2</label>'),
        'this edge has another label of this kind')
    whose = "note: in the %s of the edge from 'A' to '_b' of template 'T'"
    xml(label('guard', 'x &gt;= 1 §y'), "expected an operator or the end of the text, found 'y'",
        whose % 'guard')
    xml(label('select', 'i §t'), "expected ':' after the name", whose % 'selection')
    xml(label('synchronisation', '§c'), "synchronisation without '!' or '?'",
        whose % 'synchronisation')
    xml(label('assignment', 'x = §'), 'expected an expression', whose % 'update')
    xml(label('probability', 'x §y'), "expected an operator", whose % 'weight')
    xml(label('guard', 'x §@ 1'), "unexpected character '@'", whose % 'guard')
    xml(label('guard', 'x &lt; 1\n  &amp;&amp; §)'), "expected an expression, found ')'")
    xml(transition('<label kind="guard">1</label>', '<source ref="c"/><target ref="a"/>').replace(
        '<transition>', '§<transition>'), 'an edge from a branchpoint has neither')
    warned(transition('').replace('<transition>', '§<transition controllable="false">'),
           'this edge is not controllable', ending='xml')
    xml('\ufeff<nta>§</x>'.replace('§', ''), 'this is not well-formed XML')


def queries():
    refused('§p', 'a query begins with A[], E<>, E[] or A<>, or is of the form p --> q')
    refused('A[] p §q', "expected an operator or the end of the query, found 'q'")
    refused('A[]§', 'expected an expression, found the end of the query')
    refused('A[] (p && §E<> q)', 'a temporal operator inside of a query')
    refused('A[] p §--> q', "'-->' with another temporal operator: only one is read")
    refused('E<>§* p', f'this operator {OUT}')
    refused('§A[p U q]', f"the operator 'until' (A[p U q], E[p U q]) {OUT}")
    refused('§E[<=5; 2](max: x)', f'a statistical query (E[...]) {OUT}')
    refused('§{ x } control: A<> p', f'a query about a game ({{...}} control) {OUT}')
    refused('E<> p §under S', f'a query under a strategy {OUT}')
    refused('sup{p §: x', "expected an operator or '}' in the condition, found ':'")
    refused('sup{p}§ x'.replace('§ ', ' §'), "expected ':' after the condition, found 'x'")
    refused('E<> x §@ y', "unexpected character '@'")
    with open(os.path.join(ROOT, 'src/lang/uppaal/query.c'), encoding='utf-8') as file:
        rows = re.findall(r'\{"(\w+)", "(a \w+ [^"]+)"\}', file.read())
    check('words of other logics are found', len(rows) > 10, rows)
    for word, what in rows:
        refused(f'§{word} x: y', f'{what} {OUT}')


# ---- damage ----

def damaged():
    texts = small()
    tool.mutate('new texts', '--mutate', 1500, texts[:1])
    tool.mutate('old texts', '--mutate', 1500, texts[1:2])
    tool.mutate('XML', '--mutate', 1500, texts[2:])
    tool.mutate('queries', '--mutate-formulas', 5000, QUERIES)


def hostile():
    bomb = '<!DOCTYPE nta [<!ENTITY a "aaaaaaaaaa">' + ''.join(
        f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(9))
    bad(f'{bomb}]><nta>&j;</nta>', 'entities that a file declares', ending='xml')
    outside = path('outside.txt')
    with open(outside, 'w', encoding='utf-8') as file:
        file.write('secret')
    bad(f'<!DOCTYPE nta [<!ENTITY a SYSTEM "file://{outside}">]><nta>&a;</nta>',
        'entities that a file declares', ending='xml')
    check('nothing outside is read', 'secret' not in '\n'.join(seen))
    bad('<nta>' + '<a/>' * 300000 + '</nta>', 'there is no system line', ending='xml')
    bad('<nta>' + 'x' * 5000000 + '</nta>', 'there is no system line', ending='xml')
    bad('<nta><system>' + 'x &lt; ' * 300000 + '</system></nta>', 'expected', ending='xml')
    bad('<nta><system>system ' + 'P, ' * 300000 + '§;</system></nta>', "expected a name",
        ending='xml')
    # in a text as in XML: whom an error belongs to
    bad(process('int i = §;'), 'expected an expression', "note: in template 'P'")
    bad(process('state A, B { §]; init A;'), 'expected', "in the invariant of location 'B'")
    bad(process('state A §A; init A;'), 'expected', "in location 'A' of template 'P'")
    bad(edge('guard §;'), 'expected', "in the guard of the edge from 'A' to 'B' of template 'P'")
    bad(edge('§weight;'), 'expected', "note: in the edge from 'A' to 'B' of template 'P'")
    bad('process P() { state ' + ', '.join(f'L{i}' for i in range(100000)) + '; init L0; } §x;',
        "expected a declaration, found 'x'")


# ---- every message ----

def every_message():
    everything = '\n'.join(seen)
    calls = (r'\b(?:diag_error|uppaal_error|uppaal_error_expected|uppaal_refuse|diag_note|'
             r'diag_warning|element_error|uppaal_expect|uppaal_expect_close|uppaal_expect_name)\(')
    found = 0
    for name in PARSER:
        with open(os.path.join(ROOT, f'src/lang/uppaal/{name}.c'), encoding='utf-8') as source:
            code = source.read()
        for literal, line in literals_of(code, calls):
            found += 1
            check(f'{name}.c:{line}: "{literal}" is given for some text',
                  pattern_of(literal.strip()).search(everything))
    check('there are many messages', found > 100, found)


tool.build()
for part in (corpus, texts_and_tokens, declarations, statements, processes, documents, queries,
             hostile, damaged, every_message):
    part()
finish()
