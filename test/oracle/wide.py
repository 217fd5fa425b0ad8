"""Random models with wide levels, failing rules, final states and several initial states: for
several threads."""


def random_model(rng):
    """A text of some hundred or thousand states."""
    count = rng.randint(2, 6)
    sizes = [rng.choice([1, 2, 3, 5, 7]) for _ in range(count)]
    while rng.random() < 0.9 and states(sizes) > 4000:
        sizes[rng.randrange(count)] = 1
    lines = ['cairn 1 model "random"',
             'process "p" type "P" pc "x0" '
             + ' '.join(f'location {v}' for v in range(sizes[0] + 1))]
    for i, size in enumerate(sizes):
        lines.append(
            f'variable "x{i}"{" of " + chr(34) + "p" + chr(34) if i == 0 else ""} 0..{size} = '
            f'{"any" if rng.random() < 0.15 else 0}')

    def guard():
        i = rng.randrange(count)
        return f'when ({rng.choice(["eq", "ne", "le", "ge"])} "x{i}" {rng.randint(0, sizes[i])})'

    def change():
        i = rng.randrange(count)
        return (f'set "x{i}" (mod 0 (add 0 "x{i}" {rng.randint(1, 2)}) {sizes[i] + 1})'
                if rng.random() < 0.8 else f'set "x{i}" {rng.randint(0, sizes[i])}')

    for n in range(rng.randint(2, 12)):
        lines.append(f'rule "s{n}" part "p" '
                     + ' '.join(guard() for _ in range(rng.choice([0, 1, 1, 2, 3]))) + ' '
                     + change())
    if rng.random() < 0.4:
        i = rng.randrange(count)
        lines.append(
            f'rule "bad" part "p" {guard()} {guard()} set "x0" (mod 0 (div 0 {sizes[0]} "x{i}") '
            f'{sizes[0] + 1})')
    if rng.random() < 0.3:
        lines.append(f'final (eq "x{count - 1}" {sizes[-1]})')
    for n in range(rng.randint(0, 4)):
        atom = ' '.join(f'(or (ne "x{i}" {rng.randint(0, sizes[i])})'
                        for i in (rng.randrange(count)
                                  for _ in range(rng.randint(1, 4)))) + ' false'
        atom += ')' * atom.count('(or')
        if rng.random() < 0.3:
            atom = f'(implies (eq "x{rng.randrange(count)}" 1) {atom})'
        if rng.random() < 0.1:
            atom = f'(or {atom} (lt (div 0 3 "x{rng.randrange(count)}") 2))'
        lines.append(f'property "i{n}" invariant formula {atom}')
    return '\n'.join(lines) + '\n'


def states(sizes):
    product = 1
    for size in sizes:
        product *= size + 1
    return product
