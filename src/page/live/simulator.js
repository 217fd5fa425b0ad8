// Runs by hand. A branch is a run whole, with its first state; a step that is taken in the middle
// of one begins another, so that nothing is lost by going back.

class Simulator {
  // told(text): for the user.
  constructor(told) {
    const {h} = Base;
    Object.assign(this, {model: null, told, branches: [], current: null, asked: 0, counter: 0});
    this.where = null;  // what the server says of the state at the slider
    this.tabs = h('div', {class: 'tabs', id: 'branches', role: 'tablist'});
    this.notes = h('div', {id: 'notes'});
    this.enabled = h('ol', {class: 'enabled', id: 'enabled'});
    this.file = h('input', {
      type: 'text',
      id: 'trace-name',
      'aria-label': 'name of a saved run',
      placeholder: 'run.itf.json',
      list: 'traces'
    });
    this.traces = h('datalist', {id: 'traces'});
    this.wait = h('span', {class: 'note', id: 'patience'});
    this.runBox = h('div', {});
    this.below = h('div', {});
    const button = (word, title, id, act) =>
        h('button', {type: 'button', title, id, onclick: act}, word);
    this.box =
        h('div', {id: 'simulate'},
          h('div', {class: 'row-of-tools'},
            button('new run', 'from an initial state', 'new-run', () => this.begin()),
            button('undo', 'one step back (u)', 'undo', () => this.undo()),
            button('random step', 'any of the possible ones (r)', 'random', () => this.random()),
            h('span', {class: 'spring'}), this.file, this.traces,
            button('save run', 'in this file of the folder', 'save-run', () => this.save()),
            button('load run', 'from this file', 'load-run', () => this.load())),
          this.tabs, this.notes, h('h3', {}, 'Possible steps ', this.wait), this.enabled,
          this.runBox, this.below);
  }

  // Another model, as requests have it: runs of the one before mean nothing in it.
  open(model, {result, sources}) {
    const {h} = Base, box = h('div', {}), drawn = (result.automata || []).slice(0, 40);
    Object.assign(this, {model, result, sources, branches: [], current: null, where: null});
    const drawings = drawn.map(automaton => new Automata.Drawing(automaton));
    const source = new SourceView(box);
    source.show(sources, []);
    source.legend.textContent = 'The line of the step at the slider is marked.';
    this.view = new RunView({sources, follow: {source, drawings}, moved: () => this.look()});
    this.runBox.replaceChildren(this.view.box);
    this.below.replaceChildren(
        h('section', {id: 'source'}, h('h2', {}, 'Source'), box),
        drawings.length ? h('section', {id: 'automata'}, h('h2', {}, 'Automata'),
                            h('div', {class: 'drawings'}, drawings.map(drawing => drawing.box))) :
                          '');
    this.begin();
  }

  close(words) {
    Object.assign(this, {result: null, current: null, where: null, branches: []});
    this.runBox.replaceChildren();
    this.below.replaceChildren();
    this.enabled.replaceChildren();
    this.tabs.replaceChildren();
    this.wait.textContent = '';
    this.notes.replaceChildren(Base.h('p', {class: 'note'}, words));
  }

  showTraces(files) {
    this.traces.replaceChildren(...files.map(file => Base.h('option', {value: file.name})));
  }

  // ---- branches ----

  // The first steps of a branch, as requests have them.
  static steps(trace, length) {
    return trace.steps.slice(0, length).map(
        step => [step[0], step[2] === undefined ? null : String(step[2])]);
  }

  async ask(act, body) {
    try {
      return await Server.answer(act, {model: this.model, ...body});
    } catch (error) {
      this.told(error.message);
      return null;
    }
  }

  add(trace, from) {
    const branch = {number: ++this.counter, trace, from};
    this.branches.push(branch);
    return branch;
  }

  show(branch, at) {
    this.current = branch;
    this.drawTabs();
    this.view.open(new Run(branch.trace, this.result), at);
  }

