// Checks: what is asked, how far it is, and its result as the report page shows it.

class Checker {
  constructor(model, told, goOn) {
    const {h} = Base;
    Object.assign(this, {model, told, goOn, id: null, since: 0, usual: [], checked: null});
    this.properties = h('fieldset', {id: 'asked'});
    this.formulas = h('div', {class: 'formulas'});
    const number = (id, label, placeholder) =>
        h('label', {}, `${label} `, h('input', {type: 'number', id, min: 0, placeholder}));
    this.engine = h('select', {id: 'engine', 'aria-label': 'engine'});
    this.order = h('select', {id: 'order', 'aria-label': 'order'});
    this.reduce =
        h('select', {id: 'reduce', 'aria-label': 'reduction'},
          ['none', 'por'].map(name => h('option', {value: name}, name)));
    this.first = h('input', {type: 'checkbox', id: 'first'});
    this.start =
        h('button', {type: 'button', id: 'start', class: 'main', onclick: () => this.check()},
          'check');
    this.end = h(
        'button', {type: 'button', id: 'stop', disabled: true, onclick: () => this.stop()}, 'stop');
    this.form =
        h('div', {class: 'ask'}, this.properties, this.formulas,
          h('div', {class: 'row-of-tools'}, h('label', {}, 'engine ', this.engine),
            h('label', {}, 'order ', this.order), h('label', {}, 'reduce ', this.reduce),
            number('bound', 'bound', 'none'), number('memory', 'memory, MiB', 'most'),
            number('time', 'time, s', 'any'), number('threads', 'threads', '1'),
            h('label', {}, this.first, ' until the first violation')),
          h('div', {class: 'row-of-tools'}, this.start, this.end));
    this.progress = h('div', {id: 'progress', role: 'status'});
    this.messages = h('ul', {class: 'diagnostics', id: 'messages'});
    this.resultBox = h('div', {id: 'checked'});
    this.box = h('div', {id: 'check'}, this.form, this.progress, this.messages, this.resultBox);
    this.addFormula();
  }

  offer({engines, orders}) {
    const {h} = Base;
    this.engine.replaceChildren(
        ...['auto', ...engines].map(name => h('option', {value: name}, name)));
    this.order.replaceChildren(...orders.map(name => h('option', {value: name}, name)));
  }

  // What somebody chose stays chosen while the model is edited.
  open({result}) {
    const {h} = Base, chosen = this.boxes().map(box => [box.value, box.checked]),
          before = new Map(chosen);
    this.usual = result.properties.filter(property => property.asked).map(each => each.name);
    this.properties.replaceChildren(
        h('legend', {}, 'Properties'),
        ...result.properties.map(
            property =>
                h('label', {title: property.text}, h('input', {
                    type: 'checkbox',
                    value: property.name,
                    checked: before.has(property.name) ? before.get(property.name) : property.asked
                  }),
                  ' ', property.name, h('code', {}, Base.cut(property.text || '', 60)))));
  }

  // Another model: as long as its properties are not known, the usual ones are asked.
  forget() {
    this.usual = [];
    this.properties.replaceChildren();
  }

  boxes() {
    return [...this.properties.querySelectorAll('input')];
  }

  // There is always an empty one to write in.
  addFormula() {
    const {h} = Base;
    const text = h('input', {
      type: 'text',
      class: 'formula',
      'aria-label': 'formula',
      placeholder: 'another formula, such as g == 0',
      oninput: () => !row.nextSibling && this.addFormula()
    });
    const row =
        h('div', {class: 'row-of-tools formula-row'},
          h('select', {'aria-label': 'kind of formula'},
            [['invariant', 'always'], ['find', 'find'], ['ltl', 'LTL'], ['ctl', 'CTL']].map(
                ([value, word]) => h('option', {value}, word))),
          text);
    this.formulas.append(row);
  }

