"""Random timed models with a rank, and a line of events with time: for past-freeze order, frozen
and split."""


def interval(rng):
    low = rng.randint(0, 3)
    if rng.random() < 0.3:
        return f'interval {rng.choice("[(")}{low}, infinity)'
    high = low + rng.randint(0, 3)
    return (f'interval [{low}, {high}]' if high == low
            else f'interval {rng.choice("[[(")}{low}, {high}{rng.choice("]])")}')


def random_model(rng, wrong=False, clocks=True, weight=0, most=13):
    """Two cyclic timed processes beside a random acyclic automaton whose states are numbered
    topologically: the rank. wrong: a step leads back. weight: variables that only take room."""
    ranks, low = rng.choice([n for n in (1, 2, 3, 5, 8, 13, 21, 34) if n <= most]), rng.choice(
        [0, 0, 3, -7])
    clocks = clocks and rng.random() < 0.7
    classes = rng.random() < 0.4
    names = ['k0', 'k1'] if clocks else []
    sizes = {'x': rng.randint(1, 3), 'y': rng.randint(1, 2), 'd': 1}
    lines = ['cairn 1 model "random"'] + [f'clock "{k}"' for k in names]
    if classes:
        lines.append('classes 2 priority 0 > 1')
    for process, pc in (('p', 'x'), ('q', 'y')):
        lines.append(f'process "{process}" type "{process}" pc "{pc}"')
        for value in range(sizes[pc] + 1):
            bound = (f' invariant "{rng.choice(names)}" {rng.choice(["<=", "<="])} '
                     f'{rng.randint(1, 4)}' if clocks and rng.random() < 0.25 else '')
            lines.append(f'location {value}{bound}')
    lines.append('process "c" type "C"')
    lines.append(
        f'variable "r" of "c" {low}..{low + ranks - 1} = {"any" if rng.random() < 0.15 else low}')
    for v, size in sizes.items():
        owner = {'x': ' of "p"', 'y': ' of "q"'}.get(v, '')
        lines.append(f'variable "{v}"{owner} 0..{size} = {"any" if rng.random() < 0.15 else 0}')
    lines += [f'variable "w{i}" 0..1000000000 = 0' for i in range(weight)]
    lines.append('rank "r"')

    def timing():
        out = [interval(rng)] if rng.random() < 0.6 else []
        if clocks and rng.random() < 0.6:
            out.append(f'guard "{rng.choice(names)}" {rng.choice(["<=", ">=", ">", "<"])} '
                       f'{rng.randint(1, 4)}')
        if clocks and rng.random() < 0.5:
            out.append(f'reset "{rng.choice(names)}"')
        if classes and rng.random() < 0.7:
            out.append(f'class {rng.randint(0, 1)}')
        return ' '.join(out)

    def change(v):
        return (f'set "{v}" {rng.randint(0, sizes[v])}' if rng.random() < 0.4
                else f'set "{v}" (mod 0 (add 0 "{v}" 1) {sizes[v] + 1})')

    def when(v):
        return (f'when ({rng.choice(["eq", "ne", "le", "ge"])} "{v}" {rng.randint(0, sizes[v])})'
                if rng.random() < 0.7 else '')

    def stays():
        return ' stays' if rng.random() < 0.3 else ''
    rules = []
    for n in range(rng.randint(2, 5)):
        process, v = rng.choice([('p', 'x'), ('q', 'y')])
        other = ' ' + change('d') if rng.random() < 0.3 else ''
        rules.append(
            f'rule "s{n}" part "{process}"{stays()} {when(v)} {when(rng.choice(list(sizes)))} '
            f'{change(v)}{other} {timing()}')
    if rng.random() < 0.25:
        rules.append(
            f'rule "bad" part "p" when (eq "r" {low + rng.randrange(ranks)}) {when("x")} set "d" '
            f'(mod 0 (div 0 1 "y") 2) {timing()}')
    for r in range(ranks - 1):
        for k in range(rng.choice([1, 1, 2])):
            to = rng.randint(r + 1, min(ranks - 1, r + rng.choice([1, 3, ranks])))
            part = rng.choice(
                ['', f' part "p"{stays()} {when("x")} {change("x")}',
                 f' part "q" {when("y")} {change("d")}'])
            rules.append(
                f'rule "e{r}_{k}" part "c" when (eq "r" {low + r}){part} set "r" {low + to} '
                f'{timing()}')
    if wrong:
        rules.append(
            f'rule "back" part "c" when (eq "r" {low + ranks - 1}) set "r" {low} {timing()}')
    rng.shuffle(rules)
    if rng.random() < 0.4:
        lines.append(f'final (eq "r" {low + ranks - 1})')
    for n in range(rng.randint(0, 3)):
        v, w = rng.choice(list(sizes)), rng.choice(list(sizes))
        atom = (f'(or (ne "r" {low + rng.randrange(ranks)}) (or (ne "{v}" '
                f'{rng.randint(0, sizes[v])}) (ne "{w}" {rng.randint(0, sizes[w])})))')
        if rng.random() < 0.3:
            atom = f'(implies (eq "{v}" {rng.randint(0, sizes[v])}) {atom})'
        rules.append(f'property "i{n}" invariant formula {atom}')
    if rng.random() < 0.3:
        rules.append(
            f'property "ef" ctl formula (exists (finally (and (eq "r" {low + ranks - 1}) (eq "x" '
            f'{sizes["x"]}))))')
    return '\n'.join(lines + rules) + '\n'


