import { readFileSync } from 'node:fs';

/** The table of rooms in docs/design.md. A row has the room's path, its content, and the rooms it may import from. */
const rows = readFileSync(new URL('docs/design.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path)))
  .map(([, [room], , imports]) => ({ room, imports }));

/** The folders of a folder that have a row of their own, for the row of the others. */
const ownRows = (folder) =>
  rows.flatMap(({ room }) => (room.startsWith(folder) ? [room.slice(folder.length)] : [])).filter(isFolder);

const isFolder = (name) => /^[^*]+\/$/.test(name);

// Matches one file, everything below a folder, only the files directly in a folder (`/*`), or each folder in it without a row of its own (`/*/`).
function pattern(room) {
  const escaped = room.replaceAll('.', '\\.');
  if (room.endsWith('/*/')) {
    const folder = room.slice(0, -'*/'.length);
    return `^${folder}(?!${ownRows(folder).join('|')})([^/]+)/`;
  }
  return `^${escaped.replace(/\*$/, '[^/]+$')}${/\.\w+$/.test(room) ? '$' : ''}`;
}

const arrow = (from, to) => ({ from: { path: pattern(from) }, to: { path: pattern(to) } });

/** A room may import from itself. Of the folders of one row, each may from itself only. */
const within = (room) =>
  room.endsWith('/*/')
    ? { from: { path: pattern(room) }, to: { path: `^${room.slice(0, -'*/'.length)}$1/` } }
    : arrow(room, room);

export default {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    // `src/` is the engine: what only others need has another place. Imports of types count.
    {
      name: 'not-of-the-engine',
      severity: 'error',
      from: { path: '^src/engine\\.ts$' },
      to: { path: '^src/', pathNot: '^src/engine\\.ts$', reachable: false },
    },
  ],
  /** Any other import is an error. */
  allowed: [
    { from: {}, to: { pathNot: rows.map(({ room }) => `^${room.split('/')[0]}/`) } },
    { from: {}, to: { path: '\\.json$' } },
    ...rows.flatMap(({ room, imports }) => [within(room), ...imports.map((to) => arrow(room, to))]),
  ],
  allowedSeverity: 'error',
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
