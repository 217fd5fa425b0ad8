"""Networks of timed automata in TChecker's text form, of any size: what timed.py measures.

Fischer, CSMA/CD and FDDI have the processes, constants and synchronisations of TChecker's own
examples, under other names, so that sizes can be compared. The gear controller is
examples/uppaal/gear.xml.
"""


def text(name, lines):
    return '\n'.join([f'system:{name}', *lines]) + '\n'


def process(name, locations, edges):
    """Locations: (name, attributes); edges: (from, to, event, attributes)."""
    return [f'process:{name}'] + [f'location:{name}:{place}{{{more}}}' for place, more in locations
        ] + [f'edge:{name}:{a}:{b}:{event}{{{more}}}' for a, b, event, more in edges]


def fischer(n, wait=10):
    lines = ['event:move', f'int:1:0:{n}:0:turn']
    for i in range(1, n + 1):
        x = f'x{i}'
        lines += [f'clock:1:{x}'] + process(
            f'Station{i}',
            [('idle', 'initial:'), ('asks', f'invariant: {x}<={wait}'), ('waits', ''),
             ('inside', f'labels: inside{i}')],
            [('idle', 'asks', 'move', f'provided: turn==0 : do: {x}=0'),
             ('asks', 'waits', 'move', f'provided: {x}<={wait} : do: {x}=0;turn={i}'),
             ('waits', 'asks', 'move', f'provided: turn==0 : do: {x}=0'),
             ('waits', 'inside', 'move', f'provided: {x}>{wait} && turn=={i}'),
             ('inside', 'idle', 'move', 'do: turn=0')])
    return text(f'fischer{n}', lines)


def csmacd(n, frame=808, delay=26):
    """Stations send frames over a bus; those that begin within `delay` of each other collide."""
    told = [f'tell{i}' for i in range(1, n + 1)]
    lines = [f'event:{event}' for event in ('move', 'begin', 'busy', 'end', 'collide', *told)]
    lines += [f'int:1:1:{n + 1}:1:next', 'clock:1:y'] + process(
        'Bus',
        [('idle', 'initial:'), ('active', ''), ('collision', f'invariant: y<{delay}'),
         ('telling', 'committed:')],
        [('idle', 'active', 'begin', 'do: y=0'),
         ('active', 'collision', 'begin', f'provided: y<{delay} : do: y=0'),
         ('active', 'active', 'busy', f'provided: y>={delay}'),
         ('active', 'idle', 'end', 'do: y=0'),
         ('collision', 'telling', 'move', f'provided: y<{delay} : do: next=1'),
         ('telling', 'idle', 'move', f'provided: next=={n + 1} && y<{delay} : do: y=0;next=1')]
        + [('telling', 'telling', event, f'provided: next=={i + 1} : do: next=next+1')
           for i, event in enumerate(told)])
    for i in range(1, n + 1):
        x, name, soon = f'x{i}', f'Station{i}', f'x{i}<{2 * delay}'
        lines += [f'clock:1:{x}'] + process(
            name,
            [('waits', 'initial:'), ('sends', f'invariant: {x}<={frame}'),
             ('retries', f'invariant: {soon}')],
            [('waits', 'sends', 'begin', f'do: {x}=0'), ('waits', 'retries', 'busy', f'do: {x}=0'),
             ('waits', 'waits', 'collide', f'do: {x}=0'),
             ('waits', 'retries', 'collide', f'do: {x}=0'),
             ('sends', 'waits', 'end', f'provided: {x}=={frame} : do: {x}=0'),
             ('sends', 'retries', 'collide', f'provided: {x}<{delay} : do: {x}=0'),
             ('retries', 'sends', 'begin', f'provided: {soon} : do: {x}=0'),
             ('retries', 'retries', 'busy', f'provided: {soon} : do: {x}=0'),
             ('retries', 'retries', 'collide', f'provided: {soon} : do: {x}=0')])
        lines += [f'sync:Bus@{bus}:{name}@{own}' for bus, own in (
            ('begin', 'begin'), ('busy', 'busy'), (f'tell{i}', 'collide'), ('end', 'end'))]
    return text(f'csmacd{n}', lines)


