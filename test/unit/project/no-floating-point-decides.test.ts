import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * What a function must not contain that takes random numbers: anything that makes or computes with a double. (Lint forbids
 * `Math.random` in all of src/.) A random index may become a number to index an array with, and random digits to write them out.
 */
function floatingPoint(node: ts.Node): string[] {
  const found: string[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isPropertyAccessExpression(child) && child.expression.getText() === 'Math')
      found.push(child.getText());
    if (ts.isCallExpression(child)) {
      const name = child.expression.getText();
      if (name === 'Number' && !/^Number\(uniformBelow\(/.test(child.getText())) found.push(child.getText());
      if (name === 'parseFloat' || name.endsWith('.toNumber')) found.push(child.getText());
    }
    if (ts.isNumericLiteral(child) && !/^\d[\d_]*$/.test(child.getText())) found.push(child.getText());
    ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
}

/** The functions that draw: a parameter is a RandomSource, by its type or its name, or what it works with has one that it uses. */
function drawingFunctions(source: ts.SourceFile): ts.FunctionLikeDeclaration[] {
  const functions: ts.FunctionLikeDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isMethodDeclaration(node)) &&
      node.parameters.some(
        ({ name, type }) =>
          type?.getText() === 'RandomSource' ||
          name.getText() === 'random' ||
          (type?.getText() === 'Work' && /\brandom\b/.test(node.getText())),
      )
    )
      functions.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return functions;
}

const parse = (name: string, text: string): ts.SourceFile =>
  ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);

const files = ['src/privacy', 'src/attribution', 'analysis/matching', 'analysis/noise'].flatMap((folder) => {
  const directory = path.join(__dirname, '../../..', folder);
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      name: `${folder}/${name.replaceAll(path.sep, '/')}`,
      text: readFileSync(path.join(directory, name), 'utf8'),
    }));
});

const drawing = files
  .map(({ name, text }) => ({ name, functions: drawingFunctions(parse(name, text)) }))
  .filter(({ functions }) => functions.length > 0);

test('the files that draw are found', () => {
  expect(drawing.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'src/privacy/bernoulli.ts',
      'src/privacy/finite-distribution.ts',
      'src/privacy/randomized-response.ts',
      'src/privacy/uniform.ts',
      'src/attribution/label-noise.ts',
      'src/attribution/credit.ts',
      'src/attribution/private-choice.ts',
      'src/attribution/process-source.ts',
      'analysis/matching/greedy.ts',
      'analysis/matching/noisy-weights.ts',
      'analysis/noise/discrete-gaussian.ts',
      'analysis/noise/discrete-laplace.ts',
    ]),
  );
});

test.each(drawing)('no floating-point number decides an outcome in $name', ({ functions }) => {
  expect(functions.flatMap(floatingPoint)).toEqual([]);
});

// A matching decides in functions that draw nothing themselves.
const matching = files.filter(({ name }) => /^analysis\/(matching|noise)\//.test(name));

test('the files that match are found', () => {
  expect(matching.map(({ name }) => name)).toContain('analysis/matching/maximum-weight.ts');
});

test.each(matching)('no floating-point number is in $name', ({ name, text }) => {
  expect(floatingPoint(parse(name, text))).toEqual([]);
});

test.each(files)('$name has no Math.random', ({ text }) => {
  expect(text).not.toContain('Math.random');
});

test.each([
  ['(random: RandomSource) => Number(random.uint64()) / 2 ** 64 < p', ['Number(random.uint64())']],
  ['(random) => bernoulli(random, Math.exp(-1))', ['Math.exp']],
  ['function f(x: number, source: RandomSource) { return x < 0.5; }', ['0.5']],
  ['(random: RandomSource) => list[Number(uniformBelow(random, 3n))]', []],
  ['(epsilon: number) => Math.exp(epsilon)', []],
])('the check of %s finds %p', (code, expected) => {
  expect(drawingFunctions(parse('example.ts', code)).flatMap(floatingPoint)).toEqual(expected);
});

/** Of doubles, what IEEE 754 or ECMAScript define to the last bit. Browsers must find the same outputs of a mechanism. */
const EXACT = new Set(['abs', 'ceil', 'floor', 'max', 'min', 'round', 'sqrt', 'trunc']);

/** Operations whose last bits may differ between engines. A power of two numbers in the text is exact. */
function inexact(node: ts.Node): string[] {
  const found: string[] = [];
  const visit = (child: ts.Node): void => {
    if (
      ts.isPropertyAccessExpression(child) &&
      child.expression.getText() === 'Math' &&
      !EXACT.has(child.name.text)
    )
      found.push(child.getText());
    if (
      ts.isBinaryExpression(child) &&
      child.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken &&
      !/^2 \*\* -?\d+$/.test(child.getText())
    )
      found.push(child.getText());
    ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
}

const numeric = path.join(__dirname, '../../../numeric');

test.each(readdirSync(numeric))('every engine computes the same in numeric/%s', (name) => {
  expect(inexact(parse(name, readFileSync(path.join(numeric, name), 'utf8')))).toEqual([]);
});

test.each([
  ['Math.cbrt(x)', ['Math.cbrt']],
  ['x ** 3', ['x ** 3']],
  ['2 ** -50 * Math.sqrt(x * x)', []],
])('the check of engines finds in %s %p', (code, expected) => {
  expect(inexact(parse('example.ts', code))).toEqual(expected);
});
