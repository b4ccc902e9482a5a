import { readFileSync } from 'node:fs';

/** The table of rooms in docs/design.md. A row has the room's path, its content, and the rooms it may import from. */
const rows = readFileSync(new URL('docs/design.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path)))
  .map(([, [room], , imports]) => ({ room, imports }));

/** Matches one file, or everything below a folder, or with `/*` only the files directly in a folder. */
const pattern = (room) =>
  `^${room.replaceAll('.', '\\.').replace(/\*$/, '[^/]+$')}${/\.\w+$/.test(room) ? '$' : ''}`;

const arrow = (from, to) => ({ from: { path: pattern(from) }, to: { path: pattern(to) } });

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
    ...rows.flatMap(({ room, imports }) => [room, ...imports].map((to) => arrow(room, to))),
  ],
  allowedSeverity: 'error',
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
