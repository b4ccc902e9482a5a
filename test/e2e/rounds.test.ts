import { build } from 'esbuild';
import path from 'node:path';
import { root } from '../../node/root';
import type { DatabaseUse } from '../unit/helpers/counted-reads';
import { DESTINATIONS, roundsCases, roundsNames } from '../unit/helpers/rounds';
import { browsersOfRun, useWorld } from './helpers/world';

/* The store's own code in a page of the extension, over the browser's own database. */
describe.each(browsersOfRun)('reads of the database (%s)', (name) => {
  const world = useWorld(name);
  let script = '';

  beforeAll(async () => {
    const contents = `import { countRounds } from './test/unit/helpers/rounds'; Object.assign(globalThis, { countRounds });`;
    const stdin = { contents, resolveDir: path.join(root), loader: 'ts' } as const;
    const bundle = await build({ stdin, bundle: true, format: 'iife', target: 'es2022', write: false });
    script = bundle.outputFiles[0]?.text ?? '';
  });

  test.each(roundsNames)('of %s are as few, however many destinations there are', async (registrations) => {
    const page = await world.extension.page();
    await page.evaluate(script);
    const count = (destinations: number): Promise<DatabaseUse> =>
      page.evaluate(`countRounds(${JSON.stringify(registrations)}, ${destinations})`) as Promise<DatabaseUse>;
    for (const destinations of DESTINATIONS)
      expect([destinations, await count(destinations)]).toEqual([
        destinations,
        roundsCases[registrations].use,
      ]);
  });
});
