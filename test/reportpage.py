"""A page of --report read without a browser: whether it is well formed, and the data in it."""
import html.parser
import json


class ReportPage(html.parser.HTMLParser):
    """The data of a page, and what is wrong with its markup."""
    VOID = {'meta', 'br', 'link'}

    def __init__(self, file):
        super().__init__(convert_charrefs=True)
        with open(file, encoding='utf-8') as opened:
            self.text = opened.read()
        self.faults, self.scripts, self._open, self._inside = [], [], [], False
        self.feed(self.text)
        self.close()
        if self._open:
            self.faults.append(f'never closed: {self._open}')
        if not self.text.startswith('<!doctype html>'):
            self.faults.append('no doctype')
        if len(self.scripts) != 2:
            self.faults.append(f'{len(self.scripts)} scripts')
        self.data = None
        try:
            self.data = json.loads(self.scripts[0])
        except (IndexError, ValueError) as error:
            self.faults.append(f'the data is no JSON: {error}')

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self._open.append(tag)
        self._inside = tag == 'script'
        if self._inside:
            self.scripts.append('')

    def handle_endtag(self, tag):
        self._inside = False
        if not self._open or self._open.pop() != tag:
            self.faults.append(f'</{tag}> closes nothing')

    def handle_data(self, data):
        if self._inside:
            self.scripts[-1] += data


def expand(result, trace):
    """A run of a page as --json has it: steps with label, process and state."""
    names = [variable[0] for variable in result['variables']]
    state = list(trace['initial'])
    steps = [{'label': None, 'process': None, 'state': dict(zip(names, state))}]
    for step in trace['steps']:
        rule = result['rules'][step[0]]
        for number, value in step[1].items():
            state[int(number)] = value
        process = ', '.join(result['processes'][part[0]]['name'] for part in rule[2:]
                            if part[0] is not None)
        steps.append({'label': rule[0], 'process': process or None,
                      'state': dict(zip(names, state))})
        if len(step) > 2:
            steps[-1].update(delay=step[2], date=step[3])
    return steps


def same_run(result, trace, claim):
    """Whether a run of a page is this one of --json."""
    keys = ('label', 'process', 'state', 'delay', 'date')
    told = [{key: step[key] for key in keys if key in step} for step in claim['steps']]
    return expand(result, trace) == told and trace['loop'] == claim['loop']


def differences(page, claim):
    """What the data of a page tells otherwise than the object of --json."""
    wrong = []
    rows = claim.get('contexts', [claim])
    if len(page.data['results']) != len(rows):
        return ['another number of results']
    for given, row in zip(page.data['results'], rows):
        result = given['result']
        if given['context'] != row.get('context'):
            wrong.append(row.get('context'))
        for key in ('verdict', 'assurance', 'states', 'transitions', 'complete', 'model'):
            if result.get(key) != row.get(key):
                wrong.append((key, result.get(key), row.get(key)))
        for mine, theirs in zip(result.get('properties', []), row.get('properties', [])):
            for key in ('name', 'text', 'verdict', 'why', 'reason', 'vacuous', 'kind'):
                if mine.get(key) != theirs.get(key):
                    wrong.append((key, mine.get(key), theirs.get(key)))
            if bool(mine['trace']) != bool(theirs['trace']):
                wrong.append(f'the run of {mine["name"]}')
            elif mine['trace'] and not same_run(result, mine['trace'], theirs['trace']):
                wrong.append(f'the steps of {mine["name"]}')
        if len(result.get('properties', [])) != len(row.get('properties', [])):
            wrong.append('another number of properties')
    return wrong
