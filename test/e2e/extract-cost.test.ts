import path from 'node:path';
import { build } from 'esbuild';
import type { extract } from '../../extension/content/recording/extract';
import { root } from '../../node/root';
import { growthBetween } from '../unit/helpers/costs/measure';
import { threadClock } from './helpers/thread-clock';
import { itInSoak, useWorld } from './helpers/world';

interface Globals {
  readonly rules: { readonly extract: typeof extract };
}

describe('what a recording rule reads', () => {
  const world = useWorld('chrome');

  const script = async (name: 'extract' | 'watch-rules'): Promise<string> => {
    const { outputFiles } = await build({
      entryPoints: [path.join(root, `extension/content/recording/${name}.ts`)],
      ...{ bundle: true, write: false, format: 'iife', globalName: 'rules' },
    });
    return outputFiles[0]?.text ?? '';
  };

  itInSoak('of elements in elements takes at most 3 times as long for twice as many', async () => {
    const page = await world.open('publisher', '');
    await page.evaluate(`${await script('extract')}; globalThis.rules = rules`);
    const timeOf = async (n: number): Promise<number> => {
      await page.evaluate((count) => {
        document.body.replaceChildren();
        let around: Element = document.createElement('div');
        const outermost = around;
        for (let index = 0; index < count; index++) {
          around = around.appendChild(document.createElement('b'));
          around.append('some words ');
        }
        Object.assign(globalThis, { outermost });
      }, n);
      const since = await threadClock(page);
      await page.evaluate(() => {
        const { rules, outermost } = globalThis as unknown as Globals & { readonly outermost: Element };
        for (const element of outermost.querySelectorAll('b'))
          rules.extract(element, [{ selector: null, attribute: null }]);
      });
      return since();
    };
    expect(await growthBetween(timeOf, 2000, 8000)).toBeNull();
  });

  test('is the text without white space at both ends, as far as a value may be long', async () => {
    const page = await world.open('publisher', '');
    await page.evaluate(`${await script('extract')}; globalThis.rules = rules`);
    const read = (html: string): Promise<string | null> =>
      page.evaluate((text) => {
        document.body.innerHTML = text;
        const { rules } = globalThis as unknown as Globals;
        return rules.extract(document.body, [{ selector: null, attribute: null }])[0] ?? null;
      }, html);
    expect(await read(' \n <b> 12<!-- no -->,</b>\n<i>50</i> € ')).toBe('12,\n50 €');
    expect(await read('')).toBe('');
    expect(await read(`${' '.repeat(5000)}a${'b'.repeat(3000)}`)).toBe(`a${'b'.repeat(1999)}`);
    expect(await read(`${'<b></b>'.repeat(500)}c`)).toBe('c');
    // So far is looked.
    expect(await read(`${'<b></b>'.repeat(1000)}c`)).toBe('');
    expect(await read(`${' '.repeat(20_000)}c`)).toBe('');
  });

  // Each selector without a match looks through all elements inside, so what is read for each of n elements in each other grows with n².
  test('is looked for no more often than a document may send messages', async () => {
    const page = await world.open('publisher', '');
    const searches = await page.evaluate(`(() => {
      globalThis.chrome = { runtime: { sendMessage: async () => undefined } };
      ${await script('watch-rules')}
      let searches = 0;
      const { querySelector } = Element.prototype;
      Element.prototype.querySelector = function (selector) {
        if (selector === '.missing') searches++;
        return querySelector.call(this, selector);
      };
      const extractors = [{ selector: '.missing', attribute: null }];
      rules.watchRules(Array.from({ length: 400 }, (_, id) => ({ id, on: 'visit', selector: null, extractors })));
      return searches;
    })()`);
    expect(searches).toBe(200);
  });
});
