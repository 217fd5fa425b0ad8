// The sequence chart of a run: a line for each process, what it does from top to bottom, who does
// something together, messages through queues from the step that sends to the step that receives.
// Only rows in sight are drawn.

class Chart {
  constructor(box, onStep) {
    this.onStep = onStep;
    this.head = Base.h('div', {class: 'chart-head'});
    this.box = Base.h(
        'div', {class: 'chart-box', tabindex: 0, role: 'group', 'aria-label': 'sequence chart'},
        this.head);
    this.window = Base.window(this.box, Chart.ROW, (first, end) => this.draw(first, end));
    this.current = 0;
    box.append(this.box);
    if (typeof ResizeObserver === 'function')
      new ResizeObserver(() => {
        if (this.run && this.box.clientWidth !== this.wide) this.show(this.run, this.current);
      }).observe(this.box);
  }

  show(run, current) {
    this.run = run;
    this.result = run.result;
    this.current = current;
    this.findColumns();
    this.findMessages();
    this.drawHead();
    this.window.resize(run.length + 1);
  }

  // Lines for those who do something; contexts first, observers last. Steps of no process have a
  // line of their own.
  findColumns() {
    const {run, result} = this, seen = new Set(), order = {context: 0, system: 1, observer: 2};
    let free = false;
    const look = rule => {
      const parts = Run.parts(rule);
      for (const part of parts)
        if (part.process !== null) seen.add(part.process);
      free = free || !parts.some(part => part.process !== null);
    };
    new Set(run.steps.map(step => step[0])).forEach(number => look(result.rules[number]));
    const few = result.processes.length <= 8;
    this.columns =
        result.processes
            .map((process, number) => ({number, role: process.role, name: process.name}))
            .filter(column => seen.has(column.number) || (few && column.role !== 'observer'))
            .sort((a, b) => order[a.role] - order[b.role] || a.number - b.number);
    if (free || !this.columns.length)
      this.columns.push({number: null, role: 'free', name: 'model'});
    this.wide = this.box.clientWidth || 700;
    this.gutter = run.isTimed ? 92 : 54;
    if (run.loop !== null) this.gutter += 14;
    const room = this.wide - this.gutter - 14;
    const longest = Math.max(...this.columns.map(column => column.name.length));
    this.column = Base.clamp(
        room / this.columns.length, Math.max(84, Math.min(150, 7.4 * longest + 22)), 210);
    this.width = Math.max(this.wide - 2, this.gutter + this.column * this.columns.length + 14);
    this.place = new Map(
        this.columns.map((column, k) => [column.number, this.gutter + this.column * (k + 0.5)]));
    this.locations = new Map();  // of a process: the variable that says where it stands
    result.variables.forEach(([, process, shape], number) => {
      const stands = shape === 'location' || shape === 'course';
      if (stands && !this.locations.has(process)) this.locations.set(process, number);
    });
    this.words = new Map();  // of such a variable: what its values are called, if they have no name
    for (const {variable, states} of result.automata || [])
      if (states.some(([, , words]) => words))
        this.words.set(
            result.variables.findIndex(([name]) => name === variable),
            new Map(states.map(([value, , words]) => [String(value), words])));
  }

  x(process) { return this.place.has(process) ? this.place.get(process) : this.place.get(null); }
  y(row) { return row * Chart.ROW + 17; }

  // Messages by blocks of rows, so that those in sight are found at once.
  findMessages() {
    this.blocks = new Map();
    const add = (row, message) => {
      const block = row >> 5;
      if (!this.blocks.has(block)) this.blocks.set(block, new Set());
      this.blocks.get(block).add(message);
    };
    for (const message of this.run.messages()) {
      const last = message.received === null ? message.sent + 1 : message.received;
      const long = last - message.sent > Chart.LONG;
      if (!long)
        for (let row = message.sent & ~31; row <= last; row += 32) add(row, message);
      else
        add(message.sent, message), add(message.sent + 1, message), add(last - 1, message),
            add(last, message);
    }
  }