  drawTabs() {
    const {h} = Base;
    this.tabs.replaceChildren(...this.branches.map(
        branch =>
            h('span', {class: 'branch', 'data-branch': branch.number},
              h('button', {
                type: 'button',
                role: 'tab',
                'aria-selected': branch === this.current,
                title: branch.from || 'from an initial state',
                onclick: () => this.show(branch, branch.trace.steps.length)
              },
                `run ${branch.number}`,
                h('small', {}, ` ${Base.plural(branch.trace.steps.length, 'step')}`)),
              this.branches.length > 1 ? h('button', {
                type: 'button',
                class: 'drop',
                'aria-label': `forget run ${branch.number}`,
                title: 'forget this run',
                onclick: () => this.drop(branch)
              },
                                           '×') :
                                         '')));
  }

  drop(branch) {
    this.branches = this.branches.filter(each => each !== branch);
    const next = branch === this.current ? this.branches[this.branches.length - 1] : this.current;
    this.show(next, next === this.current ? this.view.at : next.trace.steps.length);
  }

  async begin() {
    const seed = this.branches.length ? Math.floor(Math.random() * 2 ** 31) : 1;
    const answer = await this.ask('run', {run: {cells: null, seed, steps: []}});
    if (answer && this.result) this.show(this.add(answer.run, null), 0);
  }

  // A run from elsewhere, such as the one of a violated property, up to a step.
  take(trace, at) {
    const copy = {...trace, steps: trace.steps.slice(0, at), loop: null, closing: null};
    if (copy.wait !== undefined) copy.wait = 0;
    this.show(this.add(copy, 'from a result'), at);
  }

  // ---- steps ----

  // What is possible at the slider. While one answer is waited for, only the last place that the
  // slider has moved to meanwhile is remembered.
  async look() {
    ++this.asked;
    this.where = null;
    if (this.isLooking) return;
    this.isLooking = true;
    for (let number = -1; this.current && number !== this.asked;) {
      number = this.asked;
      const {trace} = this.current, {at} = this.view;
      const answer = await this.ask(
          'run', {run: {cells: trace.cells, steps: Simulator.steps(trace, at)}, known: at});
      if (!answer || number !== this.asked || !this.current) continue;
      this.where = answer;
      this.drawSteps();
      this.drawNotes();
    }
    this.isLooking = false;
  }

  // `step`: of the list of possible ones; delay: a text, or null for the proposed one.
  async step(step, delay) {
    const {current, view} = this, at = view.at, number = ++this.asked;
    const after = step.delay === undefined ? null : String(delay === null ? step.delay : delay);
    const next = current.trace.steps[at];
    if (next && next[0] === step.rule && (after === null || String(next[2]) === after))
      return view.goTo(at + 1);  // the run goes on like this
    const answer = await this.ask('run', {
      run: {
        cells: current.trace.cells,
        steps: [...Simulator.steps(current.trace, at), [step.rule, after]]
      },
      known: at
    });
    if (!answer || number !== this.asked) return answer || this.look();
    const trace = {
      ...current.trace,
      steps: [...current.trace.steps.slice(0, at), ...answer.run.steps]
    };
    if (trace.wait !== undefined) trace.wait = 0;
    let branch = current;
    if (at < current.trace.steps.length)
      branch = this.add(trace, `from step ${at} of run ${current.number}`);
    else
      branch.trace = trace;
    this.show(branch, at + 1);
  }

  undo() {
    if (this.current) this.view.goTo(this.view.at - 1);
  }

  random() {
    const list = this.where ? this.where.enabled : [];
    if (list.length) this.step(list[Math.floor(Math.random() * list.length)], null);
  }

