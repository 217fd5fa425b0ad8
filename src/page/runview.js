// A run that is looked at: the slider, the sequence chart or the list of steps, the state with what
// the step changed, clocks over time; and what else follows the slider: the line in the source, the
// positions in pictures.

class RunView {
  // sources: those of the run's result. follow: {source, drawings, graph}, each may be missing.
  // moved(at): called when the slider has moved.
  constructor({sources, follow, moved}) {
    const {h} = Base;
    Object.assign(this, {sources, follow, moved, run: null, at: 0, variable: null});
    const slider = this.slider = h('input', {
      type: 'range',
      min: 0,
      max: 1,
      value: 0,
      step: 1,
      id: 'slider',
      'aria-label': 'step of the run',
      oninput: () => this.goTo(Number(slider.value))
    });
    this.number = h('input', {
      type: 'number',
      min: 0,
      value: 0,
      id: 'number',
      'aria-label': 'number of the step',
      onchange: () => this.goTo(Number(this.number.value))
    });
    this.what = h('span', {class: 'what', id: 'what'});
    this.length = h('span', {class: 'note'});
    this.choice = h('select', {
      'aria-label': 'variable for n and p',
      id: 'variable',
      onchange: () => this.choose(this.choice.value === '' ? null : Number(this.choice.value))
    });
    this.timeBox = h('div', {class: 'time-box', id: 'time-line'});
    this.chartBox = h('div', {class: 'pane', id: 'chart-pane'});
    this.stepsBox = h('div', {class: 'pane', id: 'steps-pane', hidden: true});
    this.stateBox = h('div', {class: 'pane', id: 'state-pane'});
    this.chart = new Chart(this.chartBox, at => this.goTo(at));
    this.steps = new StepList(this.stepsBox, at => this.goTo(at));
    this.table = new StateTable(this.stateBox, number => this.choose(number));
    this.here = h('pre', {id: 'here'});
    this.hereBox =
        h('details', {class: 'state-words', hidden: true},
          h('summary', {}, 'In this state: who can do what, and what blocks the others'), this.here);
    this.box =
        h('div', {class: 'run-view'}, this.sliderBox(), this.hereBox, this.panes(), this.timeBox,
          this.keys());
  }

  sliderBox() {
    const {h} = Base;
    const button = (word, title, act) =>
        h('button', {type: 'button', title, 'aria-label': title, onclick: act}, word);
    return h(
        'div', {class: 'slider-box'},
        h('div', {class: 'row-of-tools'}, button('«', 'first state (Home)', () => this.goTo(0)),
          button('‹', 'one step back (←)', () => this.goTo(this.at - 1)), this.slider,
          button('›', 'one step on (→)', () => this.goTo(this.at + 1)),
          button('»', 'last state (End)', () => this.goTo(this.run.length)), this.number,
          this.length),
        h('div', {class: 'row-of-tools'}, this.what, h('span', {class: 'spring'}),
          h('label', {class: 'note'}, 'change of ', this.choice),
          button('p', 'the change before (p)', () => this.change(false)),
          button('n', 'the next change (n)', () => this.change(true))));
  }

