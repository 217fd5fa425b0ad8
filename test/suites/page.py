"""The report page in a real browser (chromium): verdicts, slider, keys, chart, table, sources and
pictures against the object that --json prints; no complaint on the console, no request; hostile
names; a run of 10^5 steps."""
import base64
import os
import re
import sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from browser import Browser
from lib import check, finish, path, run, section, told, write
from reportpage import ReportPage, differences, expand

LOGIN = ('examples/device-login/timed.fcr', '--context',
         'examples/device-login/contexts.cdl:deadline2')
GATE = ('examples/uppaal/gate.xml',)
PHILS = ('examples/philosophers/phils.mil',)


def words_of(value, shape):
    """A value as its language writes it."""
    kind, inner = shape if isinstance(shape, list) else ('n', None)
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, list):
        parts = ', '.join(words_of(part, inner) for part in value)
        return '{|' + parts + '|}' if kind == 'queue' else f'[{parts}]'
    if isinstance(value, dict):
        if kind == 'union':
            name, part = next(iter(value.items()))
            return f'{name}({words_of(part, inner[name])})'
        if shape == 'course':
            return f'{value["at"]} ({", ".join(value["next"]) or "end"})'
        return '{' + ', '.join(f'{key} = {words_of(part, inner[key])}'
                               for key, part in value.items()) + '}'
    return str(value)


def open_page(browser, name, *arguments, command='check'):
    """Makes a page, compares its data with the object, opens it."""
    file = path(name + '.html')
    result, claim = told(command, *arguments, '--report', file)
    page = ReportPage(file)
    wrong = page.faults + (differences(page, claim) if page.data and claim else [result.stderr])
    check(f'{name}: the data is what --json says', not wrong, wrong[:4])
    browser.requests()
    browser.open(file)
    return page, claim


def close_page(browser, name):
    faults = browser.faults()
    check(f'{name}: nothing on the console', not faults, faults)
    asked = [url for url in browser.requests()
             if not url.startswith(('data:', 'chrome:', 'file://' + os.path.dirname(path('x'))))]
    check(f'{name}: no request leaves the page', not asked, asked)


def shown_state(browser):
    return dict(browser.run(
        'return [...document.querySelectorAll("tr[data-variable]")].map(row => '
        '[row.dataset.variable, row.querySelector(".now").textContent])'))


def check_states(browser, name, result, trace, numbers):
    """Moves the slider, and compares the table, the marks of changes and the row in the chart."""
    steps = expand(result, trace)
    shapes = {variable[0]: variable[2] for variable in result['variables']}
    wrong = []
    for number in numbers:
        browser.run('const s = document.getElementById("slider"); s.value = arguments[0];'
                    's.dispatchEvent(new Event("input"))', number)
        expected = {key: words_of(value, shapes[key])
                    for key, value in steps[number]['state'].items()}
        if shown_state(browser) != expected:
            wrong.append((number, shown_state(browser), expected))
        changed = set() if not number else {
            key for key, value in steps[number]['state'].items()
            if value != steps[number - 1]['state'][key]}
        marked = set(browser.run('return [...document.querySelectorAll("tr.changed")]'
                                 '.map(row => row.dataset.variable)'))
        if marked != changed:
            wrong.append((number, marked, changed))
        title = browser.texts(f'#chart-pane .row[data-row="{number}"] > title')
        label = steps[number]['label']
        if label and not (title and label in title[0]):
            wrong.append((number, 'chart', title))
        if label and label not in browser.texts('#what')[0]:
            wrong.append((number, browser.texts('#what')))
    check(f'{name}: the slider shows the states of the run', not wrong, wrong[:2])


def at(browser):
    return browser.run('return cairn.page.at')


