// Requests to the server that this page came from. Each has the token of the page's address.

const Server = (() => {
  const token = new URLSearchParams(location.search).get('token') || '';

  // {status, lines, answer, ...}, or an Error whose message is for people.
  async function ask(act, body) {
    let reply;
    try {
      reply = await fetch(`/api/${act}`, {
        method: 'POST',
        headers: {'Content-Type': 'application/json', 'X-Cairn-Token': token},
        body: JSON.stringify(body || {})
      });
    } catch {
      throw new Error('The server does not answer: is cairn serve still running?');
    }
    const text = await reply.text();
    let value = null;
    try {
      value = JSON.parse(text);
    } catch { /* a refusal is plain text */
    }
    if (reply.ok && value) return value;
    throw new Error((value && value.error) || text.trim() || `status ${reply.status}`);
  }

  // Why there is no answer, in words.
  function reason(told) {
    const errors = (told.lines || []).filter(line => line.severity === 'error');
    if (told.killed) return told.killed;
    if (errors.length) return errors.map(line => line.text).join('\n');
    if (told.stopped) return 'it was stopped before';
    if (told.status === 3) return 'a limit on time or memory ended it before';
    if (told.status < 0) return `its process was ended by signal ${- told.status}`;
    return `it ended with status ${told.status}`;
  }

  // The answer alone; without one an Error.
  async function answer(act, body) {
    const told = await ask(act, body);
    if (told.answer === null) throw new Error(reason(told));
    return told.answer;
  }

  return {ask, answer, reason};
})();
