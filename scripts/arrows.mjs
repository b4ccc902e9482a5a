/**
 * `npm run arrows`: compares the imports below the working folder with the table of rooms in docs/design.md. An import that is not in it, a
 * circle, a file of `src/` that the engine does not reach, and an arrow that no import needs are errors.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { format } from 'dependency-cruiser';
import { exitWith, root, SetupError } from './console.mjs';

const folders =
  'src recording formats words analysis ui extension collector scenarios cli node scripts bench test'.split(
    ' ',
  );

async function main() {
  const cruised = cruise(folders.filter((folder) => existsSync(folder)));
  const { output, exitCode } = await format(cruised, { outputType: 'err' });
  const unused = unusedArrows(cruised);
  process.stdout.write(output);
  for (const { from, to } of unused)
    process.stdout.write(`  error unused-arrow: no import leads from ${from.path} to ${to.path}\n`);
  return exitCode === 0 && unused.length === 0 ? 0 : 1;
}

function cruise(existing) {
  const program = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [program, ...existing, '--output-type', 'json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (stdout === '') throw new SetupError(`dependency-cruiser failed: ${stderr}`);
  return JSON.parse(stdout);
}

function unusedArrows({ modules, summary }) {
  const imports = modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }) => ({ source, resolved })),
  );
  return summary.ruleSetUsed.allowed.filter(({ from, to }) => {
    if (from.path === undefined || to.path === undefined || isWithin(from.path, to.path)) return false;
    const [here, there] = [new RegExp(from.path), new RegExp(to.path)];
    return !imports.some(({ source, resolved }) => here.test(source) && there.test(resolved));
  });
}

/** Whether an arrow leads from a room to itself: `$1` is the folder that the first pattern found. */
const isWithin = (from, to) => from === to || to.includes('$1');

void exitWith(main);
