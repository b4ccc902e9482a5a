/** One configuration, two projects: `unit` needs nothing but Node, `e2e` drives real browsers. */
const transform = { '^.+\\.tsx?$': '<rootDir>/test/transform.js' };
// Worker threads, and commands in processes of their own, are the compiled ones.
const globalSetup = '<rootDir>/test/setup.mjs';
// In jest's contexts each look at a global is slow, and noise is drawn in long loops.
const sandboxInjectedGlobals = ['Array', 'BigInt', 'Map', 'Math', 'Number', 'Object', 'Set'];

module.exports = {
  testSequencer: '<rootDir>/test/sequencer.js',
  projects: [
    {
      displayName: 'unit',
      testMatch: ['<rootDir>/test/{unit,conformance}/**/*.test.ts'],
      transform,
      globalSetup,
      sandboxInjectedGlobals,
      // Outside of a browser the real one throws at once.
      moduleNameMapper: { '^webextension-polyfill$': '<rootDir>/test/unit/helpers/webextension.ts' },
      testEnvironment: 'node',
    },
    {
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts', '<rootDir>/scenarios/examples/*.test.js'],
      setupFilesAfterEnv: ['<rootDir>/test/e2e/helpers/retry.ts'],
      transform,
      globalSetup,
      sandboxInjectedGlobals,
      testEnvironment: 'node',
    },
  ],
};
