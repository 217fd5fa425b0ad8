"""Random cases of every kind that the generators of test/oracle know: a model file, and the options
that belong to it (a context, a guide). The same seed is the same case."""
import os
import random
import contexts
import generate
import guided
import guides
import hidden_models
import observers
import odd
import ranked
import timed_ranks
import wide
from fiacre import generate as fiacre_generate
from fiacre import generate_timed


class Case:
    """options: what belongs to the model on every command line."""

    def __init__(self, name, model, options=()):
        self.name, self.model, self.options = name, model, tuple(options)


class Maker:
    """Writes the files of cases into a folder."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    @staticmethod
    def name(kind, seed):
        return f'{kind}-{seed}'.replace(' ', '_')

    def make(self, kind, seed):
        rng = random.Random(f'case {kind} {seed}')
        name = self.name(kind, seed)
        return Case(name, *getattr(self, kind)(rng, name, seed))

    def milestones(self, rng, name, seed):
        return self.write(f'{name}.mil', generate.generate(seed)),

    def local(self, rng, name, seed):
        """Many steps that concern one process only, for reductions."""
        return self.write(f'{name}.mil', generate.generate(seed, local=True)),

    def odd(self, rng, name, seed):
        return self.write(f'{name}.cairn', odd.odd(seed)),

    def wide(self, rng, name, seed):
        return self.write(f'{name}.cairn', wide.random_model(rng)),

    def ranked(self, rng, name, seed):
        return self.write(f'{name}.cairn', ranked.random_model(rng)[0]),

    def harmless(self, rng, name, seed):
        """With hidden variables that influence nothing."""
        text = hidden_models.draw(hidden_models.Harmless, seed,
                                  lambda text: hidden_models.LEFT_OUT.sub('', text))[0]
        return self.write(f'{name}.mil', text),

    def marked(self, rng, name, seed):
        """Any variable may be hidden."""
        return self.write(f'{name}.mil', hidden_models.draw(hidden_models.Marked, seed)[0]),

    def fiacre(self, rng, name, seed):
        return self.write(f'{name}.fcr', fiacre_generate.draw(seed, most=1000)[0]),

    def context(self, rng, name, seed):
        case = contexts.make(rng)
        text = observers.Watched(case, rng).context if rng.random() < 0.5 else case.context
        return (self.write(f'{name}.fcr', case.model),
                ('--context', self.write(f'{name}.cdl', text)))

    def guided(self, rng, name, seed):
        """A network under a guide."""
        return self.under_guide(rng, name, guided.Network)

    def guided_priorities(self, rng, name, seed):
        return self.under_guide(rng, name, guided.Ranked)

    def under_guide(self, rng, name, kind):
        while True:
            system = kind(rng)
            guide = guided.random_guide(rng, [names for names in system.rules if names])
            try:
                guided.Product(system, guide, limit=3000)
            except guides.TooLarge:
                continue
            model = (self.write(f'{name}.fcr', system.fiacre()) if rng.random() < 0.5
                     else self.write(f'{name}.cairn', system.cairn()))
            return model, ('--guide', self.write(f'{name}.xgdl', guide.text))

    def timed(self, rng, name, seed):
        """Two timed processes beside an acyclic one: a rank."""
        return self.write(f'{name}.cairn', timed_ranks.random_model(rng, most=8)),

    def timed_fiacre(self, rng, name, seed):
        return self.write(f'{name}.fcr', generate_timed.draw(seed, most=600)[0]),

    def timed_guided(self, rng, name, seed):
        system = guided.Network(rng, timed=True)
        guide = guided.random_guide(rng, [names for names in system.rules if names])
        return (self.write(f'{name}.cairn', system.cairn()),
                ('--guide', self.write(f'{name}.xgdl', guide.text)))


UNTIMED = ('milestones', 'local', 'odd', 'wide', 'ranked', 'harmless', 'marked', 'fiacre',
           'context', 'guided', 'guided_priorities')
TIMED = ('timed', 'timed_fiacre', 'timed_guided')
KINDS = UNTIMED + TIMED
