// What all parts of the page use: elements, lists of which only what can be seen is made, numbers,
// times. Names and texts of a model only ever become text nodes and attributes, never markup.

const Base = (() => {
  const SVG = 'http://www.w3.org/2000/svg';

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || (value === false && !key.startsWith('aria-')))
        continue;
      if (key.startsWith('on'))
        element.addEventListener(key.slice(2), value);
      else
        element.setAttribute(key, value === true && !key.startsWith('aria-') ? '' : String(value));
    }
    for (const child of children.flat(3)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return element;
  }

  const h = (tag, attributes, ...children) =>
      fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) =>
      fill(document.createElementNS(SVG, tag), attributes, children);

  // Numbers of 2^53 and more are strings of digits.
  function count(value) {
    if (value === null || value === undefined) return '–';
    return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  }

  function bytes(value) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) value /= 1024, unit++;
    return `${value >= 100 || !unit ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
  }

  function seconds(value) {
    if (value >= 120) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
    return `${value.toFixed(value < 10 ? 2 : 1)} s`;
  }

  // A time is a number, or a fraction such as "9/2".
  function time(value) {
    if (typeof value === 'number') return value;
    const [above, below] = String(value).split('/').map(Number);
    return below ? above / below : above;
  }

  // Of lists that may be longer than arguments of a call.
  const most = (list, start) => list.reduce((a, b) => (b > a ? b : a), start);
  const least = (list, start) => list.reduce((a, b) => (b < a ? b : a), start);
  const plural = (number, word, words) =>
      `${count(number)} ${number === 1 ? word : words || `${word}s`}`;
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const cut = (text, most) =>
      (text.length > most ? text.slice(0, Math.max(1, most - 1)) + '…' : text);

  // A scrolling box with `length` rows of one height, of which only those in sight exist.
  // `draw(first, end)` gives the element with these rows, placed by `y = row * height`.
  const PRINTED = 400;  // rows of a run or a source

  class Window {
    constructor(box, height, draw) {
      Object.assign(
          this, {box, height, draw, length: 0, first: 0, end: 0, waiting: false, all: false});
      this.room = h('div', {class: 'room'});
      box.append(this.room);
      box.addEventListener('scroll', () => this.soon(), {passive: true});
      if (typeof ResizeObserver === 'function') new ResizeObserver(() => this.soon()).observe(box);
    }

    soon() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.update(false);
      });
    }

    resize(length) {
      this.length = length;
      this.room.style.height = `${length * this.height}px`;
      this.update(true);
    }

    update(force) {
      const margin = 6;
      const height = this.box.clientHeight || 400;
      const top = Math.floor((this.box.scrollTop - this.room.offsetTop) / this.height);
      let first = clamp(top - margin, 0, this.length);
      let end = clamp(top + Math.ceil(height / this.height) + margin, first, this.length);
      if (this.all) [first, end] = [0, Math.min(this.length, PRINTED)];
      if (!force && first >= this.first && end <= this.end &&
          end - first >= this.end - this.first - 3 * margin)
        return;
      [this.first, this.end] = [first, end];
      this.room.replaceChildren(this.draw(first, end));
    }

    reveal(row) {
      const above = this.room.offsetTop + row * this.height, seen = this.box.clientHeight;
      const head = Math.min(this.room.offsetTop, seen / 3);
      if (above - head < this.box.scrollTop || above + this.height > this.box.scrollTop + seen)
        this.box.scrollTop = Math.max(0, above - seen / 2);
    }
  }

  // On paper there is no scrolling: boxes show their first rows in full.
  const windows = [];
  const window_ = (box, height, draw) => {
    const made = new Window(box, height, draw);
    windows.push(made);
    return made;
  };
  function forPaper(on) {
    for (const each of windows) {
      if (on && each.length > PRINTED)
        each.box.dataset.cut = `… ${count(each.length - PRINTED)} more are not printed`;
      else
        delete each.box.dataset.cut;
      each.all = on;
      each.box.style.maxHeight = on ? 'none' : '';
      each.box.style.height = on ? 'auto' : '';
      each.room.style.height = `${(on ? Math.min(each.length, PRINTED) : each.length) * each.height}px`;
      each.update(true);
    }
  }

  return {
    h,
    s,
    count,
    bytes,
    seconds,
    time,
    most,
    least,
    plural,
    clamp,
    cut,
    window: window_,
    forPaper
  };
})();