def lasso(browser):
    """Philosophers: a deadlock, a lasso, a branching property."""
    page, claim = open_page(browser, 'phils', *PHILS)
    result = page.data['results'][0]['result']
    check('phils: verdicts',
          browser.texts('.property .chip') == [p['verdict'] for p in claim['properties']]
          and browser.texts('#verdict') == ['violated']
          and claim['assurance'][1:] in browser.texts('#assurance')[0])
    for number, entry in enumerate(claim['properties']):
        if not entry['trace']:
            continue
        browser.run('cairn.openProperty(arguments[0], false)', number)
        length = len(entry['trace']['steps']) - 1
        check_states(browser, f'phils {entry["name"]}', result,
                     result['properties'][number]['trace'], range(length + 1))
        if entry.get('why'):
            check(f'phils {entry["name"]}: why', browser.texts('#why') == [entry['why']])
        check(f'phils {entry["name"]}: a loop is marked',
              bool(browser.texts('.chart .loop-word')) == (entry['trace']['loop'] is not None))
    nodes = browser.texts('#graph .node')
    check('phils: the state graph has every state and transition',
          len(nodes) == claim['states'] == 242
          and len(result['graph']['edges']) == claim['transitions'])
    check('phils: the run is in it',
          browser.run('return document.querySelectorAll("#graph .here").length') == 1
          and browser.run('return document.querySelectorAll("#graph .on-run").length') == 5)
    close_page(browser, 'phils')


def several(browser):
    """Several runs of a property, and a story: the choice among them shows each."""
    page, claim = open_page(browser, 'several', 'examples/peterson/peterson.mil', '--traces', '3',
                            '--find', 'p[0].pc == waiting & p[1].pc == waiting')
    result = page.data['results'][0]['result']
    number, entry = next((k, p) for k, p in enumerate(claim['properties'])
                         if len(p.get('traces', ())) > 1)
    browser.run('cairn.openProperty(arguments[0], false)', number)
    words = browser.texts('select[aria-label=evidence] option')
    check('several: a choice of runs', len(words) == len(entry['traces']) >= 2
          and words[0].startswith('the run') and all('another run' in each for each in words[1:]),
          words)
    for k, trace in enumerate(result['properties'][number]['traces']):
        browser.run('const list = document.querySelector("select[aria-label=evidence]");'
                    'list.value = arguments[0]; list.dispatchEvent(new Event("change"))', str(k))
        check_states(browser, f'several: run {k}', result, trace,
                     range(len(entry['traces'][k]['steps'])))
    here = result['properties'][number]['trace']['here']
    browser.run('document.querySelector("details.state-words").open = true')
    check('several: who can do what in a state', len(here) == len(entry['trace']['steps'])
          and 'p[0] stands at idle\n    [want] at peterson.mil:26 is possible' in here[0]
          and 'true here: mutex' in here[0], here[0])
    number = next(k for k, p in enumerate(claim['properties']) if p['name'] == 'in_turn')
    browser.run('cairn.openProperty(arguments[0], false)', number)
    shown = browser.run('return document.getElementById("here").textContent')
    own = result['properties'][number]['trace']['here']
    check('several: it is told of the state at the slider', shown == own[at(browser)], shown)
    browser.run('[...document.querySelectorAll("#why a")].forEach(link => link.click())')
    check('several: the story', browser.texts('#why') == [claim['properties'][number]['why']]
          and 'is not fair to it' in browser.texts('#why')[0])
    close_page(browser, 'several')


def timed(browser):
    """Processes with queues, a context, observers with clocks."""
    page, claim = open_page(browser, 'login', *LOGIN)
    result = page.data['results'][0]['result']
    number = [p['name'] for p in claim['properties']].index('tight_2_1')
    trace = result['properties'][number]['trace']
    check_states(browser, 'login', result, trace, (0, 1, 2, 9, 15))
    messages = browser.run('return cairn.page.run.messages().map(m => '
                           '[m.sent, m.received, m.value])')
    expected = [[1, 2, 'START'], [3, 4, {'GO_INIT': 1}], [5, 6, {'GO_INIT': 2}],
                [7, 8, {'LOGIN': 2}], [8, 13, 2], [9, 12, {'LOGIN': 1}], [12, None, 1],
                [13, 14, {'ADMITTED': 2}], [14, None, {'ACK_LOG': 2}]]
    check('login: messages from who sends to who receives', messages == expected, messages)
    last = claim['properties'][number]['trace']['steps'][-1]
    shown = dict(browser.run('return [...document.querySelectorAll("tr[data-clock]")].map(row => '
                             '[row.dataset.clock, row.querySelector(".now").textContent])'))
    check('login: clocks', shown == {key: str(value) for key, value in last['clocks'].items()}
          and shown and browser.texts('#time-line .clock')
          and 'at 19/2' in browser.texts('#what')[0], shown)
    here = dict(browser.run('return [...document.querySelectorAll("figure[data-automaton]")].map('
                            'f => [f.dataset.automaton, (f.querySelector(".here text") || {})'
                            '.textContent])'))
    check('login: positions in automata', here.get('tight_2_1') == 'reject'
          and here.get('deadline2').startswith('recv_ack_log1 / ')
          and here.get('R2_2_1') == 'waiting' and here.get('SM[0]') == 'State_Init', here)
    browser.run('cairn.goTo(13)')
    lines = browser.run('return [...document.querySelectorAll(".line.here")].map(line => '
                        'line.dataset.line)')
    check('login: the line of the step', lines == ['82'], lines)
    close_page(browser, 'login')


