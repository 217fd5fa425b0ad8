// Automata (contexts, observers, processes) and the state graph, drawn, with the position of the
// slider.

const Automata = (() => {
  const {h, s} = Base;

  // Edges between the same two states are one, with all their labels.
  function merged(edges) {
    const known = new Map();
    for (const [from, to, label] of edges) {
      const key = `${from} ${to}`;
      if (!known.has(key)) known.set(key, {from, to, labels: []});
      if (!known.get(key).labels.includes(label)) known.get(key).labels.push(label);
    }
    return [...known.values()];
  }

  const marker = id =>
      s('marker', {
        id,
        viewBox: '0 0 10 10',
        refX: 9,
        refY: 5,
        markerUnits: 'userSpaceOnUse',
        markerWidth: 7,
        markerHeight: 7,
        orient: 'auto',
        class: 'full'
      },
        s('path', {d: 'M0 1L10 5L0 9z'}));

  const MARGIN = 36, WORDS = 18;
  let serial = 0;

  function frame(size, margin) {
    const arrow = `tip${serial++}`;
    const svg =
        s('svg', {
          viewBox: `${- margin} ${- margin} ${size.width + 2 * margin} ${size.height + 2 * margin}`,
          width: size.width + 2 * margin,
          height: size.height + 2 * margin
        },
          s('defs', {}, marker(arrow)));
    return {svg, arrow};
  }

  // A picture of one automaton; move(value) marks the state of that name.
  class Drawing {
    constructor(automaton) {
      const labels = automaton.states.length <= 60;
      const nodes = automaton.states.map(
          ([name, , words]) => ({
            width: Math.max(26, 7 * Base.cut(String(words || name), WORDS).length + 16),
            height: 24
          }));
      const edges = merged(automaton.edges);
      const initial = automaton.initial === undefined || automaton.initial >= nodes.length ?
          0 :
          automaton.initial;
      const longest =
          labels ? Math.min(24, Math.max(0, ...edges.map(edge => edge.labels[0].length))) : 0;
      const size = Layout.place(
          nodes, edges, nodes.length ? [initial] : [],
          {sideways: true, gap: 34, layerGap: Math.max(40, 6 * longest + 24)});
      const {svg, arrow} = frame(size, MARGIN);
      const back = new Set(edges.map(edge => `${edge.to} ${edge.from}`));
      for (const edge of edges) {
        const a = nodes[edge.from], b = nodes[edge.to];
        const line =
            Layout.path(a, b, back.has(`${edge.from} ${edge.to}`) && a !== b ? 16 : 0, true);
        const words = edge.labels.length > 2 ?
            `${edge.labels.slice(0, 2).join(', ')}, … ${edge.labels.length}` :
            edge.labels.join(', ');
        svg.append(
            s('path', {class: 'edge', d: line.d, 'marker-end': `url(#${arrow})`},
              s('title', {}, edge.labels.join('\n'))));
        if (labels)
          svg.append(s(
              'text', {class: 'edge-name halo', x: line.x, y: line.y - 4, 'text-anchor': 'middle'},
              Base.cut(words, 30), s('title', {}, edge.labels.join('\n'))));
      }
      this.nodes = new Map();
      automaton.states.forEach(([name, mark, words], k) => {
        const node = nodes[k];
        const group = s(
            'g',
            {class: `node ${mark || ''} ${k === initial ? 'initial' : ''}`, 'data-state': name},
            s('rect',
              {x: node.x - node.width / 2, y: node.y - 12, width: node.width, height: 24, rx: 12}),
            mark === 'final' || mark === 'bad' ? s('rect', {
              class: 'inner',
              x: node.x - node.width / 2 + 3,
              y: node.y - 9,
              width: node.width - 6,
              height: 18,
              rx: 9
            }) :
                                                 null,
            s('text', {x: node.x, y: node.y + 4, 'text-anchor': 'middle'},
              Base.cut(String(words || name), WORDS)),
            mark || words ? s('title', {}, [words, mark].filter(Boolean).join(' · ')) : null);
        if (k === initial)
          svg.append(s('path', {
            class: 'edge',
            d: `M${node.x - node.width / 2 - 22} ${node.y}H${node.x - node.width / 2 - 5}`,
            'marker-end': `url(#${arrow})`
          }));
        svg.append(group);
        this.nodes.set(String(name), {group, node, words: words ? `next: ${words}` : name});
      });
      this.variable = automaton.variable;
      this.scroll = h('div', {class: 'drawing-box'}, svg);
      this.box =
          h('figure',
            {class: `drawing ${size.width > 540 ? 'broad' : ''}`, 'data-automaton': automaton.name},
            h('figcaption', {}, h('b', {}, automaton.name), ` ${automaton.kind}`,
              h('span', {class: 'where'})),
            this.scroll);
      this.margin = MARGIN;
    }

    move(shown) {
      const value = shown !== null && typeof shown === 'object' ? shown.at : shown;
      if (this.here) this.here.group.classList.remove('here');
      this.here = value === undefined ? null : this.nodes.get(String(value));
      this.box.querySelector('.where').textContent = this.here ? ` · ${this.here.words}` : '';
      if (!this.here) return;
      this.here.group.classList.add('here');
      const {node} = this.here, box = this.scroll, x = node.x + this.margin,
            y = node.y + this.margin;
      if (x < box.scrollLeft + 30 || x > box.scrollLeft + box.clientWidth - 30)
        box.scrollLeft = x - box.clientWidth / 2;
      if (y < box.scrollTop + 20 || y > box.scrollTop + box.clientHeight - 20)
        box.scrollTop = y - box.clientHeight / 2;
    }
  }

  // The state graph: states as dots, in layers by their distance from the beginning.
  class Graph {
    constructor(result, onState) {
      const graph = result.graph;
      this.result = result;
      const large = graph.states.length > 60;
      const nodes =
          graph.states.map((_, k) => ({width: large ? 12 : 26, height: large ? 12 : 20, k}));
      const edges = merged(graph.edges.map(([from, to, rule]) => [from, to, this.label(rule)]));
      const size = Layout.place(
          nodes, edges, graph.initial, {gap: large ? 10 : 26, layerGap: large ? 30 : 44});
      const {svg, arrow} = frame(size, 26);
      const leaving = new Set(edges.map(edge => edge.from));
      const labels = graph.edges.length <= 40;
      const back = new Set(edges.map(edge => `${edge.to} ${edge.from}`));
      this.lines = new Map();
      for (const edge of edges) {
        const a = nodes[edge.from], b = nodes[edge.to];
        const line =
            Layout.path(a, b, back.has(`${edge.from} ${edge.to}`) && a !== b ? 12 : 0, false);
        const path =
            s('path', {class: 'edge', d: line.d, 'marker-end': `url(#${arrow})`},
              s('title', {}, edge.labels.join('\n')));
        this.lines.set(`${edge.from} ${edge.to}`, path);
        svg.append(path);
        if (labels)
          svg.append(s(
              'text', {class: 'edge-name halo', x: line.x, y: line.y - 4, 'text-anchor': 'middle'},
              Base.cut(edge.labels.join(', '), 22)));
      }
      this.nodes = nodes.map(node => {
        const dead = !leaving.has(node.k);
        const group =
            s('g', {
              class:
                  `node ${dead ? 'dead' : ''} ${graph.initial.includes(node.k) ? 'initial' : ''}`,
              'data-state': node.k,
              onclick: () => onState(node.k)
            },
              large ? s('circle', {cx: node.x, cy: node.y, r: 5}) :
                      [
                        s('rect', {x: node.x - 13, y: node.y - 10, width: 26, height: 20, rx: 10}),
                        s('text', {x: node.x, y: node.y + 4, 'text-anchor': 'middle'}, node.k)
                      ],
              s('title', {},
                `state ${node.k}${dead ? ', nothing follows' : ''}\n${
                    this.words(node.k).slice(0, 30).join('\n')}`));
        svg.append(group);
        return group;
      });
      this.places = nodes;
      this.box = h('div', {class: 'graph-box'}, svg);
      this.byState = new Map();
      graph.states.forEach((state, k) => {
        const key = JSON.stringify(state);
        if (!this.byState.has(key)) this.byState.set(key, []);
        this.byState.get(key).push(k);
      });
    }

    label(rule) {
      const found = this.result.rules[rule];
      const names = Run.parts(found)
                        .filter(part => part.process !== null)
                        .map(part => this.result.processes[part.process].name)
                        .join(', ');
      return names ? `${found[0]} (${names})` : found[0];
    }

    words(k) {
      const zone = this.result.graph.zones && this.result.graph.zones[k];
      return this.result.graph.states[k]
          .map(
              (value, v) => `${this.result.variables[v][0]} = ${
                  Value.text(value, this.result.variables[v][2])}`)
          .concat(zone ? [zone] : []);
    }

    // The way of a run through the graph; with zones several symbolic states may stand for one.
    follow(run) {
      for (const path of this.lines.values()) path.classList.remove('on-run');
      this.run = run;
      if (!run || run.length > 2000) return;
      let before = this.find(run.state(0));
      for (let i = 1; i <= run.length; i++) {
        const now = this.find(run.state(i));
        for (const a of before)
          for (const b of now)
            if (this.lines.has(`${a} ${b}`)) this.emphasize(this.lines.get(`${a} ${b}`));
        before = now;
      }
    }

    emphasize(path) {
      path.classList.add('on-run');
      this.nodes[0].before(path);  // above other edges, below states
    }

    find(state) { return this.byState.get(JSON.stringify(state)) || []; }

    move(at) {
      for (const node of this.here || []) this.nodes[node].classList.remove('here');
      this.here = this.run ? this.find(this.run.state(at)) : [];
      for (const node of this.here) this.nodes[node].classList.add('here');
      if (!this.here.length) return;
      const place = this.places[this.here[0]], box = this.box;
      box.scrollLeft = place.x - box.clientWidth / 2;
      box.scrollTop = place.y - box.clientHeight / 2;
    }
  }

  return {Drawing, Graph};
})();
