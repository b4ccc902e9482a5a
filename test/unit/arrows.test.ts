import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');
const program = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const folders =
  'src recording formats words analysis ui extension collector scenarios cli node scripts bench test'.split(
    ' ',
  );

function cruise(cwd: string, args: readonly string[]): { status: number | null; stdout: string } {
  return spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

interface Cruised {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly error: number;
    readonly ruleSetUsed: {
      readonly allowed: readonly { readonly from: { path?: string }; readonly to: { path?: string } }[];
    };
  };
}

test('the imports are the arrows of docs/design.md, all of them and no others', () => {
  const { modules, summary } = JSON.parse(cruise(root, [...folders, '-T', 'json']).stdout) as Cruised;
  expect(summary.error).toBe(0);
  const imports = modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }) => ({ source, resolved })),
  );
  const arrows = summary.ruleSetUsed.allowed.flatMap(({ from, to }) =>
    from.path === undefined || to.path === undefined || from.path === to.path
      ? []
      : [{ from: new RegExp(from.path), to: new RegExp(to.path) }],
  );
  expect(arrows.length).toBeGreaterThan(100);
  const unused = arrows.filter(
    ({ from, to }) => !imports.some(({ source, resolved }) => from.test(source) && to.test(resolved)),
  );
  expect(unused).toEqual([]);
});

test('a file in the wrong place, an unknown folder, a circle, and what the engine does not reach are refused', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'cointoss-arrows-'));
  const add = (file: string, imported: string): void => {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), `export * from '${imported}';\n`);
  };
  try {
    for (const part of ['.dependency-cruiser.mjs', 'docs/design.md', 'tsconfig.json', 'package.json', 'src'])
      cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    add('src/privacy/wrong.ts', '../engine');
    add('src/new/wrong.ts', '../model/units');
    add('src/model/wrong.ts', '../new/wrong');
    add('ui/wrong.ts', '../src/model/units');
    add('src/limits/unused.ts', '../model/units');
    add('src/states/one.ts', './other');
    add('src/states/other.ts', './one');
    const { status, stdout } = cruise(copy, ['src', 'ui']);
    expect(stdout.match(/(?<=error ).*/g)?.sort()).toEqual([
      'no-circle: src/states/one.ts → ',
      'not-in-allowed: src/model/wrong.ts → src/new/wrong.ts',
      'not-in-allowed: src/new/wrong.ts → src/model/units.ts',
      'not-in-allowed: src/privacy/wrong.ts → src/engine.ts',
      'not-in-allowed: ui/wrong.ts → src/model/units.ts',
      'not-of-the-engine: src/limits/unused.ts',
      'not-of-the-engine: src/model/wrong.ts',
      'not-of-the-engine: src/new/wrong.ts',
      'not-of-the-engine: src/privacy/wrong.ts',
      'not-of-the-engine: src/states/one.ts',
      'not-of-the-engine: src/states/other.ts',
    ]);
    expect(status).toBe(11);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
