import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../node/root';
import { isLong } from '../helpers/is-long';
import { Registry } from '../helpers/registry';

const names = ['@cointoss/engine', '@cointoss/puppeteer', '@cointoss/collector', 'cointoss'];

describe('npm run release, of a repository whose tests pass', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-release-'));
  const write = (file: string, content: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  };
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: folder });
  const release = (...args: readonly string[]): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: folder, encoding: 'utf8' });

  beforeAll(() => {
    cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
    const noting = (name: string): string =>
      `node -e "fs.appendFileSync('dist/tried', ['${name}', ...process.argv.slice(1)].join(' ') + '.')" --`;
    const scripts = { test: noting('test'), soak: noting('soak') };
    write('package.json', JSON.stringify({ version: '1.2.3', scripts }));
    for (const file of ['package-lock.json', 'manifest.json']) write(file, '{ "version": "1.2.3" }');
    write('integrations/python/pyproject.toml', '[project]\nversion = "1.2.3"\n');
    write('docs/changelog.md', '# Changes\n\n## 1.2.3\n');
    write('.gitignore', 'dist/\n');
    for (const name of names) {
      const one = `dist/npm/${path.basename(name)}`;
      write(`${one}/package.json`, JSON.stringify({ name, version: '1.2.3' }));
    }
    const each = names.map((name) => `./${path.basename(name)}`);
    execFileSync('npm', ['pack', '--json', ...each], { cwd: path.join(folder, 'dist/npm') });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'A version');
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  // It starts npm a dozen times.
  if (isLong)
    it('says what it would publish, and publishes nothing', () => {
      const { status, stderr } = release();
      expect([status, stderr]).toEqual([0, expect.stringContaining('nothing was published')]);
      const published = [...stderr.matchAll(/would be published as (.*): 1 files/g)].map(([, id]) => id);
      expect(published).toEqual(names.map((name) => `${name}@1.2.3`));
      expect(readFileSync(path.join(folder, 'dist/tried'), 'utf8')).toBe(
        'test.test --only docs.test --only web-ext.test --only spark.soak.',
      );
    });

  it.each([
    [
      'a change that is not committed',
      'docs/changelog.md',
      '# Changes\n\n## 1.2.3\n\nMore.\n',
      'not committed',
    ],
    ['another version of the extension', 'manifest.json', '{ "version": "1.2.2" }', 'manifest.json does not'],
  ])('refuses %s', (_, file, content, reason) => {
    write(file, content);
    const { status, stderr } = release();
    git('checkout', '--quiet', '.');
    expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('refuses to publish without what provenance needs', () => {
    const { status, stderr } = release('--publish');
    expect([status, stderr]).toEqual([1, expect.stringContaining('has no "repository"')]);
    expect(stderr).toContain('there is no identity of a CI job');
  });

  it('refuses other arguments', () => {
    expect(release('--without-provenance')).toMatchObject({ status: 2 });
  });

  // It starts npm a dozen times.
  if (!isLong) return;

  describe('to a registry', () => {
    const registry = new Registry();
    const settings = mkdtempSync(path.join(tmpdir(), 'cointoss-npmrc-'));
    const publish = async (): Promise<{ code: number; said: string }> => {
      const env = { ...process.env, npm_config_userconfig: path.join(settings, 'npmrc') };
      const args = ['scripts/release.mjs', '--publish', '--without-provenance'];
      return new Promise((resolve) =>
        execFile(process.execPath, args, { cwd: folder, env }, (error, _out, said) =>
          resolve({ code: Number(error?.code ?? 0), said }),
        ),
      );
    };

    beforeAll(async () => {
      await registry.listen();
      const { place } = registry;
      writeFileSync(path.join(settings, 'npmrc'), `registry=http://${place}\n//${place}:_authToken=any\n`);
    });

    afterAll(() => {
      registry.close();
      rmSync(settings, { recursive: true });
    });

    it('publishes all packages once, also when it stopped half-way', async () => {
      rmSync(path.join(folder, 'dist/tried'), { force: true });
      registry.refused.add('@cointoss/collector');
      expect(await publish()).toMatchObject({
        code: 1,
        said: expect.stringContaining('cointoss-collector-1.2.3.tgz was not published') as string,
      });
      registry.refused.clear();
      const { code, said } = await publish();
      expect([code, said]).toEqual([
        0,
        expect.stringContaining('@cointoss/engine@1.2.3 is already published'),
      ]);
      expect(registry.published).toEqual(names.map((name) => `${name}@1.2.3`));
      expect(readFileSync(path.join(folder, 'dist/tried'), 'utf8')).not.toContain('soak');
    });

    it('refuses the same version with other content, before it publishes anything', async () => {
      writeFileSync(path.join(folder, 'dist/npm/cointoss-engine-1.2.3.tgz'), 'another');
      const { code, said } = await publish();
      expect([code, said]).toEqual([1, expect.stringContaining('with other content; nothing was published')]);
    });
  });
});
