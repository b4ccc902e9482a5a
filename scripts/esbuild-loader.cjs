const { transformSync } = require('esbuild');

/** For webpack: strips the types of one file. */
module.exports = function (source) {
  const { code } = transformSync(source, {
    sourcefile: this.resourcePath,
    loader: this.resourcePath.endsWith('x') ? 'tsx' : 'ts',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: this.sourceMap ? 'inline' : false,
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: true } },
  });
  return code;
};
