import fake from '../webextension';

/* To be imported first: outside a browser, `webextension-polyfill` takes what is there. Jest replaces it. */
const { declarativeNetRequest } = fake;
Object.assign(globalThis, { chrome: { runtime: { id: 'cointoss' }, declarativeNetRequest }, browser: fake });