def channels(browser):
    """UPPAAL: who sends and who receives; a run that shows that something is possible."""
    page, claim = open_page(browser, 'gate', *GATE)
    result = page.data['results'][0]['result']
    number = next(k for k, p in enumerate(claim['properties']) if p['trace'])
    check_states(browser, 'gate', result, result['properties'][number]['trace'], range(7))
    steps = claim['properties'][number]['trace']['steps']
    check('gate: roles in JSON',
          steps[1]['participants'] == [{'process': 'Train(0)', 'role': 'sends'},
                                       {'process': 'Controller', 'role': 'receives'}]
          and steps[2]['participants'] == [{'process': 'Train(0)', 'role': None}],
          steps[1]['participants'])
    check('gate: an arrow for each step on a channel',
          browser.run('return document.querySelectorAll(".sync[marker-end]").length') == 5)
    counts = {rule['count'] for rule in claim['statistics']['coverage']['rules']}
    check('gate: counts per rule', sum(rule['count'] for rule in
                                       claim['statistics']['coverage']['rules'])
          == claim['transitions'] and len(counts) > 1, counts)
    close_page(browser, 'gate')


def keys(browser):
    open_page(browser, 'keys', 'examples/fischer/broken.fcr')
    browser.click('.chart-box')
    moves = []
    for key in ('home', 'right', 'right', 'left', 'end', 'left', 'home', 'left'):
        browser.type(key)
        moves.append(at(browser))
    check('keys: arrows, home, end', moves == [0, 1, 2, 1, 6, 5, 0, 0], moves)
    browser.run('const v = document.getElementById("variable"); v.value = [...v.options]'
                '.find(o => o.textContent === "lock").value; v.dispatchEvent(new Event("change"))')
    moves = []
    for key in 'nnnpp':
        browser.type(key)
        moves.append(at(browser))
    check('keys: n and p', moves == [3, 5, 5, 3, 3], moves)
    browser.click('.tools button')
    first = browser.run('return document.documentElement.dataset.theme')
    browser.click('.tools button')
    check('dark and light', {first, browser.run('return document.documentElement.dataset.theme')}
          == {'dark', 'light'})
    close_page(browser, 'keys')


def contexts(browser):
    page, claim = open_page(browser, 'matrix', 'examples/cruise-control/cruise.fcr', '--context',
                            'examples/cruise-control/contexts.cdl', '--threads', '2',
                            '--bound', '17')
    rows = browser.run('return [...document.querySelectorAll("tr[data-context]")].map(row => '
                       '[row.dataset.context, ...[...row.querySelectorAll("td.verdict")].map('
                       'cell => cell.className.split(" ")[1])])')
    expected = [[row['context'], *[p['verdict'] for p in row['properties']]]
                for row in claim['contexts']]
    check('matrix: contexts and properties', rows == expected, rows)
    browser.click('tr[data-context="drive"] td.violated button')
    check('matrix: a click opens the run',
          browser.run('return [cairn.page.result, cairn.page.run.length]') == [2, 16])
    result = page.data['results'][2]['result']
    check_states(browser, 'matrix', result, result['properties'][0]['trace'], (0, 7, 16))
    close_page(browser, 'matrix')


