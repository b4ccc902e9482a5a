import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time that each process has used, by its id. */
export type ProcessorTimes = ReadonlyMap<number, number>;

/** Linux counts processor time in these. */
const TICK = 10;

/** Whether this system reports processor time: only Linux has such files. */
export const isCounted = existsSync('/proc/self/stat');

/** Of a process and all that it started, as far as they still run. */
export function processorTimes(root: number): ProcessorTimes {
  const processes = new Map(readdirSync('/proc').filter(isNumber).flatMap(processOf));
  const isOf = (id: number): boolean =>
    id === root || (processes.has(id) && isOf(processes.get(id)?.parent ?? 0));
  return new Map([...processes].filter(([id]) => isOf(id)).map(([id, { time }]) => [id, time]));
}

/** What was used between two moments, also by processes that started in between. */
export const usedBetween = (before: ProcessorTimes, after: ProcessorTimes): number =>
  [...after].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0);

const isNumber = (name: string): boolean => /^\d+$/.test(name);

function processOf(id: string): [number, { readonly parent: number; readonly time: number }][] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name, in brackets, may contain anything. After it: state, parent, …, and as 12th and 13th the time in programs and in the system.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0] = [1, 11, 12].map((index) => fields[index]);
    return [[Number(id), { parent, time: (user + system) * TICK }]];
  } catch {
    // It has ended.
    return [];
  }
}
