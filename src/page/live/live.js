// The live page: which file, and three views of it: the model, runs by hand, checks.

const Live = (() => {
  const {h} = Base;
  const live = {hello: null, files: [], tab: 'model', asked: 0, isGood: false, options: {}};
  const model = () =>
      ({file: editor.model, text: editor.value, texts: editor.others, ...live.options});
  const message = h('p', {class: 'message', id: 'message', role: 'status', hidden: true});

  function told(text, isGood) {
    message.hidden = !text;
    message.textContent = text || '';
    message.className = isGood ? 'message good' : 'message';
  }

  const editor = new Editor(() => soon());
  const simulator = new Simulator((text, isGood) => {
    told(text, isGood);
    if (isGood) listFiles();
  });
  const checker = new Checker(model, told, (checked, trace, at) => {
    if (!live.isGood || JSON.stringify(checked) !== JSON.stringify(simulator.model))
      return told('The model is another one than when this was checked: check it again.');
    openTab('simulate');
    simulator.take(trace, at);
  });

  // ---- the model ----

  const facts = h('p', {class: 'note', id: 'facts'});
  const choose =
      h('select', {id: 'file', 'aria-label': 'model', onchange: () => openFile(choose.value)});
  const save =
      h('button', {type: 'button', id: 'save', title: 'Ctrl+S', onclick: () => saveFile()}, 'save');
  const fresh = h(
      'button', {type: 'button', id: 'new', title: 'a new model', onclick: () => newFile()}, 'new');
  const contexts = h('datalist', {id: 'contexts'}), guides = h('datalist', {id: 'guides'});
  const field = (id, label, placeholder, list) => {
    const input = h('input', {type: 'text', id, placeholder, list, onchange: () => readOptions()});
    return [h('label', {}, `${label} `, input), input];
  };
  const [defineLabel, define] = field('define', 'constants', 'n=3, m=2', null);
  const [contextLabel, context] = field('context', 'context', 'FILE:NAME', 'contexts');
  const [guideLabel, guide] = field('guide', 'guide', 'FILE:NAME', 'guides');
  const modelBox =
      h('div', {id: 'model'},
        h('div', {class: 'row-of-tools'}, defineLabel, contextLabel, guideLabel, contexts, guides),
        facts, editor.box);

  function readOptions() {
    const constants = {};
    for (const each of define.value.split(/[\s,;]+/).filter(Boolean)) {
      const [name, value] = each.split('=');
      if (!name || !/^-?\d+$/.test(value || '')) return told(`${each} is no constant: write n=3`);
      constants[name] = Number(value);
      if (!Number.isSafeInteger(constants[name])) return told(`${value} is too large here`);
    }
    told('');
    live.options = {
      define: constants,
      context: context.value.trim() || null,
      guide: guide.value.trim() || null
    };
    openOthers().then(read);
  }

  const isSaved = () => !editor.here || editor.here.saved === editor.here.value;

  editor.tabs.addEventListener('click', () => {
    save.disabled = isSaved();
  });

  // The files of the context and of the guide are beside the model, as far as they are there.
  async function openOthers() {
    const files = [context, guide]
                      .map(({value}) => value.trim().replace(/(\.(?:cdl|xgdl)):.*$/, '$1'))
                      .filter(Boolean);
    for (const file of files) {
      if (editor.texts.has(file) || !live.files.some(each => each.name === file)) continue;
      try {
        const {text} = await Server.answer('read', {file});
        if (!editor.texts.has(file)) editor.add(file, text);
      } catch (error) {
        told(error.message);
      }
    }
    editor.keep(files);
  }

  let timer = null;
  function soon() {
    clearTimeout(timer);
    save.disabled = isSaved();
    live.isGood = false;
    timer = setTimeout(read, 300);
  }

  const names = list => list.map(name => h('option', {value: name}));

  // Why there is nothing to step through. A file of several contexts is no mistake: a check
  // searches all of them.
  function why({answer, lines, ...rest}) {
    const errors = lines.filter(line => line.severity === 'error');
    if (!answer) return Server.reason({lines, ...rest});
    if (errors.length === 1 && !errors[0].line && answer.result.contexts.length > 1)
      return `${errors[0].text}. A check searches all of them.`;
    return 'The model has mistakes: they are marked in its text.';
  }

  // What the server makes of the text.
  async function read() {
    const number = ++live.asked;
    clearTimeout(timer);
    const given = model();
    let reply;
    try {
      reply = await Server.ask('model', {model: given});
    } catch (error) {
      return told(error.message);
    }
    if (number !== live.asked) return;
    editor.show(reply.lines);
    const {answer} = reply;
    live.isGood = Boolean(answer && answer.good);
    save.disabled = isSaved();
    if (answer && context.value.trim()) {
      const file = context.value.trim().split(':')[0];
      contexts.replaceChildren(...names(answer.result.contexts.map(name => `${file}:${name}`)));
    } else
      showKinds();
    if (!live.isGood) {
      const words = why(reply);
      facts.textContent = words;
      return simulator.close(words);
    }
    const {result} = answer;
    facts.textContent = [
      Base.plural(result.processes.length, 'process', 'processes'),
      Base.plural(result.variables.length, 'variable'),
      result.clocks.length ? Base.plural(result.clocks.length, 'clock') : null,
      Base.plural(result.rules.length, 'rule'),
      Base.plural(result.properties.length, 'property', 'properties')
    ].filter(Boolean).join(', ');
    checker.open(answer);
    simulator.open(given, answer);
  }

  // ---- files ----

  const kind = word => live.files.filter(file => file.kind === word);

  function showKinds() {
    contexts.replaceChildren(...names(kind('context').map(file => file.name)));
    guides.replaceChildren(...names(kind('guide').map(file => file.name)));
  }

  async function listFiles() {
    try {
      live.files = (await Server.answer('files')).files;
    } catch (error) {
      return told(error.message);
    }
    const {value} = choose;
    choose.replaceChildren(
        ...kind('model').map(file => h('option', {value: file.name}, file.name)));
    if (value) choose.value = value;
    showKinds();
    simulator.showTraces(kind('trace'));
  }

  const mayLeave = name =>
      editor.isSaved || confirm(`${editor.model} is not saved. Open ${name} all the same?`);

  async function openFile(name) {
    if (!mayLeave(name)) return void (choose.value = editor.model);
    try {
      const {text} = await Server.answer('read', {file: name});
      return await show(name, text);
    } catch (error) {
      return told(error.message);
    }
  }

  async function newFile() {
    const name = prompt(
        'The name of the new model, such as first.mil; or of a context (.cdl) or a guide (.xgdl) ' +
        'for this one');
    if (name && /\.(cdl|xgdl)$/.test(name) && editor.model) return newOther(name);
    if (!name || !mayLeave(name)) return;
    choose.append(h('option', {value: name}, name));
    await show(name, '');
    openTab('model');
    editor.text.focus();
  }

  // A context or a guide, for the model that is open.
  function newOther(name) {
    if (!editor.texts.has(name)) editor.add(name, '');
    (name.endsWith('.cdl') ? context : guide).value = name;
    openTab('model');
    editor.choose(name);
    editor.text.focus();
    readOptions();
  }

  function show(name, text) {
    editor.open(name, text);
    told('');
    choose.value = name;
    document.title = `${name} – Cairn`;
    live.isGood = false;
    checker.forget();
    context.value = guide.value = define.value = '';
    live.options = {};
    return read();
  }

  // What somebody else has written meanwhile is not overwritten unasked.
  async function saveFile() {
    const {file} = editor, {saved, value} = editor.here,
          question = `${file} was changed by somebody else. Overwrite it?`;
    try {
      const {written} = await Server.answer('write', {file, text: value, before: saved});
      if (!written && !confirm(question)) return;
      if (!written) await Server.answer('write', {file, text: value});
    } catch (error) {
      return told(error.message);
    }
    editor.texts.get(file).saved = value;
    editor.showTabs();
    save.disabled = isSaved();
    told(`${file} is saved`, true);
    if (!live.files.some(each => each.name === file)) listFiles();
  }

  // ---- tabs ----

  const boxes = {model: modelBox, simulate: simulator.box, check: checker.box};
  const place = h('div', {id: 'tab'});
  const tabs =
      h('div', {class: 'tabs views', role: 'tablist'},
        [['model', 'Model'], ['simulate', 'Simulate'], ['check', 'Check']].map(
            ([name, word]) =>
                h('button',
                  {type: 'button', role: 'tab', id: `tab-${name}`, onclick: () => openTab(name)},
                  word)));

  function openTab(name) {
    live.tab = name;
    for (const tab of tabs.children) tab.setAttribute('aria-selected', tab.id === `tab-${name}`);
    place.replaceChildren(boxes[name]);
    if (name === 'simulate' && simulator.view && simulator.view.run)
      simulator.view.goTo(simulator.view.at);
  }

  function onKey(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === 's') {
      event.preventDefault();
      saveFile();
    } else if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
      event.preventDefault();
      openTab('check');
      checker.check();
    } else if (live.tab === 'simulate')
      simulator.onKey(event);
    else if (live.tab === 'check')
      checker.onKey(event);
  }

  async function begin() {
    Theme.begin();
    document.getElementById('page').append(
        h('header', {class: 'top bar'}, h('h1', {}, 'Cairn'), choose, fresh, save, tabs,
          h('span', {class: 'spring'}), Theme.button()),
        message, place);
    openTab('model');
    document.addEventListener('keydown', onKey);
    addEventListener('beforeunload', event => {
      if (!editor.isSaved) event.preventDefault();
    });
    try {
      live.hello = await Server.ask('hello');
    } catch (error) {
      return told(error.message);
    }
    checker.offer(live.hello);
    const running = live.hello.running[live.hello.running.length - 1];
    if (running !== undefined) checker.follow(running);
    await listFiles();
    const models = kind('model');
    const first = live.hello.model || (models[0] && models[0].name);
    if (first)
      await openFile(first);
    else
      told(`There is no model in ${live.hello.folder} yet: write a new one.`);
  }

  begin();
  return {live, editor, simulator, checker, openTab, openFile};
})();
window.cairn = Live;
