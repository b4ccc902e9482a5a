const { transformSync } = require('esbuild');

/** Strips the types of one file at a time, which takes milliseconds; `npm run lint` is what checks them. */
module.exports = {
  process: (source, filename) =>
    transformSync(source, {
      sourcefile: filename,
      loader: filename.endsWith('x') ? 'tsx' : 'ts',
      format: 'cjs',
      target: 'node20',
      // `import()` becomes `require()`, which goes through jest.
      supported: { 'dynamic-import': false },
      jsx: 'automatic',
      jsxImportSource: 'preact',
      sourcemap: 'inline',
      tsconfigRaw: { compilerOptions: { useDefineForClassFields: true } },
    }),
};
