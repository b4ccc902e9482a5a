import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

/** Using these would make the pure folders impure: they take time, randomness and storage as arguments. */
const impureGlobals = [
  'browser',
  'chrome',
  'window',
  'document',
  'self',
  'globalThis',
  'navigator',
  'location',
  'fetch',
  'indexedDB',
  'crypto',
  'performance',
  'process',
  'console',
  'setTimeout',
  'setInterval',
  'queueMicrotask',
  'Date',
];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.data/', 'coverage/'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A third of the linter's time, for enums, which there are none of, and for classes that look alike.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['{src,recording,formats,analysis,words}/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Take a RandomSource.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['webextension-polyfill', 'idb', 'node:*'],
              message: 'Browser and Node APIs stay out of the pure folders.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    extends: [jest.configs['flat/recommended']],
    rules: { 'jest/expect-expect': 'off', 'jest/no-conditional-expect': 'off' },
  },
  {
    files: ['scenarios/examples/*.test.js'],
    languageOptions: { globals: jest.environments.globals.globals },
  },
  {
    files: ['**/*.{mjs,js}'],
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        require: 'readonly',
        module: 'writable',
        __dirname: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
