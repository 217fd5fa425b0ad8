// The report page: its data is in the page.

Theme.begin();
Page.open(
    document.getElementById('page'), JSON.parse(document.getElementById('data').textContent), {});
document.addEventListener('keydown', event => Page.onKey(event));
addEventListener('beforeprint', () => Base.forPaper(true));
addEventListener('afterprint', () => Base.forPaper(false));
window.cairn = Page;
