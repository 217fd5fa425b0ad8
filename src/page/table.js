// The state at the slider as a table, and all steps as a list.

class StateTable {
  constructor(box, onVariable) {
    const {h} = Base;
    this.onVariable = onVariable;
    this.filter = h('input', {
      type: 'search',
      placeholder: 'filter names',
      'aria-label': 'filter names',
      oninput: () => this.draw()
    });
    this.only = h('input', {type: 'checkbox', onchange: () => this.draw()});
    this.body = h('div', {class: 'state-rows'});
    box.append(
        h('div', {class: 'row-of-tools'}, this.filter, h('label', {}, this.only, ' only changes')),
        this.body);
  }

  show(run, at, chosen) {
    Object.assign(this, {run, at, chosen});
    this.draw();
  }

  draw() {
    const {h} = Base, {run, at} = this, MOST = 1500;
    if (!run) return;
    const result = run.result, changed = new Set(run.changed(at)),
          word = this.filter.value.toLowerCase();
    const before = at ? run.state(at - 1).slice() : null, state = run.state(at).slice();
    const groups = new Map();
    let shown = 0, left = 0;
    result.variables.forEach(([name, process, shape], number) => {
      if (word && !name.toLowerCase().includes(word)) return;
      if (this.only.checked && !changed.has(number)) return;
      if (++shown > MOST && !changed.has(number)) return void left++;
      const key = process === null ? '' : result.processes[process].name;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(
          this.row(number, name, shape, key, state, changed.has(number) ? before : null));
    });
    const table = h('table', {class: 'state'});
    const names = [...groups.keys()].sort((a, b) => (a === '' ? -1 : b === '' ? 1 : 0));
    for (const key of names) {
      const body = h('tbody', {});
      if (names.length > 1 || key)
        body.append(
            h('tr', {class: 'group'}, h('th', {colspan: 2, scope: 'rowgroup'}, key || 'shared')));
      body.append(...groups.get(key));
      table.append(body);
    }
    if (run.isTimed && !this.only.checked) this.addClocks(table, word);
    this.body.replaceChildren(
        table,
        left ?
            h('p', {class: 'note'}, `… and ${Base.plural(left, 'more variable')}: filter names`) :
            '');
  }

  row(number, name, shape, process, state, before) {
    const {h} = Base;
    const short = process && name.startsWith(`${process}.`) ? name.slice(process.length + 1) : name;
    const now = Value.text(state[number], shape);
    return h(
        'tr', {
          class: `${before ? 'changed' : ''} ${this.chosen === number ? 'chosen' : ''}`,
          'data-variable': name,
          title: `${name}: n and p go to where it changes`,
          onclick: () => this.onVariable(number)
        },
        h('td', {}, short),
        h('td', {},
          before ?
              [
                h('s', {}, Value.text(before[number], shape)),
                h('span', {class: 'to', 'aria-label': 'becomes'}, ' → ')
              ] :
              '',
          h('span', {class: 'now'}, now)));
  }

  addClocks(table, word) {
    const {h} = Base, {run, at} = this, clocks = run.clocks(at) || [];
    const names =
        run.result.clocks.map((name, k) => [name, clocks[k]])
            .filter(([name, value]) => value !== undefined && name.toLowerCase().includes(word));
    if (!names.length) return;
    table.append(
        h('tbody', {}, h('tr', {class: 'group'}, h('th', {colspan: 2}, 'clocks, on arrival')),
          names.map(
              ([name, value]) =>
                  h('tr', {'data-clock': name}, h('td', {}, name),
                    h('td', {}, h('span', {class: 'now'}, value))))));
  }
}

class StepList {
  constructor(box, onStep) {
    const {h} = Base;
    this.onStep = onStep;
    this.box = h('div', {class: 'steps-box', tabindex: 0, role: 'group', 'aria-label': 'steps'});
    this.window = Base.window(this.box, 30, (first, end) => this.draw(first, end));
    box.append(this.box);
  }

  show(run, at) {
    Object.assign(this, {run, at});
    this.window.resize(run.length + 1);
  }

  move(at) {
    this.at = at;
    this.window.reveal(at);
    this.window.update(true);
  }

  draw(first, end) {
    const {h} = Base, {run} = this;
    const list = h('div', {class: 'steps', style: `top:${first * 30}px`});
    for (let i = first; i < end; i++) {
      const changed = run.changed(i), state = run.state(i), names = run.result.variables;
      const words = (i ? changed : names.map((_, k) => k).slice(0, 40))
                        .map(k => `${names[k][0]} = ${Value.text(state[k], names[k][2])}`)
                        .join(', ');
      list.append(
          h('div', {
            class: i === this.at ? 'step here' : 'step',
            'data-row': i,
            onclick: () => this.onStep(i)
          },
            h('span', {class: 'number'}, i),
            run.isTimed ? h('span', {class: 'date'}, run.date(i)) : '',
            h('span', {class: 'label'}, run.label(i)), h('span', {class: 'by'}, run.names(i)),
            h('span', {class: 'what', title: words}, words)));
    }
    return list;
  }
}