def many_contexts(browser):
    """Several hundred contexts: found by name and by verdict."""
    names = [f'c{number}' for number in range(300)]
    model = write('many.fcr', '''type Q is queue 1 of nat
process P (&q : Q, &x : nat) is states a
  from a on not (empty q); x := (x + first q) % 10; q := dequeue q; to a
component Main is var P_1 : Q := {||}, x : nat par P(&P_1, &x) end
property small is invariant x < 9
Main
''')
    file = write('many.cdl', '\n'.join(f'event e{k} is {{ send {k} to {{P}}1 }}' for k in range(10))
                 + '\n' + '\n'.join(f'cdl {name} is {{ main is {{ event e{k % 10} }} }}'
                                     for k, name in enumerate(names)) + '\n')
    _, claim = open_page(browser, 'many', model, '--context', file, '--threads', '2')
    rows = 'return [...document.querySelectorAll("tr[data-context]:not([hidden])")].map(r => ' \
           'r.dataset.context)'
    check('many: all are there', browser.run(rows) == names and len(claim['contexts']) == 300
          and browser.texts('#matrix-count') == ['300 of 300 contexts'],
          browser.texts('#matrix-count'))
    browser.run('const s = document.getElementById("matrix-verdict"); s.value = "violated";'
                's.dispatchEvent(new Event("change"))')
    violated = [row['context'] for row in claim['contexts']
                if any(p['verdict'] == 'violated' for p in row['properties'])]
    check('many: by verdict', browser.run(rows) == violated and len(violated) == 30,
          browser.run(rows)[:5])
    browser.run('const s = document.getElementById("matrix-name"); s.value = "29";'
                's.dispatchEvent(new Event("input"))')
    check('many: by name', browser.run(rows) == [name for name in violated if '29' in name])
    close_page(browser, 'many')


def guided(browser):
    """A guide: drawn, with the position by what may follow."""
    file = write('scope.xgdl', 'guide scope = want* || {0,2} of [yield, enter, leave];\n')
    open_page(browser, 'guided', 'examples/peterson/peterson.mil', '--guide', file + ':scope', '-p',
              'in_turn')
    where = []
    for number in range(4):
        browser.run('cairn.goTo(arguments[0])', number)
        where.append(browser.texts('figure[data-automaton="scope"] .where')[0])
    check('guided: the position is what may follow',
          where == [' · next: want / yield / enter / leave'] * 2
          + [' · next: want / enter / leave'] * 2, where)
    close_page(browser, 'guided')


def advised(browser):
    """A search that memory ended: what to try next."""
    _, claim = open_page(browser, 'advised', 'examples/scheduling/scheduling.mil', '--engine',
                         'explicit', '--memory', '500K')
    check('advised: the commands', browser.texts('#advice code')
          == [one['command'] for one in claim['advice']] != [])
    close_page(browser, 'advised')


def printed(browser):
    """On paper: whole runs, no buttons, nothing beyond the edge."""
    open_page(browser, 'printed', 'examples/cruise-control/cruise.fcr', '--context',
              'examples/cruise-control/contexts.cdl:together')
    browser.command('Emulation.setEmulatedMedia', media='print')
    browser.command('Emulation.setDeviceMetricsOverride', width=794, height=1123,
                    deviceScaleFactor=1, mobile=False)
    browser.run('dispatchEvent(new Event("beforeprint"))')
    seen = browser.run('return [...document.querySelectorAll("button, input, select, .tabs")]'
                       '.filter(each => each.offsetParent).map(each => each.outerHTML)')
    check('printed: nothing to press', not seen, seen[:3])
    wide = browser.run('return document.documentElement.scrollWidth')
    check('printed: within the paper', wide <= 794, wide)
    rows = browser.run('return document.querySelectorAll("#chart-pane .row").length')
    check('printed: the whole run', rows == 17, rows)
    paper = browser.command('Page.printToPDF')['data']
    pages = len(re.findall(rb'/Type\s*/Page\b', base64.b64decode(paper)))
    check('printed: a few pages', 2 <= pages <= 12, pages)
    browser.run('dispatchEvent(new Event("afterprint"))')
    browser.command('Emulation.setEmulatedMedia', media='')
    browser.command('Emulation.clearDeviceMetricsOverride')
    close_page(browser, 'printed')


