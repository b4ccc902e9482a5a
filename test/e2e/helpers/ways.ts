import type { Page } from 'puppeteer-core';
import type { BrowserName } from '../../../scenarios/kit';

/** What a page needs to try one way. Each way has its own. */
export interface Urls {
  /** Registers a source. */
  readonly source: string;
  /** Registers a trigger. */
  readonly trigger: string;
  /** Registers a source and redirects to the shop. */
  readonly hop: string;
  readonly shop: string;
  readonly page: (site: string, body: string) => string;
}

/** One way for a page to register something. */
export interface Way {
  readonly way: string;
  readonly registers: 'event source' | 'navigation source' | 'trigger';
  /** The page's HTML. */
  readonly body: (urls: Urls) => string;
  /** Whether it is about the page itself, and not about what the page has or does. */
  readonly ofPage?: true;
  /** Whether the browser tells Cointoss the same as of another way. Then only `npm run soak` tries it. */
  readonly isFiner?: true;
  /** What a person does there. Default: nothing. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** Why it registers nothing, if so. */
  readonly missing?: Partial<Readonly<Record<BrowserName, string>>>;
}

const script = (code: string): string => `<script>${code}</script>`;
const eventSource = '{ attributionReporting: { eventSourceEligible: true, triggerEligible: false } }';
const noInit = 'a parser makes it, which no extension sees';

const element = (way: string, body: Way['body'], missing?: Way['missing']): Way => ({
  way,
  registers: 'event source',
  body,
  ...(missing === undefined ? {} : { missing }),
});

const elements: readonly Way[] = [
  element('`<img attributionsrc src>`', ({ source }) => `<img attributionsrc src="${source}">`),
  element('`<img attributionsrc="URL">`', ({ source }) => `<img attributionsrc="${source}">`),
  element(
    '`<script attributionsrc src>`',
    ({ source }) => `<script attributionsrc src="${source}"></script>`,
  ),
  element('`<script attributionsrc="URL">`', ({ source }) => `<script attributionsrc="${source}"></script>`),
  element('an `img` with `srcset`', ({ source }) => `<img attributionsrc srcset="${source} 1x">`),
  element(
    'an `img` in `picture`',
    ({ source }) => `<picture><source srcset="${source}"><img attributionsrc></picture>`,
  ),
  {
    ...element('a lazy `img`', ({ source }) => `<img attributionsrc loading="lazy" src="${source}">`),
    act: (page) => page.waitForFunction(() => document.images[0]?.complete),
  },
  element(
    'an `img` that a script adds as HTML',
    ({ source }) =>
      `<div id="it"></div>${script(`setTimeout(() => it.insertAdjacentHTML('beforeend', '<img attributionsrc src="${source}">'), 100)`)}`,
  ),
  element('an `img` by `document.write`', ({ source }) =>
    script(`document.write('<img attributionsrc src="${source}">')`),
  ),
  element('an `img` outside the document, by `attributionSrc`', ({ source }) =>
    script(`const it = new Image(); it.attributionSrc = ''; it.src = '${source}'`),
  ),
  element('an `img` outside the document, by `setAttribute`', ({ source }) =>
    script(`const it = new Image(); it.setAttribute('attributionsrc', '${source}')`),
  ),
  element('an `img` outside the document, by `innerHTML`', ({ source }) =>
    script(`document.createElement('div').innerHTML = '<img attributionsrc src="${source}">'`),
  ),
  element(
    'an `img` that gets `attributionsrc` later',
    ({ source }) =>
      `<img id="it">${script(`setTimeout(() => it.setAttribute('attributionsrc', '${source}'), 100)`)}`,
  ),
  element(
    'an `img` whose `src` changes later',
    ({ source }) => `<img id="it" attributionsrc>${script(`setTimeout(() => (it.src = '${source}'), 100)`)}`,
  ),
  element(
    'an `img` in an open shadow tree',
    ({ source }) =>
      `<div id="it"></div>${script(`it.attachShadow({ mode: 'open' }).innerHTML = '<img attributionsrc src="${source}">'`)}`,
  ),
  element(
    'an `img` in a closed shadow tree',
    ({ source }) =>
      `<div id="it"></div>${script(`it.attachShadow({ mode: 'closed' }).innerHTML = '<img attributionsrc src="${source}">'`)}`,
  ),
  element(
    'an `img` in a shadow tree in an open shadow tree',
    ({ source }) =>
      `<div id="it"></div>${script(`
      const outer = it.attachShadow({ mode: 'open' });
      outer.innerHTML = '<div></div>';
      outer.firstChild.attachShadow({ mode: 'open' }).innerHTML = '<img attributionsrc="${source}">'`)}`,
  ),
  element(
    'an `img` in a custom element',
    ({ source }) =>
      `${script(`customElements.define('an-ad', class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<img attributionsrc src="${source}">'; }
    })`)}<an-ad></an-ad>`,
  ),
  element(
    'an `img` in an open declarative shadow tree',
    ({ source }) =>
      `<div><template shadowrootmode="open"><img attributionsrc src="${source}"></template></div>`,
  ),
  element(
    'an `img` in a closed declarative shadow tree',
    ({ source }) =>
      `<div><template shadowrootmode="closed"><img attributionsrc src="${source}"></template></div>`,
    { chrome: noInit, firefox: noInit },
  ),
  element(
    'an `img` in a `srcdoc` frame',
    ({ source }) => `<iframe srcdoc="<img attributionsrc src='${source}'>"></iframe>`,
  ),
  element(
    'an `img` that a script writes into a frame',
    ({ source }) =>
      `<iframe id="it"></iframe>${script(`addEventListener('load', () => {
      it.contentDocument.body.innerHTML = '<img attributionsrc src="${source}">';
    })`)}`,
  ),
  element(
    'an `img` in a frame of another site',
    ({ source, page }) => `<iframe src="${page('frame', `<img attributionsrc src="${source}">`)}"></iframe>`,
  ),
  element(
    'an `img` in a frame in a sandbox',
    ({ source, page }) =>
      `<iframe sandbox src="${page('frame', `<img attributionsrc src="${source}">`)}"></iframe>`,
  ),
  element('an `img` with `*` in its URL', ({ source }) => `<img attributionsrc src="${source}*">`),
];

