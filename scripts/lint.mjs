/** Checks types, then lint. Both use one program of the compiler, because reading and checking all files twice takes long. */
import { ESLint } from 'eslint';
import ts from 'typescript';
import { exitWith, root } from './console.mjs';

const host = {
  ...ts.sys,
  getCanonicalFileName: (name) => name,
  getNewLine: () => ts.sys.newLine,
  onUnRecoverableConfigFileDiagnostic: (problem) => {
    throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  },
};

function createProgram() {
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(`${root}/tsconfig.json`, {}, host);
  return ts.createProgram(fileNames, options, ts.createCompilerHost(options, true));
}

/** Prints what is wrong. Resolves to whether anything is. */
async function lint(program) {
  const files = ['**/*.{ts,tsx}'];
  const overrideConfig = { files, languageOptions: { parserOptions: { programs: [program] } } };
  const eslint = new ESLint({ cwd: root, overrideConfig });
  const results = await eslint.lintFiles(['.']);
  const formatter = await eslint.loadFormatter();
  process.stdout.write(await formatter.format(results));
  return results.some(({ errorCount, warningCount }) => errorCount + warningCount > 0);
}

async function main() {
  const program = createProgram();
  const problems = ts.getPreEmitDiagnostics(program);
  process.stdout.write(ts.formatDiagnosticsWithColorAndContext(problems, host));
  const hasLint = await lint(program);
  return problems.length > 0 || hasLint ? 1 : 0;
}

void exitWith(main);
