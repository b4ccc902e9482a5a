import { readFileSync } from 'node:fs';

/** The table of rooms in docs/design.md: in each row the room's path, what it holds, and the rooms that it may import from. */
const rows = readFileSync(new URL('docs/design.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path)))
  .map(([, [room], , imports]) => ({ room, imports }));

/** Matches a folder with all that is in it, one file, or with `/*` only the files that are in a folder themselves. */
const pattern = (room) =>
  `^${room.replaceAll('.', '\\.').replace(/\*$/, '[^/]+$')}${/\.\w+$/.test(room) ? '$' : ''}`;

const arrow = (from, to) => ({ from: { path: pattern(from) }, to: { path: pattern(to) } });

export default {
  forbidden: [{ name: 'no-circle', severity: 'error', from: {}, to: { circular: true } }],
  /** Whatever is not one of these is refused. */
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
