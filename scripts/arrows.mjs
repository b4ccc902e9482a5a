/**
 * `npm run arrows`: compares the imports below the working folder with the table of rooms in docs/design.md. An import that is not in it, a
 * circle, a file of `src/` that the engine does not reach, and an arrow that no import needs are errors. Imports of types count.
 */
import { readdirSync } from 'node:fs';
import { exitWith } from './console.mjs';
import { importsBelow } from './imports.mjs';
import { readRooms, targetOf } from './rooms.mjs';

/** What packages and builds are in. */
const NOT_OURS = new Set(['node_modules', 'dist']);

const ourFolders = () =>
  readdirSync('.', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OURS.has(entry.name))
    .map(({ name }) => name);

/** `src/` is the engine: what only others need has another place. */
const ENGINE = 'src/engine.ts';

async function main() {
  const imports = importsBelow(ourFolders());
  const { arrows, isAllowed } = readRooms();
  const edges = [...imports].flatMap(([source, imported]) => imported.map((to) => ({ source, to })));
  const reach = reachIn(imports);
  const engine = reach(ENGINE);
  const errors = [
    ...edges
      .filter(({ source, to }) => !isAllowed(source, to))
      .map(({ source, to }) => `not-in-allowed: ${source} → ${to}`),
    ...circlesIn(imports, reach),
    ...[...imports.keys()]
      .filter((file) => file.startsWith('src/') && file !== ENGINE && !engine.has(file))
      .map((file) => `not-of-the-engine: ${file}`),
    ...unused(arrows, edges).map(({ from, to }) => `unused-arrow: no import leads from ${from} to ${to}`),
  ];
  for (const error of errors) process.stdout.write(`  error ${error}\n`);
  process.stdout.write(`${errors.length} errors in ${imports.size} files with ${edges.length} imports\n`);
  return errors.length === 0 ? 0 : 1;
}

/** Says which files a file imports, and which these import, and so on. */
const reachIn = (imports) => (file) => {
  const reached = new Set();
  const open = [...(imports.get(file) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return reached;
};

/** The imports of a file that is reached from itself, along a circle. */
function circlesIn(imports, reach) {
  const circular = new Map();
  for (const file of candidates(imports)) {
    const reached = reach(file);
    if (reached.has(file)) circular.set(file, reached);
  }
  return [...circular].flatMap(([file, reached]) =>
    imports
      .get(file)
      .filter((to) => circular.get(to)?.has(file) && reached.has(to))
      .map((to) => `no-circle: ${file} → ${to}`),
  );
}

/** Files that could be in a circle: what is left once those are gone, again and again, that import nothing which is left. */
function candidates(imports) {
  const left = new Map(
    [...imports].map(([file, imported]) => [file, imported.filter((to) => imports.has(to))]),
  );
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [file, imported] of left) if (!imported.some((to) => left.has(to))) left.delete(file);
  }
  return left.keys();
}

/** The arrows between two rooms that no import needs. */
const unused = (arrows, edges) =>
  arrows.filter(
    (arrow) =>
      arrow.from !== arrow.to &&
      !arrow.to.includes('$1') &&
      !edges.some(({ source, to }) => targetOf(arrow, source)?.test(to) === true),
  );

void exitWith(main);