const request = (way: string, body: Way['body'], more: Partial<Way> = {}): Way => ({
  way,
  registers: 'event source',
  body,
  ...more,
});
const conversion = (way: string, body: Way['body'], more: Partial<Way> = {}): Way =>
  request(way, body, { registers: 'trigger', ...more });
const inWorker = (code: string): string =>
  script(`new Worker(URL.createObjectURL(new Blob([\`${code}\`], { type: 'text/javascript' })))`);
const noScripts = 'no extension runs scripts in workers';

const requests: readonly Way[] = [
  request('`fetch(url, { attributionReporting })`', ({ source }) =>
    script(`fetch('${source}', ${eventSource})`),
  ),
  request('`fetch(request, { attributionReporting })`', ({ source }) =>
    script(`fetch(new Request('${source}'), ${eventSource})`),
  ),
  request('`fetch(new Request(url, { attributionReporting }))`', ({ source }) =>
    script(`fetch(new Request('${source}', ${eventSource}))`),
  ),
  request('the same with `POST`, and a clone', ({ source }) =>
    script(`fetch(new Request('${source}', { method: 'POST', body: 'text', ...${eventSource} }).clone())`),
  ),
  request('`XMLHttpRequest.setAttributionReporting`', ({ source }) =>
    script(`const it = new XMLHttpRequest(); it.open('GET', '${source}');
      it.setAttributionReporting({ eventSourceEligible: true, triggerEligible: false }); it.send()`),
  ),
  request('`fetch` of a fresh `about:blank` frame', ({ source }) =>
    script(`addEventListener('load', () => {
      const it = document.createElement('iframe');
      document.body.append(it);
      it.contentWindow.fetch('${source}', ${eventSource});
    })`),
  ),
  request(
    '`fetch` in a frame in a sandbox',
    ({ source, page }) =>
      `<iframe sandbox="allow-scripts" src="${page('frame', script(`fetch('${source}', ${eventSource})`))}"></iframe>`,
  ),
  request('the `fetch` option in a worker', ({ source }) => inWorker(`fetch('${source}', ${eventSource})`), {
    missing: { chrome: noScripts, firefox: noScripts },
  }),
  conversion('any `img`', ({ trigger }) => `<img src="${trigger}">`),
  conversion('any `script`', ({ trigger }) => `<script src="${trigger}"></script>`),
  conversion('a style sheet', ({ trigger }) => `<link rel="stylesheet" href="${trigger}">`),
  conversion('a frame', ({ trigger }) => `<iframe src="${trigger}"></iframe>`),
  conversion('any `fetch`', ({ trigger }) => script(`fetch('${trigger}')`)),
  conversion('any `fetch` in a worker', ({ trigger }) => inWorker(`fetch('${trigger}')`)),
  conversion('`navigator.sendBeacon`', ({ trigger }) => script(`navigator.sendBeacon('${trigger}')`)),
  conversion('`attributionsrc` of an `img`', ({ trigger }) => `<img attributionsrc="${trigger}">`),
  conversion(
    'a background in CSS',
    ({ trigger }) => `<div style="height: 9px; background: url('${trigger}')"></div>`,
  ),
  conversion('a page itself', ({ trigger }) => script(`location = '${trigger}'`), { ofPage: true }),
];

