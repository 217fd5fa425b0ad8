"""Public UPPAAL models with known verdicts (known.csv of the corpus, when it is there): every query
alone, and every model that is outside the language. A row is right when Cairn says the stated
verdict; one that is to be refused, when it is refused with a position, and has no verdict.

Rows that take long are only run with LONG=1. CASE chooses rows by their id. WRITE=FILE writes what
was found for every row, with CPU seconds.
"""
import csv
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import LONG, PATIENCE, ROOT, check, crashed, finish, is_chosen, spent, told

CORPUS = os.path.join(os.environ.get('CORPUS', os.path.join(ROOT, '..', 'shared', 'corpus')),
                      'uppaal')
TIME = os.environ.get('TIME', '600s' if LONG else '60s')

# Models with queries that take more than a second or two.
LARGE = {'demo-fischer_symmetry', 'pacemaker2019-pacemaker_heartcell', 'xta-BAwCC', 'parking-fv',
         'tfg-primer', 'docs-query-semantics', 'signals-standard', 'dynx-firefly-W1H1N10'}


def answer(row):
    """What Cairn says of a row, in the words of the table."""
    model = os.path.join(CORPUS, row['file'])
    asked = () if row['query'] == '*' else ('--query', row['query'])
    result, ours = told('check', model, *asked, '--time', TIME, timeout=PATIENCE)
    if crashed(result) or result.returncode == 4:
        return f'crash {result.returncode} {result.stderr[-300:]}'
    if result.returncode == 2:
        has_place = re.search(r':\d+:\d+: error: ', result.stderr)
        return 'refuse' if has_place else f'no position: {result.stderr}'
    queries = [each for each in (ours or {}).get('properties', ()) if each['kind'] == 'query']
    if not queries:
        return f'no query: {result.returncode} {result.stderr[-300:]}'
    verdict = queries[0]['verdict']
    if re.match(r'\s*E\s*(<>|\[\])', row['query']):
        return {'holds': 'reachable', 'violated': 'unreachable'}.get(verdict, verdict)
    return verdict


def name_of(row):
    return row['file'].rsplit('.', 1)[0]


def rows():
    with open(os.path.join(CORPUS, 'known.csv'), encoding='utf-8') as file:
        for row in csv.DictReader(file):
            if (LONG or name_of(row) not in LARGE) and is_chosen(row['id']):
                yield row


if not os.path.exists(os.path.join(CORPUS, 'known.csv')):
    print('the corpus is not here: its models were left out')
    check('no corpus', True)
    finish()
out = open(os.environ['WRITE'], 'w', encoding='utf-8') if os.environ.get('WRITE') else None
for each in rows():
    before = spent()
    said = answer(each)
    if out:
        print(each['id'], said.split('\n')[0][:200], each['verdict'], f'{spent() - before:.2f}',
              sep='\t', file=out, flush=True)
    check(each['id'], said == each['verdict'],
          f'{said} instead of {each["verdict"]}: {each["query"][:200]} ({each["how_known"]})')
finish()
