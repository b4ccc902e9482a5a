import { root } from '../../node/root';
import path from 'node:path';
import description from '../../package.json';
import { Project } from '../journeys/helpers/project';

/* Yarn keeps packages in zip files, from which no browser loads an extension, unless a package asks to be unpacked. This downloads Yarn. */

const YARN = '4.18.1';
/** The oldest that the kit allows. */
const PUPPETEER = '24.43.1';

const launches = `
const { launch } = require('@cointoss/puppeteer');
(async () => {
  for (const browser of ['chrome', 'firefox']) {
    const kit = await launch({ browser });
    console.log(browser, require.resolve('puppeteer-core').includes('.zip/'), await kit.extension.sources());
    await kit.close();
  }
})();`;

const settingsFor = (registry: string): string =>
  [
    ...['nodeLinker: pnp', 'enableTelemetry: false', 'enableGlobalCache: false'],
    `npmRegistryServer: ${JSON.stringify(registry)}`,
    `unsafeHttpWhitelist: [${JSON.stringify(new URL(registry).hostname)}]`,
  ].join('\n');

it('a project with Yarn Plug’n’Play launches both browsers after `yarn add`', async () => {
  const [project, tools] = [await Project.empty(), await Project.empty()];
  try {
    await tools.run('npm', 'install', '--no-audit', '--no-fund', `@yarnpkg/cli-dist@${YARN}`);
    const yarn = tools.path('node_modules/@yarnpkg/cli-dist/bin/yarn.js');
    const registry = (await tools.run('npm', 'config', 'get', 'registry')).trim();
    await project.write('.yarnrc.yml', settingsFor(registry));
    await project.write('yarn.lock', '');
    await project.write('launches.cjs', launches);
    const kit = path.join(root, 'dist/npm', `cointoss-puppeteer-${description.version}.tgz`);
    await project.node(yarn, 'add', `@cointoss/puppeteer@file:${kit}`, `puppeteer-core@${PUPPETEER}`);
    expect(await project.node(yarn, 'node', 'launches.cjs')).toBe('chrome true []\nfirefox true []\n');
  } finally {
    await project.remove();
    await tools.remove();
  }
});
