"""The examples do what their first lines say: `// expect[ -D NAME=VALUE ...][ --context FILE:NAME][
--guide FILE:NAME][ --bound N]: states=... ` or `// expect[...]: property NAME verdict`.

discrete=N counts the states of a timed model without its clocks; bound=N is the least bound of a
guide that is complete (--bound auto).
"""
import glob
import importlib.util
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish, run, run_json, write

cache = {}


def result(model, constants):
    key = (model, tuple(constants))
    if key not in cache:
        folder = os.path.dirname(model) # of the contexts, too
        options = [os.path.join(folder, word) if '.cdl' in word or '.xgdl' in word else word
                   for word in constants]
        cache[key] = run_json('check', model, '-q', *options)[1]
    return cache[key]


def expect_counts(name, ours, words):
    for word in words:
        key, value = word.split('=')
        if ours['complete'] or ours.get('guide', {}).get('cut'):
            found = (ours['statistics'].get('discrete_states') if key == 'discrete'
                     else ours['guide']['complete_bound'] if key == 'bound' else ours[key])
            check(f'{name} {key}', str(found) == value, f'{found} instead of {value}')


def expect_property(name, ours, words):
    item = next((each for each in ours['properties'] if each['name'] == words[0]), None)
    if not check(f'{name} has {words[0]}', item is not None):
        return
    check(f'{name} {words[0]}', item['verdict'] == words[1], item['verdict'])
    for word in words[2:]:
        check(f'{name} {word}', f'distance={len(item["trace"]["steps"]) - 1}' == word)


def expect_all(model, name, lines):
    """How many expectations of the model were looked at."""
    looked_at = 0
    for line in lines:
        match = re.match(r'// expect((?: -D \w+=\d+| --(?:context|guide|bound) \S+?)*): (.*)',
                         line.strip())
        if not check(f'{name}: {line.strip()}', match):
            continue
        constants, words = match.group(1).split(), match.group(2).split()
        ours = result(model, constants)
        label = ' '.join([name, *constants])
        if check(f'{label} runs', ours is not None and 'properties' in ours):
            looked_at += 1
            (expect_property if words[0] == 'property' else expect_counts)(label, ours,
                words[1:] if words[0] == 'property' else words)
    return looked_at


def expect_lines(text):
    return [line for line in text.splitlines() if line.startswith('// expect')]


expectations = 0
models = [model for folder in ('examples/*', 'test/regress', 'test/regress/uppaal')
          for extension in ('mil', 'fcr', 'xta', 'xml')
          for model in glob.glob(os.path.join(ROOT, folder, f'*.{extension}'))]
for model in sorted(models):
    name = os.path.relpath(model, ROOT)
    with open(model, encoding='utf-8') as file:
        lines = expect_lines(file.read())
    if 'regress' not in name:
        check(f'{name} has expectations', lines or name == 'examples/scheduling/scheduling.xml')
        check(f'{name} has a README',
              os.path.exists(os.path.join(os.path.dirname(model), 'README.md')))
    expectations += expect_all(model, name, lines)

spec = importlib.util.spec_from_file_location('fischer',
                                              os.path.join(ROOT, 'examples/fischer/make.py'))
fischer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fischer)
for n, *times in ((1, '[0,2]', '[1,...['), (2, '[0,2]', ']2,...['), (2, '[0,2[', '[2,...['),
                  (2, '[0,1.5]', '[1.4,...['), (2, '[1,2]', '[2,2]'), (4,), (5, '[1,3]', '[3,4]')):
    text = fischer.model(n, *times)
    expectations += expect_all(write('fischer.fcr', text), ' '.join(['fischer', str(n), *times]),
                               expect_lines(text))
    cache.clear()
for name, arguments in (('fischer', ()), ('broken', (3, '[0,2]'))):
    with open(os.path.join(ROOT, f'examples/fischer/{name}.fcr'), encoding='utf-8') as file:
        check(f'{name}.fcr is what make.py writes', file.read() == fischer.model(*arguments))
check('there are expectations', expectations > 100, expectations)

levels = run_json('explore',
                  os.path.join(ROOT, 'examples/running/running.mil'))[1]['statistics']['levels']
check('levels of the running example', levels == [1, 3, 5, 6, 7], levels)
demo = run(program=os.path.join(ROOT, 'examples/demo.sh'))
check('the demo shows a verdict and a counterexample',
      demo.returncode == 0 and 'is violated' in demo.stdout and 'holds' in demo.stdout,
      demo.stdout + demo.stderr)
finish()
