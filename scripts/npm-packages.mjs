/** Makes the packages for npm, each a folder and a tarball in dist/npm. Needs `npm run compile` and the built extension. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { exitWith, root, run, SetupError } from './console.mjs';
import { npm } from './packages.mjs';
import { zipFolder } from './zip.mjs';

const project = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folderOf = (name) => path.join(root, 'dist/npm', path.basename(name));

/** They read their own files, or are too large to bundle. */
const outsideBundle = Object.keys(project.dependencies).filter((name) =>
  /pglite|fastify|^pg$|piscina|prom-client|puppeteer|selfsigned/.test(name),
);

/** What finds, or installs, a browser. */
const setupScripts = [
  'apt',
  'browsers',
  'build',
  'console',
  'lock',
  'packages',
  'set-up-lock',
  'setup',
  'visible',
];

/** Longer than a wait of the kit: only its error says what came instead. */
const jestPreset = { testEnvironment: '@cointoss/puppeteer/jest-environment', testTimeout: 90_000 };

const packages = [
  {
    name: '@cointoss/engine',
    description:
      'Event-level ad attribution with noise: the engine of Cointoss, and estimates from its reports',
    entry: 'analysis/index.ts',
    // For bundlers and browsers.
    formats: ['cjs', 'esm'],
    platform: 'neutral',
  },
  {
    name: '@cointoss/puppeteer',
    description:
      'Tests of ad attribution in Chrome and Firefox: the Cointoss extension, and puppeteer with it',
    entry: 'scenarios/kit/index.ts',
    // We test with 24, because 25 needs Node 22; the kit runs with it, too.
    peers: { 'puppeteer-core': `${project.dependencies['puppeteer-core']} || ^25.0.0` },
    // For those who use these runners. They share the code of the entry.
    besides: ['scenarios/kit/jest-environment.ts', 'scenarios/kit/playwright.ts'],
    optionalPeers: { '@playwright/test': '>=1.50', 'jest-environment-node': '>=29' },
    hasExtension: true,
    readme: sectionOf('docs/kit.md', 'With jest or Playwright Test'),
    copy: (folder) => {
      copy('dist/chrome', folder);
      writeFileSync(path.join(folder, 'dist/firefox.xpi'), zipFolder(path.join(root, 'dist/firefox')));
      for (const script of setupScripts) copy(`scripts/${script}.mjs`, folder);
      writeFileSync(path.join(folder, 'jest-preset.json'), JSON.stringify(jestPreset));
    },
  },
  {
    name: '@cointoss/collector',
    description: 'The collector of Cointoss: receives, checks, estimates and shows attribution reports',
    entry: 'collector/index.ts',
    // Of its worker threads, too.
    outside: outsideBundle.filter((name) => name !== 'puppeteer-core'),
    copy: (folder) => {
      copy('dist/dashboard', folder);
      copy('dist/node', folder);
    },
  },
  {
    name: 'cointoss',
    description:
      'The commands of Cointoss: replay, simulate, estimate, optimize and collect attribution reports',
    bin: 'cli/cointoss.mjs',
    hasExtension: true,
    outside: outsideBundle,
    copy: (folder) => {
      const maps = readdirSync(path.join(root, 'scenarios')).filter((file) => file.endsWith('.map.json'));
      const connected = ['collector', 'python', 'slurm', 'spark'].map((name) => `integrations/${name}`);
      const files = ['cli/cointoss.mjs', 'dist/node', 'dist/dashboard', ...connected];
      const examples = [...maps, 'experiments', 'learn'].map((file) => `scenarios/${file}`);
      for (const one of [...files, ...examples]) copy(one, folder);
      for (const browser of ['chrome', 'firefox']) copy(`dist/${browser}`, folder);
      for (const script of setupScripts) copy(`scripts/${script}.mjs`, folder);
    },
  },
];

/** A section of a page of docs, which has no relative links. */
function sectionOf(file, title) {
  const page = readFileSync(path.join(root, file), 'utf8');
  const start = page.indexOf(`\n## ${title}\n`);
  if (start === -1) throw new SetupError(`${file} has no section "${title}".`);
  const next = page.indexOf('\n## ', start + 1);
  return page.slice(start, next === -1 ? undefined : next);
}

function copy(file, folder) {
  if (!existsSync(path.join(root, file)))
    throw new SetupError(`${file} is missing: run "npm run build" first.`);
  cpSync(path.join(root, file), path.join(folder, file), { recursive: true });
}