  // After which delays a step is possible, in words.
  static window({low, low_open: lowOpen, high, high_open: highOpen}) {
    const least = Base.time(low);
    if (high === null)
      return lowOpen ? `more than ${low}` : least ? `${low} or more` : 'at any time';
    if (least === Base.time(high)) return least ? `after exactly ${low}` : 'now';
    return `in ${lowOpen ? ']' : '['}${low}, ${high}${highOpen ? '[' : ']'}`;
  }

  drawSteps() {
    const {h} = Base, {where, result} = this;
    const patience = where.patience && where.patience.window;
    this.wait.textContent = !patience || patience.high === null ? '' :
        !Base.time(patience.high)                               ? 'no time passes here' :
        patience.high_open ? `time passes for less than ${patience.high}` :
                             `time passes for ${patience.high} at most`;
    this.enabled.replaceChildren(...where.enabled.map((step, k) => {
      const rule = result.rules[step.rule];
      const names = [
        ...new Set(Run.parts(rule)
                       .filter(part => part.process !== null)
                       .map(part => result.processes[part.process].name))
      ].join(', ');
      const isFree = step.window && step.window.low !== step.window.high;
      const delay = !isFree ? null : h('input', {
        type: 'text',
        class: 'delay',
        value: step.delay,
        'aria-label': `delay before ${rule[0]}`,
        title: 'a delay such as 2, 5/2 or 2.5',
        onkeydown: event => event.key === 'Enter' && take()
      });
      const take = () => this.step(step, delay ? delay.value.trim() : null);
      return h(
          'li', {'data-rule': step.rule},
          h('button', {type: 'button', class: 'take', onclick: take},
            k < 9 ? h('kbd', {}, k + 1) : '', ' ', h('b', {}, rule[0]),
            names ? h('span', {class: 'by'}, ` by ${names}`) : ''),
          delay ? h('label', {class: 'note'}, ' after ', delay) : '',
          step.window ? h('span', {class: 'note'}, Simulator.window(step.window)) : '');
    }));
  }

  drawNotes() {
    const {h} = Base, {where} = this, notes = [];
    for (const each of where.violated)
      notes.push(
          h('p', {class: `alarm ${each.reached ? 'good' : ''}`}, h('b', {}, each.name),
            each.reached ? ' is reached here: ' : ' is violated here: ', h('code', {}, each.text)));
    if (where.fails) notes.push(h('pre', {class: 'alarm'}, where.fails.why));
    if (where.end === 'final')
      notes.push(h('p', {class: 'note'}, 'The run may end here: the state is final.'));
    if (where.end === 'deadlock')
      notes.push(h('div', {class: 'alarm'}, h('b', {}, 'Deadlock'), h('pre', {}, where.why || '')));
    this.notes.replaceChildren(...notes);
    if (this.view) this.view.tell(where.here);
  }

  // ---- files ----

  async save() {
    const name = this.file.value.trim() || 'run.itf.json', {current, view} = this;
    if (!current) return;
    const answer = await this.ask('save', {
      file: name,
      run: {cells: current.trace.cells, steps: Simulator.steps(current.trace, view.at)}
    });
    if (answer) this.told(`${Base.plural(view.at, 'step')} saved in ${name}`, true);
  }

  async load() {
    const name = this.file.value.trim();
    if (!name || !this.result) return this.told('Which file? Write or choose its name.');
    const answer = await this.ask('replay', {file: name});
    if (answer) this.show(this.add(answer.run, `from ${name}`), answer.run.steps.length);
  }

  // ---- keys ----

  onKey(event) {
    if (!this.view || !this.current) return;
    const field = event.target.closest &&
        event.target.closest(
            'input[type=text], input[type=number], input[type=search], select, textarea');
    if (this.view.onKey(event) || field || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.where && this.where.enabled[Number(event.key) - 1];
    if (step)
      this.step(step, null);
    else if (event.key === 'u' || event.key === 'Backspace')
      this.undo();
    else if (event.key === 'r')
      this.random();
    else
      return;
    event.preventDefault();
  }
}
