// Clocks and timers along a timed run: how each grows with time, and where it starts again.

const TimeLine = (() => {
  const MOST = 1500;  // steps in the picture: those around the slider

  // The tracks: clocks by name, and timers of rules that wait for their time.
  function tracks(run) {
    const all = run.result.clocks.map((name, k) => ({
                                        name,
                                        at: i => {
                                          const list = run.clocks(i);
                                          return list && Base.time(list[k]);
                                        }
                                      }));
    const rules = new Set();
    for (let i = 0; i <= run.length && rules.size < 40; i++) {
      const list = run.timers(i) || [];
      for (let k = 0; k < list.length; k += 2) rules.add(list[k]);
    }
    for (const rule of [...rules].sort((a, b) => a - b)) {
      const [label] = run.result.rules[rule],
            names = Run.parts(run.result.rules[rule])
                        .filter(part => part.process !== null)
                        .map(part => run.result.processes[part.process].name)
                        .join(', ');
      all.push({
        name: names ? `${names}: ${label}` : label,
        isTimer: true,
        at: i => {
          const list = run.timers(i) || [];
          for (let k = 0; k < list.length; k += 2)
            if (list[k] === rule) return Base.time(list[k + 1]);
          return undefined;
        }
      });
    }
    const grows = track => {
      for (let i = 0; i <= run.length; i++) {
        const until = i < run.length ? run.delay(i + 1) : run.trace.wait || 0;
        if (Base.time(until) > 0 && track.at(i) !== undefined) return true;
      }
      return false;
    };
    return all.filter(grows).slice(0, 24);
  }

  function draw(box, run, at, onStep) {
    const {s, h, time} = Base;
    if (!run.isTimed) return box.replaceChildren();
    const first = run.length <= MOST ? 0 : Base.clamp(at - MOST / 2, 0, run.length - MOST) | 0;
    const last = Math.min(run.length, first + MOST);
    run.tracks = run.tracks || tracks(run);
    const wide = Math.max(320, box.clientWidth - 4), left = Math.min(190, wide * 0.32), high = 46;
    const end = time(run.date(last)) +
        (last === run.length ? time(run.trace.wait || 0) : time(run.delay(last + 1)));
    const begin = time(run.date(first)), span = end - begin || 1;
    const x = date => left + (date - begin) / span * (wide - left - 16);
    const height = run.tracks.length * high + 26;
    const svg =
        s('svg',
          {width: wide, height, class: 'time-line', role: 'img', 'aria-label': 'clocks over time'});
    for (const tick of ticks(begin, end, Math.max(3, (wide - left) / 90)))
      svg.append(
          s('line', {class: 'grid', x1: x(tick), x2: x(tick), y1: 0, y2: height - 20}),
          s('text', {class: 'tick', x: x(tick), y: height - 6, 'text-anchor': 'middle'},
            +tick.toFixed(6)));
    run.tracks.forEach((track, k) => {
      const base = (k + 1) * high - 8;
      let most = 1, pieces = [], piece = null;
      for (let i = first; i <= last; i++) {
        const value = track.at(i), from = time(run.date(i));
        const until = i < run.length ? time(run.date(i + 1)) : from + time(run.trace.wait || 0);
        if (value === undefined) {
          piece = null;
          continue;
        }
        if (!piece) pieces.push(piece = []);
        piece.push([from, value], [until, value + until - from]);
        most = Math.max(most, value + until - from);
      }
      const y = value => base - value / most * (high - 16);
      svg.append(
          s('line', {class: 'axis', x1: left, x2: wide - 16, y1: base, y2: base}),
          s('text', {class: 'track', x: left - 8, y: base - 6, 'text-anchor': 'end'},
            Base.cut(track.name, Math.floor(left / 6.6)), s('title', {}, track.name)));
      for (const points of pieces) {
        const thin = points.length > 3000 ?
            points.filter((_, n) => n % Math.ceil(points.length / 3000) === 0) :
            points;
        svg.append(s('polyline', {
          class: track.isTimer ? 'timer' : 'clock',
          points: thin.map(([d, v]) => `${x(d).toFixed(1)},${y(v).toFixed(1)}`).join(' ')
        }));
      }
      const value = track.at(at);
      if (value !== undefined && at >= first && at <= last)
        svg.append(
            s('circle', {class: 'now', cx: x(time(run.date(at))), cy: y(value), r: 3.5},
              s('title', {}, `${track.name} = ${value}`)));
    });
    svg.append(s('line', {
      class: 'cursor',
      x1: x(time(run.date(at))),
      x2: x(time(run.date(at))),
      y1: 0,
      y2: height - 20
    }));
    svg.addEventListener('click', event => {
      const date = begin +
          (event.clientX - svg.getBoundingClientRect().left - left) / (wide - left - 16) * span;
      let best = first;
      for (let i = first; i <= last; i++)
        if (time(run.date(i)) <= date) best = i;
      onStep(best);
    });
    box.replaceChildren(
        run.tracks.length ?
            svg :
            h('p', {class: 'note'},
              'The model has no clocks, and nothing waits for its time in this run.'));
  }

  // Round numbers between two, about so many.
  function ticks(low, high, about) {
    const raw = (high - low) / about || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(k => k * power).find(each => each >= raw) || raw;
    const list = [];
    for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6 && list.length < 50;
         at += step)
      list.push(at);
    return list;
  }

  return {draw, ticks};
})();
