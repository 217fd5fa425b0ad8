// What a model is made of: its source, and the files of its context and its guide beside it: texts
// that can be changed, one of which is shown, with diagnostics at their lines and as a list.

class Editor {
  // changed(): somebody has written something.
  constructor(changed) {
    const {h} = Base;
    // texts: by the names of files, the first one the model's: {saved, value}
    Object.assign(this, {changed, diagnostics: [], texts: new Map(), model: null, file: null});
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
    this.tabs = h('div', {class: 'tabs', id: 'texts', role: 'tablist', hidden: true});
    this.box = h('div', {}, this.tabs, this.scroll, this.list);
  }

  // Tabs are for indentation here; Escape leaves the text.
  onKey(event) {
    if (event.key === 'Escape') this.text.blur();
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    this.text.setRangeText('  ', this.text.selectionStart, this.text.selectionEnd, 'end');
    this.edited();
  }

  // A model, and nothing beside it.
  open(file, text) {
    this.texts.clear();
    this.model = file;
    this.add(file, text);
    this.choose(file);
  }

  // A file beside the model.
  add(file, text) {
    this.texts.set(file, {saved: text, value: text});
    this.showTabs();
  }

  // Only these are beside the model; what is not saved stays.
  keep(files) {
    for (const [name, {saved, value}] of this.texts)
      if (name !== this.model && !files.includes(name) && saved === value) this.texts.delete(name);
    if (!this.texts.has(this.file)) this.choose(this.model);
    this.showTabs();
  }

  choose(file) {
    this.file = file;
    this.text.value = this.texts.get(file).value;
    this.scroll.scrollTop = this.scroll.scrollLeft = 0;
    this.showTabs();
    this.show(this.diagnostics);
  }

  showTabs() {
    const {h} = Base;
    this.tabs.hidden = this.texts.size < 2;
    this.tabs.replaceChildren(...[...this.texts].map(
        ([name, {saved, value}]) =>
            h('button', {
              type: 'button',
              role: 'tab',
              'aria-selected': name === this.file,
              'data-file': name,
              onclick: () => this.choose(name)
            },
              saved === value ? name : `${name} *`)));
  }

  // The model's text.
  get value() { return this.texts.has(this.model) ? this.texts.get(this.model).value : ''; }
  // Those of the files beside it.
  get others() {
    return Object.fromEntries(
        [...this.texts].filter(([name]) => name !== this.model).map(([name,
                                                                      {value}]) => [name, value]));
  }
  get isSaved() { return [...this.texts.values()].every(({saved, value}) => saved === value); }
  get here() { return this.texts.get(this.file); }
  note() {
    this.here.saved = this.here.value;
    this.showTabs();
  }

  edited() {
    this.here.value = this.text.value;
    this.showTabs();
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
    this.diagnostics = diagnostics;
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
    if (!this.texts.has(file) || !line) return;
    if (file !== this.file) this.choose(file);
    const lines = this.text.value.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) +
        Math.max(0, (column || 1) - 1);
    this.scroll.scrollTop = Math.max(0, (line - 6) * Editor.ROW);
    this.text.focus({preventScroll: true});
    this.text.setSelectionRange(at, at);
  }
}
Editor.ROW = 20;
