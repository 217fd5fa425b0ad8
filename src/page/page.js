// The page: reads its data, shows verdicts, and moves everything that follows the slider.

const Page = (() => {
  const {h, count} = Base;
  const data = JSON.parse(document.getElementById('data').textContent);
  const page =
      {data, results: [], result: 0, property: null, branch: 0, run: null, at: 0, variable: null};
  const parts = {};

  // ---- theme ----

  const theme = {
    get() {
      try {
        return localStorage.getItem('cairn-theme');
      } catch {
        return null;
      }
    },
    set(word) {
      document.documentElement.dataset.theme = word;
      try {
        localStorage.setItem('cairn-theme', word);
      } catch { /* a page of a file may have no storage */
      }
    },
    isDark() {
      return (document.documentElement.dataset.theme ||
              (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
    },
  };

  // ---- the head ----

  const sentence = text => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : '');

  function head() {
    const whole = data.whole || data.results[0].result,
          one = data.results.length === 1 ? data.results[0].result : null;
    const name = String(whole.model || '').split('/').pop();
    document.title = `${whole.verdict ? `${whole.verdict}: ` : ''}${name} – Cairn`;
    const numbers = [
      ['states', count(whole.states)], ['transitions', count(whole.transitions)],
      ['depth', whole.depth === null || whole.depth === undefined ? null : count(whole.depth)],
      ['deadlocks', whole.deadlocks ? count(whole.deadlocks) : null],
      ['engine', one ? one.engine : null],
      ['time', whole.seconds === undefined ? null : Base.seconds(whole.seconds)],
      ['memory', whole.peak_memory_bytes ? Base.bytes(whole.peak_memory_bytes) : null]
    ].filter(([, value]) => value !== null && value !== undefined && value !== '–');
    return h(
        'header', {class: 'top'},
        h('div', {class: 'title'}, h('h1', {}, name),
          whole.verdict ?
              h('span', {class: `chip large ${whole.verdict}`, id: 'verdict'}, whole.verdict) :
              h('span', {class: 'chip large'}, 'explored'),
          h('span', {class: 'tools'},
            h('button', {
              type: 'button',
              title: 'dark or light',
              'aria-label': 'dark or light',
              onclick: () => theme.set(theme.isDark() ? 'light' : 'dark')
            },
              '◐'),
            h('button', {type: 'button', onclick: () => print()}, 'print'))),
        h('p', {class: 'assurance', id: 'assurance'}, sentence(whole.assurance)),
        h('dl', {class: 'numbers'},
          numbers.map(([key, value]) => h('div', {}, h('dt', {}, key), h('dd', {}, value)))),
        under(whole.under));
  }

  // What the claim stands under.
  function under(what) {
    if (!what) return '';
    const words = [];
    for (const [key, value] of Object.entries(what)) {
      if (value === null || value === false || (Array.isArray(value) && !value.length) ||
          (typeof value === 'object' && !Object.keys(value).length))
        continue;
      words.push(
          h('span', {class: 'tag'},
            `${key} ${
                Array.isArray(value) ?
                    value.join(', ') :
                    typeof value === 'object' ?
                    Object.entries(value)
                        .map(([a, b]) => (typeof b === 'object' ? a : `${a} = ${b}`))
                        .join(', ') :
                    value === true ? '' :
                                     value}`));
    }
    return words.length ? h('p', {class: 'under'}, 'under: ', words) : '';
  }

  const section = (id, title, ...children) => h('section', {id}, h('h2', {}, title), children);

  // What to try next, when a limit ended the search.
  const advice = list => section(
      'advice', 'What to try next',
      list.map(one => h('div', {class: 'advice'}, h('p', {}, sentence(one.why)),
                        h('pre', {}, h('code', {}, one.command)))));

  // ---- one result ----

  function openResult(number) {
    const row = data.results[number], result = row.result;
    page.result = number;
    page.property = page.run = null;
    parts.result.replaceChildren();
    const title = row.context ? `${row.context}` : 'Properties';
    const list = Matrix.list(result, k => openProperty(k, true));
    if (result.properties || row.context)
      parts.result.append(section(
          'properties', title,
          row.context ? h('p', {class: 'assurance'}, sentence(result.assurance)) : '',
          row.arguments ?
              h('p', {class: 'note'}, 'alone: ',
                h('code', {},
                  `cairn ${result.command || 'check'} ${data.whole.model} ${row.arguments}`)) :
              '',
          list));
    if (result.advice) parts.result.append(advice(result.advice));
    parts.runBox = h('div', {});
    parts.result.append(parts.runBox);
    showSource(row);
    showDrawings(result);
    showPlots(result);
    const first = (result.properties ||
                   []).findIndex(property => property.trace && property.verdict === 'violated');
    const any = (result.properties || []).findIndex(property => property.trace);
    if (first >= 0 || any >= 0)
      openProperty(first >= 0 ? first : any, false);
    else
      for (const drawing of parts.drawings) drawing.move(undefined);
    document.querySelectorAll('tr[data-context]')
        .forEach((each, k) => each.classList.toggle('here', k === number));
  }

  // ---- a run ----

  function openProperty(number, jump) {
    const property = data.results[page.result].result.properties[number];
    page.property = number;
    document.querySelectorAll('.property')
        .forEach((each, k) => each.classList.toggle('here', k === number));
    parts.runBox.replaceChildren(runSection(property));
    if (property.trace) openRun(property.trace);
    if (jump) parts.runBox.scrollIntoView({behavior: 'smooth', block: 'start'});
  }

  function runSection(property) {
    const why = property.why ?
        h('div', {class: `why ${property.verdict === 'violated' ? 'bad' : ''}`}, h('h3', {}, 'Why'),
          h('pre', {id: 'why'}, linked(property.why))) :
        '';
    if (!property.trace) {
      const state = property.state ? h('pre', {},
                                       Object.entries(property.state)
                                           .map(([name, value]) => `${name} = ${Value.text(value)}`)
                                           .join('\n')) :
                                     '';
      return section(
          'run', property.name, h('p', {class: 'note'}, property.reason || ''), state, why);
    }
    const branches = property.branches || [];
    const slider = parts.slider = h('input', {
      type: 'range',
      min: 0,
      max: 1,
      value: 0,
      step: 1,
      id: 'slider',
      'aria-label': 'step of the run',
      oninput: () => goTo(Number(slider.value))
    });
    parts.number = h('input', {
      type: 'number',
      min: 0,
      value: 0,
      id: 'number',
      'aria-label': 'number of the step',
      onchange: () => goTo(Number(parts.number.value))
    });
    parts.what = h('span', {class: 'what', id: 'what'});
    parts.length = h('span', {class: 'note'});
    parts.variable = h('select', {
      'aria-label': 'variable for n and p',
      id: 'variable',
      onchange: () =>
          chooseVariable(parts.variable.value === '' ? null : Number(parts.variable.value))
    });
    const button = (word, title, act) =>
        h('button', {type: 'button', title, 'aria-label': title, onclick: act}, word);
    const chartBox = h('div', {class: 'pane', id: 'chart-pane'}),
          stepsBox = h('div', {class: 'pane', id: 'steps-pane', hidden: true}),
          stateBox = h('div', {class: 'pane', id: 'state-pane'});
    parts.chart = new Chart(chartBox, goTo);
    parts.steps = new StepList(stepsBox, goTo);
    parts.table = new StateTable(stateBox, chooseVariable);
    parts.timeBox = h('div', {class: 'time-box', id: 'time-line'});
    const tab = (word, shown, hidden) =>
        h('button', {
          type: 'button',
          role: 'tab',
          'aria-selected': shown === chartBox,
          onclick: event => {
            shown.hidden = false;
            hidden.hidden = true;
            for (const each of event.target.parentNode.children)
              each.setAttribute('aria-selected', each === event.target);
            parts.chart.window.update(true);
            parts.steps.window.update(true);
            goTo(page.at);
          }
        },
          word);
    parts.branchBox = branches.length ?
        h('p', {class: 'row-of-tools'}, 'evidence: ',
          h('select', {
            'aria-label': 'evidence',
            onchange: event => {
              const k = Number(event.target.value);
              openRun(k ? branches[k - 1].trace : property.trace);
            }
          },
            h('option', {value: 0}, 'the run'),
            branches.map(
                (branch, k) =>
                    h('option', {value: k + 1},
                      `from state ${branch.from}: ${branch.part} is ${branch.value}${
                          branch.open ? `; ${branch.open}` : ''}`)))) :
                                        '';
    return section(
        'run', [Matrix.chip(property), ' ', property.name],
        h('p', {}, h('code', {}, property.text)), why, parts.branchBox,
        h('div', {class: 'slider-box'},
          h('div', {class: 'row-of-tools'}, button('«', 'first state (Home)', () => goTo(0)),
            button('‹', 'one step back (←)', () => goTo(page.at - 1)), slider,
            button('›', 'one step on (→)', () => goTo(page.at + 1)),
            button('»', 'last state (End)', () => goTo(page.run.length)), parts.number,
            parts.length),
          h('div', {class: 'row-of-tools'}, parts.what, h('span', {class: 'spring'}),
            h('label', {class: 'note'}, 'change of ', parts.variable),
            button('p', 'the change before (p)', () => change(false)),
            button('n', 'the next change (n)', () => change(true)))),
        h('div', {class: 'split'},
          h('div', {},
            h('div', {class: 'tabs', role: 'tablist'}, tab('sequence chart', chartBox, stepsBox),
              tab('steps', stepsBox, chartBox)),
            chartBox, stepsBox),
          h('div', {},
            h('div', {class: 'tabs'},
              h('button', {type: 'button', 'aria-selected': true}, 'state')),
            stateBox)),
        parts.timeBox,
        h('p', {class: 'note keys'}, h('kbd', {}, '←'), ' ', h('kbd', {}, '→'), ' step · ',
          h('kbd', {}, 'Home'), ' ', h('kbd', {}, 'End'), ' · ', h('kbd', {}, 'n'), ' ',
          h('kbd', {}, 'p'),
          ' next and previous change of the chosen variable (of anything: choose none)'));
  }

  // Places such as phils.mil:36 in explanations lead to their lines.
  function linked(text) {
    const sources = data.sources[data.results[page.result].sources] || [], out = [];
    let last = 0;
    for (const match of text.matchAll(/([^\s:,()]+):(\d+)/g)) {
      const k = sources.findIndex(source => source.name.split('/').pop() === match[1]);
      if (k < 0) continue;
      out.push(
          text.slice(last, match.index),
          h('a', {
            href: '#source',
            onclick: () => parts.source.point([{source: k, line: Number(match[2])}])
          },
            match[0]));
      last = match.index + match[0].length;
    }
    out.push(text.slice(last));
    return out;
  }

  function openRun(trace) {
    const result = data.results[page.result].result;
    const run = page.run = new Run(trace, result);
    page.variable = null;
    parts.slider.max = parts.number.max = run.length;
    parts.length.textContent = ` of ${count(run.length)}${
        run.loop !== null ? `, then from ${run.loop} again, for ever` : ''}`;
    const changing = new Set();
    for (const step of run.steps)
      for (const number in step[1]) changing.add(Number(number));
    parts.variable.replaceChildren(
        h('option', {value: ''}, '(any)'),
        ...[...changing]
            .sort((a, b) => a - b)
            .slice(0, 2000)
            .map(number => h('option', {value: number}, result.variables[number][0])));
    parts.chart.show(run, 0);
    parts.steps.show(run, 0);
    if (parts.graph) parts.graph.follow(run);
    goTo(result.properties[page.property].trace === trace && run.loop === null ? run.length : 0);
  }

  function goTo(at) {
    const {run} = page;
    if (!run) return;
    page.at = at = Base.clamp(Math.round(at) || 0, 0, run.length);
    parts.slider.value = parts.number.value = at;
    parts.slider.setAttribute('aria-valuetext', `state ${at}: ${run.label(at)}`);
    const names = run.names(at);
    parts.what.replaceChildren(
        h('b', {}, run.label(at)), names ? ` by ${names}` : '',
        run.isTimed ? ` at ${run.date(at)}` : '',
        at === run.length && run.isTimed && Base.time(run.trace.wait || 0) > 0 ?
            `, then ${run.trace.wait} pass` :
            '',
        place(at));
    if (!parts.chart.box.closest('.pane').hidden)
      parts.chart.move(at);
    else
      parts.steps.move(at);
    parts.table.show(run, at, page.variable);
    if (run.isTimed)
      TimeLine.draw(parts.timeBox, run, at, goTo);
    else
      parts.timeBox.replaceChildren();
    const state = run.state(at), variables = run.result.variables;
    for (const drawing of parts.drawings) {
      const number = variables.findIndex(([name]) => name === drawing.variable);
      drawing.move(number < 0 ? undefined : state[number]);
    }
    if (parts.graph) parts.graph.move(at);
    parts.source.point(at ? run.parts(at) : null);
  }

  function place(at) {
    const part = page.run.parts(at).find(each => each.source !== null && each.line);
    const source = part && (data.sources[data.results[page.result].sources] || [])[part.source];
    if (!source) return '';
    return h(
        'a', {class: 'place', href: '#source'}, `${source.name.split('/').pop()}:${part.line}`);
  }

  function chooseVariable(number) {
    page.variable = page.variable === number ? null : number;
    parts.variable.value = page.variable === null ? '' : page.variable;
    parts.table.show(page.run, page.at, page.variable);
  }

  function change(forward) {
    const {run} = page;
    if (!run) return;
    if (page.variable === null) return goTo(page.at + (forward ? 1 : -1));
    const found = run.nextChange(page.variable, page.at, forward);
    if (found !== null) goTo(found);
  }

  // ---- sources, pictures, plots ----

  function showSource(row) {
    const sources = data.sources[row.sources] || [], box = h('div', {});
    const same = data.results.filter(other => other.sources === row.sources && other.result.rules)
                     .map(other => other.result);
    parts.source = new SourceView(box);
    parts.source.show(sources, same);
    if (sources.length)
      parts.result.append(section(
          'source',
          same.length > 1 ? 'Source, and what all contexts took of it' :
                            'Source, and what was taken of it',
          coverage(same), box));
  }

  function coverage(results) {
    const lines = new Set(), taken = new Set(), places = new Set(), reached = new Set();
    let counted = results.length > 0;
    for (const result of results) {
      for (const rule of result.rules) {
        if (rule[1] === null) counted = false;
        for (const part of Run.parts(rule)) {
          if (part.source === null || !part.line) continue;
          const key = `${part.source}:${part.line}:${part.column}`;
          lines.add(key);
          if (rule[1] !== null && Number(rule[1])) taken.add(key);
        }
      }
      for (const [process, name, isReached] of result.locations) {
        const key = `${result.processes[process].name} ${name}`;
        places.add(key);
        if (isReached) reached.add(key);
      }
    }
    if (!counted || !lines.size) return '';
    return h(
        'p', {id: 'coverage'}, h('b', {}, `${taken.size} of ${lines.size}`), ' commands were taken',
        places.size ?
            [', ', h('b', {}, `${reached.size} of ${places.size}`), ' locations reached'] :
            '',
        '.');
  }

  function showDrawings(result) {
    const box = h('div', {class: 'drawings'}), automata = result.automata || [];
    const visible = automata.slice(0, 40);
    parts.drawings = visible.map(automaton => new Automata.Drawing(automaton));
    box.append(...parts.drawings.map(drawing => drawing.box));
    if (visible.length) parts.result.append(section('automata', 'Automata', box));
    parts.graph = null;
    if (result.graph && result.graph.states.length > 1) {
      const told = h('pre', {class: 'told', hidden: true});
      parts.graph = new Automata.Graph(result, k => {
        told.hidden = false;
        told.textContent = `state ${k}\n${parts.graph.words(k).join('\n')}`;
      });
      parts.result.append(section(
          'graph', 'State graph',
          h('p', {class: 'note'},
            `${
                Base.plural(
                    result.graph.states.length,
                    result.graph.zones ? 'symbolic state' : 'state')}, ${
                Base.plural(
                    result.graph.edges.length,
                    'transition')}; from top to bottom: the distance from the beginning. ` +
                'The run is coloured; a click shows a state.'),
          h('div', {class: 'graph-and-state'}, parts.graph.box, told)));
    }
  }

  function showPlots(result) {
    const plots = Plots.all(result);
    if (plots.length)
      parts.result.append(section('plots', 'The search', h('div', {class: 'plots'}, plots)));
  }

  // ---- keys and paper ----

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !page.run) return;
    const field = event.target.closest &&
        event.target.closest('input:not([type=range]):not([type=checkbox]), select, textarea');
    if (field) return;
    const last = page.run.length;
    const keys = {
      ArrowLeft: () => goTo(page.at - 1),
      ArrowRight: () => goTo(page.at + 1),
      Home: () => goTo(0),
      End: () => goTo(last),
      n: () => change(true),
      p: () => change(false)
    };
    if (event.target.closest && event.target.closest('.chart-box, .steps-box, #slider'))
      Object.assign(keys, {
        ArrowUp: keys.ArrowLeft,
        ArrowDown: keys.ArrowRight,
        PageUp: () => goTo(page.at - 10),
        PageDown: () => goTo(page.at + 10)
      });
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  function begin() {
    const main = document.getElementById('page'), stored = theme.get();
    if (stored === 'dark' || stored === 'light') document.documentElement.dataset.theme = stored;
    main.append(head());
    if (data.whole)
      main.append(section(
          'matrix', data.whole.guides_file ? 'Guides and properties' : 'Contexts and properties',
          Matrix.matrix(data.results, data.whole.guides_file ? 'guide' : 'context', (r, k) => {
            openResult(r);
            if (k !== null && (data.results[r].result.properties || [])[k].trace)
              openProperty(k, true);
            else
              parts.result.scrollIntoView({behavior: 'smooth', block: 'start'});
          })));
    parts.result = h('div', {id: 'result'});
    main.append(parts.result);
    const worst = data.results.findIndex(
        ({result}) => (result.properties ||
                       []).some(property => property.verdict === 'violated' && property.trace));
    openResult(Math.max(0, worst));
    const version = (data.whole || data.results[0].result).cairn;
    main.append(
        h('footer', {class: 'note'},
          `Cairn ${version || ''} · ${(data.whole || data.results[0].result).model}`));
    document.addEventListener('keydown', onKey);
    addEventListener('beforeprint', () => Base.forPaper(true));
    addEventListener('afterprint', () => Base.forPaper(false));
  }

  begin();
  return {data, page, parts, goTo, openResult, openProperty, change, chooseVariable};
})();
window.cairn = Page;
