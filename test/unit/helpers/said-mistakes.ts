import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { extensionFiles, nodesOf } from './extension-words';

const root = path.resolve(__dirname, '../../..');

/** What stands in a sentence for each value that is only known when it is said. */
export const SAMPLE = 'QQ';

/** What the code can say is wrong. */
interface Said {
  /** File, line and code. */
  readonly where: string;
  readonly sentence: string;
}

export interface Found {
  readonly said: readonly Said[];
  /** Texts whose words are written elsewhere: for `elsewhere` of `saidMistakes`. */
  readonly unresolved: readonly string[];
  /** Keys of `elsewhere` that nothing asked for. */
  readonly unused: readonly string[];
}

/** Every file of `src/` that the extension runs, by its path. */
function bundledSources(): ReadonlyMap<string, ts.SourceFile> {
  const found = new Map<string, ts.SourceFile>();
  const visit = (name: string, tree: ts.SourceFile): void => {
    for (const statement of tree.statements) {
      if (
        !ts.isImportDeclaration(statement) ||
        statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      )
        continue;
      const imported = `${path.join(path.dirname(name), (statement.moduleSpecifier as ts.StringLiteral).text)}.ts`;
      if (
        !/^(src|analysis)\//.test(imported) ||
        found.has(imported) ||
        !existsSync(path.join(root, imported))
      )
        continue;
      const text = readFileSync(path.join(root, imported), 'utf8');
      const file = ts.createSourceFile(imported, text, ts.ScriptTarget.Latest, true);
      found.set(imported, file);
      visit(imported, file);
    }
  };
  for (const { name, tree } of extensionFiles()) visit(`extension/${name}`, tree);
  return found;
}

const isSource = (tree: ts.SourceFile): boolean => /^(src|analysis)\//.test(tree.fileName);

/** A call's name: of `place.error(…)` as of `error(…)`. */
function calledName({ expression }: ts.CallExpression | ts.NewExpression): string {
  const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(called) ? called.text : '';
}

/** What a node is in, from the inside out. */
const scopesAround = ({ parent }: ts.Node): readonly ts.Node[] =>
  ts.isSourceFile(parent) ? [parent] : [parent, ...scopesAround(parent)];

/** What the statements of a block or file declare. */
const constantsOf = (scope: ts.Node): readonly ts.VariableDeclaration[] =>
  ts.isBlock(scope) || ts.isSourceFile(scope)
    ? scope.statements.flatMap((statement) =>
        ts.isVariableStatement(statement) ? statement.declarationList.declarations : [],
      )
    : [];

const product = (texts: readonly string[], next: readonly string[]): readonly string[] =>
  texts.flatMap((text) => next.map((end) => text + end));

/**
 * Every mistake of which the code of the extension, and of `src/` as far as the extension runs it, can tell.
 * @param elsewhere what expressions stand for whose words are written elsewhere, by file and code
 */
export const saidMistakes = (elsewhere: ReadonlyMap<string, readonly string[]>): Found =>
  saidTexts('mistakes', elsewhere);

/** The same of what the checks of the engine say that they counted. */
export const saidDetails = (elsewhere: ReadonlyMap<string, readonly string[]>): Found =>
  saidTexts('details', elsewhere);

