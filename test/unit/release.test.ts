import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../node/root';

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
    write('package.json', JSON.stringify({ version: '1.2.3', scripts: { test: 'node -e 0' } }));
    for (const file of ['package-lock.json', 'manifest.json']) write(file, '{ "version": "1.2.3" }');
    write('integrations/python/pyproject.toml', '[project]\nversion = "1.2.3"\n');
    write('docs/changelog.md', '# Changes\n\n## 1.2.3\n');
    write('.gitignore', 'dist/\n');
    for (const name of names) {
      const one = `dist/npm/${path.basename(name)}`;
      write(`${one}/package.json`, JSON.stringify({ name, version: '1.2.3' }));
      execFileSync('npm', ['pack', '--json', `./${path.basename(name)}`], {
        cwd: path.join(folder, 'dist/npm'),
      });
    }
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'A version');
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('says what it would publish, and publishes nothing', () => {
    const { status, stderr } = release();
    expect([status, stderr]).toEqual([0, expect.stringContaining('nothing was published')]);
    const published = [...stderr.matchAll(/would be published as (.*): 1 files/g)].map(([, id]) => id);
    expect(published).toEqual(names.map((name) => `${name}@1.2.3`));
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

  it('refuses to publish without a repository to refer to', () => {
    const { status, stderr } = release('--publish');
    expect([status, stderr]).toEqual([1, expect.stringContaining('has no "repository"')]);
  });
});