def hostile_names(browser):
    """Names of everything that can have one, in the form that lets them be anything."""
    evil = "</script><img src=x onerror=evil=1>'&amp;\u2028\u202eé"
    text = run('translate', 'examples/peterson/peterson.mil', '--to', 'cairn').stdout
    names = sorted(set(re.findall(r'"([^"\n]*)"', text)) - {''})
    text = re.sub(r'"([^"\n]+)"', lambda found: f'"{found.group(1)}{evil}"', text)
    model = write('evil.cairn', text)
    page, claim = open_page(browser, 'evil', model)
    check('hostile names: they are in the result', claim and any(evil in p['name']
          for p in claim['properties']) and len(names) > 10, claim)
    check('hostile names: the data is data',
          page.text.count('</script') == 2 and '\u2028' not in page.text)
    for number, entry in enumerate(claim['properties']):
        if entry['trace']:
            browser.run('cairn.openProperty(arguments[0], false); cairn.goTo(1)', number)
    check('hostile names: nothing is executed, everything is shown',
          browser.run('return window.evil === undefined && !document.querySelector("img")')
          and any(evil in each for each in browser.texts('.property b'))
          and any(evil in each for each in browser.texts('tr[data-variable]'))
          and any('</script>' in each for each in browser.texts('#automata text')),
          browser.texts('.property b'))
    close_page(browser, 'evil')


def explored(browser):
    _, claim = open_page(browser, 'explored', 'examples/peterson/peterson.mil', command='explore')
    check('explored: counts', str(claim['states']) in browser.texts('.numbers dd'))
    check('explored: plots and source', browser.texts('#plots svg') and browser.texts('.line'))
    close_page(browser, 'explored')


def hostile(browser):
    """Names and texts of a model stay text."""
    evil = '</script><script>window.evil=1</script><!--<script>\u2028<img src=x onerror=evil=1>'
    model = write('<img src=x onerror=evil=1>&amp;.fcr', f'''/* {evil} */
process P (&x : nat) is states a, b
  from a on x < 3; x := x + 1; to b
  from b to a
component Main is var x : nat par P(&x) end
property bad is invariant x < 2
Main
''')
    page, _ = open_page(browser, 'hostile', model)
    check('hostile: the data is data',
          page.text.count('</script') == 2 and page.text.count('<!--') == 0
          and '\u2028' not in page.text)
    check('hostile: nothing is executed, everything is shown',
          browser.run('return window.evil === undefined && !document.querySelector("img")')
          and any(evil in line for line in browser.texts('.line .text'))
          and browser.texts('h1') == [os.path.basename(model)], browser.texts('h1'))
    close_page(browser, 'hostile')


def long_run(browser):
    """10^5 steps: what is made is what can be seen; time is told, not judged."""
    steps = 100000
    model = write('long.fcr', f'''process P (&x, &y : nat) is states a
  from a on x < {steps}; x := x + 1; y := (y + 1) % 7; to a
component Main is var x, y : nat par P(&x, &y) end
property short is invariant x < {steps}
Main
''')
    page, claim = open_page(browser, 'long', model)
    result = page.data['results'][0]['result']
    number = next(k for k, p in enumerate(claim['properties']) if p['name'] == 'short')
    check('long: the run', len(result['properties'][number]['trace']['steps']) == steps)
    check_states(browser, 'long', result, result['properties'][number]['trace'],
                 (0, 255, 256, 257, 54321, steps))
    elements = browser.run('return document.querySelectorAll("*").length')
    check('long: few elements', elements < 4000, elements)
    before = browser.cpu_seconds()
    for number in range(20):
        browser.run('document.querySelector(".chart-box").scrollTop = arguments[0]',
                    number * 250000)
        browser.run('return new Promise(done => requestAnimationFrame(() => '
                    'requestAnimationFrame(done)))')
    spent = browser.cpu_seconds() - before
    rows = browser.run('return [...document.querySelectorAll("#chart-pane .row")].map(row => '
                       'Number(row.dataset.row))')
    check('long: the chart follows', 19 * 250000 // 54 in rows, rows[:3])
    size = os.path.getsize(path('long.html'))
    paint = browser.run('return performance.getEntriesByType("paint").map(e => e.startTime)')
    print(f'10^5 steps: {size / 1e6:.1f} MB, first paint after {paint} ms, '
          f'{1000 * spent / 20:.1f} ms of work for each jump of the chart')
    close_page(browser, 'long')


def main():
    try:
        with Browser() as browser:
            browser.command('Performance.enable')
            for each in (lasso, several, timed, channels, keys, contexts, many_contexts, guided, advised,
                         printed, explored, hostile, hostile_names, long_run):
                section(each, browser)
    except OSError as error:
        print(f'skipped: {error}')
        check('the browser cannot be started: nothing to test here', True)


if __name__ == '__main__':
    main()
    finish()
