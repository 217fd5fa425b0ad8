"""A validator of JSON Schema (draft 2020-12), for the keywords that Cairn's own schema uses; any
other keyword is refused, so that nothing is passed over in silence. A schema becomes a function
from a value to None or the first fault, a pair of the path to it and words."""
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, 'share', 'cairn-result.schema.json')
TYPES = {'string': str, 'boolean': bool, 'null': type(None), 'array': list, 'object': dict}
ANNOTATIONS = {'$schema', '$id', '$defs', 'title', 'description'}


def is_of_type(value, name):
    if name == 'integer':
        return (isinstance(value, int) and not isinstance(value, bool)
                or isinstance(value, float) and value.is_integer())
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def same(one, other):
    """Equality of JSON values: true is not 1."""
    return type(one) is type(other) and one == other


def within(fault, step):
    """The fault, seen from one level higher."""
    return fault and ([step, *fault[0]], fault[1])


class Schema:
    """A schema, read from a file or given as a value."""

    def __init__(self, schema=None):
        if schema is None:
            with open(FILE, encoding='utf-8') as file:
                schema = json.load(file)
        self.whole, self.known = schema, {}
        self.test = self.compile(schema)

    def fault(self, value, name=None):
        """None, or what is wrong, in words. name: of the definition that it must match."""
        found = (self.of_ref(f'#/$defs/{name}') if name else self.test)(value)
        return found and f'{"/".join(map(str, found[0])) or "the whole"}: {found[1]}'

    def of_ref(self, ref):
        """The function of a definition; it may refer to itself, so it is looked up when called."""
        if ref not in self.known:
            if not ref.startswith('#/$defs/') or ref[8:] not in self.whole['$defs']:
                raise ValueError(f'no definition: {ref}')
            self.known[ref] = None
            self.known[ref] = self.compile(self.whole['$defs'][ref[8:]])
        return lambda value: self.known[ref](value)

    def compile(self, schema):
        tests = [getattr(self, 'on_' + word.lstrip('$'))(schema[word], schema)
                 for word in schema if word not in ANNOTATIONS]

        def test(value):
            for one in tests:
                found = one(value)
                if found:
                    return found
            return None
        return tests[0] if len(tests) == 1 else test

    def on_ref(self, ref, schema):
        return self.of_ref(ref)

    def on_type(self, names, schema):
        names = [names] if isinstance(names, str) else names
        return lambda value: (None if any(is_of_type(value, name) for name in names)
                              else ([], f'{value!r:.60} is no {" or ".join(names)}'))

    def on_const(self, wanted, schema):
        return lambda value: (None if same(value, wanted)
                              else ([], f'{value!r:.60} is not {wanted!r}'))

    def on_enum(self, wanted, schema):
        return lambda value: (None if any(same(value, one) for one in wanted)
                              else ([], f'{value!r:.60} is none of {wanted}'))

    def on_minimum(self, least, schema):
        return lambda value: (([], f'{value} < {least}')
                              if is_of_type(value, 'number') and value < least else None)

    def on_pattern(self, pattern, schema):
        found = re.compile(pattern).search
        return lambda value: (([], f'{value!r:.60} does not match {pattern}')
                              if isinstance(value, str) and not found(value) else None)

    def on_minItems(self, least, schema):
        return lambda value: (([], f'fewer than {least} items')
                              if isinstance(value, list) and len(value) < least else None)

    def on_maxItems(self, most, schema):
        return lambda value: (([], f'more than {most} items')
                              if isinstance(value, list) and len(value) > most else None)

    def on_required(self, names, schema):
        names = set(names)
        return lambda value: (([], f'without {sorted(names - value.keys())}')
                              if isinstance(value, dict) and not names <= value.keys() else None)

    def on_properties(self, members, schema):
        tests = {name: self.compile(member) for name, member in members.items()}

        def test(value):
            for name in value if isinstance(value, dict) else ():
                found = tests[name](value[name]) if name in tests else None
                if found:
                    return within(found, name)
            return None
        return test

    def on_additionalProperties(self, rest, schema):
        members = schema.get('properties', {}).keys()
        inner = self.compile(rest) if rest is not False else lambda value: ([], 'no such key')

        def test(value):
            for name in value if isinstance(value, dict) else ():
                found = None if name in members else inner(value[name])
                if found:
                    return within(found, name)
            return None
        return test

    def on_items(self, item, schema):
        inner = self.compile(item)

        def test(value):
            for index, one in enumerate(value if isinstance(value, list) else ()):
                found = inner(one)
                if found:
                    return within(found, index)
            return None
        return test

    def on_prefixItems(self, items, schema):
        tests = [self.compile(item) for item in items]

        def test(value):
            items = value if isinstance(value, list) else ()
            for index, (inner, one) in enumerate(zip(tests, items)):
                found = inner(one)
                if found:
                    return within(found, index)
            return None
        return test

    def on_anyOf(self, choices, schema):
        tests = [self.compile(choice) for choice in choices]

        def test(value):
            deepest = None
            for one in tests:
                found = one(value)
                if not found:
                    return None
                if deepest is None or len(found[0]) > len(deepest[0]):
                    deepest = found
            return deepest
        return test