  drawHead() {
    const {s, cut} = Base;
    const most = Math.floor((this.column - 12) / 7);
    const rows = this.columns.map(column => {
      const x = this.x(column.number),
            width = Math.min(this.column - 10, 7.4 * column.name.length + 20);
      return s(
          'g', {class: `party ${column.role}`},
          s('rect',
            {x: x - width / 2, y: 5, width, height: 24, rx: column.role === 'system' ? 2 : 12}),
          s('text', {x, y: 21, 'text-anchor': 'middle'}, cut(column.name, most)),
          s('title', {}, `${column.name} (${column.role})`));
    });
    this.head.replaceChildren(s(
        'svg', {width: this.width, height: 34}, rows,
        s('text', {class: 'gutter-name', x: 8, y: 21}, this.run.isTimed ? 'step  date' : 'step')));
  }

  move(current) {
    const band = this.window.room.querySelector('.band');
    this.current = current;
    this.window.reveal(current);
    if (band) band.setAttribute('y', current * Chart.ROW);
    this.window.update(!band);
  }

  draw(first, end) {
    const {s} = Base, {run} = this;
    const top = first * Chart.ROW, height = (end - first) * Chart.ROW;
    const svg = s('svg', {
      width: this.width,
      height,
      style: `top:${top}px`,
      viewBox: `0 ${top} ${this.width} ${height}`,
      class: 'chart'
    });
    svg.append(Chart.markers());
    svg.append(s(
        'rect',
        {class: 'band', x: 0, y: this.current * Chart.ROW, width: this.width, height: Chart.ROW}));
    for (const column of this.columns)
      svg.append(s('line', {
        class: `life ${column.role}`,
        x1: this.x(column.number),
        x2: this.x(column.number),
        y1: Math.max(top, 0),
        y2: Math.min(top + height, (run.length + 1) * Chart.ROW)
      }));
    this.drawLoop(svg, first, end);
    const messages = new Set();
    for (let block = (first - 1) >> 5; block <= end >> 5; block++)
      for (const message of this.blocks.get(block) || []) messages.add(message);
    this.top = s('g', {class: 'message'});  // what is written beside arrows is above everything
    for (const message of messages) this.drawMessage(svg, message);
    for (let row = first; row < end; row++) svg.append(this.drawStep(row));
    svg.append(this.top);
    svg.addEventListener('click', event => {
      const box = this.window.room.getBoundingClientRect();
      this.onStep(Base.clamp(Math.floor((event.clientY - box.top) / Chart.ROW), 0, run.length));
    });
    return svg;
  }

  static markers() {
    const {s} = Base;
    const marker = (id, d, kind) =>
        s('marker', {
          id,
          viewBox: '0 0 10 10',
          refX: 9,
          refY: 5,
          markerWidth: 7.5,
          markerHeight: 7.5,
          orient: 'auto-start-reverse',
          class: kind
        },
          s('path', {d}));
    return s(
        'defs', {}, marker('arrow', 'M0 0.8L10 5L0 9.2z', 'full'),
        marker('open-arrow', 'M1 1L9 5L1 9', 'open'));
  }

  // The part of the run that repeats, as a bracket along the left side.
  drawLoop(svg, first, end) {
    const {s} = Base, {run} = this;
    if (run.loop === null) return;
    const from = run.loop * Chart.ROW + 4, to = (run.length + 1) * Chart.ROW - 5;
    const low = Math.max(from, (first - 1) * Chart.ROW), high = Math.min(to, (end + 1) * Chart.ROW),
          x = 7;
    if (high < low) return;
    svg.append(
        s('path', {
          class: 'loop',
          d: `M${x + 6} ${from}H${x}V${to}H${x + 6}`,
          'marker-start': 'url(#arrow)'
        }),
        s('title', {}, `the run goes on from state ${run.loop}, for ever`));
    const label = Math.max(
        low,
        Math.min(high, (Math.max(from, first * Chart.ROW) + Math.min(to, end * Chart.ROW)) / 2));
    svg.append(
        s('text', {
          class: 'loop-word',
          transform: `translate(${x + 4} ${label}) rotate(-90)`,
          'text-anchor': 'middle',
          dy: 7
        },
          'for ever'));
  }

