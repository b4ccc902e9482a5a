import ts from 'typescript';
import { parsedFile } from './parsed';
import { filesOf } from './sources';

/** Calls that give what others supplied, as they are written, without white space. */
const CALLS =
  /^(listen|fetch|textWithin|textOfFile|createServer|addEventListener)$|^(readFile(Sync)?|readv?Sync|createReadStream|openToRead|openOwn|readOwn(Lines)?|readText|readSecretText|readJson|createInterface|asyncBufferFromFile)$|\.(addListener|addEventListener|addContentTypeParser|getAttribute|getItem|getData)$/;
/** Methods of what a page has fetched or opened, whatever its name. In other rooms, other things have such methods. */
const BODIES = /\.(text|json|arrayBuffer|blob|bytes|formData|getReader)$/;
const IN_PAGES = /^(extension|ui|collector\/dashboard\/client)\//;
/** Routes of the collector, whatever its name. A map has such methods, too, but with one argument. */
const ROUTES = /\.(get|post|put|patch|delete|head|options|all)$/;
const CLASSES = /^(InputFiles|ByteSource|BroadcastChannel|XMLHttpRequest|EventSource|WebSocket|FileReader)$/;
const PROPERTIES =
  /^(location\.(hash|search|href)|process\.(stdin|env)|browser\.storage\.managed|document\.(cookie|referrer)|window\.name|.*\.onmessage)$/;
/** Events that bring no text of others. */
const EMPTY =
  /(tabs\.onRemoved|alarms\.onAlarm|onConnect|onInstalled|onStartup|onDisconnect|storage\.onChanged|webRequest\.onErrorOccurred)\.addListener$|addEventListener (abort|activate|change|click|error|focus|focusin|hashchange|install|keydown|load|pointerdown|popstate|visibilitychange)$/;

/** Where something comes in that others supplied: `FILE: CALL`, once for each. */
export function entrancesIn(): readonly string[] {
  const found = new Set<string>();
  for (const file of filesOf()) {
    const source = parsedFile(file);
    const visit = (node: ts.Node): void => {
      const what = entranceAt(node, source, file);
      if (what !== null && !EMPTY.test(what)) found.add(`${file}: ${what}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return [...found].sort();
}

function entranceAt(node: ts.Node, source: ts.SourceFile, file: string): string | null {
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText(source).replace(/\s+/g, '');
    const [first] = node.arguments;
    const isRoute =
      file.startsWith('collector/') &&
      ROUTES.test(called) &&
      node.arguments.length > 1 &&
      !/^(store|known)\./.test(called);
    if (isRoute || called.endsWith('.route')) return `${called} ${first?.getText(source) ?? ''}`;
    const isBody = IN_PAGES.test(file) && BODIES.test(called) && node.arguments.length === 0;
    if (!isBody && !CALLS.test(called)) return null;
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
