/**
 * `node type-check.cjs TYPESCRIPT FILE…`: what a strict compiler says of the files and of the declarations of our packages, which it takes
 * from the folder it runs in. `tsc` would also check the declarations of Node and of puppeteer, which takes three times as long.
 */
const [typescript, ...files] = process.argv.slice(2);
const ts = require(typescript);

const program = ts.createProgram(files, {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node'],
});
const isOurs = ({ fileName }) =>
  !fileName.includes('/node_modules/') || fileName.includes('/node_modules/@cointoss/');
const ours = program.getSourceFiles().filter(isOurs);
const problems = [
  ...program.getOptionsDiagnostics(),
  ...ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]),
];
if (problems.length > 0)
  throw new Error(
    ts.formatDiagnostics(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => '\n',
    }),
  );
console.log(`${ours.length} files`);
