/* global document, DOMParser, fetch, clearTimeout */
// Keeps the page up to date: asks for what is new, puts it on top, and touches nothing else.
(() => {
  'use strict';
  const POLL_MILLISECONDS = 2000;
  const MAX_ITEMS = 200;

  const view = document.getElementById('view');
  const status = document.getElementById('status');
  const pause = document.getElementById('pause');
  let paused = false;
  let timer = 0;

  async function update() {
    const response = await fetch(`/reports?format=html&after=${view.dataset.newest}`);
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const news = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('view');
    for (const count of news.querySelectorAll('[data-count]')) {
      const shown = view.querySelector(`[data-count="${count.dataset.count}"]`);
      if (shown.textContent !== count.textContent) shown.textContent = count.textContent;
    }
    view.toggleAttribute('data-empty', news.hasAttribute('data-empty'));
    const added = [...news.querySelectorAll('[data-list]')].map(addItems).reduce((a, b) => a + b);
    if (added > 0) view.dataset.newest = news.dataset.newest;
    return added;
  }

  function addItems(list) {
    const shown = view.querySelector(`[data-list="${list.dataset.list}"]`);
    const items = [...list.children];
    for (const item of items) item.classList.add('new');
    shown.prepend(...items);
    while (shown.children.length > MAX_ITEMS) shown.lastElementChild.remove();
    return items.length;
  }

  // A status that is written again is read out again: only a change is written.
  function say(text, state) {
    if (status.textContent !== text) status.textContent = text;
    status.dataset.state = state;
  }

  async function poll() {
    clearTimeout(timer);
    if (!paused && !document.hidden) {
      try {
        const added = await update();
        if (added > 0) say(`Live, ${added} new report${added === 1 ? '' : 's'}`, 'live');
        else if (status.dataset.state !== 'live') say('Live', 'live');
      } catch {
        say('The collector does not answer. Trying again.', 'lost');
      }
    }
    timer = setTimeout(poll, POLL_MILLISECONDS);
  }

  pause.hidden = false;
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.textContent = paused ? 'Resume' : 'Pause';
    say(paused ? 'Paused' : 'Live', paused ? 'paused' : 'live');
    void poll();
  });
  document.addEventListener('visibilitychange', () => void poll());
  say('Live', 'live');
  void poll();
})();