def line(events, bits):
    """A line of events for a system whose bits flip at their own pace. Event after event, at least
    two units apart."""
    text = ['cairn 1 model "line" clock "k" process "b" type "B" process "c" type "C"',
            f'variable "r" of "c" 0..{events} = 0']
    text += [f'variable "x{i}" of "b" 0..1 = 0' for i in range(bits)]
    text.append(f'table {events + 1} '
                + ' '.join(str(min(r + 1, events)) for r in range(events + 1))
                + f' rank "r" final (eq "r" {events})')
    text.append(f'rule "send" part "c" when (lt "r" {events}) set "r" (table 0 "r") guard "k" >= 2 '
                f'reset "k"')
    text += [f'rule "f{i}" part "b" stays set "x{i}" (sub 1 1 "x{i}") interval [{i + 1}, {i + 3}]'
             for i in range(bits)]
    text.append(f'property "end" invariant formula (not (and (eq "r" {events}) (eq "x{bits - 1}" '
                f'1)))')
    return '\n'.join(text) + '\n'


def tree(depth, bits, weight):
    """Every cluster leads to two others, so that very many wait at once; each has all states of
    some bits, one of which takes its time. weight: variables that only take room."""
    inner = 2 ** depth - 1
    text = ['cairn 1 model "tree" clock "k" process "b" type "B" process "c" type "C"',
            f'variable "r" of "c" 0..{2 * inner} = 0']
    text += [f'variable "x{i}" of "b" 0..1 = 0'
             for i in range(bits)] + [f'variable "w{i}" 0..1000000000 = 0' for i in range(weight)]
    text += [f'table {2 * inner + 1} '
             + ' '.join(str(min(2 * r + child, 2 * inner)) for r in range(2 * inner + 1))
             for child in (1, 2)]
    text.append(f'rank "r" final (ge "r" {inner})')
    text += [f'rule "go{i}" part "c" when (lt "r" {inner}) set "r" (table {i} "r") guard "k" >= '
             f'{i + 1} reset "k"' for i in (0, 1)]
    text += [f'rule "f{i}" part "b" stays set "x{i}" (sub 1 1 '
             f'"x{i}"){"" if i else " interval [1, 3]"}' for i in range(bits)]
    text.append(f'property "never" invariant formula (not (and (eq "r" {2 * inner}) (and (eq "x0" '
                f'1) (eq "x{bits - 1}" 1))))')
    return '\n'.join(text) + '\n'
