// Verdicts: of one search as a list, of several contexts or guides as a matrix.

const Matrix = (() => {
  const {h, count} = Base;
  const vacuously = 'vacuously: its antecedent is never true';

  const FEW = 12;  // rows that need no filter

  const kind = property => (property.vacuous ? 'vacuous' : property.verdict);
  const steps = property => (property.trace ? property.trace.steps.length : null);
  const chip = property =>
      h('span', {class: `chip ${kind(property)}`},
        property.vacuous ? 'holds, vacuously' : property.verdict);

  function cell(property, onOpen) {
    if (!property) return h('td', {class: 'none'}, '–');
    const length = steps(property);
    const words = property.vacuous ? 'holds, vacuously' : property.verdict;
    const title =
        [property.text, property.vacuous ? vacuously : property.reason].filter(Boolean).join('\n');
    return h(
        'td', {class: `verdict ${kind(property)}`, title},
        length === null ? words :
                          h('button', {type: 'button', onclick: onOpen}, words,
                            h('small', {}, ` ${Base.plural(length, 'step')}`)));
  }

  // The matrix of contexts and properties.
  function matrix(results, word, onOpen) {
    const columns = [];
    for (const {result} of results)
      for (const property of result.properties || [])
        if (!columns.includes(property.name)) columns.push(property.name);
    const some = key =>
        results.some(({result}) => result.statistics && result.statistics[key] !== undefined);
    const freed = some('freezability');
    const head =
        h('tr', {}, h('th', {scope: 'col'}, word),
          columns.map(name => h('th', {scope: 'col'}, name)), [
            'states', 'transitions', freed ? 'freed' : null, 'time', 'memory', ''
          ].filter(name => name !== null).map(name => h('th', {class: 'n', scope: 'col'}, name)));
    const rows = results.map((row, r) => {
      const {result} = row, share = result.statistics && result.statistics.freezability;
      return h(
          'tr', {'data-context': row.context},
          h('th', {scope: 'row'},
            h('button', {type: 'button', onclick: () => onOpen(r, null)}, row.context)),
          columns.map(name => {
            const k = (result.properties || []).findIndex(property => property.name === name);
            return cell((result.properties || [])[k], () => onOpen(r, k));
          }),
          h('td', {class: 'n'}, count(result.states)),
          h('td', {class: 'n'}, count(result.transitions)),
          freed ? h('td', {class: 'n'}, share === undefined ? '' : `${(100 * share).toFixed(1)}%`) :
                                                              null,
          h('td', {class: 'n'}, result.seconds === undefined ? '–' : Base.seconds(result.seconds)),
          h('td', {class: 'n'},
            result.peak_memory_bytes === undefined ? '–' : Base.bytes(result.peak_memory_bytes)),
          h('td', {}, result.complete ? '' : 'not complete'));
    });
    const table = h('table', {class: 'matrix'}, h('thead', {}, head), h('tbody', {}, rows));
    if (rows.length <= FEW) return h('div', {class: 'wide'}, table);
    return h('div', {}, filters(results, rows, word), h('div', {class: 'wide tall'}, table));
  }

  // What a row says of itself: the worst of its verdicts.
  function worst({result}) {
    const all = (result.properties || []).map(property => property.verdict);
    return all.includes('violated')                             ? 'violated' :
        all.includes('unknown') || !all.length || !result.complete ? 'unknown' :
                                                                  'holds';
  }

  // For many rows: by name, and by verdict.
  function filters(results, rows, word) {
    const verdicts = results.map(worst), told = h('span', {class: 'note', id: 'matrix-count'});
    const name = h('input', {
      type: 'search',
      id: 'matrix-name',
      placeholder: `name of a ${word}`,
      'aria-label': `name of a ${word}`,
      oninput: () => update()
    });
    const verdict = h(
        'select', {id: 'matrix-verdict', 'aria-label': 'verdict', onchange: () => update()},
        ['all', 'violated', 'unknown', 'holds'].map(
            each => h('option', {value: each},
                      `${each} (${
                          each === 'all' ? rows.length :
                                           verdicts.filter(one => one === each).length})`)));
    function update() {
      let shown = 0;
      rows.forEach((row, k) => {
        row.hidden = !results[k].context.toLowerCase().includes(name.value.toLowerCase()) ||
            (verdict.value !== 'all' && verdicts[k] !== verdict.value);
        shown += !row.hidden;
      });
      told.textContent = `${count(shown)} of ${Base.plural(rows.length, word)}`;
    }
    update();
    return h('p', {class: 'row-of-tools'}, name, verdict, told);
  }

  const extent = value => Object.entries(value).map(
      ([name, bound]) =>
          h('code', {class: 'extent'},
            `${name}: ${
                Object.entries(bound)
                    .map(([end, number]) => `${end} ${number === null ? 'not known' : number}`)
                    .join(', ')}`));

  // The properties of one search.
  function list(result, onOpen) {
    return h('ul', {class: 'properties'}, (result.properties || []).map((property, k) => {
      const length = steps(property);
      const under = [
        property.kind,
        property.engine && property.engine !== result.engine ? `by the ${property.engine} engine` :
                                                               null,
        property.method, property.asked === false ? 'looked at on the way' : null,
        property.bound !== undefined ? `bound ${property.bound}` : null
      ].filter(Boolean).join(' · ');
      return h(
          'li', {class: 'property', 'data-property': property.name}, chip(property),
          h('div', {class: 'words'}, h('b', {}, property.name), ' ', h('code', {}, property.text),
            property.value ? extent(property.value) : '',
            h('div', {class: 'note'}, under, property.vacuous ? ` · ${vacuously}` : '',
              property.reason ? ` · ${property.reason}` : '')),
          length === null && !property.state ?
              h('span', {}) :
              h('button', {type: 'button', class: 'open', onclick: () => onOpen(k)},
                length === null ? 'the state' :
                    property.trace.loop !== null ?
                                  `run of ${Base.plural(length, 'step')}, repeats` :
                                  `run of ${Base.plural(length, 'step')}`));
    }));
  }

  return {matrix, list, chip, kind};
})();
