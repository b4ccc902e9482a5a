import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
const program = path.join(root, 'scripts/arrows.mjs');

test('a file in the wrong place, an unknown folder, a circle, what the engine does not reach, and an arrow without an import are refused', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'cointoss-arrows-'));
  const add = (file: string, imported: string): void => {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), `export * from '${imported}';\n`);
  };
  try {
    for (const part of ['docs/design.md', 'tsconfig.json', 'package.json', 'src', 'formats', 'numeric'])
      cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    add('src/privacy/wrong.ts', '../engine');
    add('src/new/wrong.ts', '../model/units');
    add('src/model/wrong.ts', '../new/wrong');
    add('ui/wrong.ts', '../src/model/units');
    add('new/wrong.ts', '../src/model/units');
    add('src/states/wrong.ts', '../../new/wrong');
    add('src/limits/unused.ts', '../model/units');
    add('src/states/one.ts', './other');
    add('src/states/other.ts', './one');
    add('cli/io/one.ts', '../../src/model/units');
    add('cli/io/wrong.ts', '../sample/one');
    add('cli/sample/one.ts', '../io/one');
    add('cli/sample/two.ts', './one');
    add('cli/states/wrong.ts', '../sample/one');
    add('cli/merge/wrong.ts', '../sample/one');
    const { status, stdout } = spawnSync(process.execPath, [program], { cwd: copy, encoding: 'utf8' });
    const errors = stdout.match(/(?<=error ).*/g) ?? [];
    const isUnused = (error: string): boolean => error.startsWith('unused-arrow: ');
    expect(errors.filter((error) => !isUnused(error)).sort()).toEqual([
      'no-circle: src/states/one.ts → src/states/other.ts',
      'no-circle: src/states/other.ts → src/states/one.ts',
      'not-in-allowed: cli/io/wrong.ts → cli/sample/one.ts',
      'not-in-allowed: cli/merge/wrong.ts → cli/sample/one.ts',
      'not-in-allowed: cli/states/wrong.ts → cli/sample/one.ts',
      'not-in-allowed: new/wrong.ts → src/model/units.ts',
      'not-in-allowed: src/model/wrong.ts → src/new/wrong.ts',
      'not-in-allowed: src/new/wrong.ts → src/model/units.ts',
      'not-in-allowed: src/privacy/wrong.ts → src/engine.ts',
      'not-in-allowed: src/states/wrong.ts → new/wrong.ts',
      'not-in-allowed: ui/wrong.ts → src/model/units.ts',
      'not-of-the-engine: src/limits/unused.ts',
      'not-of-the-engine: src/model/wrong.ts',
      'not-of-the-engine: src/new/wrong.ts',
      'not-of-the-engine: src/privacy/wrong.ts',
      'not-of-the-engine: src/states/one.ts',
      'not-of-the-engine: src/states/other.ts',
      'not-of-the-engine: src/states/wrong.ts',
    ]);
    // Of the rooms that are not in the copy.
    const unused = errors.filter(isUnused);
    expect(unused).toContain('unused-arrow: no import leads from ^bench/ to ^node/');
    expect(unused.filter((error) => error.includes('from ^src/'))).toEqual([]);
    expect(status).toBe(1);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('without a table nothing is compared', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'cointoss-arrows-'));
  try {
    mkdirSync(path.join(copy, 'docs'));
    writeFileSync(path.join(copy, 'docs/design.md'), '|  `src/` | the engine | nothing |\n');
    const { status, stderr } = spawnSync(process.execPath, [program], { cwd: copy, encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('must have the table of rooms');
  } finally {
    rmSync(copy, { recursive: true });
  }
});
