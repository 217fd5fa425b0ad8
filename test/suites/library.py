"""libcairn as others link it: installed somewhere, found by pkg-config, linked shared and static;
the example says what the program says; the header compiles alone in C and C++, and nothing but its
names can be seen. Also what else is installed: the manual page, completion."""
import json
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish, run, scratch

PREFIX = os.path.join(scratch.name, 'installed')
HEADER = os.path.join(PREFIX, 'include', 'cairn.h')
PHILS = os.path.join(ROOT, 'examples', 'philosophers', 'phils.mil')
CONTEXTS = os.path.join(ROOT, 'examples', 'device-login', 'contexts.cdl')
GUIDES = os.path.join(ROOT, 'examples', 'guides', 'landing.xgdl')
LAND = os.path.join(ROOT, 'examples', 'fischer', 'broken.fcr')


def shell(command, **more):
    return subprocess.run(command, shell=True, capture_output=True, text=True, **more)


def installed():
    made = shell(f'make -s -j2 install LIBRARY_MODE=library-quick PREFIX={PREFIX}', cwd=ROOT)
    check('make install', made.returncode == 0, made.stderr[-1500:])
    for name in ('include/cairn.h', 'lib/libcairn.so', 'lib/libcairn.so.0', 'lib/libcairn.a',
                 'lib/pkgconfig/cairn.pc', 'bin/cairn', 'share/cairn/cairn-result.schema.json'):
        check(f'{name} is installed', os.path.exists(os.path.join(PREFIX, name)))
    version = shell(
        f'PKG_CONFIG_PATH={PREFIX}/lib/pkgconfig pkg-config --modversion cairn').stdout.strip()
    check('pkg-config knows the version', run('--version').stdout.split() == ['cairn', version],
          version)


def documentation():
    page = subprocess.run(['man', '-l', os.path.join(PREFIX, 'share/man/man1/cairn.1')],
                          capture_output=True, text=True,
                          env=dict(os.environ, MANWIDTH='100', LC_ALL='C.UTF-8'))
    check('the manual page',
          page.returncode == 0 and 'EXIT STATUS' in page.stdout and '--memory SIZE' in page.stdout,
          page.stderr)
    same_words(page.stdout)
    completion()


def same_words(manual):
    """Help of every command and the manual page: the same options with the same words."""
    flat = ' '.join(manual.replace('\N{HYPHEN}\n', '').split())
    wrong = []
    for command in re.findall(r'^  cairn (\w+)', run('--help').stdout, re.MULTILINE):
        text = run(command, '--help').stdout
        check(f'{command} --help: groups, common options first, examples at the end',
              text.split('\n\n')[1].startswith('Common options:')
              and text.split('\n\n')[-1].startswith('Examples:')
              and max(map(len, text.splitlines())) <= 100, text)
        rows = re.findall(r'^  (?:-\w, |    )(--\S+.*\n(?: {31}.*\n)*)', text, re.MULTILINE)
        wrong += [row for row in rows if ' '.join(row.split()) not in flat]
        check(f'{command} --help: options',
              len(rows) > (1 if command in ('serve', 'lsp', 'status') else 8), text)
    check('the manual page says what --help says', not wrong, wrong[:3])


def completion():
    """As bash asks: words are taken apart at colons and equals signs."""
    for words, expected in (
            ('check --mem', ['--memory']),
            ('check --engine sy', ['symbolic']),
            ('check --engine = sy', ['symbolic']),
            (f'check {PHILS} -p one', ['one_fork_one_owner']),
            (f'check {PHILS} -D n = 3 --property ""', ['can_eat', 'first_eats',
                                                       'one_fork_one_owner', 'deadlock',
                                                       'runtime-error']),
            (f'check x.fcr --context {CONTEXTS} : dea', ['deadline1', 'deadline2', 'deadline3',
                                                           'deadline4']),
            (f'check x.mil --guide {GUIDES} : ""', ['pilot', 'failures', 'scope', 'one',
                                                          'early']),
            (f'guide {GUIDES} : sc', ['scope']),
            ('check nothing.mil -p x', []), ('check --context no.cdl : x', [])):
        script = (f'PATH={PREFIX}/bin:$PATH; source {PREFIX}/share/bash-completion/completions/'
                  f'cairn; COMP_WORDS=(cairn {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); '
                  f'_cairn; printf "%s\\n" "${{COMPREPLY[@]}}"')
        done = subprocess.run(['bash', '-c', script], capture_output=True, text=True)
        check(f'completion: {words}', done.stdout.split() == expected and not done.stderr,
              f'{done.stdout} {done.stderr}')
    for words in ((), ('properties',), ('context', ''), ('guide', '/'), ('x', 'y', 'z'),
                  ('properties', '', 'check', 'nothing.mil', '-D', 'n', '--context')):
        done = run('--names', *words)
        check(f'names: {words}', (done.returncode, done.stdout, done.stderr) == (0, '', ''))


