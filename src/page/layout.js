// Pictures of graphs: nodes in layers by their distance from the first ones, ordered within layers
// so that few edges cross.

const Layout = (() => {
  // nodes: [{width, height}], edges: [{from, to}], roots: numbers. Gives each node x, y (its
  // middle); returns the size. Layers go down, or to the right with `sideways`.
  function place(nodes, edges, roots, {sideways = false, gap = 26, layerGap = 60} = {}) {
    const out = nodes.map(() => []), into = nodes.map(() => []);
    for (const edge of edges) {
      if (edge.from === edge.to) continue;
      out[edge.from].push(edge.to);
      into[edge.to].push(edge.from);
    }
    const layer = nodes.map(() => -1), layers = [];
    let front = roots.length ? roots : nodes.length ? [0] : [];
    for (const root of front) layer[root] = 0;
    const grow = () => {
      while (front.length) {
        const next = [];
        for (const node of front) {
          (layers[layer[node]] = layers[layer[node]] || []).push(node);
          for (const to of out[node])
            if (layer[to] < 0) layer[to] = layer[node] + 1, next.push(to);
        }
        front = next;
      }
    };
    grow();
    nodes.forEach((_, node) => {  // what no root leads to stands beside them
      if (layer[node] < 0) layer[node] = 0, front = [node], grow();
    });
    const rank = nodes.map(() => 0);
    const number = () => layers.forEach(row => row.forEach((node, k) => {
      rank[node] = (k + 1) / (row.length + 1);
    }));
    number();
    for (let sweep = 0; sweep < 8; sweep++) {
      const down = sweep % 2 === 0;
      for (const row of down ? layers : layers.slice().reverse()) {
        const key = new Map(row.map(node => {
          const near = (down ? into : out)[node].filter(
              other => (down ? layer[other] < layer[node] : layer[other] > layer[node]));
          return [
            node,
            near.length ? near.reduce((sum, other) => sum + rank[other], 0) / near.length :
                          rank[node]
          ];
        }));
        row.sort((a, b) => key.get(a) - key.get(b) || rank[a] - rank[b] || a - b);
        row.forEach((node, k) => {
          rank[node] = (k + 1) / (row.length + 1);
        });
      }
    }
    const across = node => (sideways ? nodes[node].height : nodes[node].width);
    const along = node => (sideways ? nodes[node].width : nodes[node].height);
    const widths = layers.map(row => row.reduce((sum, node) => sum + across(node) + gap, -gap));
    const wide = Math.max(0, ...widths);
    let at = 0;
    layers.forEach((row, k) => {
      let x = (wide - widths[k]) / 2;
      const deep = Math.max(...row.map(along));
      for (const node of row) {
        const [a, b] = [x + across(node) / 2, at + deep / 2];
        [nodes[node].x, nodes[node].y] = sideways ? [b, a] : [a, b];
        nodes[node].layer = k;
        x += across(node) + gap;
      }
      at += deep + layerGap;
    });
    at -= layerGap;
    return sideways ? {width: at, height: wide} : {width: wide, height: at};
  }

  // Where the line from the middle of a box to a point leaves the box.
  function border(node, x, y, room) {
    const [dx, dy] = [x - node.x, y - node.y];
    if (!dx && !dy) return [node.x, node.y];
    const scale = Math.min(
        (node.width / 2 + room) / Math.abs(dx || 1e-9),
        (node.height / 2 + room) / Math.abs(dy || 1e-9));
    return [node.x + dx * Math.min(1, scale), node.y + dy * Math.min(1, scale)];
  }

  // The path of an edge, and where its label stands: straight to the next layer, bent otherwise or
  // when there is one back.
  function path(a, b, bend, sideways) {
    if (a === b) {
      const [x, y] = [a.x, a.y - a.height / 2], r = 13;
      return {
        d: `M${x - 7} ${y}C${x - r - 6} ${y - 2 * r} ${x + r + 6} ${y - 2 * r} ${x + 7} ${y}`,
        x,
        y: y - 1.7 * r
      };
    }
    const middle = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const far = Math.abs(b.layer - a.layer) > 1 || b.layer === a.layer || b.layer < a.layer;
    const lift = bend || (far ? Math.min(60, 14 + length / 9) : 0);
    const control = [
      middle[0] - (b.y - a.y) / length * lift * (sideways ? -1 : 1),
      middle[1] + (b.x - a.x) / length * lift * (sideways ? -1 : 1)
    ];
    const from = border(a, control[0], control[1], 1), to = border(b, control[0], control[1], 5);
    return {
      d: `M${from[0].toFixed(1)} ${from[1].toFixed(1)}Q${control[0].toFixed(1)} ${
          control[1].toFixed(1)} ${to[0].toFixed(1)} ${to[1].toFixed(1)}`,
      x: (from[0] + 2 * control[0] + to[0]) / 4,
      y: (from[1] + 2 * control[1] + to[1]) / 4,
    };
  }

  return {place, path};
})();
