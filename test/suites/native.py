"""Rules as machine code: `--native always` against `never`, the whole object, on random models of
every kind, with code, with time, with threads, in several orders and builds; machine code that
comes while a search goes on; compilers that fail, hang, lie or are missing, folders that cannot be
written, signals and limits meanwhile: the search is as without, and nothing is left behind."""
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import (ASAN, CAIRN, DEGENERATE, LONG, PATIENCE, ROOT, SEED, check, crashed, finish, path,
                 run, section, timeless, told, write)
from kit.cases import KINDS, TIMED, Maker

BUILDS = [CAIRN, ASAN, CAIRN, DEGENERATE]
PETERSON = os.path.join(ROOT, 'examples/peterson/peterson-n.mil')
PHILOSOPHERS = os.path.join(ROOT, 'examples/philosophers/phils.mil')
TEMPORARY = path('temporary')
os.mkdir(TEMPORARY)
QUIET = {'TMPDIR': TEMPORARY, 'HOME': path('home'), 'XDG_CACHE_HOME': ''}  # without a cache
compiled = 0


def whole(claim):
    """Everything but how long it took, in which memory, and how."""
    ours = timeless(claim)
    ours['statistics'] = {key: value for key, value in ours['statistics'].items()
                          if key != 'native' and 'bytes' not in key}
    for search in ours['statistics'].get('searches') or []:
        search.pop('seconds', None)
    return ours


def how(claim):
    return claim['statistics'].get('native', '')


def same(name, arguments, program, env=None, expected='compiled'):
    """Without and with machine code: one object, one status."""
    global compiled
    base, without = told(*arguments, '--native', 'never', program=program, env=QUIET)
    done, ours = told(*arguments, '--native', 'always', program=program, env={**QUIET, **(env or {})})
    if not check(f'{name}: an object', without and ours and not crashed(done), done.stderr[-1500:]):
        return None
    mine, theirs = whole(ours), whole(without)
    check(f'{name}: the same object', mine == theirs,
          {key: (mine.get(key), theirs[key]) for key in theirs if mine.get(key) != theirs[key]})
    check(f'{name}: the same status', done.returncode == base.returncode,
          (done.returncode, base.returncode))
    if ours['engine'] in ('explicit', 'timed'):
        check(f'{name}: {expected}', how(ours).startswith(expected), how(ours))
        compiled += how(ours).startswith('compiled')
    check(f'{name}: nothing is left', not os.listdir(TEMPORARY), os.listdir(TEMPORARY))
    return ours


# ---- random models ----

WAYS = [(), ('--order', 'dfs'), ('--threads', '2'), ('--store', 'flat'), ('--first',),
        ('--reduce', 'por')]
TIMED_WAYS = [(), ('--zones', 'equal'), ('--threads', '2'), ('--first',)]


