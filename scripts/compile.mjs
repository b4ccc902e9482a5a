/** Compiles the Node programs to dist/node, and the dashboard that the collector serves to dist/dashboard. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { commandsBuiltAlone, compiledFrom } from './build.mjs';
import { root } from './console.mjs';
import { emptyPglite } from './empty-pglite.mjs';

const shared = {
  metafile: true,
  absWorkingDir: root,
  // Names of files are hashes of what they contain, which has paths: those are the same where all packages are a link.
  preserveSymlinks: lstatSync(path.join(root, 'node_modules')).isSymbolicLink(),
  bundle: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
};

const node = {
  outdir: 'dist/node',
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  mainFields: ['module', 'main'],
  define: { __dirname: 'import.meta.dirname' },
  // CommonJS packages in the bundle need it.
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  // These read their own files, or are too large to bundle.
  external: [
    '@electric-sql/pglite',
    '@fastify/*',
    'fastify',
    'pg',
    'piscina',
    'prom-client',
    'puppeteer-core',
    'selfsigned',
  ],
};

/** Programs. Code that commands share goes into its own files, so that each loads only what it needs. */
const programs = {
  ...node,
  entryPoints: {
    main: 'cli/main.ts',
    demo: 'scenarios/demo/start.ts',
    'experiment-schema': 'analysis/experiment/experiment.ts',
    'demo-month': 'collector/demo/write-month.ts',
  },
  splitting: true,
};

/** A command without the others. */
const alone = (command) => ({
  ...node,
  entryPoints: { [`main-${command}`]: 'cli/main.ts' },
  splitting: true,
  plugins: [
    {
      name: 'no other command',
      setup: ({ onResolve }) =>
        onResolve({ filter: /./ }, ({ path: file, importer }) =>
          importer === commandList && file.startsWith('./') && !file.startsWith(`./${command}/`)
            ? { path: file, external: true }
            : null,
        ),
    },
  ],
});

const commandList = path.join(root, 'cli/commands.ts');

/** Worker threads. Each is one file: to load a hundred shared ones would take longer than the rest of its start. */
const workers = {
  ...node,
  entryPoints: {
    'simulate-w3c-worker': 'cli/simulate/w3c-worker.ts',
    'simulate-worker': 'cli/simulate/worker.ts',
    'analysis-worker': 'collector/questions/analysis-worker.ts',
    'data-worker': 'cli/learn/data-worker.ts',
    'estimate-worker': 'cli/estimate/worker.ts',
    'experiment-worker': 'cli/experiment/worker.ts',
    'join-worker': 'cli/estimate/join-worker.ts',
    'learn-worker': 'cli/learn/worker.ts',
    'parquet-worker': 'collector/http/parquet-worker.ts',
    'pglite-worker': 'collector/store/pglite-worker.ts',
  },
};

const dashboard = {
  entryPoints: [
    { in: 'collector/dashboard/client/main.tsx', out: 'dashboard' },
    { in: 'collector/dashboard/client/dashboard.css', out: 'dashboard' },
    { in: 'collector/dashboard/icon.svg', out: 'icon' },
  ],
  outdir: 'dist/dashboard',
  loader: { '.svg': 'copy' },
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
};

const MONTH = path.join(root, 'dist/node/demo-month.json.gz');

/** The month of `collect --demo`, with the hash of the program that made it; null when there is none. */
function madeMonth() {
  if (!existsSync(MONTH)) return null;
  const bytes = readFileSync(MONTH);
  try {
    return { bytes, by: JSON.parse(gunzipSync(bytes).toString()).by };
  } catch {
    // A build that was stopped left a part of it.
    return null;
  }
}

/** Seconds pass while it is made, so an unchanged program makes none. The names of its imports are hashes of what they contain. */
async function writeMonth(last) {
  const by = createHash('sha256')
    .update(readFileSync(path.join(root, 'dist/node/demo-month.mjs')))
    .digest('hex');
  if (last?.by === by) return writeFileSync(MONTH, last.bytes);
  const { demoMonth } = await import('../dist/node/demo-month.mjs');
  writeFileSync(MONTH, gzipSync(JSON.stringify({ by, ...(await demoMonth()) })));
}

const start = new Date();
const lastMonth = madeMonth();
const inputs = new Set([
  'package-lock.json',
  'scripts/empty-pglite.mjs',
  path.relative(root, fileURLToPath(import.meta.url)),
]);
for (const { outdir } of [node, dashboard]) rmSync(path.join(root, outdir), { recursive: true, force: true });
for (const options of [programs, ...commandsBuiltAlone.map(alone), workers, dashboard]) {
  const { metafile } = await build({ ...shared, ...options });
  // A start looks at the time of each.
  for (const file of Object.keys(metafile.inputs)) if (!file.includes('node_modules/')) inputs.add(file);
}
const empty = await emptyPglite();
copyFileSync(empty, path.join(root, 'dist/node', path.basename(empty)));
await writeMonth(lastMonth);
const { experimentSchema } = await import('../dist/node/experiment-schema.mjs');
writeFileSync(path.join(root, 'dist/node/experiment.schema.json'), JSON.stringify(experimentSchema, null, 2));
// Records the sources and the time of the build.
writeFileSync(path.join(root, compiledFrom), JSON.stringify([...inputs]));
utimesSync(path.join(root, compiledFrom), start, start);