/** As a person clicks: the button of the mouse stays down for a moment. */
const human = { delay: 60 };
const click: Way['act'] = (page) => page.click('#it', human);
const press =
  (key: 'Enter' | 'a') =>
  async (page: Page): Promise<void> => {
    await page.focus('#it');
    await page.keyboard.press(key);
  };

const clicked = (way: string, body: Way['body'], act: Way['act'] = click): Way => ({
  way,
  registers: 'navigation source',
  body,
  act,
});
const finer = (way: Way): Way => ({ ...way, isFiner: true });

const link = (attributes: string): string => `<a id="it" ${attributes}>Buy</a>`;
const button = (events: string, code: string): string =>
  `<button id="it">Buy</button>${script(`it.addEventListener('${events}', () => { ${code} })`)}`;
const open = ({ shop, source }: Urls): string =>
  `window.open('${shop}', '_blank', 'attributionsrc=' + encodeURIComponent('${source}'))`;
const made = ({ shop, source }: Urls): string => `
  const made = document.createElement('a');
  made.href = '${shop}';
  made.setAttribute('attributionsrc', '${source}');`;

const clicks: readonly Way[] = [
  clicked('`<a attributionsrc="URL" href>`', ({ source, shop }) =>
    link(`attributionsrc="${source}" href="${shop}"`),
  ),
  clicked('`<a attributionsrc href>`, whose way registers', ({ hop }) =>
    link(`attributionsrc href="${hop}"`),
  ),
  finer(clicked('the same in a new tab', ({ hop }) => link(`attributionsrc href="${hop}" target="_blank"`))),
  clicked(
    'an `area`',
    ({ source, shop }) =>
      `<img id="it" usemap="#map" width="90" height="90" alt="" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='90'/%3E">
     <map name="map"><area attributionsrc="${source}" href="${shop}" shape="rect" coords="0,0,90,90"></map>`,
  ),
  clicked(
    'the Enter key on a link',
    ({ source, shop }) => link(`attributionsrc="${source}" href="${shop}"`),
    press('Enter'),
  ),
  clicked(
    'the middle button',
    ({ source, shop }) => link(`attributionsrc="${source}" href="${shop}"`),
    (page) => page.click('#it', { ...human, button: 'middle' }),
  ),
  clicked(
    'the right button, and the menu’s “in a new tab”',
    ({ source, shop }) =>
      // No script reaches the browser's menu. What it does looks like this to an extension.
      `${link(`attributionsrc="${source}" href="${shop}"`)}${script(`it.addEventListener('contextmenu', () => setTimeout(() => window.open('${shop}'), 50))`)}`,
    (page) => page.click('#it', { ...human, button: 'right' }),
  ),
  finer(
    clicked(
      'a double click, once',
      ({ source, shop }) => link(`attributionsrc="${source}" href="${shop}" target="_blank"`),
      (page) => page.click('#it', { ...human, count: 2 }),
    ),
  ),
  finer(
    clicked(
      'a link whose click handler sets `attributionsrc`',
      ({ source, shop }) =>
        `${link(`href="${shop}"`)}${script(`it.onclick = () => it.setAttribute('attributionsrc', '${source}')`)}`,
    ),
  ),
  finer(
    clicked(
      'a link whose click handler sets `href`',
      ({ source, shop }) =>
        `<a id="it" attributionsrc="${source}"><b>Buy</b></a>${script(`it.onclick = () => (it.href = '${shop}')`)}`,
    ),
  ),
  clicked('`a.click()` in a click handler', (urls) =>
    button('click', `${made(urls)} document.body.append(made); made.click()`),
  ),
  finer(clicked('`a.click()` outside the document', (urls) => button('click', `${made(urls)} made.click()`))),
  finer(
    clicked('`a.click()` in a new tab', (urls) =>
      button('click', `${made(urls)} made.target = '_blank'; made.click()`),
    ),
  ),
  clicked(
    'a link in an open shadow tree',
    ({ source, shop }) =>
      `<span id="it"></span>${script(`it.attachShadow({ mode: 'open' }).innerHTML = '<a attributionsrc="${source}" href="${shop}">Buy</a>'`)}`,
  ),
  clicked(
    'a link in a closed shadow tree',
    ({ source, shop }) =>
      `<span id="it"></span>${script(`it.attachShadow({ mode: 'closed' }).innerHTML = '<a attributionsrc="${source}" href="${shop}">Buy</a>'`)}`,
  ),
  ...['click', 'mousedown', 'pointerup', 'pointerdown'].map((event, index) => {
    const way = clicked(`\`window.open\` in \`${event}\``, (urls) => button(event, open(urls)));
    return index === 1 || index === 2 ? finer(way) : way;
  }),
  finer(clicked('`window.open` in `keydown`', (urls) => button('keydown', open(urls)), press('a'))),
  finer(
    clicked(
      '`open` in an `onclick` attribute',
      (urls) =>
        `<button id="it" onclick="${open(urls).replace('window.', '').replaceAll('"', '&quot;')}">Buy</button>`,
    ),
  ),
  finer(
    clicked('`window.open` with a way that registers', ({ hop }) =>
      button('click', `window.open('${hop}', '_blank', 'attributionsrc')`),
    ),
  ),
  finer(
    clicked('`window.open` in a timeout after the click', (urls) =>
      button('click', `setTimeout(() => ${open(urls)}, 200)`),
    ),
  ),
];

export const sections: readonly (readonly [what: string, ways: readonly Way[]])[] = [
  ['elements', elements],
  ['requests', requests],
  ['clicks', clicks],
];

/** The matrix of docs/ways.md, in Markdown. */
export function matrix(): string {
  const cell = ({ missing }: Way, browser: BrowserName): string => missing?.[browser] ?? 'yes';
  const table = ([what, ways]: (typeof sections)[number]): string =>
    markdown([
      [`By ${what}`, 'registers', 'Chrome', 'Firefox'],
      ...ways.map((way) => [way.way, way.registers, cell(way, 'chrome'), cell(way, 'firefox')]),
    ]);
  return sections.map(table).join('\n\n');
}

/** As oxfmt writes a table. */
function markdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' '): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('\n');
}