def header():
    with open(HEADER, encoding='utf-8') as file:
        names = set(re.findall(r'\bcairn_\w+(?=\()', file.read()))
    for language, compiler in (('c', 'gcc -std=c99'), ('c++', 'clang++ -std=c++11'),
                               ('c', 'clang -std=c11')):
        alone = shell(
            f'{compiler} -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x {language} {HEADER}')
        check(f'cairn.h compiles alone: {compiler}', alone.returncode == 0, alone.stderr)
    for library, option in (('libcairn.so.0', '-D'), ('libcairn.a', '-g')):
        seen = shell(f'nm {option} --defined-only {PREFIX}/lib/{library}').stdout
        check(f'{library} has the names of its header and no others',
              {line.split()[-1] for line in seen.splitlines() if ' T ' in line or ' D ' in line
               or ' B ' in line} == names, seen[:500])


def link(kind):
    """The example, linked like that: a function that runs it."""
    program = os.path.join(scratch.name, f'verify-{kind}')
    flags = (f'$(PKG_CONFIG_PATH={PREFIX}/lib/pkgconfig pkg-config --cflags --libs '
             f'{"--static" if kind == "static" else ""} cairn)')
    if kind == 'static':
        flags = flags.replace('$(', '$(echo $(').rstrip() + ' | sed "s,-lcairn,-l:libcairn.a,")'
    made = shell(f'gcc -Wall -Wextra -Werror -o {program} {ROOT}/examples/library/verify.c {flags}')
    check(f'the example links: {kind}', made.returncode == 0, made.stderr[-1500:])
    needs = shell(f'ldd {program}').stdout
    check(f'{kind} it is', ('libcairn.so.0' in needs) == (kind == 'shared'), needs)
    return lambda *words: subprocess.run([program, *words], capture_output=True, text=True,
                                         env=dict(os.environ, LD_LIBRARY_PATH=f'{PREFIX}/lib'))


def example(verify, kind):
    for model, constants in ((PHILS, ('n', '3')), (LAND, ())):
        options = [f'-D{name}={value}' for name, value in zip(constants[::2], constants[1::2])]
        claim = json.loads(run('check', model, *options, '--json').stdout)
        told = verify(model, *constants)
        check(f'{kind}: nothing on standard error', told.stderr == '', told.stderr)
        check(f'{kind}: the status', told.returncode == 1, told.returncode)
        check(f'{kind}: the sentence', claim['assurance'] in told.stdout, told.stdout)
        check(f'{kind}: the states', f': {claim["states"]} states' in told.stdout,
              told.stdout[:200])
        for row in claim['properties']:
            check(f'{kind}: {row["name"]}', f'\n  {row["verdict"]} {row["name"]}\n' in told.stdout,
                  told.stdout)
            for step in (row.get('trace', {}).get('steps', [])[1:] if row['verdict'] == 'violated'
                         else []):
                check(f'{kind}: {row["name"]}: its run', f'    {step["label"]}: ' in told.stdout,
                      told.stdout)
    wrong = verify('/nowhere/x.mil')
    check(f'{kind}: a mistake is told by the program alone',
          wrong.returncode == 2 and wrong.stderr == ''
          and wrong.stdout.startswith('/nowhere/x.mil:0:0: cannot open'),
          wrong.stdout + wrong.stderr)


installed()
documentation()
header()
for kind in ('shared', 'static'):
    example(link(kind), kind)
finish()
