import ts from 'typescript';
import { parsedFile } from './parsed';
import { filesOf } from './sources';

/** The rooms whose code keeps running while others send something. */
const LIVES =
  /^(extension\/(background|content|store)\/|collector\/(?!dashboard\/client|demo)|recording\/|src\/model\/)/;

/** Fields of classes and constants of modules that can hold any number of things: `FILE: NAME`. */
export function keptState(): readonly string[] {
  return filesOf().flatMap((file) => (LIVES.test(file) ? keptIn(file) : []));
}

function keptIn(file: string): readonly string[] {
  const source = parsedFile(file);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyDeclaration(node) && (grows(node.initializer) || holds(node.type)))
      found.push(node.name.getText());
    if (ts.isVariableStatement(node) && node.parent === source)
      for (const { name, initializer, type } of node.declarationList.declarations) {
        const isVariable = (node.declarationList.flags & ts.NodeFlags.Let) !== 0;
        if (grows(initializer) || (isVariable && holds(type))) found.push(name.getText());
      }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.map((name) => `${file}: ${name}`);
}

/** Whether something that is empty, or remembers, is made. */
const grows = (value: ts.Expression | undefined): boolean =>
  value !== undefined &&
  /^(new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\)|\[\]$|remembered\()/.test(
    value.getText().replace(/\s+/g, ''.padEnd(1)),
  );

const holds = (type: ts.TypeNode | undefined): boolean =>
  type !== undefined && /\b(Map|Set|Record)<|\[\]/.test(type.getText());