def random_models():
    maker = Maker(path('.'))
    for number in range((40 if LONG else 2) * len(KINDS)):
        kind = KINDS[number % len(KINDS)]
        seed = 1000000 * SEED + number
        case = maker.make(kind, seed)
        ways = TIMED_WAYS if kind in TIMED else WAYS
        way = ways[number // len(KINDS) % len(ways)] if number >= len(KINDS) else ()
        engine = ('--engine', 'timed' if kind in TIMED else 'explicit')
        if kind == 'ranked' and not number % 2:
            way = ('--order', 'past-freeze')
        name = f'{kind} {seed} {" ".join(way)}'
        arguments = ('check', case.model, *case.options, *engine, *way)
        refused = run(*arguments, '--bound', '1' if not way else '', '-q').returncode == 2 and way
        same(name, ('check', case.model, *case.options, *engine) if refused else arguments,
             BUILDS[number % len(BUILDS)])


def models_with_code():
    subprocess.run(['make', '-s', 'build/release/tools/random_code'], cwd=ROOT, check=True)
    for seed in range(1 + 1000000 * SEED, (300 if LONG else 14) + 1 + 1000000 * SEED):
        text = subprocess.run([os.path.join(ROOT, 'build/release/tools/random_code'), str(seed)],
                              capture_output=True, text=True, timeout=PATIENCE).stdout
        model = write('code.cairn', text)
        same(f'code {seed}', ('check', model, '--engine', 'explicit', *WAYS[seed % 4]),
             BUILDS[seed % len(BUILDS)])


# ---- examples ----

EXAMPLES = [
    ('landing gear', 'examples/landing-gear/landing.fcr', '-D', 'sets=1', '--context',
     'examples/landing-gear/contexts.cdl:nominal', '-D', 'handles=1', '--order', 'past-freeze'),
    ('device login', 'examples/device-login/login.fcr', '-D', 'n=2', '--context',
     'examples/device-login/contexts.cdl:hasty2', '--order', 'past-freeze'),
    ('fischer', 'examples/uppaal/fischer.xml'),
]


def examples():
    for name, model, *options in EXAMPLES:
        same(name, ('check', os.path.join(ROOT, model), *options), CAIRN)


# ---- while a search goes on ----

def in_the_background():
    """The hook lets the compiler start at once; the search is long enough for it to be ready."""
    arguments = ('check', PHILOSOPHERS, '-D', 'n=11', '--engine', 'explicit')
    _, without = told(*arguments, '--native', 'never', program=ASAN, env=QUIET)
    for threads in ((), ('--threads', '2')):
        done, ours = told(*arguments, *threads, program=ASAN,
                          env={**QUIET, 'CAIRN_NATIVE_AFTER': '0'})
        name = f'in the background {" ".join(threads)}'
        if not check(f'{name}: an object', ours and not crashed(done), done.stderr[-1500:]):
            continue
        used = re.fullmatch(r'compiled, used after (\d+\.\d+) s', how(ours))
        check(f'{name}: code came during the search',
              used and 0 < float(used[1]) < ours['seconds'], (how(ours), ours['seconds']))
        check(f'{name}: the same object', whole(ours) == whole(without))
        check(f'{name}: nothing is left', not os.listdir(TEMPORARY), os.listdir(TEMPORARY))
    _, ours = told('check', PETERSON, '-D', 'n=3', '--engine', 'explicit', env=QUIET)
    check('a short search starts no compiler', ours and not how(ours), how(ours))


# ---- compilers ----

def fake(name, text):
    """A folder with a `cc` of our own, before the usual ones."""
    os.makedirs(path(name), exist_ok=True)
    file = os.path.join(path(name), 'cc')
    with open(file, 'w', encoding='utf-8') as out:
        out.write('#!/bin/sh\nfor last; do :; done\nfolder=${last%/*}\n' + text)
    os.chmod(file, 0o755)
    return {'PATH': path(name) + ':' + os.environ['PATH']}


REAL = shutil.which('cc') or 'cc'
MAKE = f'{REAL} "$@" || exit 1\n'
COMPILERS = [
    ('fails', 'echo no luck >&2; exit 1\n', 'not compiled: the compiler failed: no luck'),
    ('fails in silence', 'exit 1\n', 'not compiled: the compiler failed'),
    ('says nonsense', 'printf "\\033[2J\\377\\000" >&2; exit 1\n', 'not compiled: the compiler fai'),
    ('dies', 'kill -9 $$\n', 'not compiled: the compiler failed'),
    ('makes nothing', 'exit 0\n', 'not compiled: the compiler made no object'),
    ('makes garbage', 'echo garbage > $folder/rules.so\n', 'not compiled: the object is too sh'),
    ('makes a script', 'head -c 100000 /dev/zero > $folder/rules.so\n',
     'not compiled: it is no object'),
    ('makes a link', MAKE + 'mv $folder/rules.so $folder/other; ln -s other $folder/rules.so\n',
     'not compiled: the compiler made no object'),
    ('cuts it', MAKE + 'truncate -s 5000 $folder/rules.so\n', 'not compiled: '),
    ('makes another', 'sed "s/UINT64_C([0-9]*), \\([0-9]*, [0-9]*, listers\\)/0, \\1/" $folder/rules.c'
     f' > $folder/x.c; {REAL} -shared -fPIC -ffreestanding -nostdlib -Wl,-e,cairn_native -w -o '
     '$folder/rules.so $folder/x.c\n', 'not compiled: the object is of another text'),
    ('uses a library', f'echo "int puts(char *s); void cairn_native(void) {{ puts(0); }}" > '
     f'$folder/x.c; {REAL} -shared -fPIC -Wl,-e,cairn_native -w -o $folder/rules.so $folder/x.c\n',
     'not compiled: it needs more than a loader of code'),
    ('keeps the environment clean',
     'test -z "$HOME$LD_PRELOAD$SECRET" && test "$LC_ALL" = C || exit 1\n' + MAKE, 'compiled'),
    ('sees a private folder',
     'test "$(stat -c %a $folder)" = 700 && test "$TMPDIR" = $folder || exit 1\n' + MAKE, 'compiled'),
]
SMALL = ('check', PETERSON, '-D', 'n=2', '--engine', 'explicit')


def compilers():
    for number, (name, text, expected) in enumerate(COMPILERS):
        same(f'a compiler that {name}', SMALL, (CAIRN, ASAN)[number % 2],
             {**fake('fake', text), 'SECRET': '1'}, expected)
    same('no compiler', SMALL, CAIRN, {'PATH': path('nowhere')}, 'not compiled: there is no compiler')
    same('a compiler in a relative folder', SMALL, CAIRN, {'PATH': 'fake:.'},
         'not compiled: there is no compiler')
    flipping()


def flipping():
    """Objects with one bad byte where loaders look: refused, or harmless. (Their code is run only
    as far as the compiler is trusted, so that nothing is flipped in it.)"""
    rng = random.Random(SEED)
    for place in [4, 5, 16, 18, 32, 54, 56] + [64 + rng.randrange(0, 56 * 4) for _ in range(6)]:
        text = MAKE + f'printf "\\375" | dd of=$folder/rules.so bs=1 seek={place} conv=notrunc 2>&-\n'
        done, ours = told(*SMALL, '--native', 'always', program=ASAN,
                          env={**QUIET, **fake('fake', text)})
        if place == 24:
            continue
        check(f'a bad byte at {place}', ours and not crashed(done), done.stderr[-900:])


def hanging():
    env = {**QUIET, **fake('fake', 'sleep 1000\n')}
    same('a compiler that hangs', SMALL, ASAN, {**env, 'CAIRN_NATIVE_SECONDS': '0.3'},
         'not compiled: the compiler took too long')
    for name, program, options, send in (('--time', CAIRN, ('--time', '1s'), None),
                                         ('SIGINT', CAIRN, (), signal.SIGINT),
                                         ('SIGKILL', CAIRN, (), signal.SIGKILL)):
        begun = time.monotonic()
        process = subprocess.Popen([program, *SMALL, *options, '--native', 'always', '--json'],
                                   env={**os.environ, **env}, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        if send:
            time.sleep(0.5)
            process.send_signal(send)
        out, _ = process.communicate(timeout=60)
        check(f'{name} while a compiler hangs: in time', time.monotonic() - begun < 20)
        if send != signal.SIGKILL:
            check(f'{name} while a compiler hangs: an object', out.startswith('{'), out[:200])
        patience = time.monotonic() + 20
        while (os.listdir(TEMPORARY) or asleep()) and time.monotonic() < patience:
            time.sleep(0.05)
        check(f'{name} while a compiler hangs: nothing is left',
              not os.listdir(TEMPORARY) and not asleep(), (os.listdir(TEMPORARY), asleep()))


def asleep():
    """Processes that our compiler that hangs has left."""
    found = []
    for number in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{number}/environ', 'rb') as file:
                if f'TMPDIR={TEMPORARY}/'.encode() in file.read():
                    found.append(number)
        except OSError:
            pass
    return found


# ---- folders ----

def folders():
    refused = 'not compiled: no folder can be made'
    same('TMPDIR is missing', SMALL, CAIRN, {'TMPDIR': path('missing')}, refused)
    file = write('file', '')
    same('TMPDIR is a file', SMALL, CAIRN, {'TMPDIR': file}, refused)
    same('TMPDIR is relative', SMALL, CAIRN, {'TMPDIR': 'temporary'}, 'compiled')
    same('TMPDIR is very long', SMALL, CAIRN, {'TMPDIR': '/' + 4090 * 'x'}, 'not compiled: the name')
    done = run(*SMALL, '--native', 'always', '--json', env=QUIET, preexec_fn=lambda:
               resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    check('a full disk: an object', done.stdout.startswith('{') and 'not compiled: the text cannot'
          in done.stdout, done.stdout[:300] + done.stderr[-300:])
    check('a full disk: nothing is left', not os.listdir(TEMPORARY), os.listdir(TEMPORARY))


# ---- the cache ----

def kept():
    return sorted(os.listdir(path('kept/cairn'))) if os.path.isdir(path('kept/cairn')) else []


def cache():
    env = {'XDG_CACHE_HOME': path('kept')}
    broken = {**env, **fake('broken', 'test -f $0.fails && exit 1\n' + MAKE)}
    folder = path('kept/cairn')
    os.mkdir(path('kept'))
    same('the first time', SMALL, ASAN, broken)
    check('one object is kept', len(kept()) == 1, kept())
    check('nobody else can look into the cache', stat.S_IMODE(os.stat(folder).st_mode) == 0o700)
    file = os.path.join(folder, kept()[0])
    check('nor into a file of it', stat.S_IMODE(os.stat(file).st_mode) == 0o600)
    with open(file, 'rb') as object_file:
        good = object_file.read()
    write('broken/cc.fails', '')  # from now on only the cache helps
    fails = 'not compiled: the compiler failed'
    same('the second time', SMALL, ASAN, broken)
    same('with another constant', (*SMALL[:3], 'n=3', *SMALL[4:]), ASAN, broken, fails)
    os.utime(path('broken/cc'), (1, 1))
    same('with another compiler', SMALL, CAIRN, broken, fails)
    os.utime(path('broken/cc'), None)
    again = {**env, **fake('broken', 'test -f $0.fails && exit 1\n' + MAKE)}
    os.remove(path('broken/cc.fails'))
    same('made anew', SMALL, CAIRN, again)
    write('broken/cc.fails', '')
    ours = [each for each in kept() if os.path.join(folder, each) != file]
    check('both are kept', len(ours) == 1, kept())
    file = os.path.join(folder, ours[0])
    with open(file, 'rb') as object_file:
        good = object_file.read()
    rng = random.Random(f'cache {SEED}')
    for number in range(40 if LONG else 8):
        bad = bytearray(good)
        place = rng.choice((rng.randrange(len(bad)), rng.randrange(80)))
        bad[place] ^= 1 << rng.randrange(8)
        with open(file, 'wb') as out:
            out.write(bad[:rng.randrange(len(bad))] if number % 4 == 3 else bad)
        if place not in range(64, 72) or number % 4 == 3:  # bytes that mean nothing
            same(f'a bit of a kept object, {place}', SMALL, (CAIRN, ASAN)[number % 2], again, fails)
    with open(file, 'wb') as out:
        out.write(good)
    same('as it was', SMALL, CAIRN, again)
    for name, where, mode in (('the file', file, 0o622), ('the folder', folder, 0o722)):
        before = stat.S_IMODE(os.stat(where).st_mode)
        os.chmod(where, mode)
        same(f'others can write {name}', SMALL, CAIRN, again, fails)
        os.chmod(where, before)
    os.rename(file, path('elsewhere'))
    os.symlink(path('elsewhere'), file)
    same('a link instead of the file', SMALL, CAIRN, again, fails)
    os.remove(file)
    os.mkfifo(file)
    same('a pipe instead of the file', SMALL, CAIRN, again, fails)
    os.remove(path('broken/cc.fails'))
    shutil.rmtree(path('kept'))
    write('kept', '')
    same('a file instead of the cache', SMALL, CAIRN, again)
    os.remove(path('kept'))


# ---- what the compiler reads ----

def no_names():
    """Nothing of a model's text reaches the compiler."""
    text = MAKE + f'cp $folder/rules.c {path("seen.c")}\n'
    same('what is printed', ('check', PETERSON, '-D', 'n=2', '--engine', 'explicit'), CAIRN,
         fake('fake', text))
    with open(path('seen.c'), encoding='utf-8') as file:
        printed = file.read().split('#endif', 1)[1]
    words = set(re.findall(r'[A-Za-z_]\w*', printed))
    allowed = re.compile(r'[sglaepif]\d+|[wnvcrkix]|runtime_\w+|RUNTIME_\w+|u?int\d*_t|U?INT64_\w+')
    known = ('static const struct inline int return if else goto switch case break default for '
             'restrict uint64_t uint32_t int64_t fields listers pieces table tables locals found '
             'stride cairn_native void __attribute__ visibility always_inline').split()
    odd = sorted(word for word in words if word not in known and not allowed.fullmatch(word))
    check('only words of C and numbers', not odd, odd[:20])


section(random_models)
section(models_with_code)
section(examples)
section(in_the_background)
section(compilers)
section(hanging)
section(folders)
section(cache)
section(no_names)
check('machine code was used', compiled > 20, compiled)
finish()
