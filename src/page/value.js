// Values as their language writes them. A shape says what a value is made of: 'n', 'location',
// 'course' (where a context or a guide stands, and what may come next), ['array', inner],
// ['queue', inner], ['record', {name: inner}], ['union', {name: inner or null}].

const Value = (() => {
  function text(value, shape) {
    const [kind, inner] = Array.isArray(shape) ? shape : ['n', null];
    if (Array.isArray(value)) {
      const parts = value.map(each => text(each, inner)).join(', ');
      return kind === 'queue' ? `{|${parts}|}` : `[${parts}]`;
    }
    if (value !== null && typeof value === 'object') {
      if (shape === 'course') return `${value.at} (${value.next.join(', ') || 'end'})`;
      const entries = Object.entries(value);
      if (kind === 'union' && entries.length === 1)
        return `${entries[0][0]}(${text(entries[0][1], inner[entries[0][0]])})`;
      return `{${
          entries.map(([name, part]) => `${name} = ${text(part, inner && inner[name])}`)
              .join(', ')}}`;
    }
    return String(value);
  }

  const isQueue = shape => Array.isArray(shape) && shape[0] === 'queue';
  const inside = shape => (Array.isArray(shape) ? shape[1] : 'n');

  return {text, isQueue, inside};
})();
