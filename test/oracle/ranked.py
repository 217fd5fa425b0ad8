"""Random models with a rank: a random cyclic part beside a random acyclic automaton whose states
are numbered topologically."""


def random_model(rng, ranks=None, wrong=False):
    """A text, and the edges of its acyclic part: {rank: set of ranks}."""
    ranks = ranks or rng.choice([1, 2, 3, 5, 8, 13, 25, 60])
    low = rng.choice([0, 0, 3, -7])
    words = rng.randint(1, 4)
    sizes = [rng.choice([1, 1, 2, 3, 7]) for _ in range(words)]
    lines = ['cairn 1 model "random"',
             'process "p" type "P" pc "x0" location 0 location 1 location 3',
             'process "c" type "C"']
    first = low + (rng.randint(0, ranks - 1) if rng.random() < 0.1 else 0)
    lines.append(
        f'variable "r" of "c" {low}..{low + ranks - 1} = {"any" if rng.random() < 0.15 else first}')
    for i, size in enumerate(sizes):
        lines.append(
            f'variable "x{i}"{" of " + chr(34) + "p" + chr(34) if i == 0 else ""} 0..{size} = '
            f'{"any" if rng.random() < 0.2 else 0}')
    lines.append('rank "r"')
    edges, by_table = {r: set() for r in range(low, low + ranks)}, rng.random() < 0.5 and ranks > 1
    rules = []

    def change():
        i = rng.randrange(words)
        kind = rng.random()
        if kind < 0.4:
            return f'set "x{i}" {rng.randint(0, sizes[i])}'
        if kind < 0.8:
            return f'set "x{i}" (mod 0 (add 0 "x{i}" {rng.randint(1, 2)}) {sizes[i] + 1})'
        return f'set "x{i}" (choose (eq "x{(i + 1) % words}" 0) {rng.randint(0, sizes[i])} "x{i}")'

    def guard():
        i = rng.randrange(words)
        return (f'when ({rng.choice(["eq", "ne", "le", "ge"])} "x{i}" {rng.randint(0, sizes[i])})'
                if rng.random() < 0.7 else '')

    for n in range(rng.randint(1, 5)):
        rules.append(f'rule "s{n}" part "p" {guard()} {change()}')
    if rng.random() < 0.3:
        rules.append(
            f'rule "bad" part "p" {guard()} when (eq "r" {low + rng.randrange(ranks)}) set "x0" '
            f'(mod 0 (div 0 {sizes[0]} "x{rng.randrange(words)}") {sizes[0] + 1})')
    if by_table:
        for t in range(rng.randint(1, 3)):
            reach = rng.choice([1, 2, ranks])
            table = [min(r + rng.randint(0, reach), ranks - 1) for r in range(ranks)]
            lines.append(f'table {ranks} ' + ' '.join(str(low + to) for to in table))
            for r, to in enumerate(table):
                if to > r:
                    edges[low + r].add(low + to)
            rules.append(
                f'rule "e{t}" part "c" part "p" {guard()} set "r" (table {t} (sub 0 "r" {low})) '
                f'{change() if rng.random() < 0.7 else ""}')
    else:
        for r in range(ranks - 1):
            for _ in range(rng.choice([1, 1, 2])):
                to = rng.randint(r + 1, min(ranks - 1, r + rng.choice([1, 3, ranks])))
                edges[low + r].add(low + to)
                rules.append(
                    f'rule "e{r}" part "c" part "p" when (eq "r" {low + r}) {guard()} set "r" '
                    f'{low + to} {change() if rng.random() < 0.7 else ""}')
    if wrong:
        rules.append(f'rule "back" part "c" when (eq "r" {low + ranks - 1}) set "r" {low}')
    rng.shuffle(rules)
    if rng.random() < 0.5:
        lines.append(f'final (eq "r" {low + ranks - 1})')
    for n in range(rng.randint(0, 3)):
        i, j = rng.randrange(words), rng.randrange(words)
        atom = (f'(or (ne "r" {low + rng.randrange(ranks)}) (or (ne "x{i}" '
                f'{rng.randint(0, sizes[i])}) (ne "x{j}" {rng.randint(0, sizes[j])})))')
        if rng.random() < 0.2:
            atom = f'(implies (eq "r" {low + rng.randrange(ranks)}) {atom})'
        rules.append(f'property "i{n}" invariant formula {atom}')
    return '\n'.join(lines + rules) + '\n', edges


def random_local(rng):
    """A text with a rank in which processes take steps of their own, on cycles and on ways that
    end, beside steps that others notice: what reductions are for."""
    count, ranks = rng.randint(2, 4), rng.choice([1, 2, 3, 5])
    lines, rules, places = ['cairn 1 model "local"'], [], []
    for p in range(count):
        places.append(rng.randint(2, 4))
        lines.append(f'process "p{p}" type "P{p}" pc "l{p}" '
                     + ' '.join(f'location {v}' for v in range(places[p])))
    lines.append('process "c" type "C"')
    lines.append(f'variable "r" of "c" 0..{ranks - 1} = 0 variable "g" 0..2 = 0')
    lines += [f'variable "l{p}" of "p{p}" 0..{places[p] - 1} = 0 variable "y{p}" of "p{p}" 0..2 = '
              f'{"any" if rng.random() < 0.1 else 0}' for p in range(count)]
    lines.append('rank "r"')
    for p in range(count):
        for n in range(rng.randint(2, 5)):
            start, to = n % places[p], (n + rng.randint(0, 2)) % places[p]
            text = f'rule "a{p}{n}" part "p{p}" when (eq "l{p}" {start})'
            if rng.random() < 0.3:
                text += f' when (ne "y{p}" {rng.randint(0, 2)})'
            shared = rng.random() < 0.1
            if shared and rng.random() < 0.5:
                text += f' when (ne "g" {rng.randint(0, 2)})'
            text += f' set "l{p}" {to}'
            if rng.random() < 0.5:
                text += (f' set "y{p}" (choose (eq "y{p}" {rng.randint(0, 2)}) {rng.randint(0, 2)} '
                         f'{rng.randint(0, 2)})')
            if shared:
                text += f' set "g" {rng.randint(0, 2)}'
            rules.append(text)
    for r in range(ranks - 1):
        for n in range(rng.randint(1, 2)):
            p = rng.randrange(count)
            partner = (f' part "p{p}" when (eq "l{p}" {rng.randrange(places[p])})'
                       f' set "l{p}" {rng.randrange(places[p])}') if rng.random() < 0.5 else ''
            rules.append(f'rule "e{r}{n}" part "c"{partner} when (eq "r" {r})'
                         f' set "r" {rng.randint(r + 1, ranks - 1)}')
    rng.shuffle(rules)
    if rng.random() < 0.3:
        lines.append(f'final (eq "r" {ranks - 1})')
    for n in range(rng.randint(0, 2)):
        p = 0  # the others' steps stay invisible
        rules.append(f'property "i{n}" invariant formula (or (ne "r" {rng.randrange(ranks)}) '
                     f'(or (ne "l{p}" {rng.randrange(places[p])}) (ne "g" {rng.randint(0, 2)})))')
    return '\n'.join(lines + rules) + '\n'
