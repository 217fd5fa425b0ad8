"""The examples do what their first lines say: `// expect[ -D NAME=VALUE ...]: states=... ` or `// expect[...]: property NAME verdict`."""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import ROOT, check, finish, run, run_json

cache = {}


def result(model, constants):
    key = (model, tuple(constants))
    if key not in cache:
        cache[key] = run_json('check', model, '-q', *constants)[1]
    return cache[key]


def expect_counts(name, ours, words):
    for word in words:
        key, value = word.split('=')
        if ours['complete']:
            check(f'{name} {key}', str(ours[key]) == value, f'{ours[key]} instead of {value}')


def expect_property(name, ours, words):
    item = next((each for each in ours['properties'] if each['name'] == words[0]), None)
    if not check(f'{name} has {words[0]}', item is not None):
        return
    check(f'{name} {words[0]}', item['verdict'] == words[1], item['verdict'])
    for word in words[2:]:
        check(f'{name} {word}', f'distance={len(item["trace"]["steps"]) - 1}' == word)


expectations = 0
for model in sorted(glob.glob(os.path.join(ROOT, 'examples', '*', '*.mil')) + glob.glob(os.path.join(ROOT, 'test', 'regress', '*.mil'))):
    name = os.path.relpath(model, ROOT)
    with open(model, encoding='utf-8') as file:
        lines = [line for line in file if line.startswith('// expect')]
    if 'regress' not in name:
        check(f'{name} has expectations', lines)
        check(f'{name} has a README', os.path.exists(os.path.join(os.path.dirname(model), 'README.md')))
    for line in lines:
        match = re.match(r'// expect((?: -D \w+=\d+)*): (.*)', line.strip())
        if not check(f'{name}: {line.strip()}', match):
            continue
        constants, words = match.group(1).split(), match.group(2).split()
        ours = result(model, constants)
        label = ' '.join([name, *constants])
        if check(f'{label} runs', ours is not None):
            expectations += 1
            (expect_property if words[0] == 'property' else expect_counts)(label, ours, words[1:] if words[0] == 'property' else words)
check('there are expectations', expectations > 40, expectations)

levels = run_json('explore', os.path.join(ROOT, 'examples/running/running.mil'))[1]['statistics']['levels']
check('levels of the running example', levels == [1, 3, 5, 6, 7], levels)
demo = run(program=os.path.join(ROOT, 'examples/demo.sh'))
check('the demo shows a verdict and a counterexample', demo.returncode == 0 and 'is violated' in demo.stdout and 'holds' in demo.stdout, demo.stdout + demo.stderr)
finish()
