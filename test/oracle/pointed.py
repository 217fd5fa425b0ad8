"""Random models for searches that p-points divide, in Cairn's own text form."""


def odd_model(rng):
    """A model as text that Milestones cannot say: failing rules, final states, listed and many
    initial states, records of many words."""
    words = rng.randint(1, 5)
    sizes = [rng.choice([1, 2, 3, 7, 30]) for _ in range(words)]
    lines = ['cairn 1 model "random"', 'process "p" type "P" pc "x0" location 0 location 1',
             'process "q" type "P"']
    lines += [f'variable "x{i}"{" of " + chr(34) + "p" + chr(34) if i == 0 else ""} 0..{size} = '
              f'{"any" if rng.random() < 0.3 else rng.randint(0, size)}'
              for i, size in enumerate(sizes)]
    if rng.random() < 0.2:
        wide = rng.randint(1, 30)
        lines += [f'variable "wide{i}" 0..4000000000000000000 = {i}' for i in range(wide)]
        lines += [f'rule "w" part "q" when (eq "wide{i}" {i}) set "wide{i}" {4 * 10 ** 18 - i}'
                  for i in range(min(wide, 3))]
    for n in range(rng.randint(1, 8)):
        i, j = rng.randrange(words), rng.randrange(words)
        guard = (f'when ({rng.choice(["eq", "ne", "le", "ge"])} "x{j}" {rng.randint(0, sizes[j])})'
                 if rng.random() < 0.7 else '')
        value = rng.choice(
            [str(rng.randint(0, sizes[i])),
             f'(mod 0 (add 0 "x{i}" {rng.randint(1, 2)}) {sizes[i] + 1})',
             f'(choose (eq "x{j}" 0) {rng.randint(0, sizes[i])} "x{i}")',
             f'(mod 0 (div 0 {sizes[i]} "x{j}") {sizes[i] + 1})'])
        lines.append(
            f'rule "r{rng.randint(0, 5)}" part "{rng.choice("pq")}" {guard} set "x{i}" {value}')
    if rng.random() < 0.4:
        lines.append(f'final (eq "x0" {rng.randint(0, sizes[0])})')
    for n in range(rng.randint(0, 3)):
        i, j = rng.randrange(words), rng.randrange(words)
        lines.append(
            f'property "i{n}" invariant formula (implies (eq "x{j}" {rng.randint(0, sizes[j])}) '
            f'(ne "x{i}" {rng.randint(0, sizes[i])}))')
    return '\n'.join(lines) + '\n'
