"""And-inverter graphs in the format AIGER 1.9: a strict reader of both forms, and a search of all
reachable states by brute force. Written from the description of the format alone (Biere, Heljanko,
Wieringa: AIGER 1.9 and beyond, 2011)."""
import itertools


class Graph:
    """inputs: count. latches: [(next, reset)]; a reset is 0, 1 or None for any. gates: [(left,
    right)], numbered after inputs and latches. bads, constraints: literals. justice: lists of
    literals. names: {('l', 3): name}. comment: lines."""

    def __eq__(self, other):
        return vars(self) == vars(other)


class FormatError(Exception):
    pass


def demand(good, what):
    if not good:
        raise FormatError(what)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def line(self):
        end = self.data.find(b'\n', self.at)
        demand(end >= 0, 'the file ends in a line')
        text = self.data[self.at:end].decode()
        self.at = end + 1
        return text

    def numbers(self, *counts):
        words = self.line().split(' ')
        demand(len(words) in counts and all(word.isdigit() for word in words),
               f'numbers expected, found {words}')
        return [int(word) for word in words]

    def difference(self):
        value, shift = 0, 0
        while True:
            demand(self.at < len(self.data), 'the file ends in a gate')
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


def read(data):
    reader = Reader(data)
    kind, *words = reader.line().split(' ')
    demand(kind in ('aig', 'aag') and 5 <= len(words) <= 9, 'the header')
    largest, inputs, latches, outputs, gates, bads, constraints, justice, fair = [int(word)
        for word in words] + [0] * (9 - len(words))
    demand(largest == inputs + latches + gates, 'the header counts wrong')
    demand(outputs == 0 and fair == 0, 'there are outputs or fairness constraints')
    graph = Graph()
    graph.inputs = inputs
    text = kind == 'aag'

    def literal(value):
        demand(value <= 2 * largest + 1, f'the literal {value} is too large')
        return value

    for i in range(inputs if text else 0):
        demand(reader.numbers(1) == [2 * (i + 1)], 'inputs are not in order')
    graph.latches = []
    for i in range(latches):
        self = 2 * (inputs + i + 1)
        row = reader.numbers(2, 3) if text else [self] + reader.numbers(1, 2)
        demand(row[0] == self, 'latches are not in order')
        reset = row[2] if len(row) > 2 else 0
        demand(reset in (0, 1, self), 'a reset value')
        graph.latches.append((literal(row[1]), None if reset == self else reset))
    graph.bads = [literal(reader.numbers(1)[0]) for _ in range(bads)]
    graph.constraints = [literal(reader.numbers(1)[0]) for _ in range(constraints)]
    sizes = [reader.numbers(1)[0] for _ in range(justice)]
    graph.justice = [[literal(reader.numbers(1)[0]) for _ in range(size)] for size in sizes]
    demand(all(sizes), 'a justice property without literals')
    graph.gates = []
    for i in range(gates):
        self = 2 * (inputs + latches + i + 1)
        if text:
            left, large, small = reader.numbers(3)
            demand(left == self, 'gates are not in order')
        else:
            large = self - reader.difference()
            small = large - reader.difference()
        demand(self > large >= small >= 0, 'the operands of a gate are not in order')
        graph.gates.append((large, small))
    read_symbols(reader, graph,
                 {'i': inputs, 'l': latches, 'b': bads, 'c': constraints, 'j': justice})
    return graph


def read_symbols(reader, graph, counts):
    graph.names, graph.comment = {}, []
    while reader.at < len(reader.data):
        line = reader.line()
        if line == 'c':
            graph.comment = reader.data[reader.at:].decode().splitlines()
            return
        place, _, name = line.partition(' ')
        demand(place[:1] in counts and place[1:].isdigit() and int(place[1:]) < counts[place[0]]
               and name, f'a symbol: {line}')
        demand((place[0], int(place[1:])) not in graph.names, f'{place} has two names')
        graph.names[place[0], int(place[1:])] = name


