import { attach, launch } from '../../../scenarios/kit';

const { setImmediate: own } = globalThis;

afterEach(() => void (globalThis.setImmediate = own));

test.each<[string, () => Promise<unknown>]>([
  ['launch', () => launch({ browser: 'chrome' })],
  ['attach', () => attach({} as never, { browser: 'firefox' })],
])(
  '%s says at once that jest imitates a browser, where puppeteer would never answer',
  async (_name, call) => {
    // As in jest's environment jsdom.
    Reflect.deleteProperty(globalThis, 'setImmediate');
    await expect(call()).rejects.toThrow(
      /jsdom\): put \/\*\* @jest-environment node \*\/ at the top of this file/,
    );
  },
);
