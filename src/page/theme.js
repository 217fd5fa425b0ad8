// Dark or light: as the system is, or as somebody chose.

const Theme = (() => {
  function get() {
    try {
      return localStorage.getItem('cairn-theme');
    } catch {
      return null;
    }
  }

  function set(word) {
    document.documentElement.dataset.theme = word;
    try {
      localStorage.setItem('cairn-theme', word);
    } catch { /* a page of a file may have no storage */
    }
  }

  const isDark = () =>
      (document.documentElement.dataset.theme ||
       (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

  function begin() {
    const stored = get();
    if (stored === 'dark' || stored === 'light') document.documentElement.dataset.theme = stored;
  }

  const button = () => Base.h(
      'button', {
        type: 'button',
        title: 'dark or light',
        'aria-label': 'dark or light',
        onclick: () => set(isDark() ? 'light' : 'dark')
      },
      '◐');

  return {begin, button};
})();