def fddi(n, share=20):
    """A token goes round; each station sends for `share`, and longer when the token came early."""
    rotation = 50 * n
    lines = [f'event:{event}' for event in ['move', 'take', 'give'] + [f'{word}{i}'
        for i in range(1, n + 1) for word in ('take', 'give')]]
    for i in range(1, n + 1):
        t, x, y = f't{i}', f'x{i}', f'y{i}'

        def half(idle, late, early, longer, after, mine, other):
            return ([(idle, ''), (late, f'invariant: {t}<={share}'),
                     (early, f'invariant: {t}<={share}'),
                     (longer, f'invariant: {mine}<={rotation + share}')],
                    [(idle, late, 'take', f'provided: {t}>={rotation} : do: {t}=0;{other}=0'),
                     (idle, early, 'take', f'provided: {t}<{rotation} : do: {t}=0;{other}=0'),
                     (late, after, 'give', f'provided: {t}=={share}'),
                     (early, longer, 'move', f'provided: {t}=={share}'),
                     (longer, after, 'give', '')])
        places, edges = half('idle', 'late', 'early', 'longer', 'idle2', x, y)
        places2, edges2 = half('idle2', 'late2', 'early2', 'longer2', 'idle', y, x)
        places[0] = ('idle', 'initial:')
        lines += [f'clock:1:{clock}' for clock in (t, x, y)] + process(
            f'Station{i}', places + places2, edges + edges2)
    lines += ['clock:1:t'] + process(
        'Ring',
        [place for i in range(1, n + 1) for place in (
            (f'to{i}', 'invariant: t<=0' + ' : initial:' * (i == 1)), (f'at{i}', ''))],
        [edge for i in range(1, n + 1) for edge in (
            (f'to{i}', f'at{i}', f'take{i}', 'provided: t==0'),
            (f'at{i}', f'to{i % n + 1}', f'give{i}', 'do: t=0'))])
    return text(f'fddi{n}', lines + [f'sync:Station{i}@{word}:Ring@{word}{i}'
        for i in range(1, n + 1) for word in ('take', 'give')])


def gear(cars=1):
    """The gear controller of examples/uppaal, in one car or in several side by side."""
    lines = [f'event:{event}' for event in ['move', 'ask', 'done', *GEAR_CHANNELS]]
    for car in range(1, cars + 1):
        lines += gear_of(car)
    return text(f'gear{cars}', lines)


GEAR_CHANNELS = ('zero', 'noTorque', 'speed', 'synchronous', 'torque', 'open', 'opened', 'close',
                 'closed', 'leave', 'left', 'engage', 'engaged')


