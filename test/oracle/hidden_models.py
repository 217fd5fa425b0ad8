"""Random Milestones models with hidden variables: ones that influence nothing, or any."""
import random
import re
from generate import Generator
from milparse import ModelError
import oracle

LEFT_OUT = re.compile(r'/\*\+\*/.*?/\*-\*/')


class Harmless(Generator):
    """Adds hidden variables that only hidden variables read; all of it stands between marks, so
    that it can be removed."""

    local = False

    def local_command(self, t, place, action):
        self.local, self.alone = True, action not in self.actions
        text = super().local_command(t, place, action)
        self.local = False
        return text

    def command(self, head, scope, targets, jump=None):
        text, leaf, more = super().command(head, scope, targets, jump), self.leaf(scope, 2)[1], []
        if self.local and self.chance(0.7):
            more.append(self.pick(
                ['zk := zk + 1;', f'zk := {leaf} + zk * 3;', 'zk := zf;', 'zk := zk - zh;']))
        if (not self.local or self.alone) and self.chance(0.6):
            more.append(self.pick(['zh := zh + 1;', f'zh := zh * 2 + {leaf};', 'zh := zf + zh;']))
        return text + '/*+*/ ' + ' '.join(more) + ' /*-*/' if more else text

    def model(self):
        lines, seen = super().model().split('\n'), False
        for i, line in enumerate(lines):
            if re.fullmatch(r'VARIABLES?(  // a note)?', line):
                seen, lines[i] = True, line.split()[
                    0] + ' /*+*/ hidden zh : 3 := 0; HIDDEN zf : 1; /*-*/'
            if re.fullmatch(r'  VARIABLES?(  // a note)?', line):
                lines[i] = line.split('  //')[0] + ' /*+*/ hidden zk : 2 := 1; /*-*/'
        return '\n'.join(lines if seen
                         else ['VARIABLES /*+*/ hidden zh : 3 := 0; hidden zf : 1; /*-*/ END',
                               *lines])


class Marked(Generator):
    """Any variable may be hidden."""

    def declare(self, name, width):
        return ('hidden ' if self.chance(self.share) else '') + super().declare(name, width)


def draw(kind, seed, base=lambda text: text, limit=400):
    for attempt in range(1000):
        rng = random.Random(f'{kind.__name__} {seed} {attempt}')
        generator = kind(rng, 3, attempt % 3 == 0, True)
        generator.share = rng.choice([0.1, 0.3, 0.6])
        text = generator.model()
        try:
            model = oracle.Model(base(text))
        except ModelError as error:
            if 'written twice' in str(error):
                continue
            raise
        graph = oracle.explore(model, limit)
        if graph.complete and rng.random() < min(1, len(graph.states) / 20):
            return text, model, graph
    raise AssertionError('no acceptable model found')
