// A result: verdicts, and the run of the property that is chosen. What it shows is its data, which
// report/page.h describes.

const Page = (() => {
  const {h, count} = Base;
  let data = null, options = {};
  const page = {
    result: 0,
    property: null,
    get run() { return parts.view && parts.view.run; },
    get at() { return parts.view ? parts.view.at : 0; },
  };
  const parts = {};

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
          options.isPart ? '' :
                           h('span', {class: 'tools'}, Theme.button(),
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
      list.map(
          one =>
              h('div', {class: 'advice'}, h('p', {}, sentence(one.why)),
                h('pre', {}, h('code', {}, one.command)))));

  // ---- one result ----

  function openResult(number) {
    const row = data.results[number], result = row.result;
    page.result = number;
    page.property = parts.view = null;
    parts.follow = {source: null, drawings: [], graph: null};
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
      for (const drawing of parts.follow.drawings) drawing.move(undefined);
    document.querySelectorAll('tr[data-context]')
        .forEach((each, k) => each.classList.toggle('here', k === number));
  }

  // ---- a run ----

  function openProperty(number, jump) {
    const property = data.results[page.result].result.properties[number];
    page.property = number;
    parts.view = null;
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
    parts.view = new RunView(
        {sources: data.sources[data.results[page.result].sources] || [], follow: parts.follow});
    const steps = trace => (trace.steps.length === 1 ? '1 step' : `${trace.steps.length} steps`);
    const choices = [
      {trace: property.trace, words: `the run: ${steps(property.trace)}`},
      ...(property.traces || [])
          .slice(1)
          .map(trace => ({trace, words: `another run: ${steps(trace)}`})),
      ...branches.map(branch => ({
                        trace: branch.trace,
                        words: `from state ${branch.from}: ${branch.part} is ${branch.value}${
                            branch.open ? `; ${branch.open}` : ''}`
                      }))
    ];
    parts.branchBox = choices.length > 1 ?
        h('p', {class: 'row-of-tools'}, 'evidence: ',
          h('select', {
            'aria-label': 'evidence',
            onchange: event => openRun(choices[Number(event.target.value)].trace)
          },
            choices.map(({words}, k) => h('option', {value: k}, words)))) :
        '';
    return section(
        'run', [Matrix.chip(property), ' ', property.name],
        h('p', {}, h('code', {}, property.text)), why, parts.branchBox,
        options.goOn ? h('p', {class: 'row-of-tools'}, goOn()) : '', parts.view.box);
  }

  // From a run that is shown to one that goes on.
  const goOn = () =>
      h('button', {
        type: 'button',
        id: 'go-on',
        onclick: () => options.goOn(parts.view.run.trace, parts.view.at)
      },
        'go on from here, step by step');

  // In explanations places such as phils.mil:36 lead to their lines, and states to the slider.
  function linked(text) {
    const sources = data.sources[data.results[page.result].sources] || [], out = [];
    let last = 0;
    const link = (match, href, onclick) => {
      out.push(text.slice(last, match.index), h('a', {href, onclick}, match[0]));
      last = match.index + match[0].length;
    };
    for (const match of text.matchAll(/([^\s:,()]+):(\d+)|\bstate (\d+)\b/g)) {
      const k = sources.findIndex(source => source.name.split('/').pop() === match[1]);
      if (match[3] !== undefined)
        link(match, '#run', () => parts.view && parts.view.goTo(Number(match[3])));
      else if (k >= 0)
        link(
            match, '#source',
            () => parts.follow.source.point([{source: k, line: Number(match[2])}]));
    }
    out.push(text.slice(last));
    return out;
  }

  function openRun(trace) {
    const result = data.results[page.result].result, run = new Run(trace, result);
    const {trace: first, traces = []} = result.properties[page.property];
    const isWhole = (first === trace || traces.includes(trace)) && run.loop === null;
    parts.view.open(run, isWhole ? run.length : 0);
  }

  // ---- sources, pictures, plots ----

  function showSource(row) {
    const sources = data.sources[row.sources] || [], box = h('div', {});
    const same = data.results.filter(other => other.sources === row.sources && other.result.rules)
                     .map(other => other.result);
    parts.follow.source = new SourceView(box);
    parts.follow.source.show(sources, same);
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
    parts.follow.drawings = visible.map(automaton => new Automata.Drawing(automaton));
    box.append(...parts.follow.drawings.map(drawing => drawing.box));
    if (visible.length) parts.result.append(section('automata', 'Automata', box));
    if (result.graph && result.graph.states.length > 1) {
      const told = h('pre', {class: 'told', hidden: true});
      parts.follow.graph = new Automata.Graph(result, k => {
        told.hidden = false;
        told.textContent = `state ${k}\n${parts.follow.graph.words(k).join('\n')}`;
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
          h('div', {class: 'graph-and-state'}, parts.follow.graph.box, told)));
    }
  }

  function showPlots(result) {
    const plots = Plots.all(result);
    if (plots.length)
      parts.result.append(section('plots', 'The search', h('div', {class: 'plots'}, plots)));
  }

  // ---- all of it ----

  // options: isPart: it is a part of another page; goOn(trace, at): somebody takes the run from
  // there.
  function open(main, given, how) {
    data = given;
    options = how;
    main.replaceChildren();
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
  }

  const goTo = at => parts.view && parts.view.goTo(at);
  const onKey = event => Boolean(parts.view) && parts.view.onKey(event);

  return {open, page, parts, goTo, openResult, openProperty, onKey};
})();
