"""Conditions on states, as Fiacre expressions in which `P[1].x` is a variable of the first instance
of P and `P[1]@s` asks for its control state."""
from fiacre.code import checked
from fiacre.parse import ModelError, Parser
from fiacre.values import BOOL


def predicate(model, text):
    """A Python function from states to bool."""
    parser = Parser(text)
    e = parser.expression()
    if parser.kind != 'end':
        raise ModelError('something behind the invariant', parser.pos)
    scope = {}
    body = checked(model.g, resolved(model, e, scope), scope, BOOL)
    return eval(f'lambda S: {body}', model.g.python)


def instance_name(e):
    if e[0] == 'index' and e[1][0] == 'name' and e[2][0] == 'num':
        return f'{e[1][1]}[{e[2][1]}]'
    return None


def resolved(model, e, scope):
    """The expression with names of slots in place of what names them."""
    slots = {name: slot for slot, (name, _, _) in enumerate(model.slots)}
    if e[0] == 'at':
        slot = slots.get(instance_name(e[1]))
        if slot is None or model.slots[slot][1]:
            raise ModelError('no such process instance', e[3])
        states = model.processes[model.slots[slot][2]].unit.states
        if e[2] not in states:
            raise ModelError(f'no state {e[2]!r}', e[3])
        scope[f'slot {slot}'] = 'variable', f'S[{slot}]', ('int', 0, len(states))
        return 'bin', '=', ('name', f'slot {slot}', e[3]), ('num', states.index(e[2])), e[3]
    if e[0] == 'field' and instance_name(e[1]):
        slot = slots.get(f'{instance_name(e[1])}.{e[2]}')
        if slot is None:
            raise ModelError(f'no variable {e[2]!r} there', e[3])
        scope[f'slot {slot}'] = 'variable', f'S[{slot}]', model.slots[slot][1]
        return 'name', f'slot {slot}', e[3]
    if e[0] in ('num', 'bool', 'name'):
        return e
    return tuple(resolved_part(model, part, scope) for part in e)


def resolved_part(model, part, scope):
    if isinstance(part, list):
        return [resolved_part(model, x, scope) for x in part]
    if isinstance(part, tuple) and part and isinstance(part[0], str):
        return (resolved(model, part, scope) if len(part) > 1 and part[0] in KINDS
                else (part[0], *(resolved_part(model, x, scope) for x in part[1:])))
    return part


KINDS = ('num', 'bool', 'name', 'call', 'index', 'field', 'at', 'un', 'bin', 'cond', 'array',
         'record', 'queue')