def gear_of(car):
    def own(words):
        """With the names of this car: c, e, b, k are clocks, at and to gears."""
        for name in ('c', 'e', 'b', 'k', 'at', 'to', 'opens', 'slowTorque', 'slowSpeed'):
            words = words.replace(f'${name}$', f'{name}{car}')
        return words

    def part(name, places, edges):
        return process(f'{name}{car}', [(place, own(more)) for place, more in places],
                       [(a, b, event, own(more)) for a, b, event, more in edges])
    lines = [own(line) for line in (
        'clock:1:$c$', 'clock:1:$e$', 'clock:1:$b$', 'clock:1:$k$', f'clock:1:change{car}',
        'int:1:-1:5:0:$at$', 'int:1:-1:5:0:$to$', 'int:1:0:1:0:$opens$',
        'int:1:0:1:0:$slowTorque$', 'int:1:0:1:0:$slowSpeed$')]
    lines += part('Interface', [('Driving', 'initial:'), ('Changing', '')],
                  [('Driving', 'Changing', 'ask',
                    f'provided: {next_to} : do: $to$={to};change{car}=0')
                   for to in range(-1, 6)
                   for next_to in [f'$at$=={at}' for at in (to - 1, to + 1) if -1 <= at <= 5]]
                  + [('Changing', 'Driving', 'done', '')])
    committed = [(place, 'committed:') for place in (
        'Asked', 'Free', 'InNeutral', 'MayEngage', 'Engaged', 'Torque', 'Changed')]
    limits = {'LessTorque': 250, 'OpensForTorque': 200, 'Leaving': 250, 'Synchronising': 150,
              'OpensForSpeed': 200, 'Engaging': 350, 'Closing': 200}
    errors = [(f'{word}Error', '') for word in ('Open', 'Close', 'Leave', 'Engage')]
    lines += part(
        'Controller',
        [('Ready', 'initial:')] + committed + [
            (place, f'invariant: $c$<={most}') for place, most in limits.items()] + errors,
        [('Ready', 'Asked', 'ask', 'do: $opens$=0;$slowTorque$=0;$slowSpeed$=0'),
         ('Asked', 'LessTorque', 'zero', 'provided: $at$!=0 : do: $c$=0'),
         ('Asked', 'InNeutral', 'move', 'provided: $at$==0'),
         ('LessTorque', 'Free', 'noTorque', ''),
         ('LessTorque', 'OpensForTorque', 'open',
          'provided: $c$==250 : do: $c$=0;$opens$=1;$slowTorque$=1'),
         ('OpensForTorque', 'Free', 'opened', ''),
         ('OpensForTorque', 'OpenError', 'move', 'provided: $c$==200'),
         ('Free', 'Leaving', 'leave', 'do: $c$=0'), ('Leaving', 'InNeutral', 'left', ''),
         ('Leaving', 'LeaveError', 'move', 'provided: $c$==250'),
         ('InNeutral', 'Engaged', 'move', 'provided: $to$==0'),
         ('InNeutral', 'MayEngage', 'move', 'provided: $to$!=0 && $opens$==1'),
         ('InNeutral', 'Synchronising', 'speed', 'provided: $to$!=0 && $opens$==0 : do: $c$=0'),
         ('Synchronising', 'MayEngage', 'synchronous', ''),
         ('Synchronising', 'OpensForSpeed', 'open',
          'provided: $c$==150 : do: $c$=0;$opens$=1;$slowSpeed$=1'),
         ('OpensForSpeed', 'MayEngage', 'opened', ''),
         ('OpensForSpeed', 'OpenError', 'move', 'provided: $c$==200'),
         ('MayEngage', 'Engaging', 'engage', 'do: $c$=0'), ('Engaging', 'Engaged', 'engaged', ''),
         ('Engaging', 'EngageError', 'move', 'provided: $c$==350'),
         ('Engaged', 'Closing', 'close', 'provided: $opens$==1 : do: $c$=0'),
         ('Engaged', 'Torque', 'move', 'provided: $opens$==0'), ('Closing', 'Torque', 'closed', ''),
         ('Closing', 'CloseError', 'move', 'provided: $c$==200'),
         ('Torque', 'Changed', 'torque', 'provided: $to$!=0 : do: $at$=$to$'),
         ('Torque', 'Changed', 'move', 'provided: $to$==0 : do: $at$=$to$'),
         ('Changed', 'Ready', 'done', '')])
    lines += part(
        'Engine',
        [('Zero', 'initial:'), ('Torque', ''), ('Reducing', 'invariant: $e$<=400'),
         ('Seeking', 'invariant: $e$<=200'), ('Speed', 'invariant: $e$<=500'), ('Detached', ''),
         ('Lost', '')],
        [('Torque', 'Reducing', 'zero', 'do: $e$=0'),
         ('Reducing', 'Zero', 'noTorque', 'provided: $e$>=150'),
         ('Reducing', 'Detached', 'move', 'provided: $e$==400'),
         ('Zero', 'Seeking', 'speed', 'do: $e$=0'), ('Detached', 'Seeking', 'speed', 'do: $e$=0'),
         ('Seeking', 'Speed', 'synchronous', 'provided: $e$>=50 : do: $e$=0'),
         ('Seeking', 'Detached', 'move', 'provided: $e$==200'), ('Speed', 'Torque', 'torque', ''),
         ('Detached', 'Torque', 'torque', ''), ('Speed', 'Lost', 'move', 'provided: $e$==500')])
    for name, clock, there, back, slow, slow_back, events in (
        ('GearBox', 'b', ('Neutral', 'Engaging', 'InGear'), ('Leaving', 'LeaveFailed'), 300, 200,
         ('engage', 'engaged', 'leave', 'left')),
        ('Clutch', 'k', ('Closed', 'Opening', 'Open'), ('Closing', 'CloseFailed'), 150, 150,
         ('open', 'opened', 'close', 'closed'))):
        lines += part(
            name,
            [(there[0], 'initial:'), (there[1], f'invariant: ${clock}$<={slow}'), (there[2], ''),
             (back[0], f'invariant: ${clock}$<={slow_back}'), ('Failed', ''), (back[1], '')],
            [(there[0], there[1], events[0], f'do: ${clock}$=0'),
             (there[1], there[2], events[1], f'provided: ${clock}$>=100'),
             (there[1], 'Failed', 'move', f'provided: ${clock}$=={slow}'),
             (there[2], back[0], events[2], f'do: ${clock}$=0'),
             (back[0], there[0], events[3], f'provided: ${clock}$>=100'),
             (back[0], back[1], 'move', f'provided: ${clock}$=={slow_back}')])
    pairs = [('Interface', 'ask', 'Controller'), ('Controller', 'done', 'Interface')]
    pairs += [('Controller', event, other) for events, other in (
        (GEAR_CHANNELS[:5], 'Engine'), (GEAR_CHANNELS[5:9], 'Clutch'),
        (GEAR_CHANNELS[9:], 'GearBox')) for event in events]
    return lines + [f'sync:{one}{car}@{event}:{two}{car}@{event}' for one, event, two in pairs]
