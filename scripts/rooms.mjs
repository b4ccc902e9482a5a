import { readFileSync } from 'node:fs';

/** The rows of the table of rooms in docs/design.md: a room's path, and the rooms it may import from. */
const readRows = () =>
  readFileSync('docs/design.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path)))
    .map(([, [room], , imports]) => ({ room, imports }));

/**
 * The imports that the table below the working folder allows.
 * @returns {{ arrows: readonly Arrow[], isAllowed(source: string, imported: string): boolean }}
 */
export function readRooms() {
  const rows = readRows();
  if (rows.length === 0) throw new Error('docs/design.md: must have the table of rooms; there is no row');
  const names = rows.map(({ room }) => room);
  const arrows = rows.flatMap(({ room, imports }) => [
    within(room, names),
    ...imports.map((to) => ({ from: pattern(room, names), to: pattern(to, names) })),
  ]);
  const from = new Map();
  const patternsFrom = (source) =>
    from.get(source) ??
    from
      .set(
        source,
        arrows.flatMap((arrow) => targetOf(arrow, source) ?? []),
      )
      .get(source);
  const isAllowed = (source, imported) =>
    isInNoRoom(imported) || patternsFrom(source).some((to) => to.test(imported));
  return { arrows, isAllowed };
}

/** Files beside the folders, data, and what a build makes. */
const isInNoRoom = (file) => !file.includes('/') || file.endsWith('.json') || file.startsWith('dist/');

/** @typedef {{ readonly from: string, readonly to: string }} Arrow Two patterns; `$1` is the folder that the first one found. */

/** Where the arrow leads from this file; null if nowhere. */
export function targetOf({ from, to }, source) {
  const found = new RegExp(from).exec(source);
  return found === null ? null : new RegExp(to.replace('$1', found[1]));
}

/** Matches one file, everything below a folder, only the files directly in a folder (`/*`), or each folder in it without a row of its own. */
function pattern(room, names) {
  const escaped = room.replaceAll('.', '\\.');
  if (room.endsWith('/*/')) {
    const folder = room.slice(0, -'*/'.length);
    return `^${folder}(?!${ownRows(folder, names).join('|')})([^/]+)/`;
  }
  return `^${escaped.replace(/\*$/, '[^/]+$')}${/\.\w+$/.test(room) ? '$' : ''}`;
}

/** The folders of a folder that have a row of their own, for the row of the others. */
const ownRows = (folder, names) =>
  names
    .flatMap((room) => (room.startsWith(folder) ? [room.slice(folder.length)] : []))
    .filter((name) => /^[^*]+\/$/.test(name));

/** A room may import from itself. Of the folders of one row, each may from itself only. */
function within(room, names) {
  const from = pattern(room, names);
  return { from, to: room.endsWith('/*/') ? `^${room.slice(0, -'*/'.length)}$1/` : from };
}
