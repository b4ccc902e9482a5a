const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { transformSync, version } = require('esbuild');

const own = readFileSync(require.resolve('./transform.js'));

/** Strips the types of one file at a time, which takes milliseconds; `npm run lint` is what checks them. */
module.exports = {
  getCacheKey: (source, filename) =>
    [own, version, filename, source]
      .reduce((hash, part) => hash.update(part), createHash('md5'))
      .digest('hex'),
  process: (source, filename) => {
    const { code } = transformSync(source, {
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
    });
    return { code: withPlainExports(code) };
  },
};

const GETTERS =
  /^var (\w+) = \{\};\n__export\(\1, \{\n([^]*?)\n\}\);\nmodule\.exports = __toCommonJS\(\1\);$/m;

/**
 * esbuild exports each name as a getter of a getter, which makes calls from file to file so slow that the tests take nearly twice as long.
 * Here it is a property: of a function from the beginning, so that files may import each other, of other values at the end. No line moves.
 */
function withPlainExports(code) {
  const found = GETTERS.exec(code);
  // `export *` adds the names of another file to the getters. An exported variable may change.
  if (found === null || /^__reExport\(/m.test(code)) return code;
  const names = found[2].split(',\n').map((line) => /^ {2}(\w+): \(\) => ([\w$.]+)$/.exec(line).slice(1));
  const isFunction = ([, value]) => new RegExp(`^(async )?function\\*? ?${value}\\(`, 'm').test(code);
  const isVariable = ([, value]) => new RegExp(`^let ${value}\\b`, 'm').test(code);
  if (names.some(isVariable)) return code;
  const assigned = (some) => some.map(([name, value]) => `exports.${name} = ${value};`).join(' ');
  const first = `Object.defineProperty(exports, "__esModule", { value: true }); ${assigned(names.filter(isFunction))}`;
  const lines = found[0].split('\n').length;
  const last = `${assigned(names.filter((one) => !isFunction(one)))}\n`;
  return code
    .replace(found[0], () => first + '\n'.repeat(lines - 1))
    .replace(/^\/\/# sourceMappingURL=/m, (comment) => last + comment);
}
