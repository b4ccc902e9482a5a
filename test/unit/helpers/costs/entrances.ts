import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesOf } from './sources';

const ROOT = path.join(__dirname, '../../../..');

/** Calls that give what others supplied, as they are written, without white space. */
const CALLS =
  /^(listen|fetch|textWithin|textOfFile|readFileSync|createReadStream|readText|readJson|createInterface|asyncBufferFromFile)$|\.(addListener|addEventListener|addContentTypeParser|arrayBuffer|getAttribute)$|^(response|file|\(awaitask\(.*\))\.(text|json)$|^addEventListener$/;
/** Routes of the collector. */
const ROUTES = /^app\.(get|post|put|delete|route)$/;
const CLASSES = /^(InputFiles|ByteSource|BroadcastChannel)$/;
const PROPERTIES = /^(location\.(hash|search|href)|process\.(stdin|env)|browser\.storage\.managed)$/;
/** Events that bring no text of others. */
const EMPTY =
  /(tabs\.onRemoved|alarms\.onAlarm|onConnect|onInstalled|onStartup|onDisconnect|storage\.onChanged|onErrorOccurred)\.addListener$|addEventListener (abort|activate|change|click|error|focus|focusin|hashchange|install|keydown|load|pointerdown|popstate|visibilitychange)$/;

/** Where something comes in that others supplied: `FILE: CALL`, once for each. */
export function entrancesIn(): readonly string[] {
  const found = new Set<string>();
  for (const file of filesOf()) {
    const source = ts.createSourceFile(
      file,
      readFileSync(path.join(ROOT, file), 'utf8'),
      ts.ScriptTarget.Latest,
    );
    const visit = (node: ts.Node): void => {
      const what = entranceAt(node, source);
      if (what !== null && !EMPTY.test(what)) found.add(`${file}: ${what}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return [...found].sort();
}

function entranceAt(node: ts.Node, source: ts.SourceFile): string | null {
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText(source).replace(/\s+/g, '');
    const [first] = node.arguments;
    if (ROUTES.test(called)) return `${called} ${first?.getText(source) ?? ''}`;
    if (!CALLS.test(called)) return null;
    const isNamed =
      /(addEventListener|addContentTypeParser)$/.test(called) &&
      first !== undefined &&
      ts.isStringLiteral(first);
    return isNamed ? `${called} ${first.text}` : called;
  }
  if (ts.isNewExpression(node)) {
    const called = node.expression.getText(source);
    return CLASSES.test(called) ? called : null;
  }
  if (!ts.isPropertyAccessExpression(node)) return null;
  const text = node.getText(source);
  return PROPERTIES.test(text) ? text : null;
}