  drawGutter(row) {
    const {s} = Base, {run} = this, y = this.y(row);
    const x = run.loop === null ? 8 : 22;
    const parts = [s('text', {class: 'number', x: x + 24, y: y + 4, 'text-anchor': 'end'}, row)];
    if (run.isTimed) {
      const waited = row && Base.time(run.delay(row)) > 0;
      parts.push(
          s('text', {class: waited || !row ? 'date new' : 'date', x: x + 34, y: y + 4},
            run.date(row)));
      if (waited)
        parts.push(s('text', {class: 'delay', x: x + 34, y: y + 17}, `+${run.delay(row)}`));
    }
    return parts;
  }

  drawStep(row) {
    const {s} = Base, {run} = this, y = this.y(row);
    const group = s('g', {class: 'row', 'data-row': row}, this.drawGutter(row));
    if (!row) {
      const state = run.state(0);
      for (const column of this.columns) this.drawLocation(group, column.number, y, state);
      return group;
    }
    const parts = run.parts(row).filter(part => part.process !== null);
    const observers = parts.filter(part => this.result.processes[part.process].role === 'observer');
    const actors =
        parts.length > observers.length ? parts.filter(part => !observers.includes(part)) : parts;
    if (!actors.length)
      this.drawAction(group, null, y, run.label(row));
    else if (actors.length === 1)
      this.drawAction(group, actors[0].process, y, run.label(row));
    else
      this.drawTogether(group, actors, y, run.label(row));
    if (actors !== parts) this.drawSeen(group, actors[0], observers, y);
    const state = run.state(row), changed = run.steps[row - 1][1];
    for (const column of this.columns) {
      const variable = this.locations.get(column.number);
      if (variable !== undefined && variable in changed)
        this.drawLocation(group, column.number, y + 21, state);
    }
    group.append(s(
        'title', {}, `${row}  ${run.label(row)}  ${run.names(row) ? `by ${run.names(row)}` : ''}`));
    return group;
  }

  drawAction(group, process, y, label) {
    // an observer's step begins with its name, which stands above
    const own = process === null ? '' : `${this.result.processes[process].name}: `;
    if (own && label.startsWith(own)) label = label.slice(own.length);
    const {s, cut} = Base, x = this.x(process);
    const text = cut(label, Math.floor((this.column - 14) / 6.4)), width = 6.5 * text.length + 12;
    group.append(
        s('rect', {class: 'action', x: x - width / 2, y: y - 10, width, height: 20, rx: 3}),
        s('text', {class: 'label', x, y: y + 4, 'text-anchor': 'middle'}, text));
  }

  // One step of several: from who sends to those who receive, or a line between equals.
  drawTogether(group, actors, y, label) {
    const {s, cut} = Base, places = actors.map(part => this.x(part.process));
    const low = Math.min(...places), high = Math.max(...places),
          sender = actors.find(part => part.role === 'sends');
    const line = y + 4;
    if (sender) {
      const from = this.x(sender.process);
      for (const part of actors) {
        const to = this.x(part.process);
        if (part !== sender)
          group.append(s(
              'line',
              {class: 'sync', x1: from, x2: to, y1: line, y2: line, 'marker-end': 'url(#arrow)'}));
      }
      group.append(s('circle', {class: 'dot', cx: from, cy: line, r: 3.5}));
    } else {
      group.append(s('line', {class: 'sync', x1: low, x2: high, y1: line, y2: line}));
      for (const x of places) group.append(s('circle', {class: 'dot', cx: x, cy: line, r: 3.5}));
    }
    const text = cut(label, Math.max(8, Math.floor((high - low - 10) / 6.2)));
    const near = actors.length > 2 && sender ?
        (this.x(sender.process) + places.find(x => x !== this.x(sender.process))) / 2 :
        (low + high) / 2;
    group.append(
        s('text', {class: 'label halo', x: near, y: line - 5, 'text-anchor': 'middle'}, text));
  }

  // Observers that took notice.
  drawSeen(group, actor, observers, y) {
    const {s} = Base;
    for (const part of observers) {
      if (!this.place.has(part.process)) continue;
      group.append(
          s('line', {
            class: 'seen',
            x1: this.x(actor.process),
            x2: this.x(part.process),
            y1: y + 12,
            y2: y + 12
          }),
          s('circle', {class: 'eye', cx: this.x(part.process), cy: y + 12, r: 3}));
    }
  }