function saidTexts(of: 'mistakes' | 'details', elsewhere: ReadonlyMap<string, readonly string[]>): Found {
  const sources = bundledSources();
  const extension = extensionFiles().map(({ name, tree }) => ({ name: `extension/${name}`, tree }));
  const files = [...[...sources].map(([name, tree]) => ({ name, tree })), ...extension];
  const unresolved = new Set<string>();
  const used = new Set<string>();

  const codeOf = (node: ts.Node): string => node.getText().replace(/\s+/g, ' ');
  const fileOf = (node: ts.Node): string => {
    const tree = node.getSourceFile();
    return isSource(tree) ? tree.fileName : `extension/${tree.fileName}`;
  };

  /** What an expression can be; null when its words are not written in it. */
  const textsOf = (node: ts.Expression): readonly string[] | null => {
    const key = `${fileOf(node)}: ${codeOf(node)}`;
    const known = elsewhere.get(key);
    if (known !== undefined) {
      used.add(key);
      return known;
    }
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isTemplateExpression(node))
      return node.templateSpans.reduce(
        (texts, { expression, literal }) =>
          product(product(texts, textsOf(expression) ?? [SAMPLE]), [literal.text]),
        [node.head.text] as readonly string[],
      );
    if (ts.isConditionalExpression(node)) {
      const [yes, no] = [textsOf(node.whenTrue), textsOf(node.whenFalse)];
      return yes === null || no === null ? null : [...yes, ...no];
    }
    if (ts.isCallExpression(node) && calledName(node) === 'mustBe') return wasTexts(node.arguments[0]);
    return ts.isIdentifier(node) ? textsOfName(node) : null;
  };

  /** A constant, or what calls give to a parameter; from the inside out. */
  const textsOfName = (name: ts.Identifier): readonly string[] | null => {
    for (const scope of scopesAround(name)) {
      if (ts.isFunctionLike(scope)) {
        const position = scope.parameters.findIndex((parameter) => parameter.name.getText() === name.text);
        if (position >= 0) return textsOfArgument(scope, position);
      }
      const constant = constantsOf(scope).find((declared) => declared.name.getText() === name.text);
      if (constant !== undefined)
        return constant.initializer === undefined ? null : textsOf(constant.initializer);
    }
    return null;
  };

  const textsOfArgument = (called: ts.SignatureDeclaration, position: number): readonly string[] | null => {
    const holder = ts.isFunctionDeclaration(called) ? called : called.parent;
    if (!ts.isFunctionDeclaration(holder) && !ts.isVariableDeclaration(holder)) return null;
    const calls = nodesOf(called.getSourceFile()).filter(
      (node): node is ts.CallExpression =>
        ts.isCallExpression(node) && calledName(node) === holder.name?.getText(),
    );
    const given = calls.map(({ arguments: values }) => values[position]);
    const texts = given.map((value) => (value === undefined ? null : textsOf(value)));
    return texts.length === 0 || texts.includes(null) ? null : texts.flatMap((text) => text ?? []);
  };

  const wasTexts = (what: ts.Expression | undefined): readonly string[] | null =>
    (what === undefined ? null : textsOf(what))?.map((text) => `must be ${text}, was ${SAMPLE}`) ?? null;

  /** Of `new ParameterError(parameter, value, range)`. */
  const parameterTexts = (node: ts.NewExpression): readonly string[] | null => {
    const [parameter, value, range] = node.arguments ?? [];
    if (parameter === undefined || value === undefined || range === undefined) return null;
    const was = ts.isStringLiteralLike(value) ? JSON.stringify(value.text) : SAMPLE;
    const names = textsOf(parameter) ?? [SAMPLE];
    return (
      textsOf(range)?.flatMap((text) => names.map((name) => `${name} must be ${text}, was ${was}`)) ?? null
    );
  };

  /** Of `trace.check(name, passed, detail)`, and of `instead(why)`, which makes a part of one. */
  const detailsOf = (node: ts.Node, tree: ts.SourceFile): readonly string[] | null | undefined => {
    if (!isSource(tree) || !ts.isCallExpression(node)) return undefined;
    const [first, , third] = node.arguments;
    const name = calledName(node);
    const detail = name === 'check' ? third : name === 'instead' ? first : undefined;
    return detail === undefined ? undefined : textsOf(detail);
  };

  /** Undefined for what says no mistake. */
  const sentencesOf = (node: ts.Node, tree: ts.SourceFile): readonly string[] | null | undefined => {
    if (ts.isNewExpression(node)) {
      if (calledName(node) === 'ParameterError') return parameterTexts(node);
      const isNamed = calledName(node) === 'RangeError' && tree.fileName === 'src/registration/header.ts';
      return isNamed ? textsOf(node.arguments?.[0] as ts.Expression) : undefined;
    }
    if (ts.isObjectLiteralExpression(node)) return messageTexts(node);
    if (!ts.isCallExpression(node) || node.arguments[0] === undefined) return undefined;
    const isMethod = ts.isPropertyAccessExpression(node.expression);
    const isConsole = isMethod && node.expression.getText().startsWith('console.');
    if (isConsole || (!isMethod && !isSource(tree))) return undefined;
    switch (calledName(node)) {
      case 'expected':
        return wasTexts(node.arguments[0]);
      case 'error':
      case 'warn':
        return textsOf(node.arguments[0]);
      case 'nothing':
      case 'ignored':
        return isMethod ? undefined : textsOf(node.arguments[0]);
      default:
        return undefined;
    }
  };

  /** Of `{ path, message }`. */
  const messageTexts = (node: ts.ObjectLiteralExpression): readonly string[] | null | undefined => {
    const property = (name: string) => node.properties.find((one) => one.name?.getText() === name);
    const message = property('message');
    if (message === undefined || property('path') === undefined) return undefined;
    if (ts.isPropertyAssignment(message)) return textsOf(message.initializer);
    return ts.isShorthandPropertyAssignment(message) ? textsOf(message.name) : null;
  };

  const said = files.flatMap(({ name, tree }) =>
    nodesOf(tree).flatMap((node) => {
      const sentences = (of === 'mistakes' ? sentencesOf : detailsOf)(node, tree);
      if (sentences === undefined) return [];
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      const where = `${name}:${line + 1} ${codeOf(node)}`;
      if (sentences === null) unresolved.add(where);
      return (sentences ?? []).map((sentence) => ({ where, sentence }));
    }),
  );
  return {
    said,
    unresolved: [...unresolved],
    unused: [...elsewhere.keys()].filter((key) => !used.has(key)),
  };
}
