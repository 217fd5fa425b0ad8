"""Makes a model of generate.py smaller while something stays true of it: leaves out queries,
processes, edges, labels, parts of labels, invariants, marks of locations, declarations."""
import copy
import re


def without(items, i):
    return items[:i] + items[i + 1:]


def parts_of(text, separator):
    """A text cut at separators that stand in no brackets."""
    depth, parts, current = 0, [], ''
    for token in re.split(rf'({re.escape(separator)}|[()\[\]{{}}])', text):
        if token == separator and depth == 0:
            parts.append(current)
            current = ''
            continue
        depth += (token in ('(', '[', '{')) - (token in (')', ']', '}'))
        current += token
    return parts + [current]


def shorter(text):
    """Texts with less in them, the shortest first."""
    if not text:
        return []
    found = ['']
    for separator in (' && ', ', ', ' || ', ' and ', ' or '):
        parts = parts_of(text, separator)
        if len(parts) > 1:
            found += [separator.join(without(parts, i)) for i in range(len(parts))]
    if text[0] == '(' and text[-1] == ')':
        found.append(text[1:-1])
    numbers = [(m.start(), m.end()) for m in re.finditer(r'\b[2-9]\b', text)]
    found += [text[:a] + '1' + text[b:] for a, b in numbers]
    return found


def without_process(model):
    for i in range(0, len(model.groups), 2):
        if len(model.groups) > 1:
            smaller = copy.deepcopy(model)
            del smaller.groups[max(0, i - 1):i + 1 if i else 2]
            yield smaller


def without_unused(model):
    for i, t in enumerate(model.templates):
        used = ' '.join(model.instances + model.groups)
        if not re.search(rf'\b{t.name}\b', used):
            smaller = copy.deepcopy(model)
            del smaller.templates[i]
            yield smaller
    for field in ('instances', 'declarations'):
        for i in range(len(getattr(model, field))):
            smaller = copy.deepcopy(model)
            del getattr(smaller, field)[i]
            yield smaller
    if model.priority:
        smaller = copy.deepcopy(model)
        smaller.priority = None
        yield smaller
    for i, sign in enumerate(model.groups):
        if sign == '<':
            smaller = copy.deepcopy(model)
            smaller.groups[i] = ','
            yield smaller


def simpler_template(model):
    for i, t in enumerate(model.templates):
        for j in range(len(t.edges)):
            smaller = copy.deepcopy(model)
            del smaller.templates[i].edges[j]
            yield smaller
        for j in range(1, len(t.locations)):
            smaller = copy.deepcopy(model)
            del smaller.templates[i].locations[j]
            yield smaller
        for j in range(len(t.declarations)):
            smaller = copy.deepcopy(model)
            del smaller.templates[i].declarations[j]
            yield smaller
        if t.branches and not any('B' in edge[:2] for edge in t.edges):
            smaller = copy.deepcopy(model)
            smaller.templates[i].branches = []
            yield smaller


def simpler_labels(model):
    for i, t in enumerate(model.templates):
        for j, edge in enumerate(t.edges):
            for k in range(2, 6):
                for text in shorter(edge[k]):
                    if k == 4 and text:
                        continue
                    smaller = copy.deepcopy(model)
                    smaller.templates[i].edges[j][k] = text
                    yield smaller
        for j, (_, invariant, kind) in enumerate(t.locations):
            for text in shorter(invariant):
                smaller = copy.deepcopy(model)
                smaller.templates[i].locations[j][1] = text
                yield smaller
            if kind:
                smaller = copy.deepcopy(model)
                smaller.templates[i].locations[j][2] = ''
                yield smaller


def simpler_queries(model):
    for i in range(len(model.queries)):
        if len(model.queries) > 1:
            smaller = copy.deepcopy(model)
            smaller.queries = [model.queries[i]]
            yield smaller
    for i, query in enumerate(model.queries):
        if len(model.queries) > 1:
            smaller = copy.deepcopy(model)
            del smaller.queries[i]
            yield smaller
        match = re.match(r'(A\[\]|E<>|E\[\]|A<>) (.*)', query)
        for text in shorter(match.group(2)) if match else ():
            if text:
                smaller = copy.deepcopy(model)
                smaller.queries[i] = f'{match.group(1)} {text}'
                yield smaller


def shrink(model, fails, most=2000):
    """The smallest model found of which fails(model) is true."""
    tries = 0
    while True:
        for how in (simpler_queries, without_process, without_unused, simpler_template,
                    simpler_labels):
            found = None
            for smaller in how(model):
                tries += 1
                if tries > most:
                    return model
                if fails(smaller):
                    found = smaller
                    break
            if found:
                model = found
                break
        else:
            return model
