"""What --partition takes: names of p-points of a model, read from its text (translate --to
cairn)."""
import re


def names(text):
    """Labels, labels of a process, and locations."""
    found, process, label = set(), None, None
    for line in text.split('\n'):
        match = re.match(r'process "([^"]*)"', line)
        process = match.group(1) if match else process
        match = re.match(r'  location (-?\d+)(?: "([^"]*)")?', line)
        if match:
            found.add(f'{process}.{match.group(2) or match.group(1)}')
        match = re.match(r'rule "([^"]*)"', line)
        if match:
            label = match.group(1)
            found.add(label)
        match = re.match(r'  part "([^"]*)"', line)
        if match:
            found.add(f'{match.group(1)}.{label}')
    return sorted(name for name in found if name and ',' not in name and name == name.strip())


def some_points(text, rng, sizes):
    """Some of them, as many as a draw from `sizes`; where there is none: auto."""
    there = names(text)
    return ','.join(rng.sample(there, min(len(there), rng.choice(sizes)))) if there else 'auto'
