import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, link, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import project from '../../package.json';
import { FrailCollector } from './helpers/collector';
import { source, trigger } from './helpers/registrations';
import { browsers, calm, isLong, World } from './helpers/world';

const root = path.resolve(__dirname, '../..');
const inputs = [
  'analysis',
  'words',
  'extension',
  'formats',
  'recording',
  'src',
  'scripts',
  'ui',
  'manifest.json',
  'webpack.config.js',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
const { version } = project;

/** Copies a folder of packages, which nobody writes to, without its contents. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, copy);
    else if (entry.isFile()) await link(source, copy);
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A folder as scripts/package.mjs packs it. */
async function packed(folder: string): Promise<Uint8Array> {
  const script = `import('./scripts/zip.mjs').then(({ zipFolder }) => process.stdout.write(zipFolder(${JSON.stringify(folder)})))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
    cwd: root,
    encoding: 'buffer',
    maxBuffer: 1e8,
  });
  return stdout;
}

describe('npm run package', () => {
  let folder: string;
  const files = { chrome: `cointoss-${version}-chrome.zip`, firefox: `cointoss-${version}-firefox.xpi` };
  const fileOf = (browser: 'chrome' | 'firefox'): string =>
    path.join(folder, 'dist/packages', files[browser]);
  const make = (): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, [path.join(folder, 'scripts/package.mjs')], { cwd: folder });

  beforeAll(async () => {
    const data = path.join(root, '.data');
    await mkdir(data, { recursive: true });
    // Links need the same file system.
    folder = await mkdtemp(path.join(data, 'package-'));
    for (const input of inputs)
      await cp(path.join(root, input), path.join(folder, input), { recursive: true });
    const installed = path.join(root, 'node_modules');
    const copy = path.join(folder, 'node_modules');
    // Only the build needs it, and it takes as long: webpack follows links out of the folder.
    if (isLong) return linkTree(installed, copy);
    await symlink(installed, copy);
    await mkdir(path.join(folder, 'dist/packages'), { recursive: true });
    for (const browser of browsers)
      await writeFile(fileOf(browser), await packed(path.join(root, 'dist', browser)));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  // A second build takes half a minute of a processor.
  if (isLong)
    it('makes the same packages in another folder, byte for byte', async () => {
      const { stdout: printed } = await make();
      for (const browser of browsers) {
        const made = await readFile(fileOf(browser));
        expect(sha256(made)).toBe(sha256(await packed(path.join(root, 'dist', browser))));
        expect(printed).toContain(`${sha256(made)}  ${path.join('dist/packages', files[browser])}\n`);
      }
    });

  it.each(browsers)('puts no path of this machine into the %s package', async (browser) => {
    const contents = Object.entries(unzipSync(await readFile(fileOf(browser))));
    expect(contents.map(([name]) => name)).toContain('manifest.json');
    for (const [name, content] of contents) {
      const text = Buffer.from(content).toString('latin1');
      expect([name, text.includes(folder), text.includes(root)]).toEqual([name, false, false]);
    }
  });

  it.each(browsers)('puts into `_locales` of the %s package only what browsers know', async (browser) => {
    const names = Object.keys(unzipSync(await readFile(fileOf(browser))));
    const locales = names.filter((name) => name.startsWith('_locales/'));
    expect(locales.map((name) => path.basename(name))).toEqual(['messages.json', 'messages.json']);
  });

  it('refuses to pack when the versions differ', async () => {
    const manifest = path.join(folder, 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace(`"version": "${version}"`, '"version": "9.9.9"'));
    await expect(make()).rejects.toThrow(`is 9.9.9 in manifest.json and ${version} in package.json`);
    await writeFile(manifest, text);
  });

  describe.each(browsers)('installed in %s', (name) => {
    const world = new World(name);
    let collector: FrailCollector;

    beforeAll(async () => {
      collector = await FrailCollector.start();
      let extensionDir = fileOf(name);
      if (name === 'chrome') {
        // Chrome takes zips in its store only.
        extensionDir = path.join(folder, 'unzipped');
        for (const [file, content] of Object.entries(unzipSync(await readFile(fileOf(name))))) {
          await mkdir(path.dirname(path.join(extensionDir, file)), { recursive: true });
          await writeFile(path.join(extensionDir, file), content);
        }
      }
      await world.start({ extensionDir, settings: { ...calm, collector: collector.origin } });
    });

    afterAll(async () => {
      await world.stop();
      await collector.close();
    });

    it('takes a click to a conversion, and that to a report at the collector', async () => {
      const { sites, extension } = world;
      const ad = sites.serve('adtech', '/s', { headers: source(31, sites.origin('shop')) });
      const page = await world.open(
        'publisher',
        `<a id="ad" attributionsrc="${ad}" href="${sites.page('shop', '')}">Go</a>`,
      );
      await page.click('#ad', { delay: 100 });
      await extension.waitForSources(1);
      const pixel = sites.serve('adtech', '/t', { headers: trigger(3) });
      await world.open('shop', `<img src="${pixel}">`);
      await extension.waitForReports(1);
      await extension.deliverAll();
      expect(await collector.reports()).toMatchObject([{ source_event_id: '31', trigger_data: '3' }]);
    });
  });
});
