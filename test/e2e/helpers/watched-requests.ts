import type { Browser } from 'puppeteer-core';

/*
 * In most tests puppeteer is not told of requests (thrifty.ts). One that listens for them all the same would hear of none, and pass. So it
 * fails.
 */
type Listen = (this: { browser(): Browser & { isNetworkEnabled(): boolean } }, ...given: [string]) => unknown;

const { prototype } = jest.requireActual<{ readonly Page: { readonly prototype: { on: Listen } } }>(
  'puppeteer-core/internal/api/Page.js',
).Page;
const { on } = prototype;

prototype.on = function (...given) {
  const [event] = given;
  if (/^(request|response)/.test(event) && !this.browser().isNetworkEnabled())
    throw new Error(`to hear of "${event}", start the browser with puppeteer: { networkEnabled: true }`);
  return Reflect.apply(on, this, given);
};
