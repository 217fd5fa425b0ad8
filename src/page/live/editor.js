// The source of the model: a text that can be changed, with diagnostics at their lines and as a
// list, and what else a model is made of: constants, a context, a guide.

class Editor {
  // changed(): somebody has written something.
  constructor(changed) {
    const {h} = Base;
    Object.assign(this, {changed, lines: [], file: null, saved: ''});
    this.text = h('textarea', {
      class: 'code',
      id: 'code',
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      wrap: 'off',
      'aria-label': 'source of the model',
      oninput: () => this.edited(),
      onkeydown: event => this.onKey(event)
    });
    this.gutter = h('div', {class: 'gutter', 'aria-hidden': 'true'});
    this.marks = h('div', {class: 'marks'});
    this.paper = h('div', {class: 'paper'}, this.gutter, this.marks, this.text);
    this.scroll = h('div', {class: 'editor'}, this.paper);
    this.list = h('ul', {class: 'diagnostics', id: 'diagnostics'});
    this.box = h('div', {}, this.scroll, this.list);
  }

  // Tabs are for indentation here; Escape leaves the text.
  onKey(event) {
    if (event.key === 'Escape') this.text.blur();
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    this.text.setRangeText('  ', this.text.selectionStart, this.text.selectionEnd, 'end');
    this.edited();
  }

  open(file, text) {
    this.file = file;
    this.text.value = this.saved = text;
    this.scroll.scrollTop = this.scroll.scrollLeft = 0;
    this.show([]);
  }

  get value() {
    return this.text.value;
  }
  get isSaved() {
    return this.saved === this.text.value;
  }
  note() {
    this.saved = this.text.value;
  }

  edited() {
    this.show([]);
    this.changed();
  }

  static columns(line, upTo) {
    let at = 0, k = 1;
    for (const c of line) {
      if (k++ >= upTo) break;
      at += c === '\t' ? 4 - at % 4 : 1;
    }
    return at;
  }

  // The text is as high and as wide as its lines, so that all of it scrolls together.
  show(diagnostics) {
    const {h} = Base, lines = this.text.value.split('\n');
    const longest = Base.most(lines.map(line => Editor.columns(line, Infinity)), 40);
    this.text.style.height = this.gutter.style.height = `${lines.length * Editor.ROW + 10}px`;
    this.paper.style.minWidth = `${Math.min(longest, 2000) + 12}ch`;
    this.gutter.textContent = lines.map((_, k) => k + 1).join('\n');
    const here = diagnostics.filter(each => each.file === this.file && each.line);
    this.marks.replaceChildren(...here.map(each => this.mark(each, lines[each.line - 1] || '')));
    this.list.replaceChildren(...diagnostics.map(
        each =>
            h('li', {class: each.severity},
              h('button', {type: 'button', onclick: () => this.reveal(each)},
                h('b', {}, each.severity), ' ',
                each.file ? h('span', {class: 'where'},
                              `${each.file}${each.line ? `:${each.line}:${each.column}` : ''}`) :
                            '',
                ' ', each.text))));
  }

  mark(each, line) {
    const {h} = Base, from = Editor.columns(line, each.column || 1);
    const until =
        each.end_line === each.line ? Editor.columns(line, each.end_column || 1) : from + 1;
    const end = Editor.columns(line, Infinity);
    return h(
        'div', {
          class: `mark ${each.severity}`,
          'data-line': each.line,
          style: `top:${(each.line - 1) * Editor.ROW}px`
        },
        h('span', {class: 'wave', style: `left:${from}ch;width:${Math.max(1, until - from)}ch`}),
        h('span', {class: 'words', style: `left:${end + 3}ch`}, each.text));
  }

  reveal({file, line, column}) {
    if (file !== this.file || !line) return;
    const lines = this.text.value.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) +
        Math.max(0, (column || 1) - 1);
    this.scroll.scrollTop = Math.max(0, (line - 6) * Editor.ROW);
    this.text.focus({preventScroll: true});
    this.text.setSelectionRange(at, at);
  }
}
Editor.ROW = 20;
