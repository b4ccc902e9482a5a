import { readFileSync } from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../node/root';
import { emptyStore } from '../unit/helpers/empty-store';
import { isLong } from '../unit/helpers/is-long';
import { Project } from './helpers/project';

const imports = `
import { chromiumLimits, countStates, validateSource } from '@cointoss/engine';
import { createCollector } from '@cointoss/collector';
import { extensionPath, launch, serveSites } from '@cointoss/puppeteer';`;

const required = imports.replace(/import (\{.*\}) from ('.*');/g, 'const $1 = require($2);');

const use = `
console.log(typeof launch, typeof serveSites, require('node:fs').existsSync(extensionPath('chrome')));
console.log(typeof validateSource, typeof createCollector);`;

/** Making a database takes a processor some seconds. */
const serve = (store: string): string => `
const collector = await createCollector({ store: ${JSON.stringify(store)} });
const origin = await collector.listen({ port: 0 });
console.log((await fetch(origin + '/healthz')).status, (await fetch(origin)).status);
await collector.close();`;

const typed = `${imports}
import type { SourceRow, EventLevelReportBody, Launched } from '@cointoss/puppeteer';
export const eventId = (row: SourceRow, body: EventLevelReportBody): boolean =>
  row.registration.sourceEventId === body.source_event_id;
export const close = (launched: Launched): Promise<void> => launched.close();
// @ts-expect-error a browser must be named
void launch({});
void [chromiumLimits, countStates, validateSource, createCollector, extensionPath, serveSites];`;

/** Examples that need the driver of Chromium's version. */
const driven = process.env['CHROMEDRIVER_PATH'] === undefined ? [] : ['webdriverio'];

describe('a developer, from an empty folder', () => {
  let project: Project;
  let store: string;

  beforeAll(async () => {
    store = isLong ? 'memory://' : await emptyStore();
    if (isLong && driven.length === 0)
      process.stderr.write('developer: WebdriverIO is left out, because CHROMEDRIVER_PATH names no driver\n');
    project = await Project.empty();
    await project.install('cointoss-engine', 'cointoss-puppeteer');
    await project.unpack('@cointoss/collector', 'cointoss-collector');
    await project.unpack('cointoss');
  });

  afterAll(async () => {
    await project.remove();
    await rm(store, { recursive: true, force: true });
  });

  it('gets a kit of at most 6.5 MB that depends on puppeteer alone', async () => {
    expect(await project.bytes('node_modules/@cointoss/puppeteer')).toBeLessThan(6.5e6);
    const { dependencies, peerDependencies, preferUnplugged } = JSON.parse(
      await project.node('-p', `JSON.stringify(require('@cointoss/puppeteer/package.json'))`),
    ) as Record<string, object>;
    expect([dependencies, Object.keys(peerDependencies ?? {}), preferUnplugged]).toEqual([
      {},
      ['puppeteer-core', '@playwright/test', 'jest-environment-node'],
      true,
    ]);
  });

  it.each([
    [
      'ESM',
      'use.mjs',
      'function function true\nfunction function\n200 200\n',
      () =>
        `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);${imports}${use}${serve(store)}`,
    ],
    ['CommonJS', 'use.cjs', 'function function true\nfunction function\n', () => required + use],
  ])('uses the packages from %s', async (_kind, file, printed, code) => {
    await project.write(file, code());
    expect(await project.node(file)).toBe(printed);
  });

  it('uses them from TypeScript, with all of their declarations checked', async () => {
    await project.write('use.mts', typed);
    await project.write('use.cts', typed);
    const typescript = path.join(root, 'node_modules/typescript');
    const program = path.join(__dirname, 'helpers/type-check.cjs');
    expect(await project.node(program, typescript, 'use.mts', 'use.cts')).toMatch(/^\d+ files\n$/);
  });

  it('has the commands', async () => {
    await project.write('source.json', '{}');
    expect(await project.cointoss('states', 'source.json', '--source-type', 'event')).toContain(
      '"states":"3"',
    );
  });

  const runners: readonly (readonly [string, string, string, readonly string[], string])[] = [
    ['jest', 'attribution.test.js', 'jest/bin/jest.js', ['--json'], '"numPassedTests":1,'],
    [
      '@playwright/test',
      'attribution.spec.js',
      '@playwright/test/cli.js',
      ['test', '--workers=1'],
      '1 passed',
    ],
  ];
  it.each(isLong ? runners : runners.slice(0, 1))(
    'runs what the page of the kit says of %s',
    async (_runner, file, bin, args, passed) => {
      const blocks = readFileSync(path.join(root, 'docs/kit.md'), 'utf8').split('```');
      const block = blocks.find((one) => one.startsWith(`js\n// ${file}\n`)) ?? 'js\n';
      expect(await readFile(project.path('node_modules/@cointoss/puppeteer/README.md'), 'utf8')).toContain(
        block,
      );
      await project.write(file, block.slice('js\n'.length));
      await project.write('jest.config.json', '{ "preset": "@cointoss/puppeteer" }');
      const program = path.join(root, 'node_modules', bin);
      // Playwright refuses to run in jest, which it knows by this variable.
      const printed = await project.run(
        'env',
        ...['-u', 'JEST_WORKER_ID', process.execPath, program, ...args, file],
      );
      expect(printed).toContain(passed);
    },
  );

  it('runs the examples side by side, one browser each', async () => {
    // with-jest.test.js, which always runs, does what with-node-test.mjs does.
    const long = isLong ? ['node-test', 'playwright', ...driven] : [];
    const examples = ['own-puppeteer', 'engine', ...long].map((name) => `with-${name}.mjs`);
    for (const example of examples)
      await cp(path.join(root, 'scenarios/examples', example), project.path(example));
    const options = ['--test', '--test-concurrency=2', '--test-reporter=tap'];
    // with-jest.test.js starts Firefox, too.
    const environment = isLong ? [] : ['-u', 'FIREFOX_PATH'];
    const printed = await project.run('env', ...environment, process.execPath, ...options, ...examples);
    expect(printed).toMatch(new RegExp(`^# pass ${isLong ? 9 + driven.length : 5}$`, 'm'));
  });
});
