import type { Page } from 'puppeteer-core';
import { testRuleIn } from './all-scripts';
import type { World } from './world';

/** What a page can show the scripts that run beside it. */
export interface PageShape {
  readonly what: string;
  /** Of `n`, in the page's own world. */
  readonly code: string;
  /** From this `n` to that. In characters if there is one element of a long text. */
  readonly from: number;
  readonly to: number;
  /** What a person does then. */
  readonly act?: (page: Page, world: World) => Promise<unknown>;
}

const CHARACTERS = { from: 32_000, to: 2_048_000 };
const MANY = { from: 200, to: 32_000 };
/** Nobody nests more without that the browser's own layout takes longest. */
const DEEP = { from: 100, to: 4000 };

export const pageShapes: readonly PageShape[] = [
  {
    what: 'an attributionsrc of many URLs',
    code: `add('img').setAttribute('attributionsrc', 'https://a.example/ '.repeat(n / 19));`,
    ...CHARACTERS,
  },
  {
    what: 'an attributionsrc of spaces',
    code: `add('img').setAttribute('attributionsrc', ' '.repeat(n));`,
    ...CHARACTERS,
  },
  {
    what: 'a long src',
    code: `const image = add('img'); image.setAttribute('attributionsrc', ''); image.src = 'data:,' + 'x'.repeat(n);`,
    ...CHARACTERS,
  },
  {
    what: 'a long srcset',
    code: `const image = add('img'); image.setAttribute('attributionsrc', ''); image.srcset = 'data:,x 1x, '.repeat(n / 12);`,
    ...CHARACTERS,
  },
  {
    what: 'many images whose URL the browser chooses, in a page that is left',
    code: `const picture = document.createElement('picture');
           picture.innerHTML = '<source srcset="/a, /b 2x">' + '<img attributionsrc>'.repeat(n);
           document.body.append(picture);
           await null;
           for (const type of ['pagehide', 'pageshow']) dispatchEvent(new Event(type));`,
    ...MANY,
    to: 8000,
  },
  {
    what: 'the src of a frame that changes often, and is long',
    code: `const one = add('object'); for (let i = 0; i < 20; i++) one.data = 'data:,' + i + 'x'.repeat(n);`,
    ...CHARACTERS,
    // Each is an old value of a mutation, too.
    to: 512_000,
  },
  {
    what: 'a window feature of many percent signs',
    code: `announce({ kind: 'open', url: '/', sources: ['%41%'.repeat(n / 4)] });`,
    ...CHARACTERS,
  },
  {
    what: 'an announcement that is no JSON',
    code: `document.dispatchEvent(new CustomEvent('cointoss:announce', { detail: '['.repeat(n) }));`,
    ...CHARACTERS,
  },
  {
    what: 'many announcements',
    code: `for (let i = 0; i < n; i++) announce({ kind: 'open', url: '/' + i, sources: ['/'] });`,
    ...MANY,
  },
  {
    what: 'many images that register',
    code: `for (let i = 0; i < n; i++) add('img').setAttribute('attributionsrc', '');`,
    ...MANY,
  },
  {
    what: 'one image that changes often',
    code: `const image = add('img'); image.setAttribute('attributionsrc', '');
           for (let i = 0; i < n; i++) image.setAttribute('src', 'data:,' + i);`,
    ...MANY,
  },
  {
    what: 'one image that changes often, in as many microtasks',
    code: `const image = add('img'); image.setAttribute('attributionsrc', '');
           for (let i = 0; i < n; i++) { image.setAttribute('src', 'data:,' + i); await null; }`,
    ...MANY,
  },
  {
    what: 'many ads of lift tests',
    code: `for (let i = 0; i < n; i++)
             Object.assign(add('div').dataset, { liftCampaign: 'spring', liftDestination: 'https://shop.example', liftSize: '8x8',
               liftExposed: 'data:,', liftHoldout: 'data:,' });
           const one = document.createElement('div');
           one.innerHTML = '<b data-lift-campaign="spring" data-lift-size="8x8" data-lift-exposed="/a" data-lift-holdout="/b"></b>'.repeat(n);
           document.body.append(one);`,
    ...MANY,
  },
  {
    what: 'ads of lift tests, each added to the one before',
    code: `let at = document.body;
           for (let i = 0; i < n; i++) {
             at = at.appendChild(document.createElement('b'));
             at.dataset.liftCampaign = 'spring';
           }`,
    ...DEEP,
  },
  {
    what: 'many elements, each added by itself',
    code: `for (let i = 0; i < n; i++) { add('b'); await null; }`,
    ...MANY,
  },
  {
    what: 'objects without a URL',
    code: `for (let i = 0; i < n; i++) add('object');`,
    ...MANY,
  },
  {
    what: 'shadow trees side by side',
    code: `for (let i = 0; i < n; i++) add('div').attachShadow({ mode: i % 2 ? 'open' : 'closed' });`,
    ...MANY,
    to: 8000,
  },
  {
    what: 'shadow trees in shadow trees',
    code: `let tree = document.body;
           for (let i = 0; i < n; i++)
             tree = tree.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });`,
    ...DEEP,
    to: 1000,
  },
  {
    what: 'clicks on a link that a script makes',
    code: `const link = add('a'); link.setAttribute('attributionsrc', '/'); link.href = '#x';
           for (let i = 0; i < n; i++) link.click();`,
    // Chrome takes 4 ms for each, whatever listens.
    from: 100,
    to: 2000,
  },
  {
    what: 'clicks on a link without attributionsrc that a script makes',
    code: `const link = add('a'); link.href = '#x'; for (let i = 0; i < n; i++) link.click();`,
    from: 100,
    to: 2000,
  },
  {
    what: 'a fetch of a long URL',
    code: `new Request('/'); fetch('/?' + '#'.repeat(n), { attributionReporting: { eventSourceEligible: true, triggerEligible: false } });`,
    ...CHARACTERS,
    to: 512_000,
  },
  {
    what: 'many fetches that are announced',
    code: `for (let i = 0; i < n; i++) announce({ kind: 'fetch', url: '/' + i, eligibility: 'event-source' });`,
    ...MANY,
  },
  {
    what: 'a request that is opened with many headers',
    code: `const request = new XMLHttpRequest();
           request.open('GET', '/');
           for (let i = 0; i < n; i++) request.setRequestHeader('x' + i, 'y');
           request.setAttributionReporting({ eventSourceEligible: true, triggerEligible: false });`,
    ...MANY,
  },
  {
    what: 'features of a window',
    code: `open('/', '_self-', 'a=b,'.repeat(n / 8) + 'attributionsrc=%2F '.repeat(n / 40))?.close();`,
    ...CHARACTERS,
  },
  {
    what: 'markup outside the document',
    code: `document.createElement('p').innerHTML = '<img attributionsrc>'.repeat(n);`,
    ...MANY,
    to: 8000,
  },
  {
    what: 'a frame whose attribute has many directives',
    code: `const frame = document.createElement('iframe');
           frame.allow = 'attribution-reporting *;x;'.repeat(n / 26);
           frame.src = '/other';
           document.body.append(frame);
           await new Promise((resolve) => (frame.onload = resolve));
           await new Promise((resolve) => setTimeout(resolve, 500));`,
    ...CHARACTERS,
    to: 512_000,
  },
  {
    what: 'a document that is opened anew, with much in it',
    code: `document.open(); document.write('<body>' + '<img attributionsrc>'.repeat(n)); document.close();`,
    ...MANY,
    to: 4000,
  },
  {
    what: 'lists of W3C Attribution',
    code: `const services = navigator.attribution.aggregationServices;
           [services.keys(), services.values(), services.entries()].forEach((all) => [...all]);
           services.forEach(() => undefined);
           await navigator.attribution
             .saveImpression({ histogramIndex: 1, conversionSites: Array.from({ length: n }, (_, i) => 'a' + i + '.example') })
             .catch(() => undefined);`,
    ...MANY,
  },
  {
    what: 'elements that a rule names, side by side',
    code: `for (let i = 0; i < n; i++) { const ad = add('b'); ad.className = 'ad'; ad.append('x'); }
           await new Promise((resolve) => setTimeout(resolve, 1300));`,
    from: 100,
    to: 1000,
  },
  {
    what: 'elements that a rule names, in each other, that are empty and grow',
    code: `let at = document.body;
           for (let i = 0; i < n; i++) { at = at.appendChild(document.createElement('div')); at.className = 'ad'; }
           await new Promise((resolve) => setTimeout(resolve, 300));
           // The first text is all that a rule reads of each: else it reads up to 1,000 nodes, which is its bound.
           for (const ad of document.querySelectorAll('.ad')) ad.prepend('x'.repeat(2001));
           await new Promise((resolve) => setTimeout(resolve, 1300));`,
    from: 100,
    to: 1000,
  },
  {
    what: 'a press deep in elements',
    code: `let at = document.body;
           for (let i = 0; i < n; i++) { at = at.appendChild(document.createElement('div')); at.className = 'ad'; }
           at.innerHTML = '<button id="inner">x</button>';`,
    act: (page) => page.click('#inner'),
    ...DEEP,
    to: 1000,
  },
  {
    what: 'a rule that a person tests',
    code: `for (let i = 0; i < n; i++) add('b').className = 'ad';`,
    act: (_, world) => testRuleIn(world),
    ...MANY,
  },
];
