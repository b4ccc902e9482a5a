const { createHash } = require('node:crypto');
const { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const CopyPlugin = require('copy-webpack-plugin');
const MinimizerPlugin = require('minimizer-webpack-plugin');

/** manifest.json holds both browsers' keys. Each variant removes what only the other browser knows. */
const variants = {
  chrome: ({ browser_specific_settings: _, background: { scripts: __, ...background }, ...manifest }) => ({
    ...manifest,
    background,
    permissions: manifest.permissions.filter(
      (permission) => !['dns', 'webRequestBlocking'].includes(permission),
    ),
  }),
  firefox: ({
    minimum_chrome_version: _,
    // Firefox needs no schema for policies.
    storage: ___,
    background: { service_worker: __, ...background },
    ...manifest
  }) => ({
    ...manifest,
    background,
  }),
};

const dist = (folder) => path.resolve(__dirname, 'dist', folder);

/** The common files are built once. Then each browser gets a copy with its own manifest. */
const copyForBrowsers = {
  apply: (compiler) =>
    compiler.hooks.done.tap('copyForBrowsers', (stats) => {
      if (stats.hasErrors()) return;
      const manifest = JSON.parse(readFileSync('manifest.json', 'utf8'));
      for (const [browser, variant] of Object.entries(variants)) {
        rmSync(dist(browser), { recursive: true, force: true });
        cpSync(dist('extension'), dist(browser), { recursive: true });
        // Pages read the names of scripts in the stacks of errors. The extension's address, which Firefox makes up for each device, must
        // not be there.
        for (const script of ['page.js', 'w3c-page.js'])
          appendFileSync(path.join(dist(browser), script), '\n//# sourceURL=attribution-reporting.js\n');
        writeFileSync(path.join(dist(browser), 'manifest.json'), JSON.stringify(variant(manifest), null, 2));
      }
      cpSync('extension/managed-schema.json', path.join(dist('chrome'), 'managed-schema.json'));
    }),
};

/** Puts constants before a script. */
const prepend = (script, constants) => {
  const lines = Object.entries(constants).map(
    ([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`,
  );
  writeFileSync(script, lines.join('') + readFileSync(script, 'utf8'));
};

/** The service worker gets the names of all files to keep, and a version that changes with any of them. */
const listForServiceWorker = {
  apply: (compiler) =>
    compiler.hooks.done.tap('listForServiceWorker', (stats) => {
      if (stats.hasErrors()) return;
      const worker = path.join(dist('site'), 'service-worker.js');
      const files = readdirSync(dist('site'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .filter((file) => file !== worker)
        .sort();
      const hash = createHash('sha256');
      for (const file of files) hash.update(readFileSync(file));
      const names = files.map((file) => path.relative(dist('site'), file).replaceAll(path.sep, '/'));
      prepend(worker, { files: ['./', ...names], version: hash.digest('hex').slice(0, 16) });
    }),
};

/** The first script gets the names of the files that each view takes, to ask for them before it knows that it needs them. */
const listForPreload = {
  apply: (compiler) =>
    compiler.hooks.done.tap('listForPreload', (stats) => {
      if (stats.hasErrors()) return;
      const { entrypoints, namedChunkGroups } = stats.compilation;
      const views = [...namedChunkGroups].filter(([name]) => !entrypoints.has(name));
      const filesOf = Object.fromEntries(views.map(([name, group]) => [name, group.getFiles()]));
      prepend(path.join(dist('site'), 'main.js'), { filesOf });
    }),
};

/** A file of messages by name, in the form that browsers read. */
const asBrowsersRead = (text) => {
  const messages = Object.entries(JSON.parse(text.toString()));
  return JSON.stringify(Object.fromEntries(messages.map(([name, message]) => [name, { message }])));
};

const common = (mode) => ({
  mode,
  devtool: mode === 'development' ? 'source-map' : false,
  resolve: {
    extensions: ['.ts', '.tsx', '.js'],
    // HPKE asks for Node's only where the platform has none.
    fallback: { crypto: false },
  },
  module: {
    rules: [
      {
        test: /\.tsx?$/,
        exclude: /node_modules/,
        loader: 'ts-loader',
        options: { transpileOnly: true, compilerOptions: { noEmit: false } },
      },
      {
        // No page sets markup. This removes the code that could, so that stores' checks find nothing; markup would show as text.
        test: /preact\.mjs$/,
        loader: 'string-replace-loader',
        options: {
          search: /(\w+)\.innerHTML=(\w+)\.__html/,
          replace: '$1.textContent=$2.__html',
          strict: true,
        },
      },
    ],
  },
  optimization: {
    // Much faster than webpack's own, for a tenth more bytes.
    minimizer: [new MinimizerPlugin({ minify: MinimizerPlugin.esbuildMinify })],
  },
  performance: { hints: false },
  stats: 'errors-warnings',
});

/** The style sheets of the views, which pages load as one. */
const viewSheets = ['frame', 'fields', 'records', 'workbench', 'requests', 'plots'].map(
  (name) => `extension/pages/styles/views/${name}.css`,
);

/** Style sheets in one file, in this order. */
const joined = (to, sheets) => ({
  from: `{${sheets.join(',')}}`,
  to,
  transformAll: (assets) => {
    const texts = new Map(assets.map(({ sourceFilename, data }) => [sourceFilename, data.toString()]));
    return sheets.map((name) => texts.get(name)).join('\n');
  },
});

const extension = (mode) => ({
  ...common(mode),
  entry: {
    background: './extension/background/main.ts',
    content: './extension/content/content.ts',
    rules: './extension/content/rules.ts',
    'ineligible-clicks': './extension/content/ineligible-clicks.ts',
    page: './extension/content/page.ts',
    w3c: './extension/content/w3c.ts',
    'lift-ads': './extension/content/lift-ads.ts',
    'w3c-page': './extension/content/w3c-page.ts',
    'pages/consent': './extension/pages/consent.tsx',
    'pages/popup': './extension/pages/popup.tsx',
    'pages/internals': './extension/pages/internals.tsx',
    'pages/options': './extension/pages/options.tsx',
    'pages/simulation': './extension/pages/simulate/worker.ts',
    'pages/devtools': './extension/pages/devtools.ts',
    'rule-tester': './extension/content/rule-tester.ts',
  },
  output: {
    path: dist('extension'),
    filename: '[name].js',
    chunkFilename: 'pages/[name].js',
    // Stated, because webpack would find it out with code that stores refuse.
    publicPath: '/',
    clean: true,
  },
  optimization: { ...common(mode).optimization, splitChunks: false },
  plugins: [
    new CopyPlugin({
      patterns: [
        { from: 'extension/pages/*.html', to: 'pages/[name][ext]' },
        { from: '{ui,extension/pages}/styles/*.css', to: 'pages/styles/[name][ext]' },
        joined('pages/styles/views.css', viewSheets),
        { from: 'extension/icons/*.png', to: 'icons/[name][ext]' },
        { from: 'extension/_locales/*.json', to: '_locales/[name]/messages.json', transform: asBrowsersRead },
      ],
    }),
    copyForBrowsers,
  ],
});

/** The lab as a static site: the same pages, with a stand-in for the extension's APIs. */
const site = (mode, quick) => ({
  ...common(mode),
  name: 'site',
  optimization: {
    // Webpack's own minimizer, for fewer bytes to load, unless it must be quick.
    ...(quick ? common(mode).optimization : {}),
    // Libraries that only one view uses load with it.
    splitChunks: { cacheGroups: { defaultVendors: false } },
  },
  entry: {
    main: './extension/site/main.ts',
    simulation: './extension/pages/simulate/worker.ts',
    'service-worker': './extension/site/service-worker.ts',
  },
  output: { path: dist('site'), filename: '[name].js', chunkFilename: '[name].js', clean: true },
  resolve: {
    ...common(mode).resolve,
    alias: { 'webextension-polyfill$': path.resolve(__dirname, 'extension/site/browser.ts') },
  },
  plugins: [
    new CopyPlugin({
      patterns: [
        { from: 'extension/site/{index.html,site.webmanifest}', to: '[name][ext]' },
        joined('site.css', [
          ...['tokens', 'base', 'shell', 'table'].map((name) => `ui/styles/${name}.css`),
          ...viewSheets,
          'extension/site/styles/site.css',
        ]),
        { from: 'extension/icons/*.png', to: 'icons/[name][ext]' },
        // What `cointoss compare` writes for the demo month, and for scenarios/experiments/attribution-sets.json.
        { from: 'docs/compare.html', to: 'comparison.html' },
        { from: 'docs/attribution-sets.html', to: 'sets.html' },
      ],
    }),
    listForPreload,
    listForServiceWorker,
  ],
});

/** `--env site` builds the site instead of the extension; `--env site --env quick` in less time, and for more bytes to load. */
module.exports = (env, { mode = 'production' }) => (env.site ? site(mode, env.quick) : extension(mode));