  asked() {
    const chosen = this.boxes().filter(box => box.checked).map(box => box.value);
    const isUsual = chosen.join('\n') === this.usual.join('\n');
    const number = id => {
      const {value} = this.form.querySelector(`#${id}`);
      return value === '' ? null : Number(value);
    };
    return {
      // run-time errors are always looked for: alone they stand for nothing of the model
      properties: isUsual ? [] :
          chosen.length   ? chosen :
                            ['runtime-error'],
      formulas: [...this.formulas.children]
                    .map(row => ({
                           kind: row.querySelector('select').value,
                           text: row.querySelector('input').value.trim()
                         }))
                    .filter(formula => formula.text),
      engine: this.engine.value,
      order: this.order.value,
      reduce: this.reduce.value,
      first: this.first.checked,
      bound: number('bound'),
      memory: number('memory'),
      time: number('time'),
      threads: number('threads')
    };
  }

  async check() {
    if (this.id !== null || this.start.disabled) return;
    this.start.disabled = true;
    try {
      this.checked = this.model();
      const {id} = await Server.ask('check', {model: this.checked, ask: this.asked()});
      return this.follow(id);
    } catch (error) {
      this.told(error.message);
    }
    this.start.disabled = false;
  }

  // A check that runs, of this page or of one before it.
  async follow(id) {
    Object.assign(this, {id, since: 0, last: null});
    this.start.disabled = true;
    this.end.disabled = false;
    this.messages.replaceChildren();
    this.resultBox.replaceChildren();
    this.progress.replaceChildren('reading the model …');
    try {
      await this.watch();
    } catch (error) {
      this.told(error.message);
    }
    this.id = null;
    this.start.disabled = false;
    this.end.disabled = true;
  }

  async stop() {
    if (this.id === null) return;
    this.end.disabled = true;
    try {
      await Server.ask(`stop?id=${this.id}`);
    } catch (error) {
      this.told(error.message);
    }
  }

  async watch() {
    for (let pause = 30;; pause = Math.min(400, pause * 1.6)) {
      const told = await Server.ask(`progress?id=${this.id}&since=${this.since}`);
      this.since = told.next;
      this.hear(told.lines);
      if (told.status !== null) return this.show(told);
      await new Promise(resolve => setTimeout(resolve, pause));
    }
  }

  hear(lines) {
    const {h, count} = Base;
    for (const line of lines) {
      if (!line.progress) {
        this.messages.append(
            h('li', {class: line.severity}, h('b', {}, line.severity), ' ',
              line.file ? h('span', {class: 'where'},
                            `${line.file}${line.line ? `:${line.line}:${line.column}` : ''} `) :
                          '',
              line.text));
        continue;
      }
      this.last = line;
    }
    const {last} = this;
    if (!last) return;
    const words = last.progress === 'jobs' ?
        [`${last.done} of ${Base.plural(last.count, last.what)}`, `${last.running} at work`] :
        [
          last.phase, last.states === undefined ? null : Base.plural(last.states, 'state'),
          last.nodes === undefined ? null : Base.plural(last.nodes, 'node'),
          last.states_per_second ? `${count(Math.round(last.states_per_second))} per second` : null,
          last.depth ? `depth ${count(last.depth)}` : null,
          last.waiting ? `${count(last.waiting)} waiting` : null,
          !last.memory_bytes ?
              null :
              last.memory_limit_bytes ?
              `${Base.bytes(last.memory_bytes)} of ${Base.bytes(last.memory_limit_bytes)}` :
              Base.bytes(last.memory_bytes)
        ];
    const share = last.share !== undefined ? last.share :
        last.progress === 'jobs'           ? last.done / last.count :
                                             null;
    this.progress.replaceChildren(
        h('p', {}, [...words, Base.seconds(last.seconds)].filter(Boolean).join(' · ')),
        share === null ? '' :
                         h('div', {class: 'share', title: 'done'},
                           h('div', {style: `width:${(100 * Math.min(1, share)).toFixed(1)}%`})));
  }

  show(told) {
    this.progress.replaceChildren(told.stopped ? 'It was stopped: this is what is known.' : '');
    if (told.answer === null)
      return void this.progress.replaceChildren(
          Base.h('p', {class: 'alarm'}, `There is no result: ${Server.reason(told)}`));
    Page.open(
        this.resultBox, told.answer,
        {isPart: true, goOn: this.checked && ((trace, at) => this.goOn(this.checked, trace, at))});
  }

  onKey(event) {
    if (this.resultBox.firstChild) Page.onKey(event);
  }
}