  panes() {
    const {h} = Base, {chartBox, stepsBox, stateBox} = this;
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
            this.chart.window.update(true);
            this.steps.window.update(true);
            this.goTo(this.at);
          }
        },
          word);
    return h(
        'div', {class: 'split'},
        h('div', {},
          h('div', {class: 'tabs', role: 'tablist'}, tab('sequence chart', chartBox, stepsBox),
            tab('steps', stepsBox, chartBox)),
          chartBox, stepsBox),
        h('div', {},
          h('div', {class: 'tabs'}, h('button', {type: 'button', 'aria-selected': true}, 'state')),
          stateBox));
  }

  keys() {
    const {h} = Base;
    return h(
        'p', {class: 'note keys'}, h('kbd', {}, '←'), ' ', h('kbd', {}, '→'), ' step · ',
        h('kbd', {}, 'Home'), ' ', h('kbd', {}, 'End'), ' · ', h('kbd', {}, 'n'), ' ',
        h('kbd', {}, 'p'),
        ' next and previous change of the chosen variable (of anything: choose none)');
  }

  open(run, at) {
    const {h, count} = Base;
    this.run = run;
    this.variable = null;
    this.slider.max = this.number.max = run.length;
    this.length.textContent = ` of ${count(run.length)}${
        run.loop !== null ? `, then from ${run.loop} again, for ever` : ''}`;
    const changing = new Set();
    for (const step of run.steps)
      for (const number in step[1]) changing.add(Number(number));
    this.choice.replaceChildren(
        h('option', {value: ''}, '(any)'),
        ...[...changing]
            .sort((a, b) => a - b)
            .slice(0, 2000)
            .map(number => h('option', {value: number}, run.result.variables[number][0])));
    this.chart.show(run, 0);
    this.steps.show(run, 0);
    if (this.follow.graph) this.follow.graph.follow(run);
    this.goTo(at);
  }

  goTo(at) {
    const {run, follow} = this, {h} = Base;
    if (!run) return;
    this.at = at = Base.clamp(Math.round(at) || 0, 0, run.length);
    this.slider.value = this.number.value = at;
    this.slider.setAttribute('aria-valuetext', `state ${at}: ${run.label(at)}`);
    const names = run.names(at);
    this.what.replaceChildren(
        h('b', {}, run.label(at)), names ? ` by ${names}` : '',
        run.isTimed ? ` at ${run.date(at)}` : '',
        at === run.length && run.isTimed && Base.time(run.trace.wait || 0) > 0 ?
            `, then ${run.trace.wait} pass` :
            '',
        this.place(at));
    if (!this.chartBox.hidden)
      this.chart.move(at);
    else
      this.steps.move(at);
    this.table.show(run, at, this.variable);
    if (run.isTimed)
      TimeLine.draw(this.timeBox, run, at, to => this.goTo(to));
    else
      this.timeBox.replaceChildren();
    const state = run.state(at), variables = run.result.variables;
    for (const drawing of follow.drawings || []) {
      const number = variables.findIndex(([name]) => name === drawing.variable);
      drawing.move(number < 0 ? undefined : state[number]);
    }
    if (follow.graph) follow.graph.move(at);
    if (follow.source) follow.source.point(at ? run.parts(at) : null);
    this.tell(run.trace.here && run.trace.here[at]);
    if (this.moved) this.moved(at);
  }

  // What is known of the state at the slider, in words; nothing for long runs.
  tell(words) {
    this.hereBox.hidden = !words;
    this.here.textContent = words || '';
  }

  place(at) {
    const part = this.run.parts(at).find(each => each.source !== null && each.line);
    const source = part && this.sources[part.source];
    if (!source) return '';
    return Base.h(
        'a', {class: 'place', href: '#source'}, `${source.name.split('/').pop()}:${part.line}`);
  }

  choose(number) {
    this.variable = this.variable === number ? null : number;
    this.choice.value = this.variable === null ? '' : this.variable;
    this.table.show(this.run, this.at, this.variable);
  }

  change(forward) {
    const {run} = this;
    if (!run) return;
    if (this.variable === null) return this.goTo(this.at + (forward ? 1 : -1));
    const found = run.nextChange(this.variable, this.at, forward);
    if (found !== null) this.goTo(found);
  }

  // Whether the key meant something here.
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.run) return false;
    const field = event.target.closest &&
        event.target.closest('input:not([type=range]):not([type=checkbox]), select, textarea');
    if (field) return false;
    const keys = {
      ArrowLeft: () => this.goTo(this.at - 1),
      ArrowRight: () => this.goTo(this.at + 1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.run.length),
      n: () => this.change(true),
      p: () => this.change(false)
    };
    if (event.target.closest && event.target.closest('.chart-box, .steps-box, #slider'))
      Object.assign(keys, {
        ArrowUp: keys.ArrowLeft,
        ArrowDown: keys.ArrowRight,
        PageUp: () => this.goTo(this.at - 10),
        PageDown: () => this.goTo(this.at + 10)
      });
    if (!keys[event.key]) return false;
    event.preventDefault();
    keys[event.key]();
    return true;
  }
}
