// The sources with line numbers: how often what stands in a line was taken, what was never taken or
// reached, and the line of the step at the slider.

class SourceView {
  constructor(box) {
    const {h} = Base;
    this.tabs = h('div', {class: 'tabs', role: 'tablist'});
    this.legend = h('p', {class: 'note'});
    this.box = h('div', {class: 'source-box', tabindex: 0, role: 'group', 'aria-label': 'source'});
    this.window = Base.window(this.box, 20, (first, end) => this.draw(first, end));
    box.append(this.tabs, this.legend, this.box);
  }

  // results: all that were searched with these sources; what they took is added up.
  show(sources, results) {
    this.sources = sources.map(
        source => ({
          name: source.name,
          lines: (source.text === null ? '(its text is not here)' : source.text)
                     .replace(/\n$/, '')
                     .split('\n')
        }));
    this.marks = this.sources.map(() => new Map());
    const known = results.length > 0 && results.every(result => result.rules_known);
    for (const result of results) this.count(result);
    for (const file of this.marks)
      for (const mark of file.values()) {
        mark.never = known && mark.rules && !mark.count && !mark.uncounted;
        mark.unreached = known && mark.places > 0 && !mark.reached;
      }
    this.known = known;
    this.at = null;
    this.tabs.replaceChildren(...this.sources.map(
        (source, k) => Base.h(
            'button', {type: 'button', role: 'tab', onclick: () => this.open(k)},
            source.name.split('/').pop(),
            this.silent(k) ?
                Base.h(
                    'span',
                    {class: 'badge', title: 'lines with something that was never taken or reached'},
                    this.silent(k)) :
                '')));
    this.open(0);
  }

  silent(file) {
    return [...this.marks[file].values()].filter(mark => mark.never || mark.unreached).length;
  }

  mark(source, line) {
    const file = this.marks[source];
    if (!file || !line) return {};
    if (!file.has(line))
      file.set(line, {count: 0, rules: 0, labels: new Set(), places: 0, reached: 0});
    return file.get(line);
  }

  count(result) {
    for (const rule of result.rules || [])
      for (const part of Run.parts(rule)) {
        const mark = this.mark(part.source, part.line);
        if (!mark.labels) continue;
        mark.rules++;
        mark.labels.add(rule[0]);
        if (rule[1] === null)
          mark.uncounted = true;
        else
          mark.count += Number(rule[1]);
      }
    for (const [, name, reached, source, line] of result.locations || []) {
      const mark = this.mark(source, line);
      if (!mark.labels) continue;
      mark.places++;
      mark.reached += reached === false ? 0 : 1;
      if (reached === false) mark.names = [...(mark.names || []), name];
    }
  }

  open(file) {
    this.file = file;
    [...this.tabs.children].forEach((tab, k) => tab.setAttribute('aria-selected', k === file));
    this.legend.textContent = this.known ?
        'On the left: how often what stands in the line was taken, in all states. ' +
            'Marked: never taken, never reached.' :
        'On the left: how often what stands in the line was taken, as far as the search came.';
    const longest =
        this.sources[file] ? Base.most(this.sources[file].lines.map(line => line.length), 40) : 40;
    this.window.room.style.minWidth = `${Math.min(longest, 400) + 16}ch`;
    this.box.scrollTop = 0;
    this.window.resize(this.sources[file] ? this.sources[file].lines.length : 0);
  }

  // The line of a step, or none (null).
  point(parts) {
    const found =
        (parts || []).find(part => part.source !== null && part.line && this.sources[part.source]);
    this.at = found ? (parts || [])
                          .filter(part => part.source !== null)
                          .map(part => `${part.source}:${part.line}`) :
                      [];
    if (found && found.source !== this.file) this.open(found.source);
    if (found) this.window.reveal(found.line - 1);
    this.window.update(true);
  }

  draw(first, end) {
    const {h, count} = Base, lines = this.sources[this.file].lines, marks = this.marks[this.file];
    const list = h('div', {class: 'lines', style: `top:${first * 20}px`});
    for (let i = first; i < end; i++) {
      const mark = marks.get(i + 1), here = this.at && this.at.includes(`${this.file}:${i + 1}`);
      const kind =
          `line${here ? ' here' : ''}${mark && (mark.never || mark.unreached) ? ' never' : ''}`;
      const title = !mark ? null : [
        mark.rules ? `${[...mark.labels].slice(0, 8).join(', ')}: ${
                         mark.uncounted ? 'not counted' : `taken ${count(mark.count)} times`}` :
                                          '',
        mark.unreached ? `never reached: ${[...new Set(mark.names)].join(', ')}` : ''
      ].filter(Boolean).join('\n');
      list.append(
          h('div', {class: kind, title, 'data-line': i + 1},
            h('span', {class: 'count'},
              !mark              ? '' :
                  mark.rules     ? (mark.uncounted ? '·' : count(mark.count)) :
                  mark.unreached ? '0' :
                                   ''),
            h('span', {class: 'number'}, i + 1), h('span', {class: 'text'}, lines[i] || ' ')));
    }
    return list;
  }
}
