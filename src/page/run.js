// A run: states by what changed. Each state is an array of values in the order of the variables;
// every 256th is kept, the others are made of the one before and of what changed since.

class Run {
  constructor(trace, result) {
    this.result = result;
    this.trace = trace;
    this.steps = trace.steps;
    this.length = this.steps.length;  // steps; there is one more state
    this.loop = trace.loop;
    this.isTimed = trace.wait !== undefined;
    this.frames = [trace.initial];
    this.changes = new Map();
    this.at = 0;
    this.here = trace.initial.slice();
    const state = trace.initial.slice();
    for (let i = 1; i <= this.length; i++) {
      Run.apply(state, this.steps[i - 1][1]);
      if (i % Run.FRAME === 0) this.frames.push(state.slice());
    }
  }

  static apply(state, changed) {
    for (const number in changed) state[number] = changed[number];
  }

  // The values of state i; not to be kept.
  state(i) {
    const frame = Math.floor(i / Run.FRAME);
    if (i < this.at || i - this.at > i - frame * Run.FRAME) {
      this.here = this.frames[frame].slice();
      this.at = frame * Run.FRAME;
    }
    while (this.at < i) Run.apply(this.here, this.steps[this.at++][1]);
    return this.here;
  }

  rule(i) { return i ? this.result.rules[this.steps[i - 1][0]] : null; }
  label(i) { return i ? this.rule(i)[0] : 'initial state'; }
  changed(i) { return i ? Object.keys(this.steps[i - 1][1]).map(Number) : []; }
  delay(i) { return i ? this.steps[i - 1][2] : 0; }
  date(i) { return i ? this.steps[i - 1][3] : 0; }
  clocks(i) { return i ? this.steps[i - 1][4] : this.trace.times && this.trace.times[0]; }
  timers(i) { return i ? this.steps[i - 1][5] : this.trace.times && this.trace.times[1]; }

  // Who takes part: [{process, role, source, line, column}], without those of no process.
  parts(i) { return Run.parts(this.rule(i)); }
  static parts(rule) {
    return (rule || []).slice(2).map(([process, role, source, line,
                                       column]) => ({process, role, source, line, column}));
  }

  names(i) {
    return this.parts(i)
        .filter(part => part.process !== null)
        .map(part => this.result.processes[part.process].name)
        .join(', ');
  }

  // The next state in which the variable is another one than in the state before it; or null.
  nextChange(variable, from, forward) {
    if (!this.changes.has(variable)) {
      const list = [];
      for (let i = 1; i <= this.length; i++)
        if (variable in this.steps[i - 1][1]) list.push(i);
      this.changes.set(variable, list);
    }
    const list = this.changes.get(variable);
    let low = 0, high = list.length;  // the first one behind `from`, or not before it
    while (low < high) {
      const middle = (low + high) >> 1;
      if (forward ? list[middle] <= from : list[middle] < from)
        low = middle + 1;
      else
        high = middle;
    }
    const found = forward ? list[low] : list[low - 1];
    return found === undefined ? null : found;
  }

  // What goes through queues: a step that lengthens a queue sends what it adds; whoever shortens it
  // first receives the oldest.
  // [{value, queue, sent, from, received, to}], in the order of sending; received null: still on
  // its way at the end.
  messages() {
    if (this.sent) return this.sent;
    const variables = this.result.variables, waiting = new Map();
    const queues = variables.map((variable, number) => number)
                       .filter(number => Value.isQueue(variables[number][2]));
    const all = this.sent = [];
    const before = new Map();
    const active = i => {
      const parts = this.parts(i).filter(part => part.process !== null);
      const acting = parts.filter(part => this.result.processes[part.process].role !== 'observer');
      return (acting[0] || parts[0] || {process: null}).process;
    };
    for (const queue of queues) {
      before.set(queue, this.trace.initial[queue]);
      waiting.set(queue, this.trace.initial[queue].map(() => null));
    }
    const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);
    for (let i = 1; i <= this.length; i++) {
      const changed = this.steps[i - 1][1];
      for (const key in changed) {
        const queue = Number(key);
        if (!waiting.has(queue)) continue;
        const old = before.get(queue), now = changed[key], line = waiting.get(queue);
        before.set(queue, now);
        let taken = Math.max(0, old.length - now.length);
        while (taken < old.length && !old.slice(taken).every((each, k) => same(each, now[k])))
          taken++;
        for (let k = 0; k < taken; k++) {
          const message = line.shift();
          if (message) Object.assign(message, {received: i, to: active(i)});
        }
        for (let k = old.length - taken; k < now.length; k++) {
          const message =
              {value: now[k], queue, sent: i, from: active(i), received: null, to: null};
          all.push(message);
          line.push(message);
        }
      }
    }
    return all;
  }
}
Run.FRAME = 256;