/** The entry itself, which what stands beside it imports, is not bundled again. */
const theEntry = {
  name: 'the entry',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/index$/ }, () => ({ path: './index.js', external: true })),
};

const nameOf = (file) => path.basename(file, '.ts');

/** Bundles what stands beside an entry. */
const bundleBesides = (files, folder) =>
  build({
    absWorkingDir: root,
    entryPoints: files,
    outdir: folder,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    plugins: [theEntry],
    logLevel: 'warning',
  });

/** Bundles the entry. @returns the packages that stay outside the bundle */
async function bundle({ entry, formats = ['cjs'], platform = 'node' }, folder) {
  const outside = new Set();
  for (const format of formats) {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: path.join(folder, format === 'cjs' ? 'index.js' : 'index.mjs'),
      bundle: true,
      metafile: true,
      format,
      platform,
      target: 'es2022',
      mainFields: ['module', 'main'],
      external: outsideBundle,
      logLevel: 'warning',
    });
    for (const name of importsOf(metafile)) outside.add(name);
  }
  return [...outside];
}

const importsOf = ({ outputs }) =>
  Object.values(outputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path: name }) => name))
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));

/** Copies the declarations that an entry needs, and no others. */
function copyTypes(file, folder) {
  const target = path.join(folder, 'types', file);
  if (existsSync(target)) return;
  const text = readFileSync(path.join(root, 'dist/npm/types', file), 'utf8');
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  for (const [, imported] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
    const module = path.join(path.dirname(file), imported);
    const candidates = [`${module}.d.ts`, `${module}/index.d.ts`];
    copyTypes(
      candidates.find((one) => existsSync(path.join(root, 'dist/npm/types', one))),
      folder,
    );
  }
}

async function make(one) {
  const folder = folderOf(one.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  one.copy?.(folder);
  const bundled = one.entry === undefined ? [] : await bundle(one, folder);
  const used = one.outside ?? bundled;
  const { besides = [] } = one;
  if (besides.length > 0) await bundleBesides(besides, folder);
  for (const file of [one.entry ?? [], besides].flat()) copyTypes(typesOf(file), folder);
  copy('LICENSE', folder);
  writeFileSync(path.join(folder, 'README.md'), `# ${one.name}\n\n${one.description}.\n${one.readme ?? ''}`);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifestOf(one, used), null, 2));
}

const typesOf = (file) => file.replace(/\.ts$/, '.d.ts');

function manifestOf(
  { name, description, entry, formats = [], bin, peers = {}, hasExtension = false, ...more },
  used,
) {
  const { besides = [], optionalPeers = {} } = more;
  const { version, license, engines, repository } = project;
  const ranges = (names) => Object.fromEntries(names.map((one) => [one, project.dependencies[one]]));
  const types = entry === undefined ? null : `./types/${typesOf(entry)}`;
  const exported = {
    types,
    ...(formats.includes('esm') ? { import: './index.mjs' } : {}),
    default: './index.js',
  };
  return {
    name,
    version,
    description,
    license,
    repository,
    engines,
    // Yarn keeps packages in zip files, which browsers cannot read.
    ...(hasExtension ? { preferUnplugged: true } : {}),
    ...(bin === undefined ? {} : { bin: { [name]: bin } }),
    ...(types === null
      ? {}
      : {
          main: './index.js',
          types,
          exports: {
            '.': exported,
            ...Object.fromEntries(
              besides.map((file) => [
                `./${nameOf(file)}`,
                { types: `./types/${typesOf(file)}`, default: `./${nameOf(file)}.js` },
              ]),
            ),
            ...(besides.length > 0 ? { './jest-preset': './jest-preset.json' } : {}),
            './package.json': './package.json',
          },
        }),
    dependencies: ranges(used.filter((one) => !(one in peers))),
    peerDependencies: { ...peers, ...optionalPeers },
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(optionalPeers).map((one) => [one, { optional: true }]),
    ),
  };
}

async function main() {
  rmSync(path.join(root, 'dist/npm'), { recursive: true, force: true });
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  // The linter checks types, and the declarations are the same without.
  const code = await run(process.execPath, [tsc, '-p', 'tsconfig.npm.json', '--noCheck']);
  if (code !== 0) throw new SetupError('the declarations could not be made; the messages are above.');
  for (const one of packages) await make(one);
  const folders = packages.map(({ name }) => folderOf(name));
  const [command, ...args] = npm();
  const pack = ['pack', '--silent', '--pack-destination', path.join(root, 'dist/npm'), ...folders];
  return run(command, [...args, ...pack], { stdio: ['ignore', 2, 2] });
}

void exitWith(main);
