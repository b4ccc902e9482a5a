/** `unit` needs only Node, `e2e` drives real browsers, and `soak` is the long form of both: `npm run soak`. */
// Modules, which Jest cannot load as they are.
const modules =
  '(@hpcc-js/wasm-zstd|@cloudflare/blindrsa-ts|hyparquet|hyparquet-writer|preact|preact-render-to-string)/';
const transform = { [`^.+\\.(tsx?|mjs)$|/node_modules/${modules}`]: '<rootDir>/test/transform.js' };
const transformIgnorePatterns = [`/node_modules/(?!${modules})`];
// Tests run worker threads and commands from the compiled files.
const globalSetup = '<rootDir>/test/setup.mjs';
const testEnvironment = '<rootDir>/test/environment.js';

// The real package throws at once outside a browser.
const moduleNameMapper = { '^webextension-polyfill$': '<rootDir>/test/unit/helpers/webextension.ts' };
// Their packages have the names of the project's.
const modulePathIgnorePatterns = ['<rootDir>/dist/npm/', '<rootDir>/.data/'];

module.exports = {
  testSequencer: '<rootDir>/test/sequencer.js',
  // It ends what hangs. A loaded machine must not decide.
  testTimeout: 600_000,
  projects: [
    {
      displayName: 'unit',
      modulePathIgnorePatterns,
      testMatch: ['<rootDir>/test/{unit,conformance}/**/*.test.ts'],
      transform,
      transformIgnorePatterns,
      globalSetup: '<rootDir>/test/unit/setup.mjs',
      globalTeardown: '<rootDir>/test/unit/teardown.mjs',
      moduleNameMapper,
      testEnvironment,
    },
    {
      displayName: 'e2e',
      modulePathIgnorePatterns,
      globalSetup: '<rootDir>/test/e2e/setup.mjs',
      globalTeardown: '<rootDir>/test/e2e/teardown.mjs',
      testMatch: ['<rootDir>/test/{e2e,journeys}/**/*.test.ts', '<rootDir>/scenarios/examples/*.test.js'],
      setupFilesAfterEnv: [
        '<rootDir>/test/e2e/helpers/patience.ts',
        '<rootDir>/test/e2e/helpers/watched-requests.ts',
      ],
      // For the examples.
      moduleNameMapper: { '^@cointoss/puppeteer$': '<rootDir>/scenarios/kit' },
      transform,
      transformIgnorePatterns,
      testEnvironment,
    },
    {
      displayName: 'soak',
      modulePathIgnorePatterns,
      testMatch: ['<rootDir>/test/soak/**/*.test.ts'],
      transform,
      transformIgnorePatterns,
      globalSetup,
      moduleNameMapper,
      testEnvironment,
    },
  ],
};
