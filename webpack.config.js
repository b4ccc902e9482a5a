const path = require('node:path');
const CopyPlugin = require('copy-webpack-plugin');

/** The one manifest.json holds both browsers' keys; each variant leaves out what the other browser alone knows. */
const variants = {
  chrome: ({ browser_specific_settings: _, background: { scripts: __, ...background }, ...manifest }) => ({
    ...manifest,
    background,
    permissions: manifest.permissions.filter((permission) => permission !== 'webRequestBlocking'),
  }),
  firefox: ({
    minimum_chrome_version: _,
    // Firefox asks for no schema of a policy.
    storage: ___,
    background: { service_worker: __, ...background },
    ...manifest
  }) => ({
    ...manifest,
    background,
    permissions: manifest.permissions.filter((permission) => !permission.startsWith('declarativeNetRequest')),
  }),
};

const configuration = (browser, mode) => ({
  name: browser,
  mode,
  devtool: mode === 'development' ? 'source-map' : false,
  entry: {
    background: './extension/background/main.ts',
    content: './extension/content/content.ts',
    rules: './extension/content/rules.ts',
    page: './extension/content/page.ts',
    'pages/consent': './extension/pages/consent.tsx',
    'pages/popup': './extension/pages/popup.tsx',
    'pages/internals': './extension/pages/internals.tsx',
    'pages/options': './extension/pages/options.tsx',
    'pages/devtools': './extension/pages/devtools.ts',
    'rule-tester': './extension/content/rule-tester.ts',
  },
  output: { path: path.resolve(__dirname, 'dist', browser), filename: '[name].js', clean: true },
  resolve: { extensions: ['.ts', '.tsx', '.js'] },
  module: {
    rules: [
      {
        test: /\.tsx?$/,
        exclude: /node_modules/,
        loader: 'ts-loader',
        options: { transpileOnly: true, compilerOptions: { noEmit: false } },
      },
      {
        // No page sets markup; so that none can, and stores' checks find nothing that might, it would show as text.
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
  optimization: { splitChunks: false },
  performance: { hints: false },
  stats: 'errors-warnings',
  plugins: [
    new CopyPlugin({
      patterns: [
        {
          from: 'manifest.json',
          transform: (content) => JSON.stringify(variants[browser](JSON.parse(content)), null, 2),
        },
        { from: 'extension/pages/*.html', to: 'pages/[name][ext]' },
        { from: '{ui,extension/pages}/styles/*.css', to: 'pages/styles/[name][ext]' },
        { from: 'extension/icons/*.png', to: 'icons/[name][ext]' },
        { context: 'extension', from: '_locales/*/messages.json' },
        ...(browser === 'chrome' ? [{ from: 'extension/managed-schema.json' }] : []),
      ],
    }),
  ],
});

module.exports = (_env, { mode = 'production' }) =>
  Object.keys(variants).map((browser) => configuration(browser, mode));
