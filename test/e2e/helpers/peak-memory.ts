import { readFileSync } from 'node:fs';
import { processorTimes } from '../../../bench/processor-time';

/** In bytes: the most that each process of a browser has had resident at once, added up. Linux only. */
export const peakMemory = (browser: number): number =>
  [...processorTimes(browser).keys()].reduce((sum, id) => sum + peakOf(id), 0);

function peakOf(id: number): number {
  try {
    const [, kibibytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return 1024 * Number(kibibytes);
  } catch {
    // It has ended.
    return 0;
  }
}
