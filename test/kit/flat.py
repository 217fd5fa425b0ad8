"""JSON objects as flat tables {path: value}, so that two of them are compared path by path."""

MISSING = '(nothing)'
ASIDE = ('cairn', 'time', 'states_per_second', 'rules_per_second', 'command_line')


def is_aside(key):
    """Version, time and memory."""
    return key in ASIDE or key.endswith('seconds') or key.endswith('bytes') and key != 'state_bytes'


def flat(value, path=''):
    """{path: leaf}; an empty list or object is a leaf, and time and memory are left out."""
    if isinstance(value, dict) and value:
        pairs = [(f'{path}.{key}', each) for key, each in value.items() if not is_aside(key)]
    elif isinstance(value, list) and value:
        pairs = [(f'{path}[{i}]', each) for i, each in enumerate(value)]
    else:
        return {path.lstrip('.'): value}
    found = {}
    for name, each in pairs:
        found.update(flat(each, name))
    return found


def differences(old, new):
    """[(path, old value, new value)], in the order of the objects."""
    a, b = flat(old), flat(new)
    return [(path, a.get(path, MISSING), b.get(path, MISSING)) for path in {**a, **b}
            if a.get(path, MISSING) != b.get(path, MISSING)]