def untidy(graph):
    """Gates that nothing uses, that are there twice, or that are trivial."""
    used = {root // 2
            for root in [latch[0] for latch in graph.latches] + graph.bads + graph.constraints
            + sum(graph.justice, [])}
    first = graph.inputs + len(graph.latches) + 1
    for large, small in graph.gates:
        used |= {large // 2, small // 2}
    wrong = [i for i in range(len(graph.gates)) if first + i not in used]
    wrong += [i for i, (large, small) in enumerate(graph.gates) if large // 2 == small // 2
              or small < 2]
    return wrong + (['twice'] if len(set(graph.gates)) < len(graph.gates) else [])


def cone(graph, literals):
    """The numbers of inputs and latches that matter for these literals, constraints included."""
    seen, todo = set(), [literal // 2 for literal in [*literals, *graph.constraints]]
    first = graph.inputs + len(graph.latches) + 1
    while todo:
        node = todo.pop()
        if node in seen or node == 0:
            continue
        seen.add(node)
        if node >= first:
            todo += [operand // 2 for operand in graph.gates[node - first]]
        elif node > graph.inputs:
            todo.append(graph.latches[node - graph.inputs - 1][0] // 2)
    return [n - 1 for n in sorted(seen) if n <= graph.inputs], [n - graph.inputs - 1
                                                                for n in sorted(seen)
                                                                if graph.inputs < n < first]


class Search:
    """All states of some latches, breadth-first, with every choice of inputs. A state is a string
    of 0 and 1, one per latch of `latches`. Many states and inputs are computed at once: a wire is
    an integer with a bit for each of them."""

    def __init__(self, graph, inputs, latches, watched):
        self.graph, self.inputs, self.latches, self.watched = graph, inputs, latches, watched
        self.distance = {}   # of each state
        self.steps = {}      # per state: {(next state, watched literals that are true as a string)}
        first = [[str(reset)] if reset is not None else ['0', '1']
                 for reset in (graph.latches[i][1] for i in latches)]
        level = [''.join(bits) for bits in itertools.product(*first)]
        self.initial, depth = [], 0
        while level:
            found = {}
            for at in range(0, len(level), 64):
                found.update(self.expand(level[at:at + 64]))
            for state in found: # constraints may leave nothing of a state
                self.distance[state] = depth
            if depth == 0:
                self.initial = list(found)
            self.steps.update(found)
            level = sorted({step[0] for steps in found.values() for step in steps}
                           - set(self.distance))
            depth += 1

    def wires(self, states):
        choices = 2 ** len(self.inputs)
        lanes = len(states) * choices
        ones, values = (1 << lanes) - 1, [0] * (1 + self.graph.inputs + len(self.graph.latches))
        block = (1 << choices) - 1
        for i, number in enumerate(self.inputs): # 0101..., 0011..., 00001111...
            half = 1 << i
            values[1 + number] = ones // ((1 << 2 * half) - 1) * (((1 << half) - 1) << half)
        for i, number in enumerate(self.latches):
            values[1 + self.graph.inputs + number] = sum(block << s * choices
                                                         for s, state in enumerate(states)
                                                         if state[i] == '1')
        for large, small in self.graph.gates:
            values.append((values[large // 2] ^ (ones if large & 1 else 0))
                          & (values[small // 2] ^ (ones if small & 1 else 0)))
        return lambda literal: values[literal // 2] ^ (ones if literal & 1 else 0), lanes

    def expand(self, states):
        wire, lanes = self.wires(states)
        rows = [self.graph.constraints, [self.graph.latches[i][0] for i in self.latches],
                self.watched]
        columns = [[f'{wire(literal):0{lanes}b}'[::-1] for literal in row] for row in rows]
        allowed, nexts, marks = ([''.join(lane) for lane in zip(*column)] if column
                                 else [''] * lanes for column in columns)
        found, choices = {}, 2 ** len(self.inputs)
        for s, state in enumerate(states):
            steps = {(nexts[lane], marks[lane]) for lane in range(s * choices, (s + 1) * choices)
                     if '0' not in allowed[lane]}
            if steps:
                found[state] = steps
        return found


def bad_distances(graph):
    """Per bad literal: the smallest number of steps to it, or None. Also the search, of what bad
    literals and constraints depend on."""
    search = Search(graph, *cone(graph, graph.bads), graph.bads)
    result = []
    for i in range(len(graph.bads)):
        result.append(
            min((search.distance[state] for state, steps in search.steps.items()
                 if any(mark[i] == '1' for _, mark in steps)), default=None))
    return result


def justice_found(graph, literals):
    """Whether a run makes all literals true again and again: a component with a step for each of
    them."""
    search = Search(graph, *cone(graph, literals), literals)
    number = components(search.steps)
    marks = {}
    for state, steps in search.steps.items():
        for target, mark in steps:
            if number[state] == number.get(target):
                marks.setdefault(number[state],
                                 set()).update(i for i, bit in enumerate(mark) if bit == '1')
    return any(len(found) == len(literals) for found in marks.values())


def components(steps):
    """The strongly connected component of every state (Tarjan, without recursion)."""
    order, low, number, stack = {}, {}, {}, []
    for root in steps:
        if root in order:
            continue
        work = [(root, None)]
        while work:
            state, rest = work.pop()
            if rest is None:
                order[state] = low[state] = len(order)
                stack.append(state)
                rest = iter({target for target, _ in steps[state] if target in steps})
            for target in rest:
                if target not in order:
                    work += [(state, rest), (target, None)]
                    break
                if target not in number:
                    low[state] = min(low[state], low[target])
            else:
                if low[state] == order[state]:
                    while True:
                        member = stack.pop()
                        number[member] = order[state]
                        if member == state:
                            break
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
    return number