  drawLocation(group, process, y, state) {
    const {s, cut} = Base, variable = this.locations.get(process);
    if (variable === undefined) return;
    const value = state[variable],
          at = String(value !== null && typeof value === 'object' ? value.at : value);
    const name = (this.words.get(variable) || new Map()).get(at) || at;
    const text = cut(name, Math.floor((this.column - 14) / 6.2)), x = this.x(process),
          width = 6.3 * text.length + 16;
    group.append(
        s('rect', {class: 'location', x: x - width / 2, y: y - 8.5, width, height: 17, rx: 8.5}),
        s('text', {class: 'location-name', x, y: y + 3.8, 'text-anchor': 'middle'}, text,
          name === value ? null : s('title', {}, `next: ${name}`)));
  }

  // What is written beside an arrow: along it, or upright where it is steep, or behind its end.
  static message(ax, ay, bx, by, label, self, arrow) {
    const {s, cut} = Base;
    if (!arrow)
      return s(
          'text', {
            class: 'halo',
            x: bx + (bx < ax ? -7 : 7),
            y: by + 4,
            'text-anchor': bx < ax ? 'end' : 'start'
          },
          cut(label, 18));
    const angle = self ? 0 : Math.atan((by - ay) / (bx - ax)) * 180 / Math.PI;
    const upright = self || Math.abs(angle) > 50;
    const most = upright ? 16 : Math.max(6, Math.floor(Math.hypot(bx - ax, by - ay) / 6.6));
    const x = self ? ax + 40 : (ax + bx) / 2, y = (ay + by) / 2;
    return s(
        'text', {
          class: 'halo',
          'text-anchor': upright ? 'start' : 'middle',
          transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${
              upright ? 0 : angle.toFixed(1)})`,
          dy: upright ? 3 : -3,
          dx: upright ? 6 : 0
        },
        cut(label, most));
  }

  drawMessage(svg, message) {
    const {s, cut} = Base, variable = this.result.variables[message.queue];
    const words = `${Value.text(message.value, Value.inside(variable[2]))}`;
    const x1 = this.x(message.from), y1 = this.y(message.sent) + 10;
    const title =
        s('title', {},
          `${words} through ${variable[0]}, sent in step ${message.sent}` +
              (message.received === null ? ', still there at the end' :
                                           `, received in step ${message.received}`));
    const put = (ax, ay, bx, by, kind, label, arrow) => {
      const self = Math.abs(ax - bx) < 1;
      const d = self ? `M${ax} ${ay}C${ax + 46} ${ay + 4} ${ax + 46} ${by - 4} ${bx} ${by}` :
                       `M${ax} ${ay}L${bx} ${by}`;
      const group =
          s('g', {class: `message ${kind}`},
            s('path', {d, 'marker-end': arrow ? 'url(#open-arrow)' : null}));
      if (!arrow) group.append(s('circle', {cx: bx, cy: by, r: 3.5}));
      if (label) this.top.append(Chart.message(ax, ay, bx, by, label, self, arrow));
      group.append(title.cloneNode(true));
      svg.append(group);
    };
    if (message.received === null) {
      const right = x1 + this.column / 2 < this.width;
      return put(
          x1, y1, x1 + (right ? 1 : -1) * this.column * 0.4, y1 + Chart.ROW * 0.5, 'waiting', words,
          false);
    }
    const x2 = this.x(message.to), y2 = this.y(message.received) - 10;
    if (message.received - message.sent <= Chart.LONG) return put(x1, y1, x2, y2, '', words, true);
    const side = x2 >= x1 ? 1 : -1, reach = this.column * 0.45;
    put(x1, y1, x1 + side * reach, y1 + Chart.ROW * 0.5, 'far', words, false);
    put(x2 - side * reach, y2 - Chart.ROW * 0.5, x2, y2, 'far', words, true);
  }
}
Chart.ROW = 54;
Chart.LONG = 14;
