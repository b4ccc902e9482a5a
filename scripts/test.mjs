import { availableParallelism } from 'node:os';
import path from 'node:path';
import { elapsed, exitWith, root, run } from './console.mjs';
import { ensurePackages, runScript } from './packages.mjs';
import { browsers, jest, jestWithSecondTry, oracles, postgresql, programs } from './jest.mjs';
import { withFilesInMemory } from './memory-folder.mjs';
import { spark } from './spark.mjs';

/** Each resolves to an exit code and, where it counts tests, how many. */
const stages = [
  {
    name: 'lint',
    title: 'Lint, types and format',
    run: () => scripts('lint', 'check-format'),
  },
  { name: 'docs', title: 'Documentation of the engine', run: () => scripts('docs') },
  { name: 'build', title: 'Build', run: build },
  { name: 'web-ext', title: 'Lint of the Firefox extension', run: webExtLint },
  {
    name: 'unit',
    title: 'Unit and conformance tests',
    run: () => withFilesInMemory((options) => jest(['unit'], '--maxWorkers=100%', ...options)),
    needs: [oracles, postgresql, programs],
  },
  {
    name: 'e2e',
    title: 'End to end, in Chrome and Firefox',
    run: () => withFilesInMemory((options) => jestWithSecondTry(['e2e'], 2, ...options)),
    needs: [browsers, programs],
  },
  {
    name: 'tests',
    title: 'Unit, conformance and end to end',
    // More than there are processors, because a test in a browser mostly waits for it.
    run: () =>
      withFilesInMemory((options) =>
        jestWithSecondTry(['unit', 'e2e'], availableParallelism() + 3, ...options),
      ),
    needs: [browsers, oracles, postgresql, programs],
  },
  {
    name: 'spark',
    title: 'On a Spark cluster, against one process',
    // The million events, in 200 partitions, are in `npm run soak -- spark`.
    run: () => spark(15, 16, 'classic'),
  },
];

/**
 * What `npm test` runs one after the other, and the lint beside both, because a build leaves a processor idle at times. `npm run release` adds
 * the other stages.
 */
const steps = ['build', 'tests'];
const beside = ['lint'];

/** All at once. */
async function scripts(...names) {
  const codes = await Promise.all(names.map((name) => runScript(name)));
  return { code: codes.find((code) => code !== 0) ?? 0 };
}

/**
 * Without `npm run build`'s check of types, which is part of the lint here. The site is made with the quick minimizer; `npm run soak` and
 * `npm run site` take the other, which takes twice as long.
 */
async function build() {
  const webpack = path.join(root, 'node_modules/webpack/bin/webpack.js');
  const site = [webpack, '--env', 'site', '--env', 'quick', '--mode', 'production'];
  const codes = await Promise.all([runScript('bundle'), run(process.execPath, site)]);
  return { code: codes.find((code) => code !== 0) ?? 0 };
}

async function webExtLint() {
  const webExt = path.join(root, 'node_modules/web-ext/bin/web-ext.js');
  const args = [
    webExt,
    'lint',
    '--source-dir',
    'dist/firefox',
    '--no-config-discovery',
    '--warnings-as-errors',
  ];
  return { code: await run(process.execPath, args) };
}

/** Runs steps up to the first that fails, and other stages beside them. Resolves to what became of each stage that ran. */
async function runStages(chosen, others) {
  const packages = ensurePackages();
  const needed = ensureAll(new Set(chosen.flatMap(({ needs = [] }) => needs)), packages);
  // A stage that waits for it says what went wrong.
  needed.catch(() => undefined);
  await packages;
  const runs = others.map((stage) => runStage(stage, needed));
  const outcomes = [];
  for (const stage of chosen) {
    outcomes.push(await runStage(stage, needed));
    if (outcomes.at(-1).code !== 0) break;
  }
  return [...(await Promise.all(runs)), ...outcomes];
}

/**
 * Installs what stages need while the packages come and the build runs, which need none of it. Debian's packages come one after the other,
 * because apt-get runs once at a time; a browser may be downloaded by one of npm's packages.
 */
async function ensureAll(needs, packages) {
  const chosen = (...ensures) => ensures.filter((ensure) => needs.has(ensure));
  const python = Promise.all(chosen(oracles).map((ensure) => ensure()));
  // It is waited for last.
  python.catch(() => undefined);
  for (const ensure of chosen(postgresql, programs)) await ensure();
  await packages;
  for (const ensure of chosen(browsers)) await ensure();
  await python;
}

async function runStage({ name, title, run, needs }, needed) {
  if (needs !== undefined) await needed;
  console.log(`\n=== ${title} (${name}) ===`);
  const start = Date.now();
  const { code, counts } = await run();
  console.log(`=== ${name}: ${code === 0 ? 'passed' : `failed, exit code ${code}`} (${elapsed(start)}) ===`);
  return { name, code, counts };
}

function summary(outcomes) {
  const total = { passed: 0, failed: 0, skipped: 0, flaky: 0 };
  for (const { code, counts } of outcomes) {
    // A failed stage counts as at least one failure, so that a failed run never ends in "0 failed".
    total.failed += code === 0 ? 0 : Math.max(1, counts?.failed ?? 0);
    total.passed += counts?.passed ?? 0;
    total.skipped += counts?.skipped ?? 0;
    total.flaky += counts?.flaky ?? 0;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  const flaky = total.flaky > 0 ? `, ${total.flaky} passed only when tried again` : '';
  return `${total.passed} passed, ${total.failed} failed${skipped}${flaky}`;
}

/** The one stage that `--only NAME` asks for, or all; null if the arguments are not understood. */
function choose(args) {
  const named = (names) => names.map((name) => stages.find((stage) => stage.name === name));
  if (args.length === 0) return { chosen: named(steps), others: named(beside) };
  const [stage] = named([args[1]]);
  return args.length === 2 && args[0] === '--only' && stage !== undefined
    ? { chosen: [stage], others: [] }
    : null;
}

async function main() {
  const asked = choose(process.argv.slice(2));
  if (asked === null) {
    process.stderr.write(`usage: npm test -- [--only ${stages.map(({ name }) => name).join('|')}]\n`);
    return 2;
  }
  const start = Date.now();
  const outcomes = await runStages(asked.chosen, asked.others);
  const skipped = asked.chosen.filter(({ name }) => !outcomes.some((outcome) => outcome.name === name));
  console.log(
    `\nTook ${elapsed(start)}.${skipped.length > 0 ? ` Not run: ${skipped.map(({ name }) => name).join(', ')}.` : ''}`,
  );
  console.log(summary(outcomes));
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0;
}

void exitWith(main);
