"""Random models with a rank: a random cyclic part beside a random acyclic automaton whose states are numbered
topologically."""


def random_model(rng, ranks=None, wrong=False):
    """A text, and the edges of its acyclic part: {rank: set of ranks}."""
    ranks = ranks or rng.choice([1, 2, 3, 5, 8, 13, 25, 60])
    low = rng.choice([0, 0, 3, -7])
    words = rng.randint(1, 4)
    sizes = [rng.choice([1, 1, 2, 3, 7]) for _ in range(words)]
    lines = ['cairn 1 model "random"', 'process "p" type "P" pc "x0" location 0 location 1 location 3', 'process "c" type "C"']
    first = low + (rng.randint(0, ranks - 1) if rng.random() < 0.1 else 0)
    lines.append(f'variable "r" of "c" {low}..{low + ranks - 1} = {"any" if rng.random() < 0.15 else first}')
    for i, size in enumerate(sizes):
        lines.append(f'variable "x{i}"{" of " + chr(34) + "p" + chr(34) if i == 0 else ""} 0..{size} = {"any" if rng.random() < 0.2 else 0}')
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
        return f'when ({rng.choice(["eq", "ne", "le", "ge"])} "x{i}" {rng.randint(0, sizes[i])})' if rng.random() < 0.7 else ''

    for n in range(rng.randint(1, 5)):
        rules.append(f'rule "s{n}" part "p" {guard()} {change()}')
    if rng.random() < 0.3:
        rules.append(f'rule "bad" part "p" {guard()} when (eq "r" {low + rng.randrange(ranks)}) set "x0" (mod 0 (div 0 {sizes[0]} "x{rng.randrange(words)}") {sizes[0] + 1})')
    if by_table:
        for t in range(rng.randint(1, 3)):
            reach = rng.choice([1, 2, ranks])
            table = [min(r + rng.randint(0, reach), ranks - 1) for r in range(ranks)]
            lines.append(f'table {ranks} ' + ' '.join(str(low + to) for to in table))
            for r, to in enumerate(table):
                if to > r:
                    edges[low + r].add(low + to)
            rules.append(f'rule "e{t}" part "c" part "p" {guard()} set "r" (table {t} (sub 0 "r" {low})) {change() if rng.random() < 0.7 else ""}')
    else:
        for r in range(ranks - 1):
            for _ in range(rng.choice([1, 1, 2])):
                to = rng.randint(r + 1, min(ranks - 1, r + rng.choice([1, 3, ranks])))
                edges[low + r].add(low + to)
                rules.append(f'rule "e{r}" part "c" part "p" when (eq "r" {low + r}) {guard()} set "r" {low + to} {change() if rng.random() < 0.7 else ""}')
    if wrong:
        rules.append(f'rule "back" part "c" when (eq "r" {low + ranks - 1}) set "r" {low}')
    rng.shuffle(rules)
    if rng.random() < 0.5:
        lines.append(f'final (eq "r" {low + ranks - 1})')
    for n in range(rng.randint(0, 3)):
        i, j = rng.randrange(words), rng.randrange(words)
        atom = f'(or (ne "r" {low + rng.randrange(ranks)}) (or (ne "x{i}" {rng.randint(0, sizes[i])}) (ne "x{j}" {rng.randint(0, sizes[j])})))'
        if rng.random() < 0.2:
            atom = f'(implies (eq "r" {low + rng.randrange(ranks)}) {atom})'
        rules.append(f'property "i{n}" invariant formula {atom}')
    return '\n'.join(lines + rules) + '\n', edges
