// Plots: what a search met level by level or cluster by cluster, and how it went on in time.

const Plots = (() => {
  const {h, s, count} = Base;

  // series: [{name, points: [[x, y]], kind: 'line' | 'bars' | 'area'}]
  function plot({title, note, series, x, y, limit}) {
    const wide = 560, high = 210, left = 62, right = 14, top = 12, bottom = 34;
    const points = series.flatMap(each => each.points);
    const low = Base.least(points.map(([a]) => a), Infinity),
          far = Base.most(points.map(([a]) => a), -Infinity);
    const most = Base.most(points.map(([, b]) => b), limit || 1e-9);
    const px = a => left + (far > low ? (a - low) / (far - low) : 0.5) * (wide - left - right);
    const py = b => high - bottom - b / most * (high - top - bottom);
    const svg =
        s('svg', {viewBox: `0 0 ${wide} ${high}`, class: 'plot', role: 'img', 'aria-label': title});
    for (const tick of TimeLine.ticks(0, most, 4))
      svg.append(
          s('line', {class: 'grid', x1: left, x2: wide - right, y1: py(tick), y2: py(tick)}),
          s('text', {class: 'tick', x: left - 6, y: py(tick) + 4, 'text-anchor': 'end'},
            y.text(tick)));
    for (const tick of TimeLine.ticks(low, far, 6))
      svg.append(
          s('text', {class: 'tick', x: px(tick), y: high - bottom + 15, 'text-anchor': 'middle'},
            x.text(tick)));
    svg.append(
        s('line', {class: 'axis', x1: left, x2: wide - right, y1: py(0), y2: py(0)}),
        s('text', {class: 'axis-name', x: wide - right, y: high - 4, 'text-anchor': 'end'},
          x.name));
    if (limit)
      svg.append(
          s('line', {class: 'limit', x1: left, x2: wide - right, y1: py(limit), y2: py(limit)}));
    series.forEach((each, k) => svg.append(draw(each, k, px, py, wide - left - right)));
    const read = h('span', {class: 'read'});
    svg.addEventListener('pointermove', event => {
      const at = low +
          (event.offsetX / svg.clientWidth * wide - left) / (wide - left - right) * (far - low);
      read.textContent =
          series
              .map(each => {
                const near = each.points.reduce(
                    (best, point) =>
                        (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best),
                    each.points[0]);
                return `${series.length > 1 ? `${each.name}: ` : ''}${x.name} ${x.text(near[0])}: ${
                    y.text(near[1])}`;
              })
              .join(' · ');
    });
    return h(
        'figure', {class: 'plot-box'},
        h('figcaption', {}, h('b', {}, title), note ? ` ${note}` : '', ' ', read), svg,
        series.length > 1 ?
            h('p', {class: 'keys'},
              series.map((each, k) => h('span', {class: `key series${k}`}, each.name))) :
            '');
  }

  function draw({points, kind}, k, px, py, wide) {
    const MOST = 700;
    let few = points;
    if (points.length > MOST) {  // the largest of each group
      few = [];
      for (let i = 0; i < points.length; i += Math.ceil(points.length / MOST))
        few.push(points.slice(i, i + Math.ceil(points.length / MOST))
                     .reduce((a, b) => (b[1] > a[1] ? b : a)));
    }
    if (kind === 'bars') {
      const bar = Math.max(1, Math.min(24, wide / few.length - 1));
      return s(
          'g', {class: `series${k}`},
          few.map(
              ([a, b]) => s(
                  'rect',
                  {x: px(a) - bar / 2, y: py(b), width: bar, height: Math.max(0, py(0) - py(b))})));
    }
    return s('polyline', {
      class: `series${k} curve`,
      points: few.map(([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`).join(' ')
    });
  }

  const number = {
    text: value => value >= 1e15 ? value.toExponential(1) :
        value >= 1e6             ? `${+ (value / 1e6).toPrecision(4)} M` :
                                   count(Math.round(value))
  };
  const named = (name, text) => ({name, text: text || (value => count(+value.toFixed(4)))});

  function all(result) {
    const list = [], statistics = result.statistics || {}, levels = statistics.levels || [];
    if (levels.length > 1)
      list.push(plot({
        title: 'States per level',
        note: `the widest of ${count(levels.length)}: ${
            count(Base.most(levels.map((n, k) => n - (k ? levels[k - 1] : 0)), 0))}`,
        series: [{
          name: 'new states',
          kind: 'bars',
          points: levels.map((n, k) => [k, n - (k ? levels[k - 1] : 0)])
        }],
        x: named('steps from the beginning'),
        y: number
      }));
    const ranks = statistics.ranks || [];
    if (ranks.length > 1) {
      list.push(plot({
        title: 'States per rank',
        note: `each owns ${count(Base.least(ranks.map(each => each.states), 0))} to ${
            count(Base.most(ranks.map(each => each.states), 0))}`,
        series: [
          {name: 'states', kind: 'bars', points: ranks.map((each, k) => [k, each.states])},
          {name: 'sent to others', kind: 'line', points: ranks.map((each, k) => [k, each.states_sent])}
        ],
        x: named('rank'),
        y: number
      }));
      list.push(plot({
        title: 'Waiting per rank',
        note: 'in seconds',
        series: [{name: 'waiting', kind: 'bars', points: ranks.map((each, k) => [k, each.waiting])}],
        x: named('rank'),
        y: named('seconds')
      }));
    }
    const clusters = statistics.cluster_sizes || [];
    if (clusters.length > 1)
      list.push(plot({
        title: 'States per cluster',
        note: 'in the order of ranks',
        series: [{name: 'states', kind: 'bars', points: clusters.map(([rank, n]) => [rank, n])}],
        x: named('rank'),
        y: number
      }));
    const shares = statistics.cluster_size_quantiles || [];
    if (shares.length > 1)
      list.push(plot({
        title: 'Sizes of clusters',
        note: 'so many per cent have at most so many states',
        series:
            [{name: 'states', kind: 'line', points: shares.map(([part, n]) => [100 * part, n])}],
        x: named('per cent of clusters'),
        y: number
      }));
    const rounds = (result.guide && result.guide.states_by_interactions) || [];
    if (rounds.length > 1)
      list.push(plot({
        title: 'States by interactions',
        series: [{name: 'states', kind: 'bars', points: rounds.map((n, k) => [k, n])}],
        x: named('interactions'),
        y: number
      }));
    const iterations = statistics.iterations || [];
    if (iterations.length > 1)
      list.push(plot({
        title: 'Nodes of diagrams',
        series: [['all reached states', 'reach_nodes'], ['frontier', 'frontier_nodes']].map(
            ([name, key]) => (
                {name, kind: 'line', points: iterations.map((each, k) => [k, Number(each[key])])})),
        x: named('iteration'),
        y: number
      }));
    const depths = statistics.depths || [];
    if (depths.length > 1 && depths[0].seconds !== undefined)
      list.push(plot({
        title: 'Time per depth',
        series: [{
          name: 'seconds',
          kind: 'bars',
          points: depths.map((each, k) => [each.steps === undefined ? k : each.steps, each.seconds])
        }],
        x: named('steps'),
        y: named('seconds')
      }));
    return list.concat(overTime(result));
  }

  // Engines in turn count their seconds anew: here one search follows the other.
  function oneAfterTheOther(samples) {
    let before = 0, last = 0;
    return samples.map(([seconds, ...rest]) => {
      if (seconds < last) before += last;
      last = seconds;
      return [before + seconds, ...rest];
    });
  }

  // A sample: seconds, states, expanded, depth, bytes, nodes, rank, ranks.
  function overTime(result) {
    const samples = oneAfterTheOther(result.samples || []), list = [],
          limit = result.memory_limit || 0, time = named('seconds');
    if (samples.length < 2) return list;
    const memory = {text: value => Base.bytes(value)};
    const curve = (name, pick) =>
        ({name, kind: 'line', points: samples.map(sample => [sample[0], pick(sample)])});
    if (samples.some(sample => sample[1]))
      list.push(plot({
        title: 'States over time',
        series: [
          curve('known', sample => sample[1]),
          curve('still waiting', sample => Math.max(0, sample[1] - sample[2]))
        ],
        x: time,
        y: number
      }));
    else if (samples.some(sample => sample[5]))
      list.push(plot({
        title: 'Nodes over time',
        series: [curve('nodes', sample => sample[5])],
        x: time,
        y: number
      }));
    list.push(plot({
      title: 'Memory over time',
      note: limit ? `limit ${Base.bytes(limit)}` : '',
      series: [curve('bytes', sample => sample[4])],
      x: time,
      y: memory,
      limit
    }));
    if (limit) {  // when memory would be full, going on as since the sample before
      const points =
          samples.slice(1)
              .map((sample, k) => {
                const before = samples[Math.max(0, k - 7)],
                      rate = (sample[4] - before[4]) / (sample[0] - before[0] || 1);
                return [sample[0], rate > 0 ? sample[0] + (limit - sample[4]) / rate : NaN];
              })
              .filter(([, when]) => Number.isFinite(when) && when < 1e7);
      if (points.length > 1)
        list.push(plot({
          title: 'Forecast: memory is full',
          note: 'seconds from the beginning',
          series: [{name: 'forecast', kind: 'line', points}],
          x: time,
          y: named('s')
        }));
    }
    const ranked = samples.filter(sample => sample[7] && sample[6]);
    if (ranked.length > 1)
      list.push(plot({
        title: 'Forecast of the whole time',
        note: 'by the share of ranks that are done',
        series: [{
          name: 'forecast',
          kind: 'line',
          points: ranked.map(sample => [sample[0], sample[0] * sample[7] / sample[6]])
        }],
        x: time,
        y: named('s')
      }));
    return list;
  }

  return {all};
})();
