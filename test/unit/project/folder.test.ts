import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../../node/files';

describe('a folder is made', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-folder-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(['new', 'deep/below/another', 'deep/', '.'])('%s, again and again', (name) => {
    const wanted = `${folder}/${name}`;
    makeFolder(wanted, 'umask');
    makeFolder(wanted, 'umask');
    expect(existsSync(wanted)).toBe(true);
  });

  test('by a path from the working folder', () => {
    const wanted = path.relative(process.cwd(), path.join(folder, 'relative/below'));
    makeFolder(wanted, 'umask');
    expect(existsSync(path.join(folder, 'relative/below'))).toBe(true);
  });

  const inProc = existsSync('/proc/self') ? ['/proc/none', '/proc/none/below'] : [];

  test.each(['file', 'file/below', 'file/far/below', ...inProc])(
    'but not %s, which is or is below a file, or which the system refuses',
    (name) => {
      writeFileSync(path.join(folder, 'file'), '');
      expect(() => makeFolder(path.resolve(folder, name), 'umask')).toThrow(/EEXIST|ENOTDIR|ENOENT/);
    },
  );
});
