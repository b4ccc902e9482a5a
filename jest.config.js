/** `unit` needs only Node, `e2e` drives real browsers, and `soak` is the long form of both: `npm run soak`. */
const transform = { '^.+\\.(tsx?|mjs)$': '<rootDir>/test/transform.js' };
// Tests run worker threads and commands from the compiled files.
const globalSetup = '<rootDir>/test/setup.mjs';
// In jest's contexts each access to a global is slow, and loops use these often. Some packages declare a `Promise`, `String` or `Uint8Array`.
const sandboxInjectedGlobals = [
  ...['Array', 'BigInt', 'Float64Array', 'Infinity', 'JSON'],
  ...['Map', 'Math', 'Number', 'Object', 'Set'],
];

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
      globalSetup,
      sandboxInjectedGlobals,
      moduleNameMapper,
      testEnvironment: 'node',
    },
    {
      displayName: 'e2e',
      modulePathIgnorePatterns,
      globalSetup: '<rootDir>/test/e2e/setup.mjs',
      globalTeardown: '<rootDir>/test/e2e/teardown.mjs',
      testMatch: ['<rootDir>/test/{e2e,journeys}/**/*.test.ts', '<rootDir>/scenarios/examples/*.test.js'],
      setupFilesAfterEnv: ['<rootDir>/test/e2e/helpers/patience.ts'],
      // For the examples.
      moduleNameMapper: { '^@cointoss/puppeteer$': '<rootDir>/scenarios/kit' },
      transform,
      sandboxInjectedGlobals,
      testEnvironment: 'node',
    },
    {
      displayName: 'soak',
      modulePathIgnorePatterns,
      testMatch: ['<rootDir>/test/soak/**/*.test.ts'],
      transform,
      globalSetup,
      sandboxInjectedGlobals,
      moduleNameMapper,
      testEnvironment: 'node',
    },
  ],
};
